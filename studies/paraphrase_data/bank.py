"""Names, words, phrases and predicates of a treebank, to use in other sentences.

sentences -> `Bank`
"""

from collections.abc import Iterable
from typing import NamedTuple

from spacy_sentid.paraphrase_tagger.matching.words import FUNCTION_WORDS
from studies.paraphrase_data.pair_trees import (
    Node,
    Sentence,
    end_of_clause,
    find,
    find_root,
    phrase,
)
from studies.paraphrase_data.phrases import DAYS, MONTHS
from studies.paraphrase_data.thesaurus import PARTS


class Bank(NamedTuple):
    """Names, words and phrases of a treebank that can be used in other sentences."""

    names: list[str]
    words: dict[str, list[str]]  # tag -> forms of content words
    phrases: dict[str, list[list[str]]]  # tag of the head -> words of noun phrases
    predicates: dict[str, list[list[str]]]  # tag of the verb -> the verb and the words after it


def collect_bank(sentences: Iterable[Sentence]) -> Bank:
    """Collect the names, words and phrases of sentences."""
    bank = Bank([], {}, {}, {})
    names: dict[str, None] = {}
    for sentence in sentences:
        root = find_root(sentence)
        at, end = find(sentence, root.key), end_of_clause(sentence)
        if root.upos == "VERB" and at > 0 and 2 <= end - at <= 10:
            bank.predicates.setdefault(root.xpos, []).append([n.form for n in sentence[at:end]])
        for node in sentence:
            if is_plain_name(node):
                names[node.form] = None
            is_content = node.form.isalpha() and node.form.lower() not in FUNCTION_WORDS
            if node.upos in PARTS and is_content:
                bank.words.setdefault(node.xpos, []).append(node.form)
            if node.upos not in ("NOUN", "PROPN"):
                continue
            span = phrase(sentence, node.key)
            if span is None:
                continue
            start, stop = span
            while start < stop and sentence[start].relation in ("case", "mark", "cc", "punct"):
                start += 1
            if 1 <= stop - start <= 6 and sentence[start].form.isalnum():
                forms = [n.form for n in sentence[start:stop]]
                bank.phrases.setdefault(node.xpos, []).append(forms)
    bank.names.extend(names)
    return bank


def is_plain_name(node: Node) -> bool:
    """Check if a word looks like a name and is not a day or month."""
    form = node.form
    return (
        node.upos == "PROPN"
        and form.isalpha()
        and form[:1].isupper()
        and len(form) > 2
        and form not in DAYS
        and form not in MONTHS
    )
