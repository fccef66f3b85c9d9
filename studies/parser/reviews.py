"""Units with a polarity and lexicons on disk, and scores on them (section 6.1.3).

units.tsv     text <TAB> polarity a line, without a heading
units.jsonl   {"text", "polarity"} a line; other keys are passed over
lexicon.tsv   word <TAB> polarity a line; the word is a form or a lemma without white space, in any
              case, the polarity may be +1, 1 or -1 as well

A polarity is "positive" or "negative". Files are UTF-8; blank lines are passed over.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from studies.parser.sentiment import NEGATIVE, POLARITIES, POSITIVE, normalise_word

PREVIEW = 60
VALUES = {POSITIVE: 1, NEGATIVE: -1, "+1": 1, "1": 1, "-1": -1}


class Review(NamedTuple):
    """The text of one unit, and its polarity."""

    text: str
    polarity: str


def read_reviews(path: Path) -> list[Review]:
    """Read units from a .tsv or a .jsonl file.

    Raises ValueError, with file and line, for what is none, and for a file without units.
    """
    if path.suffix not in (".tsv", ".jsonl"):
        raise ValueError(
            f"Found {path}, expected a .tsv or .jsonl file of texts and polarities. Rename it."
        )
    reviews = []
    for place, line in _read_lines(path):
        if path.suffix == ".tsv":
            text, polarity = _split_columns(line, place, first="text")
        else:
            text, polarity = _read_object(line, place)
        if not text.strip():
            raise ValueError(f"{place}: found a blank text, expected a unit. Mend the line.")
        if polarity not in POLARITIES:
            raise ValueError(
                f"{place}: found the polarity {str(polarity)[:PREVIEW]!r}, expected {POSITIVE!r} "
                f"or {NEGATIVE!r}. Mend the line."
            )
        reviews.append(Review(text.strip(), polarity))
    if not reviews:
        raise ValueError(f"Found no units in {path}, expected one a line. Check the file.")
    return reviews


def read_lexicon(path: Path) -> dict[str, int]:
    """Read a lexicon: +1 or -1 for each word, in lower case.

    Raises ValueError, with file and line, for what is no entry, for a word of both polarities,
    and for a file without entries.
    """
    lexicon: dict[str, int] = {}
    for place, line in _read_lines(path):
        word, polarity = _split_columns(line, place, first="word")
        if len(word.split()) != 1:
            raise ValueError(
                f"{place}: found the entry {word[:PREVIEW]!r}, expected one word. Entries are "
                "looked up word by word in the tree: take the word that carries the polarity."
            )
        if polarity not in VALUES:
            raise ValueError(
                f"{place}: found the polarity {polarity[:PREVIEW]!r}, expected one of "
                f"{', '.join(VALUES)}. Mend the line."
            )
        word, value = normalise_word(word.strip()), VALUES[polarity]
        if lexicon.setdefault(word, value) != value:
            raise ValueError(
                f"{place}: found {word!r} with both polarities, expected one. Mend the line."
            )
    if not lexicon:
        raise ValueError(f"Found no entries in {path}, expected one a line. Check the file.")
    return lexicon


def score_polarities(
    gold: Sequence[str], pred: Sequence[str | None]
) -> dict[str, dict[str, float | None]]:
    """Score detected polarities: for "positive", "negative", and "all".

    gold, pred: Of the same units; None in `pred` where no polarity was found.
    RETURNS: units (with this gold polarity), found (with this polarity detected), correct;
        precision = correct / found, recall = correct / units, None where that is 0 / 0.

    >>> scores = score_polarities(["positive", "positive", "negative"], ["positive", None, None])
    >>> scores["all"]
    {'units': 3, 'found': 1, 'correct': 1, 'precision': 1.0, 'recall': 0.3333333333333333}
    """
    pairs = list(zip(gold, pred, strict=True))
    scores: dict[str, dict[str, float | None]] = {}
    for name in (*POLARITIES, "all"):
        polarities = POLARITIES if name == "all" else (name,)
        n_units = sum(wanted in polarities for wanted, _ in pairs)
        n_found = sum(found in polarities for _, found in pairs)
        n_correct = sum(wanted == found and wanted in polarities for wanted, found in pairs)
        scores[name] = {
            "units": n_units,
            "found": n_found,
            "correct": n_correct,
            "precision": n_correct / n_found if n_found else None,
            "recall": n_correct / n_units if n_units else None,
        }
    return scores


def score_rows(scores: dict[str, dict[str, float | None]]) -> list[list[str]]:
    """Lay scores out as a table, with its heading; percent, "-" for None.

    >>> score_rows(score_polarities(["positive"], ["positive"]))[-1]
    ['all', '1', '1', '1', '100.0', '100.0']
    """
    rows = [["polarity", "units", "found", "correct", "precision", "recall"]]
    for name, entry in scores.items():
        counts = [f"{entry[key]:,}" for key in ("units", "found", "correct")]
        shares = [entry[key] for key in ("precision", "recall")]
        rows.append(
            [name, *counts, *("-" if share is None else f"{100 * share:.1f}" for share in shares)]
        )
    return rows


def _read_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the lines of a file that are not blank, without line ends, each with its place."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            place = f"{path}:{number}"
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf8").rstrip("\r\n")
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{place}: found bytes that are not UTF-8 ({error.reason}), expected text in "
                    "UTF-8. Convert the file, for instance with 'iconv -t UTF-8'."
                ) from error
            if line.strip():
                yield place, line


def _split_columns(line: str, place: str, *, first: str) -> tuple[str, str]:
    columns = line.split("\t")
    if len(columns) != 2:
        raise ValueError(
            f"{place}: found {len(columns)} columns, expected 2 with a tab between them: the "
            f"{first} and its polarity. Mend the line."
        )
    return columns[0], columns[1].strip()


def _read_object(line: str, place: str) -> tuple[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f'{place}: found no JSON ({error}), expected an object with "text" and "polarity". '
            "Mend the line."
        ) from error
    if not isinstance(row, dict) or not isinstance(row.get("text"), str):
        raise ValueError(
            f'{place}: found {str(row)[:PREVIEW]}, expected an object with "text", a string, and '
            '"polarity". Mend the line.'
        )
    return row["text"], row.get("polarity")
