"""Count noun phrase units, omitted punctuation and last words of a treebank (section 4, Table 1).

units -> facts of each -> tallies of the whole and of each genre -> ratios -> rows of tables

NPU: a noun phrase unit (see `noun_phrases.is_noun_phrase`).
POU: a punctuation omitted unit, whose last word is not PUNCT, as in Table 1 of the paper. Section 3
    of the paper defines POUs as units that do not end in . ! or ?. They are counted here as units
    without an end mark, where marks of other scripts are end marks too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

from ..conllu.treebank import TreebankUnit
from .noun_phrases import is_noun_phrase
from .punctuation import END_MARKS

RATIOS_NOTE = (
    "NPU: noun phrase unit, as a share of the units with a tree. POU: the last word is not PUNCT, "
    "as in the paper's Table 1. No end mark: the last word is not . ! or ?, nor a similar mark of "
    "another script, as in the paper's section 3."
)
MARKS_NOTE = "Units by their last word, with percentages. None: the last word is not PUNCT."
GENRES_NOTE = "Genres are from the comments of the treebank."
UNKNOWN = "unknown"  # cell of a table for a ratio of None
RATIOS = {"npu_ratio": "NPU %", "pou_ratio": "POU %", "no_end_mark_ratio": "no end mark %"}


@dataclass
class Tally:
    """Counts of units, and their ratios. Ratios are 0 to 1, or None without annotation."""

    n_units: int = 0
    n_words: int = 0
    n_with_tree: int = 0  # units that can be checked for NPUs
    n_npu: int = 0
    n_with_tag: int = 0  # units that can be checked for POUs
    n_pou: int = 0
    n_no_end_mark: int = 0
    last_marks: Counter[str] = field(default_factory=Counter)  # forms of last words tagged PUNCT

    def add(self, n_words: int, is_npu: bool | None, last_mark: str | None) -> None:
        """Count a unit, given the result of `describe_unit`."""
        self.n_units += 1
        self.n_words += n_words
        if is_npu is not None:
            self.n_with_tree += 1
            self.n_npu += is_npu
        if last_mark is not None:
            self.n_with_tag += 1
            self.n_pou += not last_mark
            self.n_no_end_mark += last_mark not in END_MARKS
            self.last_marks.update([last_mark] if last_mark else [])

    @property
    def npu_ratio(self) -> float | None:
        """Share of NPUs in the units with a tree."""
        return self.n_npu / self.n_with_tree if self.n_with_tree else None

    @property
    def pou_ratio(self) -> float | None:
        """Share of units whose last word is not PUNCT, in those with tags."""
        return self.n_pou / self.n_with_tag if self.n_with_tag else None

    @property
    def no_end_mark_ratio(self) -> float | None:
        """Share of units whose last word is not in `END_MARKS`, in those with tags."""
        return self.n_no_end_mark / self.n_with_tag if self.n_with_tag else None

    def to_dict(self) -> dict[str, Any]:
        """Return all counts and ratios as JSON data. The most frequent marks come first."""
        counts = {field.name: getattr(self, field.name) for field in fields(self)}
        ratios = {name: getattr(self, name) for name in RATIOS}
        return {**counts, **ratios, "last_marks": dict(_by_count(self.last_marks))}


class Profile(NamedTuple):
    """Tallies of a treebank."""

    whole: Tally
    genres: dict[str, Tally]  # by name, sorted; {} if the treebank has no genres

    def to_dict(self) -> dict[str, Any]:
        """Return all counts and ratios as JSON data."""
        genres = {name: tally.to_dict() for name, tally in self.genres.items()}
        return {**self.whole.to_dict(), "genres": genres}


class Profiler:
    """A counter for the units of a treebank, which does not keep them in memory.

    Genres come from comments `# genre = x` or `# meta::genre = x`. A unit without one has the genre
    of the first unit of its document, if that has one.
    """

    def __init__(self) -> None:
        """Initialize all counts with 0."""
        self._whole = Tally()
        self._genres: dict[str, Tally] = {}
        self._document_genre: str | None = None

    def add(self, unit: TreebankUnit) -> None:
        """Count a unit. Units must come in the order of the file."""
        if unit.newdoc is not None:
            self._document_genre = unit.genre
        facts = describe_unit(unit)
        self._whole.add(*facts)
        genre = unit.genre or self._document_genre
        if genre:
            self._genres.setdefault(genre, Tally()).add(*facts)

    def finish(self) -> Profile:
        """Return the tallies of all units so far."""
        names = sorted(self._genres, key=lambda name: (name.casefold(), name))
        return Profile(self._whole, {name: self._genres[name] for name in names})


def describe_unit(unit: TreebankUnit) -> tuple[int, bool | None, str | None]:
    """Compute the facts about a unit that are counted.

    RETURNS: (n_words, is_npu, last_mark): the number of syntactic words; whether the unit is an
        NPU, None without a tree and tags; the form of the last word if it is PUNCT, "" if it is
        not, None without a tag.
    """
    words = unit.words
    is_npu = last_mark = None
    if unit.has_relations and any(w.head == n and w.upos != "_" for n, w in enumerate(words)):
        heads = [-1 if word.head is None else word.head for word in words]
        is_npu = is_noun_phrase([word.upos for word in words], heads, unit.relations)
    if words and words[-1].upos != "_":
        last_mark = words[-1].form if words[-1].upos == "PUNCT" else ""
    return len(words), is_npu, last_mark


def list_tables(
    profiles: Sequence[tuple[str, Profile]],
) -> list[tuple[str, list[list[str]], str]]:
    """Make the tables of some files: ratios, end punctuation, and ratios by genre of each file.

    profiles: The name of each file, and its profile.
    RETURNS: (title, rows, note) of each table. The first row is the heading.
    """
    wholes = [(name, profile.whole) for name, profile in profiles]
    tables = [
        ("Noun phrase units, omitted punctuation", ratio_rows(wholes), RATIOS_NOTE),
        ("End punctuation", mark_rows(wholes), MARKS_NOTE),
    ]
    for name, profile in profiles:
        if profile.genres:
            rows = ratio_rows([*profile.genres.items(), ("all", profile.whole)])
            # Each genre is a row, as there may be many.
            by_genre = [list(row) for row in zip(*rows, strict=True)]
            tables.append((f"{name} by genre", by_genre, GENRES_NOTE))
    return tables


def ratio_rows(tallies: Sequence[tuple[str, Tally]]) -> list[list[str]]:
    """Format sizes and ratios as the rows of a table, with a column for each tally.

    >>> tally = Tally(n_units=4, n_words=9, n_with_tag=4, n_pou=1, n_no_end_mark=2)
    >>> ratio_rows([("dev", tally)])[2:5]
    [['words', '9'], ['NPU %', 'unknown'], ['POU %', '25.0']]
    """
    columns = [tally for _, tally in tallies]
    counts = {"n_units": "units", "n_words": "words"}
    if any(0 < tally.n_with_tree < tally.n_units for tally in columns):
        counts["n_with_tree"] = "units with a tree"
    rows = [["", *(name for name, _ in tallies)]]
    rows += [[title, *(f"{getattr(t, name):,}" for t in columns)] for name, title in counts.items()]
    rows += [
        [title, *(_percent(getattr(t, name)) for t in columns)] for name, title in RATIOS.items()
    ]
    return rows


def mark_rows(tallies: Sequence[tuple[str, Tally]], *, n_marks: int = 10) -> list[list[str]]:
    """Format the counts of last words as the rows of a table, with a column for each tally.

    The rows are the `n_marks` most frequent marks over all tallies, other marks, and none (not
    PUNCT). Shares are in percent of the units with tags.

    >>> tally = Tally(n_units=4, n_with_tag=4, n_pou=1, last_marks=Counter({".": 2, "?": 1}))
    >>> mark_rows([("dev", tally)], n_marks=1)
    [['', 'dev'], ['.', '2 (50.0)'], ['others', '1 (25.0)'], ['none', '1 (25.0)']]
    """
    columns = [tally for _, tally in tallies]
    total: Counter[str] = sum((tally.last_marks for tally in columns), Counter())
    marks = [mark for mark, _ in _by_count(total)[:n_marks]]
    counts = {mark: [tally.last_marks[mark] for tally in columns] for mark in marks}
    others = [t.last_marks.total() - sum(t.last_marks[mark] for mark in marks) for t in columns]
    if any(others):
        counts["others"] = others
    counts["none"] = [tally.n_pou for tally in columns]
    rows = [["", *(name for name, _ in tallies)]]
    for label, numbers in counts.items():
        cells = [
            f"{n:,} ({_percent(n / tally.n_with_tag)})" if tally.n_with_tag else UNKNOWN
            for n, tally in zip(numbers, columns, strict=True)
        ]
        rows.append([label, *cells])
    return rows


def _by_count(marks: Counter[str]) -> list[tuple[str, int]]:
    """Sort marks by descending count, and equal counts by the mark."""
    return sorted(marks.items(), key=lambda item: (-item[1], item[0]))


def _percent(ratio: float | None) -> str:
    return UNKNOWN if ratio is None else f"{100 * ratio:.1f}"
