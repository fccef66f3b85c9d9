"""CoNLL-U as found in practice: multiword tokens, empty nodes, missing text, errors."""

from pathlib import Path

import conllu
import pytest
from spacy.parts_of_speech import IDS

from spacy_sentid.conllu.blocks import COLUMNS
from spacy_sentid.conllu.treebank import TreebankUnit, find_treebank_files, read_treebank
from spacy_sentid.conllu.unit_checks import UPOS_TAGS


def row(id: str, form: str, head: str = "0", deprel: str = "root", misc: str = "_") -> str:
    return "\t".join([id, form, form.lower(), "X", "_", "_", head, deprel, "_", misc])


def read(tmp_path: Path, *lines: str) -> list[TreebankUnit]:
    file = tmp_path / "tiny.conllu"
    file.write_bytes("\n".join([*lines, ""]).encode())
    return list(read_treebank(file))


def spelled(unit: TreebankUnit) -> list[str]:
    return [unit.text[word.start_char : word.end_char] for word in unit.words]


def test_text_and_words_are_read(tmp_path: Path) -> None:
    (unit,) = read(
        tmp_path,
        "# sent_id = s1",
        "# text = Hi  Bo.",
        row("1", "Hi"),
        row("2", "Bo"),
        row("3", "."),
    )
    assert (unit.sent_id, unit.text, spelled(unit)) == ("s1", "Hi  Bo.", ["Hi", "Bo", "."])


def test_heads_are_indices_and_the_root_is_its_own(tmp_path: Path) -> None:
    (unit,) = read(tmp_path, row("1", "Hi", "2", "discourse"), row("2", "Bo"))
    assert [word.head for word in unit.words] == [1, 1]


def test_words_of_a_spelled_multiword_token_share_its_characters(tmp_path: Path) -> None:
    (unit,) = read(
        tmp_path, "# text = don't go", row("1-2", "don't"), row("1", "do"), row("2", "n't"),
        row("3", "go"),
    )  # fmt: skip
    assert spelled(unit) == ["do", "n't", "go"]


def test_words_of_other_multiword_tokens_span_the_whole_token(tmp_path: Path) -> None:
    (unit,) = read(
        tmp_path, "# text = zum Haus", row("1-2", "zum"), row("1", "zu"), row("2", "dem"),
        row("3", "Haus"),
    )  # fmt: skip
    assert spelled(unit) == ["zum", "zum", "Haus"]


def test_empty_nodes_are_skipped(tmp_path: Path) -> None:
    (unit,) = read(
        tmp_path,
        "# text = Bo reads",
        row("1", "Bo"),
        row("1.1", "has", "_", "_"),
        row("2", "reads"),
    )
    assert [word.form for word in unit.words] == ["Bo", "reads"]


def test_words_are_the_same_as_those_of_conllu(tmp_path: Path) -> None:
    lines = [
        "# text = don't go",
        row("1-2", "don't", "_", "_"),
        row("1", "do", "3", "aux"),
        row("2", "n't", "3", "advmod"),
        row("2.1", "you", "_", "_"),
        row("3", "go"),
    ]
    (unit,) = read(tmp_path, *lines)
    (tokens,) = conllu.parse("\n".join(lines))
    words = tokens.filter(id=lambda id: isinstance(id, int))
    assert [(word.form, word.lemma, word.upos, word.deprel) for word in unit.words] == [
        (token["form"], token["lemma"], token["upos"], token["deprel"]) for token in words
    ]
    assert [None if word.head == i else word.head for i, word in enumerate(unit.words)] == [
        token["head"] - 1 if token["head"] else None for token in words
    ]


def test_without_text_the_words_and_space_after_spell_it(tmp_path: Path) -> None:
    (unit,) = read(tmp_path, row("1", "Hi", misc="SpaceAfter=No"), row("2", "."), row("3", "Bo"))
    assert unit.text == "Hi. Bo"


@pytest.mark.parametrize(("misc", "space"), [("_", True), ("SpaceAfter=No", False)])
def test_space_after_the_last_word_is_kept(tmp_path: Path, misc: str, space: bool) -> None:
    (unit,) = read(tmp_path, "# text = Hi", row("1", "Hi", misc=misc))
    assert unit.space_after is space


def test_space_after_of_a_last_multiword_token_is_kept(tmp_path: Path) -> None:
    (unit,) = read(
        tmp_path, row("1-2", "zum", misc="SpaceAfter=No"), row("1", "zu"), row("2", "dem")
    )
    assert unit.space_after is False


@pytest.mark.parametrize(
    ("comment", "newdoc", "newpar"),
    [
        ("# newdoc id = d1", "d1", False),
        ("# newdoc", "", False),
        ("# newpar", None, True),
        ("# newpar id = p1", None, True),
        ("# other = 1", None, False),
    ],
)
def test_document_and_paragraph_starts_are_read(
    tmp_path: Path, comment: str, newdoc: str | None, newpar: bool
) -> None:
    (unit,) = read(tmp_path, comment, row("1", "Hi"))
    assert (unit.newdoc, unit.newpar) == (newdoc, newpar)


def test_a_corpus_without_relations_is_marked(tmp_path: Path) -> None:
    (unit,) = read(tmp_path, row("1", "Hi", "_", "_"))
    assert not unit.has_relations
    assert unit.words[0].head is None


def test_blocks_with_only_comments_are_skipped(tmp_path: Path) -> None:
    assert len(read(tmp_path, "# newdoc id = d", "", row("1", "Hi"))) == 1


def test_several_blank_lines_and_windows_line_ends_separate_units(tmp_path: Path) -> None:
    units = read(tmp_path, row("1", "Hi") + "\r", "\r", "", row("1", "Bo") + "\r")
    file = tmp_path / "tiny.conllu"
    assert [(unit.text, unit.place) for unit in units] == [("Hi", f"{file}:1"), ("Bo", f"{file}:4")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_of_all_systems_are_read(
    tmp_path: Path, end: str, mark: str
) -> None:
    file = tmp_path / "tiny.conllu"
    lines = ["# text = Hi", row("1", "Hi"), "", row("1", "Bo"), ""]
    file.write_bytes((mark + end.join(lines)).encode())
    assert [(unit.text, unit.place) for unit in read_treebank(file)] == [
        ("Hi", f"{file}:1"),
        ("Bo", f"{file}:4"),
    ]


def test_the_tags_are_those_of_spacy() -> None:
    assert {tag or "_" for tag in IDS} == UPOS_TAGS


@pytest.mark.parametrize("separator", ["\u2028", "\x85", "\x0c", "\u00a0"])
def test_rare_white_space_inside_a_line_does_not_end_it(tmp_path: Path, separator: str) -> None:
    text = f"Hi{separator}Bo"
    (unit,) = read(tmp_path, f"# text = {text}", row("1", "Hi"), row("2", "Bo"))
    assert unit.text == text


@pytest.mark.parametrize("lines", [[], ["", ""], ["# sent_id = a"], ["\ufeff"]])
def test_a_file_without_units_is_an_error(tmp_path: Path, lines: list[str]) -> None:
    with pytest.raises(ValueError, match=r"tiny.conllu must have units .* got none"):
        read(tmp_path, *lines)


def test_the_usual_header_is_a_comment(tmp_path: Path) -> None:
    assert read(tmp_path, f"# global.columns = {' '.join(COLUMNS)}", row("1", "Hi"))


def test_long_values_are_shortened(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="UPOS") as caught:
        read(tmp_path, f"# sent_id = {'i' * 9999}", row("1", "Hi").replace("X", "x" * 9999))
    assert len(str(caught.value)) < 300 + len(str(tmp_path))


BROKEN = {
    "too few columns": ([row("1", "Hi"), "2\tBo\t_"], "10 columns", 3),
    "spaces for tabs": ([row("1", "Hi").replace("\t", " ")], "10 columns", 2),
    "ids with a hole": ([row("1", "Hi"), row("3", "Bo")], "must be 2, got '3'", 3),
    "id is no number": ([row("x", "Hi")], "got 'x'", 2),
    "head is no number": ([row("1", "Hi", "x")], "got 'x'", 2),
    "head beyond the unit": ([row("1", "Hi", "7")], "got '7'", 2),
    "no root": ([row("1", "Hi", "2"), row("2", "Bo", "1")], "a cycle", 1),
    "a cycle": (
        [row("1", "Hi", "0"), row("2", "Bo", "3"), row("3", "Al", "2")],
        "a cycle at word",
        1,
    ),
    "an empty MISC": ([row("1", "Hi", misc="")], "a column must not be empty", 2),
    "a FORM of white space": ([row("1", " ")], "a column must not be empty", 2),
    "an unknown UPOS": ([row("1", "Hi").replace("X", "x")], "UPOS must be a universal tag", 2),
    "features without a value": (
        [row("1", "Hi").replace("X\t_\t_", "X\t_\tCase")],
        "FEATS must be NAME=VALUE",
        2,
    ),
    "a range without end": ([row("1-" + "9" * 5000, "Hi"), row("1", "Hi")], "its words", 2),
    "a CR inside of a line": (["# a\rb", row("1", "Hi")], "a CR inside", 2),
    "text lacks a word": (["# text = Hi", row("1", "Hi"), row("2", "Bo")], "differ", 1),
    "text has more": (["# text = Hi Bo", row("1", "Hi")], "must end with the last word", 1),
    "text is another": (["# text = Hello", row("1", "Hi")], "differ", 1),
}


@pytest.mark.parametrize("name", BROKEN)
def test_malformed_input_is_named_with_file_line_and_sent_id(tmp_path: Path, name: str) -> None:
    lines, message, line = BROKEN[name]
    with pytest.raises(ValueError, match=message) as caught:
        read(tmp_path, "# sent_id = good", row("1", "Hi"), "", "# sent_id = s-7", *lines)
    assert f"tiny.conllu:{line + 3}" in str(caught.value)
    assert "s-7" in str(caught.value)


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "latin.conllu"
    file.write_bytes("\n".join([row("1", "Hi"), "", row("1", "Öl"), ""]).encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin\.conllu:3 .*UTF-8"):
        list(read_treebank(file))


def test_files_of_a_folder_are_found_by_split(tmp_path: Path) -> None:
    for name in ("xx-ud-train.conllu", "xx-ud-dev.conllu", "notes.txt"):
        (tmp_path / name).touch()
    assert [file.name for file in find_treebank_files(tmp_path, "dev")] == ["xx-ud-dev.conllu"]
    assert len(find_treebank_files(tmp_path)) == 2
    assert find_treebank_files(tmp_path / "notes.txt") == [tmp_path / "notes.txt"]


def test_a_folder_without_treebank_raises(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="treebank"):
        find_treebank_files(tmp_path, "dev")
