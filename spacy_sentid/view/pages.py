"""Pages of documents with their units, and of pairs of texts.

views -> articles, each a text with its units -> documents.html, pairs.html
"""

from collections.abc import Sequence
from math import ceil, floor

from markupsafe import Markup

from ..arrays import sigmoid
from ..units import NSU, SU, trim_span
from .kinds import KIND_NAMES, KindName
from .page import format_count, make_page
from .reading import DocumentView, PairView, SideView
from .units import Mark, TokenProb, UnitView, render_text

# Switches: (class of the main element while it is on, label, initially on).
PROBS = ("probs-on", "Probabilities", False)
SCORES = ("scores-on", "Scores", False)
FIXED = ("fixed-on", "Fixed width", False)
HIDE_NSU = ("nsu-off", "Hide NSUs", False)
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
        make_article(n, view, count_units(view.units), f"{len(view.units):,}", lang=lang)
        for n, view in enumerate(documents, start=1)
    ]
    return make_page(
        title,
        template="documents.html",
        documents=articles,
        index_title=f"{len(documents):,} documents · units",
        note=note,
        toggles=[SCORES, *[PROBS] * has_probs, FIXED],
        kinds=list_kinds(documents),
    )


def list_kinds(documents: Sequence[DocumentView]) -> list[KindName]:
    """List the kinds of NSU that some documents have, in the order of NSU_KINDS."""
    found = {unit.kind for document in documents for unit in document.units}
    return [name for kind, name in KIND_NAMES.items() if kind in found]


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
    """Format the numbers of SUs and NSUs.

    >>> count_units([UnitView(0, 3, "SU", 0.9), UnitView(4, 7, "NSU", 0.9)])
    '1 SU, 1 NSU'
    """
    labels = [unit.label for unit in units]
    return ", ".join(format_count(labels.count(label), label) for label in (SU, NSU))


def make_pair_page(title: str, pairs: Sequence[PairView], *, lang: str = "", note: str = "") -> str:
    """Render the page of some pairs, in two columns; see `make_document_page`."""
    found = [pair.scores["f"] or 0.0 for pair in pairs]
    rows = [
        {
            "id": f"p{n}",
            "name": pair.name,
            "score": pair.scores["f"],
            "scores": [(key.upper(), _format(pair.scores[key])) for key in ("p", "r", "f")],
            "note": _format(pair.scores["f"]),
            "hyp": render_side(pair.hyp, lang=lang),
            "ref": render_side(pair.ref, lang=lang),
        }
        for n, pair in enumerate(pairs, start=1)
    ]
    return make_page(
        title,
        template="pairs.html",
        pairs=rows,
        index_title=f"{len(pairs):,} pairs · F",
        note=note,
        bounds=(floor(min(found, default=0)), ceil(max(found, default=1))),
        toggles=[SUPPORT, FIXED],
    )


def render_side(side: SideView, *, lang: str = "") -> Markup:
    """Render one text of a pair, with its unsupported spans and the text between them as units."""
    units = []
    position = 0
    for start, end, score in sorted(side.spans):
        units += _between(side, position, start)
        units.append(UnitView(start, end, "unsupported", score, "unsupported"))
        position = end
    units += _between(side, position, len(side.text))
    probs = [TokenProb(start, end, float(sigmoid(logit)), 0.0) for start, end, logit in side.words]
    return render_text(side.text, units, probs=probs, lang=lang)


def _between(side: SideView, start: int, end: int) -> list[UnitView]:
    start, end = trim_span(side.text, start, end)
    return [UnitView(start, end, "supported", None, "supported")] if start < end else []


def _format(score: float | None) -> str:
    return "–" if score is None else f"{score:.2f}"
