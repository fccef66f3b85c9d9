"""Read the JSON files of a report, and name them.

paths -> Sources with short names that tell them apart
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from spacy_sentid.cli.table import name_files
from studies.report.parts import Source


def read_sources(paths: Sequence[Path]) -> list[Source]:
    """Read JSON files; a file counts once, by whatever paths it is named.

    Raises ValueError without files, and for one that holds no JSON.
    """
    by_place: dict[Path, Path] = {}
    for path in paths:
        by_place.setdefault(path.resolve(), path)
    files = list(by_place.values())
    if not files:
        raise ValueError("Found no files, expected JSON that commands have written. Name some.")
    names = name_files(files)
    return [Source(name, read_json(path)) for name, path in zip(names, files, strict=True)]


def read_json(path: Path) -> object:
    """Read a JSON file; ValueError with its name if it holds none."""
    advice = (
        "expected JSON as the commands write it with --json or beside their tables. Leave the "
        "file out, or make it again."
    )
    raw = path.read_bytes()
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: found bytes that are not UTF-8, {advice}") from error
    except (ValueError, RecursionError) as error:
        what = "an empty file" if not raw.strip() else f"no JSON ({error})"
        raise ValueError(f"{path}: found {what}, {advice}") from error


def name_paths(paths: Iterable[str]) -> dict[str, str]:
    """Name files that results speak of in the same way: path -> name.

    >>> name_paths(["en/test.conllu", "de/test.conllu", "en/test.conllu"])
    {'en/test.conllu': 'en/test', 'de/test.conllu': 'de/test'}
    """
    found = list(dict.fromkeys(paths))
    return dict(zip(found, name_files([Path(path) for path in found]), strict=True))
