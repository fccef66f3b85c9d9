"""Train recipes of the word segmenter with several seeds.

A finished seed is not trained again. Each recipe trains `configs/words.cfg` on

gsd          UD Chinese GSD alone: no outside resource
dictionary   GSD, and the dictionary of jieba (MIT; `pip install jieba`) as evidence
bundled      all UD sources with that dictionary: what may be shipped. Its statistics of raw text
             are those of the UD sources, so that it can take more (`read_raw_text`)

HK and CFL count twice: their guidelines are closer to those of CTB. What was chosen was chosen on
the dev sets of GSD, AISHELL2 and ZX. Score with `python -m studies words`.
"""

import argparse
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from spacy_sentid.configs import fill_config
from spacy_sentid.files.atomic import open_output
from studies.harness import find_corpus

ROOT = Path(__file__).parents[2]
DATA = "cws"
CONFIG = ROOT / "configs/words.cfg"
GSD = ["source_gsd/train.txt"]
EXTRA = ["ud_extra/cfl_learner_essays.txt", "ud_extra/hk_spoken.txt"]
ALL_UD = [*GSD, "ud_extra/pud_news_wiki.txt", *EXTRA, *EXTRA]
RAW_TEXT = ALL_UD[:2]  # that of all that is trained on is taken too
FEATURES = "components.word_segmenter.model.features"
# Other domains have other n-grams. And the bundled weights may have 8 MB.
FAR = {
    f"{FEATURES}.ngram_dropout": 0.5,
    f"{FEATURES}.character_dropout": 0.15,
    f"{FEATURES}.min_count": 3,
}
RECIPES: dict[str, tuple[list[str], dict[str, float]]] = {
    "gsd": (GSD, {}),
    "dictionary": (GSD, {}),
    "bundled": (ALL_UD, FAR),
}
STEPS = {"gsd": 800, "dictionary": 800, "bundled": 900}
# Words of a dictionary that are features, and how often jieba saw them at least.
LENGTHS, MIN_COUNT = range(2, 6), 3


def main() -> None:
    """Train seed after seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", choices=RECIPES)
    parser.add_argument("--data", default=DATA, help="segmented text; may be in SENTID_DATA")
    parser.add_argument("--out", type=Path, default=ROOT / "training/word-seeds")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    args = parser.parse_args()
    data = find_corpus(args.data)
    files, settings = RECIPES[args.recipe]
    folder = args.out / args.recipe
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "config.cfg"
    fill_config(CONFIG, config, lang="zh")
    steps = STEPS[args.recipe]
    command = [sys.executable, "-m", "spacy", "train", str(config)]
    command += ["--corpora.train.path", json.dumps([str(data / name) for name in files])]
    command += ["--paths.dev", str(data / "source_gsd/dev.txt")]
    command += ["--training.max_steps", str(steps)]
    command += ["--training.optimizer.learn_rate.total_steps", str(steps)]
    if args.recipe != "gsd":
        command += ["--paths.dictionary", str(write_dictionary(args.out / "jieba.txt"))]
    if args.recipe == "bundled":
        names = [data / name for name in RAW_TEXT]
        command += ["--paths.raw_text", str(write_raw_text(names, folder / "raw.txt"))]
    for name, value in settings.items():
        command += [f"--{name}", str(value)]
    for seed in args.seeds:
        model = folder / f"seed-{seed}"
        if (model / "done").exists():
            continue
        subprocess.run(
            [*command, "--output", str(model), "--system.seed", str(seed)], check=True, cwd=ROOT
        )
        (model / "done").touch()


def write_dictionary(path: Path) -> Path:
    """Write the words of jieba's dictionary with their counts."""
    found = find_spec("jieba")
    if found is None or found.origin is None:
        raise SystemExit("Found no jieba, expected its dictionary. Install it: pip install jieba")
    rows = Path(found.origin).with_name("dict.txt").read_text(encoding="utf8").splitlines()
    with open_output(path) as file:
        for row in rows:
            word, count, _ = row.split()
            if len(word) in LENGTHS and int(count) >= MIN_COUNT:
                file.write(f"{word} {count}\n")
    return path


def write_raw_text(paths: list[Path], target: Path) -> Path:
    """Write the text of segmented files, without what tells their words."""
    with open_output(target) as file:
        for path in paths:
            for line in path.read_text(encoding="utf8").splitlines():
                file.write("".join(line.split()) + "\n")
    return target


if __name__ == "__main__":
    main()
