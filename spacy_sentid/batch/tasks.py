"""The tasks of a batch job: the component that does each, and the results read from a Doc.

task, model, settings -> pipeline; Doc -> rows of its record, in code points of the original text
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ..text.offsets import OffsetMap, get_offsets
from ..text.units import SU, trim_span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

UNITS, SENTENCES, WORDS, SCORES = "units", "sentences", "words", "scores"
# Batch size of our own small models. Jobs limit batches by characters as well.
BATCH_DOCS = 1_000

# Names and Arrow types of the columns of tables.
Fields: TypeAlias = tuple[tuple[str, str], ...]
SPAN: Fields = (("start_char", "int64"), ("end_char", "int64"))
TEXT = ("text", "string")
# The units, sentences or words of a Doc, with "start_char", "end_char" and other fields.
Rows: TypeAlias = list[dict[str, Any]]


class Task:
    """A task that finds rows in texts: units, sentences or words.

    name: Name of the task, and of the field of its results in a record.
    component: Factory of the component that does it. model: The default pipeline.
    fields: Columns of its rows in a table.
    has_text: The text of each row can be added.
    is_of_pairs: Documents are pairs of a text and its references, see `ScoreTask`.
    """

    name = component = ""
    model = "en"
    fields: Fields = SPAN
    has_text = False
    is_of_pairs = False

    def list_languages(self) -> list[str]:
        """List the languages in which the task needs no pipeline from the user."""
        from ..pretrained import DEFAULT_NAMES

        return list(DEFAULT_NAMES[self.component])

    def load(self, model: str, settings: Mapping[str, Any] | None = None) -> "Language":
        """Load the pipeline, with a bounded tokenizer, and check that it can do the task.

        model: Folder or package of a pipeline, or one of `list_languages()`.
        settings: Settings of the component.

        Raises ValueError if there is no such pipeline or setting, or it cannot do the task.
        """
        from ..components.pipelines import load
        from ..text.bounded_tokenizer import bound_tokenizer

        nlp = load(model, self.component, **(settings or {}))
        nlp.tokenizer = bound_tokenizer(nlp.tokenizer)
        if model in self.list_languages():
            nlp.batch_size = BATCH_DOCS
        self.check(nlp, model)
        return nlp

    def check(self, nlp: "Language", model: str) -> None:
        """Raise ValueError if a pipeline cannot do the task."""
        from ..components.pipelines import find, list_factories

        try:
            find(nlp, self.component)
        except ValueError as error:
            factories = list_factories(nlp)
            others = [task.name for task in TASKS.values() if task.component in factories]
            hint = f" Or give --task {others[0]}." if others else ""
            raise ValueError(f"{model}: {error}{hint}") from None

    def list_files(self, model: str) -> list[str]:
        """List the files of the package that the results depend on; [] if there are none.

        Paths are relative to the package. model: See `load`.
        """
        from ..components.pipelines import has_weights
        from ..pretrained import default_name

        if not has_weights(self.component, model):
            return []
        return [f"pretrained/{default_name(self.component, model)}/*"]

    def make_extractor(self, nlp: "Language") -> "Callable[[Doc], Rows]":
        """Build the function that lists the results in a Doc."""
        from ..rule_sentencizer.filtered_tokenizer import FilteredTokenizer

        extract = self._make_extractor(nlp)
        if not isinstance(nlp.tokenizer, FilteredTokenizer):
            return extract
        # The offsets in the original text, before the filters.
        return lambda doc: map_rows(extract(doc), get_offsets(doc))

    def _make_extractor(self, nlp: "Language") -> "Callable[[Doc], Rows]":
        raise NotImplementedError

    def count(self, records: Sequence[dict[str, Any]]) -> list[float]:
        """Count what was found in records.

        >>> TASKS["units"].count([{"id": 1, "units": [{"label": "SU"}, {"label": "NSU"}]}])
        [1, 1]
        """
        return [sum(len(record[self.name]) for record in records)]

    def list_columns(self) -> list[str]:
        """List the columns of a table of results."""
        return list(dict.fromkeys(["id", *(name for name, _ in self.fields), "text"]))

    def list_rows(self, record: dict[str, Any]) -> Rows:
        """List the rows of a record in a table."""
        rows: Rows = record[self.name]
        return rows


class UnitTask(Task):
    """Find SUs and NSUs. Counts are [SUs, NSUs]."""

    name, component = UNITS, "sentence_identifier"
    has_text = True
    fields = (
        *SPAN,
        ("label", "string"),
        ("kind", "string"),
        ("score", "float64"),
        ("label_score", "float64"),
        ("kind_score", "float64"),
    )

    def _make_extractor(self, nlp: "Language") -> "Callable[[Doc], Rows]":
        from ..sentence_identifier.access.units import find_span_keys
        from ..sentence_identifier.data.records import list_units

        return partial(list_units, keys=find_span_keys(nlp))

    def count(self, records: Sequence[dict[str, Any]]) -> list[float]:
        labels = [row["label"] for record in records for row in record[UNITS]]
        n_sus = labels.count(SU)
        return [n_sus, len(labels) - n_sus]


class SentenceTask(Task):
    """Find the sentences of any pipeline, or those of the rules for a language."""

    name, component = SENTENCES, "rule_sentencizer"
    has_text = True

    def list_languages(self) -> list[str]:
        from ..text.language_data import list_languages

        return list(list_languages())

    def check(self, nlp: "Language", model: str) -> None:
        if not nlp("I sleep. You sleep.").has_annotation("SENT_START"):
            raise ValueError(
                f"The pipeline {model!r} sets no sentence starts (found: "
                f"{', '.join(nlp.pipe_names) or 'nothing'}). Add a component that does, such as "
                "'rule_sentencizer'."
            )

    def list_files(self, model: str) -> list[str]:
        return [f"text/languages/{model}.json"] if model in self.list_languages() else []

    def _make_extractor(self, nlp: "Language") -> "Callable[[Doc], Rows]":
        return _list_sentences


class WordTask(Task):
    """Find Chinese words."""

    name, component, model = WORDS, "word_segmenter", "zh"
    fields = (*SPAN, TEXT)

    def _make_extractor(self, nlp: "Language") -> "Callable[[Doc], Rows]":
        return _list_words


class ScoreTask(Task):
    """Score how well references support texts. Counts are the sums of `score_records.TOTALS`."""

    name, component = SCORES, "paraphrase_tagger"
    is_of_pairs = True
    fields = tuple(
        (name, "float64")
        for name in (
            *("p", "r", "f", "supported_p", "supported_r", "supported_f"),
            *("rouge1_p", "rouge2_p", "chrf", "blend"),
        )
    )

    def check(self, nlp: "Language", model: str) -> None:
        from ..paraphrase_tagger.nlg.evaluator import stream_scores

        list(stream_scores(nlp, [("Sales rose.", "Sales grew.")]))

    def count(self, records: Sequence[dict[str, Any]]) -> list[float]:
        from ..paraphrase_tagger.nlg.score_records import sum_totals

        return sum_totals(records)

    def list_columns(self) -> list[str]:
        return ["id", *(name for name, _ in self.fields), "score"]

    def list_rows(self, record: dict[str, Any]) -> Rows:
        """List one row for each pair, without its spans and words."""
        return [record]


TASKS: dict[str, Task] = {
    task.name: task for task in (UnitTask(), SentenceTask(), WordTask(), ScoreTask())
}


def _list_sentences(doc: "Doc") -> Rows:
    """List sentences without the white space around them."""
    spans = (trim_span(doc.text, one.start_char, one.end_char) for one in doc.sents)
    return [{"start_char": start, "end_char": end} for start, end in spans if start < end]


def _list_words(doc: "Doc") -> Rows:
    return [
        {"start_char": token.idx, "end_char": token.idx + len(token), "text": token.text}
        for token in doc
        if not token.is_space
    ]


def map_rows(rows: Rows, offsets: OffsetMap) -> Rows:
    """Map the offsets of rows from a changed text to the original."""
    spans = [offsets.map_span(row["start_char"], row["end_char"]) for row in rows]
    return [
        {**row, "start_char": s, "end_char": e} for row, (s, e) in zip(rows, spans, strict=True)
    ]


def move_rows(rows: Rows, offset: int) -> Rows:
    """Shift the offsets of rows from a part of a text to the whole text.

    >>> move_rows([{"start_char": 0, "end_char": 2}], 10)
    [{'start_char': 10, 'end_char': 12}]
    """
    if not offset:
        return rows
    return [
        {**row, "start_char": row["start_char"] + offset, "end_char": row["end_char"] + offset}
        for row in rows
    ]
