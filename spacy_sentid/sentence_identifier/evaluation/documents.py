"""Evaluate a pipeline on whole documents, in their own layout and in others.

documents -> another layout -> pipeline -> units and sentences -> scores by layout and kind of text
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, TypeAlias

from spacy.language import Language
from spacy.tokens import Doc

from ...components.pipelines import list_factories
from ...components.settings import check_choice
from ...text.units import NSU_KINDS, SU, Unit, trim_span
from ..access.units import FACTORY, find_span_keys, units_from_doc
from ..corpora.layout import LAYOUT_CHANGES, change_layout, join_pieces, split_document
from ..data.gold_document import GoldDocument
from .scorer import score_documents

AS_IS = "as is"
PER_TYPE = "spans_nsu_per_type"
COLUMNS = {
    "SU P": "su_p",
    "SU R": "su_r",
    "SU F": "su_f",
    "noise kept": "noise_kept",
    "words lost": "words_lost",
    "NSU F": "nsu_f",
    "kinds F": "nsu_kinds_f",
    "kinds right": "spans_nsu_kind_acc",
    "starts F": "boundary_f",
}
# Layout -> kind of text, "" for all -> scores.
Report: TypeAlias = dict[str, dict[str, dict[str, Any]]]


def lay_out(
    documents: Iterable[GoldDocument], layout: str, *, seed: int = 0
) -> Iterator[GoldDocument]:
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
    nlp: Language, documents: Sequence[GoldDocument]
) -> dict[str, dict[str, Any]]:
    """Run a pipeline on documents and score it; see `scorer.score_documents`.

    If the pipeline has no sentence identifier, its sentences count as SUs.
    """
    has_identifier = FACTORY in list_factories(nlp)
    keys = find_span_keys(nlp) if has_identifier else None
    docs = nlp.pipe(document.text for document in documents)
    return score_documents(documents, (list_predicted(doc, keys) for doc in docs))


def list_predicted(doc: Doc, keys: tuple[str, str] | None) -> list[Unit]:
    """List the predicted units, NSUs with their kinds.

    keys: Keys of the span groups of SUs and NSUs. None = list the sentences as SUs.
    """
    if keys is not None:
        return units_from_doc(doc, keys)
    bounds = (trim_span(doc.text, sent.start_char, sent.end_char) for sent in doc.sents)
    return [Unit(start, end, SU) for start, end in bounds if start < end]


def evaluate_layouts(
    nlp: Language, documents: Sequence[GoldDocument], *, layouts: Sequence[str]
) -> Report:
    """Score a pipeline in several layouts."""
    for layout in layouts:
        check_choice("layout", layout, (AS_IS, *LAYOUT_CHANGES))
    return {layout: evaluate_documents(nlp, list(lay_out(documents, layout))) for layout in layouts}


def tabulate_scores(summary: dict[str, Report], *, by_kind: bool = False) -> list[list[str]]:
    """Format a summary as rows of a table, in percent, with the heading first.

    by_kind: Add a row for each kind of text.
    """
    rows = [["layout", "documents", *COLUMNS]]
    for layout, kinds in summary["mean"].items():
        for kind, scores in kinds.items():
            if not kind or by_kind:
                name = f"  {kind}" if kind else layout
                sd = summary.get("sd", {}).get(layout, {}).get(kind)
                cells = [_format_score(key, scores, sd) for key in COLUMNS.values()]
                rows.append([name, f"{scores['documents']:g}", *cells])
    return rows


def nsu_kind_rows(summary: dict[str, Report]) -> list[list[str]]:
    """Format the scores of the kinds of NSU as rows of a table, in percent.

    RETURNS: Rows with the heading first; only the heading if gold has no kinds.
    """
    rows = [["layout", "kind of NSU", "number", "P", "R", "F"]]
    for layout, kinds in summary["mean"].items():
        found = kinds.get("", {}).get(PER_TYPE, {})
        for kind in NSU_KINDS:
            if found.get(kind, {}).get("gold"):
                sd = summary["sd"][layout][""][PER_TYPE][kind] if "sd" in summary else None
                cells = [_format_score(letter, found[kind], sd) for letter in "prf"]
                rows.append([layout, kind, f"{found[kind]['gold']:g}", *cells])
    return rows


def _format_score(name: str, scores: dict[str, Any], sd: dict[str, Any] | None) -> str:
    if name not in scores:
        return "-"
    text = f"{100 * scores[name]:.1f}"
    return text if sd is None else f"{text}±{100 * sd[name]:.1f}"
