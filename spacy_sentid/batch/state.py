"""What a job leaves beside its output: what it depends on, its plan, its lock, and when it is done.

OUT.job/plan.json, OUT.job.lock while it is under way; OUT.manifest.json, OUT.errors.jsonl after it
"""

import glob
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..about import __version__
from ..files.fingerprint import fingerprint_files, fingerprint_model
from ..files.records import Line
from .plan import Piece, Split
from .reading import ReadSettings
from .shards import is_manifest
from .sources import STDIN, Source
from .store import PARTIAL, Store, is_url, open_store
from .tasks import COMPONENTS, SENTENCES, list_languages
from .work import WorkSettings

PLAN = "plan.json"


class JobPaths:
    """Where a job writes: the output, and what is named like it."""

    def __init__(self, output: str) -> None:
        self.output = output
        self.name = output.rstrip("/")
        self.job = f"{self.name}.job"
        self.manifest = f"{self.name}.manifest.json"
        self.errors = f"{self.name}.errors.jsonl"
        folder, _, base = self.name.rpartition("/")
        self.base = base
        self.beside: Store = open_store(folder or ("/" if output.startswith("/") else "."))

    def all(self) -> list[str]:
        """List them, also what a job that was killed left."""
        paths = [self.output, self.job, self.manifest, self.errors, f"{self.job}.lock"]
        return paths + glob.glob(f"{glob.escape(self.name)}*{PARTIAL}")

    def read_manifest(self) -> dict[str, Any] | None:
        """Read what the output was made of; None if no job was done."""
        return _read_object(
            self.beside, f"{self.base}.manifest.json", ("job", "n_bytes", "summary")
        )

    def write_manifest(self, manifest: dict[str, Any]) -> None:
        """Say that the output is there, and what it was made of."""
        data = json.dumps(manifest, indent=2).encode("ascii")
        self.beside.write(f"{self.base}.manifest.json", data + b"\n")

    def delete_manifest(self) -> None:
        """Take back that the output is there."""
        self.beside.delete(f"{self.base}.manifest.json")

    def has_output(self) -> bool:
        """Whether something stands at the output; an empty folder does not count."""
        if is_url(self.output):
            return bool(open_store(self.output).names())
        path = Path(self.output)
        return any(path.iterdir()) if path.is_dir() else path.exists()

    def output_bytes(self) -> int | None:
        """Size of a local output; of a folder, of all files in it."""
        path = Path(self.output)
        if is_url(self.output):
            return None
        return (
            sum(open_store(self.output).sizes().values()) if path.is_dir() else path.stat().st_size
        )

    def write_errors(self, job: Store, names: Sequence[str]) -> str | None:
        """Put files of errors of a job together; gives the path, None and no file without any."""
        if not names:
            self.beside.delete(f"{self.base}.errors.jsonl")
            return None
        self.beside.write(f"{self.base}.errors.jsonl", (job.read(name) or b"" for name in names))
        return self.errors

    def first_error(self) -> Line:
        """Read the first line of the file of errors."""
        with self.beside.open(f"{self.base}.errors.jsonl") as file:
            return Line(self.errors, file.readline().decode("ascii"))


def _read_object(store: Store, name: str, keys: Iterable[str]) -> dict[str, Any] | None:
    """Read an object of JSON with some keys; None if there is no file."""
    data = store.read(name)
    if data is None:
        return None
    try:
        found: dict[str, Any] = json.loads(data)
        return {key: found[key] for key in keys}
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError(
            f"Found {store.path}/{name} damaged, expected what an earlier job wrote. Give "
            "--overwrite to begin anew."
        ) from error


@contextmanager
def lock_job(paths: JobPaths) -> Iterator[None]:
    """Keep a second process away from a job; ValueError if there is one.

    The system gives the lock back when a process dies. Nothing is locked on remote file systems,
    and where the system has no such locks.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    if is_url(paths.job):
        yield
        return
    path = Path(f"{paths.job}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            free = path.exists() and os.path.samestat(path.stat(), os.fstat(file.fileno()))
        except BlockingIOError:
            free = False
        if not free:
            raise ValueError(
                f"Found another process that writes {paths.output}, expected to be alone. Wait for "
                "it, or name another output."
            )
        try:
            yield
        finally:
            path.unlink(missing_ok=True)


def describe_job(
    sources: Sequence[Source], work: WorkSettings, read: ReadSettings, *, suffix: str, size: int
) -> dict[str, Any]:
    """Describe what the bytes of an output depend on, for JSON.

    Inputs count by their names, sizes and times: large ones are not read for it.
    """
    listed = json.dumps([list(source) for source in sources]).encode("ascii")
    return {
        "inputs": f"{len(sources)} ({hashlib.sha256(listed).hexdigest()[:16]})",
        **{name: value for name, value in asdict(work).items() if name != "gpu_id"},
        "model": stamp_pipeline(work.task, work.model_name),
        "gpu": work.gpu_id >= 0,
        **read._asdict(),
        "written_as": suffix,
        "shard_size": size,
        "version": __version__,
        "spacy": version("spacy"),
    }


def stamp_pipeline(task: str, model: str) -> str:
    """Name a pipeline by what it is made of, without loading it."""
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
    stamp = fingerprint_model(found.submodule_search_locations[0]).rpartition(" ")[2]
    try:
        return f"{model} {version(model)} {stamp}"
    except PackageNotFoundError:
        return f"{model} {stamp}"


def check_done(
    paths: JobPaths, key: dict[str, Any], sources: Sequence[Source], *, overwrite: bool
) -> dict[str, Any] | None:
    """Read the manifest of a job if it is done already; None if there is something to do.

    overwrite: What is there of an output goes.

    Raises ValueError if the output is of another job, or was changed since.
    """
    if overwrite:
        paths.delete_manifest()
        return None
    manifest = paths.read_manifest()
    if manifest is None or not paths.has_output():
        if paths.has_output() and open_store(paths.job).read(PLAN) is None:
            raise ValueError(
                f"Found {paths.output} there already, of another job. Name another output, delete "
                "it, or give --overwrite."
            )
        paths.delete_manifest()
        return None
    _refuse_stdin(f"{paths.output} there already", sources)
    if manifest["job"] != key:
        before, now = _tell_difference(manifest["job"], key)
        raise ValueError(
            f"Found {paths.output} there already, with {before} (see {paths.manifest}), expected "
            f"{now}. Name another output, or give --overwrite."
        )
    if manifest["n_bytes"] != paths.output_bytes():
        raise ValueError(
            f"Found {paths.output} with {paths.output_bytes()} bytes, expected "
            f"{manifest['n_bytes']}: it was changed since it was made. Name another output, or "
            "give --overwrite."
        )
    return manifest


def open_plan(
    paths: JobPaths,
    key: dict[str, Any],
    sources: Sequence[Source],
    make_splits: Callable[[], list[Split]],
    *,
    overwrite: bool,
) -> list[Split]:
    """Read the plan of a job that was begun, or make it, also if none of its shards is finished.

    Raises ValueError if it was begun with something else, unless `overwrite`.
    """
    store = open_store(paths.job)
    if paths.has_output() or any(map(is_manifest, store.names())):
        try:
            plan = _read_object(store, PLAN, ("job", "sources", "splits"))
        except ValueError:
            if not overwrite:
                raise
            plan = None
        has_stdin = any(source.path == STDIN for source in sources)
        if plan is not None and plan["job"] == key and not has_stdin:
            return [_read_split(sources, n, rows) for n, rows in enumerate(plan["splits"])]
        if plan is not None and not overwrite:
            _refuse_stdin(f"{paths.job} of an interrupted job", sources)
            _check_inputs(plan["sources"], sources, paths)
            before, now = _tell_difference(plan["job"], key)
            raise ValueError(
                f"Found {paths.job} of an interrupted job with {before}, expected {now}. Go on "
                "with the settings that it was begun with, or give --overwrite to begin anew."
            )
    store.clear()
    splits = make_splits()
    numbers = {source.path: n for n, source in enumerate(sources)}
    rows = [
        [[numbers[piece.source.path], *piece[1:]] for piece in split.pieces] for split in splits
    ]
    listed = [list(source) for source in sources]
    plan = {"job": key, "sources": listed, "splits": rows}
    store.write(PLAN, json.dumps(plan).encode("ascii"))
    return splits


def _refuse_stdin(found: str, sources: Sequence[Source]) -> None:
    """Raise ValueError for standard input: nobody knows whether it is the same again."""
    if any(source.path == STDIN for source in sources):
        raise ValueError(
            f"Found {found} and standard input, which may be another one now, expected files to go "
            "on with. Write it to a file first, or give --overwrite to begin anew."
        )


def _tell_difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> tuple[str, str]:
    """List the settings that differ, as they were and as they are."""
    names = [name for name in {**now, **before} if before.get(name) != now.get(name)]
    told = [", ".join(f"{name} {key.get(name)!r}" for name in names) for key in (before, now)]
    return told[0], told[1]


def _read_split(sources: Sequence[Source], number: int, rows: list[list[Any]]) -> Split:
    return Split(number, tuple(Piece(sources[row[0]], *row[1:]) for row in rows))


def _check_inputs(before: list[list[Any]], now: Sequence[Source], paths: JobPaths) -> None:
    """Raise ValueError that names an input that is not as it was when the job was begun."""
    old = {row[0]: row for row in before}
    new = {source.path: list(source) for source in now}
    for path in {**old, **new}:
        if old.get(path) != new.get(path):
            what = "gone" if path not in new else "new" if path not in old else "changed since"
            raise ValueError(
                f"Found {paths.job} of an interrupted job, and the input {path} is {what}. Go on "
                "with the inputs that it was begun with, or give --overwrite to begin anew."
            )
