"""Read the documents of a page: the user's files, or gold, with the results of a pipeline.

inputs -> documents -> pipeline -> views, in order; bad documents are reported
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...batch.input.documents import Document
from ...batch.tasks import TASKS, UNITS, WORDS, Rows
from ...batch.work.work_settings import WorkSettings
from ...batch.work.worker import Worker
from ...files.records import BadLine
from ...text.units import NSU, NSU_KINDS, SU, Unit
from .units import TokenProb, UnitView

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from ...sentence_identifier.data.gold_document import GoldDocument

Item = TypeVar("Item")
TOKEN = "token"
PAIR_SCORES = ("supported_p", "supported_r", "supported_f", "p", "r", "f")


class DocumentView(NamedTuple):
    """One document with its results."""

    name: str
    text: str
    units: list[UnitView]
    probs: list[TokenProb] | None = None
    gold: list[Unit] | None = None  # gold units, in characters


class SideView(NamedTuple):
    """One text of a pair: spans that the other text does not support, and the support of words."""

    text: str
    spans: list[tuple[int, int, float | None]]  # start_char, end_char, probability if known
    words: list[tuple[int, int, float]]  # start_char, end_char, logit


class PairView(NamedTuple):
    """A text and the reference that supports it best."""

    name: str
    scores: dict[str, float | None]  # the values of PAIR_SCORES; shares in [0, 1], and log-odds
    hyp: SideView
    ref: SideView


class UnitWorker(Worker):
    """A worker whose records also have a row with P(BOS) and P(EOS) for each token."""

    def _load(self) -> None:
        from ...sentence_identifier.access.units import find_span_keys

        super()._load()
        list_units: Any = self._extract
        su_key = find_span_keys(self.nlp).su
        # Offsets of both lists are mapped back if the tokenizer has filtered the text.
        list_words = TASKS[WORDS].make_extractor(self.nlp)

        def list_probs(doc: "Doc") -> Rows:
            attrs = doc.spans[su_key].attrs
            probs = [
                {"label": TOKEN, "bos_prob": float(bos), "eos_prob": float(eos)}
                for token, bos, eos in zip(doc, attrs["bos_prob"], attrs["eos_prob"], strict=True)
                if not token.is_space
            ]
            return [{**word, **prob} for word, prob in zip(list_words(doc), probs, strict=True)]

        self._extract = lambda doc: list_units(doc) + list_probs(doc)


def view_marked(golds: "Iterable[GoldDocument]") -> Iterator[DocumentView]:
    """Yield documents with their gold units as the units to show."""
    for gold in golds:
        yield DocumentView(gold.id, gold.text, [_view_unit(unit, {}) for unit in gold.units])


def view_records(
    documents: Iterable[Document], path: Path, *, on_bad: Callable[[BadLine], object]
) -> Iterator[DocumentView]:
    """Yield documents with the units that `identify` found in them, matched by id.

    path: The JSON lines that `identify` wrote. Documents without a record are passed to `on_bad`.
        If an id is repeated, its records and documents are matched in order.

    Raises ValueError, with file and line, for a record without units, or with units that do not fit
    the text.
    """
    from ...sentence_identifier.data.records import index_records, read_scored_units

    records = index_records(path)
    for document in documents:
        if not (waiting := records.get((str(document.id), document.part))):
            on_bad(BadLine(document.place, f"{path} must have a record of {document.id!r}."))
            continue
        place, record = waiting.popleft()
        found = read_scored_units(record, document.text, place, offset=document.start_char)
        units = [_view_unit(unit, scores) for unit, scores in found]
        yield DocumentView(document.name, document.text, units)


def _view_unit(unit: Unit, scores: Mapping[str, Any], css: str = "") -> UnitView:
    """Convert a unit, with its scores in a record, to a view."""
    is_kind = unit.label in NSU_KINDS
    return UnitView(
        unit.start,
        unit.end,
        NSU if is_kind else unit.label,
        scores.get("score"),
        css,
        unit.label if is_kind else "",
        scores.get("label_score"),
        scores.get("kind_score"),
    )


def view_documents(
    documents: Sequence[Document], worker: Worker, *, on_bad: Callable[[BadLine], object]
) -> Iterator[DocumentView]:
    """Yield documents with the results of a pipeline; failed ones are passed to `on_bad`.

    Sentences have the label SU, words have no label, and neither has scores.
    """
    for document, record in _work(documents, worker, on_bad):
        yield view_record(document, record, worker.settings.task)


def view_record(document: Document, record: dict[str, Any], task: str) -> DocumentView:
    """Convert the record of a document to a view. Offsets of records count in the document."""
    label, css = ("", "word") if task == WORDS else (SU, "")
    start = document.start_char
    units, probs = [], []
    for row in record[task]:
        if row.get("label") == TOKEN:
            span = row["start_char"] - start, row["end_char"] - start
            probs.append(TokenProb(*span, row["bos_prob"], row["eos_prob"]))
        else:
            name = row.get("kind") or row.get("label", label)
            unit = Unit(row["start_char"] - start, row["end_char"] - start, name)
            units.append(_view_unit(unit, row, css))
    return DocumentView(document.name, document.text, units, probs or None)


def view_gold(
    golds: "Sequence[GoldDocument]", worker: Worker, *, on_bad: Callable[[BadLine], object]
) -> Iterator[DocumentView]:
    """Yield gold documents with the results of a pipeline."""
    # Names may be repeated, so the id is a number.
    numbered = [Document(n, gold.text, gold.id) for n, gold in enumerate(golds)]
    for view in view_documents(numbered, worker, on_bad=on_bad):
        gold = golds[int(view.name)]
        yield view._replace(name=gold.id, gold=gold.units)


def view_pairs(
    documents: Sequence[Document], worker: Worker, *, on_bad: Callable[[BadLine], object]
) -> Iterator[PairView]:
    """Yield pairs with the words of each text that the other does not support."""
    for document, record in _work(documents, worker, on_bad):
        yield view_pair(document, record)


def view_pair(document: Document, record: dict[str, Any]) -> PairView:
    """Convert the record of a pair to a view."""
    sides = [document.text, (document.refs or ("",))[record.get("best", 0)]]
    hyp, ref = (
        SideView(
            text,
            [(s["start_char"], s["end_char"], s["score"]) for s in record[f"{name}_spans"]],
            [(start, end, support) for _, start, end, support in record[f"{name}_words"]],
        )
        for name, text in zip(("hyp", "ref"), sides, strict=True)
    )
    scores = {name: record.get(name) for name in PAIR_SCORES}
    return PairView(str(document.id), scores, hyp, ref)


def make_worker(settings: WorkSettings) -> Worker:
    """Load the pipeline of a page. For units, it also finds the probabilities of tokens."""
    if settings.task != UNITS:
        return Worker(settings)
    return UnitWorker(replace(settings, settings={**settings.settings, "store_probs": True}))


def take(
    items: Iterable[Item | BadLine], limit: int, *, on_bad: Callable[[BadLine], object]
) -> tuple[list[Item], bool]:
    """Return the first good items, and whether there are more; pass bad ones to `on_bad`.

    >>> take(["a", BadLine("x:2", "why"), "b", "c"], 2, on_bad=print)
    BadLine(place='x:2', reason='why')
    (['a', 'b'], True)
    """
    found: list[Item] = []
    for item in items:
        if isinstance(item, BadLine):
            on_bad(item)
        elif len(found) == limit:
            return found, True
        else:
            found.append(item)
    return found, False


def _work(
    documents: Sequence[Document], worker: Worker, on_bad: Callable[[BadLine], object]
) -> Iterator[tuple[Document, dict[str, Any]]]:
    """Yield each document with its record, whose offsets refer to the text of the document."""
    for document, record in zip(documents, worker.make_records(documents), strict=True):
        if isinstance(record, BadLine):
            on_bad(record)
        else:
            yield document, record
