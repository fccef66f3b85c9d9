"""Read and write whole documents with their units: marked text, JSON, .spacy; read CoNLL-U.

file -> documents: text in its original layout, units in characters, each an SU or a kind of NSU
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc

from ...files.atomic import open_output
from ...files.records import read_good_lines, write_records
from ...text.units import Unit
from ..access.units import Keys, set_units, units_from_doc
from .convert import GENRE, NEWDOC, convert_treebank, read_docs, write_docs
from .gold_document import GoldDocument
from .marked_text import format_marked_text, parse_marked_text
from .records import is_array, make_document_record, read_document_records

SUFFIXES = (".txt", ".jsonl", ".json", ".spacy", ".conllu")
OUTPUT_SUFFIXES = (".spacy", ".jsonl", ".txt")


def read_documents(
    path: Path,
    nlp: Language,
    *,
    split: str | None = None,
    keys: tuple[str, str] = Keys(),
    **rule: Any,
) -> Iterator[GoldDocument]:
    """Read the documents of a file, or of the files in a folder, sorted by their names.

    path: Files can be .txt (marked text), .jsonl or .json (our format, Prodigy, doccano, Label
        Studio), .spacy (gold in span groups), or .conllu.
    split: In a folder, only read the files named `split` or `...-split`, or the subfolder of that
        name.
    keys: Keys of the span groups in .spacy files.
    rule: Arguments of `convert.label_units`, for .conllu. The layout is that of `convert_treebank`.

    Raises ValueError with file and line for invalid documents, and for a file without documents.
    """
    folder = path
    if split is not None and (path / split).is_dir():
        folder, split = path / split, None
    files = [path] if path.is_file() else sorted(filter(_has_documents, folder.glob("*")))
    if split is not None and path.is_dir():
        files = [file for file in files if file.stem == split or file.stem.endswith(f"-{split}")]
    if not files or files[0].suffix not in SUFFIXES:
        raise ValueError(
            f"The documents must be a file or a folder of {', '.join(SUFFIXES)}"
            f"{f' with a split {split!r}' if split else ''}, got {path}."
        )
    for file in files:
        is_empty = True
        for document in _read_file(file, nlp, keys, rule):
            is_empty = False
            yield document
        if is_empty:
            raise ValueError(f"{file} must contain documents, got none. Check the file.")


def _read_file(
    file: Path, nlp: Language, keys: tuple[str, str], rule: dict[str, Any]
) -> Iterator[GoldDocument]:
    if file.suffix == ".txt":
        lines = [line.text + "\n" for line in read_good_lines(file, blank=True)]
        yield from parse_marked_text("".join(lines), name=str(file))
    elif file.suffix in (".jsonl", ".json"):
        yield from read_document_records(file)
    else:
        is_treebank = file.suffix == ".conllu"
        docs = convert_treebank(file, nlp, **rule) if is_treebank else read_docs(file, nlp.vocab)
        for number, doc in enumerate(docs, start=1):
            yield _read_doc(doc, f"{file}:{number}", Keys() if is_treebank else keys)


def is_treebank(path: Path) -> bool:
    """Check if a path is a treebank: a file with no other known suffix, or a folder of .conllu."""
    if path.is_dir():
        return next(path.glob("**/*.conllu"), None) is not None
    return path.suffix == ".conllu" or path.suffix not in SUFFIXES


def _has_documents(file: Path) -> bool:
    """Check if a file in a folder contains documents, unlike other text such as a licence."""
    if file.suffix == ".json":
        return is_array(file)
    if file.suffix != ".txt":
        return file.suffix in SUFFIXES and file.is_file()
    with file.open("rb") as lines:
        return lines.readline().removeprefix(b"\xef\xbb\xbf").startswith(b"=== ")


def write_documents(
    documents: Iterable[GoldDocument], path: Path, nlp: Language | None = None
) -> int:
    """Write documents in one step, and return their number.

    path: A .txt (marked text), .jsonl (our format) or .spacy file.
    nlp: Pipeline with the tokenizer for .spacy; None = "xx".

    Raises ValueError for another suffix, for documents without any unit, and for text that the
    format cannot represent.
    """
    documents = list(documents)
    if path.suffix not in OUTPUT_SUFFIXES:
        raise ValueError(f"The output must end in one of {', '.join(OUTPUT_SUFFIXES)}, got {path}.")
    if not any(document.units for document in documents):
        raise ValueError(f"The input for {path} must have units, got none. Check the input.")
    if path.suffix == ".jsonl":
        return write_records(path, map(make_document_record, documents))
    if path.suffix == ".spacy":
        nlp = nlp or spacy.blank("xx")
        return write_docs((make_doc(document, nlp) for document in documents), path)
    with open_output(path) as file:
        file.writelines(map(format_marked_text, documents))
    return len(documents)


def make_doc(document: GoldDocument, nlp: Language, keys: tuple[str, str] = Keys()) -> Doc:
    """Create a Doc with both span groups.

    Tokens are split where a unit begins or ends inside them. Each unit starts a sentence. The
    label of an NSU span is its kind.
    """
    bounds = sorted({bound for unit in document.units for bound in unit[:2]}, reverse=True)
    words: list[str] = []
    spaces: list[bool] = []
    starts: list[int] = []
    for token in nlp.make_doc(document.text):
        start, end = token.idx, token.idx + len(token)
        while start < end:
            while bounds and bounds[-1] <= start:
                bounds.pop()
            stop = min(end, bounds[-1]) if bounds else end
            words.append(document.text[start:stop])
            spaces.append(stop == end and bool(token.whitespace_))
            starts.append(start)
            start = stop
    unit_starts = {unit.start for unit in document.units}
    doc = Doc(
        nlp.vocab,
        words=words,
        spaces=spaces,
        sent_starts=[start in unit_starts for start in starts],
    )
    doc.user_data[NEWDOC] = document.id
    doc.user_data[GENRE] = document.genre
    spans = (doc.char_span(start, end, label=label) for start, end, label in document.units)
    set_units(doc, [Unit(span.start, span.end, span.label_) for span in spans if span], keys)
    return doc


def _read_doc(doc: Doc, place: str, keys: tuple[str, str]) -> GoldDocument:
    if keys[0] not in doc.spans:
        raise ValueError(
            f"{place}: a Doc must have gold in spans[{keys[0]!r}], got the keys "
            f"{', '.join(doc.spans) or 'none'}."
        )
    name, genre = (str(doc.user_data.get(key) or "") for key in (NEWDOC, GENRE))
    return GoldDocument(doc.text, units_from_doc(doc, keys), name or place, genre)
