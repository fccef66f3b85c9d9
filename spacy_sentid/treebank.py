"""Read CoNLL-U treebanks unit by unit. The only module that imports conllu.

file -> blocks with their line -> conllu -> checked `TreebankUnit`, characters aligned to `# text`
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import conllu
from conllu.exceptions import ParseException

from .blocks import block_lines, get_sent_id, has_words, parse_unit, read_blocks


class Word(NamedTuple):
    """One syntactic word and the characters `[start_char, end_char)` of the unit it covers.

    The words of a multiword token that is spelled as they are ("do" + "n't") have their own
    characters; those of any other ("zum": "zu" + "dem") all have the characters of the whole.
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


@dataclass(frozen=True)
class TreebankUnit:
    """One unit (what UD calls a sentence): its text, its words and where it stands."""

    text: str
    words: tuple[Word, ...]
    sent_id: str
    newdoc: str | None  # id of the document that starts here ("" without an id), else None
    newpar: bool  # a paragraph starts here
    space_after: bool  # white space separates it from the next unit
    place: str  # "file:line" of its first line, for messages
    genre: str | None = None  # of its comments, `# genre = ...` or `# meta::genre = ...`

    @property
    def relations(self) -> list[str]:
        """DEPREL of each word."""
        return [word.deprel for word in self.words]

    @property
    def has_relations(self) -> bool:
        """Whether HEAD and DEPREL are annotated (WSJ-like corpora have `_` throughout)."""
        return any(word.deprel != "_" for word in self.words)


def find_treebank_files(path: Path, split: str | None = None) -> list[Path]:
    """List the .conllu files of a file or folder, sorted; with `split`, those named `...split...`.

    Raises ValueError if there are none.
    """
    if path.is_file():
        return [path]
    files = sorted(path.glob("**/*.conllu")) if path.is_dir() else []
    if split is not None:
        files = [file for file in files if file.stem == split or file.stem.endswith(f"-{split}")]
    if not files:
        wanted = f"*{split}.conllu" if split else "*.conllu"
        raise ValueError(
            f"No treebank at {path}: expected a .conllu file, or a folder with {wanted}. "
            "Check the path."
        )
    return files


def read_treebank(path: Path) -> Iterator[TreebankUnit]:
    """Read the units of a CoNLL-U file in order.

    Malformed input raises ValueError that names file, line and sent_id. Comments that are not
    needed here, empty nodes and enhanced dependencies are passed over. Without `# text` the text
    is put together from FORM and SpaceAfter.
    """
    with path.open("rb") as file:
        for block in read_blocks(file):
            lines = block_lines(block, path.name)
            if has_words(lines):
                yield _parse_unit(lines, f"{path.name}:{block.line}")


def _parse_unit(lines: list[str], place: str) -> TreebankUnit:
    parse_unit(lines, place, strict=False)
    where = f"{place} (sent_id {get_sent_id(lines)})"
    try:
        parsed = conllu.parse("\n".join(lines))[0]
    except (ParseException, ValueError, IndexError) as error:
        raise ValueError(f"{where}: malformed CoNLL-U: {error}. Mend the unit.") from error
    surface = _surface_tokens(parsed)
    text = parsed.metadata.get("text")
    if text is None:
        text = "".join(form + (" " if space else "") for form, space, _ in surface).strip()
    words = _align_words(surface, text, where)
    return TreebankUnit(
        text=text,
        words=tuple(words),
        sent_id=parsed.metadata.get("sent_id") or "",
        newdoc=_newdoc(parsed.metadata),
        newpar=any(key.startswith("newpar") for key in parsed.metadata),
        space_after=surface[-1][1] if surface else True,
        place=place,
        genre=parsed.metadata.get("genre") or parsed.metadata.get("meta::genre") or None,
    )


def _newdoc(metadata: dict[str, str | None]) -> str | None:
    for key in ("newdoc id", "newdoc"):
        if key in metadata:
            return metadata[key] or ""
    return None


def _surface_tokens(rows: Iterable[conllu.Token]) -> list[tuple[str, bool, list[conllu.Token]]]:
    """Group syntactic words into what is written: (form, white space follows, words)."""
    surface: list[tuple[str, bool, list[conllu.Token]]] = []
    last_covered = 0
    for row in rows:
        space = (row["misc"] or {}).get("SpaceAfter") != "No"
        if isinstance(row["id"], tuple):
            if row["id"][1] == "-":  # a multiword token; "." would be an empty node
                surface.append((row["form"], space, []))
                last_covered = row["id"][2]
        elif row["id"] <= last_covered:
            surface[-1][2].append(row)
        else:
            surface.append((row["form"], space, [row]))
    return surface


def _align_words(
    surface: list[tuple[str, bool, list[conllu.Token]]],
    text: str,
    where: str,
) -> Iterator[Word]:
    """Find each word's characters in the text; the forms must spell it, white space aside."""
    position = 0
    for form, _, parts in surface:
        start = text.find(form, position)
        if start < 0 or text[position:start].strip():
            raise ValueError(
                f"{where}: '# text' and the words differ: found {text[position : position + 20]!r} "
                f"at character {position}, expected {form!r}. Mend the text or the FORM column."
            )
        position = start + len(form)
        spelled_out = "".join(part["form"] for part in parts) == form
        offset = start
        for part in parts:
            length = len(part["form"]) if spelled_out else len(form)
            head = part["head"]
            yield Word(
                form=part["form"],
                lemma=part["lemma"],
                upos=part["upos"],
                xpos=part["xpos"] or "_",
                feats="|".join(f"{name}={value}" for name, value in (part["feats"] or {}).items()),
                head=None if head is None else (part["id"] - 1 if head == 0 else head - 1),
                deprel=part["deprel"] or "_",
                start_char=offset,
                end_char=offset + length,
            )
            offset += length if spelled_out else 0
    if text[position:].strip():
        raise ValueError(
            f"{where}: '# text' goes on after the last word: {text[position : position + 20]!r}. "
            "Mend the text or add the words."
        )
