"""Single units of a corpus with the gold of their tokens.

.spacy files -> GoldUnits; a unit with noise or another layout -> the gold of its remaining tokens
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, IDX, MORPH, POS, TAG
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ...arrays import Bools1d, Ints2d
from ...text.units import NSU, SU, count_words, word_spans
from ..data.convert import read_docs
from .noise import NoisyUnit


class GoldUnit(NamedTuple):
    """One unit of a corpus, without its document."""

    text: str
    label: str
    n_words: int  # see `units.word_spans`
    # (n_tokens, 6), for each gold token: character offset in `text`; TAG, POS, MORPH, DEP (0 =
    # unknown); distance to the head in tokens. Heads are in the same unit. Distance 0 without DEP
    # means that the head is unknown.
    tokens: Ints2d
    has_tree: bool


def read_gold_units(path: Path, vocab: Vocab, *, keys: tuple[str, str]) -> Iterator[GoldUnit]:
    """Read the units in the span groups `keys` (SU, NSU) of .spacy files, in text order."""
    files = [path] if path.is_file() else sorted(path.glob("**/*.spacy")) if path.is_dir() else []
    if not files:
        raise ValueError(
            f"The corpus must be a .spacy file or a folder of them, got {path}. Make one with "
            "'spacy-sentid treebank convert'."
        )
    for file in files:
        for doc in read_docs(file, vocab):
            if keys[0] not in doc.spans:
                raise ValueError(
                    f"{file}: every Doc must have gold in spans[{keys[0]!r}], got the keys "
                    f"{', '.join(doc.spans) or 'none'}. Convert the corpus with 'spacy-sentid "
                    "treebank convert', or set 'su_key' to the key of the SUs."
                )
            yield from _units_of_doc(doc, keys)


def _units_of_doc(doc: Doc, keys: tuple[str, str]) -> Iterator[GoldUnit]:
    rows = doc.to_array([IDX, TAG, POS, MORPH, DEP, HEAD]).reshape(len(doc), 6).astype("int64")
    has_tree = doc.has_annotation("DEP")
    spans = [(span, SU) for span in doc.spans[keys[0]]]
    spans += [(span, NSU) for span in doc.spans.get(keys[1], [])]
    for span, label in sorted(spans, key=lambda pair: pair[0].start):
        tokens = rows[span.start : span.end].copy()
        tokens[:, 0] -= span.start_char
        n_words = count_words(span.text)
        if n_words:
            kept = np.ones(len(tokens), dtype=bool)
            yield GoldUnit(span.text, label, n_words, _select_tokens(tokens, kept), has_tree)


def _select_tokens(tokens: Ints2d, kept: Bools1d) -> Ints2d:
    """Keep some gold tokens of a unit; tokens whose head is removed get no head."""
    index = np.cumsum(kept) - 1  # new index of each kept token
    heads = np.arange(len(tokens)) + tokens[:, 5]
    attached = (heads >= 0) & (heads < len(tokens))
    attached[attached] = kept[heads[attached]]
    selected = tokens.copy()
    selected[attached, 5] = index[heads[attached]] - index[attached]
    selected[~attached, 4:] = 0  # DEP, distance
    return selected[kept]


def follow_noise(units: list[GoldUnit], noisy: NoisyUnit) -> GoldUnit:
    """Convert the gold of a unit to that of the same unit with noise.

    units: Units of the text that the noise was added to.
    """
    n_words = count_words(noisy.text)
    if noisy.source is None:
        return GoldUnit(noisy.text, noisy.label, n_words, np.zeros((0, 6), dtype="int64"), False)
    unit = units[noisy.source]
    chars = [noisy.find_char(char) for char in unit.tokens[:, 0].tolist()]
    tokens = unit.tokens.copy()
    tokens[:, 0] = [-1 if char is None else char for char in chars]
    kept = tokens[:, 0] >= 0
    return GoldUnit(noisy.text, noisy.label, n_words, _select_tokens(tokens, kept), unit.has_tree)


def follow_layout(unit: GoldUnit, text: str) -> GoldUnit:
    """Convert the gold of a unit to that of the same unit in another layout.

    text: The unit with other white space, and perhaps quote marks at the starts of lines. Each word
        is found at its next occurrence. A token of a word that is not found has the offset -1.
    """
    if text == unit.text or not len(unit.tokens):
        return unit._replace(text=text)
    spans = word_spans(unit.text)
    places: list[int] = []
    position = 0
    for start, end in spans:
        place = text.find(unit.text[start:end], position)
        places.append(place)
        position = max(position, place + end - start)
    before, after = np.asarray([start for start, _ in spans]), np.asarray(places)
    tokens = unit.tokens.copy()
    word = np.searchsorted(before, tokens[:, 0], side="right") - 1
    moved = after[word] + tokens[:, 0] - before[word]
    tokens[:, 0] = np.where(after[word] < 0, -1, moved)
    return unit._replace(text=text, tokens=tokens)
