"""The files of a job: its fingerprint, what is next to its output, and when it is done.

OUT.job/job.json while it runs; OUT.manifest.json, OUT.errors.jsonl after it
"""

import glob
import json
import os
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..about import __version__
from ..files.atomic import PARTIAL
from ..files.fingerprint import fingerprint_files, fingerprint_model, fingerprint_values
from ..files.resume import JobFolder, format_difference, read_object
from ..files.store import Store, is_url, open_store
from .documents import ReadSettings
from .inputs import STDIN, Source
from .tasks import COMPONENTS, SENTENCES, list_languages
from .worker import WorkSettings


class JobPaths:
    """Where a job writes: the output, and files with its name and another suffix."""

    def __init__(self, output: str) -> None:
        self.output = output
        self.name = output.rstrip("/")
        self.errors = f"{self.name}.errors.jsonl"
        folder, _, base = self.name.rpartition("/")
        self.manifest_name = f"{base}.manifest.json"
        self.errors_name = f"{base}.errors.jsonl"
        self.parent_store = open_store(folder or ("/" if output.startswith("/") else "."))

    def all(self) -> list[str]:
        """List them, also what a job that was killed left."""
        ends = ("", ".job", ".manifest.json", ".errors.jsonl", ".job.lock")
        paths = [f"{self.name}{end}" for end in ends]
        return paths + glob.glob(f"{glob.escape(self.name)}*{PARTIAL}")

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        """Write the manifest of a job that is done: what its output was made of."""
        data = json.dumps(manifest, indent=2).encode("ascii")
        self.parent_store.write(self.manifest_name, [data, b"\n"])

    def output_bytes(self) -> int | None:
        """Size of the output, in a folder of all files; None if there is no file."""
        if not is_url(self.output) and Path(self.output).is_file():
            return Path(self.output).stat().st_size
        sizes = open_store(self.output).sizes()
        return sum(sizes.values()) if sizes else None

    def write_errors(self, job: Store, names: Sequence[str]) -> str | None:
        """Merge files of errors of a job; returns the path, None and no file without any."""
        if not names:
            self.parent_store.delete(self.errors_name)
            return None
        self.parent_store.write(self.errors_name, (job.read(name) or b"" for name in names))
        return self.errors


def read_first_error(store: Store, name: str) -> str:
    """Read the place and the reason of the first error in a file of errors."""
    with store.open(name) as file:
        first = json.loads(file.readline())
    return f"{first['place']}: {first['reason']}"


def fingerprint_job(
    sources: Sequence[Source], work: WorkSettings, read: ReadSettings, *, suffix: str, size: int
) -> dict[str, Any]:
    """Fingerprint what the bytes of an output depend on, for JSON.

    Inputs count by their names, sizes and times: large ones are not read for it.
    """
    return {
        "inputs": f"{len(sources)} ({fingerprint_values(sources)})",
        **{name: value for name, value in asdict(work).items() if name != "gpu_id"},
        "model": fingerprint_pipeline(work.task, work.model_name),
        "gpu": work.gpu_id >= 0,
        **read._asdict(),
        "written_as": suffix,
        "shard_size": size,
        "version": __version__,
        "spacy": version("spacy"),
    }


def fingerprint_pipeline(task: str, model: str) -> str:
    """Fingerprint the pipeline of a task by its files, without loading it."""
    if model in list_languages(task):
        package = Path(__file__).parent.parent
        if task == SENTENCES:
            files = [package / "rule_sentencizer" / "languages" / f"{model}.json"]
        else:
            from ..pretrained import DEFAULT_NAMES

            folder = package / "pretrained" / DEFAULT_NAMES[COMPONENTS[task]][model]
            files = sorted(path for path in folder.iterdir() if path.is_file())
        return f"{model} ({fingerprint_files(files)})"
    if Path(model).is_dir():
        return fingerprint_model(os.path.normpath(model))
    found = find_spec(model) if model.isidentifier() else None
    if found is None or not found.submodule_search_locations:
        return model
    fingerprint = fingerprint_model(found.submodule_search_locations[0]).rpartition(" ")[2]
    try:
        return f"{model} {version(model)} {fingerprint}"
    except PackageNotFoundError:
        return f"{model} {fingerprint}"


def check_done(
    paths: JobPaths, key: dict[str, Any], sources: Sequence[Source], *, overwrite: bool
) -> dict[str, Any] | None:
    """Read the manifest of a job if it is done already; None if there is something to do.

    overwrite: Delete what there is of an output.

    Raises ValueError if the output is of another job, or was changed since.
    """
    store, name = paths.parent_store, paths.manifest_name
    manifest = None if overwrite else read_object(store, name)
    n_bytes = paths.output_bytes()
    if manifest is None or n_bytes is None:
        is_begun = overwrite or JobFolder(paths.name).read_key() is not None
        if n_bytes is not None and not is_begun:
            raise ValueError(
                f"{paths.output} is there already, of another job. Name another output, delete "
                "it, or give --overwrite."
            )
        store.delete(name)
        return None
    _refuse_stdin(f"{paths.output} is there already", sources)
    if manifest["job"] != key:
        before, now = format_difference(manifest["job"], key)
        raise ValueError(
            f"{paths.output} is there already, with {before}, got {now}. Name another output, or "
            "give --overwrite."
        )
    if manifest["n_bytes"] != n_bytes:
        raise ValueError(
            f"{paths.output} must have {manifest['n_bytes']} bytes, got {n_bytes}: it "
            "was changed since it was made. Name another output, or give --overwrite."
        )
    return manifest


def begin_or_resume(
    folder: JobFolder,
    paths: JobPaths,
    key: dict[str, Any],
    sources: Sequence[Source],
    *,
    overwrite: bool,
) -> None:
    """Keep the folder of a job that was begun and is the same, else make a new one.

    Raises ValueError if it was begun with something else and has a finished shard, unless
    `overwrite`.
    """
    listed = json.loads(json.dumps(sources))
    if paths.output_bytes() is not None or folder.entry_names():
        try:
            begun = folder.read_key()
        except ValueError:
            if not overwrite:
                raise
            begun = None
        has_stdin = any(source.path == STDIN for source in sources)
        if begun is not None and begun["job"] == key and not has_stdin:
            return
        if begun is not None and not overwrite:
            _refuse_stdin(f"{folder.path} is of an interrupted job", sources)
            _check_inputs(begun["sources"], listed, folder.path)
            before, now = format_difference(begun["job"], key)
            raise ValueError(
                f"{folder.path} is of an interrupted job with {before}, got {now}. Resume with the "
                "settings that it was begun with, or give --overwrite to begin again."
            )
    folder.begin({"job": key, "sources": listed})


def _refuse_stdin(found: str, sources: Sequence[Source]) -> None:
    """Raise ValueError for standard input, which may be another one now."""
    if any(source.path == STDIN for source in sources):
        raise ValueError(
            f"{found}, and standard input cannot be resumed, as it may be another one now. Write "
            "it to a file first, or give --overwrite to begin again."
        )


def _check_inputs(before: list[list[Any]], now: list[list[Any]], path: str) -> None:
    """Raise ValueError that names an input that is not as it was when the job was begun."""
    old, new = ({row[0]: row for row in rows} for rows in (before, now))
    for name in {**old, **new}:
        if old.get(name) != new.get(name):
            what = "gone" if name not in new else "new" if name not in old else "changed since"
            raise ValueError(
                f"{path} is of an interrupted job, and the input {name} is {what}. Resume with the "
                "inputs that it was begun with, or give --overwrite to begin again."
            )
