"""Readers of all other formats read spoiled files, or refuse them in one line with the path."""

import json
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import spacy
import tiny
import tiny_pairs
import tiny_speech
from hostile_files import spoil_file

from spacy_sentid.files.records import BadLine
from spacy_sentid.paraphrase_tagger.corpus import format_pair, read_pairs, read_tagged_pairs
from spacy_sentid.paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs
from spacy_sentid.paraphrase_tagger.matching.feature_layer import find_lexicon_of
from spacy_sentid.paraphrase_tagger.matching.lexicon import load_lexicon, save_lexicon
from spacy_sentid.rule_sentencizer.corpus import read_learned, read_parts
from spacy_sentid.sentence_identifier.corpora.gold_units import read_gold_units
from spacy_sentid.sentence_identifier.data.convert import write_docs
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.data.records import read_predictions
from spacy_sentid.sentence_identifier.network.word_vectors import read_word_vectors
from spacy_sentid.text.language_data import load_rules
from spacy_sentid.view.text.reading import view_records
from spacy_sentid.word_segmenter.corpus import read_words
from spacy_sentid.word_segmenter.speech.alignments import read_textgrid
from spacy_sentid.word_segmenter.speech.pauses import read_pauses
from spacy_sentid.word_segmenter.speech.pronunciations import read_dictionary
from spacy_sentid.word_segmenter.speech.transcripts import read_transcripts

MAX_MESSAGE = 500
NLP = spacy.blank("en")
TEXT = "=== a | mail: short\n⟪meta|Page 3⟫ ⟦I am in.⟧\n=== b\n⟦Yes.⟧\n"
UNITS = [{"start_char": 0, "end_char": 6, "label": "NSU"}]
RECORD = json.dumps({"id": "ä", "text": "Page 3\nI am in.", "units": UNITS}, ensure_ascii=False)
PAIR = '{"id": 1, "text1": "He is in.", "text2": "Él está."}\n'
PAUSES = '{"id": "a", "chars": ["你", "好"], "pause_ms": [20]}\n'
GRID = tiny_speech.make_textgrid({"words": [(0, 0.3, "你"), (0.3, 0.6, "好")]})
LEARNED = '{"learned": {"likely": ["z.B"], "titles": ["Mr"]}, "files": ["ä"]}\n'
RULES = '{"titles": ["Bgm"], "ordinals": true, "group": "."}\n'


class Reader(NamedTuple):
    """A reader of a file, with the name and the contents of a good file."""

    name: str
    good: str | Callable[[Path], object]  # the text, or a function that writes it
    read: Callable[[Path], Any]


def write_spacy(path: Path) -> None:
    write_docs([tiny.gold_doc(NLP, units) for units in tiny.TEXTS], path)


def write_vectors(path: Path) -> None:
    np.savez(path, keys=np.arange(3, dtype="uint64"), rows=np.ones((3, 4), dtype="float32"))


def write_lexicon(path: Path) -> None:
    save_lexicon(find_lexicon_of("auto"), path)


def predictions(path: Path) -> list[Any]:
    return list(read_predictions(path, [GoldDocument("Page 3\nI am in.", [], "ä")]))


READERS = {
    "pairs": Reader("a.jsonl", "".join(format_pair(pair) + "\n" for pair in tiny_pairs.PAIRS),
                    lambda path: list(read_pairs(path))),
    "tagged pairs": Reader("a.jsonl", "".join(
        format_pair(pair) + "\n" for pair in tiny_pairs.PAIRS), read_tagged_pairs),
    "sentence pairs": Reader("a.jsonl", PAIR, lambda path: read_sentence_pairs([path])),
    "marked text": Reader("a.txt", TEXT, lambda path: list(read_documents(path, NLP))),
    "documents": Reader("a.jsonl", RECORD + "\n", lambda path: list(read_documents(path, NLP))),
    "array of documents": Reader("a.json", f"[{RECORD},\n{RECORD}]",
                                 lambda path: list(read_documents(path, NLP))),
    "DocBin of documents": Reader("a.spacy", write_spacy,
                                  lambda path: list(read_documents(path, NLP))),
    "DocBin of units": Reader("a.spacy", write_spacy, lambda path: list(
        read_gold_units(path, NLP.vocab, keys=("su", "nsu")))),
    "records to view": Reader("a.jsonl", RECORD + "\n", lambda path: list(
        view_records([], path, on_bad=print))),
    "predictions": Reader("a.jsonl", RECORD + "\n", predictions),
    "words": Reader("a.txt", "你 好 。\n我 在 。\n", read_words),
    "words as JSON": Reader("a.jsonl", '{"words": ["你", "好"]}\n',
                            read_words),
    "pauses": Reader("a.jsonl", PAUSES, lambda path: list(read_pauses(path))),
    "TextGrid": Reader("a.TextGrid", GRID, read_textgrid),
    "transcripts": Reader("a.txt", "a 你好。\nb 好。\n", read_transcripts),
    "transcripts as JSON": Reader("a.jsonl", '{"id": "a", "text": "你好"}\n', read_transcripts),
    "dictionary": Reader("a.dict", tiny_speech.DICTIONARY, read_dictionary),
    "raw text": Reader("a.txt", "Mr. Wu is in.\nZoë too.\n", lambda path: list(read_parts(path))),
    "abbreviations": Reader("a.json", LEARNED, read_learned),
    "rules": Reader("a.json", RULES, lambda path: load_rules("en", extra=path)),
    "word vectors": Reader("a.npz", write_vectors, read_word_vectors),
    "lexicon of pairs": Reader("b.npz", write_lexicon, load_lexicon),
}  # fmt: skip


def judge(path: Path, found: Any) -> str:
    """Describe the result of a file in a word: accepted, refused, or the problem."""
    if isinstance(found, Exception):
        message = " ".join(str(found).split())
        if not isinstance(found, ValueError | OSError):
            return f"traceback: {found!r:.200}"
        if len(message) >= MAX_MESSAGE + len(str(path)):
            return f"{len(message):,} characters: {message:.200}"
        return "refused" if str(path) in message else f"no path: {message}"
    items = found if isinstance(found, Iterable) else ()
    bad = [item for item in items if isinstance(item, BadLine)]
    long = [item for item in bad if len(item.reason) >= MAX_MESSAGE]
    if long:
        return f"{len(long[0].reason):,} characters: {long[0].reason:.200}"
    return "bad lines" if bad else "accepted"


def try_files(name: str, folder: Path) -> list[tuple[str, str]]:
    reader = READERS[name]
    path = folder / reader.name
    if isinstance(reader.good, str):
        path.write_text(reader.good, encoding="utf8")
    else:
        reader.good(path)
    raw = path.read_bytes()
    found = []
    for kind, data in [("good", raw), *spoil_file(raw)]:
        path.write_bytes(data)
        found.append((kind, judge(path, call(reader.read, path))))
    path.unlink()
    found.append(("missing", judge(path, call(reader.read, path))))
    path.mkdir()
    found.append(("a folder", judge(path, call(reader.read, path))))
    return found


def call(read: Callable[[Path], Any], path: Path) -> Any:
    """Return the result of a reader, or its error."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return read(path)
    except Exception as error:
        return error


@pytest.fixture(autouse=True)
def quick_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use one pipeline, as creating its tokenizer would take longer than reading the file."""
    monkeypatch.setattr(spacy, "blank", lambda lang: NLP)


@pytest.mark.parametrize("name", READERS)
def test_spoiled_files_are_read_or_named(name: str, tmp_path: Path) -> None:
    found = try_files(name, tmp_path)
    assert found[0] == ("good", "accepted")
    fine = ("accepted", "bad lines", "refused")
    wrong = [f"{kind}: {verdict}" for kind, verdict in found if verdict not in fine]
    print(name, Counter(verdict for _, verdict in found))
    assert not wrong, "\n".join(wrong)
    if isinstance(READERS[name].good, str):
        # A byte order mark and the line ends of other systems are not errors.
        verdicts = dict(found)
        assert [verdicts[kind] for kind in ("BOM", "CRLF", "CR")] == ["accepted"] * 3
