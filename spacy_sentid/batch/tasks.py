"""The tasks of a batch job: the component that does each, and the results read from a Doc.

task -> pipeline; Doc -> fields of its record, in code points of the original text
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from ..text.offsets import OffsetMap, get_offsets
from ..text.units import SU, trim_span

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

UNITS, SENTENCES, WORDS, SCORES = "units", "sentences", "words", "scores"
# The component for each task in a pipeline that is given only by its language.
COMPONENTS = {
    UNITS: "sentence_identifier",
    SENTENCES: "rule_sentencizer",
    WORDS: "word_segmenter",
    SCORES: "paraphrase_tagger",
}
TASKS = tuple(COMPONENTS)
DEFAULT_MODELS = {UNITS: "en", SENTENCES: "en", WORDS: "zh", SCORES: "en"}

# Batch size of our own small models. Jobs limit batches by characters as well.
BATCH_DOCS = 1_000
# Settings of the sentence identifier that a job may change.
IDENTIFIER_SETTINGS = ("newline", "threshold", "nsu_span", "decoder", "max_length")

# Columns of the tables of each task.
SPAN = [("start_char", "int64"), ("end_char", "int64")]
FIELDS = {
    UNITS: [
        *SPAN,
        ("label", "string"),
        ("kind", "string"),
        ("score", "float64"),
        ("label_score", "float64"),
        ("kind_score", "float64"),
    ],
    SENTENCES: SPAN,
    WORDS: [*SPAN, ("text", "string")],
    SCORES: [
        (name, "float64")
        for name in (
            *("p", "r", "f", "supported_p", "supported_r", "supported_f"),
            *("rouge1_p", "rouge2_p", "chrf", "blend"),
        )
    ],
}

# The units, sentences or words of a Doc, with "start_char", "end_char" and other fields.
Rows: TypeAlias = list[dict[str, Any]]


def list_languages(task: str) -> list[str]:
    """List the languages in which a task needs no pipeline from the user."""
    from ..pretrained import DEFAULT_NAMES
    from ..text.language_data import list_languages as list_rule_languages

    if task == SENTENCES:
        return list(list_rule_languages())
    return list(DEFAULT_NAMES[COMPONENTS[task]])


def count_found(records: Iterable[Mapping[str, Any]], task: str) -> list[float]:
    """Count what a task found in records: SUs and NSUs for units, else sentences or words.

    >>> count_found([{"id": 1, "units": [{"label": "SU"}, {"label": "NSU"}]}], "units")
    [1, 1]
    """
    if task != UNITS:
        return [sum(len(record[task]) for record in records)]
    labels = [row["label"] for record in records for row in record[UNITS]]
    n_sus = labels.count(SU)
    return [n_sus, len(labels) - n_sus]


def load_task_pipeline(task: str, model: str) -> "Language":
    """Load the pipeline for a task, with a bounded tokenizer, and check that it can do the task.

    model: Folder or package of a pipeline, or one of `list_languages(task)`.

    Raises ValueError if there is no such pipeline, or it cannot do the task.
    """
    from ..components.pipelines import find, list_factories, load
    from ..text.bounded_tokenizer import bound_tokenizer

    nlp = load(model, COMPONENTS[task])
    nlp.tokenizer = bound_tokenizer(nlp.tokenizer)
    if model in list_languages(task):
        nlp.batch_size = BATCH_DOCS
    if task == SCORES:
        from ..paraphrase_tagger.nlg.evaluator import stream_scores

        list(stream_scores(nlp, [("Sales rose.", "Sales grew.")]))
    if task in (UNITS, WORDS):
        try:
            find(nlp, COMPONENTS[task])
        except ValueError as error:
            others = [name for name, kind in COMPONENTS.items() if kind in list_factories(nlp)]
            hint = f" Or give --task {others[0]}." if others else ""
            raise ValueError(f"{model}: {error}{hint}") from None
    if task == SENTENCES and not nlp("I sleep. You sleep.").has_annotation("SENT_START"):
        raise ValueError(
            f"The pipeline {model!r} sets no sentence starts (found: "
            f"{', '.join(nlp.pipe_names) or 'nothing'}). Add a component that does, such as "
            "'rule_sentencizer'."
        )
    return nlp


def set_identifier(nlp: "Language", settings: dict[str, Any]) -> None:
    """Change settings of the sentence identifier of a pipeline."""
    from ..components.pipelines import find

    find(nlp, COMPONENTS[UNITS]).cfg.update(settings)


def make_extractor(nlp: "Language", task: str) -> "Callable[[Doc], Rows]":
    """Build the function that lists the results of a task in a Doc."""
    from ..rule_sentencizer.filtered_tokenizer import FilteredTokenizer

    extract = _list_sentences if task == SENTENCES else _list_words
    if task == UNITS:
        from ..sentence_identifier.access.spans import find_span_keys
        from ..sentence_identifier.data.records import list_units

        extract = partial(list_units, keys=find_span_keys(nlp))
    if not isinstance(nlp.tokenizer, FilteredTokenizer):
        return extract

    def extract_original(doc: "Doc") -> Rows:
        """List the results of a filtered text, with offsets in the original."""
        return map_rows(extract(doc), get_offsets(doc))

    return extract_original


def _list_sentences(doc: "Doc") -> Rows:
    """List sentences without the white space around them."""
    text, found = doc.text, []
    for sentence in doc.sents:
        start, end = trim_span(text, sentence.start_char, sentence.end_char)
        if start < end:
            found.append({"start_char": start, "end_char": end})
    return found


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
