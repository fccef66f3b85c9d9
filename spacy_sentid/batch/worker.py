"""Do the work of a batch job: documents in, their encoded records out.

documents -> groups -> pipeline, in a memory zone -> records -> lines of JSON, or Arrow

A worker loads its pipeline by itself: no Doc leaves the process. What it makes of a document
depends on the documents of the same batch, at most in the last digit of a score; so jobs make the
same batches whatever the engine, and their outputs are the same to the byte.
"""

import gc
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from ..files.records import BadLine
from ..long_texts import cut_text
from ..settings import check_choice
from .documents import Document
from .formats import ENCODINGS, JSONL, encode_records
from .records import make_record, readable_text
from .tasks import (
    DEFAULT_MODELS,
    IDENTIFIER_SETTINGS,
    SCORES,
    SENTENCES,
    TASKS,
    UNITS,
    Rows,
    load_task_pipeline,
    make_extractor,
    move_rows,
    set_identifier,
)

KEEP_SU = "su"
PERSPECTIVES = ("p", "r", "f")
AGGREGATES = ("max", "mean")
IDENTICAL = "the text is its own reference. Leave the pair out, or allow it with --allow-identical."
# Documents go through the pipeline in groups of about so many characters, to bound memory; a longer
# one is cut into blocks at safe places.
BLOCK_CHARS = 200_000
# Words, each time that one is new to a memory zone.
MAX_NEW_WORDS = 1_000_000
# Abort after this many consecutive failures: the pipeline is wrong, not the documents.
MANY = 10

# What is made of a document.
Record: TypeAlias = dict[str, Any] | BadLine


@dataclass(frozen=True)
class WorkSettings:
    """What is to be done; workers are made of it in other processes.

    task: One of TASKS. model: Folder or package of a pipeline, or a language; None = English, for
        words Chinese.
    newline, threshold, nsu_span, decoder, max_length: Settings of the sentence identifier; None =
        as in the pipeline.
    keep: "su": the text without its NSUs is written instead of units.
    with_text: Units and sentences have their text.
    perspective, aggregate: Of scores, see `score_pairs`. allow_identical: Score texts that are one
        of their references, word for word.
    batch_size: Docs that the pipeline gets at once; None = its own.
    encoding: One of ENCODINGS.
    gpu_id: -1: no GPU.
    """

    task: str = UNITS
    model: str | None = None
    newline: str | None = None
    threshold: float | None = None
    nsu_span: str | None = None
    decoder: str | None = None
    max_length: int | None = None
    keep: str | None = None
    with_text: bool = False
    perspective: str = "f"
    aggregate: str = "max"
    allow_identical: bool = False
    batch_size: int | None = None
    encoding: str = JSONL
    gpu_id: int = -1

    def __post_init__(self) -> None:
        check_choice("task", self.task, TASKS)
        check_choice("keep", self.keep, (None, KEEP_SU))
        check_choice("perspective", self.perspective, PERSPECTIVES)
        check_choice("aggregate", self.aggregate, AGGREGATES)
        check_choice("encoding", self.encoding, ENCODINGS)
        given = [*self.identifier_settings, *(["keep"] if self.keep is not None else [])]
        if given and self.task != UNITS:
            raise ValueError(
                f"{', '.join(given)} must be left out for the task {self.task!r}: only {UNITS!r} "
                "has it."
            )
        if self.with_text and (self.keep is not None or self.task not in (UNITS, SENTENCES)):
            other = f"task = {self.task!r}" if self.keep is None else f"keep = {self.keep!r}"
            raise ValueError(f"with_text (--text) must be for units or sentences, got {other}.")

    @property
    def identifier_settings(self) -> dict[str, Any]:
        """The settings of the sentence identifier that are given."""
        found = {name: getattr(self, name) for name in IDENTIFIER_SETTINGS}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def model_name(self) -> str:
        """The model, or the default one of the task."""
        return self.model if self.model is not None else DEFAULT_MODELS[self.task]


class Result(NamedTuple):
    """What a worker made of some documents."""

    data: Any  # their records in order, see `encode_records`
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
        """Change settings of the identifier (not to None), also for a pipeline loaded later."""
        self.settings = replace(self.settings, **chosen)
        if self._is_loaded:
            set_identifier(self.nlp, chosen)

    def _load(self) -> None:
        settings = self.settings
        self.nlp = load_task_pipeline(settings.task, settings.model_name)
        # spaCy's limit is there for parser and NER; blocks are bounded.
        self.nlp.max_length = max(self.nlp.max_length, BLOCK_CHARS)
        self._n_words = len(self.nlp.vocab)
        self._n_parts = 0
        self._extract: Callable[[Any], Rows] | None = None
        if settings.task == UNITS:
            set_identifier(self.nlp, settings.identifier_settings)
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
        settings = self.settings
        found = list(self.make_records(documents))
        records = [record for record in found if not isinstance(record, BadLine)]
        errors = [record for record in found if isinstance(record, BadLine)]
        sums: list[float] = []
        if settings.task == SCORES:
            sums = [sum(record[side] or 0.0 for record in records) for side in PERSPECTIVES]
        data = encode_records(
            records,
            settings.encoding,
            task=settings.task,
            keep=settings.keep,
            with_text=settings.with_text,
        )
        return Result(data, len(records), errors, sums, _peak_bytes())

    def make_records(self, documents: Iterable[Document]) -> Iterator[Record]:
        """Make the record of each document, in their order."""
        for group in _group_by_size(documents):
            self._refresh()
            try:
                found = self._work(group)
            except MemoryError:  # of the job, not of a document
                raise
            except Exception as error:
                found = [self._work_on_one(document) for document in group]
                if len(group) >= MANY and all(isinstance(record, BadLine) for record in found):
                    raise ValueError(
                        f"{group[0].place}: the pipeline fails on this document and the "
                        f"{len(group) - 1} after it: {type(error).__name__}: {error} Fix the "
                        "pipeline, or leave them out."
                    ) from error
            yield from found

    def _work(self, group: list[Document]) -> list[Record]:
        return self._score(group) if self._extract is None else self._annotate(group)

    def _work_on_one(self, document: Document) -> Record:
        """Work on a document alone, to find out whether it is one that the pipeline fails on."""
        try:
            return self._work([document])[0]
        except Exception as error:
            reason = f"the pipeline failed on it: {type(error).__name__}: {error}"
            return BadLine(document.place, reason)

    def _annotate(self, group: list[Document]) -> list[Record]:
        """Run the pipeline over the texts of a group."""
        from ..pipelines import open_memory_zone

        assert self._extract is not None
        settings = self.settings
        found: list[Rows] = [[] for _ in group]
        blocks = [
            (block, (n, start))
            for n, document in enumerate(group)
            for start, block in cut_text(readable_text(document.text), BLOCK_CHARS)
        ]
        # Of several documents each is a block.
        for part in [blocks] if len(group) > 1 else [[block] for block in blocks]:
            self._n_parts += 1
            if self._n_parts == 2:  # not for the one small file
                # The tokenizer keeps nothing of what it sees in a memory zone: without frequent
                # words it takes more than twice as long.
                for block, _ in part:
                    self.nlp.make_doc(block)
            with open_memory_zone(self.nlp):
                docs = self.nlp.pipe(part, as_tuples=True, batch_size=settings.batch_size)
                for doc, (n, start) in docs:
                    found[n] += move_rows(self._extract(doc), group[n].start_char + start)
        make = partial(
            make_record, task=settings.task, keep=settings.keep, with_text=settings.with_text
        )
        return list(map(make, group, found))

    def _score(self, group: list[Document]) -> list[Record]:
        """Score the pairs of a group."""
        from ..paraphrase_tagger.nlg.evaluator import PairScore, TextPair, score_pairs
        from ..paraphrase_tagger.nlg.score_records import is_identical, score_record

        settings = self.settings
        pairs: list[TextPair | None] = []
        for document in group:
            refs = [readable_text(ref) for ref in document.refs or ()]
            pair = TextPair(readable_text(document.text), refs, document.id)
            pairs.append(None if not settings.allow_identical and is_identical(pair) else pair)
        scores: list[PairScore | ValueError] = []
        with self.nlp.memory_zone():
            for score in score_pairs(
                self.nlp,
                [pair for pair in pairs if pair is not None],
                perspective=settings.perspective,
                aggregate=settings.aggregate,
                batch_size=settings.batch_size,
                on_error=lambda _, error: scores.append(error),
            ):
                scores.append(score)
        rest = iter(scores)
        found: list[Record] = []
        for document, scored in zip(group, pairs, strict=True):
            result = ValueError(IDENTICAL) if scored is None else next(rest)
            if isinstance(result, ValueError):
                found.append(BadLine(document.place, str(result)))
            else:
                found.append(score_record(document.id, result))
        return found


def _group_by_size(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Group documents of up to BLOCK_CHARS characters in all, or a longer one alone."""
    group: list[Document] = []
    total = 0
    for document in documents:
        if group and total + document.n_chars > BLOCK_CHARS:
            yield group
            group, total = [], 0
        group.append(document)
        total += document.n_chars
    if group:
        yield group


def _peak_bytes() -> int:
    try:
        import resource
    except ImportError:  # Windows
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
