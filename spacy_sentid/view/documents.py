"""A page of documents with their units.

views -> articles, each a text with its units -> page
"""

from collections.abc import Sequence

from ..units import NSU, SU
from .controls import (
    FIXED,
    HIDE_NSU,
    NOTHING,
    PROBS,
    IndexEntry,
    Slider,
    write_controls,
    write_index,
)
from .escaping import escape_text, isolate
from .page import make_page
from .reading import DocumentView
from .units import UnitView, render_text


def make_document_page(
    title: str, documents: Sequence[DocumentView], *, lang: str = "", note: str = ""
) -> str:
    """Write the page of some documents.

    lang: Code of the language of the texts.
    note: Plain text, said at the top, such as what was left out.
    """
    has_probs = any(document.probs is not None for document in documents)
    toggles = [PROBS] if has_probs else []
    parts = [write_controls(slider=Slider("Score below"), toggles=[*toggles, HIDE_NSU, FIXED])]
    if note:
        parts.append(f'<p class="lead">{escape_text(note)}</p>')
    articles = "".join(
        write_article(document, n, lang=lang) for n, document in enumerate(documents, start=1)
    )
    parts.append(with_index(articles, documents, [f"{len(d.units):,}" for d in documents]))
    return make_page(title, "\n".join(parts))


def write_article(
    document: DocumentView, number: int, *, lang: str = "", counts: str = "", text: str = ""
) -> str:
    """Write one document.

    counts: Plain text below the name; "" = how many units there are.
    text: HTML; "" = the text with its units.
    """
    text = text or render_text(document.text, document.units, probs=document.probs, lang=lang)
    return (
        f'<article class="doc" id="d{number}" aria-labelledby="d{number}-name">'
        f'<header><h2 id="d{number}-name">{isolate(document.name)}</h2>'
        f"<p>{escape_text(counts or tell_counts(document.units))}</p></header>{text}</article>"
    )


def with_index(
    articles: str, documents: Sequence[DocumentView], notes: Sequence[str], *, what: str = "units"
) -> str:
    """Put the list of documents beside them, if there are several; say it if there are none.

    notes: A number for each. what: What it counts.
    """
    if not documents:
        return NOTHING
    if len(documents) < 2:
        return articles
    entries = [
        IndexEntry(f"d{n}", document.name, note)
        for n, (document, note) in enumerate(zip(documents, notes, strict=True), start=1)
    ]
    index = write_index(entries, title=f"{len(documents):,} documents · {what}")
    return f'<div class="beside">{index}<div class="docs">{articles}</div></div>'


def tell_counts(units: Sequence[UnitView]) -> str:
    """Tell how many units there are.

    >>> tell_counts([UnitView(0, 3, "SU", 0.9), UnitView(4, 7, "NSU", 0.9)])
    '1 SU, 1 NSU'
    """
    counts = {label: sum(unit.label == label for unit in units) for label in (SU, NSU)}
    return ", ".join(f"{n:,} {label}" for label, n in counts.items())
