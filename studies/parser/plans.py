"""What the parser study trains, and whether the runs that are there are of the same study.

splits.json -> Treebanks -> Plan -> plan.json beside the runs
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.about import __version__
from spacy_sentid.blocks import block_lines, has_words, read_blocks
from spacy_sentid.files.atomic import open_binary_output, open_output

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


@dataclass(frozen=True)
class Plan:
    """What the study trains and measures, and where it puts it."""

    out: Path
    treebanks: tuple[Treebank, ...]
    grid: tuple[Cell, ...]
    config: Path
    # Folders with LANG.txt (noun phrases), and with reviews.LANG.tsv and lexicon.LANG.tsv.
    phrases: Path | None = None
    sentiment: Path | None = None
    gpu_id: int = -1
    threads: int | None = None  # of each run; None = as the libraries choose

    def split_path(self, treebank: Treebank, split: str) -> Path:
        """Name the file with the units of a split, as they are in the treebank."""
        return self.out / "corpus" / f"{treebank.lang}-{split}.conllu"

    def phrases_path(self, treebank: Treebank) -> Path | None:
        """Name the list of noun phrases of a language, if there is one."""
        path = None if self.phrases is None else self.phrases / f"{treebank.lang}.txt"
        return path if path is not None and path.exists() else None

    def sentiment_paths(self, treebank: Treebank) -> tuple[Path, Path] | None:
        """Name reviews and lexicon of a language, if there are; ValueError for one of them."""
        if self.sentiment is None:
            return None
        names = f"reviews.{treebank.lang}.tsv", f"lexicon.{treebank.lang}.tsv"
        reviews, lexicon = (self.sentiment / name for name in names)
        if reviews.exists() != lexicon.exists():
            raise ValueError(
                f"Found one of {names[0]} and {names[1]} in {self.sentiment}, expected both or "
                "none. Add the other."
            )
        return (reviews, lexicon) if reviews.exists() else None


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
            f"{path}: found no JSON ({error}), expected languages and their splits. Mend the file."
        ) from error
    splits: dict[str, dict[str, tuple[Part, ...]]] = {}
    if not isinstance(found, dict):
        raise ValueError(f"{path}: found no object, expected languages. Mend the file.")
    for lang, entry in found.items():
        if lang.startswith("_"):
            continue
        if not isinstance(entry, dict) or set(entry) != set(SPLITS):
            raise ValueError(
                f"{path}: {lang!r} has {entry!r:.80}, expected lists of files for train, dev and "
                "test. Mend the file."
            )
        splits[lang] = {split: tuple(_read_parts(path, entry[split])) for split in SPLITS}
    if not splits:
        raise ValueError(f"{path}: found no languages, expected at least one. Mend the file.")
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
                f"{path}: found {entry!r:.80}, expected an object with 'file' and perhaps numbers "
                "'from' and 'to'. Mend the file."
            )
        file = path.parent / entry["file"]
        if not file.is_file():
            raise ValueError(f"{path} names {entry['file']}, but there is no such file beside it.")
        yield Part(file, entry.get("from") or 0, entry.get("to"))


def write_splits(plan: Plan) -> None:
    """Put the units of each split into one file, as they stand (after `check_plan`)."""
    for treebank in plan.treebanks:
        for split in SPLITS:
            with open_binary_output(plan.split_path(treebank, split)) as output:
                for raw in _read_units(treebank, split):
                    output.write(raw)


def _read_units(treebank: Treebank, split: str) -> Iterator[bytes]:
    for part in treebank.parts[split]:
        number = 0
        with part.path.open("rb") as file:
            for block in read_blocks(file):
                if has_words(block_lines(block, part.path.name)):
                    if number >= part.first and (part.last is None or number < part.last):
                        yield block.raw.rstrip(b"\r\n") + b"\n\n"
                    number += 1


def check_plan(plan: Plan) -> None:
    """Note beside the runs what they are of; ValueError if those there are of another study.

    Languages, cells and seeds may be added: a study can be extended. Nothing is written otherwise.
    """
    description = describe_plan(plan)
    path = plan.out / "plan.json"
    if path.exists():
        found = json.loads(path.read_text(encoding="utf8"))
        known = found.get("treebanks", {})
        differ = [
            f"the treebank of {lang}"
            for lang, entry in description["treebanks"].items()
            if known.get(lang, entry) != entry
        ]
        differ += [key for key in ("version", "config") if found.get(key) != description[key]]
        if differ:
            raise ValueError(
                f"{plan.out} has runs of a study that differs in {', '.join(differ)}, expected "
                "those of this one. Choose another --out, or remove the folder."
            )
        description["treebanks"] = {**known, **description["treebanks"]}
    with open_output(path) as file:
        json.dump(description, file, indent=1)


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Say all that the trainings depend on, as it is written beside them."""
    return {
        "version": __version__,
        "config": plan.config.read_text(encoding="utf8"),
        "treebanks": {
            treebank.lang: {
                "max_steps": treebank.max_steps,
                "files": {
                    split: [[part.path.name, part.first, part.last] for part in parts]
                    for split, parts in treebank.parts.items()
                },
                "digest": _digest(treebank),
            }
            for treebank in plan.treebanks
        },
    }


def describe_measures(plan: Plan, treebank: Treebank) -> dict[str, str]:
    """Say what runs are measured with, apart from the test split: digests of the files."""
    paths = {"phrases": plan.phrases_path(treebank)}
    reviews = plan.sentiment_paths(treebank)
    if reviews is not None:
        paths |= {"reviews": reviews[0], "lexicon": reviews[1]}
    return {
        name: sha256(path.read_bytes()).hexdigest()[:12]
        for name, path in paths.items()
        if path is not None
    }


def _digest(treebank: Treebank) -> str:
    """Digest the units of all splits; ValueError if a split has none."""
    digest = sha256()
    for split in SPLITS:
        n_units = 0
        for raw in _read_units(treebank, split):
            digest.update(raw)
            n_units += 1
        if not n_units:
            raise ValueError(
                f"Found no units in the {split} split of {treebank.lang}, expected some. Mend the "
                "splits: 'from' and 'to' number the units of a file from 0."
            )
    return digest.hexdigest()[:12]


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
                f"Found {name!r} in the grid, expected P/N such as '0.2/0.5', P from 0 to 1, N at "
                "least 0. Mend --grid."
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
            raise ValueError(
                f"Found {part!r} in {option}, expected numbers such as '2,en=3'. Mend {option}."
            )
        if lang:
            by_lang[lang] = int(number)
        else:
            default = int(number)
    if default is None:
        raise ValueError(f"Found {text!r} in {option}, expected also a number for all the others.")
    return default, by_lang
