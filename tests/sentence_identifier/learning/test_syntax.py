"""Syntax labels and the syntax loss: alignment, unknown labels, gradient."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.learning.syntax import (
    ALL_KINDS,
    CHILDREN,
    KINDS,
    collect_labels,
    read_syntax,
    syntax_loss,
    syntax_targets,
)

VOCAB = spacy.blank("en").vocab


def parsed() -> Doc:
    return Doc(
        VOCAB,
        words=["Old", "cats", "\n", "sleep", "."],
        spaces=[True, True, False, False, False],
        tags=["JJ", "NNS", "", "VBP", "."],
        pos=["ADJ", "NOUN", "", "VERB", "PUNCT"],
        morphs=["", "Number=Plur", "", "Number=Plur|VerbForm=Fin", ""],
        heads=[1, 3, 1, 3, 3],
        deps=["amod", "nsubj:pass", "", "root", "punct"],
    )


def words(doc: Doc) -> np.ndarray:
    return np.flatnonzero([not token.is_space for token in doc])


def labels_of(doc: Doc, kind: str) -> list[str]:
    """List the labels of the tokens that are not white space; "" = unknown."""
    names, rows = read_syntax(doc).single[kind]
    return [names[row] if row >= 0 else "" for row in rows[words(doc)]]


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("tag", ["JJ", "NNS", "VBP", "."]),
        ("pos", ["ADJ", "NOUN", "VERB", "PUNCT"]),
        ("feats", ["none", "none", "VerbForm=Fin", "none"]),
        ("dep", ["amod", "nsubj", "root", "punct"]),
        ("head", ["R1 NOUN", "R2 VERB", "ROOT", "L1 VERB"]),
        ("head_dep", ["nsubj", "root", "ROOT", "root"]),
        ("arcs", ["0", "1", "1", "1"]),
    ],
)
def test_labels_are_those_of_the_gold(kind: str, labels: list[str]) -> None:
    assert labels_of(parsed(), kind) == labels


def test_children_are_the_relations_of_the_dependents() -> None:
    doc = parsed()
    known = collect_labels([doc])
    targets = syntax_targets([(doc, words(doc))], known)
    found = [[known[CHILDREN][n] for n in np.flatnonzero(row)] for row in targets.children]
    assert found == [[], ["amod"], ["nsubj", "punct"], []]


def test_tokens_that_start_elsewhere_have_no_labels() -> None:
    doc = parsed()
    targets = syntax_targets([(doc, np.asarray([-1, 1]))], collect_labels([doc]))
    assert all(targets.single[kind][0] == -1 for kind in KINDS)
    assert all(targets.single[kind][1] >= 0 for kind in KINDS)
    assert targets.children_known.tolist() == [False, True]
    assert not targets.children[0].any()


def test_a_doc_without_annotation_has_no_labels() -> None:
    doc = Doc(VOCAB, words=["Hi", "Bo"])
    assert all(labels_of(doc, kind) == ["", ""] for kind in KINDS)
    targets = syntax_targets([(doc, words(doc))], collect_labels([parsed()]))
    assert not targets.children_known.any()


def test_an_empty_doc_has_no_labels() -> None:
    assert all(not len(column.rows) for column in read_syntax(Doc(VOCAB)).single.values())


def test_collected_labels_are_sorted_and_known() -> None:
    known = collect_labels([parsed(), Doc(VOCAB)])
    assert set(known) == set(ALL_KINDS)
    assert known["pos"] == ["ADJ", "NOUN", "PUNCT", "VERB"]
    assert all("" not in labels for labels in known.values())


def test_unknown_labels_have_no_gradient() -> None:
    doc = parsed()
    known = {kind: [] for kind in ALL_KINDS} | {"pos": ["NOUN"]}
    targets = syntax_targets([(doc, words(doc))], known)
    assert targets.single["pos"].tolist() == [-1, 0, -1, -1]
    assert targets.single["dep"].tolist() == [-1] * 4


def problem() -> tuple:
    doc = parsed()
    known = collect_labels([doc])
    plain = Doc(VOCAB, words=["Hi"])
    targets = syntax_targets([(d, words(d)) for d in (doc, plain)], known)
    width = sum(len(known[kind]) for kind in ALL_KINDS)
    logits = np.random.default_rng(0).normal(size=(5, width))
    return logits, targets, known


def test_the_gradient_is_that_of_the_loss() -> None:
    logits, targets, known = problem()
    weights = {kind: 0.5 + n for n, kind in enumerate(ALL_KINDS)}
    _, gradient = syntax_loss(logits, targets, known, weights)
    for row, column in np.ndindex(logits.shape):
        step = np.zeros_like(logits)
        step[row, column] = 1e-5
        up, _ = syntax_loss(logits + step, targets, known, weights)
        down, _ = syntax_loss(logits - step, targets, known, weights)
        assert (up - down) / 2e-5 == pytest.approx(gradient[row, column], abs=1e-6)


def test_a_part_of_weight_zero_has_no_gradient() -> None:
    logits, targets, known = problem()
    weights = dict.fromkeys(ALL_KINDS, 0.0) | {"pos": 1.0}
    loss, gradient = syntax_loss(logits, targets, known, weights)
    columns = len(known["tag"]), len(known["tag"]) + len(known["pos"])
    assert loss > 0
    assert not gradient[:, : columns[0]].any()
    assert not gradient[:, columns[1] :].any()


def test_without_labels_the_loss_is_zero() -> None:
    known: dict[str, list[str]] = {kind: [] for kind in ALL_KINDS}
    targets = syntax_targets([(parsed(), words(parsed()))], known)
    loss, gradient = syntax_loss(
        np.zeros((4, 0)), targets, known, dict.fromkeys([*KINDS, CHILDREN], 1.0)
    )
    assert (loss, gradient.shape) == (0, (4, 0))
