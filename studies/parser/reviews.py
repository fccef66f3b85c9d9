"""Files of units with a polarity, lexicons, and scores of detected polarities (section 6.1.3).

units.tsv     text <TAB> polarity per line, without a heading
units.jsonl   {"text", "polarity"} per line; other keys are ignored
lexicon.tsv   word <TAB> polarity per line; the word is a form or a lemma without white space, in
              any case; the polarity may also be +1, 1 or -1

A polarity is "positive" or "negative". Files are UTF-8. Blank lines are skipped.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.files.records import BadLine, Line, parse_record, read_lines
from studies.parser.sentiment import NEGATIVE, POLARITIES, POSITIVE, normalise_word

PREVIEW = 60
VALUES = {POSITIVE: 1, NEGATIVE: -1, "+1": 1, "1": 1, "-1": -1}


class Review(NamedTuple):
    """The text of one unit and its polarity."""

    text: str
    polarity: str


def read_reviews(path: Path) -> list[Review]:
    """Read units from a .tsv or a .jsonl file.

    Raises ValueError, with file and line, for a line that is not a unit, and for a file without
    units.
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
            raise ValueError(f"{line.place}: the text must not be blank.")
        if polarity not in POLARITIES:
            raise ValueError(
                f"{line.place}: the polarity must be {POSITIVE!r} or {NEGATIVE!r}, got "
                f"{str(polarity)[:PREVIEW]!r}."
            )
        reviews.append(Review(text.strip(), polarity))
    if not reviews:
        raise ValueError(f"{path} must have one unit per line, got no units.")
    return reviews


def read_lexicon(path: Path) -> dict[str, int]:
    """Read a lexicon, with +1 or -1 for each word in lower case.

    Raises ValueError, with file and line, for a line that is not an entry, for a word with both
    polarities, and for a file without entries.
    """
    lexicon: dict[str, int] = {}
    for line in _read_lines(path):
        word, polarity = _split_columns(line, first="word")
        if len(word.split()) != 1:
            raise ValueError(
                f"{line.place}: the entry must be one word, got {word[:PREVIEW]!r}. The words of a "
                "tree are looked up one by one, so use only the word that has the polarity."
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
        raise ValueError(f"{path} must have one entry per line, got no entries.")
    return lexicon


def score_polarities(
    gold: Sequence[str], pred: Sequence[str | None]
) -> dict[str, dict[str, float | None]]:
    """Score detected polarities, for "positive", "negative" and "all".

    gold, pred: Polarities of the same units. None in `pred` means that no polarity was found.
    RETURNS: units (with this gold polarity), found (with this detected polarity), correct,
        precision = correct / found, and recall = correct / units (None for 0 / 0).

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


def tabulate_scores(scores: dict[str, dict[str, float | None]]) -> list[list[str]]:
    """Lay out scores as the rows of a table with a heading, in percent, with "-" for None.

    >>> tabulate_scores(score_polarities(["positive"], ["positive"]))[-1]
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
    """Read the lines of a file that are not blank. Raise ValueError if one is not UTF-8."""
    for line in read_lines(path):
        if isinstance(line, BadLine):
            raise ValueError(f"{line.place}: {line.reason}")
        if line.text.strip():
            yield line


def _split_columns(line: Line, *, first: str) -> tuple[str, str]:
    columns = line.text.split("\t")
    if len(columns) != 2:
        raise ValueError(
            f"{line.place} must have 2 columns separated by a tab, the {first} and its polarity, "
            f"got {len(columns)}."
        )
    return columns[0], columns[1].strip()


def _read_object(line: Line) -> tuple[str, Any]:
    row = parse_record(line)
    if not isinstance(row.get("text"), str):
        raise ValueError(
            f'{line.place} must have a string "text" and a "polarity", got {str(row)[:PREVIEW]}.'
        )
    return row["text"], row.get("polarity")
