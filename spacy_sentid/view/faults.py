"""A page of gold against prediction: errors by kind, the worst documents, all texts with marks.

views with gold -> faults -> tables, articles -> page
"""

from collections.abc import Sequence
from typing import NamedTuple

from ..sentence_identifier.scorer import score_units
from ..units import Unit
from .comparison import KINDS, MISSED, MOVED, NAMES, Fault, Totals, count_totals, find_faults
from .controls import FIXED, PROBS, Slider, Toggle, write_controls, write_table
from .documents import with_index, write_article
from .escaping import escape_text, isolate
from .page import make_page
from .reading import DocumentView
from .units import Mark, render_text

N_WORST = 10
SHOWN_SCORES = (
    ("SU spans, F1", "spans_su_f"),
    ("NSU runs, F1", "spans_nsu_f"),
    ("B, I, O, macro F1", "bio_macro_f"),
)


def _capitalize(name: str) -> str:
    return name[0].upper() + name[1:]


SHOW_KINDS = [Toggle(f"{kind}-on", _capitalize(NAMES[kind]), on=True) for kind in KINDS]


class Compared(NamedTuple):
    """A document with its errors."""

    view: DocumentView
    faults: list[Fault]
    totals: Totals

    def count(self, kind: str) -> int:
        """Count the errors of a kind."""
        return sum(fault.kind == kind for fault in self.faults)


def compare_views(documents: Sequence[DocumentView]) -> list[Compared]:
    """Find the errors of documents that have gold."""
    compared = []
    for view in documents:
        gold, pred = view.gold or [], [Unit(*unit[:3]) for unit in view.units]
        faults = find_faults(view.text, gold, pred)
        compared.append(Compared(view, faults, count_totals(view.text, gold, pred)))
    return compared


def make_fault_page(
    title: str, documents: Sequence[DocumentView], *, lang: str = "", note: str = ""
) -> str:
    """Write the page of documents with gold; see `documents.make_document_page`."""
    compared = compare_views(documents)
    has_probs = any(view.probs is not None for view in documents)
    toggles = [*SHOW_KINDS, *([PROBS] if has_probs else []), FIXED]
    parts = [
        write_controls(slider=Slider("Score below"), toggles=toggles, jump="error"),
        f'<p class="lead">The units are the predicted ones; what differs from gold is marked. '
        f"{escape_text(note)}</p>",
        '<div class="tables">',
        write_kinds(compared),
        write_scores(documents),
        "</div>",
        write_worst(compared),
    ]
    articles = "".join(write_compared(one, n, lang=lang) for n, one in enumerate(compared, start=1))
    notes = [f"{len(one.faults) or ''}" for one in compared]
    parts.append(with_index(articles, documents, notes, what="errors"))
    classes = " ".join(toggle.name for toggle in SHOW_KINDS)
    return make_page(title, f'<div class="faults {classes}" id="faults">{"".join(parts)}</div>')


def write_compared(one: Compared, number: int, *, lang: str = "") -> str:
    """Write one document with its errors marked."""
    marks = [Mark(*fault) for fault in one.faults]
    text = render_text(one.view.text, one.view.units, probs=one.view.probs, marks=marks, lang=lang)
    return write_article(one.view, number, counts=tell_faults(one), text=text)


def tell_faults(one: Compared) -> str:
    """Tell how many errors there are."""
    n = len(one.faults)
    return "no error" if not n else f"{n:,} error{'s' * (n > 1)}"


def write_kinds(compared: Sequence[Compared]) -> str:
    """Write the table of errors by kind."""
    counts = [one.totals for one in compared]
    totals = Totals(*map(sum, zip(Totals(0, 0, 0), *counts, strict=True)))
    of = {
        MISSED: (totals.gold_nsu, "NSUs of gold, or parts"),
        MOVED: (totals.borders, "borders of either"),
    }
    rows = []
    for kind in KINDS:
        n_all, what = of.get(kind, (totals.pred_nsu, "predicted NSUs, or parts"))
        n = sum(one.count(kind) for one in compared)
        share = f"{100 * n / n_all:.1f} %" if n_all else "–"
        rows.append([f'<span class="key {kind}">{NAMES[kind]}</span>', f"{n:,}", share, what])
        rows[-1][3] = f"of {n_all:,} {what}"
    return write_table(["kind", "errors", "share", ""], rows, caption="Errors by kind")


def write_scores(documents: Sequence[DocumentView]) -> str:
    """Write the table of scores over all documents."""
    scores = score_units(
        (view.text, view.gold or [], [Unit(*unit[:3]) for unit in view.units]) for view in documents
    )
    rows = [[name, f"{100 * scores[key]:.1f}"] for name, key in SHOWN_SCORES]
    return write_table(["score", "%"], rows, caption="Scores")


def write_worst(compared: Sequence[Compared]) -> str:
    """Write the table of the documents with most errors."""
    if not compared:
        return ""
    numbered = [(n, one) for n, one in enumerate(compared, start=1) if one.faults]
    numbered.sort(key=lambda item: (-len(item[1].faults), len(item[1].view.units), item[0]))
    rows = []
    for n, one in numbered[:N_WORST]:
        n_units = len(one.view.units)
        rate = 100 * len(one.faults) / max(n_units, 1)
        rows.append(
            [
                f'<a href="#d{n}">{isolate(one.view.name)}</a>',
                f"{len(one.faults):,}",
                *(f"{one.count(kind):,}" for kind in KINDS),
                f"{n_units:,}",
                f"{rate:.0f}",
            ]
        )
    if not rows:
        return "<p>No document has an error.</p>"
    heading = ["document", "errors", *(NAMES[kind] for kind in KINDS), "units", "per 100 units"]
    return write_table(heading, rows, caption="Worst documents")
