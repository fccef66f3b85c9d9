"""The corpus of everyday texts: its format, its coverage, and its separate parts."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

FOLDER = Path(__file__).parents[3] / "assets/everyday"
PARTS = ("train", "fragments", "dev", "test")
# Each of these languages has a folder with its own parts.
LANGS = ("de", "es", "fr", "it", "nl", "pt")
LANG_PARTS = ("train", "dev", "test")
FOLDERS = [*PARTS, *(f"{lang}/{part}" for lang in LANGS for part in LANG_PARTS)]
N_WORDS = 8
HEAD = re.compile(r"(?m)^=== (?P<id>[\w-]+-\d{3}) \| (?P<kind>[^:\n]+): .+\n")
MARK = re.compile(r"⟦([^⟦⟧⟪⟫]+)⟧|⟪(head|item|meta|sign|ref|code|frag)\|([^⟦⟧⟪⟫]+)⟫")


class Document(NamedTuple):
    """A document with its marks."""

    id: str
    kind: str
    marked: str

    @property
    def text(self) -> str:
        return MARK.sub(lambda mark: mark[1] or mark[3], self.marked)


@cache
def read(part: str) -> list[Document]:
    documents = []
    for file in sorted((FOLDER / part).glob("*.txt")):
        text = file.read_text(encoding="utf8")
        heads = list(HEAD.finditer(text))
        assert len(heads) == len(re.findall("(?m)^=== ", text)), file
        assert not text[: heads[0].start()].strip()
        ends = [head.start() for head in heads[1:]] + [len(text)]
        documents += [
            Document(head["id"], head["kind"], text[head.end() : end])
            for head, end in zip(heads, ends, strict=True)
        ]
    return documents


def word_runs(document: Document) -> Iterator[str]:
    words = re.findall(r"\w+", document.text.lower())
    return (" ".join(words[n : n + N_WORDS]) for n in range(len(words) - N_WORDS + 1))


@pytest.mark.parametrize("part", FOLDERS)
def test_all_text_is_inside_exactly_one_mark(part: str) -> None:
    for document in read(part):
        assert 60 <= len(document.text.split()) <= 480, document.id
        assert not MARK.sub("", document.marked).strip(), document.id
        for mark in MARK.finditer(document.marked):
            content = mark[1] or mark[3]
            assert content == content.strip(), document.id
            assert not re.search(r"\n[^\S\n]*\n", content), document.id


def test_ids_are_unique() -> None:
    counts = Counter(document.id for part in FOLDERS for document in read(part))
    assert counts.most_common(1)[0][1] == 1


def test_there_are_enough_documents_of_all_kinds() -> None:
    kinds = {part: {document.kind for document in read(part)} for part in PARTS}
    assert len(kinds["test"]) >= 45
    assert kinds["train"] == kinds["dev"] == kinds["test"]
    assert sum(len(read(part)) for part in PARTS) >= 1500
    assert min(len(read(part)) for part in ("dev", "test")) >= 120


@pytest.mark.parametrize("lang", LANGS)
def test_other_languages_have_many_documents_of_many_kinds(lang: str) -> None:
    train, *held_out = (len(read(f"{lang}/{part}")) for part in LANG_PARTS)
    assert train >= 250
    assert held_out == [25, 25]
    kinds = {document.kind for part in LANG_PARTS for document in read(f"{lang}/{part}")}
    assert len(kinds) >= 25


def test_second_annotations_are_of_dev_documents() -> None:
    texts = {document.id: document.text for document in read("dev")}
    second = read("second")
    assert len(second) >= 30
    assert all(document.text.strip() == texts[document.id].strip() for document in second)


@pytest.mark.parametrize(
    "parts", [PARTS, *([f"{lang}/{part}" for part in LANG_PARTS] for lang in LANGS)], ids=str
)
def test_no_two_parts_share_a_run_of_words(parts: Sequence[str]) -> None:
    seen: dict[str, tuple[str, str]] = {}
    shared = []
    for part in parts:
        for document in read(part):
            for run in word_runs(document):
                first, name = seen.setdefault(run, (part, document.id))
                if not part.endswith("train") and part != "fragments" and first != part:
                    shared.append((run, name, document.id))
    assert not shared
