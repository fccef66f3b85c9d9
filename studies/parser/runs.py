"""Train a tagger and parser on augmented treebanks, and evaluate them (section 6.2).

jobs (language, P, N, seed) -> augmented train and dev -> `spacy train` -> scores -> rows
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import spacy
from spacy.tokens import DocBin

from spacy_sentid.corpus_augmenter.treebanks import augment_treebanks
from spacy_sentid.files.atomic import open_output
from studies import training
from studies.harness import Job, Plan, fingerprint_inputs, train_once
from studies.parser.phrases import (
    gold_noun_phrases,
    parse_phrases,
    read_parsing_docs,
    read_phrases,
)
from studies.parser.reviews import read_lexicon, read_reviews, score_polarities
from studies.parser.scores import score_noun_phrases, score_treebank
from studies.parser.sentiment import detect_polarities
from studies.parser.splits import Cell, Treebank, fingerprint_units, split_path
from studies.results import Row, list_rows

# Number of noun phrases to draw from the test split, which is the paper's number of titles.
N_EXTRACTED = 1500
# Files for sentiment. Other files for evaluation are lists of noun phrases.
REVIEWS = ("reviews", "lexicon")


@dataclass(frozen=True)
class Study:
    """Settings of the study."""

    out: Path
    treebanks: tuple[Treebank, ...]
    grid: tuple[Cell, ...]
    config: Path
    phrases: Path | None = None  # folder with NAME.LANG.txt (noun phrases)
    sentiment: Path | None = None  # folder with reviews.LANG.tsv and lexicon.LANG.tsv
    gpu_id: int = -1
    threads: int | None = None  # threads of each run; None = the default of the libraries


class Spec(NamedTuple):
    """The treebank and the cell of a run."""

    treebank: Treebank
    cell: Cell


def make_plan(study: Study) -> Plan:
    """Make the plan. Languages, cells and seeds may be added later."""
    treebanks = {
        treebank.lang: {
            "max_steps": treebank.max_steps,
            "files": {
                split: [[part.path.name, part.first, part.last] for part in parts]
                for split, parts in treebank.parts.items()
            },
            "fingerprint": fingerprint_units(treebank),
        }
        for treebank in study.treebanks
    }
    settings = {"config": spacy.util.load_config(study.config).to_str()}
    return Plan(study.out, settings, {"treebanks": treebanks})


def list_jobs(study: Study) -> list[Job]:
    """List all runs, seed by seed, so that an interrupted study has some complete seeds."""
    measured_with = {
        treebank.lang: fingerprint_inputs(
            {name: [path] for name, path in find_measures(study, treebank.lang).items()}
        )
        for treebank in study.treebanks
    }
    return [
        Job(
            f"{treebank.lang}-p{cell.remove_punct:g}-n{cell.add_np:g}-{seed}",
            seed,
            Spec(treebank, cell),
            measured_with=measured_with[treebank.lang],
        )
        for seed in range(max(treebank.n_seeds for treebank in study.treebanks))
        for treebank in study.treebanks
        if seed < treebank.n_seeds
        for cell in study.grid
    ]


def find_measures(study: Study, lang: str) -> dict[str, Path]:
    """Find the evaluation files of a language besides the test split, by name.

    Raises ValueError if there are reviews without a lexicon, or a lexicon without reviews.
    """
    paths = {}
    if study.phrases is not None:
        paths = {path.name.split(".")[0]: path for path in study.phrases.glob(f"*.{lang}.txt")}
    if study.sentiment is not None:
        names = {name: study.sentiment / f"{name}.{lang}.tsv" for name in REVIEWS}
        if len({path.exists() for path in names.values()}) > 1:
            raise ValueError(
                f"{study.sentiment} must have both reviews.{lang}.tsv and lexicon.{lang}.tsv, or "
                "neither, got only one. Add the other file."
            )
        paths |= names
    return {name: path for name, path in paths.items() if path.exists()}


def run_job(study: Study, job: Job) -> dict[str, Any]:
    """Augment the treebank, train a pipeline and evaluate it."""
    folder = study.out / "training" / job.name
    trained = train_once(folder, partial(train_parser, study, job))
    scores = measure_parser(study, job.spec.treebank.lang, folder / "model-best")
    return {"rows": list_scores(job.spec.treebank.lang, job.spec.cell, job.seed, trained, scores)}


def list_scores(
    lang: str, cell: Cell, seed: int, trained: Mapping[str, Any], scores: Mapping[str, Any]
) -> list[Row]:
    """Make the rows of a run.

    trained: The result of `train_parser`, with "training_seconds".
    scores: See `measure_parser`.
    """
    counts = {
        f"{split}_{name}": value
        for split, report in trained["augmented"].items()
        for name, value in report.items()
    }
    place = {"lang": lang}
    about = {"training_seconds": trained["training_seconds"], **counts, **scores["treebank"]}
    rows = list_rows(cell.name, seed, place, about)
    for name, found in scores["noun_phrases"].items():
        roots = {f"roots_{tag}": n for tag, n in found["roots"].items()}
        numbers = {key: value for key, value in found.items() if key != "roots"}
        rows += list_rows(cell.name, seed, {**place, "phrases": name}, {**numbers, **roots})
    if "sentiment" in scores:
        sentiment = {f"sentiment_{name}": n for name, n in scores["sentiment"].items()}
        rows += list_rows(cell.name, seed, place, sentiment)
    return rows


def train_parser(study: Study, job: Job, folder: Path) -> dict[str, Any]:
    """Train on augmented train and dev splits.

    RETURNS: Counts of the changed units of each split, as "augmented".
    """
    lang = job.spec.treebank.lang
    reports = {}
    for split in ("train", "dev"):
        augmented = folder / f"{split}.conllu"
        report = augment_treebanks(
            [split_path(study.out, lang, split)],
            augmented,
            remove_punct=job.spec.cell.remove_punct,
            add_np=job.spec.cell.add_np,
            seed=job.seed,
        )
        reports[split] = {
            name: value for name, value in report._asdict().items() if isinstance(value, int)
        }
        docs = read_parsing_docs(augmented, spacy.blank(lang).vocab)
        DocBin(docs=docs).to_disk(folder / f"{split}.spacy")
        augmented.unlink()
    filled = folder / "config.cfg"
    training.fill_config(study.config, filled, lang=lang)
    overrides = {
        "system.seed": job.seed,
        "paths.train": folder / "train.spacy",
        "paths.dev": folder / "dev.spacy",
        **training.list_step_overrides(spacy.util.load_config(filled), job.spec.treebank.max_steps),
    }
    training.train_pipeline(filled, folder, overrides, gpu_id=study.gpu_id, threads=study.threads)
    return {"augmented": reports}


def measure_parser(study: Study, lang: str, model: Path) -> dict[str, Any]:
    """Score a trained pipeline on the test split, on noun phrases, and on sentiment."""
    if study.gpu_id >= 0:
        spacy.require_gpu(study.gpu_id)
    nlp = spacy.load(model)
    gold = list(read_parsing_docs(split_path(study.out, lang, "test"), nlp.vocab))
    extracted = read_parsing_docs(split_path(study.out, lang, "extracted"), nlp.vocab)
    # Some extracted phrases end in punctuation that belongs to a word below their head.
    lists: dict[str, Any] = {
        name: list(gold_noun_phrases(docs))
        for name, docs in (("units", gold), ("extracted", extracted))
    }
    measures = find_measures(study, lang)
    for name, path in measures.items():
        if name not in REVIEWS:
            lists[name] = read_phrases(path)
    scores: dict[str, Any] = {"treebank": score_treebank(nlp, gold)._asdict()}
    if "reviews" in measures:
        reviews, lexicon = read_reviews(measures["reviews"]), read_lexicon(measures["lexicon"])
        found = list(detect_polarities(nlp, [review.text for review in reviews], lexicon))
        scores["sentiment"] = score_polarities([r.polarity for r in reviews], found)["all"]
    scores["noun_phrases"] = {}
    for name, phrases in lists.items():
        if phrases:
            numbers = score_noun_phrases(parse_phrases(nlp, phrases)).to_dict()
            # The lists hold the phrases themselves, which may not be free to publish.
            scores["noun_phrases"][name] = {
                key: value for key, value in numbers.items() if not isinstance(value, list)
            }
    return scores


def write_extracted(study: Study) -> None:
    """Draw noun phrases from each test split, by the same method as for the training split.

    They are a second list of phrases, because nearly all test units of a treebank may be sentences.
    """
    for treebank in study.treebanks:
        path = split_path(study.out, treebank.lang, "extracted")
        units = path.with_suffix(".units")
        test = split_path(study.out, treebank.lang, "test")
        report = augment_treebanks([test], units)
        augment_treebanks([test], units, add_np=N_EXTRACTED / report.n_units)
        # The phrases are appended to the units.
        with units.open("rb") as file, open_output(path) as output:
            file.seek(test.stat().st_size)
            output.write(file.read().decode("utf8"))
        units.unlink()
