"""Start sentences by rules.

text of the Doc -> characters where sentences start -> tokens -> token.is_sent_start

Paper: Grefenstette & Tapanainen, What is a word, What is a sentence? Problems of Tokenization.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples

from ..sentence_starts import write_sentence_starts
from .counts import learn
from .language import load_rules
from .segment import BEST, Segmenter
from .strategies import Learned
from .text_files import read_blocks
from .token_starts import TextReader, find_token_starts


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
    extra: dict[str, Any] | str | None,
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
    extra: Data beyond that of the language, as in `load_rules`: {"titles": ["Bgm"]}, or a file.
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
        extra: dict[str, Any] | str | None = None,
        overwrite: bool = False,
        scorer: Callable | None = None,
    ) -> None:
        self.name = name
        self.rules = load_rules(lang, extra=extra)
        self.settings = {"strategy": strategy, "newline": newline}
        self.overwrite = overwrite
        self.scorer = scorer
        self.reader: TextReader | None = None
        self.set_learned(None)

    def set_learned(self, learned: Learned | None) -> None:
        """Use what was learned of a corpus (see `learn`)."""
        self.learned = learned
        self.segmenter = Segmenter(self.rules, learned=learned, **self.settings)

    def __call__(self, doc: Doc) -> Doc:
        """Set the sentence starts of a Doc."""
        if self.reader is None or self.reader.pieces.strings is not doc.vocab.strings:
            self.reader = TextReader(doc.vocab.strings)
        text, firsts = self.reader(doc)
        starts = find_token_starts(firsts, self.segmenter.find_starts(text))
        write_sentence_starts(doc, starts, overwrite=self.overwrite)
        return doc

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        corpus: str | Path | None = None,
    ) -> None:
        """Learn abbreviations of raw text.

        corpus: A text file. None: the texts of the examples, if the strategy needs any.

        Raises ValueError if there are no words in them.
        """
        if corpus is not None:
            self.set_learned(learn(read_blocks(Path(corpus))))
        elif self.settings["strategy"] in ("corpus", "lexicon"):
            validate_get_examples(get_examples, "RuleSentencizer.initialize")
            self.set_learned(learn(example.reference.text for example in get_examples()))

    # Saving: the settings are in the config.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize what was learned."""
        return util.to_bytes({"learned": lambda: srsly.json_dumps(self._state())}, exclude)

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "RuleSentencizer":
        """Load what `to_bytes` made."""
        readers = {"learned": lambda part: self._set_state(srsly.json_loads(part))}
        util.from_bytes(data, readers, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write a folder with what was learned."""
        writers = {"learned.json": lambda file: srsly.write_json(file, self._state())}
        util.to_disk(path, writers, exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "RuleSentencizer":
        """Load what `to_disk` wrote."""
        readers = {"learned.json": lambda file: self._set_state(srsly.read_json(file))}
        util.from_disk(path, readers, exclude)
        return self

    def _state(self) -> dict[str, list[str]] | None:
        return None if self.learned is None else self.learned.to_json()

    def _set_state(self, state: dict[str, list[str]] | None) -> None:
        self.set_learned(None if state is None else Learned.from_json(state))
