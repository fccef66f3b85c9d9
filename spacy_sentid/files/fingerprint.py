"""Fingerprint everything that a job depends on, so that changes are noticed."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.language import Language

READ_BYTES = 1 << 20


def fingerprint_values(values: Iterable[Any]) -> str:
    """Fingerprint JSON values, in their order, without holding them all in memory.

    >>> fingerprint_values(["I sleep."])
    '6a3ef1821dda44ba'
    """
    digest = hashlib.sha256()
    for value in values:
        digest.update(json.dumps(value).encode("ascii") + b"\n")
    return digest.hexdigest()[:16]


def fingerprint_files(paths: Iterable[Path]) -> str:
    """Fingerprint the contents of files, in their order."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            part = hashlib.sha256()
            while data := file.read(READ_BYTES):
                part.update(data)
        digest.update(part.digest())
    return digest.hexdigest()[:16]


def fingerprint_model(name: str) -> str:
    """Fingerprint a model by its name, and a folder also by the sizes and times of its files.

    The files are too large to read for this.
    """
    folder = Path(name)
    if not folder.is_dir():
        return name
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stats = [
        [str(path.relative_to(folder)), path.stat().st_size, path.stat().st_mtime_ns]
        for path in files
        if path.parent.name != "__pycache__"  # written when a package is first loaded
    ]
    return f"{name} ({fingerprint_values(stats)})"


def fingerprint_weights(nlp: "Language") -> str:
    """Fingerprint the components of a loaded pipeline and their weights."""
    digest = hashlib.sha256()
    for name, pipe in nlp.pipeline:
        digest.update(name.encode())
        if hasattr(pipe, "to_bytes"):
            digest.update(pipe.to_bytes(exclude=["vocab"]))
    return digest.hexdigest()[:16]
