"""Render a page that compares gold and prediction: errors by kind, worst documents, marked texts.

views with gold -> errors -> tables, articles -> errors.html
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..sentence_identifier.scorer import score_kinds, score_units
from ..units import Unit
from .error_types import KIND, KINDS, NAMES, Totals, find_errors
from .page import format_count, make_page
from .pages import FIXED, PROBS, SCORES, list_kinds, make_article
from .reading import DocumentView
from .units import Mark

N_WORST = 10
SHOWN_SCORES = (
    ("SU spans, F1", "spans_su_f"),
    ("Merged NSUs, F1", "spans_nsu_f"),
    ("B, I, O, macro F1", "bio_macro_f"),
    ("Kinds of NSUs, accuracy", "spans_nsu_kind_acc"),
)
# The denominators of the shares of errors by kind, in the order of Totals.
WHOLES = (
    "NSUs of gold, or parts",
    "predicted NSUs, or parts",
    "boundaries of either",
    "NSUs with a kind, same in both",
)


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


def make_error_page(
    title: str, documents: Sequence[DocumentView], *, lang: str = "", note: str = ""
) -> str:
    """Render the page of documents with gold; see `pages.make_document_page`."""
    compared = []
    for n, view in enumerate(documents, start=1):
        pred = [Unit(*unit[:2], unit.kind or unit.label) for unit in view.units]
        found = find_errors(view.text, view.gold or [], pred)
        compared.append(ComparedDocument(n, view, pred, *found))
    has_probs = any(view.probs is not None for view in documents)
    worst = [one for one in compared if one.errors]
    worst.sort(key=lambda one: (-len(one.errors), len(one.pred)))
    pairs = [(one.view.text, one.view.gold or [], one.pred) for one in compared]
    scores = score_units(pairs) | score_kinds(pairs)
    has_kinds = any(one.totals.kinds for one in compared)
    shown = [kind for kind in KINDS if kind != KIND or has_kinds]
    switches = [(f"{kind}-on", NAMES[kind][0].upper() + NAMES[kind][1:], True) for kind in shown]
    return make_page(
        title,
        template="errors.html",
        documents=[_make_article(one, lang=lang) for one in compared],
        index_title=f"{len(documents):,} documents · errors",
        kinds=_count_kinds(compared)[: len(shown)],
        names=NAMES,
        shown=shown,
        shown_names=[NAMES[kind] for kind in shown],
        nsu_kinds=list_kinds(documents),
        note=note,
        scores=[(name, scores[key]) for name, key in SHOWN_SCORES if key in scores],
        toggles=[*switches, SCORES, *[PROBS] * has_probs, FIXED],
        worst=worst[:N_WORST],
    )


def _make_article(one: ComparedDocument, *, lang: str) -> dict[str, object]:
    n = len(one.errors)
    counts = format_count(n, "error") if n else "no error"
    return make_article(one.number, one.view, counts, f"{n or ''}", lang=lang, marks=one.errors)


def _count_kinds(compared: Sequence[ComparedDocument]) -> list[dict[str, Any]]:
    """Count the errors of each kind, and the total that they are a share of."""
    totals = map(sum, zip(Totals(0, 0, 0), *(one.totals for one in compared), strict=True))
    return [
        {"kind": kind, "n": sum(one.count(kind) for one in compared), "n_all": n_all, "what": what}
        for kind, n_all, what in zip(KINDS, totals, WHOLES, strict=True)
    ]
