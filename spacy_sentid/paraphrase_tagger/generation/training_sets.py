"""Augmentation of labelled training sets with paraphrased copies of their rows (5.3, 6).

JSON lines -> rows -> paraphrases of the texts -> originals and good copies

Labels and all other fields that are not paraphrased are copied unchanged. The new field ORIGIN is
the place of a row, such as "train.jsonl:7", and "train.jsonl:7#1" for its first copy.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from spacy.language import Language

from ...files import records as files
from ...files.fingerprint import fingerprint_files
from ...files.records import BadLine, Line
from ...files.resume import JobReport, write_job
from ...messages import shorten
from .copies import compare_copies, judge_copies
from .options import THETA

NONE = "not generated"
ORIGIN = "origin"
# A function from texts to the paraphrases of each text.
Paraphrase = Callable[[list[str]], list[list[str]]]


def augment_rows(
    path: Path,
    output: Path,
    paraphrase: Paraphrase,
    *,
    texts: Sequence[str],
    n: int = 1,
    models: dict[str, str | None],
    nlp: Language | None = None,
    theta: float = THETA,
    batch_size: int = 16,
    on_rows: Callable[[int], object] | None = None,
) -> JobReport:
    """Write the rows of a training set, each followed by its copies. An interrupted job is resumed.

    paraphrase: Function that gets the texts of one field of some rows.
    texts: The fields that are paraphrased, all of them in each copy.
    n: Number of copies per row.
    models: Fingerprints of the models of `paraphrase` and `nlp`.
    nlp, theta: A pipeline with a paraphrase tagger, which drops copies (see `compare_copies`).
    batch_size: Number of rows that are paraphrased together.
    on_rows: Function that is called after some rows with their number.
    RETURNS: Numbers of copies, and the number of rows that were skipped.

    Raises ValueError if the first row does not have all texts.
    """
    parse = partial(parse_row, texts=texts)

    def work(lines: Sequence[Line | BadLine]) -> dict[str, Any]:
        parsed = list(files.parse_lines(lines, parse))
        rows = [row for row in parsed if isinstance(row, dict)]
        # Paraphrases, by field and row.
        written = [paraphrase([row[name] for row in rows]) for name in texts]
        judged = [  # copies by row
            judge_copies([row[name] for name in texts], list(zip(*some, strict=False))[:n])
            for row, *some in zip(rows, *written, strict=True)
        ]
        if nlp is not None:
            judged = compare_copies(nlp, judged, theta=theta)
        dropped = Counter(copy.reason for some in judged for copy in some if copy.reason)
        dropped[NONE] = sum(n - len(some) for some in judged)
        found: list[dict[str, Any]] = []
        for row, some in zip(rows, judged, strict=True):
            found.append(row)
            kept = [copy.texts for copy in some if copy.reason is None]
            for k, copied in enumerate(kept, start=1):
                fields = dict(zip(texts, copied, strict=True))
                found.append({**row, **fields, ORIGIN: f"{row[ORIGIN]}#{k}"})
        return {
            "records": found,
            "n_kept": len(found) - len(rows),
            "dropped": +dropped,
            "errors": [row for row in parsed if isinstance(row, BadLine)],
        }

    parse(next(files.read_good_lines(path), Line(f"{path}:1", "")))
    source = [str(path), fingerprint_files([path])]
    settings = {"file": source, "texts": texts, "n": n, "theta": theta, "batch_size": batch_size}
    settings |= models
    lines = files.read_lines(path)
    return write_job(output, settings, lines, work, size=batch_size, on_items=on_rows)


def parse_row(line: Line, texts: Sequence[str]) -> dict[str, Any]:
    """Parse a row, and add ORIGIN. Raises ValueError if it lacks a text, or has that field.

    >>> parse_row(Line("a.jsonl:1", '{"text": "He left.", "label": 1}'), ["text"])
    {'text': 'He left.', 'label': 1, 'origin': 'a.jsonl:1'}
    """
    fields = files.parse_record(line)
    for name in texts:
        text = fields.get(name)
        if not isinstance(text, str) or not text.strip():
            raise ValueError(
                f"{line.place}: {name!r} must be a string with words, got {shorten(text)}."
            )
    if ORIGIN in fields:
        raise ValueError(f"{line.place}: {ORIGIN!r} must be a new field. Rename it.")
    return {**fields, ORIGIN: line.place}
