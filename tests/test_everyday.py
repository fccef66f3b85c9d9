"""The corpus of everyday texts: its format, its coverage, and that its parts are apart."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from spacy_sentid.sentence_identifier.documents import MarkedDocument, parse_marked_text
from spacy_sentid.units import NSU_KINDS, SU

FOLDER = Path(__file__).parents[1] / "assets/everyday"
PARTS = ("train", "dev", "test")
N_WORDS = 8


@cache
def read(part: str) -> list[MarkedDocument]:
    files = sorted((FOLDER / part).glob("*.txt"))
    return [
        document
        for file in files
        for document in parse_marked_text(file.read_text(encoding="utf8"), name=file.name)
    ]


def word_runs(document: MarkedDocument) -> Iterator[str]:
    words = re.findall(r"\w+", document.text.lower())
    return (" ".join(words[n : n + N_WORDS]) for n in range(len(words) - N_WORDS + 1))


@pytest.mark.parametrize("part", PARTS)
def test_every_document_is_marked_throughout(part: str) -> None:
    for document in read(part):
        assert document.genre, document.id
        assert 60 <= len(document.text.split()) <= 480, document.id
        bare = list(document.text)
        for start, end, label in document.units:
            assert label in (SU, *NSU_KINDS), document.id
            assert not re.search(r"\n[^\S\n]*\n", document.text[start:end]), document.id
            bare[start:end] = " " * (end - start)
        assert not "".join(bare).strip(), document.id


def test_ids_are_of_one_document() -> None:
    counts = Counter(document.id for part in PARTS for document in read(part))
    assert counts.most_common(1)[0][1] == 1


def test_there_are_enough_documents_of_all_kinds() -> None:
    kinds = {part: {document.genre for document in read(part)} for part in PARTS}
    assert len(kinds["test"]) >= 45
    assert kinds["train"] == kinds["dev"] == kinds["test"]
    assert sum(len(read(part)) for part in PARTS) >= 1500
    assert min(len(read(part)) for part in ("dev", "test")) >= 120
    labels = Counter(unit.label for part in PARTS for doc in read(part) for unit in doc.units)
    assert set(labels) == {SU, *NSU_KINDS}


def test_no_two_parts_share_a_run_of_words() -> None:
    seen: dict[str, tuple[str, str]] = {}
    shared = []
    for part in PARTS:
        for document in read(part):
            for run in word_runs(document):
                first, name = seen.setdefault(run, (part, document.id))
                if first != part:
                    shared.append((run, name, document.id))
    assert not shared
