"""Render a page that compares gold and prediction: marked texts, worst first, and tables of errors.

views with gold -> errors -> tables, articles -> errors.html
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ...sentence_identifier.evaluation.scorer import score_units
from ...text.units import Unit
from ..text.page import format_count, make_page
from ..text.reading import DocumentView
from ..text.units import Mark
from .documents import FIXED, PROBS, SCORES, list_kinds, make_article
from .error_types import KIND, KINDS, NAMES, find_errors

KIND_ACCURACY = "spans_nsu_kind_acc"  # only if gold has kinds
SHOWN_SCORES = (
    ("SU spans, F1", "spans_su_f"),
    ("Merged NSUs, F1", "spans_nsu_f"),
    ("B, I, O, macro F1", "bio_macro_f"),
    ("Kinds of NSUs, accuracy", KIND_ACCURACY),
)
RATE_CHARS = 1000  # errors are counted per this many characters


class ComparedDocument(NamedTuple):
    """A document with its errors."""

    view: DocumentView
    pred: list[Unit]
    errors: list[Mark]

    @property
    def rate(self) -> float:
        """Errors per 1,000 characters."""
        return RATE_CHARS * len(self.errors) / max(len(self.view.text), 1)


def make_error_page(
    title: str, documents: Sequence[DocumentView], *, lang: str = "", note: str = ""
) -> str:
    """Render the page of documents with gold, the one with the highest rate of errors first.

    See `pages.make_document_page`.
    """
    compared = sorted(map(_compare, documents), key=lambda one: (-one.rate, -len(one.errors)))
    has_probs = any(view.probs is not None for view in documents)
    pairs = [(one.view.text, one.view.gold or [], one.pred) for one in compared]
    scores = score_units(pairs)
    counts = Counter(error.kind for one in compared for error in one.errors)
    shown = [kind for kind in KINDS if kind != KIND or KIND_ACCURACY in scores]
    return make_page(
        title,
        template="errors.html",
        documents=[_make_article(n, one, lang) for n, one in enumerate(compared, start=1)],
        index_title=f"{format_count(len(documents), 'document')} · errors",
        n_errors=counts.total(),
        kinds=[{"kind": kind, "name": NAMES[kind], "n": counts[kind]} for kind in shown],
        nsu_kinds=list_kinds(documents),
        note=note,
        scores=[(name, scores[key]) for name, key in SHOWN_SCORES if key in scores],
        toggles=[SCORES, *[PROBS] * has_probs, FIXED],
    )


def _compare(view: DocumentView) -> ComparedDocument:
    pred = [Unit(*unit[:2], unit.kind or unit.label) for unit in view.units]
    return ComparedDocument(view, pred, find_errors(view.text, view.gold or [], pred))


def _make_article(number: int, one: ComparedDocument, lang: str) -> dict[str, object]:
    n = len(one.errors)
    counts = f"{format_count(n, 'error')}, {one.rate:.1f} per 1,000 characters" if n else "no error"
    return make_article(number, one.view, counts, f"{n or ''}", lang=lang, marks=one.errors)
