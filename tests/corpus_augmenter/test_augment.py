"""Augmented treebanks: small units, bad input, and the command. Laws are in test_augment_laws."""

import os
import re
from collections import Counter
from pathlib import Path
from random import Random
from threading import Thread

import pytest
from conllu_rows import row, unit
from typer.testing import CliRunner

from spacy_sentid.cli import app
from spacy_sentid.corpus_augmenter.treebanks import Report, _draw, augment_treebanks

runner = CliRunner()


CATS = unit(
    row(1, "Cats", "NOUN", 2, "nsubj"),
    row(2, "sleep", "VERB", 0, "root", misc="SpaceAfter=No"),
    row(3, ".", "PUNCT", 2, "punct"),
    text="Cats sleep.",
)
# "She lives in the old city of Bern ."
CITY_ROWS = (
    row(1, "She", "PRON", 2, "nsubj", "2:nsubj"),
    row(2, "lives", "VERB", 0, "root", "0:root"),
    row(3, "in", "ADP", 6, "case", "6:case"),
    row(4, "the", "DET", 6, "det", "6:det"),
    row(5, "old", "ADJ", 6, "amod", "6:amod"),
    row(6, "city", "NOUN", 2, "obl", "2:obl:in"),
    row(7, "of", "ADP", 8, "case", "8:case"),
    row(8, "Bern", "PROPN", 6, "nmod", "6:nmod:of", "SpaceAfter=No"),
    row(9, ".", "PUNCT", 2, "punct", "2:punct"),
)
CITY = unit(*CITY_ROWS, sent_id="s2", text="She lives in the old city of Bern.")


def augment(folder: Path, *texts: str, **options: object) -> tuple[str, Report]:
    """Write the texts to files, and augment them."""
    files = []
    for n, text in enumerate(texts):
        files.append(folder / f"in{n}.conllu")
        files[-1].write_bytes(text.encode("utf8"))
    output = folder / "out.conllu"
    report = augment_treebanks(files, output, **options)  # type: ignore[arg-type]
    return output.read_bytes().decode("utf8"), report


# ---- end punctuation


def test_an_end_mark_is_removed_from_a_unit(tmp_path: Path) -> None:
    text, report = augment(tmp_path, CATS, remove_punct=1)
    assert text == unit(
        row(1, "Cats", "NOUN", 2, "nsubj"),
        row(2, "sleep", "VERB", 0, "root"),
        sent_id="s1-nopunct",
        text="Cats sleep",
    )
    assert (report.n_eligible, report.n_removed) == (1, 1)


def sentence(*words: tuple[str, str, int], **options: str) -> str:
    rows = [
        row(n, form, upos, head, "root" if head == 0 else "punct" if upos == "PUNCT" else "dep")
        for n, (form, upos, head) in enumerate(words, start=1)
    ]
    return unit(*rows, text=" ".join(form for form, _, _ in words))


END_MARK_CASES = {
    "a question mark": ([("Who", "PRON", 0), ("?", "PUNCT", 1)], "Who"),
    "a full stop of another script": ([("好", "ADJ", 0), ("。", "PUNCT", 1)], "好"),
    "two marks go together": ([("No", "INTJ", 0), (".", "PUNCT", 1), (".", "PUNCT", 1)], "No"),
    "the second mark hangs on the first": (
        [("No", "INTJ", 0), (".", "PUNCT", 1), (".", "PUNCT", 2)],
        "No",
    ),
    "a double mark is another word": ([("No", "INTJ", 0), ("!!", "PUNCT", 1)], None),
    "an ellipsis is another word": ([("No", "INTJ", 0), ("...", "PUNCT", 1)], None),
    "a comma": ([("No", "INTJ", 0), (",", "PUNCT", 1)], None),
    "a quote behind the mark": (
        [("No", "INTJ", 0), (".", "PUNCT", 1), ('"', "PUNCT", 1)],
        None,
    ),
    "a mark alone": ([(".", "PUNCT", 0)], None),
    "not tagged PUNCT": ([("No", "INTJ", 0), (".", "SYM", 1)], None),
    "a mark with dependents": ([("and", "CCONJ", 2), (".", "PUNCT", 0)], None),
    "only the marks behind one with dependents": (
        [("and", "CCONJ", 3), ("x", "X", 0), (".", "PUNCT", 2), (".", "PUNCT", 2)],
        "and x .",
    ),
    "one of three marks stays": (
        [("!", "PUNCT", 0), ("!", "PUNCT", 1), ("!", "PUNCT", 1)],
        "!",
    ),
}


@pytest.mark.parametrize("name", END_MARK_CASES)
def test_end_marks_are_removed_with_p_1(tmp_path: Path, name: str) -> None:
    words, expected = END_MARK_CASES[name]
    before = sentence(*words)
    after, report = augment(tmp_path, before, remove_punct=1)
    if expected is None:
        assert (after, report.n_eligible) == (before, 0)
    else:
        assert f"# text = {expected}\n" in after
        assert report.n_removed == 1
        assert augment(tmp_path, after, remove_punct=1)[1].n_eligible == 0


def test_the_marks_can_be_chosen(tmp_path: Path) -> None:
    text = sentence(("No", "INTJ", 0), ("!!", "PUNCT", 1))
    after, _ = augment(tmp_path, text, remove_punct=1, marks={"!!"})
    assert "!!" not in after


@pytest.mark.parametrize(
    "rows",
    [
        # An enhanced relation, an empty node, a multiword token.
        [row(1, "No", "INTJ", 0, "root", "2:x"), row(2, ".", "PUNCT", 1, "punct", "1:punct")],
        [row(1, "No", "INTJ", 0, "root"), row(2, ".", "PUNCT", 1, "punct"), row("2.1", "x")],
        [
            row("1-2", "etc.", "_", "_", "_"),
            row(1, "etc", "X", 0, "root"),
            row(2, ".", "PUNCT", 1, "punct"),
        ],
    ],
    ids=["enhanced", "empty", "multiword"],
)
def test_a_mark_that_another_annotation_needs_is_kept(tmp_path: Path, rows: list[str]) -> None:
    rows = [line.replace("\t0\tdep\t", "\t_\t_\t") for line in rows]
    assert augment(tmp_path, unit(*rows), remove_punct=1)[1].n_eligible == 0


def test_a_mark_that_is_kept_may_need_the_marks_after_it(tmp_path: Path) -> None:
    rows = (
        row(1, "and", "CCONJ", 3, "cc", "3:cc"),
        row(2, "x", "X", 0, "root", "0:root"),
        row(3, ".", "PUNCT", 2, "punct", "2:punct|4:x"),
        row(4, ".", "PUNCT", 2, "punct", "2:punct"),
    )
    assert augment(tmp_path, unit(*rows), remove_punct=1) == (
        unit(*rows),
        Report(1, 0, 0, 0, 0, 0, 0),
    )


def test_a_mark_that_closes_an_entity_is_kept(tmp_path: Path) -> None:
    rows = [
        row(1, "No", "INTJ", 0, "root", misc="Entity=(1-x"),
        row(2, ".", "PUNCT", 1, "punct", misc="Entity=1)"),
    ]
    assert augment(tmp_path, unit(*rows), remove_punct=1)[1].n_eligible == 0


def test_spaces_after_the_mark_are_kept_and_spaceafter_is_removed(tmp_path: Path) -> None:
    text = unit(
        row("1-2", "don't", "_", "_", "_", misc="SpaceAfter=No|X=1"),
        row(1, "do", "AUX", 0, "root"),
        row(2, "n't", "PART", 1, "advmod"),
        row(3, ".", "PUNCT", 1, "punct", misc="SpacesAfter=\\n"),
    )
    after, _ = augment(tmp_path, text, remove_punct=1)
    assert after == unit(
        row("1-2", "don't", "_", "_", "_", misc="X=1|SpacesAfter=\\n"),
        row(1, "do", "AUX", 0, "root"),
        row(2, "n't", "PART", 1, "advmod"),
        sent_id="s1-nopunct",
    )


# ---- noun phrases


def phrases_of(before: str, after: str) -> str:
    assert after.startswith(before)
    return after[len(before) :]


def test_noun_phrases_are_appended_with_their_trees(tmp_path: Path) -> None:
    after, report = augment(tmp_path, CITY, add_np=1)
    assert phrases_of(CITY, after) == unit(
        row(1, "the", "DET", 3, "det", "3:det"),
        row(2, "old", "ADJ", 3, "amod", "3:amod"),
        row(3, "city", "NOUN", 0, "root", "0:root"),
        row(4, "of", "ADP", 5, "case", "5:case"),
        row(5, "Bern", "PROPN", 3, "nmod", "3:nmod:of"),
        sent_id="s2-np6",
        text="the old city of Bern",
    )
    assert (report.n_pool, report.n_added) == (1, 1)


def texts_added(folder: Path, *rows: str, **options: object) -> list[str]:
    text = unit(*rows)
    after = augment(folder, text, add_np=9, **options)[0]
    return re.findall("^# text = (.*)", phrases_of(text, after), re.MULTILINE)


NP_CASES = {
    "three words are too few": (["the/DET>3", "old/ADJ>3", "city/NOUN>0"], []),
    "a copula makes a sentence": (["She/PRON>4", "is/AUX>4:cop", "a/DET>4", "nurse/NOUN>0"], []),
    "a pronoun is no noun": (["all/DET>4", "the/DET>4", "old/ADJ>4", "ones/PRON>0"], []),
    "case goes before the phrase": (
        ["in/ADP>4:case", "the/DET>4", "old/ADJ>4", "city/NOUN>0"],
        ["the old city"],
    ),
    "and behind it": (
        ["the/DET>3", "old/ADJ>3", "city/NOUN>0", "'s/PART>3:case"],
        ["the old city"],
    ),
    "case goes with what hangs on it": (
        ["because/ADP>4:case", "of/ADP>1", "the/DET>4", "rain/NOUN>0"],
        ["the rain"],
    ),
    "punctuation goes at both edges": (
        ['"/PUNCT>4:punct', "the/DET>4", "old/ADJ>4", "city/NOUN>0", '"/PUNCT>4:punct'],
        ["the old city"],
    ),
    "several go": (
        [",/PUNCT>5:punct", "in/ADP>5:case", "the/DET>5", "old/ADJ>5", "city/NOUN>0"],
        ["the old city"],
    ),
    "not inside": (
        ["the/DET>5", "old/ADJ>5", ",/PUNCT>5:punct", "big/ADJ>5", "city/NOUN>0"],
        ["the old , big city"],
    ),
    "not those of a word below": (
        ["cats/NOUN>0", "of/ADP>4:case", "the/DET>4", "city/NOUN>1", "./PUNCT>4:punct"],
        ["cats of the city .", "the city"],
    ),
    "subtypes count as their base": (
        ["in/ADP>4:case:loc", "the/DET>4", "old/ADJ>4", "city/NOUN>0"],
        ["the old city"],
    ),
    "a gap": (
        ["a/DET>2", "talk/NOUN>4", "on/ADP>4", "is/VERB>0", "the/DET>6", "city/NOUN>2"],
        [],
    ),
    "nested ones too": (
        ["walls/NOUN>0", "of/ADP>5:case", "the/DET>5", "old/ADJ>5", "city/NOUN>1"],
        ["walls of the old city", "the old city"],
    ),
    "the same text once": (
        ["the/DET>4", "big/ADJ>4", "old/ADJ>4", "city/NOUN>5", "x/X>0",
         "the/DET>9", "big/ADJ>9", "old/ADJ>9", "city/NOUN>5"],
        ["the big old city"],
    ),
}  # fmt: skip


def parse_words(words: list[str]) -> list[str]:
    """Parse words written as "form/UPOS>head:deprel" into rows."""
    rows = []
    for number, word in enumerate(words, start=1):
        form, upos, head, deprel = re.fullmatch(r"(.+)/(\w+)>(\d+):?(.*)", word).groups()  # type: ignore[union-attr]
        rows.append(row(number, form, upos, head, deprel or ("root" if head == "0" else "dep")))
    return rows


@pytest.mark.parametrize("name", NP_CASES)
def test_noun_phrases_of_a_unit(tmp_path: Path, name: str) -> None:
    words, expected = NP_CASES[name]
    assert texts_added(tmp_path, *parse_words(words)) == expected


FUSED = [  # "zum alten Tor dort", where "zum" is "zu" + "dem"
    row("1-2", "zum", "_", "_", "_"),
    row(1, "zu", "ADP", 4, "case"),
    row(2, "dem", "DET", 4, "det"),
    row(3, "alten", "ADJ", 4, "amod"),
    row(4, "Tor", "NOUN", 0, "root"),
    row(5, "dort", "ADV", 4, "advmod"),
]


def test_a_phrase_that_cuts_a_fused_token_is_skipped_and_counted(tmp_path: Path) -> None:
    after, report = augment(tmp_path, unit(*FUSED), add_np=1)
    assert (after, report.n_pool, report.n_cut) == (unit(*FUSED), 0, 1)


def test_a_token_that_its_words_spell_can_be_cut(tmp_path: Path) -> None:
    text = unit(
        row(1, "my", "PRON", 4, "nmod"),
        row(2, "old", "ADJ", 4, "amod"),
        row(3, "grey", "ADJ", 4, "amod"),
        row("4-5", "cat's", "_", "_", "_", misc="SpaceAfter=No"),
        row(4, "cat", "NOUN", 0, "root"),
        row(5, "'s", "PART", 4, "case"),
        text="my old grey cat's",
    )
    after, _ = augment(tmp_path, text, add_np=1)
    assert phrases_of(text, after).endswith(
        "# text = my old grey cat\n"
        + "\n".join(
            [
                row(1, "my", "PRON", 4, "nmod"),
                row(2, "old", "ADJ", 4, "amod"),
                row(3, "grey", "ADJ", 4, "amod"),
                row(4, "cat", "NOUN", 0, "root"),
                "\n",
            ]
        )
    )


def test_tokens_are_cut_and_renumbered(tmp_path: Path) -> None:
    text = unit(
        row("1-3", "ofthebig", "_", "_", "_", misc="SpaceAfter=No"),
        row(1, "of", "ADP", 4, "case"),
        row(2, "the", "DET", 4, "det"),
        row(3, "big", "ADJ", 4, "amod"),
        row(4, "city", "NOUN", 0, "root"),
        row("5-6", "rightnow", "_", "_", "_"),
        row(5, "right", "ADV", 6, "advmod"),
        row(6, "now", "ADV", 4, "advmod"),
    )
    after, _ = augment(tmp_path, text, add_np=1)
    assert phrases_of(text, after) == unit(
        row("1-2", "thebig", "_", "_", "_", misc="SpaceAfter=No"),
        row(1, "the", "DET", 3, "det"),
        row(2, "big", "ADJ", 3, "amod"),
        row(3, "city", "NOUN", 0, "root"),
        row("4-5", "rightnow", "_", "_", "_"),
        row(4, "right", "ADV", 5, "advmod"),
        row(5, "now", "ADV", 3, "advmod"),
        sent_id="s1-np4",
        text="thebigcity rightnow",
    )


def test_outside_enhanced_relations_are_removed_and_all_words_stay_connected(
    tmp_path: Path,
) -> None:
    text = unit(
        row(1, "saw", "VERB", 0, "root", "0:root"),
        row("1.1", "e", "VERB", "_", "_", "1:conj"),
        row(2, "the", "DET", 3, "det", "3:det"),
        row(3, "man", "NOUN", 1, "obj", "1:obj|5:nsubj"),
        row("3.1", "who", "PRON", "_", "_", "5:nsubj"),
        row("3.2", "gone", "PRON", "_", "_", "1:x"),
        row("3.3", "kept", "PRON", "_", "_", "3.1:x"),
        row(4, "we", "PRON", 5, "nsubj", "5:nsubj|1.1:nsubj"),
        row(5, "met", "VERB", 3, "acl", "1.1:acl"),
        row(6, "there", "ADV", 5, "advmod", "6.1:advmod"),
        row("6.1", "e", "X", "_", "_", "5:x"),
    )
    after, _ = augment(tmp_path, text, add_np=1)
    assert phrases_of(text, after) == unit(
        row(1, "the", "DET", 2, "det", "2:det"),
        row(2, "man", "NOUN", 0, "root", "0:root|4:nsubj"),
        row(3, "we", "PRON", 4, "nsubj", "4:nsubj"),
        row(4, "met", "VERB", 2, "acl", "2:acl"),
        row(5, "there", "ADV", 4, "advmod", "4:advmod"),
        sent_id="s1-np3",
        text="the man we met there",
    )


def test_a_relation_to_the_basic_head_is_not_duplicated(tmp_path: Path) -> None:
    text = unit(
        row(1, "saw", "VERB", 0, "root", "0:root"),
        row(2, "men", "NOUN", 1, "obj", "1:obj"),
        row(3, "met", "VERB", 2, "acl", "1:x"),
        row(4, "by", "ADP", 5, "case", "5:case"),
        row(5, "us", "PRON", 3, "obl", "3:obl:by"),
    )
    after, _ = augment(tmp_path, text, add_np=1)
    assert phrases_of(text, after) == unit(
        row(1, "men", "NOUN", 0, "root", "0:root"),
        row(2, "met", "VERB", 1, "acl", "1:acl"),
        row(3, "by", "ADP", 4, "case", "4:case"),
        row(4, "us", "PRON", 2, "obl", "2:obl:by"),
        sent_id="s1-np2",
        text="men met by us",
    )


def test_annotation_of_the_whole_document_is_dropped(tmp_path: Path) -> None:
    rows = [row(n, w, "NOUN", 4, "dep", misc="Entity=(1|Gloss=x") for n, w in enumerate("abc", 1)]
    text = unit(*rows, row(4, "d", "NOUN", 0, "root", misc="Entity=1)"))
    after, _ = augment(tmp_path, text, add_np=1)
    assert "Entity" not in phrases_of(text, after)
    assert "Gloss=x" in phrases_of(text, after)


# ---- ids, documents, files


def test_ids_of_a_second_run_differ_from_those_of_the_first(tmp_path: Path) -> None:
    first, _ = augment(tmp_path, CITY, add_np=1)
    second, report = augment(tmp_path, first, add_np=9, remove_punct=1)
    ids = re.findall("^# sent_id = (.*)", second, re.MULTILINE)
    assert len(ids) == len(set(ids)) == report.n_units + report.n_added
    assert "s2-nopunct.2" in ids


def test_units_without_an_id_are_named_by_file_and_number(tmp_path: Path) -> None:
    after, _ = augment(tmp_path, CATS, unit(*CITY_ROWS, sent_id=None), add_np=1, remove_punct=1)
    assert "# sent_id = in1-2-np6\n" in after
    assert "# sent_id = in1-2-nopunct\n" in after


def test_the_name_of_a_unit_without_an_id_is_unique(tmp_path: Path) -> None:
    text = CITY.replace("s2", "in0-2") + unit(*CITY_ROWS[:-1], sent_id=None).replace("Bern", "Rom")
    after, report = augment(tmp_path, text, add_np=1, remove_punct=1)
    ids = re.findall("^# sent_id = (.*)", after, re.MULTILINE)
    assert ids == ["in0-2-nopunct", "in0-2-np6", "in0-2--np6"]
    assert report.n_added == 2


def test_noun_phrases_are_separate_documents_if_there_are_documents(tmp_path: Path) -> None:
    text = "# newdoc id = d1\n# newpar\n" + CITY
    after, _ = augment(tmp_path, text, add_np=1, remove_punct=1)
    assert after.startswith("# newdoc id = d1\n# newpar\n# sent_id = s2-nopunct\n")
    assert "\n\n# newdoc id = s2-np6\n# sent_id = s2-np6\n" in after


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n \n"])
def test_files_without_a_final_blank_line_are_joined_correctly(tmp_path: Path, end: str) -> None:
    first = CATS.rstrip("\n") + end
    after, _ = augment(tmp_path, first, CITY, add_np=0.5)
    missing = "\n" * max(0, 2 - end.count("\n"))
    assert after.startswith(first + missing + CITY)
    after, _ = augment(tmp_path, CITY.rstrip("\n") + end, add_np=1)
    assert after.startswith(CITY.rstrip("\n") + end + missing + "# sent_id = s2-np6")


ODD_FILES = {
    "comments alone": "# the start\n\n" + CATS + "\n# the end\n",
    "windows": CATS.replace("\n", "\r\n"),
    "blank lines with spaces": "\n" + CATS + " \n\t\n" + CITY,
    "no end": CATS.rstrip("\n"),
}


@pytest.mark.parametrize("name", ODD_FILES)
def test_nothing_to_do_reproduces_the_file(tmp_path: Path, name: str) -> None:
    assert augment(tmp_path, ODD_FILES[name])[0] == ODD_FILES[name]


@pytest.mark.parametrize("text", ["", "\n\n\n", "# sent_id = a\n"])
def test_a_file_without_units_is_an_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"in1\.conllu must have units .* got none"):
        augment(tmp_path, CATS, text)


def test_byte_order_marks_and_carriage_returns_are_not_copied(tmp_path: Path) -> None:
    after, _ = augment(tmp_path, "\ufeff" + CATS, "\ufeff" + CITY.replace("\n", "\r"))
    assert after == CATS + CITY


def test_a_changed_unit_keeps_its_line_ends(tmp_path: Path) -> None:
    after, _ = augment(tmp_path, CATS.replace("\n", "\r\n"), remove_punct=1)
    assert after.count("\r\n") == after.count("\n") == 5


def test_the_output_may_be_the_input(tmp_path: Path) -> None:
    file = tmp_path / "same.conllu"
    file.write_text(CITY)
    augment_treebanks([file], file, add_np=1)
    assert file.read_text().startswith(CITY + "# sent_id = s2-np6")


# ---- bad input

BROKEN = {
    "nine columns": (CATS.replace("\t_\n", "\n", 1), 3, "10 columns"),
    "a word that heads itself": (CATS.replace("2\tpunct", "3\tpunct"), 5, "HEAD of word 3"),
    "a circle": (CITY.replace("_\t2\tobl", "_\t8\tobl"), 1, "a cycle"),
    "two roots": (CATS.replace("\t2\tpunct", "\t0\tpunct"), 1, "one root"),
    "head out of range": (CATS.replace("\t2\tpunct", "\t4\tpunct"), 5, "got '4'"),
    "no head": (CATS.replace("\t2\tpunct", "\t_\tpunct"), 1, "'_' for word 3"),
    "a head that is no number": (CATS.replace("\t2\tpunct", "\t+2\tpunct"), 5, "got '+2'"),
    "an empty MISC": (CATS.replace("punct\t_\t_", "punct\t_\t"), 5, "empty"),
    "an unknown UPOS": (CATS.replace("PUNCT", "Punct"), 5, "got 'Punct'"),
    "a CR for LF": (CATS.replace("\n2", "\r2"), 3, "CR"),
    "an empty column": (CATS.replace("\t.\t_\tPUNCT", "\t.\t\tPUNCT"), 5, "empty"),
    "ids in bad order": (CATS.replace("3\t.", "4\t."), 5, "got '4'"),
    "not UTF-8": (CATS.replace("Cats", "K\udce4ter"), 2, "UTF-8"),
    "another text": (CATS.replace("text = Cats", "text = Dogs"), 1, "differ"),
    "a broken relation": (CATS.replace("punct\t_", "punct\t7:punct"), 5, "'7:punct'"),
    "a range behind its words": (CATS.replace("3\t.", "1-2\tx" + "\t_" * 8 + "\n3\t."), 5, "'1-2'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_malformed_input_is_an_error_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    text, line, message = BROKEN[name]
    file = tmp_path / "bad.conllu"
    file.write_bytes((CITY + text).encode("utf8", "surrogateescape"))
    output = tmp_path / "out.conllu"
    result = runner.invoke(app, ["augment", str(file), str(output), "--remove-punct", "1"])
    assert result.exit_code == 1
    n_before = CITY.count("\n")
    sent_id = "s1" if "s1" in text else "s2"
    assert f"bad.conllu:{n_before + line} (sent_id {sent_id})" in result.stderr
    assert message in result.stderr
    assert list(tmp_path.iterdir()) == [file]


def test_a_repeated_sent_id_is_invalid(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"in1.conllu:1 .*s2"):
        augment(tmp_path, CITY, CITY)


@pytest.mark.parametrize(
    "options",
    [{"remove_punct": 1.1}, {"remove_punct": -0.1}, {"add_np": -1}, {"add_np": float("nan")},
    ],
)  # fmt: skip
def test_settings_out_of_range_raise(tmp_path: Path, options: dict) -> None:
    with pytest.raises(ValueError, match=r"remove_punct|add_np"):
        augment(tmp_path, CATS, **options)


# ---- the command


def test_the_command_reads_several_files_and_prints_a_report(tmp_path: Path, sample: Path) -> None:
    output = tmp_path / "out.conllu"
    files = [str(sample / f"{split}.conllu") for split in ("train", "dev")]
    options = ["--remove-punct", ".5", "--add-np", ".1", "--seed", "3"]
    result = runner.invoke(app, ["augment", *files, str(output), *options])
    assert result.exit_code == 0
    assert "386 units: " in result.stderr
    assert f"; {round(0.1 * 386)} of " in result.stderr
    assert output.read_text().count("-np") >= round(0.1 * 386)


def test_the_command_says_that_there_are_too_few_noun_phrases(tmp_path: Path) -> None:
    file = tmp_path / "city.conllu"
    file.write_text(CITY)
    result = runner.invoke(app, ["augment", str(file), str(tmp_path / "out"), "--add-np", "9"])
    assert "--add-np 9 asks for 9 noun phrases, but the treebank has only 1 " in result.stderr


def test_bytes_that_are_not_utf8_in_a_comment_are_an_error(tmp_path: Path) -> None:
    file = tmp_path / "bad.conllu"
    file.write_bytes(CITY.encode() + "# Ä\n\n".encode("latin-1") + CATS.encode())
    with pytest.raises(ValueError, match=r"bad.conllu:13 "):
        augment_treebanks([file], tmp_path / "out")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name on this system")
def test_the_command_reads_pipes(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    Thread(target=pipe.write_text, args=(CITY,)).start()
    output = tmp_path / "out.conllu"
    runner.invoke(app, ["augment", str(pipe), str(output), "--add-np", "1"])
    assert output.read_text().startswith(CITY + "# sent_id = s2-np6")


def test_the_command_needs_something_to_do(sample: Path, tmp_path: Path) -> None:
    result = runner.invoke(app, ["augment", str(sample / "dev.conllu"), str(tmp_path / "out")])
    assert result.exit_code == 1
    assert "--remove-punct or --add-np must be above 0" in " ".join(result.stderr.split())


# ---- draws


def test_the_seed_determines_the_output(tmp_path: Path, sample: Path) -> None:
    file = sample / "train.conllu"

    def run(**options: object) -> bytes:
        output = tmp_path / "out.conllu"
        augment_treebanks([file], output, **{"remove_punct": 0.5, "add_np": 0.2, **options})  # type: ignore[arg-type]
        return output.read_bytes()

    assert run(seed=1) == run(seed=1) != run(seed=2)
    phrases = run(seed=1).partition(b"-np")[2].partition(b"-np")[2]
    assert phrases
    assert run(seed=1, remove_punct=0).endswith(phrases)


def test_all_sets_are_equally_probable(tmp_path: Path) -> None:
    counts = Counter(tuple(_draw(2, 4, Random(seed))) for seed in range(6000))
    assert len(counts) == 6
    assert max(counts.values()) < 1150
    assert min(counts.values()) > 850
    assert _draw(0, 3, Random(0)) == []
    assert _draw(3, 3, Random(0)) == [0, 1, 2]
