"""Syntax labels of each token from the treebank, which the encoder learns in training.

tag       tag of the treebank (XPOS)
pos       universal tag
feats     morphological features that distinguish clauses: VerbForm=Fin|Mood=Imp, ...
dep       base of the universal relation
head      position and universal tag of the head: "R2 VERB" = a verb, 2 or 3 words to the right
head_dep  relation of the head
arcs      number of arcs of the tree across the gap before the token, at most MAX_ARCS
children  set of relations of the token's dependents

These labels are not needed or computed in prediction. Labels that a corpus does not have are
unknown and do not affect the loss.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, MORPH, POS, TAG
from spacy.strings import StringStore
from spacy.tokens import Doc

from ...arrays import Bools1d, Floats2d, Ints1d, Ints2d, log_softmax, sigmoid

ROOT = "ROOT"
# Kinds with one label for each token; "children" has a set.
KINDS = ("tag", "pos", "feats", "dep", "head", "head_dep", "arcs")
CHILDREN = "children"
ALL_KINDS = (*KINDS, CHILDREN)
MAX_ARCS = 6
ARC_NAMES = [str(n) for n in range(MAX_ARCS + 1)]
# Distances of the head in words: 1; 2 or 3; 4 or more.
DISTANCES = ("1", "2", "4")
FEATURES = ("VerbForm", "Mood", "Tense", "PronType", "Person", "Case")


class LabelColumn(NamedTuple):
    """One label for each token of a Doc, or of each arc."""

    names: list[str]  # may contain unused names
    rows: Ints1d  # (n,) index into `names`; -1 = unknown

    def look_up(self, known: Sequence[str]) -> Ints1d:
        """Find the labels in a list of known ones; -1 = unknown."""
        index = {label: i for i, label in enumerate(known)}
        # A row of -1 refers to the last element.
        table = np.asarray([*(index.get(name, -1) for name in self.names), -1], dtype="int64")
        return table[self.rows]


class SyntaxLabels(NamedTuple):
    """The labels of all n tokens of a gold Doc."""

    single: dict[str, LabelColumn]  # (n,) for each of KINDS
    heads: Ints1d  # (n_arcs,) head of each arc
    arc_labels: LabelColumn  # (n_arcs,) relation of each arc, which is in `children` of its head


def read_syntax(doc: Doc) -> SyntaxLabels:
    """Read the syntax labels of a gold Doc."""
    rows: Ints2d = doc.to_array([TAG, POS, MORPH, DEP, HEAD]).astype("uint64").reshape(len(doc), 5)
    strings = doc.vocab.strings
    places = np.arange(len(rows))
    heads = places + rows[:, 4].astype("int64")
    is_root = heads == places
    tag, pos = (_label(rows[:, n], strings) for n in (0, 1))
    feats = _label(rows[:, 2], strings, _select_features)
    dep = _label(rows[:, 3], strings, _base_relation)
    has_dep = dep.rows >= 0
    # "R2 VERB" is the direction and distance of the head, then its tag.
    distance = np.searchsorted([1, 3], abs(heads - places))
    direction = np.where(heads > places, len(DISTANCES), 0)
    head_pos = pos.rows[heads]
    head = np.where(head_pos < 0, -1, (direction + distance) * len(pos.names) + head_pos)
    sides = [side + size for side in "LR" for size in DISTANCES]
    head_names = [f"{side} {name}" for side in sides for name in pos.names]
    head_dep = np.where(is_root, len(dep.names), dep.rows[heads])
    arcs = np.flatnonzero(has_dep & ~is_root)
    n_crossing = _crossing_arcs(arcs, heads)
    single = {
        "tag": tag,
        "pos": pos,
        "feats": LabelColumn(feats.names, np.where(pos.rows < 0, -1, feats.rows)),
        "dep": dep,
        "head": LabelColumn([*head_names, ROOT], np.where(is_root, len(head_names), head)),
        "head_dep": LabelColumn([*dep.names, ROOT], head_dep),
        "arcs": LabelColumn(ARC_NAMES, np.minimum(n_crossing, MAX_ARCS)),
    }
    for kind in ("head", "head_dep", "arcs"):
        single[kind] = single[kind]._replace(rows=np.where(has_dep, single[kind].rows, -1))
    return SyntaxLabels(single, heads[arcs], dep._replace(rows=dep.rows[arcs]))


def collect_labels(docs: Iterable[Doc]) -> dict[str, list[str]]:
    """Collect the sorted labels in gold Docs, for each of ALL_KINDS."""
    found: dict[str, set[str]] = {kind: set() for kind in ALL_KINDS}
    for doc in docs:
        labels = read_syntax(doc)
        for kind, (names, rows) in {**labels.single, CHILDREN: labels.arc_labels}.items():
            found[kind].update(names[row] for row in np.unique(rows[rows >= 0]).tolist())
    return {kind: sorted(labels) for kind, labels in found.items()}


class SyntaxTargets(NamedTuple):
    """Labels of a batch as indices."""

    single: dict[str, Ints1d]  # (n_tokens,) index of the label; -1 = unknown
    children: Floats2d  # (n_tokens, n_relations): 0 or 1
    children_known: Bools1d  # (n_tokens,)


def syntax_targets(
    golds: Iterable[tuple[Doc, Ints1d]], known: Mapping[str, Sequence[str]]
) -> SyntaxTargets:
    """Look up the labels of the tokens of a batch, document after document.

    golds: Each gold Doc, with the index of the gold token for each predicted token; -1 = none.
    known: Known labels, for each of ALL_KINDS.
    """
    single: dict[str, list[Ints1d]] = {kind: [] for kind in KINDS}
    children, children_known = [], []
    for doc, tokens in golds:
        labels = read_syntax(doc)
        for kind, parts in single.items():
            rows = np.append(labels.single[kind].look_up(known[kind]), -1)  # [-1]: no gold token
            parts.append(rows[tokens])
        relations = labels.arc_labels.look_up(known[CHILDREN])
        sets = np.zeros((len(doc) + 1, len(known[CHILDREN])), dtype="float32")
        sets[labels.heads[relations >= 0], relations[relations >= 0]] = 1
        children.append(sets[tokens])
        children_known.append(np.append(labels.single["dep"].rows, -1)[tokens] >= 0)
    return SyntaxTargets(
        {kind: np.concatenate(parts) for kind, parts in single.items()},
        np.concatenate(children),
        np.concatenate(children_known),
    )


def syntax_loss(
    logits: Floats2d,
    targets: SyntaxTargets,
    known: Mapping[str, Sequence[str]],
    weights: Mapping[str, float],
) -> tuple[float, Floats2d]:
    """Sum the weighted cross-entropies of all kinds.

    logits: (n_tokens, n_labels), labels of all kinds in the order of ALL_KINDS.
    RETURNS: Loss, and the gradient of the logits.
    """
    gradient = np.zeros_like(logits)
    loss, first = 0.0, 0
    for kind in KINDS:
        columns = slice(first, first + len(known[kind]))
        first += len(known[kind])
        rows = np.flatnonzero(targets.single[kind] >= 0)
        if not weights[kind] or not len(rows):
            continue
        log_prob = log_softmax(logits[rows, columns])
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


def _label(hashes: Ints1d, strings: StringStore, rename: Callable[[str], str] = str) -> LabelColumn:
    """Convert hashes of strings to labels; empty names are unknown."""
    distinct, inverse = np.unique(hashes, return_inverse=True)
    names = [rename(strings[value] if value else "") for value in distinct.tolist()]
    is_known = np.asarray([bool(name) for name in names], dtype=bool)
    return LabelColumn(names, np.where(is_known[inverse], inverse, -1))


def _base_relation(dep: str) -> str:
    return dep.split(":", 1)[0]


def _select_features(morph: str) -> str:
    """Keep the features in FEATURES; return "none" if a word has no such feature."""
    return "|".join(part for part in morph.split("|") if part.split("=")[0] in FEATURES) or "none"


def _crossing_arcs(arcs: Ints1d, heads: Ints1d) -> Ints1d:
    """Count the arcs across the gap before each token.

    arcs: Dependent of each arc.
    """
    low, high = np.minimum(arcs, heads[arcs]), np.maximum(arcs, heads[arcs])
    steps = np.bincount(low + 1, minlength=len(heads) + 1).astype("int64")
    steps -= np.bincount(high + 1, minlength=len(heads) + 1)
    return steps.cumsum()[:-1]
