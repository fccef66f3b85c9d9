"""The tasks of the meta-evaluation: texts that people judged, and what is compared with that.

folder of JSON lines (converted from the data of BARTScore) -> tasks of items; columns of the tables
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from studies.text_scores.correlations import accuracy, kendall, mean_spearman, pearson, spearman

Measure: TypeAlias = Callable[[Sequence[object], Sequence[float], Sequence[float]], float | None]
# Human score of the better of two translations; that of the worse is 0.
RANK = "rank"


class Item(NamedTuple):
    """A text that people judged."""

    group: str  # of a document, or of a pair that is ordered
    hyp: str
    refs: tuple[str, ...]
    human: dict[str, float]


class Task(NamedTuple):
    """Items that a metric scores in the same way."""

    name: str
    aggregate: str  # of the scores of several references
    perspective: str  # what the columns need: "p", "r", or "f" (all three)
    items: list[Item]

    def digest(self) -> str:
        """Give a checksum of the texts."""
        texts = json.dumps([[item.hyp, item.refs] for item in self.items])
        return hashlib.sha256(texts.encode()).hexdigest()


class Column(NamedTuple):
    """One column of the tables: a metric's scores of a task against a human score."""

    dataset: str
    view: str  # what people judged; where the tables have two columns of it, how it is scored
    task: str
    human: str
    measure: Measure
    perspective: str  # of the tagger
    paper_perspective: str  # of ROUGE in the paper

    @property
    def name(self) -> str:
        """Name it in one line."""
        return f"{self.dataset} {self.view}"


def _of_all(measure: Callable[[Any, Any], float | None]) -> Measure:
    def correlate(
        groups: Sequence[object], human: Sequence[float], scores: Sequence[float]
    ) -> float | None:
        return measure(human, scores)

    return correlate


COLUMNS = (
    Column("SummEval", "COH", "summeval", "coherence", mean_spearman, "p", "f"),
    Column("SummEval", "FAC", "summeval", "consistency", mean_spearman, "p", "f"),
    Column("SummEval", "FLU", "summeval", "fluency", mean_spearman, "p", "f"),
    Column("SummEval", "INFO", "summeval", "relevance", mean_spearman, "p", "f"),
    Column("SummEval src", "COH", "summeval_source", "coherence", mean_spearman, "p", "f"),
    Column("SummEval src", "FAC", "summeval_source", "consistency", mean_spearman, "p", "f"),
    Column("SummEval src", "FLU", "summeval_source", "fluency", mean_spearman, "p", "f"),
    Column("SummEval src", "INFO", "summeval_source", "relevance", mean_spearman, "p", "f"),
    Column("REALSumm", "COV", "realsumm", "litepyramid_recall", mean_spearman, "r", "r"),
    Column("Rank19", "FAC", "rank19", "fact", accuracy, "p", "f"),
    Column("Rank19", "FAC R", "rank19", "fact", accuracy, "r", "f"),
    Column("Q-CNN", "FAC", "qags_cnn", "fact", _of_all(pearson), "p", "f"),
    Column("BAGEL", "INFO", "bagel", "informativeness", _of_all(spearman), "f", "f"),
    Column("SFRES", "INFO", "sfres", "informativeness", _of_all(spearman), "f", "f"),
    Column("WMT19", "kk-en", "wmt19_kk-en", RANK, kendall, "f", "f"),
    Column("WMT19", "lt-en", "wmt19_lt-en", RANK, kendall, "f", "f"),
)
TASKS = tuple(dict.fromkeys(column.task for column in COLUMNS))
# Data-to-text takes the best reference, summarisation the mean over the references.
_MAX_OVER_REFERENCES = ("bagel", "sfres")
# SummEval also against the document that was summarised.
_SOURCE = "_source"


def read_task(folder: Path, name: str, *, limit: int | None = None) -> Task:
    """Read a task from a folder of JSON lines; its README says what they hold.

    limit: Take the first so many groups: documents, or pairs that are ordered, or texts.

    Raises ValueError, with file and line, for what is not such a file.
    """
    if name not in TASKS:
        raise ValueError(f"Found the task {name!r}, expected some of {', '.join(TASKS)}.")
    source = name.endswith(_SOURCE)
    path = folder / f"{name.removesuffix(_SOURCE)}.jsonl"
    docs_path = path.with_name(f"{path.stem}_docs.jsonl")
    docs = {row["doc"]: row for _, row in _read_rows(docs_path)} if docs_path.exists() else {}
    items = []
    groups: set[str] = set()
    for place, row in _read_rows(path):
        try:
            found = _read_items(row, docs, source=source)
        except (KeyError, TypeError) as error:
            raise ValueError(
                f"{place}: found no {error}, expected the fields that the README of the data "
                "names. Get the file again."
            ) from None
        if limit is not None and found[0].group not in groups and len(groups) == limit:
            continue
        groups.add(found[0].group)
        items += found
    if not items:
        raise ValueError(f"Found no texts in {path}, expected one a line. Get the file again.")
    aggregate = "max" if name in _MAX_OVER_REFERENCES else "mean"
    needed = {column.perspective for column in COLUMNS if column.task == name}
    return Task(name, aggregate, needed.pop() if len(needed) == 1 else "f", items)


def _read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if not path.is_file():
        raise ValueError(
            f"Found no {path}, expected the data of that task. Name the folder that has it, or "
            "leave the task out with --tasks."
        )
    with path.open(encoding="utf8") as file:
        for number, line in enumerate(file, start=1):
            place = f"{path}:{number}"
            try:
                yield place, json.loads(line)
            except ValueError as error:
                raise ValueError(f"{place}: found no JSON ({error}). Get the file again.") from None


def _read_items(row: dict[str, Any], docs: dict[str, Any], *, source: bool) -> list[Item]:
    if "better" in row:
        return [
            Item(row["id"], row[side]["hyp"], (row["ref"],), {RANK: rank})
            for side, rank in (("better", 1.0), ("worse", 0.0))
        ]
    if "ref_doc" in row:
        doc = docs[row["ref_doc"]]
        refs = [doc["src"]] if source else doc["refs"]
    else:
        refs = [row["ref"]] if isinstance(row["ref"], str) else row["ref"]
    return [Item(row.get("doc", row["id"]), row["hyp"], tuple(refs), row["human"])]
