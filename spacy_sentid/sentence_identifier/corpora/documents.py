"""Training texts of whole documents, with a new layout in every epoch, and mixtures of corpora.

documents -> excerpts of units -> random layout -> text -> Examples with spans of SUs and NSUs
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from spacy.language import Language
from spacy.training import Example

from ...components.settings import check_choice, check_range
from ...shipped_files import EVERYDAY, find_shipped
from ...text.units import count_words
from ..access.units import Keys
from ..data.documents import make_doc, read_documents
from ..data.gold_document import GoldDocument
from .layout import LAYOUT_CHANGES, Pieces, change_layout, join_pieces, split_document


def find_documents(path: Path | str) -> Path:
    """Find documents: "everyday" means the English training texts that come with the package.

    A file or folder of that name comes first.
    """
    path = Path(path)
    return find_shipped(EVERYDAY) if path == Path(EVERYDAY) and not path.exists() else path


@dataclass
class DocumentCorpus:
    """A reader of whole documents in their layout, which yields Examples.

    Call it with a pipeline for one pass.

    path: A file or a folder; see `find_documents` and `documents.read_documents`.
    max_words: Maximum length of an Example in words. A longer document is cut between units.
    p_excerpt: Probability that a document is cut into short excerpts of units.
    p_layout: Probability of each change of the layout; see `layout.LAYOUT_CHANGES`.
    redraw: Draw new Examples each time the corpus is read; otherwise the same each time.
    seed: Random seed. The same seed yields the same Examples in the same order.
    split: Only read the files of this split in a folder. "train" matches train.jsonl and
        en_ewt-ud-train.conllu. None = all files.
    ignore_list_marks: In treebanks, do not count a list mark annotated as `discourse` as evidence
        for an SU.
    """

    path: Path
    max_words: int
    p_excerpt: float
    p_layout: dict[str, float]
    redraw: bool
    seed: int
    split: str | None = None
    su_key: str = "su"
    nsu_key: str = "nsu"
    ignore_list_marks: bool = False
    n_passes: int = field(default=0, init=False)
    _documents: list[Pieces] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        check_range("p_excerpt", self.p_excerpt, high=1)
        check_range("max_words", self.max_words, low=1)
        for name, rate in self.p_layout.items():
            check_choice("p_layout", name, tuple(LAYOUT_CHANGES))
            check_range(f"p_layout.{name}", rate, high=1)

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the Examples of one pass, in random order."""
        keys = Keys(self.su_key, self.nsu_key)
        if not self._documents:
            found = read_documents(
                find_documents(self.path),
                nlp,
                split=self.split,
                keys=keys,
                ignore_list_marks=self.ignore_list_marks,
            )
            self._documents = [split_document(text, units) for text, units, *_ in found]
        rng = Random(f"{self.seed}-{self.n_passes}")
        self.n_passes += self.redraw
        excerpts = [
            excerpt
            for pieces in self._documents
            for excerpt in cut_document(pieces, self.max_words, self.p_excerpt, rng)
        ]
        rng.shuffle(excerpts)
        for excerpt in excerpts:
            text, units = join_pieces(change_layout(excerpt, self.p_layout, rng))
            if text.strip():
                reference = make_doc(GoldDocument(text, units), nlp, keys)
                yield Example(nlp.make_doc(text), reference)


def cut_document(pieces: Pieces, max_words: int, p_excerpt: float, rng: Random) -> Iterator[Pieces]:
    """Cut a document into excerpts of at most `max_words`, or into random short excerpts."""
    if rng.random() < p_excerpt:
        start = 0
        while start < len(pieces):
            end = start + rng.choice([1, 2, 3, 5, 8, 13])
            yield _without_first_gap(pieces[start:end])
            start = end
        return
    excerpt: Pieces = []
    n_words = 0
    # The first excerpt of a long document has a random length, so that the cuts vary.
    limit = rng.randint(max_words // 2, max_words)
    for piece in pieces:
        n = count_words(piece.text)
        if excerpt and n_words + n > limit:
            yield _without_first_gap(excerpt)
            excerpt, n_words, limit = [], 0, max_words
        excerpt.append(piece)
        n_words += n
    if excerpt:
        yield _without_first_gap(excerpt)


def _without_first_gap(pieces: Pieces) -> Pieces:
    """Remove the white space before an excerpt, except the indentation of its first line."""
    _, line_end, indentation = pieces[0].gap.rpartition("\n")
    return [pieces[0]._replace(gap=indentation if line_end else ""), *pieces[1:]]


@dataclass
class MixedCorpus:
    """A reader that mixes corpora by tokens, for training with `max_epochs = -1`.

    Call it with a pipeline for one pass. It ends with the first corpus. Other corpora that end
    before it start again.

    corpora: Readers, by names that you choose. Set their `redraw`, as each pass reads all of them
        from the start.
    shares: Share of the tokens for each corpus, a number of at least 0. Only the proportions
        matter.
    """

    corpora: dict[str, Any]
    shares: dict[str, float]

    def __post_init__(self) -> None:
        for name, share in self.shares.items():
            check_range(f"shares.{name}", share)
        if set(self.corpora) != set(self.shares) or not any(self.shares.values()):
            raise ValueError(
                "'shares' must have a number for each corpus, at least one above 0, got "
                f"{self.shares} for {', '.join(self.corpora)}."
            )

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield Examples, each from the corpus that is furthest below its share."""
        streams = {name: self.corpora[name](nlp) for name, share in self.shares.items() if share}
        n_tokens = dict.fromkeys(streams, 0)
        first = next(iter(streams))
        while True:
            name = min(streams, key=lambda name: n_tokens[name] / self.shares[name])
            example = next(streams[name], None)
            if example is None:
                if name == first and n_tokens[name]:
                    return
                streams[name] = self.corpora[name](nlp)
                example = next(streams[name], None)
                if example is None:
                    raise ValueError(f"Every corpus must have Examples, got none from {name!r}.")
            n_tokens[name] += len(example)
            yield example
