"""Settings of the workers of a batch job: the task, the pipeline, and what is written."""

from dataclasses import dataclass, field
from typing import Any

from ...components.settings import check_choice
from ...sentence_identifier.data.annotation_tasks import TOOLS
from ..formats.formats import ENCODINGS, JSONL
from ..tasks import TASKS, UNITS, Task

KEEP_SU = "su"


@dataclass(frozen=True)
class WorkSettings:
    """Settings of a worker, which other processes build their workers from.

    task: One of TASKS. model: Folder or package of a pipeline, or a language; None = English, or
        Chinese for words.
    settings: Settings of the component that does the task; the others are those of the pipeline.
    keep: "su" writes the text without its NSUs instead of units.
    with_text: Write the text of each unit or sentence.
    export: One of TOOLS. Writes tasks for this annotation tool instead of records.
    scoring: For scores only: arguments of `score_records`, such as {"perspective": "p"}.
    encoding: One of ENCODINGS.
    gpu_id: -1 = no GPU.
    """

    task: str = UNITS
    model: str | None = None
    settings: dict[str, Any] = field(default_factory=dict)
    keep: str | None = None
    with_text: bool = False
    export: str | None = None
    scoring: dict[str, Any] = field(default_factory=dict)
    encoding: str = JSONL
    gpu_id: int = -1

    def __post_init__(self) -> None:
        check_choice("task", self.task, TASKS)
        check_choice("keep", self.keep, (None, KEEP_SU))
        check_choice("export", self.export, (None, *TOOLS))
        check_choice("encoding", self.encoding, ENCODINGS)
        changes = [name for name in ("keep", "export") if getattr(self, name) is not None]
        if changes and self.task != UNITS:
            raise ValueError(f"{changes[0]} must be for the task {UNITS!r}, got {self.task!r}.")
        if self.with_text and (changes or not self.of_task.has_text):
            other = changes[0] if changes else f"the task {self.task!r}"
            raise ValueError(f"with_text (--text) must be for units or sentences, got {other}.")
        if len(changes) > 1:
            raise ValueError(f"keep and export must not be combined, got {self.export!r}.")

    @property
    def of_task(self) -> Task:
        """The task with this name."""
        return TASKS[self.task]

    @property
    def model_name(self) -> str:
        """The model, or the default one of the task."""
        return self.model if self.model is not None else self.of_task.model
