"""Open Parquet files."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .extras import import_extra
from .sources import Source, open_source


@contextmanager
def open_parquet(source: Source) -> Iterator[Any]:
    """Open a file as a pyarrow ParquetFile; what is wrong with it is a ValueError with its name."""
    arrow, parquet = import_extra("pyarrow"), import_extra("pyarrow.parquet")
    try:
        with open_source(source) as raw, parquet.ParquetFile(raw, buffer_size=1 << 20) as file:
            yield file
    except (arrow.ArrowException, OSError) as error:
        if getattr(error, "errno", None) is not None:
            raise
        raise ValueError(
            f"{source.path}: found no whole Parquet file ({error}). Copy or make it again."
        ) from error


def list_row_groups(source: Source) -> list[tuple[int, int]]:
    """List (rows, bytes as stored) of the row groups of a file."""
    with open_parquet(source) as file:
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        return [
            (
                group.num_rows,
                sum(group.column(i).total_compressed_size for i in range(group.num_columns)),
            )
            for group in groups
        ]
