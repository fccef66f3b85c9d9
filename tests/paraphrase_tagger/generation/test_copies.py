"""Paraphrased copies: those that are degenerate, not new, or rejected by the tagger."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from stand_in import make_stand_in

from spacy_sentid.paraphrase_tagger.generation.copies import (
    CHECKS,
    DUPLICATE,
    LENGTHS,
    LESS,
    NO_LETTERS,
    OTHER,
    REPETITION,
    SAME,
    UNFINISHED,
    UNTAGGED,
    compare_copies,
    find_fault,
    judge_copies,
)

PAIRS = Path(__file__).parents[3] / "assets/sample/paraphrase"


# Degenerate texts

SOURCE = "The mayor opened the new bridge on Friday."
FAULTS = [
    ("The new bridge was opened by the mayor on Friday.", None),
    ("On Friday the mayor opened the new bridge!", None),
    ('"The mayor opened the new bridge on Friday."', None),
    ("", NO_LETTERS),
    (" \n", NO_LETTERS),
    ("... 12 ?", NO_LETTERS),
    ("The the the mayor opened it on Friday.", REPETITION),
    ("The mayor opened, opened, opened the bridge.", REPETITION),
    ("On Friday on Friday on Friday the bridge opened.", REPETITION),
    ("The new bridge was the new bridge was open on Friday.", REPETITION),
    ("Acccccording to the mayor it opened on Friday.", REPETITION),
    ("The mayor said hahahahaha on Friday.", REPETITION),
    ("The mayor opened the bridge. . . . . . .", REPETITION),
    ("He had had the new bridge opened on Friday.", None),
    ("On Friday the mayor opened the new bridge on the", UNFINISHED),
    ("On Friday the mayor opened the new bridge,", UNFINISHED),
    ("On Friday the mayor opened (the new bridge", UNFINISHED),
    ("It opened.", LENGTHS),
    (f"The mayor, {'who came by a slow train with an old friend, ' * 2}opened it.", REPETITION),
    (
        "The mayor, who had come by train from Oslo with two old friends of his and a dog that "
        "he had found in the street, opened the bridge over the river.",
        LENGTHS,
    ),
]


@pytest.mark.parametrize(("text", "reason"), FAULTS)
def test_degenerate_texts_have_a_reason(text: str, reason: str | None) -> None:
    assert find_fault(SOURCE, text) == reason


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("No, no, no!", "No, no, no, never!"),
        ("Brrrrr, it is cold.", "It is cold, brrrrr."),
        ("12:30 - 14:00", "12.30 to 2 p.m."),
        ("he left the house", "he went out"),
        ("Ingredients:", "What it takes:"),
        ("Yes.", "Yes, she did."),
        ("他今天早上去了学校。", "今早他上学去了。"),
        ("Call 10000000 now.", "Ring 10000000 at once."),
    ],
)
def test_faults_that_the_source_has_too_do_not_count(source: str, text: str) -> None:
    assert find_fault(source, text) is None


@pytest.mark.parametrize(("source", "text", "reason"), [
    ("12:30", "12;30", None),
    ("他今天早上去了学校。", "他今天早上去了学校去了学校去了学校去了学校。", REPETITION),
    ("他今天早上去了学校。", "他今天早上去了", UNFINISHED),
    ("he left the house.", "he left the house,", UNFINISHED),
])  # fmt: skip
def test_faults_in_other_scripts_and_unfinished_sources(
    source: str, text: str, reason: str | None
) -> None:
    assert find_fault(source, text) == reason


def test_every_check_has_a_text_that_it_refuses() -> None:
    rows = [text for text, reason in FAULTS if reason]
    for check, reason in CHECKS.items():
        assert any(check(text) and reason == find_fault(SOURCE, text) for text in rows)
        assert not check(SOURCE)


def test_few_human_texts_are_degenerate() -> None:
    lines = [line for path in PAIRS.glob("*.jsonl") for line in path.open(encoding="utf8")]
    pairs = [[" ".join(json.loads(line)[side]) for side in ("sent1", "sent2")] for line in lines]
    found = [find_fault(*pair) for pair in pairs]
    assert len(pairs) > 2000
    # Some pairs consist of a text and its summary.
    assert sum(reason == LENGTHS for reason in found) < 0.05 * len(pairs)
    assert sum(reason not in {None, LENGTHS} for reason in found) < 0.005 * len(pairs)


@given(st.text(), st.text())
def test_any_texts_are_judged(source: str, text: str) -> None:
    assert find_fault(source, source) is None
    assert find_fault(source, text) in {None, LENGTHS, *CHECKS.values()}


# Copies that are not new


def reasons(originals: list[str], copies: list[list[str]]) -> list[str | None]:
    return [copy.reason for copy in judge_copies(originals, copies)]


def test_reasons_to_drop_a_copy_of_one_text() -> None:
    copies = [["the  Cat sat here"], ["here sat a cat"], ["Here sat a cat"], ["the cat sat, here!"]]
    assert reasons(["the cat sat here"], copies) == [SAME, None, DUPLICATE, SAME]
    assert reasons(["the cat sat here"], [["the cat sat there"]]) == [None]


def test_a_copy_of_two_texts_is_new_if_one_of_them_is() -> None:
    originals = ["the cat sat here", "yes"]
    copies = [
        ["the cat sat here", "yes"],
        ["the cat sat here", "no"],
        ["here sat a cat", "yes"],
        ["the cat, sat here", "YES"],
        ["here sat the cat", "no no no"],
    ]
    assert reasons(originals, copies) == [SAME, None, None, SAME, REPETITION]


@given(st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=3).map(" ".join), max_size=8))
def test_kept_copies_are_new_and_unique(copies: list[str]) -> None:
    judged = zip(copies, reasons(["a b"], [[copy] for copy in copies]), strict=True)
    kept = [copy for copy, reason in judged if reason is None]
    assert len(kept) == len(set(kept))
    good = {copy for copy in copies if not find_fault("a b", copy)}
    assert set(kept) == good - {"a b"}


# The tagger


def compare(sources: list[str], texts: list[list[str]], theta: float) -> list[str | None]:
    copies = judge_copies(sources, texts)
    (compared,) = compare_copies(make_stand_in(), [copies], theta=theta)
    assert [copy._replace(reason=None) for copy in compared] == [
        copy._replace(reason=None) for copy in copies
    ]
    return [copy.reason for copy in compared]


# The stand-in highlights the words that the other text does not have.
@pytest.mark.parametrize(
    ("text", "theta", "reason"),
    [
        ("here the cat sat", 0, None),
        ("here the dog sat", 0, OTHER),
        ("here the dog sat", 0.24, OTHER),
        ("here the dog sat", 0.25, None),
        ("here the cat", 0, LESS),
        ("here the cat", 0.25, None),
        ("all is well now", 0.99, OTHER),
        ("all is well now", 1, None),
    ],
)
def test_the_share_of_highlighted_words_decides_on_either_side(
    text: str, theta: float, reason: str | None
) -> None:
    assert compare(["the cat sat here"], [[text]], theta) == [reason]


def test_the_tagger_sees_only_changed_texts_of_good_copies() -> None:
    sources = ["the cat sat here", "refuse"]
    texts = [["here the cat sat", "refuse"], ["here the dog sat", "refuse"], ["the cat sat", "no"]]
    assert compare(sources, texts, 0) == [None, OTHER, UNTAGGED]
    assert compare(["refuse"], [["refuse refuse refuse"], ["Refuse"]], 0) == [REPETITION, SAME]
    assert compare(["refuse this"], [["this refuse"]], 0) == [UNTAGGED]
    assert compare(["a b"], [], 0) == []
