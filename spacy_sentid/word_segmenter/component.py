"""Merge the characters of a Doc into words.

Doc of characters -> scores of B, M, E, S -> best legal tags -> Doc of words

Paper: Wang et al., Mining Word Boundaries from Speech-Text Parallel Data for Cross-domain Chinese
Word Segmentation.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from spacy.util import minibatch
from thinc.api import Config, Model

from ..arrays import Bools1d, Bools2d
from ..components.pipe import TrainablePart
from ..components.settings import check_range
from ..files.records import read_good_lines
from ..layers.stack import get_source
from ..pretrained import AUTO
from .characters import (
    Characters,
    Words,
    allow_tags,
    cut_batches,
    join_tokens,
    make_doc_of_words,
    read_characters,
)
from .crf import CLOSED, N_TAGS, compute_loss, find_best_tags
from .features import lexical_features
from .features.lexicon import read_dictionary
from .gold import read_gold
from .model import Scores
from .scorer import InVocabulary

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_sentid.WordTagger.v1"
encoder = null
width = 128
maxout_pieces = 2
dilations = [1, 1, 2]

[model.features]
@architectures = "spacy_sentid.CharacterFeatures.v1"
widths = [64, 32, 16, 8]
min_count = 2
character_dropout = 0.05
ngram_dropout = 0.2
lexicon_dropout = 0.1
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]
# Characters, and the tags that the gold words allow.
Gold: TypeAlias = tuple[Characters, Bools2d]


@Language.factory(
    "word_segmenter",
    retokenizes=True,
    default_config={
        "model": DEFAULT_MODEL,
        "pretrained": AUTO,
        "read_ahead": 0,
        "scorer": {"@scorers": "spacy_sentid.word_scorer.v1"},
    },
    default_score_weights={"word_f": 1.0, "word_p": 0.0, "word_r": 0.0, "oov_r": 0.0},
)
def make_word_segmenter(
    nlp: Language,
    name: str,
    model: Model[Characters, Scores],
    pretrained: str | None,
    read_ahead: int,
    scorer: Callable | None,
) -> "WordSegmenter":
    """Build a word segmenter. See WordSegmenter for the settings."""
    return WordSegmenter(
        nlp.vocab,
        model,
        name,
        lang=nlp.lang or "xx",
        pretrained=pretrained,
        read_ahead=read_ahead,
        scorer=scorer,
    )


class WordSegmenter(TrainablePart):
    """A component that merges characters into words.

    It takes Docs with a token for each character, as from spacy.blank("zh"), and returns new Docs
    of words (see `make_doc_of_words`). Put it before components that set vectors, which are not
    copied. White space ends a word, and tokens are never split.

    pretrained: "auto" loads the bundled weights of the language, if there are any and the model is
        the default one. Other values are the name of bundled weights, a folder, or None.
        `initialize` keeps loaded weights.
    read_ahead: Number of texts that `nlp.pipe` reads before it segments them. Names and terms that
        are repeated in them are evidence for words, as with `read_raw_text`. These statistics are
        discarded afterwards. The more texts of one domain, the better. 0 = do not read ahead.
    """

    factory = "word_segmenter"
    train_config = "words"
    data_layers = ("features",)

    @staticmethod
    def check_settings(settings: dict[str, Any], *, name: str) -> None:
        """Raise ValueError for invalid settings."""
        check_range("read_ahead", settings["read_ahead"], whole=True, name=name)

    # Prediction

    def __call__(self, doc: Doc) -> Doc:
        """Merge the characters of a Doc into words, in a new Doc."""
        (joined,) = self.set_annotations([doc], self.predict([doc]))
        return joined

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Merge the characters of a stream of Docs into words, in new Docs."""
        if not self.cfg["read_ahead"]:
            yield from self._pipe(stream, batch_size)
            return
        features = self._find_raw_text_features()
        for docs in minibatch(stream, size=self.cfg["read_ahead"]):
            batches = map(read_characters, cut_batches(docs, size=batch_size))
            # These texts are segmented before any is yielded. Other texts that are segmented in
            # between must not see their statistics.
            with lexical_features.reading(features, batches):
                joined = list(self._pipe(docs, batch_size))
            yield from joined

    def _pipe(self, stream: Iterable[Doc], batch_size: int) -> Iterator[Doc]:
        handle_error = self.get_error_handler()
        for docs in cut_batches(stream, size=batch_size):
            try:
                joined = self.set_annotations(docs, self.predict(docs))
            except Exception as error:
                handle_error(self.name, self, docs, error)
            else:
                yield from joined

    def predict(self, docs: Iterable[Doc]) -> list[Words]:
        """Find the words of a batch."""
        batch = read_characters(list(docs))
        return join_tokens(batch.tokens, self.find_ends(batch))

    def set_annotations(self, docs: Iterable[Doc], found: list[Words]) -> list[Doc]:
        """Return new Docs of words. The given Docs are unchanged, as tokens cannot be changed."""
        return list(map(make_doc_of_words, docs, found))

    def score_tags(self, batch: Characters) -> Scores:
        """Compute the scores of the tags of each character of a batch."""
        self._check_initialized()
        if not len(batch.codes):  # some encoders fail on a batch without tokens
            return Scores(np.zeros((0, N_TAGS)), np.zeros((N_TAGS, N_TAGS)))
        scores = self.model.predict(batch)
        if not all(np.isfinite(part).all() for part in scores):
            raise ValueError(
                f"The scores of {self.name!r} must be finite. Its weights are damaged, or its "
                "training diverged."
            )
        return scores

    def find_ends(self, batch: Characters, boundaries: Bools1d | None = None) -> Bools1d:
        """Find the characters after which words end: (n,).

        boundaries: (n,), True where a word must end (constrained Viterbi). None = only at white
            space.
        """
        scores = self.score_tags(batch)
        must_end = batch.must_end if boundaries is None else batch.must_end | boundaries
        allowed = allow_tags(must_end, batch.must_not_end)
        tags = find_best_tags(scores.emissions, scores.transitions, batch.starts, allowed)
        return np.isin(tags, CLOSED)

    @property
    def in_vocabulary(self) -> InVocabulary | None:
        """The function that checks if a word was in the training data; None without features."""
        features = get_source(self.model, "features")
        return None if features is None else partial(lexical_features.in_vocabulary, features)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score Examples, with a separate recall of words that were not in the training data."""
        if self.scorer is None:
            return {}
        return self.scorer(examples, in_vocabulary=self.in_vocabulary, **kwargs)

    # Training

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        dictionary: str | Path | None = None,
        raw_text: str | Path | None = None,
    ) -> None:
        """Reset the model: load the weights that `pretrained` names, or draw random ones.

        get_examples: All of the training data. The model learns n-grams and words from it.
        dictionary: A file with one word per line, optionally followed by a count. Words are
            evidence for the model, not rules. They are added to those of pretrained weights. None
            or "" = no dictionary.
        raw_text: A UTF-8 file of text of the domain, with a sentence or paragraph per line. Its
            statistics, with those of the training data, are evidence for words. They are added to
            those of pretrained weights. None or "" = no raw text.
        """
        validate_get_examples(get_examples, "WordSegmenter.initialize")
        batches = self._start(get_examples) or []
        if dictionary:
            self.add_words(read_dictionary(Path(dictionary)))
        if raw_text:
            if nlp is None:
                raise ValueError("'nlp' must be a pipeline to read raw text, got None.")
            texts = (line.text.strip() for line in read_good_lines(Path(raw_text)))
            more = _read_texts(texts, nlp.make_doc)
            lexical_features.add_raw_text(self._find_features("raw text"), chain(batches, more))

    def add_words(self, counts: dict[str, int | None] | Iterable[str]) -> None:
        """Add words to the dictionary, which is evidence for the model.

        counts: The number of occurrences of each word, or None if unknown; or just words. Only
            words of 2 to 5 characters are used.
        """
        lexical_features.add_words(self._find_features("words"), counts)

    def read_raw_text(self, texts: Iterable[str], tokenizer: Callable[[str], Doc]) -> None:
        """Add statistics of raw text of a domain, without annotation, as evidence for its words.

        tokenizer: Function that makes a Doc of characters, such as `nlp.make_doc`.

        Raises ValueError if the model was trained without raw text and cannot use the statistics.
        """
        found = self._find_raw_text_features()
        lexical_features.add_raw_text(found, _read_texts(texts, tokenizer))

    def _find_raw_text_features(self) -> Model:
        found = self._find_features("raw text")
        if self.is_initialized and not lexical_features.has_raw_text(found):
            raise ValueError(
                f"{self.name!r} must be trained with raw text to use the statistics of more. Train "
                "it with 'raw_text' in [initialize]."
            )
        return found

    def _find_features(self, what: str) -> Model:
        found = get_source(self.model, "features")
        if found is None:
            raise ValueError(f"The model of {self.name!r} must have 'features' to use {what}.")
        return found

    def _sample(self, get_examples: Callable[[], Iterable[Example]]) -> list[Characters]:
        """Read all of the training data, to learn n-grams and words."""
        return [read_gold(egs)[0] for egs in minibatch(get_examples(), size=512)]

    def _read(self, examples: list[Example]) -> tuple[Characters | None, Gold]:
        """Read the characters and the gold words, which may be known in part (see `gold`)."""
        gold = read_gold(examples)
        return (gold[0] if len(gold[0].codes) else None), gold

    def _loss(self, gold: Gold, scores: Scores) -> tuple[float, Scores]:
        """Compute the negative log-likelihood of the gold words, and its gradient.

        Both are means over the characters of the batch.
        """
        batch, allowed = gold
        loss = compute_loss(scores.emissions, scores.transitions, batch.starts, allowed)
        n = max(len(batch.codes), 1)
        return loss.value / n, Scores(loss.d_emissions / n, loss.d_transitions / n)


def _read_texts(texts: Iterable[str], tokenizer: Callable[[str], Doc]) -> Iterator[Characters]:
    for part in cut_batches(texts, size=1024):
        yield read_characters(list(map(tokenizer, part)))
