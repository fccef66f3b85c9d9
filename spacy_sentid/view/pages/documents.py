"""Pages of documents with their units, and of pairs of texts.

views -> articles, each a text with its units -> documents.html, pairs.html
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from markupsafe import Markup

from ...arrays import sigmoid
from ...text.kinds import KINDS, NsuKind
from ...text.units import SU, trim_span
from ..text.page import format_count, make_page
from ..text.reading import DocumentView, PairView, SideView
from ..text.units import Mark, TokenProb, UnitView, is_unsure, render_text

T = TypeVar("T")
# Names of the scores of a pair on a page, which are shares of supported words.
SHARES = (
    ("supported words of the text", "supported_p"),
    ("of the reference", "supported_r"),
    ("of both", "supported_f"),
)
PAIR_LIMIT = 80  # pairs with a lower percentage are marked
# Switches: (class of the main element while it is on, label, initially on).
PROBS = ("probs-on", "Probabilities", False)
SCORES = ("scores-on", "Scores", False)
FIXED = ("fixed-on", "Fixed width", False)
SUPPORT = ("probs-on", "Support of each word", False)


def make_document_page(
    title: str, documents: Sequence[DocumentView], *, lang: str = "", note: str = ""
) -> str:
    """Render the page of some documents.

    lang: Language code of the texts.
    note: Plain text at the top of the page, for example that there are more documents.
    """
    has_probs = any(document.probs is not None for document in documents)
    articles = [
        make_article(n, view, count_units(view.units), _count_unsure(view.units), lang=lang)
        for n, view in enumerate(documents, start=1)
    ]
    return make_page(
        title,
        template="documents.html",
        documents=articles,
        index_title=format_count(len(documents), "document"),
        note=note,
        toggles=[SCORES, *[PROBS] * has_probs, FIXED],
        kinds=list_kinds(documents),
    )


def list_kinds(documents: Sequence[DocumentView]) -> list[NsuKind]:
    """List the kinds of NSU that some documents have, in the order of NSU_KINDS."""
    found = {unit.kind for document in documents for unit in document.units}
    return [name for kind, name in KINDS.items() if kind in found]


def make_article(
    number: int,
    view: DocumentView,
    counts: str,
    note: str,
    *,
    lang: str,
    marks: Sequence[Mark] = (),
) -> dict[str, object]:
    """Build the template values of a document. The list of documents shows the note."""
    text = render_text(view.text, view.units, probs=view.probs, marks=marks, lang=lang)
    return {"id": f"d{number}", "name": view.name, "counts": counts, "note": note, "text": text}


def count_units(units: Sequence[UnitView]) -> str:
    """Count the units of texts in words.

    >>> count_units([UnitView(0, 3, "SU", 0.9), UnitView(4, 7, "NSU", 0.3)])
    '1 sentence, 1 other, 1 unsure'
    """
    n_su = sum(unit.label == SU for unit in units)
    counts = [format_count(n_su, "sentence"), format_count(len(units) - n_su, "other")]
    return ", ".join(filter(None, [*counts, _count_unsure(units)]))


def _count_unsure(units: Sequence[UnitView]) -> str:
    """Count unsure units for the list of documents; "" if there are none."""
    n = sum(map(is_unsure, units))
    return f"{n:,} unsure" if n else ""


def make_pair_page(title: str, pairs: Sequence[PairView], *, lang: str = "", note: str = "") -> str:
    """Render the page of some pairs, in two columns, the one with the least support first.

    See `make_document_page`.
    """
    rows = [
        {
            "id": f"p{n}",
            "name": pair.name,
            "score": find_percent(pair),
            "scores": [(name, _format(pair.scores.get(key))) for name, key in SHARES],
            "note": _format(pair.scores.get("supported_f")),
            "hyp": render_side(pair.hyp, lang=lang),
            "ref": render_side(pair.ref, lang=lang),
        }
        for n, pair in enumerate(sort_by_score(pairs, find_percent), start=1)
    ]
    return make_page(
        title,
        template="pairs.html",
        pairs=rows,
        index_title=f"{format_count(len(pairs), 'pair')} · supported words",
        note=note,
        bounds=(0, 100),
        limit=PAIR_LIMIT,
        toggles=[SUPPORT, FIXED],
    )


def find_percent(pair: PairView) -> float | None:
    """Find the share of supported words in both texts, in percent."""
    share = pair.scores.get("supported_f")
    return None if share is None else 100 * share


def sort_by_score(things: Sequence[T], find: Callable[[T], float | None]) -> list[T]:
    """Sort things by their scores, the lowest first; things without a score are last.

    >>> sort_by_score([2, None, 1], lambda n: n)
    [1, 2, None]
    """
    scores = [(find(thing), thing) for thing in things]
    return [one for _, one in sorted(scores, key=lambda row: (row[0] is None, row[0] or 0.0))]


def render_side(side: SideView, *, lang: str = "", with_scores: bool = False) -> Markup:
    """Render one text of a pair, with its unsupported spans and the text between them as units.

    See `render_text`.
    """
    units = []
    position = 0
    for start, end, score in sorted(side.spans):
        units += _between(side, position, start)
        units.append(UnitView(start, end, "unsupported", score, "unsupported"))
        position = end
    units += _between(side, position, len(side.text))
    probs = [TokenProb(start, end, float(sigmoid(logit)), 0.0) for start, end, logit in side.words]
    return render_text(side.text, units, probs=probs or None, lang=lang, with_scores=with_scores)


def _between(side: SideView, start: int, end: int) -> list[UnitView]:
    start, end = trim_span(side.text, start, end)
    return [UnitView(start, end, "supported", None, "supported")] if start < end else []


def _format(share: float | None) -> str:
    return "–" if share is None else f"{100 * share:.0f} %"
