"""Train the paper's systems and ours on treebanks of other languages; prints one table.

shared treebanks -> train, dev and test of each language -> the study's runs -> Markdown

Runs are resumed as those of the study: what has its JSON is not made again.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import spacy

from spacy_sentid.units import NSU
from studies.commands.identifier import make_runs
from studies.identifier import plans, runs, tables
from studies.identifier.systems import IN_DOMAIN, SYSTEMS

ROOT = Path(__file__).parents[1]
UD = ROOT.parent / "shared/data/ud"
SPLITS = ("train", "dev", "test")
SETTINGS = ("0.5", "0")
SYSTEM_NAMES = ("eos", "bos-eos", "ours")
# The splits of the others are those of experiment_splits.json; this is its form. The Chinese
# treebank with NSUs has no splits, and no NSU in its last third: of each hundred units, 80 are to
# train on, 10 are dev, 10 test.
BEGINNER = "UD_Chinese-Beginner/zh_beginner-ud-test.conllu"
ZH_SPLITS = {
    split: [
        {"file": BEGINNER, "from": hundred + start, "to": hundred + end}
        for hundred in range(0, 2295, 100)
    ]
    for split, start, end in (("train", 0, 80), ("dev", 80, 90), ("test", 90, 100))
}


class Language(NamedTuple):
    """What is measured of a language."""

    treebank: str
    layout: str = "space"


LANGUAGES = {
    "fr": Language("Sequoia"),
    "de": Language("GSD; PUD in train"),
    "es": Language("GSD"),
    "zh": Language("Beginner", layout="none"),
}


def main() -> None:
    """Prepare, train and measure language after language, then print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=UD, help="folder of the UD_* folders")
    parser.add_argument("--out", type=Path, default=ROOT / "training/languages")
    parser.add_argument("--languages", nargs="*", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--systems", nargs="*", choices=SYSTEMS, default=list(SYSTEM_NAMES))
    parser.add_argument("--seeds", type=int, default=1, help="runs of each system")
    parser.add_argument("--steps", type=int, default=300, help="updates of each training")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    args = parser.parse_args()
    splits = json.loads((args.data / "experiment_splits.json").read_text(encoding="utf8"))
    splits["zh"] = ZH_SPLITS
    rows = []
    for lang in args.languages:
        sizes = cut_splits(args.data, splits[lang], args.out / lang / "treebank")
        plan = make_plan(args, lang)
        plans.check_plan(plan)
        make_runs(plan, jobs=args.jobs)
        rows += language_rows(plan, LANGUAGES[lang], sizes)
    print(format_rows(rows), end="")


def cut_splits(data: Path, splits: Mapping[str, Any], folder: Path) -> dict[str, int]:
    """Write train.conllu, dev.conllu and test.conllu, byte for byte; gives their units."""
    folder.mkdir(parents=True, exist_ok=True)
    sizes = {}
    for split in SPLITS:
        blocks = []
        for part in splits[split]:
            blocks += read_blocks(data / part["file"])[part.get("from") : part.get("to")]
        (folder / f"{split}.conllu").write_bytes(b"".join(block + b"\n\n" for block in blocks))
        sizes[split] = len(blocks)
    return sizes


@cache
def read_blocks(path: Path) -> list[bytes]:
    """Read the blocks between the blank lines of a CoNLL-U file."""
    return [block for block in path.read_bytes().split(b"\n\n") if block.strip()]


def make_plan(args: argparse.Namespace, lang: str) -> plans.Plan:
    """Plan the runs of a language; ours has as many updates as the paper's systems."""
    out = args.out / lang
    domain = plans.prepare_domain(
        out, IN_DOMAIN, out / "treebank", all_su=False, max_steps=args.steps,
        ours=ROOT / "studies/configs/identifier_study.cfg", lang=lang, segmenter="sentencizer",
    )  # fmt: skip
    settings = tuple(setting for setting in domain.settings if setting.name in SETTINGS)
    return plans.Plan(
        out=out,
        domains=(domain._replace(settings=settings),),
        paper_config=ROOT / "configs/identifier_bos_eos.cfg",
        systems=tuple(args.systems),
        seeds=tuple(range(args.seeds)),
        lang=lang,
        layout=LANGUAGES[lang].layout,
        overrides={
            "training.max_steps": args.steps,
            "training.optimizer.learn_rate.total_steps": args.steps,
        },
        threads=1 if args.jobs > 1 else None,
    )


def language_rows(
    plan: plans.Plan, language: Language, sizes: Mapping[str, int]
) -> list[list[str]]:
    """Write the rows of a language: one for each way to decode."""
    labels = [label for document in plan.domains[0].test for _, label in document]
    tokenizer: Any = spacy.blank(plan.lang).tokenizer
    segmenter = getattr(tokenizer, "segmenter", None)
    head = [
        plan.lang,
        language.treebank,
        f"{sizes['train']:,} / {sizes['test']:,}",
        f"{100 * labels.count(NSU) / len(labels):.1f}%",
        type(tokenizer).__name__ + (f" ({segmenter})" if segmenter else ""),
        "nothing" if language.layout == "none" else language.layout,
    ]
    scores = tables.collect_scores(runs.read_results(plan))
    rows = []
    for row in [row for system in plan.systems for row in SYSTEMS[system].rows]:
        cells = []
        for setting in SETTINGS:
            found = scores[IN_DOMAIN, row, IN_DOMAIN, setting]
            names = tables.OVERALL.values()
            cells.append(
                " / ".join(tables.mean_and_sd([run[name] for run in found]) for name in names)
            )
        rows.append([*head, row, *cells])
    return rows


def format_rows(rows: Sequence[Sequence[str]]) -> str:
    """Lay the table out as Markdown."""
    heads = ["language", "UD treebank", "units train / test", "NSU in test", "spaCy tokenizer"]
    heads += ["units joined by", "system"]
    heads += [f"{tables.HEADINGS[setting]} macro / weighted / span" for setting in SETTINGS]
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


if __name__ == "__main__":
    main()
