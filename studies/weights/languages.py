"""Training texts in several languages for one model, each with the tokenizer of its language.

corpus of each language, with the tokenizer of that language -> Examples -> batches of one language

`spacy train --code studies/weights/languages.py` registers the reader and the batcher.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_sentid.components.settings import check_range
from spacy_sentid.sentence_identifier.corpora.documents import MixedCorpus

# Paths that a reader can have.
PATHS = ("path", "nsu_documents")


@spacy.registry.readers("spacy_sentid.LanguageCorpus.v1")
def make_language_corpus(
    corpus: Any, langs: list[str], shares: dict[str, float] | None = None
) -> Callable[[Language], Iterator[Example]]:
    """Create a reader of a corpus in several languages.

    corpus: A reader of the package. Its paths must have a subfolder for each language.
    langs: Language codes, which are also the names of the subfolders.
    shares: Share of the tokens for each language, for training with `max_epochs = -1`; see
        `MixedCorpus`. None = read one language after the other.
    RETURNS: A reader whose Examples have the vocabulary of their own language. Use it with the
        batcher `batch_by_language`.
    """
    readers = {lang: OneLanguage(read_in_folder(corpus, lang), spacy.blank(lang)) for lang in langs}
    if not readers:
        raise ValueError("'langs' must have at least one language, got none.")
    if shares is not None:
        return MixedCorpus(readers, shares)
    return lambda nlp: chain.from_iterable(reader(nlp) for reader in readers.values())


def read_in_folder(corpus: Any, name: str) -> Any:
    """Return the same reader for a subfolder of each of its paths."""
    if isinstance(corpus, MixedCorpus):
        inside = {key: read_in_folder(reader, name) for key, reader in corpus.corpora.items()}
        return MixedCorpus(inside, corpus.shares)
    paths = {key: getattr(corpus, key) for key in PATHS if hasattr(corpus, key)}
    return replace(corpus, **{key: str(Path(path, name)) for key, path in paths.items()})


@dataclass
class OneLanguage:
    """A reader that creates its Docs with the pipeline of its own language."""

    corpus: Callable[[Language], Iterator[Example]]
    nlp: Language

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Yield the Examples of one pass; the pipeline that is trained is ignored."""
        return self.corpus(self.nlp)


@spacy.registry.batchers("spacy_sentid.batch_by_language.v1")
def batch_by_language(
    size: int,
) -> Callable[[Iterable[Example]], Iterator[list[Example]]]:
    """Create a batcher with batches of at least `size` words, each with one vocabulary."""
    check_range("size", size, low=1)

    def batch(examples: Iterable[Example]) -> Iterator[list[Example]]:
        waiting: dict[Vocab, list[Example]] = {}
        n_words: dict[Vocab, int] = {}
        for example in examples:
            vocab = example.predicted.vocab
            waiting.setdefault(vocab, []).append(example)
            n_words[vocab] = n_words.get(vocab, 0) + len(example.predicted)
            if n_words[vocab] >= size:
                yield waiting.pop(vocab)
                n_words[vocab] = 0
        yield from waiting.values()

    return batch
