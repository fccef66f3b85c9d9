"""Make the word vectors of the bundled identifier from a pretrained encoder.

    python -m studies.weights.word_vectors vectors.npz --encoder FOLDER

frequent words -> input embeddings and states of the word alone -> principal components -> 8 bits

Needs torch, transformers and wordfreq (whose list of frequent words is CC BY-SA 4.0). The encoder
of the bundled weights is all-MiniLM-L6-v2 (Apache-2.0).
"""

import argparse
import re
from pathlib import Path
from typing import Any

import numpy as np
from spacy.strings import get_string_id

from spacy_sentid.arrays import Floats2d
from spacy_sentid.sentence_identifier.network.word_vectors import SCALE, WordVectors

# Layers whose states are concatenated with the input embeddings.
LAYERS = (1, 3)
# The principal components are fitted on this number of most frequent words.
N_PRINCIPAL = 20_000
CLITICS = ("n't", "'s", "'m", "'re", "'ve", "'ll", "'d")
WHOLE_WORD = re.compile(r"[a-z']{2,}|[a-z]")


def main() -> None:
    """Write the table of word vectors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--encoder", required=True, help="name on the hub, or folder")
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--words", type=int, default=40_000, help="number of frequent words")
    args = parser.parse_args()
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(args.encoder)
    model = AutoModel.from_pretrained(args.encoder).eval()
    words = list_words(tokenizer, args.words)
    vectors = reduce_vectors(encode_words(words, tokenizer, model), args.width)
    table = make_table(words, vectors)
    np.savez(args.out, keys=table.keys, rows=table.rows)
    print(f"{len(table.keys):,} words, {table.rows.nbytes:,} bytes")


def list_words(tokenizer: Any, n_frequent: int) -> list[str]:
    """List frequent words, and the whole words in the vocabulary of the encoder."""
    from wordfreq import top_n_list

    words = dict.fromkeys(top_n_list("en", n_frequent))
    words.update(
        dict.fromkeys(word for word in tokenizer.get_vocab() if WHOLE_WORD.fullmatch(word))
    )
    words.update(dict.fromkeys(CLITICS))
    return list(words)


def encode_words(words: list[str], tokenizer: Any, model: Any, batch_size: int = 512) -> Floats2d:
    """Encode each word without context.

    RETURNS: Means over the pieces of each word, shape (n_words, n).
    """
    import torch

    embeddings = model.embeddings.word_embeddings.weight.detach()
    rows = []
    with torch.no_grad():
        for start in range(0, len(words), batch_size):
            batch = words[start : start + batch_size]
            inputs = tokenizer(
                batch, padding=True, return_tensors="pt", truncation=True, max_length=12
            )
            states = model(**inputs, output_hidden_states=True).hidden_states
            lengths = inputs["attention_mask"].sum(1)
            mask = inputs["attention_mask"].float()
            mask[:, 0] = 0  # [CLS]
            mask[torch.arange(len(batch)), lengths - 1] = 0  # [SEP]
            mask = (mask / mask.sum(1, keepdim=True).clamp(min=1))[:, :, None]
            parts = [embeddings[inputs["input_ids"]], *(states[layer] for layer in LAYERS)]
            means = [(part * mask).sum(1) for part in parts]
            scaled = [mean / mean.norm(dim=1, keepdim=True).clamp(min=1e-6) for mean in means]
            rows.append(torch.cat(scaled, 1).numpy())
    vectors: Floats2d = np.concatenate(rows).astype("float32")
    return vectors


def reduce_vectors(vectors: Floats2d, width: int) -> Floats2d:
    """Reduce vectors to their principal components.

    Each component is divided by the square root of its size, so that large ones do not dominate.
    RETURNS: Shape (n_words, width), with a root mean square of 1.
    """
    vectors = vectors - vectors[:N_PRINCIPAL].mean(axis=0)
    vectors /= vectors[:N_PRINCIPAL].std(axis=0) + 1e-6
    frequent = vectors[:N_PRINCIPAL]
    *_, components = np.linalg.svd(frequent - frequent.mean(axis=0), full_matrices=False)
    reduced: Floats2d = vectors @ components[:width].T
    reduced /= np.sqrt(np.sqrt((reduced**2).mean(axis=0)))
    reduced /= np.sqrt((reduced**2).mean())
    return reduced


def make_table(words: list[str], vectors: Floats2d) -> WordVectors:
    """Make the table. Words without a vector are excluded."""
    known = np.isfinite(vectors).all(axis=1) & vectors.any(axis=1)
    ids = [get_string_id(word) for word in np.asarray(words)[known].tolist()]
    keys, first = np.unique(np.asarray(ids, dtype="uint64"), return_index=True)
    rows = np.clip(np.round(vectors[known] / SCALE), -127, 127).astype("int8")
    return WordVectors(keys, rows[first])


if __name__ == "__main__":
    main()
