"""Polarity of units from their trees (section 6.1.3; Kanayama and Iwamoto, 2020).

tree + lexicon -> the first polar word on the way down from the root -> positive, negative, none

**Polar words.** Only the words below are looked up in the lexicon, in this order. The first match
decides, so words nearer to the root win if polarities are mixed. For each root:

1. the predicate, i.e. the root and its predicative complements (`xcomp`: "tastes *good*");
2. modifiers of the predicate (`amod`: "a *good* hotel"; `advmod`: "cuts *well*");
3. its core arguments (`nsubj`, `obj`, `iobj`) and their `amod`: "we had a *terrible dinner*";
4. its noun modifiers (`nmod`) and their `amod`: "restaurant with a *neat decoration*";
5. the words of 1 to 5 in each clause linked to the predicate by `ccomp` ("I think it is *good*"),
   `conj`, `parataxis`, `list`, or `acl`, which describes a noun ("a hotel that I *like*"). Clauses
   nearer to the root come first, then those earlier in the text.

Words coordinated with a word of 2 to 4 come directly after it. Nothing else counts, e.g. no
adverbial clauses ("because it is close"), oblique arguments or appositions. So a wrong root costs
recall. Steps 2 and 4 are for noun phrases, whose polarity is in the modifiers ("A very good
hotel").

**Negation.** A word is negated if the word itself, a word above it, or a direct dependent of either
is a negator. Negation ends where the clause is linked by `conj`, `parataxis`, `list` or `acl`. It
continues over `ccomp` ("I do not think it is good"). It also continues over `conj` if the
conjunction is disjunctive and the verb or adjective has no subject of its own ("was not large or
clean"). A negator on a core argument negates the clause ("*No* waiter was friendly"). Two negators
negate once, like French "ne ... jamais" and Spanish "no ... nada". A negator is a word with
`Polarity=Neg`, with the relation `neg`, or in `NEGATORS` unless it is a noun or a verb ("une
personne").

Relations are UD relations without subtypes. ClearNLP relations of spaCy's English pipelines are
converted: `acomp`, `attr` and `oprd`, whose head is the copula, become `xcomp`, and `prep` with
`pobj` becomes `nmod` with `case`.
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
# The negation of these dependents does not negate their head.
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
    """The tree of a unit. Forms and lemmas are normalised, and a root is its own head."""

    forms: Sequence[str]
    lemmas: Sequence[str]
    heads: Sequence[int]
    deprels: Sequence[str]  # UD relations without subtypes
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
    """Find the polarity of a unit by the rules in the module docstring.

    lexicon: +1 or -1 for a form or a lemma, see `normalise_word`. Forms are looked up first.
    RETURNS: +1, -1, or 0 if there is no polar word.

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
    """Yield the polarity of each text: positive, negative, or None. A text is one unit.

    Raises ValueError if the pipeline has no parser, or one with unknown relations.
    """
    check_relations(nlp)
    negators = frozenset(NEGATORS.get(nlp.lang or "", "").split())
    for doc in nlp.pipe(texts):
        if len(doc) and not doc.has_annotation("DEP"):
            raise ValueError(
                "The pipeline must have a parser, got the components "
                f"{', '.join(nlp.pipe_names) or 'none'}, which set no trees. Use a pipeline that "
                "'spacy train' has trained on a UD treebank."
            )
        polarity = find_polarity(tree_from_doc(doc, negators), lexicon)
        yield None if polarity == 0 else POSITIVE if polarity > 0 else NEGATIVE


def check_relations(nlp: Language) -> None:
    """Check the relations of the parser. Raise ValueError if it uses others, e.g. German TIGER."""
    for name, pipe in nlp.pipeline:
        if nlp.get_pipe_meta(name).factory != "parser":
            continue
        labels: Sequence[str] = pipe.labels  # type: ignore[attr-defined]
        if labels and not any(base_relation(label) in RELATIONS for label in labels):
            raise ValueError(
                "The parser must use the relations of Universal Dependencies or ClearNLP, got "
                f"{', '.join(labels[:5])}, ... Use a pipeline that was trained on a UD treebank."
            )


def tree_from_doc(doc: Doc, negators: Collection[str]) -> Tree:
    """Make a Tree from a parsed Doc, with the relations of UD.

    negators: Normalised forms or lemmas that negate.
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
        if deprel == "pobj" and deprels[prep] != "case":  # only the first noun of a preposition
            # The noun takes the head of its preposition, and becomes its head.
            above = heads[prep]
            heads[word], heads[prep] = (word if above == prep else above), word
            nominal = doc[above].pos_ in NOMINALS
            deprels[word], deprels[prep] = "nmod" if nominal else "obl", "case"
    return Tree(forms, lemmas, heads, deprels, negates)


def normalise_word(word: str) -> str:
    """Normalise a word as in lexicons: composed (NFC) and in lower case.

    >>> normalise_word("Soigne\\u0301")
    'soigné'
    """
    return unicodedata.normalize("NFC", word).lower()


def _walk_down(tree: Tree, root: int) -> Iterator[tuple[int, bool]]:
    """Yield the words to look up, in order, and whether each is negated."""
    clauses = deque([(root, False)])
    while clauses:
        head, negated = clauses.popleft()
        predicate = [(head, negated or _is_negated(tree, head))]
        for word, negated in predicate:  # the loop appends to this list
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
    """Yield the dependents of a word, each followed by the words coordinated with it."""
    waiting = _find_dependents(tree, head, relations, negated)[::-1]
    while waiting:
        word, word_negated = waiting.pop()
        yield word, word_negated
        waiting += _find_dependents(tree, word, COORDINATED, negated)[::-1]


def _is_negated(tree: Tree, word: int) -> bool:
    """Check if a word is a negator, or if it or one of its core arguments has one."""
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
    """Check if the negation of a clause also applies to a clause linked to it."""
    if tree.deprels[clause] != "conj":
        return tree.deprels[clause] == "ccomp"
    children = tree.children[clause]
    if any(tree.deprels[child] in SUBJECTS for child in children):
        return False
    # In ClearNLP, the head of the conjunction is the first conjunct.
    near = [*children, *tree.children[tree.heads[clause]]]
    return any(tree.deprels[word] == "cc" and tree.forms[word] in DISJUNCTIONS for word in near)
