"""Segmented text in files, and the reader for training.

file -> sentences in words, or in chunks whose words are unknown -> Examples

.txt     one sentence per line, words separated by spaces
.jsonl   one object per line: {"words": [...]}, or {"chunks": [...]} with the strings between known
         boundaries, for example from pauses
.conllu  a treebank
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example

from ..files.records import Line, parse_record, read_good_lines
from ..messages import shorten
from .characters import without_symbols
from .gold import make_partial_doc
from .scorer import InVocabulary


class Sentence(NamedTuple):
    """A sentence as words, or, if it is partial, as chunks with unknown words."""

    words: list[str]
    is_partial: bool = False


def read_sentences(path: Path) -> Iterator[Sentence]:
    """Read the sentences of a file; empty lines are skipped.

    Raises ValueError with file and line if it is not segmented text.
    """
    if path.suffix == ".conllu":
        from ..conllu.treebank import read_treebank

        for unit in read_treebank(path):
            yield Sentence(["".join(word.form.split()) for word in unit.words])
        return
    if path.suffix not in (".txt", ".jsonl"):
        raise ValueError(f"A file of segmented text must be .txt, .jsonl or .conllu, got {path}.")
    for line in read_good_lines(path):
        if path.suffix == ".txt":
            yield Sentence(line.text.split())
        else:
            yield _parse_sentence(line)


def read_words(path: Path) -> list[list[str]]:
    """Read the words of a file. Raises ValueError for a partial sentence, and for an empty file."""
    sentences = []
    for number, sentence in enumerate(read_sentences(path), start=1):
        if sentence.is_partial:
            raise ValueError(
                f"{path}: sentence {number} must have words, got chunks. Complete it first "
                "('spacy-sentid speech complete')."
            )
        sentences.append(sentence.words)
    if not sentences:
        raise ValueError(f"{path} must have sentences of words, got an empty file.")
    return sentences


def read_vocabulary(paths: Iterable[Path]) -> InVocabulary:
    """Build a function that checks if a word occurs in files of segmented text."""
    return {word for path in paths for words in read_words(path) for word in words}.__contains__


def _parse_sentence(line: Line) -> Sentence:
    record = parse_record(line)
    names = [name for name in ("words", "chunks") if name in record]
    if len(names) != 1:
        raise ValueError(
            f"{line.place}: the key must be 'words' or 'chunks', got {shorten(list(record))}."
        )
    words = record[names[0]]
    if not isinstance(words, list) or not all(
        isinstance(word, str) and word and word.split() == [word] for word in words
    ):
        raise ValueError(
            f"{line.place}: {names[0]!r} must be a list of strings without white space, got "
            f"{shorten(words)}."
        )
    return Sentence(words, names[0] == "chunks")


def make_word_corpus(
    path: str | Path | Sequence[str | Path] | None, without_punctuation: bool
) -> Callable[[Language], Iterator[Example]]:
    """Build a reader of segmented text, for `[corpora]` of a config.

    path: A file, or a list of files.
    without_punctuation: Add a copy without punctuation of each sentence that has some. One model
        can then be used for written text and for transcripts (section 2.1).
    """
    paths = [path] if isinstance(path, (str, Path)) else list(path or ())

    def read(nlp: Language) -> Iterator[Example]:
        if not paths:
            raise ValueError("--paths.train and --paths.dev must be files, got no path.")
        for name in paths:
            for sentence in read_sentences(Path(name)):
                yield make_example(nlp, sentence)
                if without_punctuation and not sentence.is_partial:
                    words = without_symbols(sentence.words)
                    if words and len(words) < len(sentence.words):
                        yield make_example(nlp, Sentence(words))

    return read


def make_example(nlp: Language, sentence: Sentence) -> Example:
    """Make an Example of a sentence: the tokenizer's characters, and the words."""
    words = sentence.words
    if sentence.is_partial:
        reference = make_partial_doc(nlp.vocab, words)
    else:
        reference = Doc(nlp.vocab, words=words, spaces=[False] * len(words))
    return Example(nlp.make_doc("".join(words)), reference)
