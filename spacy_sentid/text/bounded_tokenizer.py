"""spaCy's tokenizer with bounded run time: no text takes much longer than ordinary text.

text -> runs of marks, each one token, and pieces -> spaCy's tokenizer, piece by piece -> Doc

spaCy strips prefixes and suffixes from a word one by one, and searches the whole word for each. So
a word of n marks takes n² steps, and 200,000 parentheses take hours. This tokenizer cuts such words
first. Ordinary text has the same tokens as with spaCy's tokenizer. In a config:

    [nlp.tokenizer]
    @tokenizers = "spacy_sentid.BoundedTokenizer.v1"

>>> import spacy
>>> config = {"@tokenizers": "spacy_sentid.BoundedTokenizer.v1"}
>>> nlp = spacy.blank("en", config={"nlp": {"tokenizer": config}})
>>> [token.text for token in nlp("(He came.)")], len(nlp("(" * 1_000_000))
(['(', 'He', 'came', '.', ')'], 15625)
"""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab

from .long_texts import cut_text
from .plain import is_plain, tokenize_plain

# Only words of this length are checked, as shorter ones take little time with any characters.
LONG_WORD = re.compile(r"\S{17,}")
# Runs of marks within a word.
MARKS = re.compile(r"[\W_]{9,}")
# Longest run of marks that is not cut, such as a line across a page, if the text has few marks.
LINE = 160
# A text has few marks if they are at most one in SHARE characters, plus one line.
SHARE = 8
# Length of the tokens of a run of marks.
RUN_TOKEN = 64
# Longer words are not cut into PIECEs if they have few affixes: URLs, Chinese text, base64.
MAX_WORD = 64
MAX_LONG_WORD = 1_000
MAX_AFFIXES = 16
# Number of characters at each end of a word in which affixes are counted.
AFFIXES = 256
# Size of the pieces of a word with many affixes.
PIECE = 32


def make_bounded_tokenizer(
    tokenizer: Callable[[Language], Callable[[str], Doc]] | None = None,
) -> Callable[[Language], Callable[[str], Doc]]:
    """Create a factory of bounded tokenizers, for configs.

    tokenizer: Factory of the tokenizer to bound, see `bound_tokenizer`. None = the tokenizer of the
        language.
    """

    def make(nlp: Language) -> Callable[[str], Doc]:
        return bound_tokenizer(make_inner(nlp, tokenizer))

    return make


def make_inner(
    nlp: Language, tokenizer: Callable[[Language], Callable[[str], Doc]] | None
) -> Callable[[str], Doc]:
    """Create the tokenizer inside another one; None = the tokenizer of the language."""
    block = {"tokenizer": nlp.default_config["nlp"]["tokenizer"]}
    return (tokenizer or registry.resolve(block)["tokenizer"])(nlp)


def bound_tokenizer(tokenizer: Any) -> Any:
    """Convert spaCy's tokenizer to a bounded one with the same rules.

    A tokenizer that wraps another, such as FilteredTokenizer, gets a bounded one inside. All others
    are returned unchanged: those of Chinese, Japanese, Thai and so on do not strip affixes.
    """
    if type(tokenizer) is Tokenizer:
        return BoundedTokenizer(
            tokenizer.vocab,
            rules=tokenizer.rules,
            prefix_search=tokenizer.prefix_search,
            suffix_search=tokenizer.suffix_search,
            infix_finditer=tokenizer.infix_finditer,
            token_match=tokenizer.token_match,
            url_match=tokenizer.url_match,
            faster_heuristics=tokenizer.faster_heuristics,
        )
    if hasattr(tokenizer, "tokenizer"):
        tokenizer.tokenizer = bound_tokenizer(tokenizer.tokenizer)
    return tokenizer


class BoundedTokenizer(Tokenizer):
    """spaCy's tokenizer with bounded run time. It has the same settings, and is saved the same way.
    Its method `explain` is spaCy's, which does not cut.

    Its tokens are those of the plain form of a text (see `plain`): soft hyphens, other characters
    of format, and decomposed accents do not cut words.

    It checks words (text between white space) of more than 16 characters:

    - A run of more than 160 marks (characters that are not letters or digits) is cut into tokens of
      at most 64 characters. If runs of marks make up more than an eighth of the text, runs of 9
      marks or more are cut in the same way.
    - A word of more than 64 characters is cut into pieces of at most 1,000 characters, at the end
      of a sentence if possible. A piece from which more than 16 affixes would be stripped on one
      side is cut into pieces of at most 32 characters.
    """

    def __call__(self, text: str) -> Doc:
        """Tokenize a text; the text of the Doc is the same."""
        return self._bound(text) if is_plain(text) else tokenize_plain(self._bound, text)

    def _bound(self, text: str) -> Doc:
        tokenize = super().__call__
        if not (places := self._find_cuts(text)):
            return tokenize(text)
        docs = [
            _make_token(self.vocab, piece) if is_run else tokenize(piece)
            for piece, is_run in _cut(text, places)
        ]
        # Besides words and spaces, a tokenizer only sets the norms of special cases.
        return Doc.from_docs(docs, ensure_whitespace=False, attrs=[NORM])

    def _find_cuts(self, text: str) -> dict[int, bool]:
        """Find where to cut a text; nearly all texts have no such place.

        RETURNS: For each place, whether a token of a run of marks begins there. Places are not
            sorted.
        """
        words = [match.span() for match in LONG_WORD.finditer(text)]
        runs = [[run.span() for run in MARKS.finditer(text, *word)] for word in words]
        n_marks = sum(end - start for found in runs for start, end in found)
        longest = LINE if n_marks <= len(text) // SHARE + LINE else 0
        places: dict[int, bool] = {}
        for (first, last), found in zip(words, runs, strict=True):
            if found and last - first <= longest:
                continue
            for start, end in [*found, (last, last)]:
                if 0 < end - start <= longest:
                    continue
                places |= dict.fromkeys(self._cut_word(text, first, start), False)
                places |= {start + at: True for at, _ in cut_text(text[start:end], RUN_TOKEN)}
                if start < end:
                    # The space after the run belongs to it.
                    places[end + text.startswith(" ", end)] = False
                first = end
        return places

    def _cut_word(self, text: str, start: int, end: int) -> Iterator[int]:
        """Yield where to cut a part of a text without white space."""
        if end - start <= MAX_WORD:
            return
        for at, piece in cut_text(text[start:end], MAX_LONG_WORD):
            size = PIECE if self._has_many_affixes(piece) else len(piece)
            yield from (start + at + inner for inner, _ in cut_text(piece, size) if at + inner)

    def _has_many_affixes(self, word: str) -> bool:
        head, tail = word[:AFFIXES], word[-AFFIXES:]
        n_prefixes = n_suffixes = 0
        while max(n_prefixes, n_suffixes) <= MAX_AFFIXES:
            prefix, suffix = self.find_prefix(head), self.find_suffix(tail)
            if not prefix and not suffix:
                return not head or not tail
            head, tail = head[prefix:], tail[: len(tail) - suffix]
            n_prefixes, n_suffixes = n_prefixes + bool(prefix), n_suffixes + bool(suffix)
        return True


def _make_token(vocab: Vocab, piece: str) -> Doc:
    word = piece.rstrip()
    return Doc(vocab, words=[word], spaces=[len(word) < len(piece)])


def _cut(text: str, places: dict[int, bool]) -> Iterator[tuple[str, bool]]:
    """Cut a text.

    YIELDS: Each piece, and whether it is a token of a run of marks.
    """
    for start, end in pairwise(sorted({0, *places, len(text)})):
        yield text[start:end], places.get(start, False)
