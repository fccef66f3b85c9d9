"""Train the bundled identifier, or the default recipe on a treebank, with several seeds.

    python -m studies.weights.train_identifier --recipe bundled --word-vectors vectors.npz
    python -m studies.weights.train_identifier --recipe more --base WEIGHTS --repeat H1=3
    python -m studies.weights.train_identifier --recipe languages --out training/languages
    python -m studies.weights.train_identifier --recipe languages --leave-out es --out OUT
    python -m studies.weights.train_identifier --recipe treebank

bundled     identifier_documents.cfg on EWT, the open part of GUM, assets/everyday and real everyday
            texts, calibrated on the dev parts of all of them
more        the same texts and config, but a short training from other weights (--base)
languages   identifier_languages.cfg on the texts of "bundled" and, for each of six more languages,
            a treebank and assets/everyday/LANG; see also train_one_language
treebank    configs/identifier.cfg on EWT only, as in the paper

Skips finished seeds. Prints the command that scores all of them.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from spacy.util import load_config

from spacy_sentid.sentence_identifier.data.documents import write_documents
from studies.harness import find_corpus
from studies.weights.gum import lay_out_gum

ROOT = Path(__file__).parents[2]
EWT = "ud/UD_English-EWT"
GUM = "gum_open/en_gumopen-ud-train.conllu"
EVERYDAY = ROOT / "assets/everyday"
REAL = "everyday_real"
# Every fourth real text is development data.
DEV_SHARE = 4
# A folder with a treebank for each language; its files are named LANG-ud-SPLIT.conllu.
MORE = "ud_more"
LANGUAGES = ("de", "fr", "es", "it", "pt", "nl")
CONFIGS = {
    "bundled": "studies/weights/configs/identifier_documents.cfg",
    "more": "studies/weights/configs/identifier_documents.cfg",
    "languages": "studies/weights/configs/identifier_languages.cfg",
    "treebank": "configs/identifier.cfg",
}
# It takes a quarter of the time of a training from random weights.
MORE_STEPS, MORE_RATE = 5000, 0.0002
# The reader and the batcher of several languages.
CODE = ROOT / "studies/weights/languages.py"
HEAD = re.compile(r"(?m)^(?==== )")


def main() -> None:
    """Prepare the corpora, then train and calibrate seed after seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recipe", choices=tuple(CONFIGS), default="treebank")
    parser.add_argument("--data", default=EWT, help="treebank; may be in SENTID_DATA")
    parser.add_argument("--out", type=Path, default=ROOT / "training/seeds")
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1, 2])
    parser.add_argument("--config", type=Path, default=None, help="default: config of the recipe")
    parser.add_argument("--max-steps", type=int, default=None, help="default: set in the config")
    parser.add_argument("--word-vectors", default=None, help="see studies.weights.word_vectors")
    parser.add_argument("--base", help="weights to start from; default: those of the config")
    parser.add_argument(
        "--repeat", help="writer of everyday documents and a number, such as H1=3; see its README"
    )
    parser.add_argument(
        "--leave-out", choices=LANGUAGES, help="language to exclude from --recipe languages"
    )
    args = parser.parse_args()
    treebank = find_corpus(args.data)
    folder = args.out / "corpus"
    with_documents = args.recipe != "treebank"
    paths, dev = prepare(treebank, folder, with_documents=with_documents, repeat=args.repeat)
    lang, settings = "en", dict[str, object]()
    if args.recipe == "more":
        settings = start_from("en_sentid_sm", steps=MORE_STEPS, rate=MORE_RATE)
    if args.recipe == "languages":
        langs = [lang for lang in LANGUAGES if lang != args.leave_out]
        paths, dev = prepare_languages(paths, dev, folder, langs)
        lang, treebank = "xx", folder / "languages/treebanks"
        settings = choose_languages([*langs, "en"])
    source = args.config or ROOT / CONFIGS[args.recipe]
    config = args.out / "config.cfg"
    write_config(source, config, lang=lang)
    given = json.dumps(
        {key: getattr(args, key) for key in ("word_vectors", "max_steps", "repeat", "base")}
    )
    for seed in args.seeds:
        done = args.out / f"seed-{seed}" / "done"
        if done.exists():
            if done.read_text(encoding="utf8") != given:
                raise SystemExit(
                    f"{done.parent} was trained with other options. Choose another --out."
                )
            continue
        command = ["spacy", "train", config, "--output", done.parent, "--system.seed", seed]
        command += ["--code", CODE]
        for key, path in paths.items():
            command += [f"--paths.{key}", path]
        for name, value in settings.items():
            command += [f"--{name}", json.dumps(value)]
        if args.word_vectors is not None:
            command += ["--paths.word_vectors", args.word_vectors]
        if args.base is not None:
            command += ["--components.sentence_identifier.pretrained", args.base]
        if args.max_steps is not None:
            command += ["--training.max_steps", args.max_steps]
            command += ["--training.eval_frequency", args.max_steps]
            command += ["--training.optimizer.learn_rate.total_steps", args.max_steps]
        run(*command)
        texts = [word for path in dev for word in ("--documents", path)]
        sentid("train", "calibrate", done.parent / "model-best", treebank, "--split", "dev", *texts)
        done.write_text(given, encoding="utf8")
    models = " ".join(f"--model ours={args.out}/seed-{seed}/model-best" for seed in args.seeds)
    print(f"\npython -m studies documents {models}")


def write_config(source: Path, target: Path, *, lang: str) -> None:
    """Write the config of a training; stop if its folder has seeds with another config."""
    before = target.read_text(encoding="utf8") if target.exists() else None
    load_config(source, overrides={"nlp.lang": lang}).to_disk(target)
    if before not in (None, target.read_text(encoding="utf8")):
        raise SystemExit(f"{target.parent} has seeds with another config. Choose another folder.")


def prepare(
    treebank: Path, folder: Path, *, with_documents: bool, repeat: str | None = None
) -> tuple[dict[str, Path], list[Path]]:
    """Write the training data.

    repeat: A writer of everyday documents and a number, such as "H1=3": each of their documents is
        read so often.
    RETURNS: The paths for the config, and the documents to calibrate on.
    """
    folder.mkdir(parents=True, exist_ok=True)
    paths = {"train": folder / "units", "dev": folder / "dev.spacy"}
    paths["train"].mkdir(exist_ok=True)
    convert(treebank, paths["train"] / "treebank.spacy", "--split", "train")
    convert(treebank, paths["dev"], "--split", "dev")
    if not with_documents:
        return paths, []
    gum = find_corpus(GUM)
    convert(gum, paths["train"] / "gum.spacy")
    real = folder / "real"
    documents = folder / "documents"
    for part in (documents, real):
        part.mkdir(exist_ok=True)
    write_documents(lay_out_gum(gum), documents / f"{gum.stem}.jsonl")
    for file in sorted((EVERYDAY / "train").glob("*.txt")):
        shutil.copy(file, documents)
    if repeat:
        writer, _, number = repeat.partition("=")
        for file in sorted((EVERYDAY / "train").glob(f"{writer}-*.txt")):
            for copy in range(2, int(number) + 1):
                shutil.copy(file, documents / f"{file.stem}-{copy}.txt")
    for file in sorted(find_corpus(REAL).glob("*.txt")):
        pieces = [text for text in HEAD.split(file.read_text(encoding="utf8")) if text.strip()]
        for part, in_dev in ((documents, False), (real, True)):
            kept = [
                text.rstrip() + "\n\n"
                for n, text in enumerate(pieces, start=1)
                if (n % DEV_SHARE == 0) == in_dev
            ]
            (part / f"real-{file.name}").write_text("".join(kept), encoding="utf8")
    (train,) = treebank.glob("*train.conllu")
    (dev,) = treebank.glob("*dev.conllu")
    return paths | {"documents": documents, "paragraphs": train}, [EVERYDAY / "dev", real, dev]


def prepare_languages(
    english: dict[str, Path], dev: list[Path], folder: Path, langs: Sequence[str]
) -> tuple[dict[str, Path], list[Path]]:
    """Write the training data of all languages, with a folder for each language.

    The dev parts of the treebanks are copied to languages/treebanks.

    english, dev: The results of `prepare`.
    RETURNS: The same for all languages, with English.
    """
    paths = {key: folder / "languages" / key for key in english}
    for key, source in english.items():
        copy_texts(source, paths[key] / "en")
    for lang in langs:
        treebank = find_corpus(f"{MORE}/{lang}")
        train = treebank / f"{lang}-ud-train.conllu"
        copy_texts(train, paths["paragraphs"] / lang)
        copy_texts(treebank / f"{lang}-ud-dev.conllu", folder / "languages/treebanks")
        copy_texts(EVERYDAY / lang / "train", paths["documents"] / lang)
        for key in ("train", "dev"):
            (paths[key] / lang).mkdir(parents=True, exist_ok=True)
            source = treebank / f"{lang}-ud-{key}.conllu"
            convert(source, paths[key] / lang / "treebank.spacy", "--lang", lang)
    return paths, [*dev, *(EVERYDAY / lang / "dev" for lang in langs)]


def start_from(weights: str, *, steps: int, rate: float) -> dict[str, object]:
    """Return the settings of a short training that starts from weights."""
    return {
        "components.sentence_identifier.pretrained": weights,
        "training.max_steps": steps,
        "training.eval_frequency": steps,
        "training.optimizer.learn_rate.total_steps": steps,
        "training.optimizer.learn_rate.initial_rate": rate,
    }


def choose_languages(langs: list[str]) -> dict[str, object]:
    """Return the settings that train on these languages in equal shares."""
    return {
        "corpora.train_languages.langs": langs,
        "corpora.train_languages.shares": dict.fromkeys(langs, 1),
        "corpora.dev_languages.langs": langs,
    }


def copy_texts(source: Path, target: Path) -> None:
    """Copy a file, or the files of a folder, into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    for file in [source] if source.is_file() else sorted(source.iterdir()):
        shutil.copy(file, target)


def convert(source: Path, target: Path, *options: str) -> None:
    """Convert a treebank, unless the target exists."""
    if not target.exists():
        sentid("treebank", "convert", source, target, *options)


def sentid(*command: object) -> None:
    """Run a command of spacy-sentid."""
    run("spacy_sentid", *command)


def run(*command: object) -> None:
    """Run a module with this interpreter. Raises CalledProcessError if it fails."""
    subprocess.run([sys.executable, "-m", *map(str, command)], check=True)


if __name__ == "__main__":
    main()
