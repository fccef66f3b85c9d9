"""Enhanced dependencies of a part of a unit."""

from collections.abc import Iterable

from ..conllu.blocks import DEPREL, DEPS, HEAD, ID, UnitRows
from .noun_phrases import NounPhrase


def enhanced_relations(unit: UnitRows, phrase: NounPhrase) -> dict[str, list[tuple[str, str]]]:
    """Choose the nodes and enhanced relations of a phrase.

    Relations to nodes outside the phrase are dropped. If this disconnects a word from the root, the
    word gets its basic relation. An empty node that is disconnected is excluded.

    RETURNS: A list of (head, relation) for each node id, with the old ids; the head of the root is
        "".
    """
    inside = [
        row
        for row in unit.rows
        if "-" not in row[ID] and phrase.start + 1 <= _node_position(row[ID]) <= phrase.end
    ]
    root = str(phrase.head + 1)
    names = {row[ID] for row in inside}
    relations: dict[str, list[tuple[str, str]]] = {}
    lacking = []
    for row in inside:
        pairs = []
        has_basic = False
        for part in row[DEPS].split("|"):
            head, _, relation = part.partition(":")
            if head in names:
                pairs.append((head, relation))
                has_basic |= head == row[HEAD]
        relations[row[ID]] = pairs
        # A relation to the basic head connects a word, if the head itself is connected.
        if row[ID] != root and (not has_basic or "." in row[ID]):
            lacking.append(row)
    if not any(row[DEPS] != "_" for row in inside):
        return {name: [] for name in relations if "." not in name}
    relations[root] = [("", "root"), *relations[root]]
    reached = _reach(root, relations)
    for row in lacking:
        if row[ID] not in reached and "." not in row[ID]:
            relations[row[ID]].append((row[HEAD], row[DEPREL]))
            relations[row[ID]].sort(key=lambda pair: _node_position(pair[0]))
    reached = _reach(root, relations)
    return {
        name: [pair for pair in pairs if pair[0] in reached or not pair[0]]
        for name, pairs in relations.items()
        if name in reached
    }


def _reach(root: str, relations: dict[str, list[tuple[str, str]]]) -> set[str]:
    """Collect the nodes that can be reached from the root."""
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
    """Compute the sort key of a word or empty node. Empty nodes come after their word."""
    word, _, number = name.partition(".")
    return int(word) + int(number) / (int(number) + 1) if number else int(word)


def renumber(names: Iterable[str]) -> dict[str, str]:
    """Number the words and empty nodes of a part of a unit: words 1, 2, ..., nodes "2.1", ...

    >>> renumber(["7", "8", "8.2"])
    {'7': '1', '8': '2', '8.2': '2.1'}
    """
    ids = {}
    n_words = n_empty = 0
    for name in names:
        if "." in name:
            n_empty += 1
            ids[name] = f"{n_words}.{n_empty}"
        else:
            n_words, n_empty = n_words + 1, 0
            ids[name] = str(n_words)
    return ids
