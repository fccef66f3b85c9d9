"""Table for docs/robustness.md: the scores of texts whose spaces or words are written otherwise.

    python benchmarks/readings.py dev=assets/everyday/dev fr:French=assets/everyday/fr/dev

A set is NAME=FOLDER of marked texts, or LANG:NAME=FOLDER for another language.
"""

import argparse
import re
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import spacy
from spacy.language import Language

import spacy_sentid
from spacy_sentid.sentence_identifier.access.units import find_span_keys
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation import documents as evaluation
from spacy_sentid.sentence_identifier.evaluation.scorer import score_documents
from spacy_sentid.text.units import Unit

SPACE = re.compile(r"(?<=\S) (?=\S)")
COLUMNS = ("su_f", "noise_kept", "words_lost", "nsu_f", "boundary_f")


def change_all(new: str) -> Callable[[str], list[str]]:
    """Make a function that replaces each single space."""
    return lambda text: [new if SPACE.match(text, n) else char for n, char in enumerate(text)]


def every_fifth(text: str) -> list[str]:
    """Replace the single spaces whose offset is divisible by 5."""
    return ["\xa0" if n % 5 == 0 and SPACE.match(text, n) else char for n, char in enumerate(text)]


def before_marks(text: str) -> list[str]:
    """Replace the spaces before marks, as French typography asks."""
    return [
        "\u202f" if re.match(" (?=[?!:;»])", text[n : n + 2]) else c for n, c in enumerate(text)
    ]


def add_inside(mark: str) -> Callable[[str], list[str]]:
    """Make a function that inserts a character of format into words, at places divisible by 5."""
    return lambda text: [
        char + mark * (n % 5 == 0 and text[n : n + 2].isalpha() and n + 1 < len(text))
        for n, char in enumerate(text)
    ]


CHANGES: dict[str, Callable[[str], list[str]]] = {
    "as is": list,
    "every space U+00A0": change_all("\xa0"),
    "every space U+2009": change_all("\u2009"),
    "every space U+3000": change_all("\u3000"),
    "each fifth place U+00A0": every_fifth,
    "U+202F before ? ! : ; »": before_marks,
    "soft hyphens": add_inside("\xad"),
    "U+200B": add_inside("\u200b"),
    "byte order mark": lambda text: ["\ufeff" + text[:1], *text[1:]],
    "CRLF": lambda text: ["\r\n" if char == "\n" else char for char in text],
    "two spaces each": change_all("  "),
}


def change_text(document: GoldDocument, change: Callable[[str], list[str]]) -> GoldDocument:
    """Replace each character of a document by a string."""
    pieces = change(document.text)
    at = [0, *accumulate(map(len, pieces))]
    units = [Unit(at[start], at[end], label) for start, end, label in document.units]
    return document._replace(text="".join(pieces), units=units)


def print_scores(nlp: Language, cells: list[str], documents: list[GoldDocument]) -> None:
    """Print the scores of a pipeline on documents as a row of a table, after other cells."""
    docs = nlp.pipe(document.text for document in documents)
    units = [evaluation.list_predicted(doc, find_span_keys(nlp)) for doc in docs]
    scores = score_documents(documents, units)[""]
    cells = [*cells, *(f"{100 * scores[key]:.2f}" for key in COLUMNS)]
    print("|", " | ".join(cells), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", metavar="[LANG:]NAME=FOLDER")
    print("|", " | ".join(["set", "change", *COLUMNS]), "|")
    print("| --- | --- |", " ---: |" * len(COLUMNS))
    for one in parser.parse_args().sets:
        name, path = one.split("=")
        lang, _, name = name.rpartition(":")
        nlp = spacy_sentid.load(lang or "en")
        documents = list(read_documents(Path(path), spacy.blank("xx")))
        for label, change in CHANGES.items():
            changed = [change_text(document, change) for document in documents]
            print_scores(nlp, [name, label], changed)


if __name__ == "__main__":
    main()
