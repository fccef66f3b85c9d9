"""Enhanced dependencies of a part of a unit: which nodes and relations it keeps."""

from collections.abc import Iterable

from ..blocks import DEPREL, DEPS, HEAD, ID, UnitRows
from .noun_phrases import NounPhrase


def enhanced_relations(unit: UnitRows, phrase: NounPhrase) -> dict[str, list[tuple[str, str]]]:
    """Choose the nodes of a phrase, by id, with their enhanced relations (old heads; "" = none).

    Relations to what is outside go. Every node can be reached from the root: a word that only
    these relations led to gets its basic one, an empty node is excluded.
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
        # One to its basic head, whatever its name, will do once the head is reached.
        if name not in reached and all(head != pair[0] for head, _ in relations[name]):
            relations[name].append(pair)
            relations[name].sort(key=lambda pair: _node_position(pair[0]))
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


def renumber(names: Iterable[str], n_words: int) -> dict[str, str]:
    """Number the words and empty nodes that follow `n_words` words that are gone."""
    ids = {}
    n_empty = 0
    for name in names:
        word, is_empty, _ = name.partition(".")
        n_empty = n_empty + 1 if is_empty else 0
        ids[name] = f"{int(word) - n_words}" + (f".{n_empty}" if is_empty else "")
    return ids
