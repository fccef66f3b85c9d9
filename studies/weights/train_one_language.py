"""Train the bundled identifiers of single languages, starting from multilingual weights.

    python -m studies.weights.train_identifier --recipe languages --out training/languages
    python -m studies.weights.train_one_language training/languages

Each seed starts from the multilingual weights of the same seed, and is trained further on texts of
one language in a short training. Skips finished seeds. Prints the commands that score all of them.
"""

import argparse
import json
from pathlib import Path

from studies.weights.train_identifier import (
    CODE,
    CONFIGS,
    EVERYDAY,
    LANGUAGES,
    ROOT,
    choose_languages,
    run,
    sentid,
    start_from,
    write_config,
)

STEPS, RATE = 1500, 0.0007


def main() -> None:
    """Train and calibrate each language and each seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "base", type=Path, help="output folder of --recipe languages, with its corpus"
    )
    parser.add_argument("--langs", nargs="*", choices=LANGUAGES, default=LANGUAGES)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    args = parser.parse_args()
    corpus = args.base / "corpus/languages"
    for lang in args.langs:
        (args.base / lang).mkdir(exist_ok=True)
        config = args.base / lang / "config.cfg"
        write_config(ROOT / CONFIGS["languages"], config, lang=lang)
        for seed in args.seeds:
            folder = args.base / lang / f"seed-{seed}"
            if (folder / "done").exists():
                continue
            weights = args.base / f"seed-{seed}/model-best"
            command = ["spacy", "train", config, "--output", folder, "--system.seed", seed]
            command += ["--code", CODE]
            for key in ("train", "dev", "documents", "paragraphs"):
                command += [f"--paths.{key}", corpus / key]
            settings = start_from(str(weights), steps=STEPS, rate=RATE) | choose_languages([lang])
            for name, value in settings.items():
                command += [f"--{name}", json.dumps(value)]
            run(*command)
            sentid(
                "train", "calibrate", folder / "model-best",
                corpus / f"treebanks/{lang}-ud-dev.conllu",
                "--documents", EVERYDAY / lang / "dev",
            )  # fmt: skip
            (folder / "done").touch()
    for lang in args.langs:
        models = [f"--model 'xx={args.base}/seed-*/model-best'"]
        models += [f"--model '{lang}={args.base}/{lang}/seed-*/model-best'"]
        print(f"python -m studies multilingual --langs {lang} {' '.join(models)}")


if __name__ == "__main__":
    main()
