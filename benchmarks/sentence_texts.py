"""Read the texts of sentence_peers.py, with the ends of their sentences.

Brown, CoNLL-U, noisy texts -> Text
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple


class Text(NamedTuple):
    """A text with the ends of its sentences and the groups that it belongs to."""

    text: str
    ends: list[int]
    groups: tuple[str, ...] = ()
    paragraph_ends: Sequence[int] = ()


def read_brown(path: Path) -> list[Text]:
    """Read Brown. The rules were developed on the texts with even numbers, counted from 0."""
    texts = []
    with path.open(encoding="utf8") as file:
        for number, line in enumerate(file):
            row = json.loads(line)
            group = "odd texts" if number % 2 else "even texts (tuned on)"
            texts.append(Text(row["text"], row["sent_ends"], (group,), row["para_ends"]))
    return texts


def read_treebank(path: Path) -> list[Text]:
    """Read a CoNLL-U file: the units of each document, joined by spaces."""
    documents: list[list[str]] = []
    with path.open(encoding="utf8") as file:
        for line in file:
            if line.startswith("# newdoc"):
                documents.append([])
            elif line.startswith("# text = "):
                documents[-1].append(line.removeprefix("# text = ").strip())
    return [Text(" ".join(units), ends_of_joined(units)) for units in documents]


def ends_of_joined(units: Iterable[str]) -> list[int]:
    """Find the ends of units in the text that joins them by spaces.

    >>> ends_of_joined(["One.", "Two."])
    [4, 9]
    """
    ends, end = [], -1
    for unit in units:
        end += 1 + len(unit)
        ends.append(end)
    return ends


def read_noise(path: Path) -> list[Text]:
    """Read the noisy texts, except those for tuning."""
    with path.open(encoding="utf8") as file:
        rows = [json.loads(line) for line in file]
    return [
        Text(row["text"], row["ends"], ("hard-wrapped" if row["wrapped"] else "not wrapped",))
        for row in rows
        if not row["dev"]
    ]


def cut_slices(texts: Iterable[Text], *, size: int) -> list[list[Text]]:
    """Cut a corpus into slices of about `size` characters; an incomplete last slice is dropped."""
    slices: list[list[Text]] = [[]]
    length = 0
    for text in texts:
        slices[-1].append(text)
        length += len(text.text) + 2
        if length >= size:
            slices.append([])
            length = 0
    return slices[:-1]


def cut_paragraphs(texts: Iterable[Text]) -> list[str]:
    """Cut texts into their paragraphs."""
    return [
        text.text[start:end].strip()
        for text in texts
        for start, end in zip([0, *text.paragraph_ends], text.paragraph_ends, strict=False)
    ]
