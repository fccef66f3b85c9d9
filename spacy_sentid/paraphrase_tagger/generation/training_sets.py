"""Augmentation of labelled training sets with paraphrased copies of their rows (5.3, 6).

.jsonl, .csv, .tsv -> rows, blockwise -> paraphrases of the texts -> originals and good copies

Labels and all other fields that are not paraphrased are copied unchanged.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from ...files.atomic import open_output
from ...files.fingerprint import fingerprint_files
from ...files.records import BadLine, write_errors
from ...files.resume import block_seed, do_blocks, open_job
from ...messages import shorten
from .copies import Copy, CopyJudge
from .options import THETA
from .rows import Row, check_formats, read_columns, read_rows, write_rows

NONE = "not generated"
ORIGIN = "origin"


class Augmentation(NamedTuple):
    """Options for the copies of rows."""

    texts: tuple[str, ...]  # the fields that are paraphrased, all of them in each copy
    n: int = 1  # copies per row
    # Drop copies if ROUGE-2 F of each of their texts against the original, 0 to 1, is at least
    # this. 1 only drops copies with the same words in the same order. The paper keeps all.
    max_rouge: float = 1.0
    theta: float = THETA  # see `CopyJudge`; ignored without a tagger
    # New field with the origin, such as "train.csv:7", and "train.csv:7#1" for a copy; None = none.
    origin: str | None = ORIGIN
    seed: int = 0


class Diversity(NamedTuple):
    """Mean ROUGE-2 F of paraphrases against their originals (Table 7), 0 to 1, for one field.

    Without paraphrases, the means are missing (None).
    """

    field: str
    n_written: int
    written: float | None
    n_kept: int
    kept: float | None


class AugmentationReport(NamedTuple):
    """Counts of rows and copies, and the diversity of each field."""

    n_rows: int
    n_copies: int
    dropped: Counter[str]  # number of copies by reason
    n_errors: int  # number of rows skipped
    diversity: list[Diversity]


# A function from texts and a seed to the paraphrases of each text.
Paraphrase = Callable[[list[str], int], list[list[str]]]


class Augmenter:
    """A worker that makes the copies of each block of rows, and counts the dropped ones."""

    def __init__(
        self, augmentation: Augmentation, paraphrase: Paraphrase, nlp: Language | None = None
    ) -> None:
        self.augmentation = augmentation
        self.paraphrase = paraphrase
        max_rouge, theta = augmentation.max_rouge, augmentation.theta
        self.copies = CopyJudge(max_rouge=max_rouge, nlp=nlp, theta=theta)

    def work(self, block: Sequence[Row | BadLine], number: int) -> dict[str, Any]:
        """Process a block, and return its entry for the job."""
        texts, n = self.augmentation.texts, self.augmentation.n
        rows: list[Row] = []
        errors: list[BadLine] = []
        for row in block:
            if isinstance(row, BadLine):
                errors.append(row)
            elif reason := missing_text(row, texts):
                errors.append(BadLine(row.place, reason))
            else:
                rows.append(row)
        written: list[list[list[str]]] = []  # paraphrases, by field and row
        for i, field in enumerate(texts):
            seed = block_seed(self.augmentation.seed, number * len(texts) + i)
            sources = [row.fields[field] for row in rows]
            written.append(self.paraphrase(sources, seed) if rows else [])
        found: list[dict[str, Any]] = []
        counts, dropped = Counter(rows=len(rows)), Counter[str]()
        rouge: Counter[str] = Counter()
        judged: list[list[Copy]] = []  # copies by row
        for i, row in enumerate(rows):
            copies = list(zip(*(paraphrases[i] for paraphrases in written), strict=False))[:n]
            counts["written"] += len(copies)
            dropped[NONE] += n - len(copies)
            judged.append(self.copies.judge([row.fields[field] for field in texts], copies))
        compared = iter(self.copies.compare([copy for some in judged for copy in some]))
        for row, some in zip(rows, judged, strict=True):
            found.append(self._mark(row.fields, row.place))
            n_kept = 0
            for copy in islice(compared, len(some)):
                scores = dict(zip(texts, copy.rouge, strict=True))
                rouge.update({f"written {field}": score for field, score in scores.items()})
                if copy.reason is not None:
                    dropped[copy.reason] += 1
                    continue
                rouge.update({f"kept {field}": score for field, score in scores.items()})
                n_kept += 1
                fields = {**row.fields, **dict(zip(texts, copy.texts, strict=True))}
                found.append(self._mark(fields, f"{row.place}#{n_kept}"))
            counts["kept"] += n_kept
        counted = {"counts": counts, "dropped": +dropped, "rouge": rouge}
        return {"rows": found, "errors": errors, **counted}

    def _mark(self, fields: dict[str, Any], origin: str) -> dict[str, Any]:
        name = self.augmentation.origin
        return fields if name is None else {**fields, name: origin}


def missing_text(row: Row, texts: Sequence[str]) -> str | None:
    """Describe the first text that is missing in a row; None if it has all.

    >>> missing_text(Row("a.csv:2", {"sentence": " "}), ["sentence"])
    "'sentence' must be a string with words, got ' '."
    """
    for field in texts:
        text = row.fields.get(field)
        if not isinstance(text, str) or not text.strip():
            shown = shorten(text) if field in row.fields else "nothing"
            return f"{field!r} must be a string with words, got {shown}."
    return None


def augment_rows(
    path: Path,
    output: Path,
    paraphrase: Paraphrase,
    *,
    augmentation: Augmentation,
    batch_size: int,
    settings: dict[str, Any],
    nlp: Language | None = None,
    on_rows: Callable[[int], object] | None = None,
) -> AugmentationReport:
    """Write the rows of a training set, each followed by its copies. An interrupted job is resumed.

    paraphrase: Function that gets the texts of one field of `batch_size` rows, and a seed.
    settings: JSON settings that `paraphrase` depends on, for the fingerprint of the job.
    nlp: A pipeline with a paraphrase tagger, which drops copies (see `CopyJudge`).
    on_rows: Function that is called after each block with its number of rows.

    Raises ValueError if a file format is unknown, or a field is missing.
    """
    check_formats(path, output)
    columns = read_columns(path)
    check_fields(path, augmentation)
    known = {
        "command": "paraphrase",
        "file": fingerprint_files([path]),
        "name": str(path),
        "format": output.suffix,
        "batch_size": batch_size,
        **augmentation._asdict(),
        **settings,
    }
    augmenter = Augmenter(augmentation, paraphrase, nlp)
    with open_job(output, known) as job:
        do_blocks(job, read_rows(path), augmenter.work, size=batch_size, on_items=on_rows)
        totals = {name: Counter[str]() for name in ("counts", "dropped", "rouge")}
        for entry in job.entries():
            for name, total in totals.items():
                total.update(entry[name])
        n_errors = write_errors(output, job.values("errors"))
        if columns is not None and augmentation.origin is not None:
            columns.append(augmentation.origin)
        with open_output(output) as file:
            write_rows(file, job.values("rows"), output, columns)
    counts, dropped, rouge = totals.values()

    def mean(name: str, field: str) -> float | None:
        return rouge[f"{name} {field}"] / counts[name] if counts[name] else None

    diversity = [
        Diversity(
            field, counts["written"], mean("written", field), counts["kept"], mean("kept", field)
        )
        for field in augmentation.texts
    ]
    return AugmentationReport(counts["rows"], counts["kept"], dropped, n_errors, diversity)


def check_fields(path: Path, augmentation: Augmentation) -> None:
    """Check that the first row has all texts, and does not have the new field."""
    first = next((row for row in read_rows(path) if isinstance(row, Row)), None)
    if first is None:
        raise ValueError(f"{path} must have rows with texts and labels, got none.")
    missing = [field for field in augmentation.texts if field not in first.fields]
    if missing:
        names = ", ".join(map(str, first.fields))
        raise ValueError(f"{first.place}: --text must be one of {names}, got {missing[0]!r}.")
    if augmentation.origin in first.fields:
        text = f"--origin must be a new field, got {augmentation.origin!r}, which the rows have."
        raise ValueError(f"{first.place}: {text}")
