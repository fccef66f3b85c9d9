"""Do the work of a batch job: documents in, a line of JSON each out.

documents -> groups of blocks -> pipeline, in a memory zone -> records -> lines

A worker loads its pipeline by itself, and gives back bytes: no Doc leaves the process. What it
makes of a document depends on the documents that it is given together with, at most in the last
digit of a score; so jobs give the same parcels whatever the engine, and are the same to the byte.
"""

import gc
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..files.records import BYTE_ORDER_MARK, BadLine
from .long_texts import cut_text
from .parcels import count_characters
from .reading import Document
from .tasks import (
    DEFAULT_MODELS,
    SCORES,
    TASKS,
    UNITS,
    Rows,
    keep_units,
    load_task_pipeline,
    make_extractor,
    move_rows,
    set_identifier,
)

KEEP_SU = "su"
SURROGATE = re.compile("[\ud800-\udfff]")
# Blocks go through the pipeline in groups of about so many characters, to bound memory; a longer
# document is cut at safe places.
BLOCK_CHARS = 200_000
# Words, each time that one is new to a memory zone.
MAX_NEW_WORDS = 1_000_000
# So many documents in a row that a pipeline fails on are no fault of theirs.
MANY = 10


@dataclass(frozen=True)
class WorkSettings:
    """What is to be done; workers are made of it in other processes.

    task: One of TASKS. model: Folder or package of a pipeline, or a language; None = English, for
        words Chinese.
    newline, threshold: Settings of the sentence identifier; None = as in the pipeline.
    keep: "su": the text without its NSUs is written instead of units.
    batch_size: Docs that the pipeline gets at once; None = its own.
    plain_strings: Ids are written as strings, and half characters replaced, for Parquet.
    gpu_id: -1: no GPU.
    """

    task: str = UNITS
    model: str | None = None
    newline: str | None = None
    threshold: float | None = None
    keep: str | None = None
    batch_size: int | None = None
    plain_strings: bool = False
    gpu_id: int = -1

    def __post_init__(self) -> None:
        if self.task not in TASKS:
            raise ValueError(f"Found task {self.task!r}, expected one of {', '.join(TASKS)}.")
        of_units = {"newline": self.newline, "threshold": self.threshold, "keep": self.keep}
        given = [name for name, value in of_units.items() if value is not None]
        if given and self.task != UNITS:
            raise ValueError(
                f"Found {', '.join(given)} for the task {self.task!r}, expected it for {UNITS!r} "
                "only. Leave it out."
            )
        if self.keep not in (None, KEEP_SU):
            raise ValueError(f"Found keep={self.keep!r}, expected {KEEP_SU!r} or None.")

    @property
    def model_name(self) -> str:
        """The model, or the default one of the task."""
        return self.model if self.model is not None else DEFAULT_MODELS[self.task]


class Result(NamedTuple):
    """What a worker made of some documents."""

    lines: bytes  # a line of JSON a document, in their order
    n_records: int
    errors: list[BadLine]
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
        """Load the pipeline; anew when its vocabulary has seen many words.

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
        """Make the lines of some documents; those that the pipeline fails on are errors."""
        lines: list[str] = []
        errors: list[BadLine] = []
        for record in self.make_records(documents):
            if isinstance(record, BadLine):
                errors.append(record)
            else:
                lines.append(json.dumps(record, allow_nan=False) + "\n")
        return Result("".join(lines).encode("ascii"), len(lines), errors, _peak_bytes())

    def make_records(self, documents: Iterable[Document]) -> Iterator[dict[str, Any] | BadLine]:
        """Make the record of each document, in their order."""
        for group in _group_documents(documents):
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
                        f"{len(group) - 1} after it: {type(error).__name__}: {error} Mend the "
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
        assert self._extract is not None
        found: list[Rows] = [[] for _ in group]
        blocks = (
            (n, start, block)
            for n, document in enumerate(group)
            for start, block in cut_text(readable_text(document.text), BLOCK_CHARS)
        )
        for part in _group_by_size(blocks):
            self._warm_up(block for _, _, block in part)
            # What the vocabulary takes up in a zone is forgotten when it ends.
            with self.nlp.memory_zone():
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
        if self.settings.plain_strings:
            name = self._plain(str(name))
        return {"id": name} if document.part is None else {"id": name, "part": document.part}

    def _plain(self, text: str) -> str:
        return SURROGATE.sub("\ufffd", text) if self.settings.plain_strings else text

    def _score(self, group: list[Document]) -> list[dict[str, Any] | BadLine]:
        """Score the pairs of a group."""
        from ..paraphrase_tagger.nlg.evaluator import TextPair
        from ..paraphrase_tagger.nlg.score_files import IDENTICAL, Entry, score_entries

        pairs = (
            Entry(
                document.place,
                document.id,
                TextPair(
                    readable_text(document.text),
                    [readable_text(ref) for ref in document.refs or ()],
                    document.id,
                ),
                "",
                None,
            )
            for document in group
        )
        found: list[dict[str, Any] | BadLine] = []
        outcomes = score_entries(self.nlp, pairs, batch_size=self.settings.batch_size)
        for document, outcome in zip(group, outcomes, strict=True):
            if outcome.record is not None:
                found.append({**outcome.record, **self._head(document)})
            else:
                reason = (outcome.error or {})["reason"]
                if reason == IDENTICAL:  # which names an option of another command
                    reason = "found a text that is its own reference, expected two to compare."
                found.append(BadLine(document.place, reason))
        return found


def readable_text(text: str) -> str:
    """Replace what spaCy cannot take by other characters, one for one, so that offsets hold."""
    if text.startswith(BYTE_ORDER_MARK):
        text = " " + text[1:]
    return SURROGATE.sub("\ufffd", text)


def _bad(document: Document, error: Exception) -> BadLine:
    return BadLine(document.place, f"the pipeline failed on it: {type(error).__name__}: {error}")


def _group_documents(documents: Iterable[Document]) -> Iterator[list[Document]]:
    return _group_by_size(documents, size=count_characters)


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
