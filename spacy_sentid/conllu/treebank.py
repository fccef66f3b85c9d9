"""Read CoNLL-U treebanks unit by unit. The only module that imports conllu.

file -> blocks with their line -> checked rows -> `TreebankUnit`, characters aligned to `# text`
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple

# conllu only reads the comments. Its rows have no place in the file, and it accepts lines with 9 or
# 11 columns. A test compares our rows with those of conllu.
from conllu.parser import parse_comment_line

from ..messages import shorten
from .blocks import (
    DEPREL,
    FEATS,
    FORM,
    ID,
    LEMMA,
    MISC,
    UPOS,
    XPOS,
    UnitRows,
    block_lines,
    format_id,
    get_comment,
    get_sent_id,
    has_words,
    no_units,
    read_blocks,
)
from .unit_checks import parse_unit


class TreebankWord(NamedTuple):
    """A syntactic word, and the characters `[start_char, end_char)` of the unit that it covers.

    If the words of a multiword token spell it ("do" + "n't"), each has its own characters. If not
    ("zum": "zu" + "dem"), each has the characters of the whole token.
    """

    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str  # "Case=Nom|Number=Sing", or ""
    head: int | None  # index of the head in `words`; its own index for the root; None if "_"
    deprel: str  # "_" where the corpus has no relations
    start_char: int
    end_char: int


def word_annotations(words: Iterable[TreebankWord]) -> dict[str, Any]:
    """Return the annotations of words as arguments for Doc; "_" (no annotation) becomes "".

    The lemma of the word "_" stays "_".
    """
    words = list(words)
    return {
        "tags": [known_value(word.xpos) for word in words],
        "pos": [known_value(word.upos) for word in words],
        "morphs": [word.feats for word in words],
        "lemmas": [known_value(word.lemma) if word.form != "_" else "_" for word in words],
    }


def known_value(value: str) -> str:
    """Replace "_", which means no annotation, by ""."""
    return "" if value == "_" else value


class TreebankToken(NamedTuple):
    """A written token: one word, or a multiword token with the words `[start, end)`."""

    start: int
    end: int
    row: list[str]
    is_spelled: bool  # the joined forms of the words are the form of the token


@dataclass(frozen=True)
class TreebankUnit:
    """One unit (a sentence in UD's terms) with its text, words and place in the file."""

    text: str
    words: tuple[TreebankWord, ...]
    sent_id: str
    newdoc: str | None  # id of the document that starts here ("" without an id), or None
    newpar: bool  # a paragraph starts here
    space_after: bool  # white space separates it from the next unit
    place: str  # "file:line" of its first line, for messages
    genre: str | None = None  # value of the comment `# genre = ...` or `# meta::genre = ...`

    @property
    def relations(self) -> list[str]:
        """DEPREL of each word."""
        return [word.deprel for word in self.words]

    @property
    def has_relations(self) -> bool:
        """True if HEAD and DEPREL are annotated; some corpora, such as WSJ, only have `_`."""
        return any(word.deprel != "_" for word in self.words)


def find_treebank_files(path: Path, split: str | None = None) -> list[Path]:
    """List the .conllu files in a folder, sorted; for a file, return only this file.

    split: Only list the files named `split` or `...-split`. None = all files.

    Raises ValueError if there is no such file.
    """
    if path.is_file():
        return [path]
    files = sorted(path.glob("**/*.conllu")) if path.is_dir() else []
    if split is not None:
        files = [file for file in files if file.stem == split or file.stem.endswith(f"-{split}")]
    if not files:
        wanted = f"*{split}.conllu" if split else "*.conllu"
        raise ValueError(
            f"The treebank must be a .conllu file or a folder with {wanted}, got {path}."
        )
    return files


def read_treebank(path: Path) -> Iterator[TreebankUnit]:
    """Read the units of a CoNLL-U file in order.

    Empty nodes, enhanced dependencies and most comments are skipped. Without `# text`, the text is
    read from FORM and SpaceAfter.

    Raises ValueError with file, line and sent_id for malformed input, and for a file without units
    at its end.
    """
    is_empty = True
    with path.open("rb") as file:
        for block in read_blocks(file):
            lines = block_lines(block, str(path))
            if has_words(lines):
                is_empty = False
                yield _read_unit(lines, f"{path}:{block.line}")
    if is_empty:
        raise no_units(str(path))


NEWDOC = ("newdoc id", "newdoc")


def _read_unit(lines: list[str], place: str) -> TreebankUnit:
    unit = parse_unit(lines, place, strict=False)
    metadata = dict(pair for line in unit.comments for pair in parse_comment_line(line))
    tokens = list_tokens(unit)
    pieces = spell_unit(unit, [token.row for token in tokens], place)
    starts = accumulate(map(len, pieces[:-1]), initial=0)
    words: list[TreebankWord] = []
    for token, start_char in zip(tokens, starts, strict=True):
        for row in unit.words[token.start : token.end]:
            end_char = start_char + len((row if token.is_spelled else token.row)[FORM])
            words.append(
                TreebankWord(
                    form=row[FORM],
                    lemma=row[LEMMA],
                    upos=row[UPOS],
                    xpos=row[XPOS],
                    feats=known_value(row[FEATS]),
                    head=unit.heads[len(words)],
                    deprel=row[DEPREL],
                    start_char=start_char,
                    end_char=end_char,
                )
            )
            if token.is_spelled:
                start_char = end_char
    return TreebankUnit(
        text="".join(pieces),
        words=tuple(words),
        sent_id=metadata.get("sent_id") or "",
        newdoc=next((metadata[key] or "" for key in NEWDOC if key in metadata), None),
        newpar=any(key.startswith("newpar") for key in metadata),
        space_after=has_space_after(tokens[-1].row),
        place=place,
        genre=metadata.get("genre") or metadata.get("meta::genre") or None,
    )


def list_tokens(unit: UnitRows) -> list[TreebankToken]:
    """List the written tokens: words, or multiword tokens instead of their words."""
    if len(unit.rows) == len(unit.words):
        return [TreebankToken(n, n + 1, row, True) for n, row in enumerate(unit.words)]
    tokens: list[TreebankToken] = []
    n_words = covered = 0
    for row in unit.rows:
        if "-" in row[ID]:
            start, covered = parse_range(row[ID])
            form = "".join(word[FORM] for word in unit.words[start:covered])
            tokens.append(TreebankToken(start, covered, row, form == row[FORM]))
        elif "." not in row[ID]:
            n_words += 1
            if n_words > covered:
                tokens.append(TreebankToken(n_words - 1, n_words, row, True))
    return tokens


def parse_range(name: str) -> tuple[int, int]:
    """Parse the id of a multiword token: "3-4" has the words `[2, 4)`."""
    first, _, last = name.partition("-")
    return int(first) - 1, int(last)


def has_space_after(row: Sequence[str]) -> bool:
    """Check if there is white space after a token."""
    return row[MISC] == "_" or "SpaceAfter=No" not in row[MISC].split("|")


def spell_unit(unit: UnitRows, rows: Sequence[list[str]], place: str) -> list[str]:
    """Find the characters of each token of a unit, with the white space after it.

    rows: Rows of the tokens: words, or multiword tokens instead of their words.
    RETURNS: One piece for each token. The joined pieces are the text of the unit, from `# text` or,
        without one, from FORM and SpaceAfter.

    Raises ValueError with place and sent_id if `# text` and the tokens differ, except for white
    space.
    """
    text = get_comment(unit.comments, "text")
    pieces = [
        row[FORM] + " " if row[MISC] == "_" or has_space_after(row) else row[FORM] for row in rows
    ]
    pieces[-1] = pieces[-1].rstrip(" ")
    if text is None or text == "".join(pieces):  # nearly always
        return pieces
    starts = []
    position = 0
    for row in rows:
        form = row[FORM]
        start = text.find(form, position)
        if start < 0 or (start > position and text[position:start].strip()):
            found = text[position : position + 20]
            raise ValueError(
                f"{place} ({format_id(get_sent_id(unit.comments))}): '# text' and words must not "
                f"differ, got {found!r} instead of {shorten(form)} at character {position}."
            )
        starts.append(start)
        position = start + len(form)
    if text[position:].strip():
        raise ValueError(
            f"{place} ({format_id(get_sent_id(unit.comments))}): '# text' must end with the last "
            f"word, got {text[position : position + 20]!r} after it."
        )
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]
