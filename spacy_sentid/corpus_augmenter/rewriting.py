"""Rewrite units of a CoNLL-U file: without their end punctuation, or as one of their noun phrases.

checked rows -> what can be changed -> rows of the new unit -> lines
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ..blocks import DEPREL, DEPS, FORM, HEAD, ID, MISC, UPOS, UnitRows, get_comment
from .enhanced import enhanced_relations, renumber
from .noun_phrases import MIN_WORDS, STRIPPED_RELATIONS, NounPhrase, find_noun_phrases
from .punctuation import END_MARKS, count_end_marks, find_removable

# MISC of a treebank with annotation beyond the unit, or with numbers of words, characters or times:
# not true of a part of the unit.
WHOLE_UNIT_MISC = frozenset(
    ["Entity", "Bridge", "SplitAnte", "Discourse", "MSeg", "TokenRange", "Cxn", "CxnElt"]
)


class Change(NamedTuple):
    """What can be done with units: the settings of sections 5.1 and 5.2."""

    marks: Collection[str] = END_MARKS
    min_words: int = MIN_WORDS
    stripped: Collection[str] = STRIPPED_RELATIONS


def removable_marks(unit: UnitRows, change: Change) -> int | None:
    """Find the end punctuation that a unit can lose (see `find_removable`).

    A mark that is part of a multiword token, or that an enhanced relation or an empty node hangs
    on, is not one of them.
    """
    backwards = ((word[FORM], word[UPOS]) for word in reversed(unit.words))
    n_marks = count_end_marks(backwards, change.marks)
    if not n_marks:
        return None
    n_words = len(unit.words)
    needed = _needed_words(unit, range(n_words - n_marks, n_words))
    return find_removable(n_marks, unit.tree, needed)


def unit_phrases(unit: UnitRows, change: Change) -> list[NounPhrase]:
    """Find the noun phrases of a unit (see `find_noun_phrases`)."""
    return find_noun_phrases(
        unit.column(UPOS),
        unit.tree,
        unit.column(DEPREL),
        min_words=change.min_words,
        stripped=change.stripped,
    )


class Layout(NamedTuple):
    """The text of a unit, word by word, and its multiword tokens."""

    # The characters of each word and the white space behind it: end to end, they are the text. Of
    # the words of a token that they do not spell, the first has all and the others nothing.
    pieces: list[str]
    ranges: list["Range"]

    def phrase_text(self, phrase: NounPhrase) -> str:
        """The characters from the first word of a phrase to its last."""
        return "".join(self.pieces[phrase.start : phrase.end]).rstrip()


class Range(NamedTuple):
    """A multiword token: words `[start, end)`."""

    start: int
    end: int
    spelled: bool  # its words, laid end to end, are its form
    row: list[str]


def lay_out(unit: UnitRows, place: str) -> Layout:
    """Find the words of a unit in its `# text`, which is put together if there is none.

    Raises ValueError that names the place if words and text differ.
    """
    text = get_comment(unit.comments, "text")
    if len(unit.rows) == len(unit.words) and text is not None:
        # Most units: the text is what forms and SpaceAfter spell.
        pieces = [
            row[FORM] if row[MISC] == "SpaceAfter=No" else f"{row[FORM]} " for row in unit.words
        ]
        if "".join(pieces).rstrip() == text:
            return Layout(pieces, [])
    return _search_words(unit, text, place)


def _search_words(unit: UnitRows, text: str | None, place: str) -> Layout:
    """Find the tokens in the text one by one."""
    tokens: list[tuple[int, int, list[str]]] = []
    ranges: list[Range] = []
    n_words = 0
    for row in unit.rows:
        name = row[ID]
        if "-" in name:
            first, last = _range_words(name)
            spelled = row[FORM] == "".join(word[FORM] for word in unit.words[first:last])
            ranges.append(Range(first, last, spelled, row))
            tokens.append((first, last, row))
        elif "." not in name:
            n_words += 1
            if not ranges or n_words > ranges[-1].end:
                tokens.append((n_words - 1, n_words, row))
    if text is None:
        text = "".join(row[FORM] + _space_after(row) for _, _, row in tokens).rstrip()
    pieces = [""] * n_words
    spelled_ranges = {(piece.start, piece.end) for piece in ranges if piece.spelled}
    position = last_word = 0
    for first, end, row in tokens:
        form = row[FORM]
        start = text.find(form, position)
        if start < 0 or text[position:start].strip():
            raise ValueError(
                f"{place} (sent_id {get_comment(unit.comments, 'sent_id')}): '# text' and the "
                f"words differ: found {text[position : position + 20]!r} at character {position}, "
                f"expected {form!r}. Mend the text or the FORM column."
            )
        if first:
            pieces[last_word] += text[position:start]
        position = start + len(form)
        if (first, end) in spelled_ranges:
            pieces[first:end] = [word[FORM] for word in unit.words[first:end]]
            last_word = end - 1
        else:
            pieces[first] = form
            last_word = first
    if text[position:].strip():
        raise ValueError(
            f"{place} (sent_id {get_comment(unit.comments, 'sent_id')}): '# text' goes on after "
            f"the last word: {text[position : position + 20]!r}. Mend the text or add the words."
        )
    return Layout(pieces, ranges)


def is_cut_clean(phrase: NounPhrase, layout: Layout) -> bool:
    """Whether the edges of a phrase fall between characters: not inside "zum" = "zu" + "dem"."""
    return all(
        piece.spelled or not piece.start < edge < piece.end
        for piece in layout.ranges
        for edge in (phrase.start, phrase.end)
    )


def remove_end_marks(unit: UnitRows, first: int, *, sent_id: str) -> list[str]:
    """Write a unit without its words from `first` on (see `removable_marks`).

    Comments stay, with a new text and id. White space follows the unit now: without its mark, it
    would be glued to the next.
    """
    removed = unit.words[first:]
    rows = [row for row in unit.rows if row not in removed]
    last = _last_token(rows)
    misc = _without_misc(rows[last][MISC], ("SpaceAfter", "SpacesAfter"))
    kept = [part for part in removed[-1][MISC].split("|") if part.startswith("SpacesAfter=")]
    rows[last] = [*rows[last][:MISC], "|".join([*misc, *kept]) or "_"]
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
    return [*comments, *("\t".join(row) for row in rows)]


def extract_phrase(
    unit: UnitRows, phrase: NounPhrase, layout: Layout, *, sent_id: str, newdoc: bool
) -> list[str]:
    """Write a noun phrase as a unit of its own.

    newdoc: It starts a document of its own, for it belongs to none in a corpus that has documents.
    """
    lines = [f"# newdoc id = {sent_id}"] if newdoc else []
    lines += [f"# sent_id = {sent_id}", f"# text = {layout.phrase_text(phrase)}"]
    rows = unit.words[phrase.start : phrase.end]
    if len(unit.rows) == len(unit.words) and all(_is_plain(row) for row in rows):
        rows = [_shift_word(row, phrase) for row in rows]
    else:
        rows = _shift_rows(unit, phrase, layout)
    last = rows[_last_token(rows)]
    if last[MISC] != "_":
        last[MISC] = "|".join(_without_misc(last[MISC], ("SpaceAfter", "SpacesAfter"))) or "_"
    return [*lines, *("\t".join(row) for row in rows)]


def _is_plain(row: Sequence[str]) -> bool:
    """Whether the enhanced relation of a word is its basic one, but for a longer name."""
    deps = row[DEPS]
    return deps == "_" or ("|" not in deps and deps.startswith(f"{row[HEAD]}:"))


def _shift_word(row: list[str], phrase: NounPhrase) -> list[str]:
    """Renumber a plain word of a phrase."""
    number, deps = int(row[ID]) - 1, row[DEPS]
    head, deprel = str(int(row[HEAD]) - phrase.start), row[DEPREL]
    if number == phrase.head:
        head = "0"
        deprel = "root"
    if deps != "_":
        deps = "0:root" if number == phrase.head else head + deps[len(row[HEAD]) :]
    return [str(number + 1 - phrase.start), *row[1:HEAD], head, deprel, deps, _part_misc(row[MISC])]


def _shift_rows(unit: UnitRows, phrase: NounPhrase, layout: Layout) -> list[list[str]]:
    """Cut the rows of a phrase out of a unit, and renumber them."""
    partial = {piece.start: piece for piece in layout.ranges if _overlap(piece, phrase) == "part"}
    enhanced = enhanced_relations(unit, phrase)
    ids = renumber(enhanced, phrase.start)
    rows: list[list[str]] = []
    word = 0
    for row in unit.rows:
        name = row[ID]
        if "-" in name:
            piece = Range(*_range_words(name), spelled=True, row=row)
            start, end = max(piece.start, phrase.start), min(piece.end, phrase.end)
            if end - start < 2:
                continue
            form = row[FORM]
            if piece.start in partial:
                form = "".join(part[FORM] for part in unit.words[start:end])
            misc = row[MISC] if end == piece.end else "_"
            name = f"{start + 1 - phrase.start}-{end - phrase.start}"
            rows.append([name, form, *row[2:MISC], _part_misc(misc)])
        elif name in enhanced:  # what is not, is outside
            new = [ids[name], *row[1:]]
            if "." not in name:
                is_root = word == phrase.head
                new[HEAD] = "0" if is_root else str(int(row[HEAD]) - phrase.start)
                new[DEPREL] = "root" if is_root else row[DEPREL]
            new[DEPS] = "|".join(f"{ids.get(head, '0')}:{rel}" for head, rel in enhanced[name])
            new[DEPS] = new[DEPS] or "_"
            new[MISC] = _part_misc(row[MISC])
            rows.append(new)
        if "." not in name and "-" not in name:
            word += 1
    # The end of a token that was cut before the phrase has the white space of the token.
    for piece in partial.values():
        if piece.start < phrase.start == piece.end - 1 and not _space_after(piece.row):
            first = next(row for row in rows if row[ID] == "1")
            own = [] if first[MISC] == "_" else [first[MISC]]
            first[MISC] = "|".join([*own, "SpaceAfter=No"])
    return rows


def _needed_words(unit: UnitRows, words: Collection[int]) -> set[int]:
    """Choose those of the last words that must stay, for what is not in the basic tree."""
    needed: set[int] = set()
    last = 0
    if len(unit.rows) > len(unit.words):
        for row in unit.rows:
            name = row[ID]
            if "-" in name:
                needed.update(range(*_range_words(name)))
            elif "." in name:
                needed.add(last - 1)
            else:
                last += 1
    # "|2:nsubj|0:root|2:obj": the relations of all that stays.
    ids = {str(word + 1) for word in words}
    relations = "|".join(["", *[row[DEPS] for row in unit.rows if row[ID] not in ids]])
    needed.update(word for word in words if f"|{word + 1}:" in relations)
    return needed


def _range_words(name: str) -> tuple[int, int]:
    first, _, last = name.partition("-")
    return int(first) - 1, int(last)


def _overlap(piece: Range, phrase: NounPhrase) -> str:
    if piece.end <= phrase.start or piece.start >= phrase.end:
        return "none"
    return "whole" if phrase.start <= piece.start and piece.end <= phrase.end else "part"


def _last_token(rows: Sequence[Sequence[str]]) -> int:
    """Find the row of the last token: that has the white space behind the unit."""
    last = covered = 0
    for i, row in enumerate(rows):
        if "-" in row[ID]:
            last, covered = i, _range_words(row[ID])[1]
        elif "." not in row[ID] and int(row[ID]) > covered:
            last = i
    return last


def _space_after(row: Sequence[str]) -> str:
    return "" if "SpaceAfter=No" in row[MISC].split("|") else " "


def _part_misc(misc: str) -> str:
    """Leave out what is not true of a part of a unit."""
    if misc in ("_", "SpaceAfter=No"):
        return misc
    return "|".join(_without_misc(misc, WHOLE_UNIT_MISC)) or "_"


def _without_misc(misc: str, names: Iterable[str]) -> list[str]:
    if misc == "_":
        return []
    names = set(names)
    return [part for part in misc.split("|") if part.partition("=")[0] not in names]
