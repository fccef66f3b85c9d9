"""Sentences with trees that can be edited, in which a word refers to its head by a key.

treebank unit -> `Sentence` (lower-cased first word) -> edits of words and phrases -> words

The key of a word never changes. So words that were not edited have the same key in both sentences
of a pair, at any position. The functions do not change their arguments.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy_sentid.conllu.treebank import TreebankUnit

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
    # Keep the tag even if the rules of the data would clear it, for a word with a changed role.
    is_firm: bool = False


Sentence = list[Node]

PROPER = ("PROPN",)
BE = {"VBZ": "is", "VBP": "are", "VBD": "was", "VB": "be", "VBN": "been", "VBG": "being"}


def sentence_from_unit(unit: TreebankUnit) -> Sentence:
    """Convert a unit. The first word is lower-cased unless it is a name, "I" or in capitals."""
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
    """Find the position of a key. Return -1 if the sentence does not have it."""
    return next((i for i, node in enumerate(sentence) if node.key == key), -1)


def find_root(sentence: Sentence) -> Node:
    """Find the root. Return the first word if an edit has removed the root."""
    return next((node for node in sentence if node.head == ROOT), sentence[0])


def children(sentence: Sentence, key: int, *relations: str) -> Sentence:
    """List the dependents of a word, with any relation or with the given ones."""
    return [n for n in sentence if n.head == key and (not relations or n.relation in relations)]


def subtree(sentence: Sentence, key: int) -> set[int]:
    """Collect the keys of a word and of all words below it."""
    keys = {key}
    while True:
        more = {node.key for node in sentence if node.head in keys} - keys
        if not more:
            return keys
        keys |= more


def phrase(sentence: Sentence, key: int) -> tuple[int, int] | None:
    """Find the positions [start, end) of a word's phrase. Return None if it is interrupted."""
    keys = subtree(sentence, key)
    places = [i for i, node in enumerate(sentence) if node.key in keys]
    if not places or places[-1] - places[0] + 1 != len(places):
        return None
    return places[0], places[-1] + 1


def replace_words(
    sentence: Sentence, start: int, end: int, forms: Sequence[str], *, lemma: str | None = None
) -> Sentence:
    """Replace the words [start, end) with other words.

    The first new word takes the position of the old head in the tree, and the others depend on it.
    They have the tag of the first old word.

    lemma: Lemma of the first new word, if it differs from its form.
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
    """Make keys that the sentences do not use."""
    first = max(node.key for sentence in sentences for node in sentence) + 1
    return list(range(first, first + count))


def remove_keys(sentence: Sentence, keys: set[int]) -> Sentence:
    """Remove words, and attach their dependents to the nearest head that is not removed."""
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
    """Move the words [start, end) before the word at `to`, which is outside of them."""
    rest = [*sentence[:start], *sentence[end:]]
    to -= end - start if to >= end else 0
    return [*rest[:to], *sentence[start:end], *rest[to:]]


def make_node(form: str, xpos: str, relation: str, key: int, head: int) -> Node:
    """Make a function word or a punctuation mark."""
    upos = {",": "PUNCT", "IN": "ADP", "TO": "PART", "RB": "PART", "POS": "PART"}.get(xpos, "AUX")
    return Node(form, form.lower(), upos, xpos, relation, key, head)


def end_of_clause(sentence: Sentence) -> int:
    """Find the start of the punctuation at the end of a sentence."""
    end = len(sentence)
    while end > 1 and sentence[end - 1].upos == "PUNCT":
        end -= 1
    return end


def tidy(sentence: Sentence) -> Sentence:
    """Fix errors after edits: doubled or leading commas, "a" and "an", and the first capital."""
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
