"""Rewrite units of a CoNLL-U file by removing end punctuation or extracting a noun phrase.

checked rows -> what can be changed -> rows of the new unit -> lines
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from ..conllu.blocks import DEPREL, DEPS, FORM, HEAD, ID, MISC, UPOS, UnitRows, get_comment
from ..conllu.treebank import TreebankToken, has_space_after, list_tokens, parse_range, spell_unit
from .noun_phrases import NounPhrase
from .punctuation import count_end_marks, find_removable

# MISC entries that refer beyond the unit, or to numbers of words, characters or times. They are
# wrong in a part of the unit.
WHOLE_UNIT_MISC = frozenset(
    ["Entity", "Bridge", "SplitAnte", "Discourse", "MSeg", "TokenRange", "Cxn", "CxnElt"]
)
SPACES = ("SpaceAfter", "SpacesAfter")  # MISC entries for the white space after a token
# MISC entries that open and close brackets over several words. Closing brackets must not be lost.
BRACKETS = frozenset(["Entity"])


class Layout(NamedTuple):
    """The text of a unit, word by word, and its multiword tokens."""

    # The characters of each word, including the white space after it. Together the pieces are the
    # text of the unit. If the words of a multiword token do not spell it ("zum" = "zu" + "dem"),
    # the piece of the first word is the whole token, and those of the others are empty.
    pieces: list[str]
    ranges: list[TreebankToken]  # the multiword tokens

    def phrase_text(self, phrase: NounPhrase) -> str:
        """Return the text of a phrase."""
        return "".join(self.pieces[phrase.start : phrase.end]).rstrip()

    def is_cut_clean(self, phrase: NounPhrase) -> bool:
        """Check that no edge of a phrase is inside a token such as "zum" = "zu" + "dem"."""
        return all(
            token.is_spelled or not token.start < edge < token.end
            for token in self.ranges
            for edge in (phrase.start, phrase.end)
        )


def lay_out(unit: UnitRows, place: str) -> Layout:
    """Align the words of a unit with its text.

    Raises ValueError with the place if words and text differ.
    """
    tokens = list_tokens(unit)
    characters = spell_unit(unit, [token.row for token in tokens], place)
    pieces = [""] * len(unit.words)
    ranges = [token for token in tokens if token.end - token.start > 1]
    for token, chars in zip(tokens, characters, strict=True):
        pieces[token.start] = chars
        if token.is_spelled:
            pieces[token.start : token.end] = [
                row[FORM] for row in unit.words[token.start : token.end]
            ]
            pieces[token.end - 1] += chars[len(token.row[FORM]) :]
    return Layout(pieces, ranges)


def find_removable_marks(unit: UnitRows, marks: Collection[str]) -> int | None:
    """Find the end punctuation that can be removed from a unit (see `find_removable`).

    A mark is kept if it is part of a multiword token, or if an enhanced relation or an empty node
    depends on it.
    """
    backwards = ((word[FORM], word[UPOS]) for word in reversed(unit.words))
    n_marks = count_end_marks(backwards, marks)
    if not n_marks:
        return None
    n_words = len(unit.words)
    return find_removable(n_marks, unit.tree, _needed_words(unit, n_words - n_marks))


def remove_end_marks(unit: UnitRows, first: int, *, sent_id: str) -> list[str]:
    """Format a unit without its words from `first` on (see `find_removable_marks`).

    Comments are kept, with a new text and id. "SpaceAfter=No" is dropped, as the unit would
    otherwise be joined to the next.
    """
    removed = unit.words[first:]
    gone = {word[ID] for word in removed}
    rows = [row for row in unit.rows if row[ID] not in gone]
    last = _last_token(rows)
    kept = [part for part in removed[-1][MISC].split("|") if part.startswith("SpacesAfter=")]
    rows[last] = [*rows[last][:MISC], _edit_misc(rows[last][MISC], SPACES, kept)]
    comments = []
    for line in unit.comments:
        key = line[1:].partition("=")[0].strip() if "=" in line else ""
        if key == "text":
            text = line
            for word in reversed(removed):
                text = text.rstrip().removesuffix(word[FORM])
            line = text.rstrip()
        elif key == "sent_id":
            line = f"# sent_id = {sent_id}"
        comments.append(line)
    if get_comment(comments, "sent_id") is None:
        comments.append(f"# sent_id = {sent_id}")
    return [*comments, *map("\t".join, rows)]


def extract_phrase(
    unit: UnitRows, phrase: NounPhrase, layout: Layout, *, sent_id: str, newdoc: bool
) -> list[str]:
    """Format a noun phrase as a separate unit.

    newdoc: Make it a separate document, so that it does not join the last document of the corpus.
    """
    lines = [f"# newdoc id = {sent_id}"] if newdoc else []
    lines += [f"# sent_id = {sent_id}", f"# text = {layout.phrase_text(phrase)}"]
    rows = _cut_rows(unit, phrase, layout)
    last = rows[_last_token(rows)]
    last[MISC] = _edit_misc(last[MISC], SPACES)
    return [*lines, *map("\t".join, rows)]


def _cut_rows(unit: UnitRows, phrase: NounPhrase, layout: Layout) -> list[list[str]]:
    """Cut the rows of a phrase out of a unit, and renumber them."""
    # The old ids of the words of the phrase, and the new ones. Empty nodes are dropped.
    ids = {str(phrase.start + n): str(n) for n in range(1, phrase.end - phrase.start + 1)}
    rows: list[list[str]] = []
    for row in unit.rows:
        name = row[ID]
        if name in ids:
            new = [ids[name], *row[1:]]
            if name == str(phrase.head + 1):
                new[HEAD], new[DEPREL] = "0", "root"
            else:
                new[HEAD] = ids[row[HEAD]]
            if row[DEPS] != "_":
                new[DEPS] = _cut_relations(new, ids)
            if row[MISC] != "_":
                new[MISC] = _edit_misc(row[MISC], WHOLE_UNIT_MISC)
            rows.append(new)
        elif "-" in name:
            first, last = parse_range(name)
            start, end = max(first, phrase.start), min(last, phrase.end)
            if end - start < 2:
                continue
            form = row[FORM]
            if end - start < last - first:
                form = "".join(part[FORM] for part in unit.words[start:end])
            misc = row[MISC] if end == last else "_"
            name = f"{start + 1 - phrase.start}-{end - phrase.start}"
            rows.append([name, form, *row[2:MISC], _edit_misc(misc, WHOLE_UNIT_MISC)])
    # If a token is cut before the phrase, its last part inherits the white space of the token.
    for token in layout.ranges:
        if token.start < phrase.start == token.end - 1 and not has_space_after(token.row):
            first_word = next(row for row in rows if row[ID] == "1")
            first_word[MISC] = _edit_misc(first_word[MISC], (), ["SpaceAfter=No"])
    return rows


def _cut_relations(row: Sequence[str], ids: Mapping[str, str]) -> str:
    """Keep the enhanced relations to the words of a phrase, and add the basic one if it lacks.

    ids: The new id of each word of the phrase. Only the HEAD of the row is one of them.
    """
    pairs = [part.partition(":")[::2] for part in row[DEPS].split("|")]
    kept = [(int(ids[head]), relation) for head, relation in pairs if head in ids]
    basic = int(row[HEAD])
    if all(head != basic for head, _ in kept):
        kept.append((basic, row[DEPREL]))
    return "|".join(f"{head}:{relation}" for head, relation in sorted(kept))


def _needed_words(unit: UnitRows, first: int) -> set[int]:
    """Find the words from `first` on that are needed by annotations other than the basic tree."""
    words = range(first, len(unit.words))
    needed = {
        word
        for word in words
        if unit.words[word][MISC] != "_"
        and any(part.partition("=")[0] in BRACKETS for part in unit.words[word][MISC].split("|"))
    }
    last = 0
    # Heads of the enhanced relations of all nodes before the current word.
    relations = {
        part.partition(":")[0] for word in unit.words[:first] for part in word[DEPS].split("|")
    }
    for row in unit.rows:
        name = row[ID]
        if "-" in name:
            needed.update(range(*parse_range(name)))
            continue
        if "." in name:
            needed.add(last - 1)
        else:
            last = int(name)
            if last > first and name in relations:
                needed.add(last - 1)
        if last > first or "." in name:
            relations.update(part.partition(":")[0] for part in row[DEPS].split("|"))
    return needed


def _last_token(rows: Sequence[Sequence[str]]) -> int:
    """Find the row of the last token, whose MISC has the white space after the unit."""
    last = covered = 0
    for i, row in enumerate(rows):
        if "-" in row[ID]:
            last, covered = i, parse_range(row[ID])[1]
        elif "." not in row[ID] and int(row[ID]) > covered:
            last = i
    return last


def _edit_misc(misc: str, removed: Collection[str], added: Iterable[str] = ()) -> str:
    """Remove entries from MISC by their names, and append others."""
    if misc == "_" and not added:
        return misc
    parts = [] if misc == "_" else misc.split("|")
    kept = [part for part in parts if part.partition("=")[0] not in removed]
    return "|".join([*kept, *added]) or "_"
