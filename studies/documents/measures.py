"""The measures of the documents study.

sets of documents -> scores by layout and kind of text; units of a treebank, joined or after a
segmenter -> scores of the paper; sets of documents -> calibration errors
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import spacy

from spacy_sentid.conllu.treebank import find_treebank_files
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.calibration import judge_scores
from spacy_sentid.sentence_identifier.evaluation.documents import (
    AS_IS,
    PER_TYPE,
    evaluate_documents,
    lay_out,
)
from spacy_sentid.text.units import NSU_KINDS
from studies.documents.systems import PYSBD, System, knows_nsus, load_system, score_system
from studies.identifier.calibration import expected_calibration_error
from studies.identifier.ersatz import make_segmenter
from studies.identifier.postprocess import Setting, assemble_setting, read_labelled_documents
from studies.results import Row, list_rows

MIXED = "mixed"
# Scores of NSUs, and of their kinds, which not all gold documents have.
OF_NSUS = ("nsu_p", "nsu_r", "nsu_f")
OF_KINDS = ("nsu_kinds_p", "nsu_kinds_r", "nsu_kinds_f", "kind_acc")
SCORES = (
    "su_p", "su_r", "su_f", "boundary_p", "boundary_r", "boundary_f", "noise_kept",
    "words_lost", "blank_lines", *OF_NSUS, *OF_KINDS,
)  # fmt: skip
# Scores of each kind of text.
BY_KIND = (
    "su_f", "boundary_f", "noise_kept", "words_lost", "nsu_f", "nsu_kinds_f",
    "kind_acc",
)  # fmt: skip
UNIT_SCORES = ("bio_macro_f", "bio_weighted_f", "spans_su_f", "spans_nsu_f")
# Ways to join units: p_CC, separator, random seeds. With p_CC = 0, nothing is random.
JOINED = (
    (0.5, "space", (1, 2, 3)), (0.0, "space", (1,)), (0.5, "line", (1, 2, 3)), (0.0, "line", (1,)),
)  # fmt: skip


def read_set(path: Path) -> list[GoldDocument]:
    """Read a set of documents with their kinds of text.

    If no document has a genre, the kind is taken from ids like "weblog-blogspot.com_..." in EWT.
    The list marks that GUM annotates do not become SUs.
    """
    documents = list(read_documents(path, spacy.blank("en"), ignore_list_marks=True))
    if any(document.genre for document in documents):
        return documents
    found = [re.match(r"([a-z]+)-", document.id) for document in documents]
    return [
        document._replace(genre=match[1] if match else "")
        for document, match in zip(documents, found, strict=True)
    ]


def measure_documents(
    system: System, set_name: str, path: Path, *, layouts: Sequence[str]
) -> list[Row]:
    """Score a system on a set of documents in all layouts, and by kind of text in the original."""
    nlp = None if system.name == PYSBD else load_system(system)
    documents = read_set(path)
    rows = []
    for layout in layouts:
        by_kind = score_system(nlp, list(lay_out(documents, layout)))
        for kind, scores in by_kind.items():
            if kind and layout != AS_IS:
                continue
            place = {"set": set_name, "layout": layout, **({"kind": kind} if kind else {})}
            # All seeds have the same number of documents, so only the first lists it.
            numbers = ("documents",) if not system.seed else ()
            names = choose_names(
                scores, (*numbers, *(BY_KIND if kind else SCORES)), with_nsus=knows_nsus(nlp)
            )
            shown = {name: scores[name] for name in names}
            rows += list_rows(system.name, system.seed, place, shown)
            if knows_nsus(nlp) and not kind:
                rows += list_kind_rows(system, place, scores)
    return rows


def choose_names(scores: Mapping[str, Any], names: Iterable[str], *, with_nsus: bool) -> list[str]:
    """Choose the scores to show.

    Scores of NSUs are omitted for systems that find none. Scores of kinds are omitted if the gold
    documents have no kinds.
    """
    with_kinds = with_nsus and PER_TYPE in scores
    hidden = {*([] if with_nsus else OF_NSUS), *([] if with_kinds else OF_KINDS)}
    return [name for name in names if name not in hidden]


def list_kind_rows(
    system: System, place: Mapping[str, str], scores: Mapping[str, Any]
) -> list[Row]:
    """List p, r and f of each gold kind of NSU, and for the first seed also their number."""
    names = ("p", "r", "f") if system.seed else ("gold", "p", "r", "f")
    rows = []
    for kind in NSU_KINDS:
        of_kind = scores.get(PER_TYPE, {}).get(kind, {})
        found = {name: of_kind.get(name) if of_kind.get("gold") else None for name in names}
        rows += list_rows(system.name, system.seed, {**place, "nsu": kind}, found)
    return rows


def measure_units(system: System, treebank: Path, *, segmenters: Sequence[str]) -> list[Row]:
    """Score a pipeline on the test units, joined and after segmenters (section 6.2)."""
    nlp = load_system(system)
    documents = read_labelled_documents(find_treebank_files(treebank, "test"))

    def score(setting: Setting, **options: Any) -> dict[str, float]:
        texts = assemble_setting(documents, setting, **options)
        found = evaluate_documents(nlp, texts)[""]
        return {name: found[name] for name in UNIT_SCORES}

    rows = []
    for p_cc, layout, seeds in JOINED:
        runs = [score(Setting(p_cc=p_cc), seed=seed, layout=layout) for seed in seeds]
        means = {name: fmean(run[name] for run in runs) for name in UNIT_SCORES}
        rows += list_rows(system.name, system.seed, {"p_cc": p_cc, "joined": layout}, means)
    for name in segmenters:
        scores = score(Setting(segmenter=name), segmenter=make_segmenter(name))
        rows += list_rows(system.name, system.seed, {"segmenter": name}, scores)
    return rows


def measure_calibration(
    system: System, sets: Mapping[str, Path], *, layouts: Sequence[str]
) -> list[Row]:
    """Measure the calibration error on each original set, and on all sets in all layouts."""
    nlp = load_system(system)
    pooled: dict[str, list[tuple[Any, Any]]] = {}
    rows = []
    for set_name, path in sets.items():
        documents = read_set(path)
        for layout in layouts:
            found = judge_scores(nlp, list(lay_out(documents, layout)))
            for name, pair in found.items():
                pooled.setdefault(name, []).append(pair)
            if layout == AS_IS:
                errors = {name: expected_calibration_error(*pair) for name, pair in found.items()}
                rows += list_rows(system.name, system.seed, {"texts": set_name}, errors)
    errors = {
        name: expected_calibration_error(*map(np.concatenate, zip(*pairs, strict=True)))
        for name, pairs in pooled.items()
    }
    return rows + list_rows(system.name, system.seed, {"texts": MIXED}, errors)
