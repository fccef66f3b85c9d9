"""Edits of texts: the new text, and the new place of each character."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.sentence_identifier.corpora.edits import CASES, change_case, remove_final_marks

texts = st.text(max_size=40).map(str.strip).filter(bool)


@pytest.mark.parametrize(
    ("text", "case", "changed"),
    [
        ("don't Go", "title", "Don't Go"),
        ("McDonald’s IN THE usa", "title", "Mcdonald’s In The Usa"),
        ('"hello" (the 3RD)', "title", '"Hello" (The 3rd)'),
        ("straße ŉ ǆ", "upper", "STRASSE ʼN Ǆ"),
        ("ǆep ßa", "title", "ǅep Ssa"),
        ("İstanbul", "lower", "i̇stanbul"),
        ("ΟΔΟΣ ΣΟΦΟΣ", "lower", "οδος σοφος"),
        ("ΟΔΟΣ", "title", "Οδος"),
        ("2 + 2", "upper", "2 + 2"),
        ("中文。", "title", "中文。"),
    ],
)
def test_case_changes(text: str, case: str, changed: str) -> None:
    assert change_case(text, case).text == changed


@given(texts, st.sampled_from(CASES))
def test_case_keeps_words_and_maps_every_character(text: str, case: str) -> None:
    changed, offsets = change_case(text, case)
    places = [offsets.find_char(i) for i in range(len(text))]
    assert len(changed.split()) == len(text.split())
    ends = [*places[1:], len(changed)]
    assert places[0] == 0
    for char, start, end in zip(text, places, ends, strict=True):
        assert start < end
        # Only the final sigma depends on the whole word.
        assert changed[start:end] in {char.lower(), char.upper(), char.title(), "ς"}


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("We go.", "We go"),
        ("Really?!", "Really"),
        ('"Go!"', '"Go'),
        ('Go!".', "Go"),
        ('"Go".', '"Go"'),
        ("Well...", "Well"),
        ("Go !", "Go"),
        ("flaw . . .", "flaw . ."),
        ("走吧。", "走吧"),
        ("(Go.)", "(Go.)"),
        ("Go", "Go"),
        ('He said "go"', 'He said "go"'),
        ("?!", "?!"),
        ("...", "..."),
        ('"!"', '"'),
    ],
)
def test_final_marks_are_removed(text: str, rest: str) -> None:
    assert remove_final_marks(text).text == rest


@given(texts)
def test_text_without_final_marks_is_a_prefix(text: str) -> None:
    rest, offsets = remove_final_marks(text)
    assert rest
    assert text.startswith(rest)
    places = [offsets.find_char(i) for i in range(len(text))]
    assert places == [i if i < len(rest) else None for i in range(len(text))]
