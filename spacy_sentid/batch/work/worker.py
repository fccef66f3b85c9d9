"""Process the documents of a batch job, and encode their records.

documents -> groups -> pipeline, in a memory zone -> records -> lines of JSON, or Arrow

Each worker loads its own pipeline, so no Doc leaves the process. The last digit of a score may
depend on the other documents of the batch. All engines therefore get the same batches, and their
outputs are identical byte for byte.
"""

import gc
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from ...files.records import BadLine
from ...text.long_texts import cut_text
from ..formats.formats import encode_records
from ..formats.records import make_record, readable_text
from ..input.documents import Document
from ..tasks import Rows, move_rows
from .work_settings import WorkSettings

# To bound memory, the pipeline processes documents in groups of about this many characters. A
# longer document is cut into parts at safe places.
PART_CHARS = 200_000
# The pipeline is reloaded after this many new words. A word counts again in each memory zone that
# has not seen it.
MAX_NEW_WORDS = 1_000_000
# Abort after this many consecutive failures: the pipeline is wrong, not the documents.
MANY = 10

# The record of a document, or the reason why it has none.
Record: TypeAlias = dict[str, Any] | BadLine


class Result(NamedTuple):
    """The records and errors of a batch of documents."""

    data: Any  # encoded records in order, see `encode_records`
    n_records: int
    errors: list[BadLine]
    sums: list[float]  # see `Task.count`


class Worker:
    """A pipeline with the task that it does. Raises ValueError if the pipeline cannot do it."""

    max_new_words = MAX_NEW_WORDS

    def __init__(self, settings: WorkSettings) -> None:
        if settings.gpu_id >= 0:
            import spacy

            spacy.require_gpu(settings.gpu_id)
        self.settings = settings
        self._is_loaded = False
        self._refresh()

    def choose(self, **chosen: Any) -> None:
        """Change settings of the component, also when the pipeline is reloaded."""
        from ...components.pipelines import change, find

        if self._is_loaded and chosen:
            change(find(self.nlp, self.settings.of_task.component), chosen)
        self.settings = replace(self.settings, settings={**self.settings.settings, **chosen})

    def _load(self) -> None:
        work = self.settings
        self.nlp = work.of_task.load(work.model_name, work.settings)
        # spaCy's limit protects the parser and NER. The size of our parts is bounded.
        self.nlp.max_length = max(self.nlp.max_length, PART_CHARS)
        self._n_parts = 0
        self._extract: Callable[[Any], Rows] | None = None
        if work.of_task.is_of_pairs:
            # Wrong arguments of `score_records` raise an error here.
            self._score([Document(1, "Sales rose.", refs=("Sales grew.",))])
        else:
            self._extract = work.of_task.make_extractor(self.nlp)
        self._n_words, self._n_parts = len(self.nlp.vocab), 0

    def _refresh(self) -> None:
        """Load the pipeline, and reload it when its vocabulary has seen many words.

        Words that a memory zone frees leave marks (preshed's DELETED_KEY) in the tables of the
        vocabulary. The tables therefore grow with every new word: 500 MB for 200 MB of new words.
        If loading fails, the next call tries again.
        """
        if self._is_loaded and len(self.nlp.vocab) - self._n_words > self.max_new_words:
            self._is_loaded = False
            del self.nlp, self._extract  # frees memory before the new pipeline needs it
            gc.unfreeze()
            gc.collect()
        if not self._is_loaded:
            self._load()
            self._is_loaded = True
            # Many short units create so much garbage that the collector often scans all objects.
            # Freezing those of the pipeline saves a sixth of the time.
            gc.freeze()

    def __call__(self, documents: Sequence[Document]) -> Result:
        """Build the records of some documents. Documents that the pipeline fails on are errors."""
        work = self.settings
        found = list(self.make_records(documents))
        records = [record for record in found if not isinstance(record, BadLine)]
        errors = [record for record in found if isinstance(record, BadLine)]
        sums = work.of_task.count(records) if work.keep is None else []
        data = encode_records(
            records,
            work.encoding,
            task=work.task,
            keep=work.keep,
            with_text=work.with_text,
            export=work.export,
        )
        return Result(data, len(records), errors, sums)

    def make_records(self, documents: Iterable[Document]) -> Iterator[Record]:
        """Yield the record of each document, in their order."""
        for group in _group_by_size(documents):
            self._refresh()
            yield from self._work_on_all(group)

    def _work(self, group: list[Document]) -> list[Record]:
        return self._score(group) if self._extract is None else self._annotate(group)

    def _work_on_all(self, group: list[Document]) -> list[Record]:
        try:
            return self._work(group)
        except MemoryError:  # concerns the job, not one document
            raise
        except Exception as error:
            found = [self._work_on_one(document) for document in group]
            if len(group) >= MANY and all(isinstance(record, BadLine) for record in found):
                raise ValueError(
                    f"{group[0].place}: the pipeline fails on this document and the "
                    f"{len(group) - 1} after it: {type(error).__name__}: {error} Fix the "
                    "pipeline, or leave these documents out."
                ) from error
            return found

    def _work_on_one(self, document: Document) -> Record:
        """Process a document alone, to find out if it is one that the pipeline fails on."""
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
        make = partial(
            make_record,
            task=work.task,
            keep=work.keep,
            with_text=work.with_text,
            with_source=work.export is not None,
        )
        if len(group) == 1:  # it may be long
            [document] = group
            cut = cut_text(readable_text(document.text), PART_CHARS)
            parts = ((part, document.start_char + start) for start, part in cut)
            return [make(document, [row for one in parts for row in self._find([one])[0]])]
        texts = [(readable_text(one.text), one.start_char) for one in group if one.text]
        found = iter(self._find(texts))
        return [make(document, next(found) if document.text else []) for document in group]

    def _find(self, texts: list[tuple[str, int]]) -> list[Rows]:
        """Run the pipeline over (text, offset in its document) pairs."""
        from ...components.pipelines import open_memory_zone

        assert self._extract is not None
        self._learn_words(text for text, _ in texts)
        with open_memory_zone(self.nlp):
            docs = self.nlp.pipe(texts, as_tuples=True)
            return [move_rows(self._extract(doc), start) for doc, start in docs]

    def _learn_words(self, texts: Iterable[str]) -> None:
        """Tokenize the texts of the second part outside of memory zones, to fill the cache.

        The tokenizer caches nothing inside a memory zone, and without frequent words in its cache
        it takes more than twice as long. A single small file has no second part.
        """
        self._n_parts += 1
        if self._n_parts == 2:
            for text in texts:
                if len(text) <= self.nlp.max_length:  # longer ones are errors
                    self.nlp.make_doc(text)

    def _score(self, group: list[Document]) -> list[Record]:
        """Score the pairs of a group."""
        from ...paraphrase_tagger.nlg.evaluator import TextPair
        from ...paraphrase_tagger.nlg.score_records import score_records

        pairs = []
        for document in group:
            refs = [readable_text(ref) for ref in document.refs or ()]
            pairs.append(TextPair(readable_text(document.text), refs, document.id))
        self._learn_words(text for pair in pairs for text in (pair.hyp, *pair.list_refs()))
        with self.nlp.memory_zone():
            found = score_records(self.nlp, pairs, **self.settings.scoring)
        return [
            BadLine(document.place, str(record)) if isinstance(record, ValueError) else record
            for document, record in zip(group, found, strict=True)
        ]


def _group_by_size(documents: Iterable[Document]) -> Iterator[list[Document]]:
    """Group documents of at most PART_CHARS characters in total; a longer one is alone."""
    group: list[Document] = []
    total = 0
    for document in documents:
        if group and total + document.n_chars > PART_CHARS:
            yield group
            group, total = [], 0
        group.append(document)
        total += document.n_chars
    if group:
        yield group
