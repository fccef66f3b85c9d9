"""The pipelines of the demo page: loaded once, run on one text or pair at a time.

name -> DemoPipeline; text, reference, settings -> DemoResult
"""

from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, NamedTuple

from ...batch.input.documents import Document
from ...batch.tasks import TASKS, UNITS
from ...batch.work.work_settings import WorkSettings
from ...components.pipelines import find
from ...files.records import BadLine
from ..text.reading import TOKEN, DocumentView, PairView, make_worker, view_pair, view_record

# Loaded if no pipeline is named. The first one is selected on the page.
DEFAULT_MODELS = (
    *(f"{UNITS}:{lang}" for lang in ("en", "de", "es", "fr", "it", "nl", "pt")),
    "sentences:en",
    "words:zh",
    "scores:en",
)
# A pipeline of the page is reloaded after this many new words. Each takes about 1 kB.
MAX_PAGE_WORDS = 20_000
# The settings of the sentence identifier that the page can change.
SETTINGS = ("threshold", "newline")


class DemoResult(NamedTuple):
    """The results of a pipeline in a text or pair, to show and to copy."""

    view: DocumentView | PairView
    record: dict[str, Any]  # as `identify --text` and `score` write it, with "text" as the id


class DemoPipeline:
    """A pipeline that threads share. It processes one text at a time, each with its own settings.

    task: One of TASKS. model: A language, folder or package. name: TASK:MODEL.
    defaults: The SETTINGS that it was loaded with; {} without a sentence identifier.

    Raises ValueError if there is no such pipeline, or if it cannot do the task.
    """

    def __init__(self, task: str, model: str) -> None:
        self.task, self.model = task, model
        self.name = f"{task}:{model}"
        self.is_pair = TASKS[task].is_of_pairs
        settings = WorkSettings(task=task, model=model, with_text=TASKS[task].has_text)
        self._worker = make_worker(settings)
        self._worker.max_new_words = MAX_PAGE_WORDS
        self._lock = Lock()
        self.lang: str = self._worker.nlp.lang or ""
        self.language = type(self._worker.nlp).__name__  # such as "English"
        self.defaults: dict[str, Any] = {}
        if task == UNITS:
            cfg = find(self._worker.nlp, TASKS[task].component).cfg
            self.defaults = {name: cfg[name] for name in SETTINGS}

    def __call__(
        self, text: str, ref: str = "", *, settings: Mapping[str, Any] | None = None
    ) -> DemoResult:
        """Find the units, sentences or words of a text, or what a pair does not share.

        ref: The text to compare with, if the task is to compare.
        settings: Values of SETTINGS that differ from the defaults.

        Raises ValueError if the pipeline fails on the text.
        """
        document = Document("text", text, "text", refs=(ref,) if self.is_pair else None)
        with self._lock:
            # The worker keeps these settings if it reloads its pipeline.
            self._worker.choose(**{**self.defaults, **(settings or {})})
            [record] = self._worker.make_records([document])
        if isinstance(record, BadLine):
            raise ValueError(f"{record.reason[:1].upper()}{record.reason[1:]}")
        if self.is_pair:
            return DemoResult(view_pair(document, record), record)
        rows = [row for row in record[self.task] if row.get("label") != TOKEN]
        view = view_record(document, record, self.task)
        return DemoResult(view, {**record, self.task: rows})


def load_pipelines(names: Sequence[str] = ()) -> list[DemoPipeline]:
    """Load the pipelines of a page. Default: DEFAULT_MODELS.

    names: TASK:MODEL, or MODEL to find units.

    Raises ValueError if there is no such pipeline, if it cannot do the task, or if a name is
    repeated.
    """
    found: dict[str, DemoPipeline] = {}
    for text in names or DEFAULT_MODELS:
        pipeline = _load_one(text)
        if pipeline.name in found:
            raise ValueError(f"Each pipeline must be given only once, got {pipeline.name!r} twice.")
        found[pipeline.name] = pipeline
    return list(found.values())


def _load_one(text: str) -> DemoPipeline:
    task, colon, model = text.partition(":")
    if not colon or task not in TASKS:
        task, model = UNITS, text
    if not model:
        raise ValueError(
            f"--model must have a language, folder or package after the colon, such as {task}:en, "
            f"got {text!r}."
        )
    return DemoPipeline(task, model)
