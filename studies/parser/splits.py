"""The treebanks of the parser study, and the cells of its grid.

splits.json -> parts of files -> Treebanks -> a file for each split
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.conllu.blocks import block_lines, has_words, read_blocks
from spacy_sentid.files.atomic import open_binary_output

SPLITS = ("train", "dev", "test")


class Part(NamedTuple):
    """The units `[first, last)` of a file."""

    path: Path
    first: int
    last: int | None  # None = up to the end of the file


class Treebank(NamedTuple):
    """The treebank of a language, with the settings of its trainings."""

    lang: str
    parts: dict[str, tuple[Part, ...]]  # split -> parts of files with its units
    n_seeds: int
    max_steps: int


class Cell(NamedTuple):
    """One cell of the grid, with the augmentation rates of the train and dev splits."""

    remove_punct: float  # P
    add_np: float  # N

    @property
    def name(self) -> str:
        """P and N, e.g. "0.2/0"."""
        return f"{self.remove_punct:g}/{self.add_np:g}"


BASELINE = Cell(0.0, 0.0)


def read_splits(path: Path) -> dict[str, dict[str, tuple[Part, ...]]]:
    """Read the parts of the splits of each language from JSON.

        {"de": {"train": [{"file": "de-dev.conllu", "from": 0, "to": 649}, ...], "dev": ...,
         "test": ...}}

    Files are relative to the JSON file. "from" and "to" are numbers of units, counted from 0. The
    end is exclusive, and both are optional. Keys that start with "_" are comments.

    Raises ValueError if a split or a file is missing.
    """
    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except ValueError as error:
        raise ValueError(f"{path} must be JSON with the splits of languages ({error}).") from error
    splits: dict[str, dict[str, tuple[Part, ...]]] = {}
    if not isinstance(found, dict):
        raise ValueError(f"{path} must be a JSON object with languages as keys.")
    for lang, entry in found.items():
        if lang.startswith("_"):
            continue
        if not isinstance(entry, dict) or set(entry) != set(SPLITS):
            raise ValueError(
                f"{path}: {lang!r} must have lists of files for train, dev and test, got "
                f"{entry!r:.80}."
            )
        splits[lang] = {split: tuple(_read_parts(path, entry[split])) for split in SPLITS}
    if not splits:
        raise ValueError(f"{path} must have one or more languages, got none.")
    return splits


def _read_parts(path: Path, entries: Iterable[Any]) -> Iterable[Part]:
    for entry in entries:
        numbers = {key: entry.get(key) for key in ("from", "to")} if isinstance(entry, dict) else {}
        if (
            not isinstance(entry, dict)
            or not isinstance(entry.get("file"), str)
            or not set(entry) <= {"file", "from", "to"}
            or any(n is not None and (type(n) is not int or n < 0) for n in numbers.values())
        ):
            raise ValueError(
                f"{path}: a part must be an object with 'file' and optional numbers 'from' and "
                f"'to', got {entry!r:.80}."
            )
        file = path.parent / entry["file"]
        if not file.is_file():
            raise ValueError(f"{path} refers to the file {file}, which does not exist.")
        yield Part(file, entry.get("from") or 0, entry.get("to"))


def split_path(out: Path, lang: str, split: str) -> Path:
    """Return the path of the file with the original units of a split."""
    return out / "corpus" / f"{lang}-{split}.conllu"


def write_splits(treebanks: Iterable[Treebank], out: Path) -> None:
    """Copy the units of each split to one file, byte for byte."""
    for treebank in treebanks:
        for split in SPLITS:
            with open_binary_output(split_path(out, treebank.lang, split)) as output:
                for raw in _read_units(treebank, split):
                    output.write(raw)


def _read_units(treebank: Treebank, split: str) -> Iterator[bytes]:
    for part in treebank.parts[split]:
        number = 0
        with part.path.open("rb") as file:
            for block in read_blocks(file):
                if has_words(block_lines(block, str(part.path))):
                    if number >= part.first and (part.last is None or number < part.last):
                        yield block.raw.rstrip(b"\r\n") + b"\n\n"
                    number += 1


def fingerprint_units(treebank: Treebank) -> str:
    """Compute a fingerprint of the units. Raise ValueError if a split has none."""
    digest = sha256()
    for split in SPLITS:
        n_units = 0
        for raw in _read_units(treebank, split):
            digest.update(raw)
            n_units += 1
        if not n_units:
            raise ValueError(
                f"The {split} split of {treebank.lang} must have units, got none. Check 'from' and "
                "'to', which count the units of a file from 0."
            )
    return digest.hexdigest()[:16]


def parse_grid(text: str) -> tuple[Cell, ...]:
    """Read the cells P/N of a grid, separated by commas. The baseline 0/0 is always first.

    >>> [cell.name for cell in parse_grid(".2/0, 0/1")]
    ['0/0', '0.2/0', '0/1']
    """
    cells = [BASELINE]
    for name in filter(None, (name.strip() for name in text.split(","))):
        try:
            p, n = map(float, name.split("/"))
        except ValueError:
            p = n = -1.0
        if not 0 <= p <= 1 or not 0 <= n < float("inf"):
            raise ValueError(
                f"--grid must have cells P/N like '0.2/0.5' with P in [0, 1] and N at least 0, got "
                f"{name!r}."
            )
        if Cell(p, n) not in cells:
            cells.append(Cell(p, n))
    return tuple(cells)


def parse_by_language(text: str, option: str) -> tuple[int, dict[str, int]]:
    """Read a default number and those of some languages, e.g. "2,en=3".

    >>> parse_by_language("2,en=3", "--seeds")
    (2, {'en': 3})
    """
    default, by_lang = None, {}
    for part in text.split(","):
        lang, equals, number = part.strip().rpartition("=")
        if not number.isdecimal() or int(number) < 1 or bool(lang) != bool(equals):
            raise ValueError(f"{option} must be numbers like '2,en=3', got {part!r}.")
        if lang:
            by_lang[lang] = int(number)
        else:
            default = int(number)
    if default is None:
        raise ValueError(f"{option} must also have a number for other languages, got {text!r}.")
    return default, by_lang
