"""Read the documents of a page: the user's files, or gold, with the results of a pipeline.

inputs -> documents -> pipeline -> views, in order; bad documents are reported
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ...batch.input.documents import Document
from ...batch.tasks import TASKS, WORDS, Rows
from ...batch.work.work_settings import WorkSettings
from ...batch.work.worker import Worker
from ...files.records import BadLine, parse_record, read_good_lines
from ...messages import shorten
from ...text.units import NSU, NSU_KINDS, SU, Unit
from .units import TokenProb, UnitView, check_stretches

if TYPE_CHECKING:
    from spacy.tokens import Doc

Item = TypeVar("Item")
TOKEN = "token"
MARKED_SUFFIXES = (".txt", ".jsonl", ".json")
PAIR_SCORES = ("supported_p", "supported_r", "supported_f", "p", "r", "f")
GOLD_SUFFIXES = (".conllu", ".spacy", *MARKED_SUFFIXES)


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
        from ...sentence_identifier.access.spans import find_span_keys

        super()._load()
        list_units: Any = self._extract
        su_key = find_span_keys(self.nlp)[0]
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


def read_gold(path: Path, *, lang: str = "en", **rule: Any) -> Iterator[DocumentView]:
    """Read gold documents from .conllu, .spacy with both span groups, marked text or JSON.

    lang: Language of the vocabulary.
    rule: Arguments of `convert.label_units`.

    Raises ValueError for any other file.
    """
    import spacy

    from ...sentence_identifier.access.spans import read_units
    from ...sentence_identifier.data.convert import (
        NEWDOC,
        NSU_KEY,
        SU_KEY,
        convert_treebank,
        read_docs,
    )
    from ...sentence_identifier.data.documents import read_documents

    if path.suffix not in GOLD_SUFFIXES:
        raise ValueError(
            f"The file of documents must be one of {', '.join(GOLD_SUFFIXES)}, got {path}. "
            "Make one with 'spacy-sentid treebank convert'."
        )
    nlp = spacy.blank(lang)
    if path.suffix in MARKED_SUFFIXES:
        for document in read_documents(path, nlp):
            yield DocumentView(document.id, document.text, [], gold=document.units)
        return
    docs: Iterable[Doc]
    if path.suffix == ".spacy":
        docs = read_docs(path, nlp.vocab)
    else:
        docs = convert_treebank(path, nlp, **rule)
    for n, doc in enumerate(docs, start=1):
        missing = [key for key in (SU_KEY, NSU_KEY) if key not in doc.spans]
        if missing:
            raise ValueError(
                f"{path}: document {n} must have spans[{missing[0]!r}], got "
                f"{', '.join(doc.spans) or 'none'}. Use 'spacy-sentid treebank convert'."
            )
        name = doc.user_data.get(NEWDOC) or f"{path.stem}-{n}"
        yield DocumentView(str(name), doc.text, [], gold=read_units(doc, with_kinds=True))


def view_marked(golds: Iterable[DocumentView]) -> Iterator[DocumentView]:
    """Yield documents with their gold units as the units to show."""
    for gold in golds:
        units = [
            UnitView(start, end, SU if label == SU else NSU, None, kind=label)
            if label in NSU_KINDS
            else UnitView(start, end, label, None)
            for start, end, label in gold.gold or []
        ]
        yield gold._replace(units=units, gold=None)


def view_records(
    documents: Iterable[Document], path: Path, *, on_bad: Callable[[BadLine], object]
) -> Iterator[DocumentView]:
    """Yield documents with the units that `identify` found in them, matched by id.

    path: The JSON lines that `identify` wrote. Documents without a record are passed to `on_bad`.
        If an id is repeated, its records and documents are matched in order.

    Raises ValueError, with file and line, for a record without units, or with units that do not fit
    the text.
    """
    records: dict[tuple[object, object], deque[tuple[str, Rows]]] = {}
    for line in read_good_lines(path):
        record = parse_record(line)
        key = record.get("id"), record.get("part")
        if not isinstance(record.get("units"), list) or not all(map(_is_name, key)):
            raise ValueError(f"{line.place}: the record must have 'id', and a list 'units'.")
        records.setdefault(key, deque()).append((line.place, record["units"]))
    for document in documents:
        if not (waiting := records.get((document.id, document.part))):
            on_bad(BadLine(document.place, f"{path} must have a record of {document.id!r}."))
            continue
        place, rows = waiting.popleft()
        try:
            _check_rows(rows)
            units = [_view_row(row, document.start_char) for row in rows]
            check_stretches(document.text, units)
        except ValueError as error:
            raise ValueError(
                f"{place}: the units must be those of the text of {document.id!r} ({error})."
            ) from error
        yield DocumentView(_name(document), document.text, units)


def _is_name(value: object) -> bool:
    return value is None or isinstance(value, str | int)


def _check_rows(rows: Sequence[Any]) -> None:
    """Raise ValueError for rows that `identify` cannot have written."""
    for row in rows:
        found = row if isinstance(row, dict) else {}
        scores = [found.get(name) for name in ("score", "label_score", "kind_score")]
        if (
            not all(isinstance(found.get(name), int) for name in ("start_char", "end_char"))
            or found.get("label") not in (SU, NSU)
            or found.get("kind") not in (None, *NSU_KINDS)
            or not all(score is None or isinstance(score, int | float) for score in scores)
        ):
            raise ValueError(
                f"a unit must have 'start_char' and 'end_char', whole numbers, {SU!r} or {NSU!r} "
                f"as 'label', a kind of NSU as 'kind', and numbers as scores, got {shorten(row)}"
            )


def _view_row(row: dict[str, Any], offset: int, label: str = "", css: str = "") -> UnitView:
    """Convert a row of a record to a view. offset: Where the text starts in the whole document."""
    return UnitView(
        row["start_char"] - offset,
        row["end_char"] - offset,
        row.get("label", label),
        row.get("score"),
        css,
        row.get("kind") or "",
        row.get("label_score"),
        row.get("kind_score"),
    )


def _name(document: Document) -> str:
    part = "" if document.part is None else f", part {document.part + 1}"
    return f"{document.id}{part}"


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
            units.append(_view_row(row, start, label, css))
    return DocumentView(_name(document), document.text, units, probs or None)


def view_gold(
    golds: Sequence[DocumentView], worker: Worker, *, on_bad: Callable[[BadLine], object]
) -> Iterator[DocumentView]:
    """Yield gold documents with the results of a pipeline."""
    # Names may be repeated, so the id is a number.
    numbered = [Document(n, gold.text, gold.name) for n, gold in enumerate(golds)]
    for view in view_documents(numbered, worker, on_bad=on_bad):
        gold = golds[int(view.name)]
        yield view._replace(name=gold.name, gold=gold.gold)


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


def make_worker(settings: WorkSettings, *, with_probs: bool) -> Worker:
    """Load the pipeline of a page."""
    if not with_probs or settings.of_task.is_of_pairs:
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
