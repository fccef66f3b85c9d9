"""Run hostile texts through every component and command: thousands, or a million with --slow."""

import csv
import io
import json
import os
import re
from pathlib import Path

import pytest
import spacy
from fuzz import LAWS, check_texts
from hostile import KINDS, hostile_texts, make_text
from hostile_faults import Faults, find_faults, shrink
from tiny_jobs import read_rows

from spacy_sentid.batch.formats.records import readable_text
from spacy_sentid.batch.job import JobSettings, run_job
from spacy_sentid.batch.tasks import UNITS
from spacy_sentid.batch.work.worker import Worker, WorkSettings

# Texts that broke a law in the past, or similar ones: (law, seed, text).
FOUND: list[tuple[str, str, str]] = [
    # Several segmentations are equally good, and the last digit of a score decides.
    ("sentence_identifier", "3/3000", "éééééééé a.a.a.a. " + "x-" * 49),
    # A byte order mark at the start is not a word.
    *(("serve", f"{n}", "\ufeff") for n in range(6)),
]


@pytest.mark.parametrize("law", LAWS)
def test_laws_hold_for_texts_of_every_kind(law: str) -> None:
    faults = check_texts(600, seed=0, laws=[law])
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("law", "seed", "text"), FOUND)
def test_texts_that_once_broke_a_law_are_fixed(law: str, seed: str, text: str) -> None:
    assert not find_faults(LAWS[law], [text], seed)
    assert not find_faults(LAWS[law], ["I sleep.", text, "", text], seed)


@pytest.mark.slow
@pytest.mark.usefixtures("light_processes")
def test_a_million_texts(capsys: pytest.CaptureFixture[str]) -> None:
    def tell(line: str) -> None:
        with capsys.disabled():
            print(line, flush=True)

    faults = check_texts(1_000_000, seed=1, n_process=os.cpu_count() or 1, tell=tell)
    assert not faults, "\n".join(faults)


def test_a_text_depends_only_on_its_seed_and_index() -> None:
    texts = list(hostile_texts(3 * len(KINDS), seed=5))
    assert texts[2 * len(KINDS) + 4] == make_text(5, 2 * len(KINDS) + 4)
    assert [kind for kind, _ in texts] == [*KINDS] * 3
    assert texts != list(hostile_texts(3 * len(KINDS), seed=6))


def test_a_fault_is_found_named_and_made_shorter() -> None:
    def refuse_commas(texts, rng, faults: Faults) -> None:
        for n, text in enumerate(texts):
            with faults.of(n):
                assert "," not in text

    def raise_for_commas(texts, rng, faults: Faults) -> None:
        if any("," in text for text in texts):
            raise KeyError("a comma")

    texts = ["I sleep.", "You, he and they sleep.", ""]
    for law in (refuse_commas, raise_for_commas):
        (fault,) = find_faults(law, texts, "0")
        assert fault.number == 1
        assert re.search(r"test_hostile.py:\d+: (assert|raise)", fault.reason)
        assert shrink(law, texts[1], "0") == ","


# Lone surrogates


def test_workers_replace_lone_surrogates_which_spacy_refuses() -> None:
    nlp = spacy.blank("en")
    texts = [text for kind, text in hostile_texts(300, seed=2) if kind == "surrogates" and text]
    assert texts
    for text in texts:
        with pytest.raises(UnicodeEncodeError):
            nlp(text)
        doc = nlp(readable_text(text))
        assert len(doc.text) == len(text)


# The command, on files


def test_identify_finds_the_same_in_json_lines_and_csv(tmp_path: Path) -> None:
    texts = [text for _, text in hostile_texts(150, seed=3)]
    # CSV cannot contain lone surrogates, and Python 3.10 cannot read NUL in CSV.
    texts = [readable_text(text).replace("\0", " ") for text in texts]
    lines, table = tmp_path / "texts.jsonl", tmp_path / "texts.csv"
    rows = [{"id": str(n), "text": text} for n, text in enumerate(texts)]
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="ascii")
    file = io.StringIO(newline="")
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerows([["id", "text"], *([row["id"], row["text"]] for row in rows)])
    table.write_bytes(file.getvalue().encode())
    outs = []
    for path in (lines, table):
        out = path.with_name(f"{path.name}.out.jsonl")
        summary = run_job(JobSettings([str(path)], str(out)))
        assert (summary.n_records, summary.n_errors) == (len(texts), 0)
        outs.append(read_rows(out))
    assert outs[0] == outs[1]
    worker = Worker(WorkSettings(task=UNITS))
    assert [row["id"] for row in outs[0]] == [row["id"] for row in rows]
    for text, row in list(zip(texts, outs[0], strict=True))[::10]:
        doc = worker.nlp(text)
        spans = sorted([*doc.spans["su"], *doc.spans["nsu"]])
        expected = [(span.start_char, span.end_char) for span in spans]
        assert [(unit["start_char"], unit["end_char"]) for unit in row["units"]] == expected
