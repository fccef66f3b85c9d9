"""Study of the identifier on treebanks of other languages, with trainings for each language.

folder of UD treebanks -> train, dev and test of each language -> runs -> rows
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import spacy

from spacy_sentid.text.units import NSU
from studies.harness import Plan
from studies.identifier import runs, tables
from studies.identifier.systems import IN_DOMAIN, SYSTEMS
from studies.parser.splits import Part, Treebank, read_splits, split_path, write_splits
from studies.results import Line, Results, Row, Table

TEXTS = ("0.5", "0")
SYSTEM_NAMES = ("eos", "bos-eos", "ours", "ours-augmented")
SPLITS_FILE = "experiment_splits.json"
# The Chinese treebank with NSUs has no splits, and no NSUs in its last third. So each hundred units
# are split into 80 for training, 10 for dev and 10 for test.
CHINESE = "UD_Chinese-Beginner/zh_beginner-ud-test.conllu"
CHINESE_SPLITS = {"train": (0, 80), "dev": (80, 90), "test": (90, 100)}
N_CHINESE = 2295


class Language(NamedTuple):
    """The treebank of a language and its separator between units."""

    treebank: str
    layout: str = "space"


LANGUAGES = {
    "fr": Language("Sequoia"),
    "de": Language("GSD; PUD in train"),
    "es": Language("GSD"),
    "zh": Language("Beginner", layout="none"),
}


def find_treebanks(data: Path, langs: Sequence[str]) -> list[Treebank]:
    """Find the treebank and the splits of each language in a folder of UD treebanks."""
    splits = read_splits(data / SPLITS_FILE)
    splits["zh"] = {
        split: tuple(
            Part(data / CHINESE, hundred + first, hundred + last)
            for hundred in range(0, N_CHINESE, 100)
        )
        for split, (first, last) in CHINESE_SPLITS.items()
    }
    return [Treebank(lang, splits[lang], 1, 0) for lang in langs]


def make_study(
    treebank: Treebank,
    out: Path,
    *,
    config: Path,
    ours: Path,
    seeds: int,
    steps: int,
    threads: int | None,
) -> runs.Study:
    """Write the splits of a language, and make its study. All systems have the same updates."""
    lang, folder = treebank.lang, out / treebank.lang
    write_splits([treebank], folder)
    domain = runs.prepare_domain(
        folder, IN_DOMAIN, split_path(folder, lang, "train").parent, all_su=False,
        max_steps=steps, ours=ours, lang=lang,
        segmenters=["sentencizer"], n_seeds=seeds, augment=True,
    )  # fmt: skip
    settings = tuple(setting for setting in domain.settings if setting.name in TEXTS)
    return runs.Study(
        out=folder,
        domains=(domain._replace(settings=settings),),
        paper_config=config,
        systems=SYSTEM_NAMES,
        lang=lang,
        layout=LANGUAGES[lang].layout,
        overrides={
            "training.max_steps": steps,
            "training.optimizer.learn_rate.total_steps": steps,
        },
        threads=threads,
    )


def describe_language(study: runs.Study) -> list[str]:
    """List the cells that describe a language: its treebank, units, tokenizer and separator."""
    tokenizer: Any = spacy.blank(study.lang).tokenizer
    segmenter = getattr(tokenizer, "segmenter", None)
    labels = [label for document in study.domains[0].test for _, label in document]
    n_train = split_path(study.out, study.lang, "train").read_bytes().count(b"\n\n")
    return [
        study.lang,
        LANGUAGES[study.lang].treebank,
        f"{n_train:,} / {len(labels):,}",
        f"{100 * labels.count(NSU) / len(labels):.1f}%",
        type(tokenizer).__name__ + (f" ({segmenter})" if segmenter else ""),
        "nothing" if study.layout == "none" else study.layout,
    ]


def make_results(
    plans: Mapping[str, Plan], heads: Mapping[str, list[str]], rows: Sequence[Row]
) -> Results:
    """Make the results, with their table.

    plans: Plan of each language.
    heads: Cells of each language, see `describe_language`.
    rows: Rows with the language in their setting.
    """
    return Results(
        study="identifier_languages",
        title="The sentence identifier in other languages",
        about=[
            "Percent, word level, on test. The systems are trained for each language. The splits "
            f"are those of {SPLITS_FILE} in the folder of treebanks; the study makes those of "
            "Chinese."
        ],
        command="python -m studies languages",
        settings={lang: plan.to_dict() for lang, plan in plans.items()},
        tables=[make_table(heads)],
        rows=list(rows),
    )


def make_table(heads: Mapping[str, list[str]]) -> Table:
    """Make the table of the systems of each language."""
    names = [row for system in SYSTEM_NAMES for row in SYSTEMS[system].rows]
    return Table(
        title="BIO and span F1",
        heads=[
            "language", "UD treebank", "units train / test", "NSU in test", "spaCy tokenizer",
            "units joined by", "system",
        ],
        lines=[
            Line(
                labels=[*head, name],
                system=name,
                setting={"trained": IN_DOMAIN, "test": IN_DOMAIN, "lang": lang},
            )
            for lang, head in heads.items()
            for name in names
        ],
        columns=[
            column
            for column in tables.list_columns(tables.OVERALL)
            if column.setting["texts"] in TEXTS
        ],
    )  # fmt: skip
