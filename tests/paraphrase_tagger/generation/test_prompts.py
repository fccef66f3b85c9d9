"""Prompts in the paper's template, and the pairs that are parsed from answers."""

import json
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.files.resume import open_job
from spacy_sentid.paraphrase_tagger.generation.language_model import (
    MAX_FAILURES,
    ask_command,
    collect_answers,
    write_answers,
)
from spacy_sentid.paraphrase_tagger.generation.prompts import (
    PAIRS_PER_PROMPT,
    Answer,
    Prompt,
    build_prompt,
    clean_text,
    draw_prompts,
    pair_key,
    parse_answer,
)

M1 = "However, commercial use of the 2.6.0 kernel is still months off for most customers."
M2 = "Commercial releases of the 2.6 kernel by major Linux distributors still remain months away."
MANY = [(f"premise number {n}", f"paraphrase number {n}") for n in range(30)]

words = st.text("ab cdé.,'-0123", min_size=1).map(lambda text: f"w{' '.join(text.split())}w")
pairs_of_text = st.lists(st.tuples(words, words), max_size=6)


def test_prompt_has_the_template_of_the_paper() -> None:
    assert build_prompt([(M1, M2)]) == f"Premise: {M1}\nParaphrase: {M2}\n"


def test_line_ends_inside_a_text_become_spaces() -> None:
    assert build_prompt([("a\nb", "c\r\n d")]) == "Premise: a b\nParaphrase: c d\n"


def test_prompts_have_20_different_pairs_and_come_from_the_seed() -> None:
    prompts = list(draw_prompts(MANY, n=12, rng=random.Random(1)))
    assert [prompt.id for prompt in prompts][:2] == ["prompt-01", "prompt-02"]
    for prompt in prompts:
        pairs = parse_answer(prompt.text).pairs
        assert len(set(pairs)) == len(pairs) == PAIRS_PER_PROMPT == 20
        assert set(pairs) <= set(MANY)
    assert prompts == list(draw_prompts(MANY, n=12, rng=random.Random(1)))
    assert prompts != list(draw_prompts(MANY, n=12, rng=random.Random(2)))
    assert len({prompt.text for prompt in prompts}) == 12


def test_too_few_pairs_for_a_prompt_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"19.*20|20.*19"):
        list(draw_prompts(MANY[:19], n=1, rng=random.Random(0)))


AB = [("It rose.", "It grew.")]


@pytest.mark.parametrize(
    ("text", "pairs", "n_incomplete"),
    [
        ("Premise: It rose.\nParaphrase: It grew.\n", AB, 0),
        ("premise:It rose.\n\n\nPARAPHRASE :  It grew. \n", AB, 0),
        ("Premise: It rose.\r\nParaphrase: It grew.\r\n", AB, 0),
        ("Premise: It rose.\rParaphrase: It grew.\r", AB, 0),
        ("3. Premise: It rose.\n3. Paraphrase: It grew.\n", AB, 0),
        ("(3) Premise: It rose.\n    Paraphrase: It grew.\n", AB, 0),
        ("Premise 3: It rose.\nParaphrase 3: It grew.\n", AB, 0),
        ("- **Premise:** It rose.\n- **Paraphrase**: It grew.\n", AB, 0),
        ("**1. Premise:** It rose.\n**Paraphrase: It grew.**\n", AB, 0),
        ('Premise: "It rose."\nParaphrase: “It grew.”\n', AB, 0),
        ("Pair 1:\nPremise: It rose.\nParaphrase: It grew.\n---\n2.\n", AB, 0),
        ("Sure, here they are:\nPremise: It rose.\nParaphrase: It grew.\n\nMore?", AB, 0),
        ("\n It rose.\nPremise: It rose.\nParaphrase: It grew.\nPremise: He", AB, 1),
        ("Premise: It rose.\nParaphrase: It grew.\nPrem", AB, 1),
        ("Premise: It rose.\nParaphrase: It grew.\nPremise: He left.\nPara", AB, 1),
        ("Premise: It rose.\nParaphrase: It gr", [], 1),
        ("Premise: It rose.\nParaphrase: It grew.", [], 1),
        ("Premise: It rose.\n", [], 1),
        ("Premise: It rose.\nPremise: It rose.\nParaphrase: It grew.\n", AB, 1),
        ("Premise: It rose.\nParaphrase: It grew.\nParaphrase: It went up.\n", AB, 1),
        ("Paraphrase: It grew.\n", [], 1),
        ("Premise:\nParaphrase: It grew.\n", [], 2),
        ("Premise: It rose.\nParaphrase:\n", [], 1),
        # Both in one line, or a text of two lines: its end would be a guess.
        ("Premise: It rose. Paraphrase: It grew.\n", [], 1),
        ("Premise: It rose.\nParaphrase: It grew\nand grew.\n", [], 1),
        ("Premise: It rose\nand rose.\nParaphrase: It grew.\n", [], 2),
        ("", [], 0),
        ("The premise: of it all.\n", [], 0),
    ],
)
def test_whole_pairs_are_read(text: str, pairs: list, n_incomplete: int) -> None:
    assert parse_answer(text) == Answer(pairs, n_incomplete)


def test_the_last_line_counts_if_the_model_had_finished() -> None:
    assert parse_answer("Premise: It rose.\nParaphrase: It grew.", finished=True).pairs == AB


def test_quotes_inside_a_text_are_kept() -> None:
    for text in ('"Yes," he said, "no."', "'Tis the season 'twas said'", '"', "it's", "«a» b»"):
        assert clean_text(text) == text


@given(pairs_of_text)
def test_pairs_of_a_prompt_are_parsed_back(pairs: list) -> None:
    assert parse_answer(build_prompt(pairs)) == Answer(pairs, 0)
    assert parse_answer(build_prompt(pairs).replace("\n", "\r\n\r\n")) == Answer(pairs, 0)


@given(pairs_of_text, st.data())
def test_an_answer_cut_anywhere_gives_its_first_pairs_and_no_others(pairs: list, data) -> None:
    text = build_prompt(pairs)
    end = data.draw(st.integers(0, len(text)))
    n_whole = sum(len(build_prompt(pairs[: n + 1])) <= end for n in range(len(pairs)))
    found = parse_answer(text[:end])
    assert found.pairs == pairs[:n_whole]


@given(st.text("Premisaph: \n\r*_#1.\"'-", max_size=80))
def test_texts_of_pairs_are_in_the_answer(text: str) -> None:
    for pair in parse_answer(text).pairs:
        for side in pair:
            assert side == " ".join(side.split()) != ""
            assert side in " ".join(text.split())


def test_long_lines_of_signs_are_parsed_quickly() -> None:
    signs = ["-" * 50_000, "* " * 50_000 + "1" * 50_000, "_" * 50_000, "premise" + " " * 50_000]
    for end in ("", "x", ":"):
        text = "".join(f"{line}{end}\n" for line in signs)
        assert parse_answer(text) == Answer([], 0)


def test_a_pair_is_the_same_in_either_order() -> None:
    assert pair_key("It rose.", "It grew.") == pair_key("it  GREW.", '"It rose."')
    assert pair_key("a b", "c") != pair_key("a", "b c")
    assert pair_key("a", "a") != pair_key("a", "b")


# The user's command


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_command_reads_the_prompt_and_prints_the_answer() -> None:
    echo = python("import sys; print(sys.stdin.read(), end='')")
    assert ask_command(echo, "Premise: é\n") == "Premise: é"
    # The last line break is that of print, the one before it ends the pair.
    assert ask_command(python("print('Premise: a\\nParaphrase: b\\n')"), "").endswith("b\n")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-program-here"], "no-such-program-here"),
        (python("import sys; sys.exit('out of memory')"), "1: out of memory"),
        (python("import sys; sys.stdout.buffer.write(b'\\xff')"), "UTF-8"),
        (python("import time; time.sleep(20)"), "0.5 seconds"),
    ],
)
def test_a_failing_command_is_an_error_with_its_reason(command: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask_command(command, "", timeout=0.5 if "sleep" in command[-1] else None)


PROMPTS = [Prompt(f"p{n}", f"text {n}") for n in range(12)]


def ask(prompt: str) -> str:
    if prompt.endswith(("3", "4")):
        raise ValueError("no answer.")
    return prompt.upper()


def collect(output: Path, ask=ask, prompts: list[Prompt] = PROMPTS) -> tuple[int, int]:
    with open_job(output, {"seed": 0}) as job:
        missing = collect_answers(prompts, ask, job)
        return write_answers(output, job, missing=missing)


def test_failed_prompts_are_in_the_file_of_errors(tmp_path: Path) -> None:
    assert collect(tmp_path / "out.jsonl") == (10, 2)
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert lines[3] == '{"id": "p5", "prompt": "text 5", "output": "TEXT 5"}'
    errors = (tmp_path / "out.jsonl.errors.jsonl").read_text().splitlines()
    assert json.loads(errors[0])["place"] == "p3"
    assert {path.name for path in tmp_path.iterdir()} == {"out.jsonl", "out.jsonl.errors.jsonl"}


def test_an_interrupted_collection_resumes_and_repeats_no_prompt(tmp_path: Path) -> None:
    collect(tmp_path / "whole.jsonl")
    asked: list[str] = []

    def ask_once(prompt: str) -> str:
        asked.append(prompt)
        if prompt == "text 7" and asked.count(prompt) == 1:
            raise KeyboardInterrupt
        return ask(prompt)

    with pytest.raises(KeyboardInterrupt):
        collect(tmp_path / "out.jsonl", ask_once)
    assert not (tmp_path / "out.jsonl").exists()
    collect(tmp_path / "out.jsonl", ask_once)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert sorted(asked) == sorted([prompt.text for prompt in PROMPTS] + ["text 7"])


def test_a_command_that_always_fails_ends_the_job_and_is_asked_again(tmp_path: Path) -> None:
    asked = []

    def fail(prompt: str) -> str:
        asked.append(prompt)
        raise ValueError("no credit.")

    with pytest.raises(ValueError, match=f"{MAX_FAILURES}.* no credit"):
        collect(tmp_path / "out.jsonl", fail)
    assert len(asked) == MAX_FAILURES
    assert not list(tmp_path.iterdir())
    assert collect(tmp_path / "out.jsonl") == (10, 2)


@pytest.mark.parametrize("n", [1, MAX_FAILURES - 1])
def test_without_any_answer_an_older_output_is_kept(tmp_path: Path, n: int) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("precious\n")

    def fail(prompt: str) -> str:
        raise ValueError("no credit.")

    with pytest.raises(ValueError, match=f"{n} .*no credit"):
        collect(output, fail, PROMPTS[:n])
    assert output.read_text() == "precious\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
    assert collect(output, str.upper, PROMPTS[:n]) == (n, 0)


def test_failures_at_the_end_are_asked_again(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    asked: list[str] = []

    def run_dry(prompt: str) -> str:
        asked.append(prompt)
        if prompt in ("text 3", "text 10", "text 11"):
            raise ValueError("no credit.")
        return prompt.upper()

    for _ in range(2):
        with pytest.raises(ValueError, match=r"2 prompts.*no credit"):
            collect(output, run_dry)
        assert len(output.read_text().splitlines()) == 9
        errors = (tmp_path / "out.jsonl.errors.jsonl").read_text()
        assert [json.loads(line)["place"] for line in errors.splitlines()] == ["p3", "p10", "p11"]
    assert asked[12:] == ["text 10", "text 11"]
    assert collect(output, str.upper) == (11, 1)
    assert {path.name for path in tmp_path.iterdir()} == {"out.jsonl", "out.jsonl.errors.jsonl"}
