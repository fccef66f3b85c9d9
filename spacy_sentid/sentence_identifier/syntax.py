"""What the encoder learns about syntax in training: labels of each token, from the treebank.

tag       the treebank's own tag (XPOS)
pos       the universal tag
feats     the morphological features that tell clauses apart: VerbForm=Fin|Mood=Imp, ...
dep       the base of the universal relation
head      where the head is, and its universal tag: "R2 VERB" = one of the next 2 or 3 words, a verb
head_dep  the head's own relation
arcs      how many arcs of the tree run over the gap before the token, up to MAX_ARCS
children  the set of relations of the token's dependents

None of it is needed or computed when the component is used. Labels that a corpus lacks are unknown
and teach nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, IDX, MORPH, POS, TAG
from spacy.strings import StringStore
from spacy.tokens import Doc
from spacy.training import Example

from ..arrays import Floats2d, Ints1d
from .alignment import token_characters
from .decode import sigmoid

ROOT = "ROOT"
# Kinds with one label a token; "children" has a set.
KINDS = ("tag", "pos", "feats", "dep", "head", "head_dep", "arcs")
CHILDREN = "children"
ALL_KINDS = (*KINDS, CHILDREN)
MAX_ARCS = 6
FEATURES = ("VerbForm", "Mood", "Tense", "PronType", "Person", "Case")


class SyntaxLabels(NamedTuple):
    """Labels of n tokens."""

    single: dict[str, list[str]]  # for each of KINDS n labels; "" = unknown
    children: list[frozenset[str] | None]  # n sets of relations; None = unknown


def syntax_labels(doc: Doc, starts: Ints1d) -> SyntaxLabels:
    """Read the syntax labels of the gold tokens that start at the given characters.

    starts: (n,) character at which each token of interest starts.
    """
    single = {kind: [""] * len(starts) for kind in KINDS}
    children: list[frozenset[str] | None] = [None] * len(starts)
    if not len(doc) or not len(starts):
        return SyntaxLabels(single, children)
    rows = doc.to_array([IDX, TAG, POS, MORPH, DEP, HEAD])
    places = np.minimum(np.searchsorted(rows[:, 0], starts.astype("uint64")), len(rows) - 1)
    found = np.flatnonzero(rows[places, 0] == starts.astype("uint64"))
    strings = doc.vocab.strings
    tags, poses, morphs, deps = (_names(rows[:, column], strings) for column in (1, 2, 3, 4))
    deps = [dep.split(":", 1)[0] for dep in deps]
    heads = np.arange(len(rows)) + rows[:, 5].astype("int64")
    arcs = _crossing_arcs(heads, deps)
    child_deps = _child_relations(heads, deps)
    for i, token in zip(found.tolist(), places[found].tolist(), strict=True):
        single["tag"][i] = tags[token]
        single["pos"][i] = poses[token]
        single["feats"][i] = _select_features(morphs[token]) if poses[token] else ""
        if deps[token]:
            head = int(heads[token])
            single["dep"][i] = deps[token]
            single["head"][i] = _head_label(token, head, poses[head])
            single["head_dep"][i] = ROOT if head == token else deps[head]
            single["arcs"][i] = str(min(int(arcs[token]), MAX_ARCS))
            children[i] = frozenset(child_deps.get(token, ()))
    return SyntaxLabels(single, children)


def aligned_syntax_labels(example: Example) -> SyntaxLabels:
    """Read the gold labels for the predicted tokens that are not white space."""
    return syntax_labels(example.reference, token_characters(example.predicted)[0])


def collect_labels(docs: Iterable[Doc]) -> dict[str, list[str]]:
    """List the labels of each of ALL_KINDS that gold Docs have, sorted."""
    found: dict[str, set[str]] = {kind: set() for kind in ALL_KINDS}
    for doc in docs:
        starts = doc.to_array(IDX).astype("int64").reshape(-1)
        labels = syntax_labels(doc, starts)
        for kind in KINDS:
            found[kind].update(labels.single[kind])
        found[CHILDREN].update(*(relations for relations in labels.children if relations))
    return {kind: sorted(labels - {""}) for kind, labels in found.items()}


class SyntaxTargets(NamedTuple):
    """Labels of a batch as numbers."""

    single: dict[str, Ints1d]  # (n_tokens,) index of the label; -1 = unknown
    children: Floats2d  # (n_tokens, n_relations): 0 or 1
    children_known: np.ndarray  # (n_tokens,) bool


def syntax_targets(
    labels: Iterable[SyntaxLabels], known: Mapping[str, Sequence[str]]
) -> SyntaxTargets:
    """Look up the labels of the Docs of a batch, laid end to end, in the lists of known ones."""
    parts = list(labels)
    single = {}
    for kind in KINDS:
        index = {label: i for i, label in enumerate(known[kind])}
        values = [index.get(label, -1) for part in parts for label in part.single[kind]]
        single[kind] = np.asarray(values, dtype="int64")
    sets = [relations for part in parts for relations in part.children]
    index = {label: i for i, label in enumerate(known[CHILDREN])}
    children = np.zeros((len(sets), len(index)), dtype="float32")
    for row, relations in enumerate(sets):
        for relation in relations or ():
            if relation in index:
                children[row, index[relation]] = 1
    children_known = np.asarray([relations is not None for relations in sets], dtype=bool)
    return SyntaxTargets(single, children, children_known)


def syntax_loss(
    logits: Floats2d,
    targets: SyntaxTargets,
    known: Mapping[str, Sequence[str]],
    weights: Mapping[str, float],
) -> tuple[float, Floats2d]:
    """Sum the weighted cross-entropies of all kinds: (loss, gradient of the logits).

    logits: (n_tokens, labels of all kinds in the order of ALL_KINDS).
    """
    gradient = np.zeros_like(logits)
    loss, first = 0.0, 0
    for kind in KINDS:
        columns = slice(first, first + len(known[kind]))
        first += len(known[kind])
        rows = np.flatnonzero(targets.single[kind] >= 0)
        if not weights[kind] or not len(rows):
            continue
        part = logits[rows, columns]
        part = part - part.max(axis=1, keepdims=True)
        log_prob = part - np.log(np.exp(part).sum(axis=1, keepdims=True))
        gold = targets.single[kind][rows]
        loss -= weights[kind] * float(log_prob[np.arange(len(rows)), gold].mean())
        share = np.exp(log_prob)
        share[np.arange(len(rows)), gold] -= 1
        gradient[rows, columns] = share * (weights[kind] / len(rows))
    rows = np.flatnonzero(targets.children_known)
    if weights[CHILDREN] and len(rows) and len(known[CHILDREN]):
        part, gold_sets = logits[rows, first:], targets.children[rows]
        entropy = np.logaddexp(0, part) - gold_sets * part
        loss += weights[CHILDREN] * float(entropy.sum() / len(rows))
        share = sigmoid(part) - gold_sets
        gradient[rows, first:] = share * (weights[CHILDREN] / len(rows))
    return loss, gradient


def _names(hashes: Ints1d, strings: StringStore) -> list[str]:
    distinct, inverse = np.unique(hashes, return_inverse=True)
    names = [strings[value] if value else "" for value in distinct.tolist()]
    return [names[i] for i in inverse.tolist()]


def _crossing_arcs(heads: Ints1d, deps: Sequence[str]) -> Ints1d:
    """Count the arcs over the gap before each token."""
    tokens = np.flatnonzero(
        np.asarray([bool(dep) for dep in deps]) & (heads != np.arange(len(heads)))
    )
    low, high = np.minimum(tokens, heads[tokens]), np.maximum(tokens, heads[tokens])
    steps = np.zeros(len(heads) + 1, dtype="int64")
    np.add.at(steps, low + 1, 1)
    np.add.at(steps, high + 1, -1)
    return steps.cumsum()[:-1]


def _child_relations(heads: Ints1d, deps: Sequence[str]) -> dict[int, set[str]]:
    children: dict[int, set[str]] = {}
    for token, head in enumerate(heads.tolist()):
        if head != token and deps[token]:
            children.setdefault(head, set()).add(deps[token])
    return children


def _head_label(token: int, head: int, head_pos: str) -> str:
    if head == token:
        return ROOT
    if not head_pos:
        return ""
    size = abs(head - token)
    distance = "1" if size == 1 else "2" if size <= 3 else "4"
    return f"{'R' if head > token else 'L'}{distance} {head_pos}"


def _select_features(morph: str) -> str:
    """Keep the features of FEATURES; "none" stands for none of them."""
    return "|".join(part for part in morph.split("|") if part.split("=")[0] in FEATURES) or "none"
