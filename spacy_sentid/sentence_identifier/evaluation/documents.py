"""Evaluate a pipeline on whole documents, in their own layout and in others.

documents -> another layout -> pipeline -> units and sentences -> scores by layout and kind of text
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import TypeAlias

from spacy.language import Language
from spacy.tokens import Doc

from ...components.pipelines import find
from ...components.settings import check_choice
from ...scores import summarise_scores
from ...text.units import NSU_KINDS, SU, Unit
from ..access.spans import FACTORY, read_units
from ..corpora.layout import LAYOUT_CHANGES, change_layout, join_pieces, split_document
from ..data.marked_text import MarkedDocument
from .document_scores import name_kind, score_documents

AS_IS = "as is"
COLUMNS = {
    "SU P": "su_p",
    "SU R": "su_r",
    "SU F": "su_f",
    "noise kept": "noise_kept",
    "words lost": "words_lost",
    "NSU F": "nsu_f",
    "kinds F": "nsu_kinds_f",
    "kinds right": "kind_acc",
    "starts F": "boundary_f",
}
# Layout -> kind of text, "" for all -> scores.
Report: TypeAlias = dict[str, dict[str, dict[str, float]]]


def lay_out(
    documents: Iterable[MarkedDocument], layout: str, *, seed: int = 0
) -> Iterator[MarkedDocument]:
    """Change the layout of documents.

    layout: One of LAYOUT_CHANGES, or AS_IS for no change.
    """
    check_choice("layout", layout, (AS_IS, *LAYOUT_CHANGES))
    for document in documents:
        if layout == AS_IS:
            yield document
            continue
        rng = Random(f"{seed}-{document.id}")
        pieces = split_document(document.text, document.units)
        text, units = join_pieces(change_layout(pieces, {layout: 1.0}, rng))
        yield document._replace(text=text, units=units)


def evaluate_documents(
    nlp: Language, documents: Sequence[MarkedDocument]
) -> dict[str, dict[str, float]]:
    """Run a pipeline on documents and score it; see `document_scores.score_documents`.

    If the pipeline has no sentence identifier, its sentences count as SUs.
    """
    keys = None
    if any(nlp.get_pipe_meta(name).factory == FACTORY for name in nlp.pipe_names):
        cfg = find(nlp, FACTORY).cfg
        keys = cfg["su_key"], cfg["nsu_key"]
    docs = nlp.pipe(document.text for document in documents)
    predicted = (list_predicted(doc, keys) for doc in docs)
    return score_documents(
        (gold, units, [unit.start for unit in units])
        for gold, units in zip(documents, predicted, strict=True)
    )


def list_predicted(doc: Doc, keys: tuple[str, str] | None) -> list[Unit]:
    """List the predicted units, NSUs with their kinds.

    keys: Keys of the span groups of SUs and NSUs. None = list the sentences as SUs.
    """
    if keys is None:
        bounds = []
        for sent in doc.sents:
            words = [token for token in sent if not token.is_space]
            if words:
                bounds.append((words[0].idx, words[-1].idx + len(words[-1])))
        return [Unit(*span, SU) for span in bounds]
    return read_units(doc, su_key=keys[0], nsu_key=keys[1], with_kinds=True)


def evaluate_layouts(
    nlp: Language, documents: Sequence[MarkedDocument], *, layouts: Sequence[str]
) -> Report:
    """Score a pipeline in several layouts."""
    for layout in layouts:
        check_choice("layout", layout, (AS_IS, *LAYOUT_CHANGES))
    return {layout: evaluate_documents(nlp, list(lay_out(documents, layout))) for layout in layouts}


def summarise_reports(reports: Sequence[Report]) -> dict[str, Report]:
    """Compute the "mean" of several reports and, for two or more, the sample "sd"."""
    summary: dict[str, Report] = {}
    for layout, kinds in reports[0].items():
        for kind in kinds:
            found = summarise_scores([report[layout][kind] for report in reports])
            for name, scores in found.items():
                summary.setdefault(name, {}).setdefault(layout, {})[kind] = scores
    return summary


def score_rows(summary: dict[str, Report], *, by_kind: bool = False) -> list[list[str]]:
    """Format a summary as rows of a table, in percent, with the heading first.

    by_kind: Add a row for each kind of text.
    """
    rows = [["layout", "documents", *COLUMNS]]
    for layout, kinds in summary["mean"].items():
        for kind, scores in kinds.items():
            if kind and not by_kind:
                continue
            cells = [_cell(summary, layout, kind, key) for key in COLUMNS.values()]
            rows.append([f"  {kind}" if kind else layout, f"{scores['documents']:g}", *cells])
    return rows


def nsu_kind_rows(summary: dict[str, Report]) -> list[list[str]]:
    """Format the scores of the kinds of NSU as rows of a table, in percent.

    RETURNS: Rows with the heading first; only the heading if gold has no kinds.
    """
    rows = [["layout", "kind of NSU", "number", "P", "R", "F"]]
    for layout, kinds in summary["mean"].items():
        for kind in NSU_KINDS:
            name = name_kind(kind)
            number = kinds.get("", {}).get(f"{name}_gold")
            if number:
                cells = [_cell(summary, layout, "", f"{name}_{x}") for x in "prf"]
                rows.append([layout, kind, f"{number:g}", *cells])
    return rows


def _cell(summary: dict[str, Report], layout: str, kind: str, key: str) -> str:
    text = f"{100 * summary['mean'][layout][kind][key]:.1f}"
    if "sd" in summary:
        text += f"±{100 * summary['sd'][layout][kind][key]:.1f}"
    return text
