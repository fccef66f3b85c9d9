"""Identify units in people's files: documents in, one record a document out.

.txt, .jsonl -> documents -> pipeline, streaming -> {"id", "units": [...]}, in code points

Offsets count code points of the text as it stands in the file: line ends are not translated.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ..units import NSU, SU

FACTORY = "sentence_identifier"
# Documents go through the pipeline in groups of about so many characters, to bound memory.
GROUP_CHARS = 500_000
N_DIGITS = 4
SURROGATE = re.compile("[\ud800-\udfff]")
BYTE_ORDER_MARK = "\ufeff"


class Document(NamedTuple):
    """One text to identify units in."""

    id: str | int
    text: str


def read_documents(paths: Iterable[Path], *, lines: bool = False) -> Iterator[Document]:
    """Read documents from text files and .jsonl files, one at a time.

    A text file is one document, its id the path as given; a .jsonl file has one document a line,
    with "text" and optionally "id".
    lines: Each line of a text file is a document of its own, with the id `path:line`, from 1. The
        line end is not part of it.

    Raises ValueError, with file and line, for what is not UTF-8 or not such a .jsonl file.
    """
    for path in paths:
        if path.suffix == ".jsonl":
            yield from _read_jsonl(path)
        elif lines:
            for number, line in enumerate(_read_lines(path), start=1):
                yield Document(f"{path}:{number}", line.rstrip("\r\n"))
        else:
            yield Document(str(path), "".join(_read_lines(path)))


def _read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file with their line ends as they are."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield line.decode("utf8")
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{path}:{number}: found bytes that are not UTF-8 ({error.reason}). Convert "
                    "the file to UTF-8, for instance with 'iconv -t UTF-8'."
                ) from error


def _read_jsonl(path: Path) -> Iterator[Document]:
    for number, line in enumerate(_read_lines(path), start=1):
        line = line.removeprefix(BYTE_ORDER_MARK) if number == 1 else line
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise ValueError(
                f'{place}: found no JSON ({error}), expected an object with "text". Mend the line.'
            ) from error
        if not isinstance(row, dict) or not isinstance(row.get("text"), str):
            found = f"keys {', '.join(row) or 'none'}" if isinstance(row, dict) else str(row)[:40]
            raise ValueError(
                f'{place}: found {found}, expected an object with a string "text". Mend the line.'
            )
        name = row.get("id")
        if name is not None and (not isinstance(name, str | int) or isinstance(name, bool)):
            raise ValueError(
                f'{place}: "id" is {str(name)[:40]}, expected a string or a whole number. '
                "Mend the line."
            )
        yield Document(place if name is None else name, row["text"])


def identify_documents(
    nlp: Language, documents: Iterable[Document]
) -> Iterator[tuple[Document, list[dict[str, Any]]]]:
    """Run a pipeline over documents, streaming: (document, its units in text order).

    Each unit is {"start_char", "end_char", "label", "score"}; a document without words has none.

    Raises ValueError if the pipeline has no sentence identifier.
    """
    su_key, nsu_key = find_span_keys(nlp)
    factories = {nlp.get_pipe_meta(name).factory for name in nlp.pipe_names}
    for group in _group_by_size(documents):
        if factories == {FACTORY}:  # the limit is there for parser and NER
            nlp.max_length = max(nlp.max_length, *(len(document.text) for document in group))
        pairs = ((_readable_text(document.text), document) for document in group)
        for doc, document in nlp.pipe(pairs, as_tuples=True):
            yield document, list_units(doc, su_key=su_key, nsu_key=nsu_key)


def find_span_keys(nlp: Language) -> tuple[str, str]:
    """Find under which keys the pipeline's sentence identifier writes SUs and NSUs.

    Raises ValueError if the pipeline has none.
    """
    pipe = find_identifier(nlp)
    return pipe.cfg["su_key"], pipe.cfg["nsu_key"]


def find_identifier(nlp: Language) -> Any:
    """Find the first sentence identifier of a pipeline; ValueError if there is none."""
    for name in nlp.pipe_names:
        if nlp.get_pipe_meta(name).factory == FACTORY:
            return nlp.get_pipe(name)
    raise ValueError(
        f"The pipeline has no {FACTORY!r} (found: {', '.join(nlp.pipe_names) or 'nothing'}). Add "
        "one with nlp.add_pipe, or name another pipeline."
    )


def list_units(doc: Doc, *, su_key: str, nsu_key: str) -> list[dict[str, Any]]:
    """List the units of a Doc in text order, in characters, with their scores."""
    units = [
        {
            "start_char": span.start_char,
            "end_char": span.end_char,
            "label": label,
            "score": round(float(score), N_DIGITS),
        }
        for key, label in ((su_key, SU), (nsu_key, NSU))
        for span, score in zip(doc.spans[key], doc.spans[key].attrs["scores"], strict=True)
    ]
    return sorted(units, key=lambda unit: unit["start_char"])


def record_line(document: Document, units: Sequence[dict[str, Any]]) -> str:
    """Write the record of a document as one line of JSON, in ASCII.

    >>> record_line(Document("a.txt", " "), [])
    '{"id": "a.txt", "units": []}'
    """
    return json.dumps({"id": document.id, "units": units})


def _readable_text(text: str) -> str:
    """Replace what spaCy cannot take by other characters, one for one, so that offsets hold."""
    if text.startswith(BYTE_ORDER_MARK):
        text = " " + text[1:]
    return SURROGATE.sub("\ufffd", text)


def _group_by_size(documents: Iterable[Document]) -> Iterator[list[Document]]:
    total = 0

    def group_number(document: Document) -> int:
        nonlocal total
        total += len(document.text)
        return total // GROUP_CHARS

    for _, group in groupby(documents, key=group_number):
        yield list(group)
