"""Do the work of a batch job: documents in, their encoded records out.

documents -> groups of blocks -> pipeline, in a memory zone -> records -> lines of JSON, or Arrow

A worker loads its pipeline by itself, and returns bytes: no Doc leaves the process. What it makes
of a document depends on the documents of the same batch, at most in the last digit of a score; so
jobs make the same batches whatever the engine, and their outputs are the same to the byte.
"""

import gc
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..files.records import BYTE_ORDER_MARK, BadLine
from ..files.store import import_extra
from ..settings import check_choice
from .batches import count_characters
from .documents import Document
from .long_texts import cut_text
from .tasks import (
    DEFAULT_MODELS,
    SCORES,
    TASKS,
    UNITS,
    Rows,
    keep_units,
    load_task_pipeline,
    make_extractor,
    make_schema,
    move_rows,
    set_identifier,
)

KEEP_SU = "su"
PERSPECTIVES = ("p", "r", "f")
AGGREGATES = ("max", "mean")
IDENTICAL = "the text is its own reference. Leave the pair out, or allow it with --allow-identical."
SURROGATE = re.compile("[\ud800-\udfff]")
# Blocks go through the pipeline in groups of about so many characters, to bound memory; a longer
# document is cut at safe places.
BLOCK_CHARS = 200_000
# Words, each time that one is new to a memory zone.
MAX_NEW_WORDS = 1_000_000
# Abort after this many consecutive failures: the pipeline is wrong, not the documents.
MANY = 10


@dataclass(frozen=True)
class WorkSettings:
    """What is to be done; workers are made of it in other processes.

    task: One of TASKS. model: Folder or package of a pipeline, or a language; None = English, for
        words Chinese.
    newline, threshold: Settings of the sentence identifier; None = as in the pipeline.
    keep: "su": the text without its NSUs is written instead of units.
    perspective, aggregate: Of scores, see `score_pairs`. allow_identical: Score texts that are one
        of their references, word for word.
    batch_size: Docs that the pipeline gets at once; None = its own.
    columns: Records are for Parquet: ids are strings, half characters are replaced.
    gpu_id: -1: no GPU.
    """

    task: str = UNITS
    model: str | None = None
    newline: str | None = None
    threshold: float | None = None
    keep: str | None = None
    perspective: str = "f"
    aggregate: str = "max"
    allow_identical: bool = False
    batch_size: int | None = None
    columns: bool = False
    gpu_id: int = -1

    def __post_init__(self) -> None:
        check_choice("task", self.task, TASKS)
        check_choice("keep", self.keep, (None, KEEP_SU))
        check_choice("perspective", self.perspective, PERSPECTIVES)
        check_choice("aggregate", self.aggregate, AGGREGATES)
        of_units = {"newline": self.newline, "threshold": self.threshold, "keep": self.keep}
        given = [name for name, value in of_units.items() if value is not None]
        if given and self.task != UNITS:
            raise ValueError(
                f"{', '.join(given)} must be left out for the task {self.task!r}: only {UNITS!r} "
                "has it."
            )

    @property
    def model_name(self) -> str:
        """The model, or the default one of the task."""
        return self.model if self.model is not None else DEFAULT_MODELS[self.task]


class Result(NamedTuple):
    """What a worker made of some documents."""

    data: bytes  # their records in order: a line of JSON each, or an Arrow stream
    n_records: int
    errors: list[BadLine]
    sums: list[float]  # of the task "scores": P, R, F of the records; None counts as 0
    peak_bytes: int  # most memory of the worker so far; 0 where the system does not tell


class Worker:
    """A pipeline and what to do with it. Raises ValueError if the pipeline cannot do it."""

    def __init__(self, settings: WorkSettings) -> None:
        if settings.gpu_id >= 0:
            import spacy

            spacy.require_gpu(settings.gpu_id)
        self.settings = settings
        self._is_loaded = False
        self._refresh()

    def choose(self, **chosen: Any) -> None:
        """Change `newline` or `threshold` (not to None), also for a pipeline loaded later."""
        self.settings = replace(self.settings, **chosen)
        if self._is_loaded:
            set_identifier(self.nlp, chosen)

    def _load(self) -> None:
        settings = self.settings
        self.nlp = load_task_pipeline(settings.task, settings.model_name)
        # spaCy's limit is there for parser and NER; blocks are bounded.
        self.nlp.max_length = max(self.nlp.max_length, BLOCK_CHARS)
        self._n_words = len(self.nlp.vocab)
        self._n_groups = 0
        self._extract: Callable[[Any], Rows] | None = None
        if settings.task == UNITS:
            chosen = {"newline": settings.newline, "threshold": settings.threshold}
            set_identifier(self.nlp, {k: v for k, v in chosen.items() if v is not None})
        if settings.task != SCORES:
            self._extract = make_extractor(self.nlp, settings.task)

    def _refresh(self) -> None:
        """Load the pipeline, and again when its vocabulary has seen many words.

        What a memory zone forgets leaves marks in the tables of the vocabulary (preshed's
        DELETED_KEY), which grow with every new word for ever: 500 MB in 200 MB of new words.
        After a load that failed the next call tries again.
        """
        if self._is_loaded and len(self.nlp.vocab) - self._n_words > MAX_NEW_WORDS:
            self._is_loaded = False
            del self.nlp, self._extract  # before the new one takes up memory
            gc.collect()
        if not self._is_loaded:
            self._load()
            self._is_loaded = True

    def __call__(self, documents: Sequence[Document]) -> Result:
        """Make the records of some documents; those that the pipeline fails on are errors."""
        records: list[dict[str, Any]] = []
        errors: list[BadLine] = []
        for record in self.make_records(documents):
            if isinstance(record, BadLine):
                errors.append(record)
            else:
                records.append(record)
        sums: list[float] = []
        if self.settings.task == SCORES:
            sums = [sum(record[side] or 0.0 for record in records) for side in PERSPECTIVES]
        return Result(self._encode(records), len(records), errors, sums, _peak_bytes())

    def _encode(self, records: list[dict[str, Any]]) -> bytes:
        if not self.settings.columns:
            lines = (json.dumps(record, allow_nan=False) + "\n" for record in records)
            return "".join(lines).encode("ascii")
        pa = import_extra("pyarrow")
        schema = make_schema(self.settings.task, keep=self.settings.keep)
        stream = pa.BufferOutputStream()
        with pa.ipc.new_stream(stream, schema) as writer:
            writer.write_batch(pa.RecordBatch.from_pylist(records, schema=schema))
        data: bytes = stream.getvalue().to_pybytes()
        return data

    def make_records(self, documents: Iterable[Document]) -> Iterator[dict[str, Any] | BadLine]:
        """Make the record of each document, in their order."""
        for group in _group_by_size(documents, size=count_characters):
            self._refresh()
            make = self._score if self._extract is None else self._annotate
            try:
                found = make(group)
            except MemoryError:  # of the job, not of a document
                raise
            except Exception as error:
                found = [_bad(group[0], error)] if len(group) == 1 else self._each(make, group)
                if len(group) >= MANY and all(isinstance(record, BadLine) for record in found):
                    raise ValueError(
                        f"{group[0].place}: the pipeline fails on this document and the "
                        f"{len(group) - 1} after it: {type(error).__name__}: {error} Fix the "
                        "pipeline, or leave them out."
                    ) from error
            yield from found

    def _each(
        self, make: Callable[[list[Document]], list[Any]], group: list[Document]
    ) -> list[dict[str, Any] | BadLine]:
        """Work on the documents of a group one by one, to find those that the pipeline fails on."""
        found: list[dict[str, Any] | BadLine] = []
        for document in group:
            try:
                found += make([document])
            except Exception as error:
                found.append(_bad(document, error))
        return found

    def _annotate(self, group: list[Document]) -> list[dict[str, Any] | BadLine]:
        """Run the pipeline over the texts of a group."""
        from ..pipelines import open_memory_zone

        assert self._extract is not None
        found: list[Rows] = [[] for _ in group]
        blocks = (
            (n, start, block)
            for n, document in enumerate(group)
            for start, block in cut_text(readable_text(document.text), BLOCK_CHARS)
        )
        for part in _group_by_size(blocks):
            self._warm_up(block for _, _, block in part)
            with open_memory_zone(self.nlp):
                texts = ((block, (n, start)) for n, start, block in part)
                docs = self.nlp.pipe(texts, as_tuples=True, batch_size=self.settings.batch_size)
                for doc, (n, start) in docs:
                    found[n] += move_rows(self._extract(doc), group[n].start_char + start)
        return [self._record(*row) for row in zip(group, found, strict=True)]

    def _warm_up(self, texts: Iterable[str]) -> None:
        """Let the tokenizer see text outside a memory zone, once.

        It keeps nothing of what it sees inside: without frequent words it takes more than twice as
        long.
        """
        self._n_groups += 1
        if self._n_groups == 2:  # not for the one small file
            for text in texts:
                self.nlp.make_doc(text)

    def _record(self, document: Document, rows: Rows) -> dict[str, Any]:
        record = self._head(document)
        if self.settings.keep is None:
            record[self.settings.task] = rows
            return record
        kept = keep_units(document.text, rows, start_char=document.start_char)
        text = self._plain(kept.text)
        return {**record, "text": text, "offsets": kept.offsets}

    def _head(self, document: Document) -> dict[str, Any]:
        name = document.id
        if self.settings.columns:
            name = self._plain(str(name))
        return {"id": name} if document.part is None else {"id": name, "part": document.part}

    def _plain(self, text: str) -> str:
        return SURROGATE.sub("\ufffd", text) if self.settings.columns else text

    def _score(self, group: list[Document]) -> list[dict[str, Any] | BadLine]:
        """Score the pairs of a group."""
        from ..paraphrase_tagger.nlg.evaluator import PairScore, TextPair, score_pairs
        from ..paraphrase_tagger.nlg.score_records import is_identical, name_words, score_record

        pairs = [
            TextPair(
                readable_text(document.text),
                [readable_text(ref) for ref in document.refs or ()],
                document.id,
            )
            for document in group
        ]
        settings = self.settings
        wrong = [not settings.allow_identical and is_identical(pair) for pair in pairs]
        scores: list[PairScore | ValueError] = []
        with self.nlp.memory_zone():
            for score in score_pairs(
                self.nlp,
                [pair for pair, is_wrong in zip(pairs, wrong, strict=True) if not is_wrong],
                perspective=settings.perspective,
                aggregate=settings.aggregate,
                batch_size=settings.batch_size,
                on_error=lambda _, error: scores.append(error),
            ):
                scores.append(score)
        rest = iter(scores)
        found: list[dict[str, Any] | BadLine] = []
        for document, is_wrong in zip(group, wrong, strict=True):
            result = ValueError(IDENTICAL) if is_wrong else next(rest)
            if isinstance(result, ValueError):
                found.append(BadLine(str(document.place), str(result)))
                continue
            record = {**score_record(document.id, result), **self._head(document)}
            found.append(name_words(record) if settings.columns else record)
        return found


def readable_text(text: str) -> str:
    """Replace what spaCy cannot take by other characters, one for one, so that offsets hold."""
    if text.startswith(BYTE_ORDER_MARK):
        text = " " + text[1:]
    return SURROGATE.sub("\ufffd", text)


def _bad(document: Document, error: Exception) -> BadLine:
    return BadLine(
        str(document.place), f"the pipeline failed on it: {type(error).__name__}: {error}"
    )


def _group_by_size(
    items: Iterable[Any], *, size: Callable[[Any], int] = lambda item: len(item[-1])
) -> Iterator[list[Any]]:
    """Group items of up to BLOCK_CHARS characters in all, or a longer one alone."""
    group: list[Any] = []
    total = 0
    for item in items:
        if group and total + size(item) > BLOCK_CHARS:
            yield group
            group, total = [], 0
        group.append(item)
        total += size(item)
    if group:
        yield group


def _peak_bytes() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
