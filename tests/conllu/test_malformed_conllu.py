"""Commands read malformed CoNLL-U, or refuse it in one line with the path and line number."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
import spacy
from hostile_conllu import Case, malformed_conllu
from typer.testing import CliRunner

from spacy_sentid.cli import app
from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.word_segmenter.corpus import make_word_corpus, read_words

MAX_MESSAGE = 500
N_QUICK = 12
# Kinds that once caused a traceback, a huge message, a wrong error, or one without a place.
FAULTS = [
    "MISC: empty", "MISC: a space", "UPOS: minus one", "UPOS: NUL", "UPOS: long", "FEATS: a space",
    "ID huge both", "comment 9: # sent_id = iiiiiiii", "text long", "file: a BOM", "file: CR",
    "file: a BOM only",
    "file: CR in the second unit", "file: empty", "file: blank lines", "file: comments only",
    "file: CoNLL-U Plus", "file: header of another order", "comments only",
]  # fmt: skip
# Commands to run; FILE and OUT are paths.
COMMANDS = {
    "augment": ["augment", "FILE", "OUT.conllu", "--remove-punct", "0.5", "--add-np", "1"],
    "convert to .spacy": ["treebank", "convert", "FILE", "OUT.spacy"],
    "convert to .jsonl": ["treebank", "convert", "FILE", "OUT.jsonl"],
    "profile": ["treebank", "profile", "FILE", "--json", "OUT.json"],
    "evaluate units": ["evaluate", "units", "FILE", "--texts", "OUT.jsonl"],
    "view": ["view", "--units", "FILE", "-o", "OUT.html"],
}
BLANK = lru_cache(spacy.blank)
# Readers of training, and of commands that first load a pipeline.
READERS: dict[str, Callable[[Path], Any]] = {
    "evaluate documents": lambda path: list(read_documents(path, spacy.blank("en"))),
    "evaluate words": read_words,
    "word corpus": lambda path: list(make_word_corpus(path, True)(spacy.blank("zh"))),
}


def run(command: str, path: Path) -> BaseException | str | None:
    """Run a command on a file; return its error message, None without one, or an exception."""
    if command in READERS:
        try:
            READERS[command](path)
        except ValueError as error:
            return str(error)
        except Exception as error:
            return error
        return None
    words = [
        word.replace("FILE", str(path)).replace("OUT", str(path.with_name("out")))
        for word in COMMANDS[command]
    ]
    result = CliRunner().invoke(app, words)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        return result.exception
    if not result.exit_code:
        return None
    assert result.exit_code == 1, result.stderr
    *_, message = result.stderr.rstrip("\n").split("\n")
    return message.removeprefix("Error: ")


def judge(case: Case, path: Path, outcome: BaseException | str | None) -> str:
    """Describe the result of a case in a word: accepted, refused, or the problem."""
    if outcome is None:
        return "accepted"
    if not isinstance(outcome, str):
        return f"traceback: {outcome!r:.200}"
    if len(outcome) >= MAX_MESSAGE + len(str(path)):
        return f"{len(outcome):,} characters: {outcome:.200}"
    if not outcome.isprintable():
        return f"more than a line of text: {outcome!r}"
    if str(path) not in outcome:
        return f"no path: {outcome}"
    lines = re.findall(re.escape(str(path)) + r":(\d+)", outcome)
    if case.first and not any(case.first <= int(line) <= case.last for line in lines):
        return f"no line of [{case.first}, {case.last}]: {outcome}"
    return "refused"


def run_cases(command: str, cases: list[Case], folder: Path) -> Iterator[tuple[Case, str]]:
    path = folder / "tree-train.conllu"
    for case in cases:
        path.write_bytes(case.raw)
        yield case, judge(case, path, run(command, path))


@pytest.fixture(scope="module")
def cases(pytestconfig: pytest.Config) -> list[Case]:
    found = list(malformed_conllu(0))
    if pytestconfig.getoption("--slow"):
        return found
    faults = [case for case in found if case.kind in FAULTS]
    return faults + Random(0).sample(found, N_QUICK)


@pytest.fixture(autouse=True)
def quick_pipelines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Use one pipeline, as creating its tokenizer would take longer than reading the file."""
    monkeypatch.setattr(spacy, "blank", BLANK)


def test_there_are_enough_kinds() -> None:
    kinds = [case.kind for case in malformed_conllu(0)]
    assert len(kinds) == len(set(kinds)) >= 250
    assert set(FAULTS) <= set(kinds)


@pytest.mark.parametrize("command", [*COMMANDS, *READERS])
def test_malformed_conllu_is_read_or_refused_with_its_place(
    command: str, cases: list[Case], tmp_path: Path
) -> None:
    found = list(run_cases(command, cases, tmp_path))
    wrong = [f"{case.kind}: {verdict}" for case, verdict in found
             if verdict not in ("accepted", "refused")]  # fmt: skip
    counts = Counter(verdict for _, verdict in found)
    print(f"{command}: {counts['refused']} refused, {counts['accepted']} accepted")  # shown by -rA
    assert not wrong, "\n".join(wrong)
