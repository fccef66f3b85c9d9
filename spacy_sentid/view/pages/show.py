"""Show texts with their units, and pairs of texts, in a notebook.

Docs -> units, or words without a paraphrase -> HTML without scripts, for Jupyter, Colab, VS Code
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from ...files.atomic import open_output
from ...messages import shorten
from ...text.kinds import KINDS
from ...text.units import NSU, SU
from ..text.kinds import UNSURE
from ..text.page import call_macro, format_count, read_part
from ..text.reading import DocumentView, PairView, SideView
from ..text.units import UnitView, is_unsure, render_text
from .documents import count_units, make_document_page, make_pair_page, render_side

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

CSS = "spacy-sentid"  # class of the element around the texts
TITLE = "Units"
# Attributes and classes that notebooks and sites with a dark or a light theme have.
DARK = (
    '[data-jp-theme-light="false"]', ".vscode-dark", 'html[theme="dark"]',
    '[data-md-color-scheme="slate"]', ".dark",
)  # fmt: skip
LIGHT = (
    '[data-jp-theme-light="true"]', ".vscode-light", 'html[theme="light"]',
    '[data-md-color-scheme="default"]', ".light",
)  # fmt: skip


class Shown:
    """Texts to show. A notebook displays them if they are the last value of a cell.

    views: One view for each text, or for each pair of texts.
    lang: Language code of the texts.
    with_scores: Show the score of each unit, and not only of unsure ones.
    """

    def __init__(
        self, views: Sequence[DocumentView | PairView], *, lang: str = "", with_scores: bool = False
    ) -> None:
        self.views = list(views)
        self.lang = lang
        self.with_scores = with_scores

    def __repr__(self) -> str:
        texts, pairs = _separate(self.views)
        found = ((len(texts), "text"), (len(pairs), "pair"))
        things = " and ".join(format_count(n, name) for n, name in found if n) or "no texts"
        counts = count_signs(self.views)
        return f"Shown({things}{': ' * bool(counts)}{counts})"

    def _repr_html_(self) -> str:
        texts = [
            {"name": view.name, "counts": count_signs([view]), "html": self._render(view)}
            for view in self.views
        ]
        style = Markup(make_style())
        signs = list_signs(self.views)
        return str(call_macro("show.html", "shown", style, CSS, signs, texts, self.with_scores))

    def _render(self, view: DocumentView | PairView) -> Markup:
        if isinstance(view, DocumentView):
            return render_text(view.text, view.units, lang=self.lang, with_scores=True)
        sides = (("hyp", view.hyp), ("ref", view.ref))
        rows = {key: render_side(side, lang=self.lang, with_scores=True) for key, side in sides}
        return call_macro("macros.html", "columns", rows, names=("Text 1", "Text 2"))

    def save(self, path: str | Path, *, title: str = TITLE) -> None:
        """Write the texts to a page, as `spacy-sentid view` does, with search and filters.

        Raises ValueError for a mixture of texts and pairs.
        """
        texts, pairs = _separate(self.views)
        if pairs and texts:
            raise ValueError(
                f"The page must have only texts or only pairs, got {len(texts)} and {len(pairs)}. "
                "Show and save them separately."
            )
        lang = self.lang
        with open_output(Path(path)) as file:
            file.write(
                make_pair_page(title, pairs, lang=lang)
                if pairs
                else make_document_page(title, texts, lang=lang)
            )


def show(
    docs: "Doc | Iterable[Doc]",
    *,
    keys: tuple[str, str] = ("su", "nsu"),
    key: str | None = None,
    scores: bool = False,
) -> Shown:
    r"""Show Docs with their units in a notebook, or pairs with the words without a paraphrase.

    docs: A Doc or several: of a pipeline with a `sentence_identifier`, or of `make_pair` and a
        pipeline with a `paraphrase_tagger`.
    keys: Keys of the span groups of units, if the component has others.
    key: Key of the words without a paraphrase. None = the one that the component has written.
    scores: Show the score of each unit. Unsure units, and units under the mouse, always have it.
    RETURNS: An object that a notebook displays. `save(path)` writes it to a page.

    Raises ValueError for a Doc without units and without such words.

    >>> from spacy_sentid import load, show
    >>> show(load("en")("Page 3\n\nI like cats. They sleep."))
    Shown(1 text: 2 sentences, 1 other)
    """
    from ...paraphrase_tagger.pairs import PAIR_KEY

    found = _list_docs(docs)
    views = [
        _view_pair(doc, n, key) if PAIR_KEY in doc.spans else _view_units(doc, n, keys)
        for n, doc in enumerate(found, start=1)
    ]
    langs = {doc.lang_ for doc in found}
    return Shown(views, lang=langs.pop() if len(langs) == 1 else "", with_scores=scores)


def _list_docs(docs: Any) -> "list[Doc]":
    from spacy.tokens import Doc

    found = [docs] if isinstance(docs, Doc) or not isinstance(docs, Iterable) else list(docs)
    for doc in found:
        if not isinstance(doc, Doc):
            raise ValueError(
                f"'docs' must be a Doc or a list of Docs, got {shorten(doc)}. "
                "Run a pipeline on the text: show(nlp(text))."
            )
    return found


def _view_units(doc: "Doc", number: int, keys: tuple[str, str]) -> DocumentView:
    from ...sentence_identifier.access.units import iter_units

    units = [
        UnitView(
            unit.start_char,
            unit.end_char,
            unit.label,
            unit.score,
            kind=unit.kind or "",
            label_score=unit.label_score,
            kind_score=unit.kind_score,
        )
        for unit in iter_units(doc, keys)
    ]
    return DocumentView(f"Text {number}", doc.text, units)


def _view_pair(doc: "Doc", number: int, key: str | None) -> PairView:
    from ...paraphrase_tagger.corpus import SUPPORT, UNPARAPHRASED_KEY
    from ...paraphrase_tagger.pairs import get_pair, pair_id

    keys = [name for name, group in doc.spans.items() if SUPPORT in group.attrs]
    key = key or (keys[0] if keys else UNPARAPHRASED_KEY)
    if key not in doc.spans:
        raise ValueError(
            f"The Doc of a pair must have spans[{key!r}], got the keys {', '.join(doc.spans)}. "
            "Run the component 'paraphrase_tagger' on it, or use the key that it writes."
        )
    group = doc.spans[key]
    support = group.attrs.get(SUPPORT)
    hyp, ref = (_view_side(side, list(group), support) for side in get_pair(doc))
    return PairView(pair_id(doc) or f"Pair {number}", {}, hyp, ref)


def _view_side(side: "Span", spans: "Sequence[Span]", support: Any) -> SideView:
    from ...arrays import sigmoid

    found: list[tuple[int, int, float | None]] = []
    for span in spans:
        if side.start <= span.start and span.end <= side.end:
            start, end = span.start_char - side.start_char, span.end_char - side.start_char
            logits = [] if support is None else support[span.start : span.end]
            scores = [float(sigmoid(-logit)) for logit in logits]
            found.append((start, end, sum(scores) / len(scores) if scores else None))
    return SideView(side.text, found, [])


def count_signs(views: Iterable[DocumentView | PairView]) -> str:
    """Count the units of texts, and the marks of pairs, in words; "" without texts.

    >>> count_signs([DocumentView("a", "Hi", [UnitView(0, 2, "NSU", 0.3)])])
    '0 sentences, 1 other, 1 unsure'
    """
    texts, pairs = _separate(views)
    counts = [count_units([unit for text in texts for unit in text.units])] * bool(texts)
    n = sum(len(pair.hyp.spans) + len(pair.ref.spans) for pair in pairs)
    return ", ".join([*counts, *[format_count(n, "marked span")] * bool(pairs)])


def _separate(
    views: Iterable[DocumentView | PairView],
) -> tuple[list[DocumentView], list[PairView]]:
    found = list(views)
    return (
        [view for view in found if isinstance(view, DocumentView)],
        [view for view in found if isinstance(view, PairView)],
    )


def list_signs(views: Iterable[DocumentView | PairView]) -> list[tuple[str, str, str]]:
    """List (class in the style sheet, name, note) of the signs that occur, for the legend."""
    texts, pairs = _separate(views)
    units = [unit for text in texts for unit in text.units]
    counts = Counter(key for unit in units for key in {unit.label, unit.kind})
    n_unsure = sum(map(is_unsure, units))
    names = {SU: ("su", "sentence"), NSU: ("nsu", "not a sentence")}
    names |= {label: (f"nsu {kind.css}", kind.name) for label, kind in KINDS.items()}
    signs = [(*name, f"{counts[key]:,}") for key, name in names.items() if counts[key]]
    if n_unsure:
        signs.append(("low", "unsure", f"{n_unsure:,}, score below {UNSURE:g}"))
    if pairs:
        signs.append(("unsupported", "marked", "no paraphrase in the other text"))
    return signs


@cache
def make_style() -> str:
    """Make the style sheet of the texts, which has no effect on the rest of a notebook."""
    rules = read_part("unit.css").replace(":root", "&") + read_part("show.css")
    rules = re.sub(r"/\*.*?\*/\n?", "", rules, flags=re.DOTALL)
    schemes = [
        f":is({', '.join(places)}) .{CSS} {{ color-scheme: {scheme}; }}"
        for scheme, places in (("dark", DARK), ("light", LIGHT))
    ]
    return "\n".join([f".{CSS} {{", rules + "}", *schemes, ""])
