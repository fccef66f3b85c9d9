"""Rewrite units of a CoNLL-U file: without their end punctuation, or as one of their noun phrases.

checked rows -> what can be changed -> rows of the new unit -> lines
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from ..blocks import DEPREL, DEPS, FORM, HEAD, ID, MISC, UPOS, UnitRows, get_comment
from .noun_phrases import MIN_WORDS, STRIPPED_RELATIONS, NounPhrase, find_noun_phrases
from .punctuation import END_MARKS, find_end_marks

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
    """Find the end punctuation that a unit can lose (see `find_end_marks`).

    A mark that is part of a multiword token, or that an enhanced relation or an empty node hangs
    on, is not one of them.
    """
    if unit.words[-1][UPOS] != "PUNCT" or unit.words[-1][FORM] not in change.marks:
        return None
    return find_end_marks(
        unit.column(FORM),
        unit.column(UPOS),
        unit.tree,
        marks=change.marks,
        needed=_needed_words(unit),
    )


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
    """Where the words of a unit are in its text, and its multiword tokens."""

    text: str
    starts: list[int]  # character of each word; words of a token that they do not spell share
    ends: list[int]
    ranges: list["Range"]

    def phrase_text(self, phrase: NounPhrase) -> str:
        """The characters from the first word of a phrase to its last."""
        return self.text[self.starts[phrase.start] : self.ends[phrase.end - 1]]


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
    tokens: list[tuple[int, int, list[str]]] = []
    ranges: list[Range] = []
    n_words = covered = 0
    for row in unit.rows:
        name = row[ID]
        if "-" in name:
            first, last = map(int, name.split("-"))
            spelled = row[FORM] == "".join(word[FORM] for word in unit.words[first - 1 : last])
            ranges.append(Range(first - 1, last, spelled, row))
            tokens.append((first - 1, last, row))
            covered = last
        elif "." not in name:
            n_words += 1
            if n_words > covered:
                tokens.append((n_words - 1, n_words, row))
    text = get_comment(unit.comments, "text")
    if text is None:
        text = "".join(row[FORM] + _space_after(row) for _, _, row in tokens).rstrip()
    starts, ends = [0] * n_words, [0] * n_words
    position = 0
    spelled_ranges = {(piece.start, piece.end) for piece in ranges if piece.spelled}
    for first, end, row in tokens:
        form = row[FORM]
        start = text.find(form, position)
        if start < 0 or (start > position and not text[position:start].isspace()):
            raise ValueError(
                f"{place} (sent_id {get_comment(unit.comments, 'sent_id')}): '# text' and the "
                f"words differ: found {text[position : position + 20]!r} at character {position}, "
                f"expected {form!r}. Mend the text or the FORM column."
            )
        position = start + len(form)
        if (first, end) in spelled_ranges:
            for word in range(first, end):
                starts[word] = start
                start += len(unit.words[word][FORM])
                ends[word] = start
        else:
            for word in range(first, end):
                starts[word], ends[word] = start, position
    if text[position:].strip():
        raise ValueError(
            f"{place} (sent_id {get_comment(unit.comments, 'sent_id')}): '# text' goes on after "
            f"the last word: {text[position : position + 20]!r}. Mend the text or add the words."
        )
    return Layout(text, starts, ends, ranges)


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
    partial = {piece.start: piece for piece in layout.ranges if _overlap(piece, phrase) == "part"}
    enhanced = _enhanced_relations(unit, phrase)
    ids = _renumber(enhanced, phrase.start)
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
            rows.append([name, form, *row[2:MISC], "|".join(_part_misc(misc)) or "_"])
        elif name in enhanced:  # what is not, is outside
            new = [ids[name], *row[1:]]
            if "." not in name:
                head = unit.tree[word]
                is_root = word == phrase.head
                new[HEAD] = "0" if is_root else str(head + 1 - phrase.start)
                new[DEPREL] = "root" if is_root else row[DEPREL]
            new[DEPS] = "|".join(f"{ids.get(head, '0')}:{rel}" for head, rel in enhanced[name])
            new[DEPS] = new[DEPS] or "_"
            new[MISC] = "|".join(_part_misc(row[MISC])) or "_"
            rows.append(new)
        if "." not in name and "-" not in name:
            word += 1
    # The end of a token that was cut before the phrase has the white space of the token.
    for piece in partial.values():
        if piece.start < phrase.start == piece.end - 1 and not _space_after(piece.row):
            first = next(row for row in rows if row[ID] == "1")
            first[MISC] = "|".join([*_part_misc(first[MISC]), "SpaceAfter=No"])
    last = _last_token(rows)
    rows[last][MISC] = "|".join(_without_misc(rows[last][MISC], ("SpaceAfter", "SpacesAfter")))
    rows[last][MISC] = rows[last][MISC] or "_"
    return [*lines, *("\t".join(row) for row in rows)]


def _needed_words(unit: UnitRows) -> set[int]:
    """Words that must stay, for what is not in the basic tree."""
    needed: set[int] = set()
    last = 0
    for row in unit.rows:
        name = row[ID]
        if "-" in name:
            needed.update(range(*_range_words(name)))
        elif "." in name:
            needed.add(last - 1)
        else:
            last += 1
        if row[DEPS] != "_":
            heads = (part.partition(":")[0] for part in row[DEPS].split("|"))
            needed.update(
                int(head) - 1 for head in heads if head.isdecimal() and head not in (row[HEAD], "0")
            )
    return needed


def _enhanced_relations(unit: UnitRows, phrase: NounPhrase) -> dict[str, list[tuple[str, str]]]:
    """Choose the nodes of a phrase, by id, with their enhanced relations (old heads; "" = none).

    Relations to what is outside go. Every node can be reached from the root: a word that only
    these relations led to gets its basic one, an empty node is left out.
    """
    inside = [
        row
        for row in unit.rows
        if "-" not in row[ID] and phrase.start + 1 <= _node_position(row[ID]) <= phrase.end
    ]
    root = str(phrase.head + 1)
    relations: dict[str, list[tuple[str, str]]] = {}
    names = {row[ID] for row in inside}
    for row in inside:
        parts = row[DEPS].split("|") if row[DEPS] != "_" else []
        pairs = [(head, relation) for head, _, relation in (part.partition(":") for part in parts)]
        relations[row[ID]] = [pair for pair in pairs if pair[0] in names]
    if not any(row[DEPS] != "_" for row in inside):
        return {name: [] for name in relations if "." not in name}
    relations[root] = [("", "root"), *relations[root]]
    basic = {row[ID]: (row[HEAD], row[DEPREL]) for row in inside if "." not in row[ID]}
    reached = _reach(root, relations)
    for name, pair in basic.items():
        if name not in reached:
            relations[name] = sorted(
                {*relations[name], pair}, key=lambda pair: _node_position(pair[0])
            )
    reached = _reach(root, relations)
    return {
        name: [pair for pair in pairs if pair[0] in reached or not pair[0]]
        for name, pairs in relations.items()
        if name in reached
    }


def _reach(root: str, relations: dict[str, list[tuple[str, str]]]) -> set[str]:
    """Collect the nodes that relations lead to from the root."""
    dependents: dict[str, list[str]] = {}
    for name, pairs in relations.items():
        for head, _ in pairs:
            dependents.setdefault(head, []).append(name)
    reached = {root}
    frontier = [root]
    while frontier:
        for name in dependents.get(frontier.pop(), ()):
            if name not in reached:
                reached.add(name)
                frontier.append(name)
    return reached


def _node_position(name: str) -> float:
    """Order of a word or empty node; that of an empty node is behind its word."""
    word, _, number = name.partition(".")
    return int(word) + int(number) / (int(number) + 1) if number else int(word)


def _renumber(names: Iterable[str], n_words: int) -> dict[str, str]:
    """Number the words and empty nodes that follow `n_words` words that are gone."""
    ids = {}
    n_empty = 0
    for name in names:
        word, is_empty, _ = name.partition(".")
        n_empty = n_empty + 1 if is_empty else 0
        ids[name] = f"{int(word) - n_words}" + (f".{n_empty}" if is_empty else "")
    return ids


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


def _part_misc(misc: str) -> list[str]:
    return _without_misc(misc, WHOLE_UNIT_MISC)


def _without_misc(misc: str, names: Iterable[str]) -> list[str]:
    if misc == "_":
        return []
    names = set(names)
    return [part for part in misc.split("|") if part.partition("=")[0] not in names]
