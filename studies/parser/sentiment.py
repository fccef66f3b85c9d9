"""Polarity of units from their trees (section 6.1.3; Kanayama and Iwamoto, 2020).

tree + lexicon -> the first polar word on the way down from the root -> positive, negative, none

**Where a polar word counts.** Only at these words, tried in this order; the first one that is in
the lexicon decides, so what is nearer to the root wins where polarities are mixed. For each root:

1. the predicate: the root, and its predicative complements (`xcomp`: "tastes *good*");
2. what modifies the predicate (`amod`: "a *good* hotel"; `advmod`: "cuts *well*");
3. its core arguments (`nsubj`, `obj`, `iobj`) and their `amod`: "we had a *terrible dinner*";
4. its noun modifiers (`nmod`) and their `amod`: "restaurant with a *neat decoration*";
5. the same, from 1, for each clause linked to the predicate: `ccomp` ("I think it is *good*"),
   `conj`, `parataxis`, `list`, and `acl`, which says something of a noun ("a hotel that I
   *like*"); clauses nearer to the root first, then in text order.

Words coordinated with a word of 2 to 4 come right behind it. Nothing else counts: no adverbial
clauses ("because it is close"), no oblique arguments, no appositions. So a wrong root costs recall.
A noun phrase has 2 and 4 because its modifiers are what it says of its noun: nothing else in "A
very good hotel" does.

**Negation** flips a word if it, a word above it, or a direct dependent of either is a negator, up
to where its clause is linked by `conj`, `parataxis`, `list` or `acl`; over `ccomp` it continues ("I
do not think it is good"), and over `conj` if the conjunction is disjunctive and the verb or
adjective has no subject of its own ("was not large or clean"). A negator on a core argument
counts as one of the clause ("*No* waiter was friendly"). Two negators flip once, as French "ne ...
jamais" and Spanish "no ... nada" do. A negator is a word with `Polarity=Neg`, with the relation
`neg`, or in `NEGATORS` unless it is a noun or a verb ("une personne").

Relations are those of UD, without subtypes; ClearNLP's, of spaCy's English pipelines, are
translated (`acomp`, `attr`, `oprd` hang on the copula: as `xcomp`; `prep` + `pobj`: as `nmod`
with `case`).
"""

from __future__ import annotations

import unicodedata
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from spacy_sentid.corpus_augmenter.noun_phrases import base_relation

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

POSITIVE, NEGATIVE = "positive", "negative"
POLARITIES = (POSITIVE, NEGATIVE)
PREDICATIVES = frozenset(["xcomp"])
MODIFIERS = frozenset(["amod", "advmod"])
ARGUMENTS = frozenset(["nsubj", "obj", "iobj"])
NOUN_MODIFIERS = frozenset(["nmod"])
ATTRIBUTES = frozenset(["amod"])
COORDINATED = frozenset(["conj"])
CLAUSES = frozenset(["ccomp", "conj", "parataxis", "list", "acl"])
SUBJECTS = frozenset(["nsubj", "csubj", "expl"])
RELATIONS = PREDICATIVES | MODIFIERS | ARGUMENTS | NOUN_MODIFIERS | CLAUSES
# Dependents whose own negation stays with them.
WITH_OWN_NEGATION = PREDICATIVES | CLAUSES | {"advcl", "csubj", "nmod", "obl", "appos", "prep"}
CLEARNLP_RELATIONS = {
    "dobj": "obj",
    "dative": "iobj",
    "nsubjpass": "nsubj",
    "relcl": "acl",
    "acomp": "xcomp",
    "attr": "xcomp",
    "oprd": "xcomp",
    "neg": "advmod",
}
NOMINALS = frozenset(["NOUN", "PROPN", "PRON"])
NOT_NEGATORS = frozenset(["NOUN", "PROPN", "VERB"])
NEGATORS = {
    "en": "not n't n’t never no nobody nothing none nor neither without",
    "fr": "ne n' n’ pas point jamais rien personne aucun aucune ni sans guère",
    "de": "nicht nichts nie niemals niemand kein keine keinen keinem keiner keines weder ohne",
    "es": "no nunca jamás nada nadie ningún ninguno ninguna tampoco ni sin",
}
DISJUNCTIONS = frozenset(["or", "nor", "ou", "ni", "oder", "noch", "o", "u"])


@dataclass(frozen=True)
class Tree:
    """The words of a unit. Forms and lemmas are as in lexicons; a root is its own head."""

    forms: Sequence[str]
    lemmas: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str]  # of UD, without subtypes
    negators: Sequence[bool]

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of each word, in text order."""
        children: list[list[int]] = [[] for _ in self.heads]
        for word, head in enumerate(self.heads):
            if head != word:
                children[head].append(word)
        return children


def find_polarity(tree: Tree, lexicon: Mapping[str, int]) -> int:
    """Find the polarity of a unit as the module's docstring says.

    lexicon: +1 or -1 for a form or a lemma, see `normalise_word`. Forms go first.
    RETURNS: +1, -1, or 0 if no polar word counts.

    >>> words, heads = ["not", "a", "good", "hotel"], [3, 3, 3, 3]
    >>> deprels, negators = ["advmod", "det", "amod", "root"], [True, False, False, False]
    >>> find_polarity(Tree(words, words, heads, deprels, negators), {"good": 1})
    -1
    """
    roots = [word for word, head in enumerate(tree.heads) if word == head]
    for root in roots:
        for word, negated in _walk_down(tree, root):
            polarity = lexicon.get(tree.forms[word]) or lexicon.get(tree.lemmas[word])
            if polarity:
                return -polarity if negated else polarity
    return 0


def detect_polarities(
    nlp: Language, texts: Iterable[str], lexicon: Mapping[str, int]
) -> Iterator[str | None]:
    """Yield the polarity of each text, a unit: positive, negative, or None.

    Raises ValueError if the pipeline makes no trees, or has a parser with other relations.
    """
    check_relations(nlp)
    negators = frozenset(NEGATORS.get(nlp.lang or "", "").split())
    for doc in nlp.pipe(texts):
        if len(doc) and not doc.has_annotation("DEP"):
            raise ValueError(
                f"Found no trees in the output of the pipeline (components: "
                f"{', '.join(nlp.pipe_names) or 'none'}), expected a parser's. Use a pipeline "
                "with a parser, as 'spacy train' makes from a UD treebank."
            )
        polarity = find_polarity(tree_from_doc(doc, negators), lexicon)
        yield None if polarity == 0 else POSITIVE if polarity > 0 else NEGATIVE


def check_relations(nlp: Language) -> None:
    """Raise ValueError if a parser has none of the relations that count, as German TIGER's."""
    for name, pipe in nlp.pipeline:
        if nlp.get_pipe_meta(name).factory != "parser":
            continue
        labels: Sequence[str] = pipe.labels  # type: ignore[attr-defined]
        if labels and not any(base_relation(label) in RELATIONS for label in labels):
            raise ValueError(
                f"Found a parser with the relations {', '.join(labels[:5])}, ..., expected those "
                "of Universal Dependencies or ClearNLP. Use a pipeline trained on a UD treebank."
            )


def tree_from_doc(doc: Doc, negators: Collection[str]) -> Tree:
    """Take the tree of a parsed document, with the relations of UD.

    negators: Forms or lemmas that negate, as in lexicons.
    """
    forms = [normalise_word(token.text) for token in doc]
    lemmas = [normalise_word(token.lemma_) for token in doc]
    heads = [token.head.i for token in doc]
    deprels = [base_relation(token.dep_.lower()) for token in doc]
    negates = [
        "Neg" in token.morph.get("Polarity", [])
        or deprel == "neg"
        or (not {form, lemma}.isdisjoint(negators) and token.pos_ not in NOT_NEGATORS)
        for token, form, lemma, deprel in zip(doc, forms, lemmas, deprels, strict=True)
    ]
    for word, deprel in enumerate(deprels):
        deprels[word] = CLEARNLP_RELATIONS.get(deprel, deprel)
        prep = heads[word]
        if deprel == "pobj" and deprels[prep] != "case":  # not a second noun of one preposition
            # The noun hangs where its preposition hung, and the preposition on it.
            above = heads[prep]
            heads[word], heads[prep] = (word if above == prep else above), word
            nominal = doc[above].pos_ in NOMINALS
            deprels[word], deprels[prep] = "nmod" if nominal else "obl", "case"
    return Tree(forms, lemmas, heads, deprels, negates)


def normalise_word(word: str) -> str:
    """Write a word as in lexicons: composed (NFC), in lower case.

    >>> normalise_word("Soigne\\u0301")
    'soigné'
    """
    return unicodedata.normalize("NFC", word).lower()


def _walk_down(tree: Tree, root: int) -> Iterator[tuple[int, bool]]:
    """Yield the words that count, in their order, and whether they are negated."""
    clauses = deque([(root, False)])
    while clauses:
        head, negated = clauses.popleft()
        predicate = [(head, negated or _is_negated(tree, head))]
        for word, negated in predicate:  # grows
            predicate += _find_dependents(tree, word, PREDICATIVES, negated)
        yield from predicate
        for word, negated in predicate:
            yield from _walk_coordinated(tree, word, MODIFIERS, negated)
        for relations in (ARGUMENTS, NOUN_MODIFIERS):
            for word, negated in predicate:
                for noun, noun_negated in _walk_coordinated(tree, word, relations, negated):
                    yield noun, noun_negated
                    yield from _walk_coordinated(tree, noun, ATTRIBUTES, noun_negated)
        for word, negated in predicate:
            for child in tree.children[word]:
                if tree.deprels[child] in CLAUSES:
                    clauses.append((child, negated and _goes_on(tree, child)))


def _find_dependents(
    tree: Tree, head: int, relations: Collection[str], negated: bool
) -> list[tuple[int, bool]]:
    return [
        (child, negated or _is_negated(tree, child))
        for child in tree.children[head]
        if tree.deprels[child] in relations
    ]


def _walk_coordinated(
    tree: Tree, head: int, relations: Collection[str], negated: bool
) -> Iterator[tuple[int, bool]]:
    """Yield the dependents of a word, each with those coordinated with it right behind."""
    waiting = _find_dependents(tree, head, relations, negated)[::-1]
    while waiting:
        word, word_negated = waiting.pop()
        yield word, word_negated
        waiting += _find_dependents(tree, word, COORDINATED, negated)[::-1]


def _is_negated(tree: Tree, word: int) -> bool:
    """Whether a word is a negator, or has one, or one of its core arguments has."""
    if tree.negators[word]:
        return True
    for child in tree.children[word]:
        if tree.deprels[child] in WITH_OWN_NEGATION:
            continue
        if tree.negators[child]:
            return True
        if tree.deprels[child] in ARGUMENTS and any(
            tree.negators[below] and tree.deprels[below] not in WITH_OWN_NEGATION
            for below in tree.children[child]
        ):
            return True
    return False


def _goes_on(tree: Tree, clause: int) -> bool:
    """Whether the negation of a clause is also one of a clause linked to it."""
    if tree.deprels[clause] != "conj":
        return tree.deprels[clause] == "ccomp"
    children = tree.children[clause]
    if any(tree.deprels[child] in SUBJECTS for child in children):
        return False
    # In ClearNLP the conjunction hangs on the first conjunct.
    near = [*children, *tree.children[tree.heads[clause]]]
    return any(tree.deprels[word] == "cc" and tree.forms[word] in DISJUNCTIONS for word in near)
