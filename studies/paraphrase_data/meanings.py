"""Word vectors from a pretrained encoder, for the lexicon of the tagger.

words, open text -> input embeddings, states of words in text -> principal components -> 8 bits

A word that occurs fewer than MIN_SEEN times in the text has the states of the word alone. Requires
torch and transformers.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from spacy_sentid.arrays import Floats2d, Floats3d
from spacy_sentid.paraphrase_tagger.matching.word_table import N_BINS, count_letter_groups
from spacy_sentid.paraphrase_tagger.matching.words import find_core

# Layers of the encoder whose states are used.
LAYERS = (4, 6)
MIN_SEEN = 3
BATCH_SIZE = 64
# Maximum number of pieces of a word.
MAX_PIECES = 12
TEXT_COMMENT = "# text = "
# Ridge penalty, which keeps the vectors of unknown words small. It counts like this many words per
# letter group.
RIDGE = 20.0
WORD = re.compile(r"n't|'\w+|\w+(?=n't)|[\w-]+")


def make_vectors(
    words: Sequence[str], texts: Iterable[str], encoder: Path, width: int
) -> tuple[Floats2d, Floats2d]:
    """Make the vectors of words and of letter groups.

    words: The words, most frequent first.
    RETURNS: Vectors of size 1, shape (n_words, width), and a matrix, shape (N_BINS, width), that
        maps the letter groups of other words to vectors (see `word_table.count_letter_groups`).
    """
    from transformers import AutoModel, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(encoder)
    model = AutoModel.from_pretrained(encoder).eval()
    embedded, alone = encode_words(words, tokenizer, model)
    means, n_seen = average_states(words, texts, tokenizer, model)
    is_seen = n_seen >= MIN_SEEN
    parts = [_center(embedded)]
    for layer in range(len(LAYERS)):
        states = _center(alone[:, layer])
        if is_seen.any():
            states[is_seen] = _center(means[is_seen, layer])
        parts.append(states)
    vectors = reduce_vectors(np.concatenate(parts, axis=1), width)
    groups = count_letter_groups(list(words))
    normal = groups.T @ groups + RIDGE * np.eye(N_BINS)
    found: Floats2d = np.linalg.solve(normal, groups.T @ vectors)
    return vectors, found


def read_texts(path: Path) -> list[str]:
    """Read the texts of the sentences of a CoNLL-U file."""
    lines = path.read_text(encoding="utf8").splitlines()
    return [line.removeprefix(TEXT_COMMENT) for line in lines if line.startswith(TEXT_COMMENT)]


def encode_words(words: Sequence[str], tokenizer: Any, model: Any) -> tuple[Floats2d, Floats3d]:
    """Encode words without context, as means over their pieces.

    RETURNS: Input embeddings, shape (n_words, n), and states, shape (n_words, n_layers, n).
    """
    import torch

    embeddings = model.embeddings.word_embeddings.weight.detach()
    embedded, states = [], []
    with torch.no_grad():
        for start in range(0, len(words), BATCH_SIZE):
            batch = list(words[start : start + BATCH_SIZE])
            inputs = tokenizer(
                batch, padding=True, return_tensors="pt", truncation=True, max_length=MAX_PIECES
            )
            hidden = model(**inputs, output_hidden_states=True).hidden_states
            mask = inputs["attention_mask"].float()
            mask[torch.arange(len(batch)), inputs["attention_mask"].sum(1) - 1] = 0  # [SEP]
            mask[:, 0] = 0  # [CLS]
            mask = (mask / mask.sum(1, keepdim=True).clamp(min=1))[:, :, None]
            embedded.append((embeddings[inputs["input_ids"]] * mask).sum(1).numpy())
            means = [(hidden[layer] * mask).sum(1).numpy() for layer in LAYERS]
            states.append(np.stack(means, axis=1))
    return np.concatenate(embedded), np.concatenate(states)


def average_states(
    words: Sequence[str], texts: Iterable[str], tokenizer: Any, model: Any
) -> tuple[Floats3d, Any]:
    """Average the states of words over texts.

    RETURNS: Mean states, shape (n_words, n_layers, n), and counts of the words, shape (n_words,).
    """
    import torch

    rows = {word: row for row, word in enumerate(words)}
    sums = np.zeros((len(words), len(LAYERS), model.config.hidden_size), dtype="float32")
    n_seen = np.zeros(len(words), dtype="int64")
    lines = sorted(texts, key=len)
    with torch.no_grad():
        for start in range(0, len(lines), BATCH_SIZE):
            batch = lines[start : start + BATCH_SIZE]
            inputs = tokenizer(
                batch,
                padding=True,
                return_tensors="pt",
                truncation=True,
                max_length=128,
                return_offsets_mapping=True,
            )
            offsets = inputs.pop("offset_mapping").numpy()
            hidden = model(**inputs, output_hidden_states=True).hidden_states
            states = np.stack([hidden[layer].numpy() for layer in LAYERS], axis=2)
            for text, places, state in zip(batch, offsets, states, strict=True):
                for match in WORD.finditer(text):
                    row = rows.get(find_core(match.group()))
                    pieces = (places[:, 0] >= match.start()) & (places[:, 1] <= match.end())
                    pieces &= places[:, 1] > places[:, 0]
                    if row is not None and pieces.any():
                        sums[row] += state[pieces].mean(axis=0)
                        n_seen[row] += 1
    return sums / np.maximum(n_seen, 1)[:, None, None], n_seen


def _center(vectors: Floats2d) -> Floats2d:
    """Shift vectors to mean 0, and scale each to size 1."""
    centered = vectors - vectors.mean(axis=0)
    sizes = np.linalg.norm(centered, axis=1, keepdims=True)
    scaled: Floats2d = centered / np.maximum(sizes, 1e-6)
    return scaled


def reduce_vectors(vectors: Floats2d, width: int) -> Floats2d:
    """Compute principal components with more equal variances, and scale vectors to size 1."""
    centered = vectors - vectors.mean(axis=0)
    *_, components = np.linalg.svd(centered, full_matrices=False)
    reduced: Floats2d = centered @ components[:width].T
    reduced /= np.sqrt(reduced.std(axis=0))
    reduced /= np.maximum(np.linalg.norm(reduced, axis=1, keepdims=True), 1e-6)
    return reduced
