"""Documents: marked text, JSON of annotation tools, .spacy, treebanks."""

from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin, Span

from spacy_sentid.files.records import Line
from spacy_sentid.sentence_identifier.data.documents import (
    OUTPUT_SUFFIXES,
    read_documents,
    write_documents,
)
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.data.marked_text import (
    format_marked_text,
    parse_marked_text,
)
from spacy_sentid.sentence_identifier.data.records import parse_document
from spacy_sentid.text.units import NSU, SU, Unit

NLP = spacy.blank("en")
MARKED = """=== a-1 | recipe: short
⟪head|Tea⟫
⟦1. Boil the
water.⟧ ⟦Wait for it.⟧

⟪frag|Enjoy!⟫

=== a-2 | poem
⟦I sleep⟧
"""


def cut(document) -> list[tuple[str, str]]:
    return [(document.text[start:end], label) for start, end, label in document.units]


def test_marked_text_keeps_the_layout() -> None:
    first, second = parse_marked_text(MARKED, name="a.txt")
    assert first.text == "Tea\n1. Boil the\nwater. Wait for it.\n\nEnjoy!"
    assert cut(first) == [
        ("Tea", "HEADING"),
        ("1. Boil the\nwater.", SU),
        ("Wait for it.", SU),
        ("Enjoy!", "FRAGMENT"),
    ]
    assert (first.id, first.genre, second.id, second.genre) == ("a-1", "recipe", "a-2", "poem")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("=== a | b\n⟦I sleep.⟧ you\n", 2),
        ("=== a | b\n⟦I sleep.⟧\n⟪what|x⟫\n", 3),
        ("⟦I sleep.⟧\n", 1),
        ("=== a | b\n⟦I ⟦sleep.⟧\n", 2),
    ],
)
def test_wrong_marks_raise_with_their_line(text: str, line: int) -> None:
    with pytest.raises(ValueError, match=f"^a.txt:{line}:"):
        list(parse_marked_text(text, name="a.txt"))


ROWS = {
    "ours": '{"text": "Hi. I am.", "units": [{"start_char": 4, "end_char": 9, "label": "SU"}]}',
    "Prodigy": '{"text": "Hi. I am.", "spans": [{"start": 4, "end": 9, "label": "SU"}]}',
    "doccano": '{"text": "Hi. I am.", "label": [[4, 9, "SU"]]}',
    "doccano, newer": '{"text": "Hi. I am.", "entities": '
    '[{"start_offset": 4, "end_offset": 9, "label": "SU"}]}',
    "Label Studio": '{"data": {"text": "Hi. I am."}, "annotations": '
    '[{"result": [{"value": {"start": 4, "end": 9, "labels": ["SU"]}}]}]}',
    "Label Studio, the first was cancelled": '{"data": {"text": "Hi. I am."}, "annotations": '
    '[{"was_cancelled": true, "result": []}, {"result": [{"type": "choices", "value": {}}, '
    '{"value": {"start": 4, "end": 9, "text": "I am.", "labels": ["SU"]}}]}]}',
    "Label Studio, JSON_MIN": '{"text": "Hi. I am.", "label": '
    '[{"start": 4, "end": 9, "text": "I am.", "labels": ["SU"]}]}',
}


@pytest.mark.parametrize("tool", ROWS)
def test_spans_of_annotation_tools_are_units(tool: str) -> None:
    assert cut(parse_document(Line("a.jsonl:1", ROWS[tool]))) == [("I am.", SU)]


@pytest.mark.parametrize("annotations", ["null", "[]", '[{"result": null}]'])
def test_records_without_annotations_have_no_units(annotations: str) -> None:
    row = '{"data": {"text": "Hi."}, "annotations": ' + annotations + "}"
    assert cut(parse_document(Line("a.jsonl:1", row))) == []


def test_kinds_of_records_are_labels() -> None:
    unit = '{"start_char": 0, "end_char": 3, "label": "NSU", "kind": "SALUTATION"}'
    row = f'{{"text": "Hi. I am.", "units": [{unit}]}}'
    assert cut(parse_document(Line("a.jsonl:1", row))) == [("Hi.", "SALUTATION")]


@pytest.mark.parametrize(
    ("row", "word"),
    [
        ('{"units": []}', "text.*'units'.*identify"),
        ('{"text": 7}', "text.*got 7"),
        ('{"text": "a b", "spans": [{"start": 0, "end": 1, "label": "PERSON"}]}', "label"),
        ('{"text": "a b", "spans": [{"start": 0, "end": 9, "label": "SU"}]}', "characters"),
        ('{"text": "a b", "spans": [{"start": "0", "end": 1, "label": "SU"}]}', "characters"),
        (
            '{"text": "a b", "units": [{"start_char": 0, "end_char": 1, "label": "SU", '
            '"kind": "CODE"}]}',
            "kind",
        ),
        ('{"text": "a b", "spans": {}, "label": []}', "list"),
        ('{"text": "a b", "label": [[0, 1]]}', "unit"),
        ('{"text": "a b", "spans": [7]}', "unit"),
        ('{"text": "a b", "spans": [{"start": 0, "end": 1, "label": "SU", "text": "b"}]}', "count"),
        (
            '{"text": "a b", "spans": [{"start": 0, "end": 3, "label": "SU"}, '
            '{"start": 2, "end": 3, "label": "NSU"}]}',
            "overlap",
        ),
        ('{"data": {"text": "a b"}, "annotations": [null]}', "objects"),
    ],
)
def test_wrong_records_raise_with_their_place(row: str, word: str) -> None:
    with pytest.raises(ValueError, match=f"^a.jsonl:7:.*{word}"):
        parse_document(Line("a.jsonl:7", row))


def test_a_folder_has_the_documents_of_all_its_files(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.txt").write_text("CC0", encoding="utf8")
    (tmp_path / "train.txt").write_text(MARKED, encoding="utf8")
    (tmp_path / "dev.jsonl").write_text(ROWS["ours"] + "\n", encoding="utf8")
    doc = NLP("Hi. I am.")
    doc.spans["su"] = [doc[2:5]]
    doc.spans["nsu"] = [Span(doc, 0, 2, label="SALUTATION")]
    DocBin(docs=[doc], store_user_data=True).to_disk(tmp_path / "more-train.spacy")
    assert len(list(read_documents(tmp_path, NLP))) == 4
    found = list(read_documents(tmp_path, NLP, split="train"))
    assert cut(found[0]) == [("Hi.", "SALUTATION"), ("I am.", SU)]
    assert [document.id for document in found[1:]] == ["a-1", "a-2"]


def test_a_folder_without_documents_raises(tmp_path: Path) -> None:
    (tmp_path / "LICENSE.txt").write_text("CC0", encoding="utf8")
    with pytest.raises(ValueError, match="The documents must be"):
        list(read_documents(tmp_path, NLP))


DOCUMENTS = [
    GoldDocument(
        "\n  Tea\tnow\n\n1. Boil 'em.Wait!\n```",
        [Unit(3, 10, "HEADING"), Unit(12, 24, SU), Unit(24, 29, NSU), Unit(30, 33, "CODE")],
        "a 1",
        "recipe | short",
    ),
    GoldDocument("\N{GRINNING FACE}I sleep", [Unit(0, 1, "FRAGMENT"), Unit(1, 8, SU)], "b"),
]


@pytest.mark.parametrize("suffix", OUTPUT_SUFFIXES)
def test_written_documents_are_read_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "new" / f"a{suffix}"
    assert write_documents(iter(DOCUMENTS), path, NLP) == 2
    assert list(read_documents(path, NLP)) == DOCUMENTS


def test_written_docs_have_sentences_and_kinds(tmp_path: Path) -> None:
    write_documents(DOCUMENTS, tmp_path / "a.spacy", NLP)
    doc, _ = DocBin().from_disk(tmp_path / "a.spacy").get_docs(NLP.vocab)
    assert [span.text for span in doc.spans["su"]] == ["1. Boil 'em."]
    assert [span.label_ for span in doc.spans["nsu"]] == ["HEADING", NSU, "CODE"]
    assert {span.text for span in doc.spans["nsu"]} <= {sent.text.strip() for sent in doc.sents}


def test_line_breaks_of_marked_text_become_lf() -> None:
    document = GoldDocument("I\r\nsleep. \r\n", [Unit(0, 9, SU)], "a")
    (found,) = parse_marked_text(format_marked_text(document), name="a.txt")
    assert found == GoldDocument("I\nsleep.", [Unit(0, 8, SU)], "a")


@pytest.mark.parametrize(
    ("document", "word"),
    [
        (GoldDocument("I sleep. Hi", [Unit(0, 8, SU)], "x1"), "'Hi' outside"),
        (GoldDocument("I ⟧", [Unit(0, 3, SU)], "x1"), "marks"),
        (GoldDocument("I\n=== a\nam", [Unit(0, 10, SU)], "x1"), "==="),
        (GoldDocument("I", [Unit(0, 1, SU)], "x1|y"), "id"),
        (GoldDocument("I", [Unit(0, 1, SU)], "x1", "a: b"), "id"),
        (GoldDocument("I", [Unit(0, 1, "TITLE")], "x1"), "TITLE"),
    ],
)
def test_documents_that_marked_text_cannot_represent_raise(
    document: GoldDocument, word: str
) -> None:
    with pytest.raises(ValueError, match=f"x1.*{word}"):
        format_marked_text(document)


def test_an_output_without_units_raises(tmp_path: Path) -> None:
    for documents in ([], [GoldDocument("I sleep.", [], "a")]):
        with pytest.raises(ValueError, match="must have units"):
            write_documents(documents, tmp_path / "a.jsonl", NLP)


def test_an_array_of_records_is_read_with_its_numbers(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(f"\ufeff[{ROWS['Prodigy']},\n\n{ROWS['Label Studio']}]\n")
    (tmp_path / "splits.json").write_text('{"train": 1}')  # has no documents
    assert [cut(one) for one in read_documents(tmp_path, NLP)] == [[("I am.", SU)]] * 2
    (tmp_path / "a.json").write_text(f'[{ROWS["Prodigy"]},\n\n{{"text": 7}}]')
    with pytest.raises(ValueError, match=r"a\.json: record 2:.*'text'"):
        list(read_documents(tmp_path, NLP))
    (tmp_path / "a.json").write_text(f"[{ROWS['Prodigy']},\n")
    with pytest.raises(ValueError, match=r"a\.json: invalid JSON"):
        list(read_documents(tmp_path, NLP))


def test_rejected_records_are_skipped(tmp_path: Path) -> None:
    row = ROWS["Prodigy"][:-1]
    answers = [row + f', "answer": "{answer}"}}' for answer in ("accept", "reject", "ignore")]
    (tmp_path / "a.jsonl").write_text("\n".join(answers))
    with pytest.warns(UserWarning, match="2 records"):
        assert len(list(read_documents(tmp_path, NLP))) == 1


def test_marked_text_that_is_not_utf8_raises_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"=== a\n\xff")
    with pytest.raises(ValueError, match=r"a\.txt:2: "):
        list(read_documents(tmp_path / "a.txt", NLP))
