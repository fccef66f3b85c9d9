"""Process the texts of a Ray dataset: Ray Data in, Ray Data out.

Dataset of texts -> batches of rows -> actors with a pipeline each -> Dataset of records
"""

import os
from typing import Any

from ...files.records import BadLine
from ..formats.parquet import make_schema, make_table
from ..input.documents import ReadSettings, make_document
from .local import load_worker
from .ray_engine import import_ray, list_options
from .work_settings import WorkSettings
from .worker import Worker

# Rows per call of an actor: enough to fill the batches of the models, and few to hold in memory.
BATCH_ROWS = 1_000


def identify_dataset(
    ds: Any,
    *,
    text_column: str = "text",
    id_column: str | None = "id",
    batch_size: int = BATCH_ROWS,
    concurrency: int | tuple[int, int] | None = None,
    num_gpus: float = 0,
    **work: Any,
) -> Any:
    """Process the texts of a Ray dataset, and return a dataset with one record per row.

    id_column: None = the records have no ids.
    batch_size: Number of rows per call of an actor.
    concurrency: Number of actors, or (minimum, maximum); None = as many as the cluster has room
        for.
    num_gpus: GPUs of each actor. Without a GPU, an actor has one core.
    work: task, model, settings, keep, with_text and others, see `WorkSettings`. The task "scores"
        reads the columns "hyp" and "ref"; "ref" is a string or a list of strings.
    RETURNS: A dataset with the unchanged column "id", the results of the task (such as "units", a
        list of structs), and "error", the reason why a row has no result or null. The order of the
        rows is that of Ray.

    Raises ValueError for invalid settings. A missing pipeline or column raises it while Ray runs.
    """
    settings = WorkSettings(**work, gpu_id=0 if num_gpus else -1)
    if settings.export is not None:
        raise ValueError(
            f"export must be None for a dataset, got {settings.export!r}. Use 'spacy-sentid "
            "identify --export'."
        )
    least, most = concurrency if isinstance(concurrency, tuple) else (concurrency or 1, concurrency)
    compute = import_ray().data.ActorPoolStrategy(min_size=least, max_size=most)
    return ds.map_batches(
        BatchActor,
        fn_constructor_args=(settings, text_column, id_column, os.getcwd()),
        batch_size=batch_size,
        batch_format="pyarrow",
        compute=compute,
        **list_options(num_gpus),
    )


class BatchActor:
    """An actor of Ray Data that processes Arrow tables."""

    def __init__(
        self, settings: WorkSettings, text_column: str, id_column: str | None, cwd: str
    ) -> None:
        self.settings = settings
        self.read = ReadSettings(text_key=text_column, pairs=settings.of_task.is_of_pairs)
        self.id_column = id_column
        self.cwd = cwd
        self.worker: Worker | None = None

    def __call__(self, table: Any) -> Any:
        """Build a table with one record for each row of the input."""
        import pyarrow as pa

        columns = list(self.read.list_text_keys())
        ids = [] if self.id_column is None else [self.id_column]
        for name in [*columns, *ids]:
            if name not in table.column_names:
                raise ValueError(
                    f"The dataset must have a column {name!r}, got "
                    f"{', '.join(table.column_names)}. Name the columns with text_column and "
                    "id_column, or set id_column=None if there are no ids."
                )
        if self.worker is None:
            self.worker = load_worker(self.settings, self.cwd)
        rows = enumerate(table.select(columns).to_pylist())
        documents = [make_document(row, self.read, f"row {n} of its batch") for n, row in rows]
        made = self.worker.make_records(one for one in documents if not isinstance(one, BadLine))
        found = [one if isinstance(one, BadLine) else next(made) for one in documents]
        settings = self.settings
        schema = make_schema(settings.task, keep=settings.keep, with_text=settings.with_text)
        records = make_table(({} if isinstance(one, BadLine) else one for one in found), schema)
        result = {} if self.id_column is None else {"id": table.column(self.id_column)}
        for name in schema.names:
            # Only texts without NSUs (`keep`) are new. The dataset already has the other texts.
            if name not in ("id", "part") and (name != "text" or settings.keep is not None):
                result[name] = records.column(name)
        reasons = [one.reason if isinstance(one, BadLine) else None for one in found]
        return pa.table({**result, "error": pa.array(reasons, pa.string())})
