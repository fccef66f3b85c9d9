"""Files of segmented text: formats, errors with file and line, the reader."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.training import Example
from spacy.util import registry

from spacy_sentid.word_segmenter.corpus import (
    Sentence,
    make_word_corpus,
    read_sentences,
    read_words,
)
from spacy_sentid.word_segmenter.scorer import CHUNKS_KEY

SENTENCES = [["我", "喜欢", "茶", "。"], ["自行车", "很", "好"]]
TREEBANK = """# sent_id = 1
# text = 我喜欢茶。
1\t我\t_\tPRON\t_\t_\t2\tnsubj\t_\t_
2\t喜欢\t_\tVERB\t_\t_\t0\troot\t_\t_
3\t茶\t_\tNOUN\t_\t_\t2\tobj\t_\t_
4\t。\t_\tPUNCT\t_\t_\t2\tpunct\t_\t_

# sent_id = 2
# text = 自行车很好
1\t自行车\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_
2\t很\t_\tADV\t_\t_\t3\tadvmod\t_\t_
3\t好\t_\tADJ\t_\t_\t0\troot\t_\t_

"""
FILES = {
    "a.txt": "我 喜欢 茶 。\n\n  自行车\t很\u3000好 \n",
    "crlf.txt": "\ufeff我 喜欢 茶 。\r\n自行车 很 好\r\n",
    "a.jsonl": "".join(json.dumps({"words": words}) + "\n" for words in SENTENCES),
    "a.conllu": TREEBANK,
}


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def examples(*paths: Path, without_punctuation: bool = False) -> list[Example]:
    names = [str(path) for path in paths]
    read = make_word_corpus(names, without_punctuation=without_punctuation)
    return list(read(spacy.blank("zh")))


def words_of(egs: list[Example]) -> list[list[str]]:
    return [[token.text for token in eg.reference] for eg in egs]


# Files


@pytest.mark.parametrize("name", FILES)
def test_words_are_read_from_files_of_each_kind(tmp_path: Path, name: str) -> None:
    assert read_words(write(tmp_path, name, FILES[name])) == SENTENCES


def test_a_word_of_a_treebank_has_no_white_space(tmp_path: Path) -> None:
    text = "# text = New York\n1\tNew York\t_\tPROPN\t_\t_\t0\troot\t_\t_\n\n"
    assert read_words(write(tmp_path, "a.conllu", text)) == [["NewYork"]]


def test_chunks_are_partial_sentences(tmp_path: Path) -> None:
    lines = '{"chunks": ["我喜欢", "茶"]}\n{"words": ["好"], "id": 7}\n'
    path = write(tmp_path, "a.jsonl", lines)
    assert list(read_sentences(path)) == [
        Sentence(["我喜欢", "茶"], is_partial=True),
        Sentence(["好"], is_partial=False),
    ]
    with pytest.raises(ValueError, match=r"a\.jsonl: .*words"):
        read_words(path)


@pytest.mark.parametrize("name", ["a.txt", "a.jsonl"])
@pytest.mark.parametrize("content", ["", "\n \n"])
def test_an_empty_file_is_an_error(tmp_path: Path, name: str, content: str) -> None:
    with pytest.raises(ValueError, match="must have sentences"):
        read_words(write(tmp_path, name, content))


GOOD = '{"words": ["好"]}\n'


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "好\n".encode() + "词典\n".encode("gb18030"), r"a\.txt:2: .*UTF-8"),
        ("a.jsonl", GOOD + '{"words": ["好"]', r"a\.jsonl:2: .*JSON"),
        ("a.jsonl", GOOD + '["好"]', r"a\.jsonl:2: .*object"),
        ("a.jsonl", GOOD + '{"text": "好"}', r"a\.jsonl:2: .*'words'"),
        ("a.jsonl", GOOD + "{}", r"a\.jsonl:2: "),
        ("a.jsonl", GOOD + '{"words": [], "chunks": []}', r"a\.jsonl:2: .*'words', 'chunks'"),
        ("a.jsonl", GOOD + '{"words": "好"}', r"a\.jsonl:2: 'words'"),
        ("a.jsonl", GOOD + '{"words": ["好", ""]}', r"a\.jsonl:2: 'words'"),
        ("a.jsonl", GOOD + '{"words": ["好 的"]}', r"a\.jsonl:2: 'words'"),
        ("a.jsonl", GOOD + '{"chunks": [5]}', r"a\.jsonl:2: 'chunks'"),
        ("a.jsonl", GOOD + '{"words": ["\\ud83d"]}', r"a\.jsonl:2: .*surrogate"),
        ("a.conllu", TREEBANK + "1\t好\n", r"a\.conllu"),
        ("a.csv", "好", r"a\.csv"),
        ("a", "好", "segmented"),
    ],
)
def test_anything_but_segmented_text_is_an_error(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read_words(write(tmp_path, name, content))


# The reader


def test_the_reader_is_registered() -> None:
    assert registry.get("readers", "spacy_sentid.WordCorpus.v1") is make_word_corpus


def test_examples_are_characters_with_words_as_gold(tmp_path: Path) -> None:
    egs = examples(write(tmp_path, "a.txt", FILES["a.txt"]))
    assert words_of(egs) == SENTENCES
    assert [[token.text for token in eg.predicted] for eg in egs] == [
        list("".join(words)) for words in SENTENCES
    ]
    assert all(eg.predicted.text == eg.reference.text for eg in egs)


def test_files_come_one_after_the_other(tmp_path: Path) -> None:
    paths = [write(tmp_path, name, FILES[name]) for name in ("a.jsonl", "a.conllu")]
    assert words_of(examples(*paths)) == SENTENCES * 2
    one = make_word_corpus(paths[0], without_punctuation=False)
    assert words_of(list(one(spacy.blank("zh")))) == SENTENCES


def test_a_corpus_can_be_read_again(tmp_path: Path) -> None:
    read = make_word_corpus(write(tmp_path, "a.txt", FILES["a.txt"]), without_punctuation=True)
    nlp = spacy.blank("zh")
    assert words_of(list(read(nlp))) == words_of(list(read(nlp)))


def test_sentences_with_punctuation_are_repeated_without(tmp_path: Path) -> None:
    lines = "“ 我 喜欢 3.5 ， 茶 ” 。\n自行车 很 好\n…… 。\n"
    egs = examples(write(tmp_path, "a.txt", lines), without_punctuation=True)
    assert words_of(egs) == [
        ["“", "我", "喜欢", "3.5", "，", "茶", "”", "。"],
        ["我", "喜欢", "3.5", "茶"],
        ["自行车", "很", "好"],
        ["……", "。"],
    ]


def test_partial_sentences_are_not_repeated(tmp_path: Path) -> None:
    lines = '{"chunks": ["我喜欢，", "茶", "。"]}\n{"chunks": ["好"]}\n'
    egs = examples(write(tmp_path, "a.jsonl", lines), without_punctuation=True)
    assert words_of(egs) == [["我喜欢，", "茶", "。"], ["好"]]
    assert [bool(eg.reference.spans.get(CHUNKS_KEY)) for eg in egs] == [True, False]


@pytest.mark.parametrize("path", [None, [], ()])
def test_a_corpus_without_a_path_is_an_error(path: object) -> None:
    with pytest.raises(ValueError, match=r"--paths\.train"):
        list(make_word_corpus(path, without_punctuation=True)(spacy.blank("zh")))  # type: ignore[arg-type]


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none\.txt"):
        examples(tmp_path / "none.txt")
