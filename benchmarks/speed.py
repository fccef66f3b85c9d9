# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Measure speed and memory of the identifier and of spaCy's own sentence splitters, on one core."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import spacy
from corpora import add_data_option
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from spacy_sentid.pipelines import find, load
from spacy_sentid.sentence_identifier.documents import read_documents
from spacy_sentid.treebank import read_treebank

N_REPEATS = 5
SENTER = {"en_core_web_sm's size": (16, 2), "senter": (96, 4)}


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "ud/UD_English-EWT")
    add_data_option(parser, "brown/brown.jsonl", option="--long")  # 1 MB or more
    parser.add_argument(
        "--model",
        action="append",
        help="a pipeline, or a language with bundled weights; repeatable, to time several sets of "
        "weights in one run: the first is measured in all tables; default: en",
    )
    parser.add_argument(
        "--documents",
        type=Path,
        help="whole documents, such as assets/everyday/test, in place of joined units",
    )
    parser.add_argument("--only-words", action="store_true", help="words per second alone")
    parser.add_argument("--one-document", type=float, default=None, help=argparse.SUPPRESS)
    args = parser.parse_args()
    models = args.model or ["en"]
    if args.one_document is not None:
        measure_document(load(models[0]), args.long, args.one_document)
        return
    if args.documents is not None:
        documents = read_documents(args.documents, spacy.blank("en"))
        texts = [document.text for document in documents]
    else:
        # Not the text that the weights were trained on: there they see fewer candidates.
        files = [file for split in ("dev", "test") for file in args.data.glob(f"*{split}.conllu")]
        texts = join_units([unit.text for file in files for unit in read_treebank(file)])
    measure_words_per_second(texts, models)
    if args.only_words:
        return
    measure_start()
    print("\nOne document in one call, the first part of Brown (a process each)\n")
    print("| MB | seconds | words/s | peak memory MB |\n| --- | --- | --- | --- |")
    for megabytes in (0.25, 0.5, 1.0, 5.0):
        sys.stdout.flush()
        command = [sys.executable, __file__, "--long", str(args.long)]
        command += ["--one-document", str(megabytes)]
        command += ["--model", models[0]]
        subprocess.run(command, check=True)


def join_units(units: list[str]) -> list[str]:
    """Join units by spaces to texts of 5 to 30."""
    rng = random.Random(0)
    texts, position = [], 0
    while position < len(units):
        length = rng.randint(5, 30)
        texts.append(" ".join(units[position : position + length]))
        position += length
    return texts


def measure_words_per_second(texts: list[str], models: list[str]) -> None:
    """Time every pipeline on the same texts, in turns, so that a busy machine is fair to all."""
    n_words = sum(len(text.split()) for text in texts)
    pipelines: dict[str, Language] = {"tokenizer alone": spacy.blank("en")}
    pipelines["sentencizer"] = spacy.blank("en")
    pipelines["sentencizer"].add_pipe("sentencizer")
    for name, (width, depth) in SENTER.items():
        pipelines[f"senter w{width} d{depth} ({name})"] = make_senter(width, depth, texts[:20])
    for model in models:
        pipelines[f"sentence_identifier ({model})"] = load(model)
    first = f"sentence_identifier ({models[0]})"
    ours = pipelines[first]
    seconds: dict[str, list[float]] = {name: [] for name in pipelines}
    for _ in range(N_REPEATS + 1):
        for name, nlp in pipelines.items():
            seconds[name].append(timed(lambda nlp=nlp: list(nlp.pipe(texts))))
    best = {name: min(values[1:]) for name, values in seconds.items()}
    senter = next(name for name in best if "w96 d4" in name)
    print(
        f"{n_words:,} words in {len(texts)} texts, one core, {N_REPEATS} rounds, with tokenising\n"
    )
    print(
        "| pipeline | words/s (best) | words/s (median) | against senter w96 d4 "
        f"| against {models[0]} |"
    )
    print("| --- | --- | --- | --- | --- |")
    for name, values in seconds.items():
        median = n_words / statistics.median(values[1:])
        ratio = best[senter] / best[name]
        versus = f"{ratio:.2f}x | {best[first] / best[name]:.2f}x"
        print(f"| {name} | {n_words / best[name]:,.0f} | {median:,.0f} | {versus} |")
    pipe = find(ours, "sentence_identifier")
    batches = [texts[i : i + ours.batch_size] for i in range(0, len(texts), ours.batch_size)]
    shares = []
    for _ in range(N_REPEATS):
        model_seconds = decode_seconds = 0.0
        for batch in batches:
            docs = [ours.make_doc(text) for text in batch]
            start = time.perf_counter()
            prediction = pipe.predict(docs)
            middle = time.perf_counter()
            pipe.set_annotations(docs, prediction)
            decode_seconds += time.perf_counter() - middle
            model_seconds += middle - start
        shares.append(decode_seconds / (model_seconds + decode_seconds))
    print(
        f"\nDecoding and writing spans: {100 * statistics.median(shares):.1f} % of the component's "
        "time (set_annotations against predict + set_annotations)."
    )


def make_senter(width: int, depth: int, texts: list[str]) -> Language:
    """Build an untrained senter; its speed does not depend on its weights."""
    nlp = spacy.blank("en")
    nlp.add_pipe(
        "senter",
        config={
            "model": {
                "@architectures": "spacy.Tagger.v2",
                "tok2vec": {
                    "@architectures": "spacy.HashEmbedCNN.v2",
                    "pretrained_vectors": None,
                    "width": width,
                    "depth": depth,
                    "embed_size": 2000,
                    "window_size": 1,
                    "maxout_pieces": 3 if width > 16 else 2,
                    "subword_features": True,
                },
            }
        },
    )
    docs = [nlp.make_doc(text) for text in texts]
    golds = [
        Doc(nlp.vocab, words=[t.text for t in doc], sent_starts=[t.i == 0 for t in doc])
        for doc in docs
    ]
    nlp.initialize(lambda: [Example(*pair) for pair in zip(docs, golds, strict=True)])
    return nlp


def measure_start() -> None:
    """Time imports in fresh interpreters, and building the pipeline."""
    blank = "import spacy; spacy.blank('en')"
    rows = {
        "python": "pass",
        "import spacy_sentid": "import spacy_sentid",
        "import spacy": "import spacy",
        "spacy.blank('en'), no component entry points": (
            "import spacy.util as u; u.registry._entry_point_factories.get_all = lambda: {}; "
            + blank
        ),
        "spacy.blank('en')": blank,
        "spacy.blank('en') + add_pipe": (
            "import spacy; spacy.blank('en').add_pipe('sentence_identifier')"
        ),
    }
    print("\n| in a fresh interpreter | ms (median of 7) |\n| --- | --- |")
    for name, code in rows.items():
        runs = [
            timed(lambda code=code: subprocess.run([sys.executable, "-c", code], check=True))
            for _ in range(7)
        ]
        print(f"| {name} | {1000 * statistics.median(runs):,.0f} |")


def measure_document(nlp: Language, long: Path, megabytes: float) -> None:
    """Time one call on one document, and print the peak memory of this process."""
    text, size = "", int(megabytes * 1_000_000)
    with long.open(encoding="utf8") as file:
        while len(text) < size:
            text += json.loads(next(file))["text"] + "\n\n"
    text = text[:size]
    nlp.max_length = max(nlp.max_length, size)
    nlp("Warm up.")
    before = peak_megabytes()
    nlp.make_doc(text)
    tokenized = peak_megabytes()
    seconds = timed(lambda: nlp(text))
    words = len(text.split())
    memory = f"{peak_megabytes():,.0f} ({before:,.0f} before, {tokenized:,.0f} with the tokenizer)"
    print(f"| {megabytes:.2f} | {seconds:.2f} | {words / seconds:,.0f} | {memory} |")


def peak_megabytes() -> float:
    """Get the peak memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def timed(call: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
