"""Syntax labels and their loss: alignment, unknown labels, gradient."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.alignment import token_characters
from spacy_sentid.sentence_identifier.syntax import (
    ALL_KINDS,
    CHILDREN,
    KINDS,
    collect_labels,
    syntax_labels,
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
        heads=[1, 3, 1, 3, 3],
        deps=["amod", "nsubj:pass", "", "root", "punct"],
    )


def starts(doc: Doc) -> np.ndarray:
    return token_characters(doc)[0]


@pytest.mark.parametrize(
    ("kind", "labels"),
    [
        ("tag", ["JJ", "NNS", "VBP", "."]),
        ("pos", ["ADJ", "NOUN", "VERB", "PUNCT"]),
        ("dep", ["amod", "nsubj", "root", "punct"]),
        ("head", ["R1 NOUN", "R2 VERB", "ROOT", "L1 VERB"]),
    ],
)
def test_labels_are_those_of_the_gold(kind: str, labels: list[str]) -> None:
    doc = parsed()
    assert syntax_labels(doc, starts(doc)).single[kind] == labels


def test_tokens_that_start_elsewhere_have_no_labels() -> None:
    labels = syntax_labels(parsed(), np.asarray([1, 4]))
    assert all(labels.single[kind][0] == "" for kind in KINDS)
    assert labels.children[0] is None
    assert labels.single["pos"][1] == "NOUN"


def test_a_doc_without_annotation_teaches_nothing() -> None:
    doc = Doc(VOCAB, words=["Hi", "Bo"])
    labels = syntax_labels(doc, starts(doc))
    assert all(label == "" for kind in KINDS for label in labels.single[kind])
    assert labels.children == [None, None]


def test_an_empty_doc_has_no_labels() -> None:
    doc = Doc(VOCAB)
    assert all(labels == [] for labels in syntax_labels(doc, starts(doc)).single.values())


def test_collected_labels_are_sorted_and_known() -> None:
    known = collect_labels([parsed(), Doc(VOCAB)])
    assert set(known) == set(ALL_KINDS)
    assert known["pos"] == ["ADJ", "NOUN", "PUNCT", "VERB"]
    assert all("" not in labels for labels in known.values())


def test_labels_that_are_not_known_teach_nothing() -> None:
    doc = parsed()
    known = {kind: [] for kind in ALL_KINDS} | {"pos": ["NOUN"]}
    targets = syntax_targets([syntax_labels(doc, starts(doc))], known)
    assert targets.single["pos"].tolist() == [-1, 0, -1, -1]
    assert targets.single["dep"].tolist() == [-1] * 4


def problem() -> tuple:
    doc = parsed()
    known = collect_labels([doc])
    plain = Doc(VOCAB, words=["Hi"])
    targets = syntax_targets([syntax_labels(d, starts(d)) for d in (doc, plain)], known)
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


def test_no_labels_at_all_give_no_loss() -> None:
    known: dict[str, list[str]] = {kind: [] for kind in ALL_KINDS}
    targets = syntax_targets([syntax_labels(parsed(), starts(parsed()))], known)
    loss, gradient = syntax_loss(
        np.zeros((4, 0)), targets, known, dict.fromkeys([*KINDS, CHILDREN], 1.0)
    )
    assert (loss, gradient.shape) == (0, (4, 0))
