"""Comparison of our weights with other splitters in several languages.

language -> everyday documents, units of a treebank joined by spaces, its paragraphs -> rows
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.language import Language
from spacy.util import load_config

from spacy_sentid.components.pipelines import IDENTIFIER_BATCH, load
from spacy_sentid.conllu.treebank import find_treebank_files, read_treebank
from spacy_sentid.files.fingerprint import fingerprint_files, fingerprint_weights
from spacy_sentid.pretrained import AUTO
from spacy_sentid.sentence_identifier.access.units import FACTORY
from spacy_sentid.sentence_identifier.data.convert import label_units
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.text.units import Unit
from studies.documents.measures import choose_names
from studies.documents.systems import (
    PYSBD,
    System,
    has_pysbd_rules,
    knows_nsus,
    load_system,
    score_system,
)
from studies.documents.tables import OVERVIEW
from studies.harness import Job, Plan, find_corpus
from studies.results import Line, Results, Row, Table, list_rows

EVERYDAY, JOINED, PARAGRAPHS = "everyday", "UD, joined by spaces", "UD, paragraphs"
SETS = (EVERYDAY, JOINED, PARAGRAPHS)
# Placeholder for the language in the path of a model.
LANG = "{lang}"
# Number of units that are joined into one text.
N_JOINED = 10
ENGLISH_TREEBANK = "ud/UD_English-EWT"
SCORES = (
    "su_p", "su_r", "su_f", "boundary_f", "noise_kept", "words_lost", "nsu_f", "kind_acc",
)  # fmt: skip


# Columns of the tables.
SHOWN = ("su_f", "boundary_f", "noise_kept", "words_lost", "nsu_f", "kind_acc")


@dataclass(frozen=True)
class Study:
    """Settings of the study."""

    out: Path
    langs: tuple[str, ...]
    everyday: Path  # folder with the splits of English, and a folder for each other language
    treebanks: str  # folder with a treebank for each language but English, may be in $SENTID_DATA
    split: str
    models: Mapping[str, Sequence[str]]  # name -> pipelines with different seeds
    peers: tuple[str, ...] = ()


class Spec(NamedTuple):
    """The system and the language of a run."""

    system: System
    lang: str


def list_files(study: Study, lang: str) -> dict[str, list[Path]]:
    """List the documents and the files of the treebank of a language."""
    folder = study.everyday / study.split if lang == "en" else study.everyday / lang / study.split
    treebank = find_corpus(ENGLISH_TREEBANK if lang == "en" else f"{study.treebanks}/{lang}")
    return {
        "everyday": sorted(folder.glob("*.txt")),
        "treebank": find_treebank_files(treebank, study.split),
    }


def make_plan(study: Study) -> Plan:
    """Make the plan. Languages, models and peers may be added later."""
    files = {lang: list_files(study, lang) for lang in study.langs}
    parts = {
        lang: {name: fingerprint_files(paths) for name, paths in found.items()}
        for lang, found in files.items()
    }
    return Plan(study.out, {"split": study.split}, {"languages": parts})


def list_jobs(study: Study, *, only_tables: bool) -> list[Job]:
    """List a run for each language and each system that supports it.

    only_tables: Do not compute fingerprints of weights, because no run will be done.
    """
    systems = [
        System(name, seed, path)
        for name, paths in study.models.items()
        for seed, path in enumerate(paths)
    ] + [System(name, None) for name in study.peers]
    jobs = []
    for lang in study.langs:
        for system in systems:
            if system.name == PYSBD and not has_pysbd_rules(lang):
                continue
            found = system._replace(path=system.path.replace(LANG, lang))
            if LANG in system.path and not Path(found.path).exists():
                continue
            known = {}
            if not (system.is_peer or only_tables):
                known["model"] = fingerprint_weights(load_in_language(found, lang))
            seed = system.seed or 0
            jobs.append(Job(f"{lang}-{system.name}-{seed}", seed, Spec(found, lang), known))
    return jobs


def load_in_language(system: System, lang: str) -> Language:
    """Load a peer, or the weights of a pipeline into a pipeline of another language.

    The path of a system is a folder, or "auto" for the bundled weights of the language.
    """
    if system.is_peer:
        return load_system(system, lang)
    if system.path == AUTO:
        return load(lang)
    config = load_config(Path(system.path) / "config.cfg")
    nlp = spacy.blank(lang)
    model = config["components"][FACTORY]["model"]
    nlp.add_pipe(FACTORY, config={"pretrained": system.path, "model": model})
    nlp.batch_size = IDENTIFIER_BATCH
    return nlp


def run_job(study: Study, job: Job) -> dict[str, Any]:
    """Measure a system on all sets of a language."""
    system, lang = job.spec
    nlp = None if system.name == PYSBD else load_in_language(system, lang)
    rows: list[Row] = []
    for name, documents in read_sets(study, lang):
        scores = score_system(nlp, documents, lang)[""]
        shown = choose_names(scores, SCORES, with_nsus=knows_nsus(nlp))
        place = {"lang": lang, "set": name}
        rows += list_rows(system.name, system.seed, place, {name: scores[name] for name in shown})
    return {"rows": rows}


def read_sets(study: Study, lang: str) -> Iterator[tuple[str, list[GoldDocument]]]:
    """Read the sets of a language."""
    nlp = spacy.blank(lang)
    files = list_files(study, lang)
    yield EVERYDAY, [doc for path in files["everyday"] for doc in read_documents(path, nlp)]
    yield JOINED, [doc for path in files["treebank"] for doc in join_units(path)]
    yield (
        PARAGRAPHS,
        [
            doc
            for path in files["treebank"]
            for doc in read_documents(path, spacy.blank("xx"), ignore_list_marks=True)
        ],
    )


def join_units(path: Path) -> Iterator[GoldDocument]:
    """Join the units of a treebank with spaces, N_JOINED at a time, in their order."""
    labelled = list(label_units(read_treebank(path), ignore_list_marks=True))
    for first in range(0, len(labelled), N_JOINED):
        text, units = "", []
        for unit, label in labelled[first : first + N_JOINED]:
            start = len(text) + bool(text)
            text = f"{text} {unit.text}" if text else unit.text
            units.append(Unit(start, len(text), label))
        yield GoldDocument(text, units, f"{path.stem}-{first}")


def make_results(study: Study, plan: Plan, rows: Sequence[Row], *, command: str) -> Results:
    """Make the results, with a table for each set."""
    systems = [*study.models, *study.peers]
    columns = [column for column in OVERVIEW if column.metric in SHOWN]
    measured = {(row.system, row.setting["lang"]) for row in rows}
    tables = [
        Table(
            title=name,
            heads=["language", "system"],
            lines=[
                Line(labels=[lang, system], system=system, setting={"lang": lang, "set": name})
                for lang in study.langs
                for system in systems
                if (system, lang) in measured
            ],
            columns=columns,
        )
        for name in SETS
    ]
    return Results(
        study="multilingual",
        title="Sentences in several languages",
        about=[
            "Percent; mean±sd over the seeds of a recipe. SU, NSU: exact spans. Starts: starts of "
            "units and of sentences, except the first of a text. Noise kept: share of the words of "
            "NSUs that are predicted inside SUs. Words lost: share of the words of SUs that are "
            "predicted outside of SUs. Kinds right: share of NSUs that are mostly inside predicted "
            "units of their kind. If a system finds no NSUs, each of its sentences counts as an "
            f"SU. Joined: {N_JOINED} units of the treebank at a time, in their order."
        ],
        command=command,
        settings=plan.to_dict(),
        tables=tables,
        rows=list(rows),
    )
