"""Cleaning of transcripts: spoken numbers, removed symbols, offsets."""

import sys
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.word_segmenter.speech.transcripts import clean_transcript, read_transcripts

pytest.importorskip("cn2an")

NUMBERS = [
    ("1200", "一千两百"),
    ("1,200元", "一千两百元"),
    ("2", "二"),
    ("10", "十"),
    ("200", "两百"),
    ("12000", "一万两千"),
    ("120000", "十二万"),
    ("1002", "一千零二"),
    ("100000000", "一亿"),
    ("3.5", "三点五"),
    ("0.05", "零点零五"),
    ("50%", "百分之五十"),
    ("５０％", "百分之五十"),
    ("5‰", "千分之五"),
    ("-5度", "负五度"),
    ("−5度", "负五度"),
    ("-5%", "百分之负五"),
    ("3-5天", "三五天"),
    ("2008年", "二零零八年"),
    ("２００８年", "二零零八年"),
    ("2008-2010年", "二零零八二零一零年"),
    ("2008元", "两千零八元"),
    ("1000年", "一千年"),
    ("5000年", "五千年"),
    ("007", "零零七"),
    ("13812345678", "一三八一二三四五六七八"),
    ("13800138000", "一三八零零一三八零零零"),
    ("010-62345678", "零一零六二三四五六七八"),
    ("5000000", "五百万"),
    ("1.2.3", "一点二点三"),
    ("9" * 17, "九" * 17),
    ("٣", "三"),
]


@pytest.mark.parametrize(("text", "said"), NUMBERS)
def test_numbers_are_spoken(text: str, said: str) -> None:
    assert "".join(found.char for found in clean_transcript(text)) == said


def test_the_characters_of_a_number_have_its_offsets() -> None:
    found = clean_transcript("约-1,200%。")
    assert [tuple(char) for char in found[:3]] == [("约", 0, 1), ("百", 1, 8), ("分", 1, 8)]
    assert {char[1:] for char in found[1:]} == {(1, 8)}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ""),
        ("，。！ 　\n", ""),
        ("“你好”，他说：好。", "你好他说好"),
        ("用 iPhone 吗", "用iPhone吗"),
        ("二〇年", "二〇年"),
        ("𠮷野家😀①²", "𠮷野家"),
        ("の・é", "のé"),
    ],
)
def test_symbols_are_removed_and_letters_kept(text: str, said: str) -> None:
    assert "".join(found.char for found in clean_transcript(text)) == said


@given(st.text(alphabet=st.one_of(st.sampled_from("０12345.,%-年万好A，％ "), st.characters())))
def test_offsets_are_in_order_and_point_to_what_is_kept(text: str) -> None:
    found = clean_transcript(text)
    for before, after in pairwise(found):
        assert before.start_char <= after.start_char
        assert before.end_char <= after.end_char
    for char, start, end in found:
        source = text[start:end]
        assert source == char or any(map(str.isdecimal, source))
    kept = {start for _, start, _ in found}
    spans = {(start, end) for _, start, end in found}
    for place, char in enumerate(text):
        if unicodedata.category(char).startswith("L"):
            assert place in kept
        if char.isdecimal():
            assert any(start <= place < end for start, end in spans)


def test_a_text_without_numbers_needs_no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cn2an", None)
    assert len(clean_transcript("你好，2008年")) == 7
    with pytest.raises(ValueError, match=r"spacy-sentid\[speech\]"):
        clean_transcript("120")


def test_a_long_line_is_cleaned_quickly() -> None:
    assert len(clean_transcript("你好，" * 60_000 + "1" * 20_000)) == 140_000


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.tsv", "a\t你 好\nb\t走\n"),
        ("text", "a 你 好\nb 走\n"),
        ("a.jsonl", '{"id": "a", "text": "你 好"}\n\n{"id": "b", "text": "走", "x": 1}\n'),
    ],
)
def test_transcripts_are_read_by_id(tmp_path: Path, name: str, content: str) -> None:
    path = tmp_path / name
    path.write_text(content, encoding="utf8")
    assert read_transcripts(path) == {"a": "你 好", "b": "走"}


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("a.jsonl", '{"id": "a", "text": 3}\n', "a.jsonl:1"),
        ("a.jsonl", '{"id": "a"', "a.jsonl:1"),
        ("a.tsv", "a\t你\nb\t好\na\t走\n", "a.tsv:3"),
        ("a.tsv", b"a\t\xff\n", "a.tsv:1"),
    ],
)
def test_bad_transcripts_name_file_and_line(
    tmp_path: Path, name: str, content: str | bytes, place: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError, match=place):
        read_transcripts(path)
