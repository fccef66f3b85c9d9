"""Train the default recipe with several seeds; a finished seed is not trained again.

Prints the command that measures them all.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from spacy_sentid.configs import fill_config
from studies.harness import find_corpus

ROOT = Path(__file__).parents[2]
EWT = "ud/UD_English-EWT"


def main() -> None:
    """Convert the treebank, then train and calibrate seed after seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=EWT, help="treebank, perhaps in the folder SENTID_DATA")
    parser.add_argument("--out", type=Path, default=ROOT / "training/seeds")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--config", type=Path, default=ROOT / "configs/identifier.cfg")
    parser.add_argument("--max-steps", type=int, default=None, help="default: the config's")
    args = parser.parse_args()
    treebank = find_corpus(args.data)
    args.out.mkdir(parents=True, exist_ok=True)
    for split in ("train", "dev"):
        if not (args.out / f"{split}.spacy").exists():
            sentid("treebank", "convert", treebank, args.out / f"{split}.spacy", "--split", split)
    config = args.out / "config.cfg"
    before = config.read_text(encoding="utf8") if config.exists() else None
    fill_config(args.config, config, lang="en")
    if before not in (None, config.read_text(encoding="utf8")):
        raise SystemExit(f"{args.out} has seeds of another config. Choose another --out.")
    (dev,) = treebank.glob("*dev.conllu")
    for seed in args.seeds:
        done = args.out / f"seed-{seed}" / "done"
        if done.exists():
            continue
        command = ["spacy", "train", config, "--output", done.parent, "--system.seed", seed]
        command += ["--paths.train", args.out / "train.spacy"]
        command += ["--paths.dev", args.out / "dev.spacy"]
        if args.max_steps is not None:
            command += ["--training.max_steps", args.max_steps]
            command += ["--training.optimizer.learn_rate.total_steps", args.max_steps]
        run(*command)
        sentid("train", "calibrate", done.parent / "model-best", dev)
        done.touch()
    models = " ".join(str(args.out / f"seed-{seed}/model-best") for seed in args.seeds)
    print(f"\npython -m studies.identifier.accuracy --model {models}")


def sentid(*command: object) -> None:
    """Run a command of ours."""
    run("spacy_sentid", *command)


def run(*command: object) -> None:
    """Run a module in this interpreter's environment; stop if it fails."""
    subprocess.run([sys.executable, "-m", *map(str, command)], check=True)


if __name__ == "__main__":
    main()
