"""spaCy's tokenizer, bounded: no text takes it much longer than ordinary text of the same length.

text -> runs of marks, each one token, and pieces -> spaCy's tokenizer, piece by piece -> Doc

spaCy strips prefixes and suffixes from a word one by one, and for each searches all of the word: a
word of n marks costs n² steps, and 200,000 parentheses hours. Here such a word is cut first.
Ordinary text is not touched, and its tokens are spaCy's own. In a config:

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
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any

from spacy.attrs import NORM
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc
from spacy.util import registry
from spacy.vocab import Vocab

from .long_texts import cut_text

# Shorter words cost little, whatever is in them.
LONG_WORD = re.compile(r"\S{17,}")
# Within a word.
MARKS = re.compile(r"[\W_]{9,}")
# Runs of marks up to this length, such as lines across a page, stay as they are in a text that has
# few: up to one character in so many, and one line.
LINE = 160
SHARE = 8
RUN_TOKEN = 64
# Longer words stay as they are if few affixes are stripped from them: URLs, Chinese text, base64.
MAX_WORD = 64
MAX_LONG_WORD = 1_000
MAX_AFFIXES = 16
# Characters that these have at most.
AFFIXES = 256
# Size of the pieces of a word that has many affixes.
PIECE = 32


def make_bounded_tokenizer(
    tokenizer: Callable[[Language], Callable[[str], Doc]] | None = None,
) -> Callable[[Language], Callable[[str], Doc]]:
    """Build a bounded tokenizer.

    tokenizer: What is to be bounded, see `bound_tokenizer`; without one, that of the language.
    """

    def make(nlp: Language) -> Callable[[str], Doc]:
        return bound_tokenizer(make_inner(nlp, tokenizer))

    return make


def make_inner(
    nlp: Language, tokenizer: Callable[[Language], Callable[[str], Doc]] | None
) -> Callable[[str], Doc]:
    """Make the tokenizer inside of another one; None = that of the language."""
    block = {"tokenizer": nlp.default_config["nlp"]["tokenizer"]}
    return (tokenizer or registry.resolve(block)["tokenizer"])(nlp)


def bound_tokenizer(tokenizer: Any) -> Any:
    """Make a bounded tokenizer of spaCy's, with the same rules.

    One that is around another, such as a FilteredTokenizer, gets a bounded one inside. All others
    are returned as they are: those of Chinese, Japanese, Thai and the like strip no affixes.
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
    """spaCy's tokenizer, for any text; settings, saving and all else are the same.

    A word is what stands between white space. Words of more than 16 characters are looked at:

    - A run of more than 160 marks in one, neither letters nor digits, is one token, or one for each
      64 characters. So are those of 9 marks or more in a text that consists of them by more than an
      eighth.
    - A word of more than 64 characters is cut, where a sentence ends if it can be, into pieces of
      at most 1,000 characters, and those from which more than 16 affixes would be stripped
      on a side into pieces of at most 32.
    """

    def __call__(self, text: str) -> Doc:
        """Tokenize a text; the text of the Doc is the same."""
        tokenize = super().__call__
        if not (places := self._find_cuts(text)):
            return tokenize(text)
        docs = [
            _make_token(self.vocab, piece) if is_run else tokenize(piece)
            for piece, is_run in _cut(text, places)
        ]
        # Besides words and spaces, a tokenizer sets the norms of special cases alone.
        return Doc.from_docs(docs, ensure_whitespace=False, attrs=[NORM])

    def explain(self, text: str) -> list[tuple[str, str]]:
        """Tell the rule of each token, as spaCy does; that of a run of marks is "MARKS"."""
        found: list[tuple[str, str]] = []
        for is_run, pieces in groupby(_cut(text, self._find_cuts(text)), key=itemgetter(1)):
            words = [piece.rstrip() for piece, _ in pieces]
            # It splits at white space, and for each call prepares all special cases.
            found += [("MARKS", word) for word in words] if is_run else self._explain(words)
        return found

    def _explain(self, words: list[str]) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = super().explain(" ".join(words))
        return found

    def _find_cuts(self, text: str) -> dict[int, bool]:
        """Find where to cut a text; none in nearly all texts.

        RETURNS: Places, in no order, and whether a token of a run of marks begins there.
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
                    # The blank after it belongs to it.
                    places[end + text.startswith(" ", end)] = False
                first = end
        return places

    def _cut_word(self, text: str, start: int, end: int) -> Iterator[int]:
        """List where to cut a part of a text without white space."""
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
    """Cut a text; YIELDS: each piece, and whether it is a token of a run of marks."""
    for start, end in pairwise(sorted({0, *places, len(text)})):
        yield text[start:end], places.get(start, False)
