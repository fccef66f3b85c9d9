"""Gold of the strategies study: what each word-ending period of a corpus is. No spaCy.

texts with the ends of their sentences, a list of abbreviations -> `GoldPeriod`s

A word-ending period stands at the end of what is between white space, before closing quotes and
brackets and before marks. It is a FULL_STOP, an ABBREVIATION's, or BOTH; or OTHER: at no sentence
end, and of no abbreviation of the list (numbers; places where the corpus does not end a sentence).
"""

import csv
import io
import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.rule_sentencizer.corpus import read_blocks
from spacy_sentid.rule_sentencizer.counts import SIGNS, split_word
from spacy_sentid.rule_sentencizer.strategies import Period

FULL_STOP, ABBREVIATION, BOTH, OTHER = "full stop", "abbreviation", "both", "other"
_STRING = re.compile(r"\S+")
FOLLOW = 20  # characters


class GoldText(NamedTuple):
    """A text and the ends of its sentences: exclusive characters, ascending."""

    id: str
    text: str
    sent_ends: list[int]
    para_ends: list[int]


class GoldPeriod(NamedTuple):
    """A word-ending period and what it is."""

    period: Period
    kind: str
    sentence: int  # its number in all texts


def read_gold(path: Path) -> list[GoldText]:
    """Read a text a line: {"id", "text", "sent_ends"} and, or else empty, "para_ends".

    Raises ValueError, with file and line, for what is no such text, and for a file without any.
    """
    texts = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                texts.append(_read_text(line, f"{path}:{number}"))
    if not texts:
        raise ValueError(
            f'Found no texts in {path}, expected one a line: {{"id", "text", "sent_ends"}}. Check '
            "the file."
        )
    return texts


def _read_text(line: bytes, place: str) -> GoldText:
    expected = 'expected {"id", "text", "sent_ends"}, the last ascending characters of the text'
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # bytes that are not UTF-8 as well
        raise ValueError(f"{place}: found no JSON ({error}), {expected}. Fix the line.") from error
    found = row if isinstance(row, dict) else {}
    text: Any = found.get("text")
    ends: Any = found.get("sent_ends")
    paras: Any = found.get("para_ends", [])
    good = isinstance(text, str) and all(
        isinstance(offsets, list)
        and all(isinstance(end, int) and 0 < end <= len(text) for end in offsets)
        and offsets == sorted(set(offsets))
        for offsets in (ends, paras)
    )
    if not good:
        raise ValueError(f"{place}: found {str(row)[:60]!r}, {expected}. Fix the line.")
    return GoldText(str(found.get("id", place)), text, ends, paras)


def read_abbreviations(path: Path) -> dict[str, int]:
    """Read a list of abbreviations, tab-separated with a heading: "token" (with period), "count".

    RETURNS: How often each occurs, without the last period.

    Raises ValueError, with file and line, for what is no such list; with the byte for what is not
    UTF-8; and for a file that is missing, or has no abbreviations in it.
    """
    expected = "tab-separated, under the headings 'token' and 'count'"
    if not path.is_file():
        raise ValueError(
            f"{path}: found no such file, expected a list of abbreviations, {expected}. Put it "
            "there, or give another with --abbreviations."
        )
    counts = {}
    file = io.StringIO("".join(read_blocks(path)), newline="")
    rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows:
        token, count = row.get("token"), row.get("count")
        if not token or not token.endswith(".") or not str(count).isdecimal():
            raise ValueError(
                f"{path}:{rows.line_num}: found {str(dict(row))[:80]}, expected a token with its "
                f"period and a count, {expected}. Fix the line."
            )
        counts[token.removesuffix(".")] = int(str(count))
    if not counts:
        raise ValueError(
            f"{path}: found no abbreviations, expected one a line, {expected}. Check the file."
        )
    return counts


def find_gold_periods(
    texts: Iterable[GoldText], abbreviations: Mapping[str, int]
) -> list[GoldPeriod]:
    """Find the word-ending periods of texts, and what each is.

    abbreviations: Words without their last period, and how often each occurs as an abbreviation.
        That is what tells the "Miss." of "Jackson, Miss." from that of "the young Miss.": inside
        sentences all are abbreviations; at their ends as many as are left of the count, the first
        ones. Which ones matters to no strategy, for what follows them is alike.

    >>> text = GoldText("a", "Mr. Wu sold yd. No. 5.", [15, 22], [])
    >>> [(gold.period.word, gold.kind) for gold in find_gold_periods([text], {"Mr": 1, "yd": 1})]
    [('Mr', 'abbreviation'), ('yd', 'both'), ('No', 'other'), ('5', 'full stop')]
    """
    found: list[tuple[Period, bool, int]] = []
    n_sentences = 0
    for text in texts:
        found += _list_periods(text, n_sentences)
        n_sentences += len(text.sent_ends)
    inside = Counter(period.word for period, at_end, _ in found if not at_end)
    left = {word: count - inside[word] for word, count in abbreviations.items()}
    periods = []
    for period, at_end, sentence in found:
        word = period.word
        if not at_end:
            kind = ABBREVIATION if word in abbreviations else OTHER
        elif left.get(word, 0) > 0:
            left[word] -= 1
            kind = BOTH
        else:
            kind = FULL_STOP
        periods.append(GoldPeriod(period, kind, sentence))
    return periods


def _list_periods(gold: GoldText, n_sentences: int) -> list[tuple[Period, bool, int]]:
    """List the word-ending periods of a text: (period, whether a sentence ends there, which)."""
    ends = gold.sent_ends
    found = []
    for match in _STRING.finditer(gold.text):
        if "." not in match[0]:
            continue
        word, rest = split_word(match[0])
        if rest is None or not word:
            continue
        stop = match.end() - len(rest)
        closed = stop + len(rest) - len(rest.lstrip(SIGNS))
        follow = gold.text[stop : stop + 2 * FOLLOW].lstrip()[:FOLLOW]
        sentence = bisect_left(ends, closed)
        at_end = sentence < len(ends) and ends[sentence] == closed
        found.append((Period(word, follow), at_end, n_sentences + sentence))
    return found
