"""Measure how well the identifier learns a new language from a few marked documents.

    python -m studies.weights.train_identifier --recipe languages --leave-out es --out OUT
    python -m studies.weights.learn_language es --base OUT/seed-0/model-best

Fine-tunes weights that were trained without the language on a random sample of its documents.
Uses configs/identifier_language.cfg, as users do, and several seeds for each number of documents.
Skips finished runs. Prints the command that scores all of them.
"""

import argparse
import subprocess
import sys
from pathlib import Path
from random import Random

from studies.weights.train_identifier import EVERYDAY, HEAD, LANGUAGES, ROOT, write_config


def main() -> None:
    """Fine-tune for each number of documents and each seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lang", choices=LANGUAGES)
    parser.add_argument(
        "--base", type=Path, required=True, help="weights trained without the language"
    )
    parser.add_argument("--documents", type=int, nargs="*", default=[50, 100, 150])
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--config", type=Path, default=ROOT / "configs/identifier_language.cfg")
    parser.add_argument("--out", type=Path, default=None, help="default: training/learn-LANG")
    args = parser.parse_args()
    out = args.out or ROOT / f"training/learn-{args.lang}"
    out.mkdir(parents=True, exist_ok=True)
    config = out / "config.cfg"
    write_config(args.config, config, lang=args.lang)
    models = [f"--model '0 documents={args.base}'"]
    for n in args.documents:
        for seed in args.seeds:
            folder = out / f"{n}-documents" / f"seed-{seed}"
            texts = write_texts(args.lang, n, seed, folder / "texts")
            if not (folder / "model-best").exists():
                subprocess.run(
                    [
                        sys.executable, "-m", "spacy", "train", config, "--output", folder,
                        "--system.seed", str(seed), "--paths.train", texts, "--paths.dev", texts,
                        "--components.sentence_identifier.pretrained", args.base,
                    ],
                    check=True,
                )  # fmt: skip
        models.append(f"--model '{n} documents={out}/{n}-documents/seed-*/model-best'")
    print(f"\npython -m studies multilingual --langs {args.lang} --peers '' {' '.join(models)}")


def write_texts(lang: str, n: int, seed: int, folder: Path) -> Path:
    """Write `n` random training documents of a language, and all its dev documents."""
    for split in ("train", "dev"):
        files = sorted((EVERYDAY / lang / split).glob("*.txt"))
        texts = [text for file in files for text in HEAD.split(file.read_text(encoding="utf8"))]
        texts = [text.rstrip() + "\n\n" for text in texts if text.strip()]
        if split == "train":
            if n > len(texts):
                raise SystemExit(f"--documents must be at most {len(texts)} for {lang}, got {n}.")
            texts = Random(seed).sample(texts, n)
        (folder / split).mkdir(parents=True, exist_ok=True)
        (folder / split / "texts.txt").write_text("".join(texts), encoding="utf8")
    return folder


if __name__ == "__main__":
    main()
