"""The runs of the documents study, with pipelines and peers on whole documents and joined units.

Study -> training of the senter -> a run for each system and set, units, calibration -> rows
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from spacy.util import load_config

from spacy_sentid.components.pipelines import load
from spacy_sentid.conllu.treebank import find_treebank_files
from spacy_sentid.files.fingerprint import fingerprint_files, fingerprint_weights
from spacy_sentid.sentence_identifier.evaluation.documents import AS_IS
from studies.documents import measures
from studies.documents.senter import train_senter
from studies.documents.systems import SENTER, System
from studies.harness import Job, Plan, train_once
from studies.results import list_rows

# Other layouts in which the same text may occur.
LAYOUTS = (
    "wrap", "join", "one_a_line", "tighten", "loosen", "indent", "quote", "end_marks",
    "punctuation", "upper", "lower",
)  # fmt: skip


@dataclass(frozen=True)
class Study:
    """Settings of the study."""

    out: Path
    documents: Mapping[str, Path]  # name of a set -> file or folder
    models: Mapping[str, Sequence[str]]  # name -> pipelines with different seeds
    peers: tuple[str, ...] = ()
    layouts: tuple[str, ...] = (AS_IS,)
    treebank: Path | None = None  # test: units to join; train, dev: data of the senter
    segmenters: tuple[str, ...] = ()  # run before identification, see `make_segmenter`
    senter_config: Path = Path()
    senter_seeds: int = 1
    senter_steps: int = 0
    threads: int | None = None  # threads of each training; None = the default of the libraries


class Spec(NamedTuple):
    """The task of a run, its system and its data."""

    what: str  # "train", "documents", "units" or "calibration"
    system: System
    set_name: str = ""
    source: Path = Path()  # path of the set or of the treebank


def find_sets(arguments: Iterable[str]) -> dict[str, str]:
    """Read arguments like NAME=PATH for sets of documents.

    >>> find_sets(["chats=chats.jsonl"])
    {'chats': 'chats.jsonl'}
    """
    sets: dict[str, str] = {}
    for argument in arguments:
        name, _, path = argument.partition("=")
        if not name or not path or name in sets:
            raise ValueError(f"--documents must be NAME=PATH with unique NAMEs, got {argument!r}.")
        sets[name] = path
    return sets


def make_plan(study: Study) -> Plan:
    """Make the plan. Sets, models and peers may be added later."""
    sets = {name: fingerprint_files(_list_files(path)) for name, path in study.documents.items()}
    parts: dict[str, Mapping[str, Any]] = {"documents": sets}
    if study.treebank is not None:
        files = find_treebank_files(study.treebank, "test")
        parts["units"] = {study.treebank.name: fingerprint_files(files)}
    if SENTER in study.peers and study.treebank is not None:
        learned = [
            file
            for split in ("train", "dev")
            for file in find_treebank_files(study.treebank, split)
        ]
        parts[SENTER] = {
            "config": load_config(study.senter_config).to_str(),
            "treebank": fingerprint_files(learned),
            "max_steps": study.senter_steps,
        }
    return Plan(study.out, {}, parts)


def _list_files(path: Path) -> list[Path]:
    return [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())


def list_systems(study: Study) -> list[System]:
    """List our pipelines, then the peers."""
    ours = [
        System(name, seed, path)
        for name, paths in study.models.items()
        for seed, path in enumerate(paths)
    ]
    peers = []
    for name in study.peers:
        if name == SENTER:
            seeds = range(study.senter_seeds)
            peers += [System(name, seed, str(senter_path(study, seed))) for seed in seeds]
        else:
            peers.append(System(name, None))
    return [*ours, *peers]


def senter_path(study: Study, seed: int) -> Path:
    """Return the path of a trained senter."""
    return study.out / "training" / f"{SENTER}-{seed}" / "model-best"


def fingerprint_models(models: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Compute a fingerprint of the weights and settings of each pipeline, by path."""
    return {path: fingerprint_weights(load(path)) for paths in models.values() for path in paths}


def list_stages(study: Study, fingerprints: Mapping[str, str]) -> list[list[Job]]:
    """List the trainings of the senter, and then the jobs that measure the systems.

    fingerprints: See `fingerprint_models`. {} if no run is done.
    """
    systems = list_systems(study)
    trainings = [
        _make_job(Spec("train", system, source=study.treebank), leaves=(Path(system.path),))
        for system in systems
        if system.name == SENTER and study.treebank is not None
    ]
    layouts = ", ".join(study.layouts)
    measured = []
    for system in systems:
        known = {"model": fingerprints.get(system.path, "")} if not system.is_peer else {}
        for name, path in study.documents.items():
            measured_with = {**known, "layouts": layouts}
            measured.append(_make_job(Spec("documents", system, name, path), measured_with))
        if system.is_peer:
            continue
        if study.treebank is not None:
            segmenters = {"segmenters": ", ".join(study.segmenters)}
            spec = Spec("units", system, source=study.treebank)
            measured.append(_make_job(spec, {**known, **segmenters}))
        sets = {"layouts": layouts, "sets": ", ".join(study.documents)}
        measured.append(_make_job(Spec("calibration", system), {**known, **sets}))
    return [trainings, measured]


def _make_job(
    spec: Spec, measured_with: Mapping[str, str] | None = None, leaves: tuple[Path, ...] = ()
) -> Job:
    seed = spec.system.seed or 0
    name = "-".join(filter(None, [spec.what, spec.set_name, spec.system.name, str(seed)]))
    return Job(re.sub(r"[^\w.-]+", "_", name), seed, spec, measured_with or {}, leaves)


def run_job(study: Study, job: Job) -> dict[str, Any]:
    """Train a senter, or measure a system."""
    what, system, set_name, source = job.spec
    if what == "train":
        train = partial(
            train_senter, source, study.senter_config,
            seed=job.seed, max_steps=study.senter_steps, threads=study.threads,
        )  # fmt: skip
        trained = train_once(Path(system.path).parent, train)
        return {"rows": list_rows(SENTER, job.seed, {"what": "training"}, trained)}
    if what == "documents":
        rows = measures.measure_documents(system, set_name, source, layouts=study.layouts)
    elif what == "units":
        rows = measures.measure_units(system, source, segmenters=study.segmenters)
    else:
        rows = measures.measure_calibration(system, study.documents, layouts=study.layouts)
    return {"rows": rows}
