"""Warnings of texts in the letters of another language."""

import pytest

from spacy_sentid.view.text.letters import warn_of_letters

CHINESE, RUSSIAN, GREEK = "我们在学校学习汉语。", "Мы учимся в школе.", "Πάμε στο σχολείο."


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        ("We learn Chinese at school.", "zh"),
        ("We learn 汉语 at school every day.", "zh"),
        (CHINESE, "en"),
        (RUSSIAN, "de"),
        (GREEK, "fr"),
        ("ひらがなとカタカナ", "pt"),
        ("한국어 문장입니다.", "it"),
    ],
)
def test_other_letters_are_a_warning(text: str, lang: str) -> None:
    assert warn_of_letters(text, lang, "X").startswith("This pipeline is for X, but")


@pytest.mark.parametrize(
    ("text", "lang"),
    [
        (CHINESE, "zh"),
        ("我用 Python 写了一个程序。", "zh"),
        ("Ångström, naïve, œuvre, Łódź, Việt Nam: ﬁve letters.", "en"),
        (f"The Chinese for this is {CHINESE}", "en"),
        ("", "zh"),
        ("3.14 + 2.72 = ?", "en"),
        (" \n😀👍", "zh"),
        ("a b", "zh"),
        (CHINESE, "xx"),
        (RUSSIAN, "ru"),
    ],
)
def test_own_letters_are_no_warning(text: str, lang: str) -> None:
    assert warn_of_letters(text, lang, "X") == ""


def test_only_the_start_of_a_long_text_decides() -> None:
    assert warn_of_letters("a" * 30_000 + CHINESE * 30_000, "en", "English") == ""
