"""Clean transcripts (section 2.1): numbers become spoken characters, and symbols are removed.

text -> (character, start_char, end_char) of each spoken character; file of transcripts -> by id

Chinese characters and letters of any script are kept, each as one character. Numbers in ASCII or
full-width digits become Chinese characters:

- 1200 一千两百, 3.5 三点五, 50% 百分之五十, 5‰ 千分之五, -5 负五, 12,000 一万两千.
- Digit by digit: years (2008年), numbers with a leading zero (007), mobile numbers, numbers of
  seven or more digits that do not end in 000, and the parts of 1.2.3 (with 点 between them).

A 2 is 两 before 百, 千, 万, 亿, except in 十二万 and the like. All other characters are removed,
also between numbers (3:30, 1/2, 3-5).
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from ...extras import require_extra
from ...files.records import parse_record, read_good_lines
from ...messages import shorten

SAID = str.maketrans("0123456789", "零一二三四五六七八九")
# The only Chinese character that is not a letter in Unicode.
ZERO = "〇"
FULL_WIDTH = str.maketrans("．％－−", ".%--")
# A minus sign precedes a number, but it is a hyphen after a digit, a letter or ")" (3-5, A-5).
NUMBER = re.compile(
    r"(?P<sign>(?<![0-9A-Za-z)])-)?"
    r"(?P<whole>[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])|[0-9]+)(?P<rest>(?:\.[0-9]+)*)"
    r"(?P<share>[%‰])?"
)
# 2008年 and 2008-2010年 are years, but 1000年 and 5000年 are durations.
YEAR = re.compile(r"(?!1000)[12][0-9]{3}")
BEFORE_YEAR = re.compile(r"年|[-–—~～至到][12][0-9]{3}年")
# Leading zeros, mobile numbers, long numbers that are not in thousands, and what cn2an cannot read.
CODE = re.compile(r"0[0-9]+|1[3-9][0-9]{9}|(?![0-9]+000$)[0-9]{7,}|[0-9]{17,}")
SHARES = {"%": "百分之", "‰": "千分之"}


class SpokenChar(NamedTuple):
    """A spoken character, and its offsets in the text."""

    char: str
    start_char: int
    end_char: int


def clean_transcript(text: str) -> list[SpokenChar]:
    """List the spoken characters of a text, with their offsets.

    All characters of a number have the offsets of the whole number, including its sign and percent
    sign. Any other character is text[start_char:end_char]. Starts and ends never decrease.

    Raises ValueError if there are numbers and the package cn2an is not installed.

    >>> [tuple(found) for found in clean_transcript("“好”，走。")]
    [('好', 1, 2), ('走', 4, 5)]
    """
    folded = _fold(text)
    found: list[SpokenChar] = []
    place = 0
    for number in NUMBER.finditer(folded):
        found += _keep_letters(text, place, number.start())
        said = _say_number(number, is_year=bool(BEFORE_YEAR.match(folded, number.end())))
        found += (SpokenChar(char, number.start(), number.end()) for char in said)
        place = number.end()
    found += _keep_letters(text, place, len(text))
    return found


def read_transcripts(path: Path) -> dict[str, str]:
    """Read the transcripts of utterances by id.

    A JSONL file has records with `id` and `text`. Any other file has lines with the id, white space
    and the text. Raises ValueError, with file and line, for an invalid line and for an id with two
    different texts.
    """
    texts: dict[str, str] = {}
    for line in read_good_lines(path):
        if path.suffix == ".jsonl":
            record = parse_record(line)
            utterance, text = record.get("id"), record.get("text")
        else:
            utterance, _, text = line.text.strip().replace("\t", " ", 1).partition(" ")
        if not isinstance(text, str) or not isinstance(utterance, str | int):
            raise ValueError(
                f"{line.place}: a line must have an 'id' and a 'text', got {shorten(line.text)}."
            )
        name, text = str(utterance), text.strip()
        if texts.setdefault(name, text) != text:
            raise ValueError(f"{line.place}: {shorten(name)} must have one text, got two.")
    return texts


def find_text(name: str, texts: Mapping[str, str], *, place: str) -> str:
    """Look up a transcript by id, then by the last part of a path.

    Raises ValueError, with the place, if there is no transcript.
    """
    text = texts.get(name, texts.get(name.rpartition("/")[2]))
    if text is None:
        raise ValueError(f"{place}: the transcripts (--text) must have {name!r}, got no such id.")
    return text


def _fold(text: str) -> str:
    """Convert digits, point, minus and percent sign to ASCII, character by character."""
    return re.sub(r"\d", lambda found: str(int(found[0])), text.translate(FULL_WIDTH))


def _keep_letters(text: str, start: int, end: int) -> Iterator[SpokenChar]:
    for place in range(start, end):
        if text[place].isalpha() or text[place] == ZERO:
            yield SpokenChar(text[place], place, place + 1)


def _say_number(number: "re.Match[str]", *, is_year: bool) -> str:
    """Convert a match of NUMBER to spoken characters.

    is_year: True if 年 follows.
    """
    whole, parts = number["whole"].replace(",", ""), number["rest"].split(".")[1:]
    if len(parts) > 1 or (is_year and not parts and YEAR.fullmatch(whole)) or CODE.fullmatch(whole):
        said = whole.translate(SAID)
    else:
        with require_extra(f"the number {whole}", extra="speech"):
            import cn2an
        said = re.sub("(?<!十)二(?=[百千万亿])", "两", cn2an.an2cn(whole, "low"))
    said = "点".join([said, *(part.translate(SAID) for part in parts)])
    return SHARES.get(number["share"], "") + ("负" if number["sign"] else "") + said
