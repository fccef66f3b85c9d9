"""What a job leaves beside its output: what it depends on, its plan, its lock, and when it is done.

OUT.job/plan.json, OUT.job/lock while it is under way; OUT.manifest.json, OUT.errors.jsonl after it
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ..about import __version__
from ..journal import check_settings, digest_files, stamp_model
from .plan import Piece, Split
from .reading import ReadSettings
from .sources import Source
from .store import Store, is_url, open_store
from .tasks import COMPONENTS, SENTENCES, list_languages
from .work import WorkSettings

PLAN, LOCK = "plan.json", "lock"
CHUNK = 1 << 20


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
        """List them."""
        return [self.output, self.job, self.manifest, self.errors]

    def read_manifest(self) -> dict[str, Any] | None:
        """Read what the output was made of; None if no job was done."""
        data = self.beside.read(f"{self.base}.manifest.json")
        return None if data is None else json.loads(data)

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
        """Size of an output that is one local file."""
        path = Path(self.output)
        return path.stat().st_size if not is_url(self.output) and path.is_file() else None

    def write_errors(self, job: Store, names: Iterable[str]) -> str | None:
        """Put files of errors of a job together; gives the path, None and no file without any."""
        rows = b"".join(job.read(name) or b"" for name in names)
        if not rows:
            self.beside.delete(f"{self.base}.errors.jsonl")
            return None
        self.beside.write(f"{self.base}.errors.jsonl", rows)
        return self.errors


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
        return f"{model} ({digest_files(files)})"
    if Path(model).is_dir():
        return stamp_model(model)
    found = find_spec(model) if model.isidentifier() else None
    if found is None or not found.submodule_search_locations:
        return model
    stamp = stamp_model(found.submodule_search_locations[0]).rpartition(" ")[2]
    try:
        return f"{model} {version(model)} {stamp}"
    except PackageNotFoundError:
        return f"{model} {stamp}"


def check_done(paths: JobPaths, key: dict[str, Any], *, overwrite: bool) -> dict[str, Any] | None:
    """Read the manifest of a job if it is done already; None if there is something to do.

    overwrite: What is there of an output goes.

    Raises ValueError if the output is of another job, or was changed since.
    """
    manifest = paths.read_manifest()
    if overwrite:
        paths.delete_manifest()
        return None
    if manifest is None or not paths.has_output():
        if paths.has_output() and open_store(paths.job).read(PLAN) is None:
            raise ValueError(
                f"Found {paths.output} there already, of another job. Name another output, delete "
                "it, or give --overwrite."
            )
        paths.delete_manifest()
        return None
    check_settings(manifest["job"], key, Path(paths.manifest))
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
    """Read the plan of a job that was begun, or make it.

    Raises ValueError if it was begun with something else, unless `overwrite`.
    """
    store = open_store(paths.job)
    data = store.read(PLAN)
    if data is not None:
        plan = json.loads(data)
        if plan["job"] == key:
            return [_read_split(sources, n, rows) for n, rows in enumerate(plan["splits"])]
        if not overwrite:
            _check_inputs(plan["sources"], sources, paths)
            check_settings(plan["job"], key, Path(paths.job))
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
