"""Forced alignments: TextGrids, tiers, invalid intervals."""

import sys
from pathlib import Path

import pytest
from tiny_speech import make_textgrid, write_textgrid

from spacy_sentid.word_segmenter.speech.alignments import (
    Alignment,
    Interval,
    choose_tier,
    read_textgrid,
)

pytest.importorskip("praatio")

WORDS = [(0, 0.1, ""), (0.1, 0.30000000000000004, "有人"), (0.3, 0.53, "sil"), (0.53, 0.9, "在")]
IN_MS = [(0, 100, ""), (100, 300, "有人"), (300, 530, "sil"), (530, 900, "在")]
SHORT = """\
File type = "ooTextFile"
Object class = "TextGrid"

0
0.9
<exists>
1
"IntervalTier"
"words"
0
0.9
2
0
0.5
"有人"
0.5
0.9
"在"
"""


def test_a_textgrid_is_read_in_milliseconds(tmp_path: Path) -> None:
    path = write_textgrid(tmp_path / "a.TextGrid", phones=[(0, 1, "x")], words=WORDS)
    assert read_textgrid(path) == Alignment("a", path, "words", [Interval(*row) for row in IN_MS])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_short_textgrids_and_encodings_are_read(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_text(SHORT, encoding=encoding)
    assert read_textgrid(path).intervals == [(0, 500, "有人"), (500, 900, "在")]


@pytest.mark.parametrize(
    ("names", "tier", "chosen"),
    [
        (["words", "phones"], None, 0),
        (["Li - phones", "Li - words"], None, 1),
        (["Words", "Li - words"], None, 0),
        (["phones", "hanzi"], None, 1),
        (["Li - words", "Wu - words"], "Wu - words", 1),
        (["Li - words", "Wu - words"], "wu - WORDS", 1),
        (["syllables", "words"], "syllables", 0),
    ],
)
def test_the_tier_is_chosen_by_how_its_name_ends(
    names: list[str], tier: str | None, chosen: int
) -> None:
    assert choose_tier(names, tier=tier, place="a") == chosen


@pytest.mark.parametrize(
    ("names", "tier", "message"),
    [
        (["phones", "notes"], None, "'phones', 'notes'"),
        ([], None, "tiers"),
        (["words"], "hanzi", "'hanzi'"),
        (["A - words", "B - words"], None, "'A - words', 'B - words'"),
        (["words", "words"], None, "exactly one"),
    ],
)
def test_a_tier_that_cannot_be_chosen_lists_those_found(
    names: list[str], tier: str | None, message: str
) -> None:
    with pytest.raises(ValueError, match="a: ") as caught:
        choose_tier(names, tier=tier, place="a")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "place", "reason"),
    [
        ([(0, 0.5, "有"), (0.4, 0.9, "人")], "0.400 s", "'人' must begin after the end of '有'"),
        ([(0, 0.5, "有"), (0.6, 0.55, "人")], "0.600 s", "end after its start, got 0.550 s"),
        ([(0.5, 0.7, "有"), (0.1, 0.2, "人")], "0.100 s", "after the end of '有'"),
    ],
)
def test_wrong_intervals_name_file_tier_and_time(
    tmp_path: Path, rows: list[tuple[float, float, str]], place: str, reason: str
) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_text(make_textgrid({"phones": [(0, 1, "x")], "words": rows}), encoding="utf8")
    with pytest.raises(ValueError, match=reason) as caught:
        read_textgrid(path)
    assert str(caught.value).startswith(f"{path}, tier 'words', {place}: ")


def test_rounding_errors_are_not_overlaps(tmp_path: Path) -> None:
    rows = [(0, 0.30000000000000004, "有"), (0.3, 0.6, "人")]
    assert read_textgrid(write_textgrid(tmp_path / "a.TextGrid", words=rows)).intervals


@pytest.mark.parametrize(
    "content",
    [b"", b"nothing", b"\x00\x01\xff", SHORT.encode()[:40], b'{"xmin": 0}', b"[]",
     make_textgrid({"words": [(0, 1, "x")]}).replace("text =", "label =").encode()],
)  # fmt: skip
def test_an_invalid_textgrid_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"TextGrid as|tier") as caught:
        read_textgrid(path)
    assert str(caught.value).startswith(f"{path}: ")


def test_the_error_without_the_package_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "praatio.utilities.textgrid_io", None)
    with pytest.raises(ValueError, match=r"spacy-sentid\[speech\]"):
        read_textgrid(write_textgrid(tmp_path / "a.TextGrid", words=WORDS))
