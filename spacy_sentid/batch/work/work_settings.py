"""Settings of the workers of a batch job: the task, the pipeline, and what is written."""

from dataclasses import dataclass
from typing import Any

from ...components.settings import check_choice
from ...sentence_identifier.data.annotation_tasks import TOOLS
from ..formats.formats import ENCODINGS, JSONL
from ..tasks import DEFAULT_MODELS, IDENTIFIER_SETTINGS, SENTENCES, TASKS, UNITS

KEEP_SU = "su"
PERSPECTIVES = ("p", "r", "f")
BLENDED = ("f",)  # a blend with chrF needs both sides
AGGREGATES = ("max", "mean")


@dataclass(frozen=True)
class WorkSettings:
    """Settings of a worker, which other processes build their workers from.

    task: One of TASKS. model: Folder or package of a pipeline, or a language; None = English, or
        Chinese for words.
    newline, threshold, nsu_span, decoder, max_length: Settings of the sentence identifier; None
        keeps the setting of the pipeline.
    keep: "su" writes the text without its NSUs instead of units.
    with_text: Write the text of each unit or sentence.
    export: One of TOOLS. Writes tasks for this annotation tool instead of records.
    perspective, aggregate, blend: Settings of scores, see `stream_scores`. allow_identical: Score
        texts that equal one of their references word for word.
    batch_size: Number of Docs per batch of the pipeline; None = its own setting.
    encoding: One of ENCODINGS.
    gpu_id: -1 = no GPU.
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
    export: str | None = None
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
        check_choice("export", self.export, (None, *TOOLS))
        sides = BLENDED if self.blend else PERSPECTIVES
        check_choice("perspective", self.perspective, sides, name="blend" * self.blend)
        check_choice("aggregate", self.aggregate, AGGREGATES)
        check_choice("encoding", self.encoding, ENCODINGS)
        given = [*self.identifier_settings, *(["keep"] if self.keep is not None else [])]
        if given and self.task != UNITS:
            raise ValueError(
                f"{', '.join(given)} must be left out for the task {self.task!r}. Only the task "
                f"{UNITS!r} uses it."
            )
        if self.with_text and (self.keep is not None or self.task not in (UNITS, SENTENCES)):
            other = f"task = {self.task!r}" if self.keep is None else f"keep = {self.keep!r}"
            raise ValueError(f"with_text (--text) must be for units or sentences, got {other}.")
        if self.export is not None and (self.task != UNITS or self.keep or self.with_text):
            raise ValueError(
                f"export ({self.export}) must be for the task 'units' alone, without keep and "
                "with_text (--text)."
            )

    @property
    def identifier_settings(self) -> dict[str, Any]:
        """The settings of the sentence identifier that are given."""
        found = {name: getattr(self, name) for name in IDENTIFIER_SETTINGS}
        return {name: value for name, value in found.items() if value is not None}

    @property
    def model_name(self) -> str:
        """The model, or the default one of the task."""
        return self.model if self.model is not None else DEFAULT_MODELS[self.task]
