"""Put the characters of a Doc together to words.

Doc of characters -> scores of B, M, E, S -> best legal tags -> Doc of words

Paper: Wang et al., Mining Word Boundaries from Speech-Text Parallel Data for Cross-domain Chinese
Word Segmentation.
"""

from collections.abc import Callable, Iterable, Iterator
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
from ..pipe import TrainablePart
from ..pretrained import AUTO
from ..settings import check_range
from . import lexical_features
from .characters import (
    Characters,
    Words,
    allow_tags,
    cut_batches,
    join_tokens,
    make_doc_of_words,
    read_characters,
)
from .corpus import read_texts
from .crf import CLOSED, N_TAGS, compute_loss, find_best_tags
from .gold import read_gold
from .lexicon import read_dictionary
from .model import Scores

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
# Characters and the tags that the gold words allow.
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
    """Put characters together to words; white space ends a word, and no token is cut.

    Takes Docs with a token for each character, as spacy.blank("zh") makes them, and gives a new Doc
    of words with the same text; what the Doc had of user data, categories, entities and spans goes
    over. Put it first: vectors that another component gave to characters do not go over.

    pretrained: "auto": bundled weights by language, if there are any and the model is the default
        one; else a name, a folder, or None. With weights, `initialize` keeps them.
    read_ahead: Texts that `nlp.pipe` reads before it segments them, so that names and terms that
        come again in them are evidence, as with `read_raw_text`; 0 = none. What was read is
        forgotten after them. The more texts of one domain, the better.
    """

    factory = "word_segmenter"
    train_config = "words.cfg"

    data_layers = ("features",)

    @staticmethod
    def check_settings(settings: dict[str, Any], *, name: str) -> None:
        """Raise ValueError for settings that cannot be."""
        check_range("read_ahead", settings["read_ahead"], whole=True, name=name)

    # Using it

    def __call__(self, doc: Doc) -> Doc:
        """Make the Doc of words of a Doc of characters."""
        (joined,) = self.set_annotations([doc], self.predict([doc]))
        return joined

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Make the Docs of words of a stream of Docs."""
        if not self.cfg["read_ahead"]:
            yield from self._pipe(stream, batch_size)
            return
        features = self._find_raw_text_features()
        for docs in minibatch(stream, size=self.cfg["read_ahead"]):
            batches = map(read_characters, cut_batches(docs, size=batch_size))
            # All at once: what is segmented between two of them must not know what was read.
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
        """Return Docs of words; the given ones stay as they are, as tokens cannot be changed."""
        return list(map(make_doc_of_words, docs, found))

    def score_tags(self, batch: Characters) -> Scores:
        """Compute the scores of the tags of each character of a batch, Doc after Doc."""
        self._check_initialized()
        if not len(batch.codes):  # some encoders take no batch without tokens
            return Scores(np.zeros((0, N_TAGS)), np.zeros((N_TAGS, N_TAGS)))
        scores = self.model.predict(batch)
        if not all(np.isfinite(part).all() for part in scores):
            raise ValueError(
                f"The scores of {self.name!r} must be finite: its weights are damaged, or its "
                "training diverged."
            )
        return scores

    def find_ends(self, batch: Characters, boundaries: Bools1d | None = None) -> Bools1d:
        """Find where words end: (n,), after each character.

        boundaries: (n,) where a word must end (constrained Viterbi); None = nowhere else than at
            white space.
        """
        scores = self.score_tags(batch)
        must_end = batch.must_end if boundaries is None else batch.must_end | boundaries
        allowed = allow_tags(must_end, batch.must_not_end)
        tags = find_best_tags(scores.emissions, scores.transitions, batch.starts, allowed)
        return np.isin(tags, CLOSED)

    def in_vocabulary(self, word: str) -> bool:
        """Tell if a word was in the training data; always False without features."""
        found = self._features()
        return found is not None and lexical_features.in_vocabulary(found, word)

    def _features(self) -> Model | None:
        return self.model.get_ref("features") if self.model.has_ref("features") else None

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score Examples; words that were not in the training data have a recall of their own."""
        if self.scorer is None:
            return {}
        in_vocabulary = None if self._features() is None else self.in_vocabulary
        return self.scorer(examples, in_vocabulary=in_vocabulary, **kwargs)

    # Training it

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        dictionary: str | Path | None = None,
        raw_text: str | Path | None = None,
    ) -> None:
        """Go back to the start: the weights that `pretrained` names, else random ones.

        get_examples: All of the training data; n-grams and words are learned of it.
        dictionary: A file with a word a line, after it a count if there is one; None or "" = none.
            Words are evidence for the model, not rules. With weights that were loaded they add to
            those there.
        raw_text: A UTF-8 file of text of the domain, a sentence or paragraph a line, whose
            statistics, with those of the training data, are evidence for words; None or "" = none.
            With weights that were loaded they add to what is there.
        """
        validate_get_examples(get_examples, "WordSegmenter.initialize")
        if raw_text and nlp is None:
            raise ValueError("'nlp' must be given to read raw text, got None.")
        for what, source in (("a dictionary", dictionary), ("raw text", raw_text)):
            if source:
                self._find_features(what)
        batches = self._start(get_examples) or []
        if dictionary:
            self.add_words(read_dictionary(Path(dictionary)))
        if raw_text and nlp is not None:
            more = _read_texts(read_texts(Path(raw_text)), nlp.make_doc)
            lexical_features.add_raw_text(self._find_features("raw text"), chain(batches, more))

    def add_words(self, counts: dict[str, int | None] | Iterable[str]) -> None:
        """Add words to the dictionary, evidence for the model.

        counts: How often each was seen, or None; or words alone. Words of 2 to 5 characters; others
            are passed over.
        """
        lexical_features.add_words(self._find_features("words"), counts)

    def read_raw_text(self, texts: Iterable[str], tokenizer: Callable[[str], Doc]) -> None:
        """Take statistics of raw text of a domain, evidence for its words; no annotation is needed.

        tokenizer: Makes a Doc of characters, as `nlp.make_doc` does.

        Raises ValueError if the model was trained without raw text: it does not know what the
        statistics mean.
        """
        batches = _read_texts(texts, tokenizer)
        lexical_features.add_raw_text(self._find_raw_text_features(), batches)

    def _find_raw_text_features(self) -> Model:
        found = self._find_features("raw text")
        if self.is_initialized and not lexical_features.has_raw_text(found):
            raise ValueError(
                f"{self.name!r} must be trained with raw text ('raw_text' in [initialize]) to know "
                "what its statistics mean."
            )
        return found

    def _find_features(self, what: str) -> Model:
        found = self._features()
        if found is None:
            raise ValueError(f"The model of {self.name!r} must have 'features' to use {what}.")
        return found

    def _sample(self, get_examples: Callable[[], Iterable[Example]]) -> list[Characters]:
        """Read all of the training data: n-grams and words are learned of it."""
        return [read_gold(egs)[0] for egs in minibatch(get_examples(), size=512)]

    def _read(self, examples: list[Example]) -> tuple[Characters | None, Gold]:
        """Read the characters; gold words may be known in part (see `gold`)."""
        gold = read_gold(examples)
        return (gold[0] if len(gold[0].codes) else None), gold

    def _loss(self, gold: Gold, scores: Scores) -> tuple[float, Scores]:
        batch, allowed = gold
        loss = compute_loss(scores.emissions, scores.transitions, batch.starts, allowed)
        n = max(len(batch.codes), 1)
        return loss.value / n, Scores(loss.d_emissions / n, loss.d_transitions / n)

    def get_loss(self, examples: Iterable[Example], scores: Scores) -> tuple[float, Scores]:
        """Compute the negative log-likelihood of the gold words and its gradient.

        Both as a mean over the characters of the batch.
        """
        return self._loss(read_gold(list(examples)), scores)


def _read_texts(texts: Iterable[str], tokenizer: Callable[[str], Doc]) -> Iterator[Characters]:
    for part in cut_batches(texts, size=1024):
        yield read_characters(list(map(tokenizer, part)))
