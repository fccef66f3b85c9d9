"""Forced alignments: TextGrid and CTM files, tiers, invalid intervals."""

import sys
from pathlib import Path

import pytest
from tiny_speech import make_textgrid, write_textgrid

from spacy_sentid.files.records import BadLine
from spacy_sentid.word_segmenter.speech.alignments import (
    Alignment,
    Interval,
    Kind,
    choose_tier,
    read_alignments,
    read_ctm,
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
    ("names", "kind", "tier", "chosen"),
    [
        (["words", "phones"], "words", None, 0),
        (["Li - words", "Li - phones"], "phones", None, 1),
        (["Words", "Li - words"], "words", None, 0),
        (["words", "hanzi"], "characters", None, 1),
        (["words", "phones"], "characters", None, 0),
        (["Li - words", "Wu - words"], "words", "Wu - words", 1),
        (["Li - words", "Wu - words"], "words", "wu - WORDS", 1),
        (["syllables", "words"], "words", "syllables", 0),
    ],
)
def test_the_tier_is_chosen_by_how_its_name_ends(
    names: list[str], kind: str, tier: str | None, chosen: int
) -> None:
    assert choose_tier(names, kind=Kind(kind), tier=tier, place="a") == chosen


@pytest.mark.parametrize(
    ("names", "tier", "message"),
    [
        (["phones", "notes"], None, "'phones', 'notes'"),
        ([], None, "tiers"),
        (["words"], "hanzi", "'hanzi'"),
        (["A - words", "B - words"], None, "'A - words', 'B - words'"),
        (["words", "words"], None, "2 tiers"),
    ],
)
def test_a_tier_that_cannot_be_chosen_lists_those_found(
    names: list[str], tier: str | None, message: str
) -> None:
    with pytest.raises(ValueError, match="a: ") as caught:
        choose_tier(names, kind=Kind.words, tier=tier, place="a")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("rows", "place", "reason"),
    [
        ([(0, 0.5, "有"), (0.4, 0.9, "人")], "0.400 s", "'人' must begin after the end of '有'"),
        (
            [(0, 0.5, "有"), (0.6, 0.55, "人")],
            "0.600 s",
            "must end after its start, got 0.550 s",
        ),
        ([(0.5, 0.7, "有"), (0.1, 0.2, "人")], "0.100 s", "after the end of '有'"),
        ([(-0.25, 0.5, "有")], "-0.25 s", "before the recording"),
    ],
)
def test_wrong_intervals_name_file_tier_and_time(
    tmp_path: Path, rows: list[tuple[float, float, str]], place: str, reason: str
) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_text(make_textgrid({"phones": [(0, 1, "x")], "words": rows}), encoding="utf8")
    (found,) = read_alignments(path)
    assert isinstance(found, BadLine)
    assert found.place == f"{path}, tier 'words', {place}"
    assert reason in found.reason


def test_rounding_errors_are_not_overlaps(tmp_path: Path) -> None:
    rows = [(0, 0.30000000000000004, "有"), (0.3, 0.6, "人")]
    assert read_textgrid(write_textgrid(tmp_path / "a.TextGrid", words=rows)).intervals


@pytest.mark.parametrize(
    "content",
    [b"", b"nothing", b"\x00\x01\xff", SHORT.encode()[:40], b'{"xmin": 0}', b"[]",
     make_textgrid({"words": [(0, 1, "x")]}).replace("text =", "label =").encode()],
)  # fmt: skip
def test_an_invalid_textgrid_is_a_bad_line(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_bytes(content)
    (found,) = read_alignments(path)
    assert isinstance(found, BadLine)
    assert found.place == str(path)
    assert "TextGrid" in found.reason or "tier" in found.reason


def test_the_error_without_the_package_says_how_to_install_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "praatio.utilities.textgrid_io", None)
    with pytest.raises(ValueError, match=r"spacy-sentid\[speech\]"):
        read_textgrid(write_textgrid(tmp_path / "a.TextGrid", words=WORDS))


CTM = """\
;; made up
a 1 0.10 0.20 有 0.9
a 1 0.30 0.2300 sil
a 1 0.53 0.37 在
b 1 0.00 0.40 好
b 2 0.00 0.30 走
"""


def test_a_ctm_is_grouped_by_utterance_and_channel(tmp_path: Path) -> None:
    path = tmp_path / "all.ctm"
    path.write_text(CTM, encoding="utf8")
    found = [row for row in read_ctm(path) if isinstance(row, Alignment)]
    assert [row.id for row in found] == ["a", "b", "b-2"]
    assert found[0].intervals == [(100, 300, "有"), (300, 530, "sil"), (530, 900, "在")]
    assert found[0].place(100) == f"{path}, utterance 'a', 0.100 s"


@pytest.mark.parametrize(
    ("lines", "kept", "place", "reason"),
    [
        ("a 1 0 0.1 有\nb 1 x 0.1 人\nb 1 0.2 0.1 在\nc 1 0 1 好\n", "ac", ":2", "got 'b 1 x"),
        ("a 1 0 0.1\nb 1 0 1 好\n", "b", ":1", "too few columns"),
        ("a 1 0 inf 有\nb 1 0 1 好\n", "b", ":1", "got inf s"),
        (
            "a 1 0 0.2 有\na 1 0.1 1 人\nb 1 0 1 好\n",
            "b",
            ", utterance 'a', 0.100 s",
            "after the end",
        ),
        ("a 1 0.3 -0.2 有\nb 1 0 1 好\n", "b", ", utterance 'a', 0.300 s", "got 0.100 s"),
        ("a 1 0 1 有\nb 1 0 1 好\na 1 1 1 人\n", "ab", ", utterance 'a'", "in two places"),
    ],
)
def test_an_invalid_utterance_of_a_ctm_is_skipped(
    tmp_path: Path, lines: str, kept: str, place: str, reason: str
) -> None:
    path = tmp_path / "all.ctm"
    path.write_text(lines, encoding="utf8")
    found = list(read_ctm(path))
    assert [row.id for row in found if isinstance(row, Alignment)] == list(kept)
    (fault,) = [row for row in found if isinstance(row, BadLine)]
    assert fault.place == f"{path}{place}"
    assert reason in fault.reason


def test_invalid_bytes_in_a_ctm_invalidate_the_utterance(tmp_path: Path) -> None:
    path = tmp_path / "all.ctm"
    raw = b"a 1 0 1 x\nb 1 0 1 y\nb 1 1 1 \xff\nc 1 1 1 z\nd 1 0 1 x\n\xff 1 0 1 x\n"
    path.write_bytes(raw)
    found = list(read_ctm(path))
    assert [row.id for row in found if isinstance(row, Alignment)] == ["a", "c", "d"]
    faults = [row for row in found if isinstance(row, BadLine)]
    assert [row.place for row in faults] == [f"{path}:3", f"{path}:6"]
    assert all("UTF-8" in row.reason for row in faults)
