"""Gold kinds of the word-ending periods of a corpus, for the strategies study.

texts with the ends of their sentences, a list of abbreviations -> `GoldPeriod`s

A word-ending period is at the end of a string between white space, or before closing quotes,
brackets or marks at its end. Its kind is FULL_STOP, ABBREVIATION or BOTH. The kind OTHER is for
periods that are neither at a sentence end nor in a listed abbreviation. Examples are numbers, and
places where the corpus does not end a sentence. The module does not need spaCy.
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

from spacy_sentid.rule_sentencizer.corpus import read_parts
from spacy_sentid.rule_sentencizer.counts import SIGNS, split_word
from spacy_sentid.rule_sentencizer.strategies import Period

FULL_STOP, ABBREVIATION, BOTH, OTHER = "full stop", "abbreviation", "both", "other"
_STRING = re.compile(r"\S+")
FOLLOW = 20  # maximum number of characters after a period that strategies see


class GoldText(NamedTuple):
    """A text and the ends of its sentences, as exclusive character offsets in ascending order."""

    id: str
    text: str
    sent_ends: list[int]
    para_ends: list[int]


class GoldPeriod(NamedTuple):
    """A word-ending period and its kind."""

    period: Period
    kind: str
    sentence: int  # number of its sentence, counted over all texts


def read_gold(path: Path) -> list[GoldText]:
    """Read one text per line: {"id", "text", "sent_ends"} and optionally "para_ends".

    Raises ValueError, with file and line, for a line that is not such a text, and for a file
    without texts.
    """
    texts = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                texts.append(_read_text(line, f"{path}:{number}"))
    if not texts:
        raise ValueError(
            f'{path} must have one text per line as {{"id", "text", "sent_ends"}}, got no texts.'
        )
    return texts


def _read_text(line: bytes, place: str) -> GoldText:
    wanted = '{"id", "text", "sent_ends"} with "sent_ends" as ascending offsets in the text'
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:  # also bytes that are not UTF-8
        raise ValueError(f"{place} must be JSON ({error}): {wanted}.") from error
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
        raise ValueError(f"{place} must be {wanted}, got {str(row)[:60]!r}.")
    return GoldText(str(found.get("id", place)), text, ends, paras)


def read_abbreviations(path: Path) -> dict[str, int]:
    """Read a tab-separated list of abbreviations with the headings "token" and "count".

    RETURNS: Abbreviations without their last period -> number of occurrences.

    Raises ValueError, with file and line, for a line that is not a token with its period and a
    count. Also raises it, with the byte, if the file is not UTF-8, and if the file is missing or
    has no abbreviations.
    """
    columns = "separated by a tab, under the headings 'token' and 'count'"
    if not path.is_file():
        raise ValueError(
            f"{path}: the list of abbreviations does not exist. It must have a token and a count "
            f"per line, {columns}. Put the file there, or use --abbreviations."
        )
    counts = {}
    file = io.StringIO("".join(read_parts(path)), newline="")
    rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows:
        token, count = row.get("token"), row.get("count")
        if not token or not token.endswith(".") or not str(count).isdecimal():
            raise ValueError(
                f"{path}:{rows.line_num}: the line must have a token with its period and a count, "
                f"{columns}, got {str(dict(row))[:80]}."
            )
        counts[token.removesuffix(".")] = int(str(count))
    if not counts:
        raise ValueError(
            f"{path}: the list must have one abbreviation and its count per line, {columns}, got "
            "no abbreviations."
        )
    return counts


def find_gold_periods(
    texts: Iterable[GoldText], abbreviations: Mapping[str, int]
) -> list[GoldPeriod]:
    """Find the word-ending periods of texts and their kinds.

    The counts distinguish "Jackson, Miss." from "the young Miss.". Inside sentences, all
    occurrences of a listed word are abbreviations. At sentence ends, only the first ones are, until
    the count is reached. For the strategies it does not matter which ones, because their contexts
    are alike.

    abbreviations: Words without their last period -> number of occurrences as an abbreviation.

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
    """List the word-ending periods of a text as (period, is at a sentence end, sentence)."""
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
