"""Edits of two sentences that make them differ in a phrase, and the table of all differences.

two `Sentence`s with common keys, kit -> the same with one more difference, or None

These edits come before any rewording, so that the trees are still those of the treebank. An edit
may change words that are untagged and have the same key and form in both sentences.
"""

from collections.abc import Sequence

from spacy_sentid.paraphrase_tagger.matching.words import FUNCTION_WORDS
from studies.paraphrase_data.contrasts import (
    Difference,
    Kit,
    Two,
    change_exclusive,
    change_name,
    change_number,
    change_time,
    change_to_opposite,
    change_word,
    negate,
    shared_keys,
    swap_roles,
    tag_keys,
)
from studies.paraphrase_data.pair_trees import (
    ROOT,
    Node,
    Sentence,
    end_of_clause,
    find,
    find_root,
    fresh_keys,
    phrase,
    subtree,
)

DELETED = (
    "obl", "obl:unmarked", "advmod", "amod", "acl", "acl:relcl", "appos", "conj", "advcl", "nmod",
    "parataxis", "nmod:unmarked", "compound", "nummod",
)  # fmt: skip


def change_phrase(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Replace a noun phrase with another one. A preposition before it is not tagged."""
    shared = set(shared_keys(first, second))
    heads = [n for n in second if n.upos in ("NOUN", "PROPN") and n.xpos in kit.bank.phrases]
    kit.rng.shuffle(heads)
    for head in heads:
        span = phrase(second, head.key)
        if span is None or span[1] - span[0] > 8:
            continue
        start, end = span
        while start < end and second[start].relation in ("case", "mark", "cc", "punct"):
            start += 1
        keys = {n.key for n in second[start:end]}
        if start >= end or head.key not in keys or not keys <= shared:
            continue
        forms = kit.rng.choice(kit.bank.phrases[head.xpos])
        new = _make_words(forms, head, fresh_keys(len(forms), first, second))
        rest = [n._replace(head=new[0].key) if n.head in keys else n for n in second]
        return tag_keys(first, keys), [*rest[:start], *new, *rest[end:]]
    return None


def change_predicate(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Replace the root and the words after it with another verb and the words after it."""
    shared = set(shared_keys(first, second))
    root = find_root(second)
    at, end = find(second, root.key), end_of_clause(second)
    if root.upos != "VERB" or root.xpos not in kit.bank.predicates or at == 0:
        return None
    keys = {n.key for n in second[at:end]}
    if not keys <= shared:
        return None
    forms = kit.rng.choice(kit.bank.predicates[root.xpos])
    new = _make_words(forms, root, fresh_keys(len(forms), first, second))
    rest = [n._replace(head=new[0].key) if n.head in keys else n for n in second]
    return tag_keys(first, keys), [*rest[:at], *new, *rest[end:]]


def _make_words(forms: Sequence[str], head: Node, keys: Sequence[int]) -> Sentence:
    """Make tagged words. The first replaces a head, and the others depend on it."""
    return [
        Node(
            form, form.lower(), "X", "_", head.relation if i == 0 else "fixed", key,
            head.head if i == 0 else keys[0], 1,
        )
        for i, (form, key) in enumerate(zip(forms, keys, strict=True))
    ]  # fmt: skip


def delete_phrase(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Delete an optional phrase from the second sentence, and tag it in the first."""
    shared = set(shared_keys(first, second))
    heads = [n for n in second if n.relation in DELETED]
    kit.rng.shuffle(heads)
    for head in heads:
        keys = subtree(second, head.key)
        if not keys <= shared or len(keys) > 0.6 * len(second) or phrase(first, head.key) is None:
            continue
        if any(n.head in keys and n.key not in keys for n in second):
            continue
        if all(n.form.lower() in FUNCTION_WORDS for n in second if n.key in keys):
            continue
        return tag_keys(first, keys), [n for n in second if n.key not in keys]
    return None


def add_clause(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Add the next sentence of the text, or its verb phrase, to the second sentence."""
    body = kit.neighbour[: end_of_clause(kit.neighbour)]
    if not 2 <= len(body) <= 14 or find_root(body).upos != "VERB":
        return None
    link = kit.rng.choice((("and",), (",", "and"), (",", "while"), (",", "but"), (";",), (",",)))
    forms = [*link, *(n.form for n in body)]
    root = find_root(second)
    new = _make_words(forms, root, fresh_keys(len(forms), first, second))
    new[0] = new[0]._replace(relation="conj", head=root.key)
    if kit.rng.random() < 0.3 and len(link) == 1 and link[0] in (",", ";"):
        new[0] = new[0]._replace(form=",", head=new[1].key, relation="punct")
        new[1] = new[1]._replace(relation="parataxis", head=root.key)
        new = [n._replace(head=new[1].key) if n.relation == "fixed" else n for n in new]
        return first, [*new[1:], new[0], *second]
    end = end_of_clause(second)
    return first, [*second[:end], *new, *second[end:]]


def make_unrelated(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Replace the second sentence with the next one of the text, and tag all words."""
    if len(kit.neighbour) < 3:
        return None
    shift = fresh_keys(1, first, second)[0]
    other = [
        n._replace(key=n.key + shift, head=ROOT if n.head == ROOT else n.head + shift, tag=1)
        for n in kit.neighbour
    ]
    return [n._replace(tag=1) for n in first], other


# Name, edit, its weight if a pair has one difference, and its weight if a pair has several.
DIFFERENCES: tuple[tuple[str, Difference, float, float], ...] = (
    ("number", change_number, 4, 2),
    ("time", change_time, 3, 1),
    ("exclusive", change_exclusive, 3, 1),
    ("name", change_name, 3, 1.5),
    ("opposite", change_to_opposite, 4, 0.7),
    ("word", change_word, 5, 3),
    ("negation", negate, 4, 0.5),
    ("roles", swap_roles, 4, 0.3),
    ("phrase", change_phrase, 2, 5),
    ("predicate", change_predicate, 0.3, 2),
    ("deletion", delete_phrase, 3, 8),
    ("addition", add_clause, 0.5, 1),
)
