"""The treebanks of the parser study, and the cells of its grid.

splits.json -> parts of files -> Treebanks -> a file for each split
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.blocks import block_lines, has_words, read_blocks
from spacy_sentid.files.atomic import open_binary_output

SPLITS = ("train", "dev", "test")


class Part(NamedTuple):
    """Units of a file: `[first, last)`, or to its end."""

    path: Path
    first: int
    last: int | None


class Treebank(NamedTuple):
    """What is trained on in one language."""

    lang: str
    parts: dict[str, tuple[Part, ...]]  # split -> where its units are
    n_seeds: int
    max_steps: int


class Cell(NamedTuple):
    """One cell of the grid: what the training and dev splits are augmented with."""

    remove_punct: float  # P
    add_np: float  # N

    @property
    def name(self) -> str:
        """ "0.2/0": P and N."""
        return f"{self.remove_punct:g}/{self.add_np:g}"


BASELINE = Cell(0.0, 0.0)


def read_splits(path: Path) -> dict[str, dict[str, tuple[Part, ...]]]:
    """Read language -> split -> parts from JSON.

    {"de": {"train": [{"file": "de-dev.conllu", "from": 0, "to": 649}, ...], "dev": ..., "test":
    ...}}: files relative to that of the JSON; "from" and "to" number units from 0, the end is
    exclusive, both may be absent. Keys that start with "_" are remarks.

    Raises ValueError if a split or a file is missing.
    """
    try:
        found = json.loads(path.read_text(encoding="utf8"))
    except ValueError as error:
        raise ValueError(
            f"{path} must be JSON with languages and their splits ({error})."
        ) from error
    splits: dict[str, dict[str, tuple[Part, ...]]] = {}
    if not isinstance(found, dict):
        raise ValueError(f"{path} must be a JSON object of languages.")
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
        raise ValueError(f"{path} must have one or more languages, but has none.")
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
                f"{path}: a part must be an object with 'file' and perhaps numbers 'from' and "
                f"'to', got {entry!r:.80}."
            )
        file = path.parent / entry["file"]
        if not file.is_file():
            raise ValueError(f"{path} names {entry['file']}, but there is no such file next to it.")
        yield Part(file, entry.get("from") or 0, entry.get("to"))


def split_path(out: Path, lang: str, split: str) -> Path:
    """Name the file with the units of a split, as they are in the treebank."""
    return out / "corpus" / f"{lang}-{split}.conllu"


def write_splits(treebanks: Iterable[Treebank], out: Path) -> None:
    """Put the units of each split into one file, byte for byte."""
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
    """Fingerprint the units of all splits; ValueError if a split has none."""
    digest = sha256()
    for split in SPLITS:
        n_units = 0
        for raw in _read_units(treebank, split):
            digest.update(raw)
            n_units += 1
        if not n_units:
            raise ValueError(
                f"The {split} split of {treebank.lang} must have units, but has none. Check the "
                "splits: 'from' and 'to' number the units of a file from 0."
            )
    return digest.hexdigest()[:16]


def parse_grid(text: str) -> tuple[Cell, ...]:
    """Read a grid: P/N, separated by commas; the baseline 0/0 comes first, whether named or not.

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
                f"--grid must have cells P/N such as '0.2/0.5', P from 0 to 1, N at least 0, got "
                f"{name!r}."
            )
        if Cell(p, n) not in cells:
            cells.append(Cell(p, n))
    return tuple(cells)


def parse_by_language(text: str, option: str) -> tuple[int, dict[str, int]]:
    """Read a number for all languages, and those of some: "2,en=3".

    >>> parse_by_language("2,en=3", "--seeds")
    (2, {'en': 3})
    """
    default, by_lang = None, {}
    for part in text.split(","):
        lang, equals, number = part.strip().rpartition("=")
        if not number.isdecimal() or int(number) < 1 or bool(lang) != bool(equals):
            raise ValueError(f"{option} must be numbers such as '2,en=3', got {part!r}.")
        if lang:
            by_lang[lang] = int(number)
        else:
            default = int(number)
    if default is None:
        raise ValueError(f"{option} must have a number for all other languages too, got {text!r}.")
    return default, by_lang
