"""A page of gold against prediction: errors by kind, the worst documents, all texts with marks.

views with gold -> errors -> tables, articles -> errors.html
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from ..sentence_identifier.scorer import score_units
from ..units import Unit
from .error_types import KINDS, MISSED, MOVED, NAMES, Totals, UnitError, count_totals, find_errors
from .page import make_page
from .pages import FIXED, PROBS, Article
from .reading import DocumentView
from .units import Mark, render_text

N_WORST = 10
SHOWN_SCORES = (
    ("SU spans, F1", "spans_su_f"),
    ("Merged NSUs, F1", "spans_nsu_f"),
    ("B, I, O, macro F1", "bio_macro_f"),
)
SHOW_KINDS = [(f"{kind}-on", NAMES[kind][0].upper() + NAMES[kind][1:], True) for kind in KINDS]


class ComparedDocument(NamedTuple):
    """A document with its errors."""

    view: DocumentView
    pred: list[Unit]
    errors: list[UnitError]

    def count(self, kind: str) -> int:
        """Count the errors of a kind."""
        return sum(error.kind == kind for error in self.errors)


def make_error_page(
    title: str, documents: Sequence[DocumentView], *, lang: str = "", note: str = ""
) -> str:
    """Write the page of documents with gold; see `pages.make_document_page`."""
    compared = []
    for view in documents:
        pred = [Unit(*unit[:3]) for unit in view.units]
        compared.append(ComparedDocument(view, pred, find_errors(view.text, view.gold or [], pred)))
    has_probs = any(view.probs is not None for view in documents)
    return make_page(
        title,
        template="errors.html",
        documents=[_make_article(one, n, lang=lang) for n, one in enumerate(compared, start=1)],
        index_title=f"{len(documents):,} documents · errors",
        kinds=_count_kinds(compared),
        note=note,
        scores=_score(compared),
        toggles=[*SHOW_KINDS, *[PROBS] * has_probs, FIXED],
        worst=_find_worst(compared),
    )


def _make_article(one: ComparedDocument, number: int, *, lang: str) -> Article:
    view, n = one.view, len(one.errors)
    marks = [Mark(*error) for error in one.errors]
    text = render_text(view.text, view.units, probs=view.probs, marks=marks, lang=lang)
    counts = f"{n:,} error{'s' * (n > 1)}" if n else "no error"
    return Article(f"d{number}", view.name, counts, text, f"{n or ''}")


def _count_kinds(compared: Sequence[ComparedDocument]) -> list[dict[str, Any]]:
    """List the errors by kind, and what they are shares of."""
    counts = [count_totals(one.view.text, one.view.gold or [], one.pred) for one in compared]
    totals = Totals(*map(sum, zip(Totals(0, 0, 0), *counts, strict=True)))
    of = {
        MISSED: (totals.gold_nsu, "NSUs of gold, or parts"),
        MOVED: (totals.boundaries, "boundaries of either"),
    }
    rows = []
    for kind in KINDS:
        n = sum(one.count(kind) for one in compared)
        n_all, what = of.get(kind, (totals.pred_nsu, "predicted NSUs, or parts"))
        share = f"{100 * n / n_all:.1f} %" if n_all else "–"
        name = NAMES[kind]
        rows.append(
            {"kind": kind, "name": name, "n": n, "share": share, "n_all": n_all, "what": what}
        )
    return rows


def _score(compared: Sequence[ComparedDocument]) -> list[tuple[str, str]]:
    """Score all documents together."""
    scores = score_units((one.view.text, one.view.gold or [], one.pred) for one in compared)
    return [(name, f"{100 * scores[key]:.1f}") for name, key in SHOWN_SCORES]


def _find_worst(compared: Sequence[ComparedDocument]) -> list[dict[str, Any]]:
    """List the documents with most errors."""
    numbered = [(n, one) for n, one in enumerate(compared, start=1) if one.errors]
    numbered.sort(key=lambda item: (-len(item[1].errors), len(item[1].pred), item[0]))
    return [
        {
            "id": f"d{n}",
            "name": one.view.name,
            "n_errors": len(one.errors),
            "n_by_kind": [one.count(kind) for kind in KINDS],
            "n_units": len(one.pred),
            "rate": f"{100 * len(one.errors) / max(len(one.pred), 1):.0f}",
        }
        for n, one in numbered[:N_WORST]
    ]
