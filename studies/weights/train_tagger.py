"""Train recipes of the paraphrase tagger with several seeds, and score them (Table 3).

Skips finished seeds. The recipes train

full      the CPU model on all of train, our own pairs and some synthetic contrasts
encoder   the transformer config on train only
bundled   the CPU model on data that may be shipped: Edinburgh++, our own pairs, and synthetic pairs
          from a CC BY-SA treebank

The synthetic pairs are made first, which needs `--wordnet`, and are kept in `--out`. The threshold
of each run is tuned on dev. Test, the paper's examples and the contrast probe are only used for
scores. The results of all recipes in `--out` are written in the schema of `studies.results`.
"""

import argparse
import hashlib
import json
import subprocess
import sys
from pathlib import Path

from spacy_sentid.components.pipelines import load
from spacy_sentid.files.atomic import open_output
from spacy_sentid.paraphrase_tagger.corpus import format_pair, read_tagged_pairs
from studies.harness import find_corpus
from studies.paraphrase_data.marked_pairs import read_marked_pairs
from studies.paraphrase_data.passives import make_passives
from studies.paraphrase_data.unrelated import make_unrelated_pairs
from studies.results import write_results
from studies.training import fill_config
from studies.weights.pair_evaluation import evaluate_taggers
from studies.weights.pair_scores import make_results

ROOT = Path(__file__).parents[2]
DATA = "paratag"
EWT = "ud/UD_English-EWT/en_ewt-ud-train.conllu"
SAMPLE = ROOT / "assets/sample/paraphrase"
WRITTEN = ROOT / "assets/paraphrase/train"
PROBE = ROOT / "studies/paraphrase_data/contrast_probe.jsonl"
CONFIGS = {
    "full": "paraphrase.cfg",
    "encoder": "paraphrase_trf.cfg",
    "bundled": "paraphrase.cfg",
}
# Sources whose licence (Apache-2.0) allows us to ship weights that were trained on them.
FREE_SOURCES = {"edinburgh++"}
# How often pairs are read in one epoch: FREE_SOURCES, the sample, its contrasts, and
# assets/paraphrase.
REPEATS = {"full": (1, 1, 1, 1), "bundled": (3, 3, 3, 4)}
# Number of pairs of unrelated sentences from assets/paraphrase, and of bare passives.
N_UNRELATED = 600
N_PASSIVES = 1000
STEPS = {"full": 2200, "encoder": 680, "bundled": 4000}
# Tuned on F1 and accuracy, averaged over dev, contrast_dev and assets/paraphrase/dev, because each
# set measures something else.
THRESHOLDS = {"full": 0.5, "encoder": 0.5, "bundled": 0.35}
# Number of synthetic contrasts in "full"; "bundled" has all synthetic pairs.
N_CONTRASTS = 1200


def main() -> None:
    """Train all seeds of a recipe, then print and write the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recipe", choices=CONFIGS)
    parser.add_argument("--data", default=DATA, help="pairs; may be in SENTID_DATA")
    parser.add_argument("--out", type=Path, default=ROOT / "training/paraphrase-seeds")
    parser.add_argument("--seeds", type=int, nargs="*", default=[1, 2, 3])
    parser.add_argument("--encoder", default=None, help="encoder of 'encoder': name or folder")
    parser.add_argument("--treebank", default=EWT, help="source of synthetic pairs")
    parser.add_argument("--wordnet", type=Path, default=None, help="folder 'dict' of WordNet 3.1")
    parser.add_argument("--synthetic", type=Path, help="default: synthetic.jsonl in --out")
    parser.add_argument("--lexicon", default="auto", help="made by 'python -m studies lexicon'")
    parser.add_argument("--no-scores", action="store_true", help="train only")
    args = parser.parse_args()
    data = find_corpus(args.data)
    folder = args.out / args.recipe
    folder.mkdir(parents=True, exist_ok=True)
    train = data / "train.jsonl"
    if args.recipe != "encoder":
        synthetic = args.synthetic or args.out / "synthetic.jsonl"
        if not synthetic.exists():
            make_pairs(data / "train.jsonl", find_corpus(args.treebank), args.wordnet, synthetic)
        train = folder / "train.jsonl"
        gather_pairs(args.recipe, data / "train.jsonl", synthetic, train)
    config = folder / "config.cfg"
    fill_config(ROOT / "configs" / CONFIGS[args.recipe], config, lang="en")
    for seed in args.seeds:
        done = folder / f"seed-{seed}" / "done"
        settings = f"{train.read_text(encoding='utf8')}\n{config.read_text(encoding='utf8')}"
        settings = hashlib.sha256(f"{settings}{args.lexicon}{args.encoder}".encode()).hexdigest()
        if done.exists():
            if done.read_text(encoding="utf8") != settings:
                raise SystemExit(
                    f"{done.parent} has other pairs or settings. Choose another --out."
                )
            continue
        block = "--components.paraphrase_tagger.model"
        command = ["spacy", "train", config, "--output", done.parent, "--system.seed", seed]
        command += ["--paths.train", train, "--paths.dev", data / "dev.jsonl"]
        if args.recipe != "encoder":
            command += [f"{block}.features.lexicon", args.lexicon]
        if args.encoder is not None:
            command += [f"{block}.encoder.name", args.encoder]
        command += ["--components.paraphrase_tagger.threshold", THRESHOLDS[args.recipe]]
        command += ["--training.max_steps", STEPS[args.recipe]]
        command += ["--training.optimizer.learn_rate.total_steps", STEPS[args.recipe]]
        command += ["--training.eval_frequency", STEPS[args.recipe] // 2]
        run(*command)
        done.write_text(settings, encoding="utf8")
    if args.no_scores:
        return
    dev = read_tagged_pairs(data / "dev.jsonl", allow_identical=True)
    for test in (data / "test.jsonl", PROBE, data / "paper_examples.jsonl"):
        print(f"{args.recipe}: {test.name}", flush=True)
        nlps = (load(str(model_of(folder, seed)), "paraphrase_tagger") for seed in args.seeds)
        pairs = read_tagged_pairs(test, allow_identical=True)
        report = evaluate_taggers(nlps, pairs, dev=dev, by_source=test.stem == "test")
        with open_output(folder / f"{test.stem}.json") as output:
            json.dump({"test": test.name, **report}, output, indent=1)
    for file in write_results(make_results(args.out), args.out / "paraphrase"):
        print(file)


def model_of(folder: Path, seed: int) -> Path:
    """Return the path of the last pipeline of a seed.

    The best pipeline is not used, so that dev only decides the threshold.
    """
    return folder / f"seed-{seed}" / "model-last"


def make_pairs(train: Path, treebank: Path, wordnet: Path | None, synthetic: Path) -> None:
    """Make synthetic pairs from a treebank, and contrasts from pairs that may be shipped."""
    if wordnet is None:
        raise SystemExit(f"{synthetic} does not exist. Use --wordnet to make it, or --synthetic.")
    free = synthetic.with_name("free.jsonl")
    with open_output(free) as file:
        file.writelines(f"{line}\n" for line in read_lines(train) if is_free(line))
    ours = [SAMPLE / "train.jsonl"] * 2 + [SAMPLE / "contrasts.jsonl"] * 2
    known = [part for path in [*ours, free] for part in ("--known", path)]
    command = ["make-pairs", treebank, synthetic, "--wordnet", wordnet, "--pairs", 3400]
    run("studies", *command, "--contrasts", 1600, "--seed", 0, *known)


def is_free(line: str) -> bool:
    """Check if weights that are trained on a pair may be shipped."""
    return json.loads(line)["source"] in FREE_SOURCES


def gather_pairs(recipe: str, train: Path, synthetic: Path, out: Path) -> None:
    """Write the training pairs of a recipe."""
    lines = read_lines(train)
    pairs = read_lines(synthetic)
    n_free, *repeats = REPEATS[recipe]
    if recipe == "bundled":
        lines = [line for line in lines if is_free(line)] * n_free
    else:
        known = [line for line in pairs if json.loads(line)["id"].startswith("synthetic-known")]
        pairs = known[:N_CONTRASTS]
    written = [pair for path in sorted(WRITTEN.glob("*.txt")) for pair in read_marked_pairs(path)]
    ours = [read_lines(SAMPLE / f"{name}.jsonl") for name in ("train", "contrasts")]
    for part, n_times in zip([*ours, list(map(format_pair, written))], repeats, strict=True):
        lines += part * n_times
    lines += map(format_pair, make_unrelated_pairs(written, N_UNRELATED, seed=0))
    lines += map(format_pair, make_passives(N_PASSIVES, seed=0))
    with open_output(out) as file:
        file.writelines(f"{line}\n" for line in lines + pairs)


def read_lines(path: Path) -> list[str]:
    """Read the lines of a file."""
    return path.read_text(encoding="utf8").splitlines()


def run(*command: object) -> None:
    """Run a module with this interpreter. Raises CalledProcessError if it fails."""
    subprocess.run([sys.executable, "-m", *map(str, command)], check=True)


if __name__ == "__main__":
    main()
