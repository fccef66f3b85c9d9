"""Sentences with trees, to be edited: words that know their head by its key.

treebank unit -> `Sentence` (lower-cased first word) -> edits of words and phrases -> words

A key names a word for good: what an edit does not touch has the same key in both sentences of a
pair, wherever it stands. All functions leave their arguments as they are.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy_sentid.treebank import TreebankUnit

ROOT = -1


class Node(NamedTuple):
    """A word of a sentence."""

    form: str
    lemma: str
    upos: str
    xpos: str
    relation: str
    key: int
    head: int  # key of the head; ROOT for the root
    tag: int = 0
    # Tagged even where the rules of the data would clear the tag: a word of another role.
    is_firm: bool = False


Sentence = list[Node]

PROPER = ("PROPN",)
BE = {"VBZ": "is", "VBP": "are", "VBD": "was", "VB": "be", "VBN": "been", "VBG": "being"}


def sentence_from_unit(unit: TreebankUnit) -> Sentence:
    """Read a unit; the first word loses its capital unless it is a name or "I"."""
    nodes = []
    for key, word in enumerate(unit.words):
        form, head = word.form, word.head
        if key == 0 and word.upos not in PROPER and form != "I" and not form.isupper():
            form = form[:1].lower() + form[1:]
        nodes.append(
            Node(
                form,
                word.lemma,
                word.upos,
                word.xpos,
                word.deprel,
                key,
                ROOT if head is None or head == key else head,
            )
        )
    return nodes


def find(sentence: Sentence, key: int) -> int:
    """Find where a key stands; -1 if it is not there."""
    return next((i for i, node in enumerate(sentence) if node.key == key), -1)


def find_root(sentence: Sentence) -> Node:
    """Give the root; the first word if an edit has taken it away."""
    return next((node for node in sentence if node.head == ROOT), sentence[0])


def children(sentence: Sentence, key: int, *relations: str) -> Sentence:
    """List the dependents of a word, of some relations if any are given."""
    return [n for n in sentence if n.head == key and (not relations or n.relation in relations)]


def subtree(sentence: Sentence, key: int) -> set[int]:
    """Collect the keys below a word, and its own."""
    keys = {key}
    while True:
        more = {node.key for node in sentence if node.head in keys} - keys
        if not more:
            return keys
        keys |= more


def phrase(sentence: Sentence, key: int) -> tuple[int, int] | None:
    """Find where the phrase of a word stands, [start, end); None if it is interrupted."""
    keys = subtree(sentence, key)
    places = [i for i, node in enumerate(sentence) if node.key in keys]
    if not places or places[-1] - places[0] + 1 != len(places):
        return None
    return places[0], places[-1] + 1


def replace_words(
    sentence: Sentence, start: int, end: int, forms: Sequence[str], *, lemma: str | None = None
) -> Sentence:
    """Put other words in the place of [start, end).

    The first stands where the head of the old ones stood in the tree, the others below it. Tags
    are those of the first old word.

    lemma: Of a verb that stands first, where it is not its form.
    """
    old = sentence[start:end]
    inside = {node.key for node in old}
    head = next((node for node in old if node.head not in inside), old[0])
    keys = [head.key, *fresh_keys(len(forms) - 1, sentence)]
    new = [
        head._replace(
            form=form,
            lemma=lemma if lemma and key == head.key else form.lower(),
            key=key,
            head=head.head if key == head.key else head.key,
            upos=head.upos if len(forms) == 1 else "X",
            xpos=head.xpos if len(forms) == 1 else "_",
            relation=head.relation if key == head.key else "fixed",
            tag=old[0].tag,
        )
        for form, key in zip(forms, keys, strict=True)
    ]
    rest = [
        node._replace(head=head.key) if node.head in inside else node
        for node in (*sentence[:start], *sentence[end:])
    ]
    return [*rest[:start], *new, *rest[start:]]


def fresh_keys(count: int, *sentences: Iterable[Node]) -> list[int]:
    """Make keys that no word of the sentences has."""
    first = max(node.key for sentence in sentences for node in sentence) + 1
    return list(range(first, first + count))


def remove_keys(sentence: Sentence, keys: set[int]) -> Sentence:
    """Take words out; what depends on them goes to the nearest head that stays."""
    heads = {node.key: node.head for node in sentence}
    kept = []
    for node in sentence:
        if node.key in keys:
            continue
        head = node.head
        while head in keys:
            head = heads[head]
        kept.append(node._replace(head=head))
    return kept


def move_phrase(sentence: Sentence, start: int, end: int, to: int) -> Sentence:
    """Move [start, end) in front of the word at `to`, which is outside of it."""
    rest = [*sentence[:start], *sentence[end:]]
    to -= end - start if to >= end else 0
    return [*rest[:to], *sentence[start:end], *rest[to:]]


def make_node(form: str, xpos: str, relation: str, key: int, head: int) -> Node:
    """Make a function word or a mark."""
    upos = {",": "PUNCT", "IN": "ADP", "TO": "PART", "RB": "PART", "POS": "PART"}.get(xpos, "AUX")
    return Node(form, form.lower(), upos, xpos, relation, key, head)


def end_of_clause(sentence: Sentence) -> int:
    """Find where the marks that end a sentence begin."""
    end = len(sentence)
    while end > 1 and sentence[end - 1].upos == "PUNCT":
        end -= 1
    return end


def tidy(sentence: Sentence) -> Sentence:
    """Fix what edits leave: doubled or leading commas, "a" and "an", the first capital."""
    kept: Sentence = []
    for node in sentence:
        if node.form == "," and (not kept or kept[-1].upos == "PUNCT"):
            continue
        if node.form in (".", "!", "?") and kept and kept[-1].form == ",":
            kept.pop()
        kept.append(node)
    for i, node in enumerate(kept[:-1]):
        if node.form.lower() in ("a", "an") and node.upos == "DET":
            vowel = kept[i + 1].form[:1].lower() in "aeiou"
            kept[i] = node._replace(form=("an" if vowel else "a"))
    for i, node in enumerate(kept):
        if node.form[:1].isalpha():
            kept[i] = node._replace(form=node.form[:1].upper() + node.form[1:])
            break
        if node.upos != "PUNCT":
            break
    return kept
