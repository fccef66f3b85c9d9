"""Training texts of gold units, concatenated again in every epoch (section 6.1, Appendix D).

.spacy files -> units -> groups of consecutive units, noise -> text with random layout -> Examples

The pipeline tokenizes the text of each group as a whole. If it tokenized each unit alone, the last
token of a unit could look different, and the model would learn that.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from spacy.attrs import DEP, HEAD, IDX, IS_SPACE, MORPH, POS, SENT_START, TAG
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ...components.settings import check_choice, check_range
from ...shipped_files import EVERYDAY
from ...text.units import SU, UNSPACED_LANGS
from ..access.units import Keys
from ..data.documents import make_doc, read_documents
from ..data.gold_document import GoldDocument
from .concatenation import LAYOUTS, group_units, join_units
from .documents import find_documents
from .gold_units import GoldUnit, follow_layout, follow_noise, read_gold_units
from .layout import Pieces, join_pieces
from .noise import NoiseRates, add_noise


@dataclass
class UnitCorpus:
    """A reader of .spacy files that yields Examples of concatenated units.

    Call it with a pipeline for one pass.

    path: A .spacy file or a folder of them, with gold in `doc.spans`.
    p_cc: Parameters of the geometric distribution of the number of units in an Example. Each is
        used for an equal share of the Examples. 0 = up to `max_words`.
    max_words: Maximum length of an Example in words (see `units.word_spans`). A longer unit is not
        cut.
    shuffle: Lengths of the excerpts of consecutive units that are shuffled before each pass, so
        that units get new neighbours. A length is drawn for each excerpt. Empty = keep the order of
        the corpus.
    layouts, p_wrap, p_quote, p_no_space: Distribution of the white space; see
        `concatenation.join_units`. In languages written without spaces, there is no space between
        units.
    redraw: Draw new Examples each time the corpus is read; otherwise the same each time. Training
        reads more than once only with `training.max_epochs = -1`, as spaCy lists a finite corpus.
    seed: Random seed. The same seed yields the same Examples in the same order.
    p_augment: Probability of changing the case of a unit, removing its final mark, or both (p_DA in
        the paper, there 0.3).
    p_truncate: Probability of cutting the first unit of an Example at a word, which makes it an
        NSU, and the same for the last unit (p_TR in the paper, there 0.1).
    p_synthetic_nsu: Probability of NSUs of `nsu_documents` before each unit of an Example, and at
        its end. They may make it longer than `max_words`.
    p_list_marker: Probability of a list marker or similar before an SU.
    nsu_documents: Documents with NSUs; see `documents.find_documents`.
    """

    path: Path
    p_cc: list[float]
    max_words: int
    shuffle: list[int]
    layouts: dict[str, float]
    p_wrap: float
    p_quote: float
    p_no_space: float
    redraw: bool
    seed: int
    su_key: str = "su"
    nsu_key: str = "nsu"
    p_augment: float = 0.0
    p_truncate: float = 0.0
    p_synthetic_nsu: float = 0.0
    p_list_marker: float = 0.0
    nsu_documents: str = EVERYDAY
    n_passes: int = field(default=0, init=False)
    _units: list[GoldUnit] = field(default_factory=list, init=False)
    _nsus: list[str] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        for name in (*NoiseRates._fields, "p_wrap", "p_quote", "p_no_space"):
            check_range(name, getattr(self, name), high=1)
        for value in self.p_cc:
            check_range("p_cc", value, high=1)
        for length in self.shuffle:
            check_range("shuffle", length, low=1)
        for layout in self.layouts:
            check_choice("layouts", layout, LAYOUTS)
        if not self.p_cc or not self.layouts:
            raise ValueError(
                f"'p_cc' and 'layouts' must not be empty, got {self.p_cc} and {self.layouts}."
            )

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the Examples of one pass, in random order."""
        if not self._units:
            keys = Keys(self.su_key, self.nsu_key)
            self._units = list(read_gold_units(Path(self.path), nlp.vocab, keys=keys))
            if self.p_synthetic_nsu:
                self._nsus = read_nsus(find_documents(self.nsu_documents), nlp)
        rng = Random(f"{self.seed}-{self.n_passes}")
        self.n_passes += self.redraw
        units = shuffle_excerpts(self._units, self.shuffle, rng)
        lengths = [unit.n_words for unit in units]
        groups = list(group_units(lengths, p_cc=self.p_cc, max_length=self.max_words, rng=rng))
        rng.shuffle(groups)
        noise = NoiseRates(*(getattr(self, name) for name in NoiseRates._fields))
        for group in groups:
            run = [units[i] for i in group]
            if any(noise):
                noisy = add_noise(
                    [(unit.text, unit.label) for unit in run], noise, nsus=self._nsus, rng=rng
                )
                run = [follow_noise(run, unit) for unit in noisy]
            pieces = join_units(
                [(unit.text, unit.label) for unit in run],
                rng=rng,
                layouts=self.layouts,
                p_wrap=self.p_wrap,
                p_quote=self.p_quote,
                p_no_space=1.0 if nlp.lang in UNSPACED_LANGS else self.p_no_space,
            )
            yield self._make_example(run, pieces, nlp)

    def _make_example(self, units: list[GoldUnit], pieces: Pieces, nlp: Language) -> Example:
        text, spans = join_pieces(pieces)
        keys = Keys(self.su_key, self.nsu_key)
        reference = make_doc(GoldDocument(text, spans), nlp, keys)
        pairs = zip(units, pieces, strict=True)
        laid_out = [follow_layout(unit, piece.text) for unit, piece in pairs]
        copy_syntax(reference, laid_out, [span.start for span in spans])
        return Example(nlp.make_doc(text), reference)


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


def shuffle_excerpts(units: list[GoldUnit], lengths: list[int], rng: Random) -> list[GoldUnit]:
    """Cut a sequence of units into excerpts of random length, and shuffle the excerpts."""
    if not lengths:
        return units
    excerpts, start = [], 0
    while start < len(units):
        length = rng.choice(lengths)
        excerpts.append(units[start : start + length])
        start += length
    rng.shuffle(excerpts)
    return [unit for excerpt in excerpts for unit in excerpt]


def copy_syntax(doc: Doc, units: list[GoldUnit], starts: list[int]) -> None:
    """Copy tags and trees to the tokens that start at the same character as a gold token.

    Tokens with an unknown gold head, including white space, get no head and no relation. Sentence
    starts are the starts of units. If a unit has no tree, no heads are set in the whole text.

    starts: The first character of each unit in the text.
    """
    rows = doc.to_array([IDX, IS_SPACE]).reshape(len(doc), 2).astype("int64")
    indices = np.flatnonzero(rows[:, 1] == 0)
    token_starts = rows[indices, 0]
    sent_starts: Any = np.where(np.isin(rows[:, 0], starts) & (rows[:, 1] == 0), 1, -1)
    gold = np.concatenate([unit.tokens for unit in units])
    lengths = [len(unit.tokens) for unit in units]
    gold_starts = np.repeat(starts, lengths) + gold[:, 0]
    found = np.searchsorted(token_starts, gold_starts).clip(max=len(token_starts) - 1)
    same = (token_starts[found] == gold_starts) & (gold[:, 0] >= 0)
    token = np.where(same, indices[found], -1)  # of each gold token
    annotation: Any = np.zeros((len(doc), 5), dtype="int64")
    annotation[token[same], :4] = gold[same, 1:5]
    if all(unit.has_tree for unit in units if len(unit.tokens)):
        head = token[np.arange(len(gold)) + gold[:, 5]]
        attached = same & (head >= 0)
        annotation[token[same & ~attached], 3] = 0  # DEP
        annotation[token[attached], 4] = head[attached] - token[attached]
        doc.from_array([TAG, POS, MORPH, DEP, HEAD], annotation.astype("uint64"))
    else:
        doc.from_array([TAG, POS, MORPH, DEP], annotation[:, :4].astype("uint64"))
    doc.from_array([SENT_START], sent_starts.reshape(-1, 1).astype("uint64"))
