"""Train the paper's systems and ours, and measure them.

treebanks -> Domains -> jobs (domain, system, seed) -> `spacy train` -> scores -> rows
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.util import load_config
from thinc.api import Config

from spacy_sentid.conllu.treebank import find_treebank_files
from spacy_sentid.files.fingerprint import fingerprint_files
from spacy_sentid.sentence_identifier.data.convert import convert_treebank, write_docs
from studies import training
from studies.harness import Job, Plan, train_once
from studies.identifier import registered, unidirectional
from studies.identifier.augmented import convert_augmented
from studies.identifier.baselines import evaluate_decoding
from studies.identifier.ersatz import make_segmenter
from studies.identifier.postprocess import (
    LabelledUnits,
    Setting,
    assemble_setting,
    read_labelled_documents,
)
from studies.identifier.systems import (
    CORPORA,
    IN_DOMAIN,
    SYSTEMS,
    UNIDIRECTIONAL_WEIGHTS,
    System,
    training_overrides,
)
from studies.results import Row, list_rows

# Segmenters that run before the identifier in the postprocess setting.
SEGMENTERS = ("sentencizer", "rule_sentencizer")


class Domain(NamedTuple):
    """A corpus to train on, with its evaluation texts and their settings."""

    name: str
    folder: Path  # folder with train.spacy and dev.spacy, which the study writes
    max_steps: int | None  # for the paper's systems only; None = as in their config
    ours: Path  # our config for this corpus
    test: list[LabelledUnits]
    settings: tuple[Setting, ...]
    fingerprint: str = ""  # fingerprint of the files of the treebank
    n_seeds: int = 1  # number of runs of each system
    augmented: Path | None = None  # like `folder`, for the augmented treebank
    measured: str = "test"  # the split to evaluate on


@dataclass(frozen=True)
class Study:
    """Settings of the study."""

    out: Path
    domains: tuple[Domain, ...]
    paper_config: Path
    systems: tuple[str, ...]
    lang: str = "en"
    # Separator between the units of evaluation texts. If it is not "space", training texts use it
    # too.
    layout: str = "space"
    gpu_id: int = -1
    # Overrides for each config that has the block of the setting.
    overrides: Mapping[str, Any] = field(default_factory=dict)
    threads: int | None = None  # threads of each run; None = the default of the libraries


class Spec(NamedTuple):
    """The domain and the system of a run."""

    domain: Domain
    system: str


def prepare_domain(
    out: Path,
    name: str,
    folder: Path,
    *,
    all_su: bool,
    max_steps: int | None,
    ours: Path,
    lang: str,
    segmenters: Sequence[str],
    n_seeds: int,
    augment: bool = False,
    measured: str = "test",
) -> Domain:
    """Convert train and dev of a treebank, and read the split to evaluate on.

    all_su: All units are sentences. The corpus is evaluated as in Table 13, without postprocessing.
    segmenters: See `make_segmenter`.
    augment: Also make the augmented treebank.
    measured: The split to evaluate on. Use "dev" to analyze errors.
    Raises ValueError if there is no such segmenter.
    """
    for segmenter in segmenters:  # fails before the trainings
        make_segmenter(segmenter, lang=lang)
    files = {split: find_treebank_files(folder, split) for split in ("train", "dev", "test")}
    fingerprint = fingerprint_files(path for paths in files.values() for path in paths)
    # The fingerprint in the name prevents the use of files converted from another treebank.
    corpus = out / "corpus" / f"{name}-{lang}-{fingerprint[:12]}"
    nlp = spacy.blank(lang)
    for split in ("train", "dev"):
        converted = corpus / f"{split}.spacy"
        if not converted.exists():
            docs = (
                doc for path in files[split] for doc in convert_treebank(path, nlp, all_su=all_su)
            )
            write_docs(docs, converted)
    augmented = convert_augmented(files, corpus, nlp) if augment else None
    test = read_labelled_documents(files[measured], all_su=all_su)
    settings = [Setting(p_cc=0.5), Setting(p_cc=0.0)]
    if not all_su:
        settings += [Setting(segmenter=segmenter) for segmenter in segmenters]
    return Domain(
        name, corpus, max_steps, ours, test, tuple(settings), fingerprint, n_seeds, augmented,
        measured,
    )  # fmt: skip


def make_plan(study: Study) -> Plan:
    """Make the plan. Systems and seeds may be added later."""
    settings = {
        "paper_config": load_config(study.paper_config).to_str(),
        "lang": study.lang,
        "layout": study.layout,
        "overrides": {name: _describe(value) for name, value in study.overrides.items()},
        "domains": {
            domain.name: {
                "fingerprint": domain.fingerprint,
                "max_steps": domain.max_steps,
                "ours": load_config(domain.ours).to_str(),
                "settings": [[setting.p_cc, setting.segmenter] for setting in domain.settings],
                **({"measured": domain.measured} if domain.measured != "test" else {}),
            }
            for domain in study.domains
        },
    }
    return Plan(study.out, settings)


def _describe(value: Any) -> Any:
    """Describe a local folder by its last two names and a fingerprint. Keep other values."""
    folder = Path(value) if isinstance(value, str) else None
    if folder is None or not folder.is_dir():
        return value
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return f"{'/'.join(folder.absolute().parts[-2:])} ({fingerprint_files(files)})"


def list_jobs(study: Study) -> list[Job]:
    """List all runs, seed by seed, so that an interrupted study has some complete seeds.

    Systems for the augmented treebank are skipped in domains without one.
    """
    return [
        Job(f"{domain.name}-{system}-{seed}", seed, Spec(domain, system))
        for seed in range(max(domain.n_seeds for domain in study.domains))
        for domain in reversed(study.domains)
        for system in study.systems
        if domain.name in SYSTEMS[system].domains and seed < domain.n_seeds
        if domain.augmented is not None or not SYSTEMS[system].augmented
    ]


def run_job(study: Study, job: Job) -> dict[str, Any]:
    """Train one pipeline and evaluate it."""
    folder = study.out / "training" / job.name
    trained = train_once(folder, partial(train_system, study, job))
    domain, system = job.spec.domain.name, job.spec.system
    return {
        "rows": [
            *list_rows(system, job.seed, {"trained": domain}, trained),
            *measure_system(study, folder / "model-best", job),
        ]
    }


def train_system(study: Study, job: Job, folder: Path) -> dict[str, Any]:
    """Train with `spacy train` in a new process, and write its output to train.log.

    Raises ValueError with the end of the log if the training fails.
    """
    system, domain = SYSTEMS[job.spec.system], job.spec.domain
    short = domain.ours if system.ours else study.paper_config
    filled = folder / "config.cfg"
    training.fill_config(short, filled, lang=study.lang)
    config = load_config(filled)
    if system.uni:
        unidirectional.add_to_config(config)
        config.to_disk(filled)
    corpus = domain.augmented if system.augmented else domain.folder
    if corpus is None:
        raise ValueError(f"{domain.name} has no augmented treebank for {job.spec.system!r}.")
    overrides = {
        "system.seed": job.seed,
        "paths.train": str(corpus / "train.spacy"),
        "paths.dev": str(corpus / "dev.spacy"),
        **training_overrides(system),
        **{name: value for name, value in study.overrides.items() if _has_block(config, name)},
    }
    if study.layout != "space":
        overrides |= {f"{corpus}.layouts": {study.layout: 1.0} for corpus in CORPORA}
    steps = None if system.ours else domain.max_steps
    if steps is None:
        steps = overrides.get("training.max_steps")
    overrides |= training.list_step_overrides(config, steps)
    training.train_pipeline(
        filled,
        folder,
        overrides,
        gpu_id=study.gpu_id,
        threads=study.threads,
        code=None if system.ours else Path(registered.__file__),
    )
    return {}


def measure_system(study: Study, model: Path, job: Job) -> list[Row]:
    """Score a trained pipeline on all test sets. The seed of the run draws the texts."""
    if study.gpu_id >= 0:
        spacy.require_gpu(study.gpu_id)
    nlp = spacy.load(model)
    rows = []
    for test in study.domains:
        texts = {
            name: assemble_setting(
                test.test,
                setting,
                seed=job.seed,
                layout=study.layout,
                lang=study.lang,
                segmenter=make_segmenter(setting.segmenter, lang=study.lang)
                if setting.segmenter
                else None,
            )
            for name, setting in name_texts(test.settings).items()
        }
        for name, place, settings in list_decodings(SYSTEMS[job.spec.system], test.name):
            for texts_name, inputs in texts.items():
                setting = {
                    "trained": job.spec.domain.name, "test": test.name, "texts": texts_name, **place
                }  # fmt: skip
                scores = evaluate_decoding(nlp, settings, inputs)
                rows += list_rows(name, job.seed, setting, scores)
    return rows


def name_texts(settings: Sequence[Setting]) -> dict[str, Setting]:
    """Name the texts of settings. Segmenters after the first are part of the name.

    >>> settings = [Setting(p_cc=0.5), Setting(segmenter="a"), Setting(segmenter="b")]
    >>> list(name_texts(settings))
    ['0.5', 'postprocess', 'postprocess, b']
    """
    named: dict[str, Setting] = {}
    for setting in settings:
        is_new = setting.name not in named
        named[setting.name if is_new else f"{setting.name}, {setting.segmenter}"] = setting
    return named


def list_decodings(
    system: System, test: str
) -> list[tuple[str, dict[str, float], Mapping[str, Any]]]:
    """List the ways to decode with a system as (name, setting of the rows, settings to change)."""
    found: list[tuple[str, dict[str, float], Mapping[str, Any]]] = []
    for name, settings in system.rows.items():
        found.append((name, {}, settings))
        if system.sweep and test == IN_DOMAIN:
            found += [
                (name, {"lambda": x}, {**settings, "unidirectional_weight": x})
                for x in UNIDIRECTIONAL_WEIGHTS
            ]
    return found


def _has_block(config: Config, name: str) -> bool:
    """Check if a config has the block of a setting. Our config may have another encoder."""
    block: Any = config
    for part in name.split(".")[:-1]:
        if part not in block:
            return False
        block = block[part]
    return True
