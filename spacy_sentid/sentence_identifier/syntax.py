"""What the encoder learns about syntax in training: four labels a token, from the treebank.

tag   the treebank's own tag (XPOS)
pos   the universal tag
dep   the base of the universal relation
head  where the head is, and its universal tag: "R2 VERB" = one of the next 2 or 3 words, a verb

None of it is needed or computed when the component is used. Labels that a corpus lacks are unknown
and teach nothing.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from spacy.attrs import DEP, HEAD, IDX, POS, TAG
from spacy.strings import StringStore
from spacy.tokens import Doc
from thinc.types import Floats2d, Ints1d

ROOT = "ROOT"
KINDS = ("tag", "pos", "dep", "head")


def syntax_labels(doc: Doc, starts: Ints1d) -> dict[str, list[str]]:
    """Read the syntax labels of the gold tokens that start at the given characters.

    starts: (n,) character at which each token of interest starts.
    RETURNS: For each kind n labels; "" = unknown.
    """
    labels = {kind: [""] * len(starts) for kind in KINDS}
    if not len(doc) or not len(starts):
        return labels
    strings = doc.vocab.strings
    rows = doc.to_array([IDX, TAG, POS, DEP, HEAD])
    places = np.minimum(np.searchsorted(rows[:, 0], starts.astype("uint64")), len(rows) - 1)
    found = np.flatnonzero(rows[places, 0] == starts.astype("uint64"))
    tokens = places[found]
    names = [_names(rows[:, column], strings) for column in (1, 2, 3)]
    distances = rows[:, 4].astype("int64")
    for i, token in zip(found.tolist(), tokens.tolist(), strict=True):
        tag, pos, dep = (column[token] for column in names)
        labels["tag"][i], labels["pos"][i] = tag, pos
        if dep:
            labels["dep"][i] = dep.split(":", 1)[0]
            distance = int(distances[token])
            head_pos = names[1][token + distance]
            if not distance:
                labels["head"][i] = ROOT
            elif head_pos:
                labels["head"][i] = f"{_direction(distance)} {head_pos}"
    return labels


def _names(hashes: Ints1d, strings: StringStore) -> list[str]:
    distinct, inverse = np.unique(hashes, return_inverse=True)
    names = [strings[value] if value else "" for value in distinct.tolist()]
    return [names[i] for i in inverse.tolist()]


def _direction(distance: int) -> str:
    side = "R" if distance > 0 else "L"
    size = abs(distance)
    return side + ("1" if size == 1 else "2" if size <= 3 else "4")


def collect_labels(docs: Iterable[Doc]) -> dict[str, list[str]]:
    """List the labels of each kind that gold Docs have, sorted."""
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for doc in docs:
        starts = doc.to_array(IDX).astype("int64").reshape(-1)
        for kind, labels in syntax_labels(doc, starts).items():
            found[kind].update(labels)
    return {kind: sorted(labels - {""}) for kind, labels in found.items()}


def label_indices(labels: Sequence[str], known: Sequence[str]) -> Ints1d:
    """Look labels up in the list of known ones; -1 = unknown."""
    index = {label: i for i, label in enumerate(known)}
    return np.asarray([index.get(label, -1) for label in labels], dtype="int64")


def syntax_loss(
    logits: Floats2d,
    gold: Mapping[str, Ints1d],
    known: Mapping[str, Sequence[str]],
    weights: Mapping[str, float],
) -> tuple[float, Floats2d]:
    """Sum the weighted cross-entropies of the kinds: (loss, gradient of the logits).

    logits: (n_tokens, labels of all kinds in the order of KINDS).
    gold: For each kind (n_tokens,) indices into `known[kind]`; -1 = unknown.
    """
    gradient = np.zeros_like(logits)
    loss, first = 0.0, 0
    for kind in KINDS:
        columns = slice(first, first + len(known[kind]))
        first += len(known[kind])
        rows = np.flatnonzero(gold[kind] >= 0)
        if not weights[kind] or not len(rows):
            continue
        part = logits[rows, columns]
        part = part - part.max(axis=1, keepdims=True)
        log_prob = part - np.log(np.exp(part).sum(axis=1, keepdims=True))
        labels = gold[kind][rows]
        loss -= weights[kind] * float(log_prob[np.arange(len(rows)), labels].mean())
        share = np.exp(log_prob)
        share[np.arange(len(rows)), labels] -= 1
        gradient[rows, columns] = share * (weights[kind] / len(rows))
    return loss, gradient
