"""Training texts of gold units, concatenated again in every epoch (section 6.1, Appendix D).

.spacy files -> units -> groups of consecutive units, noise -> text with random layout -> Examples

The pipeline tokenizes the text of each group as a whole. If it tokenized each unit alone, the last
token of a unit could look different, and the model would learn that.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, IS_SPACE, MORPH, ORTH, POS, SENT_START, SPACY, TAG
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example

from ...arrays import Ints1d
from ...components.settings import check_choice, check_range
from ...text.units import SU, UNSPACED_LANGS
from ..data.documents import read_documents
from ..learning.gold import token_characters
from .concatenation import LAYOUTS, Concatenation, concatenate_units, group_units
from .gold_units import GoldUnit, follow_noise, read_gold_units
from .noise import NoiseRates, add_noise


def make_unit_corpus(
    path: Path,
    p_cc: list[float],
    max_words: int,
    shuffle: list[int],
    layouts: dict[str, float],
    p_wrap: float,
    p_quote: float,
    p_no_space: float,
    redraw: bool,
    seed: int,
    su_key: str = "su",
    nsu_key: str = "nsu",
    p_augment: float = 0.0,
    p_truncate: float = 0.0,
    p_synthetic_nsu: float = 0.0,
    p_list_marker: float = 0.0,
    nsu_documents: Path | None = None,
) -> Callable[[Language], Iterator[Example]]:
    """Create a reader of .spacy files that yields Examples of concatenated units.

    path: A .spacy file or a folder of them, with gold in `doc.spans`.
    p_cc: Parameters of the geometric distribution of the number of units in an Example. Each is
        used for an equal share of the Examples. 0 = up to `max_words`.
    max_words: Maximum length of an Example in words (see `units.word_spans`). A longer unit is not
        cut.
    shuffle: Lengths of the stretches of consecutive units that are shuffled before each pass, so
        that units get new neighbours. A length is drawn for each stretch. Empty = keep the order of
        the corpus.
    layouts, p_wrap, p_quote, p_no_space: Distribution of the white space; see
        `concatenation.concatenate_units`. In languages written without spaces, there is no space
        between units.
    redraw: Draw new Examples each time the corpus is read; otherwise the same each time. Training
        reads more than once only with `training.max_epochs = -1`, as spaCy lists a finite corpus.
    seed: Random seed. The same seed yields the same Examples in the same order.
    p_augment: Probability of changing the case of a unit, removing its final mark, or both (p_DA in
        the paper, there 0.3).
    p_truncate: Probability of cutting the first unit of an Example at a word, which makes it an
        NSU, and the same for the last unit (p_TR in the paper, there 0.1).
    p_synthetic_nsu: Probability of synthetic NSUs before each unit of an Example, and at its end.
        They may make it longer than `max_words`.
    p_list_marker: Probability of a list marker or similar before an SU.
    nsu_documents: Documents whose NSUs replace the synthetic ones; see `documents.read_documents`.
        None = synthetic NSUs.
    """
    noise = NoiseRates(p_augment, p_truncate, p_synthetic_nsu, p_list_marker)
    white_space = {"p_wrap": p_wrap, "p_quote": p_quote, "p_no_space": p_no_space}
    for name, value in {**white_space, **noise._asdict()}.items():
        check_range(name, value, high=1)
    for value in p_cc:
        check_range("p_cc", value, high=1)
    for length in shuffle:
        check_range("shuffle", length, low=1)
    for layout in layouts:
        check_choice("layouts", layout, LAYOUTS)
    if not p_cc or not layouts:
        raise ValueError(f"'p_cc' and 'layouts' must not be empty, got {p_cc} and {layouts}.")
    return UnitCorpus(
        Path(path),
        p_cc=p_cc,
        max_words=max_words,
        shuffle=shuffle,
        white_space={"layouts": layouts, **white_space},
        noise=noise,
        redraw=redraw,
        seed=seed,
        keys=(su_key, nsu_key),
        nsu_documents=Path(nsu_documents) if nsu_documents else None,
    )


@dataclass
class UnitCorpus:
    """A reader created by `make_unit_corpus`; call it with `nlp` for one pass."""

    path: Path
    p_cc: list[float]
    max_words: int
    shuffle: list[int]
    white_space: dict[str, Any]  # see `concatenation.concatenate_units`
    noise: NoiseRates
    redraw: bool
    seed: int
    keys: tuple[str, str]
    nsu_documents: Path | None = None
    n_passes: int = 0
    _units: list[GoldUnit] = field(default_factory=list)
    _nsus: list[str] = field(default_factory=list)

    def in_folder(self, name: str) -> "UnitCorpus":
        """Return the same reader for a subfolder of each path."""
        documents = self.nsu_documents and self.nsu_documents / name
        return replace(self, path=self.path / name, nsu_documents=documents, _units=[], _nsus=[])

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the Examples of one pass, in random order."""
        if not self._units:
            self._units = list(read_gold_units(self.path, nlp.vocab, keys=self.keys))
            if self.nsu_documents is not None:
                self._nsus = read_nsus(self.nsu_documents, nlp)
        rng = Random(f"{self.seed}-{self.n_passes}")
        self.n_passes += self.redraw
        units = shuffle_stretches(self._units, self.shuffle, rng)
        lengths = [unit.n_words for unit in units]
        groups = list(group_units(lengths, p_cc=self.p_cc, max_length=self.max_words, rng=rng))
        rng.shuffle(groups)
        white_space = self.white_space
        if nlp.lang in UNSPACED_LANGS:
            white_space = {**white_space, "p_no_space": 1.0}
        texts = [unit.text for unit in units]
        for group in groups:
            run = [units[i] for i in group]
            if any(self.noise):
                pairs = [(unit.text, unit.label) for unit in run]
                noisy = add_noise(pairs, self.noise, corpus=texts, nsus=self._nsus, rng=rng)
                run = [follow_noise(run, unit) for unit in noisy]
            yield make_example(run, nlp, self.keys, rng, white_space)


def read_nsus(path: Path, nlp: Language) -> list[str]:
    """Read the NSUs of documents, with their white space replaced by single spaces.

    Raises ValueError if the documents have no NSU.
    """
    nsus = [
        " ".join(document.text[unit.start : unit.end].split())
        for document in read_documents(path, nlp)
        for unit in document.units
        if unit.label != SU
    ]
    if not nsus:
        raise ValueError(f"{path}: the documents must have NSUs, got none.")
    return nsus


def shuffle_stretches(units: list[GoldUnit], lengths: list[int], rng: Random) -> list[GoldUnit]:
    """Cut a sequence of units into stretches of random length, and shuffle the stretches."""
    if not lengths:
        return units
    stretches, start = [], 0
    while start < len(units):
        length = rng.choice(lengths)
        stretches.append(units[start : start + length])
        start += length
    rng.shuffle(stretches)
    return [unit for stretch in stretches for unit in stretch]


def make_example(
    units: list[GoldUnit], nlp: Language, keys: tuple[str, str], rng: Random, white_space: dict
) -> Example:
    """Join units into one text and create an Example with the pipeline's tokens on both sides."""
    labels = [unit.label for unit in units]
    texts = [unit.text for unit in units]
    joined = concatenate_units(texts, labels, rng=rng, **white_space)
    predicted = nlp.make_doc(joined.text)
    starts, _ = token_characters(predicted)
    can_touch = white_space["p_no_space"] or white_space["layouts"].get("none")
    if can_touch and not np.isin([start for start, _ in joined.units], starts).all():
        # A boundary inside a token cannot be gold, so join the units again with spaces.
        layouts = dict(white_space["layouts"])
        layouts["space"] = layouts.get("space", 0.0) + layouts.pop("none", 0.0)
        apart = {**white_space, "layouts": layouts, "p_no_space": 0.0}
        joined = concatenate_units(texts, labels, rng=rng, **apart)
        predicted = nlp.make_doc(joined.text)
        starts, _ = token_characters(predicted)
    rows = predicted.to_array([ORTH, SPACY, IS_SPACE]).reshape(len(predicted), 3)
    spaces = (rows[:, 1] == 1).tolist()
    reference = Doc(nlp.vocab, words=rows[:, 0].tolist(), spaces=spaces)
    indices = np.flatnonzero(rows[:, 2] == 0)
    groups: dict[str, list[Span]] = {key: [] for key in keys}
    sentence_starts = []
    taken = 0
    for (start_char, end_char), label in zip(joined.units, labels, strict=True):
        start = max(int(np.searchsorted(starts, start_char)), taken)
        end = int(np.searchsorted(starts, end_char))
        if end > start:
            first, last = int(indices[start]), int(indices[end - 1])
            key = keys[0] if label == SU else keys[1]
            groups[key].append(Span(reference, first, last + 1, label=label))
            sentence_starts.append(first)
            taken = end
    _copy_syntax(reference, sentence_starts, indices, starts, units, joined)
    for key, spans in groups.items():
        reference.spans[key] = SpanGroup(reference, name=key, spans=spans)
    return Example(predicted, reference)


def _copy_syntax(
    reference: Doc,
    sentence_starts: list[int],
    indices: Ints1d,
    starts: Ints1d,
    units: list[GoldUnit],
    joined: Concatenation,
) -> None:
    """Copy tags and trees to the tokens that start at the same character as a gold token.

    Tokens with an unknown gold head, including white space, get no head and no relation. Sentence
    starts are the starts of units. If a unit has no tree, no heads are set in the whole text.
    """
    if not len(starts):
        return
    places, rows, head_rows = [], [], []
    offset = 0
    for unit, words in zip(units, joined.words, strict=True):
        before, after = np.asarray(words, dtype="int64").T
        offsets = unit.tokens[:, 0]
        word = np.searchsorted(before, offsets, side="right") - 1
        places.append(after[word] + offsets - before[word])
        rows.append(unit.tokens[:, 1:5])
        head_rows.append(offset + np.arange(len(offsets)) + unit.tokens[:, 5])
        offset += len(offsets)
    gold_starts = np.concatenate(places)
    found = np.minimum(np.searchsorted(starts, gold_starts), len(starts) - 1)
    same = starts[found] == gold_starts
    token = np.where(same, indices[found], -1)  # of each gold token
    annotation: Any = np.zeros((len(reference), 5), dtype="int64")
    annotation[token[same], :4] = np.concatenate(rows)[same]
    if not all(unit.has_tree for unit in units if len(unit.tokens)):
        annotation[:, 4] = -1
        annotation[sentence_starts, 4] = 1
        reference.from_array([TAG, POS, MORPH, DEP, SENT_START], annotation.astype("uint64"))
        return
    head = token[np.concatenate(head_rows)]
    attached = same & (head >= 0)
    annotation[token[same & ~attached], 3] = 0  # DEP
    annotation[token[attached], 4] = head[attached] - token[attached]
    reference.from_array([TAG, POS, MORPH, DEP, HEAD], annotation.astype("uint64"))
    starts_column: Any = np.full((len(reference), 1), -1, dtype="int64")
    starts_column[sentence_starts] = 1
    reference.from_array([SENT_START], starts_column.astype("uint64"))
