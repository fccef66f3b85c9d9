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

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import DEP, HEAD, MORPH, POS, TAG
from spacy.strings import StringStore
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ints1d, Ints2d, sigmoid

ROOT = "ROOT"
# Kinds with one label a token; "children" has a set.
KINDS = ("tag", "pos", "feats", "dep", "head", "head_dep", "arcs")
CHILDREN = "children"
ALL_KINDS = (*KINDS, CHILDREN)
MAX_ARCS = 6
ARC_NAMES = [str(n) for n in range(MAX_ARCS + 1)]
# Distances of the head in words: 1, 2 or 3, 4 or more.
DISTANCES = ("1", "2", "4")
FEATURES = ("VerbForm", "Mood", "Tense", "PronType", "Person", "Case")


class LabelColumn(NamedTuple):
    """One label for each token of a Doc, or of each arc."""

    names: list[str]  # may hold names that no row has
    rows: Ints1d  # (n,) index into `names`; -1 = unknown

    def look_up(self, known: Sequence[str]) -> Ints1d:
        """Find the labels in a list of known ones; -1 = unknown."""
        index = {label: i for i, label in enumerate(known)}
        # The last element is what -1 refers to.
        table = np.asarray([*(index.get(name, -1) for name in self.names), -1], dtype="int64")
        return table[self.rows]


class SyntaxLabels(NamedTuple):
    """The labels of all n tokens of a gold Doc."""

    single: dict[str, LabelColumn]  # for each of KINDS (n,)
    heads: Ints1d  # (n_arcs,) the token that each arc comes from
    arc_labels: LabelColumn  # (n_arcs,) the relation of each arc: `children` of its head


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
    # "R2 VERB": direction and distance of the head, then its tag.
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
    """List the labels of each of ALL_KINDS that gold Docs have, sorted."""
    found: dict[str, set[str]] = {kind: set() for kind in ALL_KINDS}
    for doc in docs:
        labels = read_syntax(doc)
        for kind, (names, rows) in {**labels.single, CHILDREN: labels.arc_labels}.items():
            found[kind].update(names[row] for row in np.unique(rows[rows >= 0]).tolist())
    return {kind: sorted(labels) for kind, labels in found.items()}


class SyntaxTargets(NamedTuple):
    """Labels of a batch as numbers."""

    single: dict[str, Ints1d]  # (n_tokens,) index of the label; -1 = unknown
    children: Floats2d  # (n_tokens, n_relations): 0 or 1
    children_known: Bools1d  # (n_tokens,)


def syntax_targets(
    golds: Iterable[tuple[Doc, Ints1d]], known: Mapping[str, Sequence[str]]
) -> SyntaxTargets:
    """Look up the labels of the tokens of a batch, laid end to end, in the lists of known ones.

    golds: Each gold Doc, and for each token of the prediction the one of the gold Doc; -1 = none.
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


def _label(
    hashes: Ints1d, strings: StringStore, rename: Callable[[str], str] | None = None
) -> LabelColumn:
    """Make labels of the hashes of strings; those without a name are unknown."""
    distinct, inverse = np.unique(hashes, return_inverse=True)
    names = [strings[value] if value else "" for value in distinct.tolist()]
    if rename is not None:
        names = [rename(name) for name in names]
    is_known = np.asarray([bool(name) for name in names], dtype=bool)
    return LabelColumn(names, np.where(is_known[inverse], inverse, -1))


def _base_relation(dep: str) -> str:
    return dep.split(":", 1)[0]


def _select_features(morph: str) -> str:
    """Keep the features of FEATURES; "none" means none of them."""
    return "|".join(part for part in morph.split("|") if part.split("=")[0] in FEATURES) or "none"


def _crossing_arcs(arcs: Ints1d, heads: Ints1d) -> Ints1d:
    """Count the arcs over the gap before each token.

    arcs: The tokens that an arc leads to.
    """
    low, high = np.minimum(arcs, heads[arcs]), np.maximum(arcs, heads[arcs])
    steps = np.bincount(low + 1, minlength=len(heads) + 1).astype("int64")
    steps -= np.bincount(high + 1, minlength=len(heads) + 1)
    return steps.cumsum()[:-1]
