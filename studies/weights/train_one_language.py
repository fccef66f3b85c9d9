"""Train the bundled identifiers of single languages, starting from multilingual weights.

    python -m studies.weights.train_identifier --recipe languages --out training/languages
    python -m studies.weights.train_one_language training/languages

Each seed starts from the multilingual weights of the same seed, and is trained further on texts of
one language, with configs/identifier_one_language.cfg. Skips finished seeds. Prints the commands
that score all of them.
"""

import argparse
import json
from pathlib import Path

from studies.weights.train_identifier import (
    EVERYDAY,
    LANGUAGES,
    ROOT,
    choose_languages,
    run,
    sentid,
    write_config,
)

CONFIG = ROOT / "configs/identifier_one_language.cfg"


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
        write_config(CONFIG, config, lang=lang)
        for seed in args.seeds:
            folder = args.base / lang / f"seed-{seed}"
            if (folder / "done").exists():
                continue
            weights = args.base / f"seed-{seed}/model-best"
            command = ["spacy", "train", config, "--output", folder, "--system.seed", seed]
            command += ["--components.sentence_identifier.pretrained", weights]
            for key in ("train", "dev", "documents", "paragraphs"):
                command += [f"--paths.{key}", corpus / key]
            for name, value in choose_languages([lang]).items():
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
