"""Converting treebanks to Docs: documents, paragraphs, trees, span groups, files."""

from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from spacy_sentid.sentence_identifier.access.units import Keys
from spacy_sentid.sentence_identifier.data.convert import (
    UNITS_PER_DOC,
    convert_treebank,
    write_docs,
)
from spacy_sentid.sentence_identifier.learning.gold import read_gold


def row(
    id: str, form: str, head: str = "0", deprel: str = "root", misc: str = "_", upos: str = "X"
) -> str:
    return "\t".join([id, form, form.lower(), upos, "T", "_", head, deprel, "_", misc])


SU_ROWS = [row("1", "I", "2", "nsubj", upos="PRON"), row("2", "sleep", upos="VERB")]
NSU_ROWS = [row("1", "Page"), row("2", "3", "1", "nummod")]
# "Zum Haus gehen" has a multiword token that its words do not spell, below the root.
GERMAN = [
    row("1-2", "Zum", "_", "_"), row("1", "Zu", "3", "case"), row("2", "dem", "3", "det"),
    row("3", "Haus", "4", "obl"), row("4", "gehen"),
]  # fmt: skip
# In "Dámelo hoy", the root itself is inside such a token.
SPANISH = [
    row("1-3", "Dámelo", "_", "_"), row("1", "Da"), row("2", "me", "1", "iobj"),
    row("3", "lo", "1", "obj"), row("4", "hoy", "1", "advmod"),
]  # fmt: skip


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


def convert(nlp: Language, tmp_path: Path, *units: list[str], all_su: bool = False) -> list[Doc]:
    file = tmp_path / "tiny.conllu"
    file.write_text("\n\n".join("\n".join(unit) for unit in units) + "\n\n")
    return list(convert_treebank(file, nlp, all_su=all_su))


def starts_of_units(doc: Doc) -> list[int]:
    return sorted(span.start for key in ("su", "nsu") for span in doc.spans[key])


def test_units_get_their_labels_and_texts(nlp: Language, tmp_path: Path) -> None:
    (doc,) = convert(nlp, tmp_path, SU_ROWS, NSU_ROWS)
    assert [(span.text, span.label_) for span in doc.spans["su"]] == [("I sleep", "SU")]
    assert [(span.text, span.label_) for span in doc.spans["nsu"]] == [("Page 3", "NSU")]


def test_each_gold_nsu_is_one_span(nlp: Language, tmp_path: Path) -> None:
    (doc,) = convert(nlp, tmp_path, NSU_ROWS, NSU_ROWS)
    assert len(doc.spans["nsu"]) == 2


def test_both_groups_are_written_when_empty(nlp: Language, tmp_path: Path) -> None:
    (doc,) = convert(nlp, tmp_path, NSU_ROWS)
    assert list(doc.spans["su"]) == []
    assert "su" in doc.spans


def test_newdoc_starts_a_doc_and_newpar_a_blank_line(nlp: Language, tmp_path: Path) -> None:
    docs = convert(
        nlp, tmp_path, ["# newdoc id = a", *SU_ROWS], SU_ROWS, ["# newpar", *NSU_ROWS],
        ["# newdoc id = b", "# newpar", *NSU_ROWS],
    )  # fmt: skip
    assert [doc.text for doc in docs] == ["I sleep I sleep\n\nPage 3", "Page 3"]


def test_units_without_newdoc_are_grouped(nlp: Language, tmp_path: Path) -> None:
    docs = convert(nlp, tmp_path, *[SU_ROWS] * (UNITS_PER_DOC + 1))
    assert [len(doc.spans["su"]) for doc in docs] == [UNITS_PER_DOC, 1]


def test_the_next_unit_touches_after_space_after_no(nlp: Language, tmp_path: Path) -> None:
    glued = [*NSU_ROWS[:1], row("2", "3", "1", "nummod", misc="SpaceAfter=No")]
    (doc,) = convert(nlp, tmp_path, glued, SU_ROWS)
    assert doc.text == "Page 3I sleep"


def test_white_space_inside_the_text_of_a_unit_is_kept(nlp: Language, tmp_path: Path) -> None:
    (doc,) = convert(nlp, tmp_path, ["# text = I   sleep", *SU_ROWS])
    assert doc.text == "I   sleep"
    assert [sent.text for sent in doc.sents] == ["I   sleep"]


def test_tags_lemmas_and_relations_are_kept(nlp: Language, tmp_path: Path) -> None:
    (doc,) = convert(nlp, tmp_path, SU_ROWS)
    assert [(t.pos_, t.tag_, t.lemma_, t.dep_, t.head.i) for t in doc] == [
        ("PRON", "T", "i", "nsubj", 1),
        ("VERB", "T", "sleep", "root", 1),
    ]


def test_a_token_that_its_words_do_not_spell_has_no_tag_and_relation(
    nlp: Language, tmp_path: Path
) -> None:
    (doc,) = convert(nlp, tmp_path, GERMAN)
    assert [token.text for token in doc] == ["Zum", "Haus", "gehen"]
    assert (doc[0].tag_, doc[0].pos_, doc[0].dep_) == ("", "", "")


@pytest.mark.parametrize("rows", [SU_ROWS, NSU_ROWS, GERMAN, SPANISH])
def test_sentences_of_the_trees_are_the_units(
    nlp: Language, tmp_path: Path, rows: list[str]
) -> None:
    (doc,) = convert(nlp, tmp_path, SU_ROWS, rows, ["# newpar", *rows], NSU_ROWS)
    assert [sent.start for sent in doc.sents] == starts_of_units(doc)


@pytest.mark.parametrize(
    "name",
    [
        "UD_German-GSD/de_gsd-ud-test",
        "UD_Spanish-GSD/es_gsd-ud-test",
        "UD_English-EWT/en_ewt-ud-dev",
    ],
)
def test_sentences_of_real_trees_are_the_units(
    nlp: Language, find_corpus: Callable[[str], Path], name: str
) -> None:
    file = find_corpus(f"ud/{name}.conllu")
    for doc in convert_treebank(file, nlp):
        assert [sent.start for sent in doc.sents] == starts_of_units(doc)


def test_a_corpus_without_relations_raises(nlp: Language, tmp_path: Path) -> None:
    bare = ["# sent_id = w1", row("1", "Hi", "_", "_")]
    with pytest.raises(ValueError, match=r"tiny\.conllu:1 .*w1.*--all-su"):
        convert(nlp, tmp_path, bare)


def test_all_su_makes_every_unit_an_su(nlp: Language, tmp_path: Path) -> None:
    bare = [row("1", "Hi", "_", "_")]
    (doc,) = convert(nlp, tmp_path, bare, bare, all_su=True)
    assert (len(doc.spans["su"]), len(doc.spans["nsu"])) == (2, 0)
    assert [sent.text for sent in doc.sents] == ["Hi", "Hi"]
    assert not doc.has_annotation("DEP")


def test_gold_aligns_with_the_pipelines_own_tokens(nlp: Language, tmp_path: Path) -> None:
    (doc,) = convert(nlp, tmp_path, SU_ROWS, ["# newpar", *NSU_ROWS])
    eg = spacy.training.Example(nlp.make_doc(doc.text), doc)
    gold = read_gold(eg, Keys())
    assert gold is not None
    assert [tuple(unit) for unit in gold.units] == [(0, 2, "SU"), (2, 4, "NSU")]


def test_a_written_file_has_the_same_docs(nlp: Language, tmp_path: Path) -> None:
    docs = convert(nlp, tmp_path, SU_ROWS, NSU_ROWS)
    assert write_docs(docs, tmp_path / "new" / "out.spacy") == 1
    (doc,) = DocBin().from_disk(tmp_path / "new" / "out.spacy").get_docs(nlp.vocab)
    assert doc.text == docs[0].text
    assert [span.text for span in doc.spans["nsu"]] == ["Page 3"]
    assert [token.dep_ for token in doc] == [token.dep_ for token in docs[0]]


def test_a_failed_conversion_keeps_the_old_file(nlp: Language, tmp_path: Path) -> None:
    out = tmp_path / "out.spacy"
    out.write_bytes(b"old")
    broken = tmp_path / "broken.conllu"
    broken.write_text("\n".join([*SU_ROWS, "", "# newdoc", "1\tno"]))
    with pytest.raises(ValueError, match="columns"):
        write_docs(convert_treebank(broken, nlp), out)
    assert out.read_bytes() == b"old"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["broken.conllu", "out.spacy"]


def test_an_output_without_docs_raises(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="units"):
        write_docs([], tmp_path / "out.spacy")
