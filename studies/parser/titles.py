"""Noun phrases from section titles, a test set for parsers (section 6.1.1).

lines -> titles -> words -> characters -> case -> language -> initials -> duplicates -> first
words -> draw

Words are separated by white space, so this does not work for languages written without spaces. The
module does not need spaCy or numpy.
"""

import importlib.util
import itertools
import random
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

MIN_WORDS = 3
MAX_SAME_FIRST_WORD = 3
# Characters that may be between two letters of a word: apostrophes ("d'autres cours d'eau", Table
# 2), hyphens, the point in Catalan "col·lecció", and the joiners of Persian and Indic scripts. In
# this position, they are not quotation or punctuation marks.
_INNER_MARK = re.compile("['\u2019\u02bc\u2010\u2011\u00b7\u200c\u200d-]")
# Languages in which nouns have capitals, so that first letters are not lowercased.
NOUN_CAPITALS = frozenset(["de", "lb"])
# Languages in which the lower case of I and İ is ı and i.
DOTLESS_I = frozenset(["az", "tr"])
# A title is rejected if another language is this many times as probable as the wanted one. This
# rejects 1 of 120 invented titles in English, French, German and Spanish, and 428 of 444 pairs of a
# title and a wrong language (py3langid 0.4.0). A margin of 1, i.e. the best guess, rejects 14 of
# the 120. The margin was chosen on these titles, so it may be slightly worse on others.
LANGUAGE_MARGIN = 10


class Selection(NamedTuple):
    """The drawn titles, in input order, and the number of titles left after each step."""

    titles: list[str]
    n_left: dict[str, int]


def select_titles(
    lines: Iterable[str],
    *,
    lang: str,
    n: int,
    seed: int,
    is_foreign: Callable[[str], bool] | None = None,
) -> Selection:
    """Select noun phrases from section titles by the steps of the paper, in its order.

    lines: One title per line. Blank lines are skipped. The lines are read once, as a stream.
    lang: ISO code of the language of the titles.
    n: Number of titles to draw. If fewer are left, all are returned.
    is_foreign: Checks if a title is in another language, see `make_language_check`. None: no check.
    RETURNS: A selection. `n_left` has an entry for each step, in order, from "titles" to "drawn".

    >>> lines = ["Early life", "Early life and career", "All Passenger Trains", "History of CERN"]
    >>> select_titles(lines, lang="en", n=10, seed=0).titles
    ['early life and career', 'all passenger trains']
    """
    n_left: dict[str, int] = {}

    def count(step: str, titles: Iterable[str]) -> Iterator[str]:
        n_left[step] = 0  # set before the stream is read, so that entries are in order
        return _count_into(n_left, step, titles)

    titles = count("titles", filter(None, map(clean_title, lines)))
    titles = count("of three words or more", filter(has_enough_words, titles))
    titles = count("without special characters", filter(has_plain_words, titles))
    titles = count("in canonical case", filter(has_canonical_case, titles))
    if is_foreign is not None:
        titles = count("not in another language", itertools.filterfalse(is_foreign, titles))
    titles = (lower_initials(title, lang) for title in titles)
    titles = count("without duplicates", drop_duplicates(titles))
    titles = count(f"with {MAX_SAME_FIRST_WORD} a first word", limit_first_words(titles))
    drawn = draw_titles(list(titles), n=n, rng=random.Random(seed))
    return Selection(drawn, {**n_left, "drawn": len(drawn)})


def clean_title(line: str) -> str:
    """Compose the letters of a title (NFC), and replace white space with single spaces.

    >>> clean_title("  Early\\u00a0life \\n")
    'Early life'
    """
    return " ".join(unicodedata.normalize("NFC", line).split())


def has_enough_words(title: str) -> bool:
    """Check if a title has at least three words."""
    return len(title.split()) >= MIN_WORDS


def has_plain_words(title: str) -> bool:
    """Check if a title has only letters, and apostrophes and hyphens between two letters.

    >>> has_plain_words("ponts sur d'autres cours d'eau")
    True
    >>> has_plain_words("The players' association"), has_plain_words("Season 2 (cont.)")
    (False, False)
    """
    return all(
        part and unicodedata.category(part[0])[0] == "L" and all(map(_is_of_letter, part))
        for part in _split_parts(title)
    )


def has_canonical_case(title: str) -> bool:
    """Check if all words are in lower case or title case.

    The parts of a word before and after an apostrophe or a hyphen count as words: "l'Église",
    "Anglo-Saxon".

    >>> has_canonical_case("Life in New York")
    True
    >>> has_canonical_case("RNAb in cells"), has_canonical_case("AIESEC in Austria")
    (False, False)
    """
    return not any(char.isupper() for part in _split_parts(title) for char in part[1:])


def make_language_check(lang: str) -> Callable[[str], bool]:
    """Make a function that checks if a title is in another language than `lang`, with py3langid.

    Another language must be `LANGUAGE_MARGIN` times as probable. Language identification is
    unreliable for short texts, so the best guess would reject too many titles.

    Raises ValueError if py3langid is not installed or does not support the language.
    """
    if importlib.util.find_spec("py3langid") is None:
        raise ValueError(
            "The language check of titles needs py3langid, which is not installed. Install it with "
            "'pip install \"spacy-sentid[titles]\"', or use --no-language-check."
        )
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    identifier = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
    if lang not in identifier.labels:
        raise ValueError(
            "--lang must be a language of py3langid "
            f"({', '.join(sorted(identifier.labels))}), got {lang!r}. Or use --no-language-check."
        )

    def is_foreign(title: str) -> bool:
        probs = dict(identifier.rank(title))
        own = probs.pop(lang)
        return max(probs.values()) >= LANGUAGE_MARGIN * own

    return is_foreign


def lower_initials(title: str, lang: str) -> str:
    """Lower-case a title in canonical case, i.e. its first letters. Keep German titles.

    >>> lower_initials("Second World War", "en"), lower_initials("Leben und Werk", "de")
    ('second world war', 'Leben und Werk')
    """
    if lang in NOUN_CAPITALS:
        return title
    if lang in DOTLESS_I:
        title = title.replace("I", "ı").replace("İ", "i")
    return title.lower()


def drop_duplicates(titles: Iterable[str]) -> Iterator[str]:
    """Yield each title once, at its first occurrence."""
    seen = set()
    for title in titles:
        if title not in seen:
            seen.add(title)
            yield title


def limit_first_words(titles: Iterable[str], limit: int = MAX_SAME_FIRST_WORD) -> Iterator[str]:
    """Yield the first `limit` titles with each first word, ignoring case.

    >>> list(limit_first_words(["list of A", "list of B", "use of C"], limit=1))
    ['list of A', 'use of C']
    """
    n_of_word: Counter[str] = Counter()
    for title in titles:
        word = title.split()[0].casefold()
        n_of_word[word] += 1
        if n_of_word[word] <= limit:
            yield title


def draw_titles(titles: Sequence[str], *, n: int, rng: random.Random) -> list[str]:
    """Draw n titles, and keep their order. Return all titles if there are fewer than n.

    >>> draw_titles(["a", "b", "c"], n=2, rng=random.Random(0))
    ['b', 'c']
    """
    drawn = rng.sample(range(len(titles)), min(n, len(titles)))
    return [titles[i] for i in sorted(drawn)]


def read_titles(path: Path) -> Iterator[str]:
    """Read the lines of a file.

    Raises ValueError, with file and line, for a line that is not UTF-8, and for a file without
    titles.
    """
    found = False
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                title = line.decode("utf-8-sig" if number == 1 else "utf8")
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{path}:{number}: the line must be UTF-8 ({error.reason}). Convert the file, "
                    "e.g. with 'iconv -t UTF-8'."
                ) from error
            found = found or not title.isspace()
            yield title
    if not found:
        raise ValueError(f"{path} must have one title per line, got no titles.")


def _count_into(n_left: dict[str, int], step: str, titles: Iterable[str]) -> Iterator[str]:
    for title in titles:
        n_left[step] += 1
        yield title


def _split_parts(title: str) -> list[str]:
    """Split a title at white space and inner marks. A mark at the edge of a word leaves ""."""
    return [part for word in title.split() for part in _INNER_MARK.split(word)]


def _is_of_letter(char: str) -> bool:
    """Check if a character is a letter or a mark on one, e.g. an Indic vowel sign."""
    return unicodedata.category(char)[0] in "LM"
