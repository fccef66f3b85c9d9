"""The tasks of the meta-evaluation, which have texts with human judgments.

folder of JSON lines (converted from the data of BARTScore) -> tasks of items; columns of the tables

A file NAME.jsonl is a task, with a line in one of these forms for each text:

    {"id", "hyp", "ref": str or list, "human": {name: number}}, and "doc" if texts share a document
    the same with "ref_doc" instead of "ref", for lines {"doc", "src", "refs"} of NAME_docs.jsonl
    {"id", "ref", "better": {"hyp"}, "worse": {"hyp"}} for two translations

The lines have the content of the pickles of BARTScore, whose tasks (SUM, D2T, WMT) have these three
forms. Tasks of the paper are measured as in the paper, and other tasks by their form.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from studies.text_scores.correlations import accuracy, kendall, mean_spearman, pearson, spearman

Measure: TypeAlias = Callable[[Sequence[object], Sequence[float], Sequence[float]], float | None]
# Name of the human score of two translations, which is 1 for the better and 0 for the worse.
RANK = "rank"


class Item(NamedTuple):
    """A text with human scores."""

    group: str  # document, or pair of a better and a worse text
    hyp: str
    refs: tuple[str, ...]
    human: dict[str, float]


class Task(NamedTuple):
    """Items that a metric scores in the same way."""

    name: str
    aggregate: str  # aggregation over several references: "max" or "mean"
    perspective: str  # scores that the columns need: "p", "r", or "f" (all three)
    items: list[Item]
    columns: "tuple[Column, ...]"

    def digest(self) -> str:
        """Compute a checksum of the texts."""
        texts = json.dumps([[item.hyp, item.refs] for item in self.items])
        return hashlib.sha256(texts.encode()).hexdigest()


class Column(NamedTuple):
    """One column of the tables: the agreement of scores of a task with a human score."""

    dataset: str
    view: str  # quality that people judged, and how it is scored if there are two columns of it
    task: str
    human: str
    measure: Measure
    perspective: str  # score of the tagger
    paper_perspective: str  # score of ROUGE in the paper

    @property
    def name(self) -> str:
        """The name of the column in one line."""
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
    Column("Q-XSUM", "FAC", "qags_xsum", "fact", _of_all(pearson), "p", "f"),
    Column("BAGEL", "INFO", "bagel", "informativeness", _of_all(spearman), "f", "f"),
    Column("SFRES", "INFO", "sfres", "informativeness", _of_all(spearman), "f", "f"),
    Column("SFHOT", "INFO", "sfhot", "informativeness", _of_all(spearman), "f", "f"),
)
# Suffix of a task that scores summaries against the document instead of references.
_SOURCE = "_source"
_DOCS = "_docs"


def list_tasks(folder: Path) -> list[str]:
    """List the tasks of a folder, first those of the paper in its order, then others by name."""
    stems = sorted(path.stem for path in folder.glob("*.jsonl"))
    docs = {f"{stem}{_DOCS}" for stem in stems}
    names = [stem for stem in stems if stem not in docs]
    names += [f"{name}{_SOURCE}" for name in names if _has_sources(folder, name)]
    known = list(dict.fromkeys(column.task for column in COLUMNS))
    places = {name: place for place, name in enumerate(known)}
    if not names:
        raise ValueError(f"{folder} must have a .jsonl file for each task, got none.")
    return sorted(names, key=lambda name: (places.get(name, len(places)), name))


def _has_sources(folder: Path, name: str) -> bool:
    path = folder / f"{name}{_DOCS}.jsonl"
    known = {column.task for column in COLUMNS}
    if not path.exists() or (name in known and f"{name}{_SOURCE}" not in known):
        return False
    return "src" in next((row for _, row in _read_rows(path)), {})


def make_columns(name: str, items: Sequence[Item], *, best: bool) -> tuple[Column, ...]:
    """Make the columns of a task as in the paper, or else by the form of its items.

    best: A text has several references, of which the best counts.
    """
    if known := tuple(column for column in COLUMNS if column.task == name):
        return known
    dataset, _, view = name.partition("_")
    if RANK in items[0].human:
        return (Column(dataset.upper(), view, name, RANK, kendall, "f", "f"),)
    side, of_docs = "f" if best else "p", len({item.group for item in items}) < len(items)
    measure = mean_spearman if of_docs else _of_all(spearman)
    return tuple(Column(name, human, name, human, measure, side, "f") for human in items[0].human)


def read_task(folder: Path, name: str, *, limit: int | None = None) -> Task:
    """Read a task from a folder of JSON lines.

    limit: Maximum number of groups, which are documents, pairs of translations, or texts.

    Raises ValueError, with file and line, if the format is wrong.
    """
    source = name.endswith(_SOURCE)
    path = folder / f"{name.removesuffix(_SOURCE)}.jsonl"
    docs_path = path.with_name(f"{path.stem}{_DOCS}.jsonl")
    docs = {row["doc"]: row for _, row in _read_rows(docs_path)} if docs_path.exists() else {}
    items: list[Item] = []
    groups: set[str] = set()
    best = False
    for place, row in _read_rows(path):
        try:
            found = _read_items(row, docs, source=source)
            best = best or isinstance(row.get("ref"), list)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{place}: the line must have the fields in the README of the data, got no "
                f"{error}. Download the file again."
            ) from None
        if limit is not None and found[0].group not in groups and len(groups) == limit:
            continue
        groups.add(found[0].group)
        items += found
    if not items:
        raise ValueError(
            f"{path} must have one text per line, got no texts. Download the file again."
        )
    columns = make_columns(name, items, best=best)
    for column in columns:
        if not all(column.human in item.human for item in items):
            raise ValueError(
                f"{path}: each text must have the human score {column.human!r}, got some without."
            )
    needed = {column.perspective for column in columns}
    perspective = needed.pop() if len(needed) == 1 else "f"
    # Data-to-text uses the best reference, and summarisation the mean over the references.
    return Task(name, "max" if best else "mean", perspective, items, columns)


def _read_rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    if not path.is_file():
        raise ValueError(
            f"{path} must have the data of the task, but it does not exist. Check FOLDER, or "
            "exclude the task with --tasks."
        )
    with path.open(encoding="utf8") as file:
        for number, line in enumerate(file, start=1):
            place = f"{path}:{number}"
            try:
                yield place, json.loads(line)
            except ValueError as error:
                raise ValueError(
                    f"{place} must be JSON ({error}). Download the file again."
                ) from None


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
