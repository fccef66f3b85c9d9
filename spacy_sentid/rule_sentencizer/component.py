"""Start sentences by rules.

text of the Doc -> characters where sentences start -> tokens -> token.is_sent_start

Paper: Grefenstette & Tapanainen, What is a word, What is a sentence? Problems of Tokenization.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from ..sentence_starts import write_sentence_starts
from .component_data import (
    give_state,
    keep_taken,
    read_example_texts,
    read_learned,
    read_lexicon,
    take_state,
)
from .counts import learn
from .language import Rules, load_rules
from .segment import BEST, NEED_A_CORPUS, Segmenter
from .strategies import Learned
from .text_files import read_blocks
from .token_starts import TextReader, find_token_starts

# Measured: in shorter Docs numpy takes longer than the tokens do.
_SHORT = 50


@Language.factory(
    "rule_sentencizer",
    assigns=["token.is_sent_start", "doc.sents"],
    default_config={
        "strategy": BEST,
        "newline": "blank-line",
        "lang": None,
        "extra": None,
        "overwrite": False,
        "scorer": {"@scorers": "spacy.senter_scorer.v1"},
    },
    default_score_weights={"sents_f": 1.0, "sents_p": 0.0, "sents_r": 0.0},
)
def make_rule_sentencizer(
    nlp: Language,
    name: str,
    strategy: str,
    newline: str,
    lang: str | None,
    extra: list[str] | dict[str, Any] | str | None,
    overwrite: bool,
    scorer: Callable | None,
) -> "RuleSentencizer":
    """Build a rule sentencizer. See RuleSentencizer for the settings."""
    return RuleSentencizer(
        name,
        strategy=strategy,
        newline=newline,
        lang=lang if lang is not None else (nlp.lang or "xx"),
        extra=extra,
        overwrite=overwrite,
        scorer=scorer,
    )


class RuleSentencizer(Pipe):
    """Let sentences start where the rules of `segment` say. It needs no model.

    Each token gets an answer. White space belongs to the sentence before it.

    strategy, newline: As in `segment`. "corpus" and "lexicon" need a corpus first: `initialize`.
    lang: One of `list_languages()`; the factory's None is that of `nlp`.
    extra: Data beyond that of the language, as in `load_rules`: {"titles": ["Bgm"]}, or a file; or
        a list of further abbreviations. Files and languages are read when first needed, as a
        saved pipeline brings what was read.
    overwrite: False: tokens whose start is set keep it, and a parsed Doc is left alone.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> _ = nlp.add_pipe("rule_sentencizer")
    >>> [sent.text for sent in nlp("Mr. Wu met Dr. J. Li at 5 p.m. They spoke.").sents]
    ['Mr. Wu met Dr. J. Li at 5 p.m.', 'They spoke.']
    """

    def __init__(
        self,
        name: str = "rule_sentencizer",
        *,
        strategy: str = BEST,
        newline: str = "blank-line",
        lang: str = "en",
        extra: list[str] | dict[str, Any] | str | None = None,
        overwrite: bool = False,
        scorer: Callable | None = None,
    ) -> None:
        self.name = name
        self.lang, self.extra = lang, extra
        self.settings: dict[str, Any] = {"strategy": strategy, "newline": newline}
        self.overwrite = overwrite
        self.scorer = scorer
        self.reader: TextReader | None = None
        self.learned: Learned | None = None
        self._rules: Rules | None = None
        self._segmenter: Segmenter | None = None
        Segmenter(load_rules("en"), **self.settings, learned=Learned())  # tells wrong settings now
        if isinstance(extra, dict):
            self._rules = load_rules(lang, extra=extra)

    @property
    def rules(self) -> Rules:
        """The data of the language, with `extra`."""
        if self._rules is None:
            extra = self.extra
            if isinstance(extra, list):
                load_rules(self.lang)  # must be known, as words alone are no language
                extra = {"others": extra}
            self._rules = load_rules(self.lang, extra=extra)
        return self._rules

    @property
    def segmenter(self) -> Segmenter:
        """What cuts the texts. Raises ValueError if the strategy lacks what is to be learned."""
        if self._segmenter is None:
            strategy = self.settings["strategy"]
            if self.learned is None and strategy in NEED_A_CORPUS:
                raise ValueError(
                    f"{self.name}: found nothing learned of a corpus, expected it for the strategy "
                    f"{strategy!r}. Set 'corpus', a text file, in the block "
                    f"[initialize.components.{self.name}] of the config, and call "
                    "nlp.initialize()."
                )
            self._segmenter = Segmenter(self.rules, learned=self.learned, **self.settings)
        return self._segmenter

    def set_learned(self, learned: Learned | None) -> None:
        """Use what was learned of a corpus (see `learn`): what the strategy takes of it."""
        self.learned = learned and keep_taken(learned, self.settings["strategy"])
        self._segmenter = None

    def __call__(self, doc: Doc) -> Doc:
        """Set the sentence starts of a Doc. Raises ValueError as `segmenter` does."""
        starts = [0, *self._find_tokens(doc, self.segmenter)]
        write_sentence_starts(doc, starts, overwrite=self.overwrite)
        return doc

    def _find_tokens(self, doc: Doc, segmenter: Segmenter) -> Sequence[int]:
        """Find the tokens that sentences start at; the first one may be missing."""
        if len(doc) < _SHORT:
            starts = segmenter.find_starts(doc.text)
            firsts = [token.idx for token in doc] if starts else []
            tokens = [bisect_left(firsts, start) for start in starts]
            return [token for token in tokens if token < len(doc)]
        if self.reader is None or self.reader.pieces.strings is not doc.vocab.strings:
            self.reader = TextReader(doc.vocab.strings)
        text, places = self.reader(doc)
        found: list[int] = find_token_starts(places, segmenter.find_starts(text)).tolist()
        return found

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        corpus: str | Path | None = None,
        learned: str | Path | None = None,
        lexicon: str | None = None,
        min_count: int = 1,
        tolerance: float = 0.0,
    ) -> None:
        """Learn abbreviations of raw text.

        corpus: A text file. None: the texts of the examples, if the strategy needs any.
        learned: Instead of a corpus, the JSON file of `spacy-sentid abbreviations --json`.
        lexicon: Words for the strategy "lexicon": a text file with a word a line, or the name of a
            table in `nlp.vocab.lookups`. None: those of the corpus.
        min_count, tolerance: As in `learn`, for a corpus.

        Raises ValueError if there is nothing to learn of, or no words in it.
        """
        if corpus is not None and learned is not None:
            raise ValueError(
                f"{self.name}: found both 'corpus' and 'learned', expected one. Take one out of "
                f"[initialize.components.{self.name}]."
            )
        if learned is not None:
            found = read_learned(Path(learned))
        elif corpus is not None or self.settings["strategy"] in NEED_A_CORPUS:
            texts = (
                read_blocks(Path(corpus))
                if corpus is not None
                else read_example_texts(get_examples, self.name)
            )
            found = learn(texts, min_count=min_count, tolerance=tolerance)
        else:
            return
        if lexicon is not None:
            vocab = nlp.vocab if nlp is not None else Vocab()
            found = found._replace(lexicon=read_lexicon(lexicon, vocab, found))
        self.set_learned(found)

    # Saved with its rules, so that it does tomorrow what it does today. Settings are in the config.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the rules and what was learned."""
        return util.to_bytes({"state": lambda: srsly.json_dumps(self._give_state())}, exclude)

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "RuleSentencizer":
        """Load what `to_bytes` made."""
        readers = {"state": lambda part: self._take_state(srsly.json_loads(part))}
        util.from_bytes(data, readers, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write a folder with the rules and what was learned."""
        writers = {"state.json": lambda file: srsly.write_json(file, self._give_state())}
        util.to_disk(path, writers, exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "RuleSentencizer":
        """Load what `to_disk` wrote."""
        readers = {"state.json": lambda file: self._take_state(srsly.read_json(file))}
        util.from_disk(path, readers, exclude)
        return self

    def _give_state(self) -> dict[str, Any]:
        return give_state(self.rules, self.learned)

    def _take_state(self, state: dict[str, Any]) -> None:
        self._rules, learned = take_state(state)
        self.set_learned(learned)
