"""Begin a job or resume an interrupted one, which is recognised by the fingerprint of its inputs.

settings, inputs -> fingerprint -> OUT.job/job.json while the job runs, OUT.manifest.json after it
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ..about import __version__
from ..files.fingerprint import fingerprint_files, fingerprint_model, fingerprint_values
from ..files.resume import format_difference, read_object
from .input.documents import ReadSettings
from .input.sources import STDIN, Source
from .output import JobOutput
from .tasks import Task
from .work.work_settings import WorkSettings


def open_output(
    output: JobOutput, key: dict[str, Any], sources: Sequence[Source], *, overwrite: bool
) -> dict[str, Any] | None:
    """Begin or resume a job, or return the manifest of a job that is done.

    overwrite: Delete the output of another job, or of this job if it is done.

    Raises ValueError if the output belongs to another job or was changed later, or if another job
    was interrupted and left a finished shard.
    """
    has_stdin = any(source.path == STDIN for source in sources)
    listed = [json.dumps(source) for source in sources]
    n_bytes = output.count_bytes()
    done = begun = None
    if n_bytes is not None and not overwrite:
        done = read_object(output.parent, output.manifest_name)
    if done is None and (n_bytes is not None or output.job.entry_names()):
        try:
            begun = output.job.read_key()
        except ValueError:
            if not overwrite:
                raise
    if not overwrite:
        if done is not None:
            _check_same(done, key, f"{output.path} already exists", has_stdin)
            if done["n_bytes"] != n_bytes:
                raise ValueError(
                    f"{output.path} must have {done['n_bytes']} bytes, got {n_bytes}. It was "
                    "changed after it was written. Name another output, or give --overwrite."
                )
            return done
        if begun is not None:
            found = f"{output.job.path} belongs to an interrupted job"
            changed = set(begun["sources"]) ^ set(listed)
            if changed:
                found += f", and {json.loads(min(changed))[0]} was added, deleted or changed since"
            _check_same(begun, key, found, has_stdin)
        elif n_bytes is not None:
            raise ValueError(
                f"{output.path} already exists and belongs to another job. Name another output, "
                "delete it, or give --overwrite."
            )
    output.parent.delete(output.manifest_name)
    if begun is None or begun["job"] != key or has_stdin:
        output.job.begin({"job": key, "sources": listed})
    output.read_shards()
    return None


def _check_same(job: dict[str, Any], key: dict[str, Any], found: str, has_stdin: bool) -> None:
    """Raise ValueError if an earlier job differs from this one, or may differ."""
    if has_stdin:
        raise ValueError(
            f"{found}. A job with standard input cannot be resumed, as the input may have changed. "
            "Write the input to a file first, or give --overwrite to begin again."
        )
    if job["job"] != key:
        before, now = format_difference(job["job"], key)
        raise ValueError(
            f"{found}. It was started with {before}, got {now}. Use the same inputs and settings, "
            "name another output, or give --overwrite to begin again."
        )


def fingerprint_job(
    sources: Sequence[Source], work: WorkSettings, read: ReadSettings, *, suffix: str, size: int
) -> dict[str, Any]:
    """Fingerprint everything that the bytes of an output depend on, as JSON data.

    Inputs are fingerprinted by their names, sizes and times, so that large ones need not be read.
    """
    return {
        "inputs": f"{len(sources)} ({fingerprint_values(sources)})",
        **{name: value for name, value in asdict(work).items() if name != "gpu_id"},
        "model": fingerprint_pipeline(work.of_task, work.model_name),
        "gpu": work.gpu_id >= 0,
        **read._asdict(),
        "written_as": suffix,
        "shard_size": size,
        "version": __version__,
        "spacy": version("spacy"),
    }


def fingerprint_pipeline(task: Task, model: str) -> str:
    """Fingerprint the pipeline of a task by its files, without loading it."""
    from spacy.util import get_package_path, is_package

    package = Path(__file__).parent.parent
    files = [file for pattern in task.list_files(model) for file in package.glob(pattern)]
    if files:
        return f"{model} ({fingerprint_files(sorted(files))})"
    folder = get_package_path(model) if is_package(model) else Path(model)
    return fingerprint_model(str(folder))
