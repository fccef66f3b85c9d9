"""Labelled training sets with paraphrased copies of their rows (5.3, 6).

.jsonl, .csv, .tsv -> rows, blockwise -> paraphrases of the texts -> originals and copies

Labels, and all other fields that are no text, stay as they are.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...files.atomic import open_output
from ...files.fingerprint import fingerprint_files
from ...files.records import BadLine, write_errors
from ...files.resume import BlockJob, block_seed, do_blocks, open_job
from ...settings import format_missing_package
from .rows import Row, check_formats, read_columns, read_rows, write_rows

NONE, SAME, CLOSE, DUPLICATE = "none written", "same text", "ROUGE-2 too high", "duplicate"
ORIGIN = "origin"


class Augmentation(NamedTuple):
    """Which copies of a row are made and kept."""

    texts: tuple[str, ...]  # fields that are paraphrased, in each copy all of them
    n: int = 1  # copies of a row
    # A copy goes if ROUGE-2 F of each of its texts to the original, 0 to 1, is so much or more.
    # 1: only copies without another word or order; the paper keeps what its generator writes.
    max_rouge: float = 1.0
    origin: str | None = ORIGIN  # new field: "train.csv:7", of copies "train.csv:7#1"; None = none
    seed: int = 0


class Diversity(NamedTuple):
    """ROUGE-2 F of paraphrases to their originals (Table 7), 0 to 1; None without paraphrases."""

    field: str
    n_written: int
    written: float | None
    n_kept: int
    kept: float | None


class AugmentationReport(NamedTuple):
    """What became of the rows of a training set."""

    n_rows: int
    n_copies: int
    dropped: Counter[str]  # copies, by reason
    n_errors: int  # rows left out
    diversity: list[Diversity]


# Paraphrases of each text; the second argument is the seed.
Paraphrase = Callable[[list[str], int], list[list[str]]]


def make_rouge() -> Callable[[str, str], float]:
    """Make a function that gives ROUGE-2 F of two texts, 0 to 1, without stemming.

    >>> rouge = make_rouge()
    >>> rouge("the cat sat here", "The cat sat there.")
    0.6666666666666666
    """
    try:
        from rouge_score.rouge_scorer import RougeScorer
    except ImportError as error:
        raise ValueError(format_missing_package(error, "ROUGE", extra="nlg")) from error
    scorer = RougeScorer(["rouge2"], use_stemmer=False)

    def rouge(original: str, paraphrase: str) -> float:
        return scorer.score(original, paraphrase)["rouge2"].fmeasure

    return rouge


class Augmenter:
    """Makes the entry of each block of rows: originals, copies, what was dropped, ROUGE-2."""

    def __init__(self, augmentation: Augmentation, paraphrase: Paraphrase) -> None:
        self.augmentation = augmentation
        self.paraphrase = paraphrase
        self.rouge = make_rouge()

    def work(self, block: Sequence[Row | BadLine], number: int) -> dict[str, Any]:
        """Make the entry of a block."""
        texts = self.augmentation.texts
        rows: list[Row] = []
        errors: list[BadLine] = []
        for row in block:
            if isinstance(row, BadLine):
                errors.append(row)
            elif reason := missing_text(row, texts):
                errors.append(BadLine(row.place, reason))
            else:
                rows.append(row)
        written: dict[str, list[list[str]]] = {}
        for i, field in enumerate(texts):
            seed = block_seed(self.augmentation.seed, number * len(texts) + i)
            sources = [row.fields[field] for row in rows]
            written[field] = self.paraphrase(sources, seed) if rows else []
        sums = {"written": [0.0] * len(texts), "kept": [0.0] * len(texts)}
        found: dict[str, Any] = {"rows": [], "n_rows": len(rows), "n_written": 0, "n_copies": 0}
        dropped: Counter[str] = Counter()
        for i, row in enumerate(rows):
            originals = [row.fields[field] for field in texts]
            copies = list(zip(*(written[field][i] for field in texts), strict=False))
            copies = copies[: self.augmentation.n]
            dropped[NONE] += self.augmentation.n - len(copies)
            found["rows"].append(self._mark(row.fields, row.place))
            found["n_written"] += len(copies)
            seen: set[str] = set()
            for copy, problem, scores in self.judge(originals, copies, seen):
                _add(sums["written"], scores)
                if problem is not None:
                    dropped[problem] += 1
                    continue
                _add(sums["kept"], scores)
                found["n_copies"] += 1
                fields = {**row.fields, **dict(zip(texts, copy, strict=True))}
                found["rows"].append(self._mark(fields, f"{row.place}#{len(seen)}"))
        return {**found, "dropped": +dropped, "errors": errors, "sums": sums}

    def judge(
        self, originals: Sequence[str], copies: Sequence[Sequence[str]], seen: set[str]
    ) -> Iterator[tuple[Sequence[str], str | None, list[float]]]:
        """Find for each copy of a row the reason to drop it, or None, and ROUGE-2 of its texts.

        seen: What was kept of the row; filled here.
        """
        for copy in copies:
            scores = [self.rouge(*pair) for pair in zip(originals, copy, strict=True)]
            same = [_key(a) == _key(b) for a, b in zip(originals, copy, strict=True)]
            # Texts of one word have no bigrams: ROUGE-2 is 0 for the same word, too.
            closest = map(max, scores, map(float, same))
            key = "\n".join(map(_key, copy))
            reason = None
            if all(same):
                reason = SAME
            elif min(closest) >= self.augmentation.max_rouge:
                reason = CLOSE
            elif key in seen:
                reason = DUPLICATE
            else:
                seen.add(key)
            yield copy, reason, scores

    def _mark(self, fields: dict[str, Any], origin: str) -> dict[str, Any]:
        name = self.augmentation.origin
        return fields if name is None else {**fields, name: origin}


def missing_text(row: Row, texts: Sequence[str]) -> str | None:
    """Say which text a row lacks, None if it has all.

    >>> missing_text(Row("a.csv:2", {"sentence": " "}), ["sentence"])
    "the text 'sentence' is ' ', expected a string with words."
    """
    for field in texts:
        text = row.fields.get(field)
        if not isinstance(text, str) or not text.strip():
            shown = repr(text)[:40] if field in row.fields else "missing"
            return f"the text {field!r} is {shown}, expected a string with words."
    return None


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def _add(sums: list[float], scores: Sequence[float]) -> None:
    for i, score in enumerate(scores):
        sums[i] += score


def augment_rows(
    path: Path,
    output: Path,
    paraphrase: Paraphrase,
    *,
    augmentation: Augmentation,
    batch_size: int,
    settings: dict[str, Any],
    on_rows: Callable[[int], object] | None = None,
) -> AugmentationReport:
    """Write the rows of a training set, each followed by its copies; goes on where interrupted.

    paraphrase: Called with the texts of one field of `batch_size` rows.
    settings: What `paraphrase generate` depends on, for JSON.
    on_rows: Called with the number of rows after each block.

    Raises ValueError if the files have no known format, or fields are not there.
    """
    check_formats(path, output)
    read_columns(path)
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
    augmenter = Augmenter(augmentation, paraphrase)
    with open_job(output, known) as job:
        do_blocks(job, read_rows(path), augmenter.work, size=batch_size, on_items=on_rows)
        return write_training_set(path, output, job, augmentation)


def check_fields(path: Path, augmentation: Augmentation) -> None:
    """Raise ValueError if the first row lacks a text, or has the new field."""
    first = next((row for row in read_rows(path) if isinstance(row, Row)), None)
    if first is None:
        raise ValueError(f"Found no row in {path}, expected rows with texts and labels.")
    names = ", ".join(map(str, first.fields))
    for field in augmentation.texts:
        if field not in first.fields:
            raise ValueError(
                f"{first.place}: found the fields {names}, expected the text {field!r} among them. "
                "Check --text."
            )
    if augmentation.origin in first.fields:
        raise ValueError(
            f"{first.place}: found a field {augmentation.origin!r}, expected a new name for where "
            "a row comes from. Choose another (--origin)."
        )


def write_training_set(
    path: Path, output: Path, job: BlockJob, augmentation: Augmentation
) -> AugmentationReport:
    """Write the rows of a finished job, those left out beside them, and sum up."""
    counts: Counter[str] = Counter()
    dropped: Counter[str] = Counter()
    sums = {name: [0.0] * len(augmentation.texts) for name in ("written", "kept")}
    for entry in job.entries():
        counts.update({name: entry[name] for name in ("n_rows", "n_written", "n_copies")})
        dropped.update(entry["dropped"])
        for name, totals in sums.items():
            _add(totals, entry["sums"][name])
    n_errors = write_errors(output, (e for entry in job.entries() for e in entry["errors"]))
    columns = read_columns(path)
    if columns is not None and augmentation.origin is not None:
        columns = [*columns, augmentation.origin]
    with open_output(output) as file:
        write_rows(file, (row for e in job.entries() for row in e["rows"]), output, columns)
    n_written, n_copies = counts["n_written"], counts["n_copies"]
    diversity = [
        Diversity(
            field,
            n_written,
            sums["written"][i] / n_written if n_written else None,
            n_copies,
            sums["kept"][i] / n_copies if n_copies else None,
        )
        for i, field in enumerate(augmentation.texts)
    ]
    return AugmentationReport(counts["n_rows"], n_copies, dropped, n_errors, diversity)
