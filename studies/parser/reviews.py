"""Units with a polarity and lexicons on disk, and scores on them (section 6.1.3).

units.tsv     text <TAB> polarity a line, without a heading
units.jsonl   {"text", "polarity"} a line; other keys are passed over
lexicon.tsv   word <TAB> polarity a line; the word is a form or a lemma without white space, in any
              case, the polarity may be +1, 1 or -1 as well

A polarity is "positive" or "negative". Files are UTF-8; blank lines are passed over.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.files.records import BadLine, Line, parse_record, read_lines
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
            f"{path} must be a .tsv or .jsonl file of texts and polarities. Rename it."
        )
    reviews = []
    for line in _read_lines(path):
        if path.suffix == ".tsv":
            text, polarity = _split_columns(line, first="text")
        else:
            text, polarity = _read_object(line)
        if not text.strip():
            raise ValueError(f"{line.place} must have the text of a unit, got a blank one.")
        if polarity not in POLARITIES:
            raise ValueError(
                f"{line.place}: the polarity must be {POSITIVE!r} or {NEGATIVE!r}, got "
                f"{str(polarity)[:PREVIEW]!r}."
            )
        reviews.append(Review(text.strip(), polarity))
    if not reviews:
        raise ValueError(f"{path} must have a unit a line, but has none.")
    return reviews


def read_lexicon(path: Path) -> dict[str, int]:
    """Read a lexicon: +1 or -1 for each word, in lower case.

    Raises ValueError, with file and line, for what is no entry, for a word of both polarities,
    and for a file without entries.
    """
    lexicon: dict[str, int] = {}
    for line in _read_lines(path):
        word, polarity = _split_columns(line, first="word")
        if len(word.split()) != 1:
            raise ValueError(
                f"{line.place}: the entry must be one word, got {word[:PREVIEW]!r}. Entries are "
                "looked up word by word in the tree: take the word that has the polarity."
            )
        if polarity not in VALUES:
            raise ValueError(
                f"{line.place}: the polarity must be one of {', '.join(VALUES)}, got "
                f"{polarity[:PREVIEW]!r}."
            )
        word, value = normalise_word(word.strip()), VALUES[polarity]
        if lexicon.setdefault(word, value) != value:
            raise ValueError(f"{line.place}: {word!r} must have one polarity, got both.")
    if not lexicon:
        raise ValueError(f"{path} must have an entry a line, but has none.")
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


def _read_lines(path: Path) -> Iterator[Line]:
    """Read the lines of a file that are not blank; ValueError for one that is not UTF-8."""
    for line in read_lines(path):
        if isinstance(line, BadLine):
            raise ValueError(f"{line.place}: {line.reason}")
        if line.text.strip():
            yield line


def _split_columns(line: Line, *, first: str) -> tuple[str, str]:
    columns = line.text.split("\t")
    if len(columns) != 2:
        raise ValueError(
            f"{line.place} must have 2 columns with a tab between them, the {first} and its "
            f"polarity, got {len(columns)}."
        )
    return columns[0], columns[1].strip()


def _read_object(line: Line) -> tuple[str, Any]:
    row = parse_record(line)
    if not isinstance(row.get("text"), str):
        raise ValueError(
            f'{line.place} must have "text", a string, and "polarity", got {str(row)[:PREVIEW]}.'
        )
    return row["text"], row.get("polarity")
