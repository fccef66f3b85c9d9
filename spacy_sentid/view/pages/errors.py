"""Render a page that compares gold and prediction: marked texts, worst first, and tables of errors.

views with gold -> errors -> tables, articles -> errors.html
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...sentence_identifier.evaluation.scorer import score_units
from ...text.units import Unit
from ..text.page import format_count, make_page
from ..text.reading import DocumentView
from ..text.units import Mark
from .documents import FIXED, PROBS, SCORES, list_kinds, make_article
from .error_types import KIND, KINDS, NAMES, Totals, find_errors

N_WORST = 10
SHOWN_SCORES = (
    ("SU spans, F1", "spans_su_f"),
    ("Merged NSUs, F1", "spans_nsu_f"),
    ("B, I, O, macro F1", "bio_macro_f"),
    ("Kinds of NSUs, accuracy", "spans_nsu_kind_acc"),
)
# The denominators of the shares of errors by kind, in the order of Totals.
WHOLES = (
    "gold NSUs",
    "predicted NSUs",
    "boundaries in gold or prediction",
    "NSUs with the same boundaries in both",
)
RATE_CHARS = 1000  # errors are counted per this many characters


class ComparedDocument(NamedTuple):
    """A document with its errors."""

    number: int
    view: DocumentView
    pred: list[Unit]
    errors: list[Mark]
    totals: Totals

    def count(self, kind: str) -> int:
        """Count the errors of a kind."""
        return sum(error.kind == kind for error in self.errors)

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
    compared = [_compare(view) for view in documents]
    compared.sort(key=lambda one: (-one.rate, -len(one.errors)))
    compared = [one._replace(number=n) for n, one in enumerate(compared, start=1)]
    has_probs = any(view.probs is not None for view in documents)
    pairs = [(one.view.text, one.view.gold or [], one.pred) for one in compared]
    scores = score_units(pairs)
    has_kinds = any(one.totals.kinds for one in compared)
    shown = [kind for kind in KINDS if kind != KIND or has_kinds]
    return make_page(
        title,
        template="errors.html",
        documents=[_make_article(one, lang=lang) for one in compared],
        index_title=f"{format_count(len(documents), 'document')} · errors",
        n_errors=sum(len(one.errors) for one in compared),
        kinds=_count_kinds(compared)[: len(shown)],
        names=NAMES,
        shown=shown,
        shown_names=[NAMES[kind] for kind in shown],
        nsu_kinds=list_kinds(documents),
        note=note,
        scores=[(name, scores[key]) for name, key in SHOWN_SCORES if key in scores],
        toggles=[SCORES, *[PROBS] * has_probs, FIXED],
        worst=[one for one in compared if one.errors][:N_WORST],
    )


def _compare(view: DocumentView) -> ComparedDocument:
    pred = [Unit(*unit[:2], unit.kind or unit.label) for unit in view.units]
    return ComparedDocument(0, view, pred, *find_errors(view.text, view.gold or [], pred))


def _make_article(one: ComparedDocument, *, lang: str) -> dict[str, object]:
    n = len(one.errors)
    counts = f"{format_count(n, 'error')}, {one.rate:.1f} per 1,000 characters" if n else "no error"
    return make_article(one.number, one.view, counts, f"{n or ''}", lang=lang, marks=one.errors)


def _count_kinds(compared: Sequence[ComparedDocument]) -> list[dict[str, Any]]:
    """Count the errors of each kind, and the total that they are a share of."""
    totals = map(sum, zip(Totals(0, 0, 0), *(one.totals for one in compared), strict=True))
    return [
        {"kind": kind, "n": sum(one.count(kind) for one in compared), "n_all": n_all, "what": what}
        for kind, n_all, what in zip(KINDS, totals, WHOLES, strict=True)
    ]
