"""A spaCy tokenizer with the token classes of the paper, which also sets the kind of each token.

text -> find_tokens -> Doc with the same text; `token._.kind`

In a config:

    [nlp.tokenizer]
    @tokenizers = "spacy_sentid.RuleTokenizer.v1"
    clitics = "split"

>>> import spacy
>>> config = {"@tokenizers": "spacy_sentid.RuleTokenizer.v1", "extra": ["Bgm"]}
>>> nlp = spacy.blank("en", config={"nlp": {"tokenizer": config}})
>>> [(token.text, token._.kind) for token in nlp("Bgm. Li pays $3.5")]
[('Bgm.', 'abbreviation'), ('Li', 'word'), ('pays', 'word'), ('$3.5', 'money')]

Matcher rules can use the kinds: `matcher.add("MONEY", [[{"_": {"kind": "money"}}]])`.
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example
from spacy.util import DummyTokenizer
from spacy.vocab import Vocab

from ..text.language_data import Rules, load_rules
from .token_classes import WORD
from .tokens import KEEP, TokenFinder

# The kind of white space tokens; all other kinds are in `token_classes`.
SPACE = "space"
KIND = "kind"


def make_rule_tokenizer(
    lang: str | None = None,
    clitics: str = KEEP,
    names: str = KEEP,
    extra: list[str] | dict[str, Any] | str | None = None,
) -> Callable[[Language], "RuleTokenizer"]:
    """Build a tokenizer with the token classes of the paper.

    lang: One of `list_languages()`. None = the language of the pipeline.
    clitics: "keep": "it's" and "l'addition" are one token each. "split": they are two.
    names: "join": a name is one token, with spaces inside (see `find_tokens`). "keep": each of its
        words is a token.
    extra: More abbreviations, without their period: ["Bgm"]. Or data by kind, as in `load_rules`:
        {"titles": ["Bgm"]} or a file.
    """

    def make(nlp: Language) -> RuleTokenizer:
        rules = load_rules(str(nlp.lang) if lang is None else lang, extra=extra)
        return RuleTokenizer(nlp.vocab, TokenFinder(rules, clitics=clitics, names=names))

    return make


class RuleTokenizer(DummyTokenizer):
    """A tokenizer that makes Docs from the tokens of a finder and keeps the text unchanged.

    White space is treated as in spaCy's tokenizer: one space after a token belongs to it, and more
    white space is a token. `token._.kind` is the kind of a token. Its default is "word", also for
    tokens of other tokenizers. An existing extension of this name is not replaced.
    """

    def __init__(self, vocab: Vocab, finder: TokenFinder) -> None:
        self.vocab = vocab
        self.finder = finder
        if not Token.has_extension(KIND):
            Token.set_extension(KIND, default=WORD)

    def __call__(self, text: str) -> Doc:
        """Tokenize a text."""
        words: list[str] = []
        spaces: list[bool] = []
        # spaCy's format of values set on `token._`. With it, the values move with the tokens.
        kinds: dict[tuple[str, str, int, None], str] = {}
        position = 0
        for start, end, kind in [*self.finder(text), (len(text), len(text), WORD)]:
            if position < start and words and text[position] == " ":
                spaces[-1] = True
                position += 1
            for first, stop, what in ((position, start, SPACE), (start, end, kind)):
                if first < stop:
                    words.append(text[first:stop])
                    spaces.append(False)
                    if what != WORD:
                        kinds["._.", KIND, first, None] = what
            position = end
        return Doc(self.vocab, words=words, spaces=spaces, user_data=kinds)

    def score(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score the tokens as spaCy's tokenizer does: token_acc, token_p, token_r, token_f."""
        return Scorer.score_tokenization(examples)

    # The language data are saved too, so that a saved tokenizer never changes. JSON is readable.

    def to_bytes(self, **kwargs: Any) -> bytes:
        """Serialize the settings and the language data, including `extra`."""
        finder = self.finder
        state = {"clitics": finder.clitics, "names": finder.names, "rules": finder.rules.to_dict()}
        return json.dumps(state, ensure_ascii=False, indent=1).encode()

    def from_bytes(self, data: bytes, **kwargs: Any) -> "RuleTokenizer":
        """Load the output of `to_bytes`, which replaces the settings."""
        state = json.loads(data)
        rules = Rules.from_dict(state["rules"])
        self.finder = TokenFinder(rules, clitics=state["clitics"], names=state["names"])
        return self

    def to_disk(self, path: str | Path, **kwargs: Any) -> None:
        """Write the output of `to_bytes` to a file."""
        Path(path).write_bytes(self.to_bytes())

    def from_disk(self, path: str | Path, **kwargs: Any) -> "RuleTokenizer":
        """Load a file that `to_disk` wrote."""
        return self.from_bytes(Path(path).read_bytes())
