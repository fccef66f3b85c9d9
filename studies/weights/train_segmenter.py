"""Train recipes of the word segmenter with several seeds.

Skips finished seeds. Each recipe trains `configs/words.cfg` on

gsd          UD Chinese GSD only, without other resources
dictionary   GSD, with the dictionary of jieba (MIT; `pip install jieba`) as evidence
bundled      all UD sources and assets/words, which may be shipped, with the same dictionary. The
             model also learns raw-text statistics of these texts, so users can add more raw text

The bundled recipe reads GSD three times, because its guidelines differ from those of CTB. The other
UD sources and assets/words are closer to CTB. `chinese_names` joins full names to one word, as in
CTB. Settings were tuned on the dev sets of GSD, AISHELL2 and ZX. Score the models with
`python -m studies words`.
"""

import argparse
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from spacy_sentid.files.atomic import open_output
from studies.harness import find_corpus
from studies.training import fill_config
from studies.weights.chinese_names import write_joined

ROOT = Path(__file__).parents[2]
DATA = "cws"
CONFIG = ROOT / "configs/words.cfg"
GSD = ["source_gsd/train.txt"]
EXTRA = ["ud_extra/cfl_learner_essays.txt", "ud_extra/hk_spoken.txt"]
# Segmented text whose names are joined -> its treebank, which tags the names.
SPLIT_NAMES = {
    "source_gsd/train.txt": "ud/UD_Chinese-GSD-v1/zh-ud-train.conllu",
    "ud_extra/pud_news_wiki.txt": "ud/UD_Chinese-PUD/zh_pud-ud-test.conllu",
}
WRITTEN = ROOT / "assets/words/train"
# How often the sentences of each voice are repeated: fiction, chat, speech. News is excluded,
# because it is the genre of GSD but follows other guidelines.
VOICES = {"g1": 2, "g2": 2, "g3": 2, "g4": 2, "g5": 2, "g6": 2, "c1": 1, "s1": 3}
SHIPPED = [
    *GSD,
    *GSD,
    *SPLIT_NAMES,
    *EXTRA,
    *(str(WRITTEN / f"{name}.txt") for name, n in VOICES.items() for _ in range(n)),
]
FEATURES = "components.word_segmenter.model.features"
# Dropout, because other domains have other n-grams. The minimum count keeps the weights below 8 MB.
FAR = {
    f"{FEATURES}.ngram_dropout": 0.5,
    f"{FEATURES}.character_dropout": 0.15,
    f"{FEATURES}.min_count": 3,
}
RECIPES: dict[str, tuple[list[str], dict[str, float]]] = {
    "gsd": (GSD, {}),
    "dictionary": (GSD, {}),
    "bundled": (SHIPPED, FAR),
}
STEPS = {"gsd": 800, "dictionary": 800, "bundled": 2600}
# Dictionary words that are features: their lengths, and their minimum count in jieba.
LENGTHS, MIN_COUNT = range(2, 6), 3


def main() -> None:
    """Train all seeds of a recipe."""
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
    paths = [data / name for name in files]
    if args.recipe == "bundled":
        joined = {
            data / name: write_joined(
                data / name, find_corpus(treebank), folder / f"joined-{Path(name).name}"
            )
            for name, treebank in SPLIT_NAMES.items()
        }
        paths = [joined.get(path, path) for path in paths]
    config = folder / "config.cfg"
    fill_config(CONFIG, config, lang="zh")
    steps = STEPS[args.recipe]
    command = [sys.executable, "-m", "spacy", "train", str(config)]
    command += ["--corpora.train.path", json.dumps(list(map(str, paths)))]
    command += ["--paths.dev", str(data / "source_gsd/dev.txt")]
    command += ["--training.max_steps", str(steps)]
    command += ["--training.optimizer.learn_rate.total_steps", str(steps)]
    if args.recipe != "gsd":
        command += ["--paths.dictionary", str(write_dictionary(args.out / "jieba.txt"))]
    if args.recipe == "bundled":
        texts = list(dict.fromkeys(paths))
        command += ["--paths.raw_text", str(write_raw_text(texts, folder / "raw.txt"))]
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
        raise SystemExit("jieba must be installed to read its dictionary. Run 'pip install jieba'.")
    rows = Path(found.origin).with_name("dict.txt").read_text(encoding="utf8").splitlines()
    with open_output(path) as file:
        for row in rows:
            word, count, _ = row.split()
            if len(word) in LENGTHS and int(count) >= MIN_COUNT:
                file.write(f"{word} {count}\n")
    return path


def write_raw_text(paths: list[Path], target: Path) -> Path:
    """Write the text of segmented files without the spaces between words."""
    with open_output(target) as file:
        for path in paths:
            for line in path.read_text(encoding="utf8").splitlines():
                file.write("".join(line.split()) + "\n")
    return target


if __name__ == "__main__":
    main()
