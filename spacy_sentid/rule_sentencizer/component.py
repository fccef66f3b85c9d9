"""Set sentence starts by rules.

text of the Doc -> characters where sentences start -> tokens -> token.is_sent_start

Paper: Grefenstette & Tapanainen, What is a word, What is a sentence? Problems of Tokenization.
"""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

from spacy.attrs import IDX
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from spacy.training import Example

from ..components.saving import SavedPart
from ..components.sentence_starts import write_sentence_starts
from ..components.settings import check_choice, check_key, check_strings
from ..messages import shorten
from ..text.language_data import Rules, load_rules
from .corpus import read_learned, read_parts
from .counts import TOLERANCE, learn
from .segment import Segmenter, check_settings
from .strategies import BEST, CORPUS, Learned


@Language.factory(
    "rule_sentencizer",
    assigns=["token.is_sent_start", "doc.sents"],
    default_config={
        "strategy": BEST,
        "newline": "blank-line",
        "lang": None,
        "extra": None,
        "never_split": [],
        "abbreviations": [],
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
    never_split: list[str],
    abbreviations: list[str],
    overwrite: bool,
    scorer: Callable | None,
) -> "RuleSentencizer":
    """Build a rule sentencizer. See RuleSentencizer for the settings."""
    return RuleSentencizer(
        name,
        strategy=strategy,
        newline=newline,
        lang=lang,
        pipeline_lang=nlp.lang or "xx",
        extra=extra,
        never_split=never_split,
        abbreviations=abbreviations,
        overwrite=overwrite,
        scorer=scorer,
    )


class RuleSentencizer(SavedPart, Pipe):
    """A component that sets sentence starts with the rules of `segment`, without a model.

    Every token gets a value. White space belongs to the sentence before it. The settings are in
    `cfg` and can be changed there at any time:

    strategy, newline: As in `segment`. For "corpus", call `initialize` with a corpus first.
    lang: One of `list_languages()`; None is `pipeline_lang`, the language of `nlp`.
    extra: More data for the language, as in `load_rules`: {"titles": ["Bgm"]} or a file. A list
        has more abbreviations. Files and language data are read when they are first needed, and
        are saved with the pipeline.
    never_split, abbreviations: As in `segment`.
    overwrite: If False, sentence starts that are already set are kept, and a parsed Doc is not
        changed.

    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> _ = nlp.add_pipe("rule_sentencizer")
    >>> [sent.text for sent in nlp("Mr. Wu met Dr. J. Li at 5 p.m. They spoke.").sents]
    ['Mr. Wu met Dr. J. Li at 5 p.m.', 'They spoke.']
    """

    factory = "rule_sentencizer"

    def __init__(
        self,
        name: str = factory,
        *,
        strategy: str = BEST,
        newline: str = "blank-line",
        lang: str | None = None,
        pipeline_lang: str = "en",
        extra: list[str] | dict[str, Any] | str | None = None,
        never_split: Sequence[str] = (),
        abbreviations: Sequence[str] = (),
        overwrite: bool = False,
        scorer: Callable | None = None,
    ) -> None:
        self.name = name
        self.pipeline_lang = pipeline_lang
        self.scorer = scorer
        settings = {
            "strategy": strategy,
            "newline": newline,
            "lang": lang,
            "extra": extra,
            "never_split": list(never_split),
            "abbreviations": list(abbreviations),
            "overwrite": overwrite,
        }
        self.cfg = settings  # type: ignore[assignment]
        self.configured = deepcopy(settings)
        self.learned: Learned | None = None
        # Each is cached together with its settings.
        self._rules: tuple[Any, Rules] | None = None
        self._segmenter: tuple[Any, Segmenter] | None = None

    @staticmethod
    def check_settings(settings: dict[str, Any], *, name: str) -> None:
        """Raise ValueError for invalid settings; files are not read yet."""
        check_settings(settings["strategy"], settings["newline"], name=name)
        check_choice("overwrite", settings["overwrite"], (True, False), name=name)
        if settings["lang"] is not None:
            check_key("lang", settings["lang"], name=name)
        for key in ("never_split", "abbreviations"):
            check_strings(key, settings[key], name=name)
        if not isinstance(settings["extra"], list | dict | str | None):
            raise ValueError(
                f"'extra' of {name!r} must be a list, an object or the path of a file, got "
                f"{shorten(settings['extra'])}."
            )
        if isinstance(settings["extra"], dict):
            load_rules(settings["lang"] or "xx", extra=settings["extra"])

    @property
    def rules(self) -> Rules:
        """The data of the language, combined with `extra`."""
        key = (self.cfg["lang"], self.cfg["extra"])
        if self._rules is None or self._rules[0] != key:
            self._rules = deepcopy(key), load_rules(key[0] or self.pipeline_lang, extra=key[1])
        return self._rules[1]

    @property
    def segmenter(self) -> Segmenter:
        """The segmenter with these settings.

        Raises ValueError if the strategy needs a corpus and has not learned from one.
        """
        if self._segmenter is None or self._segmenter[0] != self.cfg:
            rules, strategy, newline = self.rules, self.cfg["strategy"], self.cfg["newline"]
            if self.learned is None and strategy == CORPUS:
                raise ValueError(
                    f"The strategy {strategy!r} of {self.name!r} must learn from a corpus first. "
                    f"Set 'corpus' to a text file in [initialize.components.{self.name}] of the "
                    "config, and call nlp.initialize()."
                )
            segmenter = Segmenter(
                rules,
                strategy=strategy,
                newline=newline,
                learned=self.learned,
                never_split=self.cfg["never_split"],
                abbreviations=self.cfg["abbreviations"],
            )
            self._segmenter = deepcopy(self.cfg.to_dict()), segmenter
        return self._segmenter[1]

    def set_learned(self, learned: Learned | None) -> None:
        """Set the data learned from a corpus (see `learn`), if the strategy uses any."""
        self.learned = learned if self.cfg["strategy"] in (BEST, CORPUS) else None
        self._segmenter = None

    def __call__(self, doc: Doc) -> Doc:
        """Set the sentence starts of a Doc.

        A sentence that would start inside a token starts with the next one. Raises ValueError if
        the strategy has not learned yet.
        """
        starts = [0]
        if chars := self.segmenter.find_starts(doc.text):
            # Signed like `chars`: with mixed types, numpy would convert all offsets to floats.
            offsets = doc.to_array(IDX).view("int64")
            starts += [start for start in offsets.searchsorted(chars).tolist() if start < len(doc)]
        write_sentence_starts(doc, starts, overwrite=self.cfg["overwrite"])
        return doc

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        corpus: str | Path | None = None,
        learned: str | Path | None = None,
        min_count: int = 1,
        tolerance: float = TOLERANCE,
    ) -> None:
        """Learn abbreviations from raw text.

        corpus: A text file, which the strategy "corpus" needs.
        learned: Instead of a corpus, the JSON file of `spacy-sentid train abbreviations --json`.
        min_count, tolerance: As in `learn`; used with a corpus only.

        Raises ValueError if the strategy needs a corpus and there is none, or no words in it.
        """
        if corpus is not None and learned is not None:
            raise ValueError(
                f"'corpus' and 'learned' must not both be set in [initialize.components."
                f"{self.name}]. Remove one of them."
            )
        if learned is not None:
            self.set_learned(read_learned(Path(learned)))
        elif corpus is not None:
            parts = read_parts(Path(corpus))
            self.set_learned(learn(parts, min_count=min_count, tolerance=tolerance))
        else:
            _ = self.segmenter  # raises ValueError if the strategy needs a corpus

    # The rules are saved too, so that a pipeline works the same with other versions of the data.

    def learned_to_dict(self) -> dict[str, Any]:
        """Return the rules and the learned data."""
        learned = None
        if self.learned is not None:
            learned = {name: words for name, words in self.learned.to_dict().items() if words}
        return {"rules": self.rules.to_dict(), "learned": learned}

    def learned_from_dict(self, state: dict[str, Any]) -> None:
        """Load the learned data, and the rules if they are for the current settings."""
        key = (self.cfg["lang"], self.cfg["extra"])
        if key == (state["settings"]["lang"], state["settings"]["extra"]):
            self._rules = deepcopy(key), Rules.from_dict(state["rules"])
        learned = state["learned"]
        self.set_learned(None if learned is None else Learned.from_dict(learned))
