"""Tables for docs/robustness.md and docs/identifier.md: other spaces, and each rule alone.

    python benchmarks/readings.py spaces dev=assets/everyday/dev fr:French=assets/everyday/fr/dev
    python benchmarks/readings.py rules everyday=assets/everyday/dev real=everyday_real#1

A set is NAME=PATH, or LANG:NAME=PATH for another language. A path that is not here is searched in
the folder SENTID_DATA. `#1` keeps the documents whose md5 of "file:id" is 1 modulo 8, `#2-7` those
with 2 to 7. The units of a .conllu file are joined with p_CC = .5.
"""

import argparse
import os
import re
from collections.abc import Callable, Iterator
from hashlib import md5
from itertools import accumulate, pairwise
from pathlib import Path

import spacy
from spacy.language import Language

import spacy_sentid
from spacy_sentid.sentence_identifier.access.spans import find_span_keys
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation import documents as evaluation
from spacy_sentid.sentence_identifier.evaluation import joined
from spacy_sentid.sentence_identifier.network.boundaries import LINE_RULES
from spacy_sentid.text.units import SU, Unit

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


def join_silent(document: GoldDocument, units: list[Unit]) -> list[Unit]:
    """Join an NSU that ends in mid-line without a mark with the SU after it: a rule left out."""
    text, found = document.text, units[::-1]
    for one, after in reversed([*pairwise(units)]):
        is_silent = text[one.end : after.start] == " " and text[one.end - 1].isalnum()
        if one.label != SU and after.label == SU and is_silent:
            at = found.index(one)
            found[at - 1 : at + 1] = [Unit(one.start, found[at - 1].end, SU)]
    return found[::-1]


def read_set(path: str) -> Iterator[GoldDocument]:
    """Read the documents of a set."""
    name, _, parts = path.partition("#")
    file = Path(name) if Path(name).exists() else Path(os.environ["SENTID_DATA"], name)
    if file.suffix == ".conllu":
        yield from joined.assemble_texts(joined.read_labelled([file]), p_cc=0.5, seed=0)
        return
    low, _, high = parts.partition("-")
    files = [file] if file.is_file() or not parts else sorted(file.glob("*.txt"))
    for one in files:
        for document in read_documents(one, spacy.blank("xx")):
            part = int(md5(f"{one.name}:{document.id}".encode()).hexdigest(), 16) % 8
            if not parts or int(low) <= part <= int(high or low):
                yield document


def print_scores(
    nlp: Language, cells: list[str], documents: list[GoldDocument], *, join: bool = False
) -> None:
    """Print the scores of a pipeline on documents as a row of a table, after other cells."""
    docs = nlp.pipe(document.text for document in documents)
    units = [evaluation.list_predicted(doc, find_span_keys(nlp)) for doc in docs]
    if join:
        units = list(map(join_silent, documents, units))
    scores = evaluation.score_predictions(documents, units)[""]
    cells = [*cells, *(f"{100 * scores[key]:.2f}" for key in COLUMNS)]
    print("|", " | ".join(cells), "|", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", choices=["spaces", "rules"])
    parser.add_argument("sets", nargs="+", metavar="[LANG:]NAME=PATH[#PARTS]")
    given = parser.parse_args()
    print("|", " | ".join(["set", "change" if given.table == "spaces" else "rules", *COLUMNS]), "|")
    print("| --- | --- |", " ---: |" * len(COLUMNS))
    for one in given.sets:
        name, path = one.split("=")
        lang, _, name = name.rpartition(":")
        nlp = spacy_sentid.load(lang or "en")
        documents = list(read_set(path))

        if given.table == "spaces":
            for label, change in CHANGES.items():
                print_scores(
                    nlp, [name, label], [change_text(document, change) for document in documents]
                )
            continue
        rules = dict(LINE_RULES)
        for names in ((), *((rule,) for rule in rules), tuple(rules)):
            LINE_RULES.clear()
            LINE_RULES.update({rule: rules[rule] for rule in names})
            print_scores(nlp, [name, " + ".join(names) or "none"], documents)
        print_scores(nlp, [name, "these, and silent cuts joined"], documents, join=True)


if __name__ == "__main__":
    main()
