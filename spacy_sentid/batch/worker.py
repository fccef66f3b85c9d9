"""Do the work of a batch job: documents in, their encoded records out.

documents -> groups -> pipeline, in a memory zone -> records -> lines of JSON, or Arrow

A worker loads its pipeline by itself: no Doc leaves the process. What it makes of a document
depends on the documents of the same batch, at most in the last digit of a score; so jobs make the
same batches whatever the engine, and their outputs are the same to the byte.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from ..files.records import BadLine
from ..long_texts import cut_text
from ..settings import check_choice
from .documents import Document, format_places
from .formats import ENCODINGS, JSONL, encode_records
from .memory import explain_memory_error, find_peak_bytes
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
BLENDED = ("f",)  # a blend with chrF needs both sides
AGGREGATES = ("max", "mean")
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
    perspective, aggregate, blend: Of scores, see `stream_scores`. allow_identical: Score texts that
        are one of their references, word for word.
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
    blend: bool = False
    allow_identical: bool = False
    batch_size: int | None = None
    encoding: str = JSONL
    gpu_id: int = -1

    def __post_init__(self) -> None:
        check_choice("task", self.task, TASKS)
        check_choice("keep", self.keep, (None, KEEP_SU))
        sides = BLENDED if self.blend else PERSPECTIVES
        check_choice("perspective", self.perspective, sides, name="blend" * self.blend)
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
    sums: list[float]  # of the task "scores": `score_records.TOTALS` of the records
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
            gc.unfreeze()
            gc.collect()
        if not self._is_loaded:
            self._load()
            self._is_loaded = True
            # Many short units are so many objects that the collector looks at all there are, again
            # and again. At what is loaded it need not: that took a sixth of the time.
            gc.freeze()

    def __call__(self, documents: Sequence[Document]) -> Result:
        """Make the records of some documents; those that the pipeline fails on are errors."""
        work = self.settings
        found = list(self.make_records(documents))
        records = [record for record in found if not isinstance(record, BadLine)]
        errors = [record for record in found if isinstance(record, BadLine)]
        sums: list[float] = []
        if work.task == SCORES:
            from ..paraphrase_tagger.nlg.score_records import sum_totals

            sums = sum_totals(records)
        with explain_memory_error(format_places(documents)):
            data = encode_records(
                records, work.encoding, task=work.task, keep=work.keep, with_text=work.with_text
            )
        return Result(data, len(records), errors, sums, find_peak_bytes())

    def make_records(self, documents: Iterable[Document]) -> Iterator[Record]:
        """Make the record of each document, in their order."""
        for group in _group_by_size(documents):
            with explain_memory_error(format_places(group)):
                self._refresh()
                found = self._work_on_all(group)
            yield from found

    def _work(self, group: list[Document]) -> list[Record]:
        return self._score(group) if self._extract is None else self._annotate(group)

    def _work_on_all(self, group: list[Document]) -> list[Record]:
        try:
            return self._work(group)
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
            return found

    def _work_on_one(self, document: Document) -> Record:
        """Work on a document alone, to find out whether it is one that the pipeline fails on."""
        try:
            return self._work([document])[0]
        except MemoryError:
            raise
        except Exception as error:
            reason = f"the pipeline failed on it: {type(error).__name__}: {error}"
            return BadLine(document.place, reason)

    def _annotate(self, group: list[Document]) -> list[Record]:
        """Run the pipeline over the texts of a group."""
        work = self.settings
        make = partial(make_record, task=work.task, keep=work.keep, with_text=work.with_text)
        if len(group) == 1:  # it may be long: what is found in a block is finished at once
            [document] = group
            cut = cut_text(readable_text(document.text), BLOCK_CHARS)
            blocks = ((block, document.start_char + start) for start, block in cut)
            return [make(document, chain.from_iterable(self._find([one]) for one in blocks))]
        texts = [(readable_text(one.text), one.start_char) for one in group if one.text]
        found = iter(self._find(texts))
        return [make(document, [next(found)] if document.text else []) for document in group]

    def _find(self, texts: list[tuple[str, int]]) -> list[Rows]:
        """Run the pipeline over texts that each start at some character of a document."""
        from ..pipelines import open_memory_zone

        assert self._extract is not None
        self._learn_words(text for text, _ in texts)
        with open_memory_zone(self.nlp):
            docs = self.nlp.pipe(texts, as_tuples=True, batch_size=self.settings.batch_size)
            return [move_rows(self._extract(doc), start) for doc, start in docs]

    def _learn_words(self, texts: Iterable[str]) -> None:
        """Show the tokenizer the texts of the second part, outside of memory zones.

        It keeps nothing of what it sees in one, and without frequent words it takes more than twice
        as long. The one small file has no second part.
        """
        self._n_parts += 1
        if self._n_parts == 2:
            for text in texts:
                if len(text) <= self.nlp.max_length:  # longer ones are errors
                    self.nlp.make_doc(text)

    def _score(self, group: list[Document]) -> list[Record]:
        """Score the pairs of a group."""
        from ..paraphrase_tagger.nlg.evaluator import TextPair
        from ..paraphrase_tagger.nlg.score_records import score_records

        settings = self.settings
        pairs = []
        for document in group:
            refs = [readable_text(ref) for ref in document.refs or ()]
            pairs.append(TextPair(readable_text(document.text), refs, document.id))
        self._learn_words(text for pair in pairs for text in (pair.hyp, *pair.list_refs()))
        with self.nlp.memory_zone():
            found = score_records(
                self.nlp,
                pairs,
                allow_identical=settings.allow_identical,
                perspective=settings.perspective,
                aggregate=settings.aggregate,
                blend=settings.blend,
                batch_size=settings.batch_size,
            )
        return [
            BadLine(document.place, str(record)) if isinstance(record, ValueError) else record
            for document, record in zip(group, found, strict=True)
        ]


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
