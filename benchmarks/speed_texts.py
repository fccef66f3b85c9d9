"""Read the texts of speed.py: different ones in each round, as in a stream of texts.

EWT dev and test, Brown -> short: single units; medium: 5 to 30 of them joined; alone: 20 words
Brown -> long: documents of a number of words, in paragraphs or without a line end
"""

import random
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from sentence_texts import cut_paragraphs, read_brown

from spacy_sentid.conllu.treebank import read_treebank

N_ALONE = 20  # words
N_CALLS = 100  # texts of kind "alone" in a round
N_SENTENCES = 30_000  # last sentences of Brown; long documents are from its beginning
N_WARM_UP = 20  # texts


# Units of each kind of text, by their number modulo 10, so that no unit is read twice.
SHARES = {"short": range(2), "medium": range(2, 9), "alone": range(9, 10)}


class Rounds(NamedTuple):
    """The texts of each round, and those of the warm-up."""

    warm_up: list[str]
    texts: list[list[str]]

    @property
    def n_words(self) -> list[int]:
        """Number of words in each round."""
        return [sum(len(text.split()) for text in texts) for texts in self.texts]


def read_units(folder: Path, brown: Path) -> list[str]:
    """Read the units of dev and test of EWT, and the last sentences of Brown.

    The train part is left out because our weights were trained on it. Without Brown, rounds would
    be too short.
    """
    files = [file for split in ("dev", "test") for file in sorted(folder.glob(f"*{split}.conllu"))]
    if not files:
        raise ValueError(f"--data must have dev and test of a treebank, got none in {folder}.")
    sentences = [
        text.text[start:end].strip()
        for text in read_brown(brown)
        for start, end in pairwise([0, *text.ends])
    ]
    return [unit.text for file in files for unit in read_treebank(file)] + sentences[-N_SENTENCES:]


def join_units(units: Sequence[str]) -> list[str]:
    """Join units by spaces to texts of 5 to 30 units."""
    rng = random.Random(0)
    texts, position = [], 0
    while position < len(units):
        length = rng.randint(5, 30)
        texts.append(" ".join(units[position : position + length]))
        position += length
    return texts


def share(units: Sequence[str], kind: str) -> list[str]:
    """Select the units of a kind of text.

    >>> share([str(n) for n in range(20)], "alone")
    ['9', '19']
    """
    return [unit for n, unit in enumerate(units) if n % 10 in SHARES[kind]]


def deal(texts: Sequence[str], n_rounds: int) -> Rounds:
    """Split texts into rounds, each with texts from all parts of the corpus."""
    dealt = texts[N_WARM_UP:]
    if len(dealt) < n_rounds:
        raise ValueError(
            f"--rounds must be at most the number of texts, {len(dealt)}, got {n_rounds}."
        )
    return Rounds(list(texts[:N_WARM_UP]), [list(dealt[n::n_rounds]) for n in range(n_rounds)])


def cut_alone(texts: Sequence[str], n_rounds: int) -> Rounds:
    """Cut texts of N_ALONE words, which are processed one at a time."""
    words = " ".join(texts).split()
    pieces = [" ".join(words[i : i + N_ALONE]) for i in range(0, len(words) - N_ALONE, N_ALONE)]
    wanted = N_WARM_UP + n_rounds * N_CALLS
    return deal(pieces[:: max(len(pieces) // wanted, 1)][:wanted], n_rounds)


def read_long(path: Path, n_rounds: int, n_words: int) -> Rounds:
    """Read one document of about `n_words` words for each round."""
    documents = _cut_documents(list_paragraphs(path), n_words)
    texts = [[document] for document in islice(documents, n_rounds)]
    if len(texts) < n_rounds:
        raise ValueError(
            f"--long must have {n_rounds} documents of {n_words:,} words, one for each round, got "
            f"{len(texts)}. Lower --rounds or --long-words."
        )
    return Rounds([], texts)


def _cut_documents(paragraphs: Sequence[str], n_words: int) -> Iterator[str]:
    document: list[str] = []
    length = 0
    for paragraph in paragraphs:
        document.append(paragraph)
        length += len(paragraph.split())
        if length >= n_words:
            yield "\n\n".join(document)
            document, length = [], 0


def list_paragraphs(path: Path) -> list[str]:
    """List the paragraphs of Brown, which contain no line ends."""
    return cut_paragraphs(read_brown(path))


def make_document(path: Path, megabytes: float, *, blank_lines: bool) -> str:
    """Build one document of a size, in paragraphs or without line ends."""
    text = ("\n\n" if blank_lines else " ").join(list_paragraphs(path))
    return text[: int(megabytes * 1e6)]
