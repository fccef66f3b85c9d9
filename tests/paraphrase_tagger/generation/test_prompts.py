"""Prompts in the paper's template, and the pairs that are parsed from answers."""

import json
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.paraphrase_tagger.generation.language_model import (
    ask_command,
    write_answers,
)
from spacy_sentid.paraphrase_tagger.generation.prompts import (
    PAIRS_PER_PROMPT,
    build_prompt,
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
    assert [prompt["id"] for prompt in prompts][:2] == ["prompt-01", "prompt-02"]
    for prompt in prompts:
        pairs = parse_answer(prompt["prompt"])
        assert len(set(pairs)) == len(pairs) == PAIRS_PER_PROMPT == 20
        assert set(pairs) <= set(MANY)
    assert prompts == list(draw_prompts(MANY, n=12, rng=random.Random(1)))
    assert prompts != list(draw_prompts(MANY, n=12, rng=random.Random(2)))
    assert len({prompt["prompt"] for prompt in prompts}) == 12


def test_too_few_pairs_for_a_prompt_are_an_error() -> None:
    with pytest.raises(ValueError, match=r"19.*20|20.*19"):
        list(draw_prompts(MANY[:19], n=1, rng=random.Random(0)))


AB = [("It rose.", "It grew.")]


@pytest.mark.parametrize(
    ("text", "pairs"),
    [
        ("Premise: It rose.\nParaphrase: It grew.\n", AB),
        ("premise:It rose.\n\n\nPARAPHRASE :  It grew. \n", AB),
        ("Premise: It rose.\r\nParaphrase: It grew.\r\n", AB),
        ("Premise: It rose.\rParaphrase: It grew.\r", AB),
        ("3. Premise: It rose.\n3. Paraphrase: It grew.\n", AB),
        ("(3) Premise: It rose.\n    Paraphrase: It grew.\n", AB),
        ("Premise 3: It rose.\nParaphrase 3: It grew.\n", AB),
        ("- **Premise:** It rose.\n- **Paraphrase**: It grew.\n", AB),
        ("**1. Premise:** It rose.\n**Paraphrase: It grew.**\n", AB),
        ("Pair 1:\nPremise: It rose.\nParaphrase: It grew.\n---\n2.\n", AB),
        ("Sure, here they are:\nPremise: It rose.\nParaphrase: It grew.\n\nMore?", AB),
        ("\n It rose.\nPremise: It rose.\nParaphrase: It grew.\nPremise: He", AB),
        ("Premise: It rose.\nParaphrase: It grew.\nPrem", AB),
        ("Premise: It rose.\nParaphrase: It grew.\nPremise: He left.\nPara", AB),
        ("Premise: It rose.\nParaphrase: It gr", []),
        ("Premise: It rose.\nParaphrase: It grew.", []),
        ("Premise: It rose.\n", []),
        ("Premise: It rose.\nPremise: It rose.\nParaphrase: It grew.\n", AB),
        ("Premise: It rose.\nParaphrase: It grew.\nParaphrase: It went up.\n", AB),
        ("Paraphrase: It grew.\n", []),
        ("Premise:\nParaphrase: It grew.\n", []),
        ("Premise: It rose.\nParaphrase:\n", []),
        # Both in one line, or a text of two lines: its end would be a guess.
        ("Premise: It rose. Paraphrase: It grew.\n", []),
        ("Premise: It rose.\nParaphrase: It grew\nand grew.\n", []),
        ("Premise: It rose\nand rose.\nParaphrase: It grew.\n", []),
        ("", []),
        ("The premise: of it all.\n", []),
    ],
)
def test_whole_pairs_are_read(text: str, pairs: list) -> None:
    assert parse_answer(text) == pairs


@given(pairs_of_text)
def test_pairs_of_a_prompt_are_parsed_back(pairs: list) -> None:
    assert parse_answer(build_prompt(pairs)) == pairs
    assert parse_answer(build_prompt(pairs).replace("\n", "\r\n\r\n")) == pairs


@given(pairs_of_text, st.data())
def test_an_answer_cut_anywhere_gives_its_first_pairs_and_no_others(pairs: list, data) -> None:
    text = build_prompt(pairs)
    end = data.draw(st.integers(0, len(text)))
    n_whole = sum(len(build_prompt(pairs[: n + 1])) <= end for n in range(len(pairs)))
    assert parse_answer(text[:end]) == pairs[:n_whole]


@given(st.text("Premisaph: \n\r*_#1.\"'-", max_size=80))
def test_texts_of_pairs_are_in_the_answer(text: str) -> None:
    for pair in parse_answer(text):
        for side in pair:
            assert side == " ".join(side.split()) != ""
            assert side in " ".join(text.split())


def test_long_lines_of_signs_are_parsed_quickly() -> None:
    signs = ["-" * 50_000, "* " * 50_000 + "1" * 50_000, "_" * 50_000, "premise" + " " * 50_000]
    for end in ("", "x", ":"):
        text = "".join(f"{line}{end}\n" for line in signs)
        assert parse_answer(text) == []


def test_a_pair_is_the_same_in_either_order() -> None:
    assert pair_key("It rose.", "It grew.") == pair_key("it  GREW.", "It rose.")
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
    ],
)
def test_a_failing_command_is_an_error_with_its_reason(command: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ask_command(command, "")


PROMPTS = [{"id": f"p{n}", "prompt": f"text {n}"} for n in range(4)]


def test_a_failure_stops_the_job_and_the_next_run_resumes_there(tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("precious\n")
    asked: list[str] = []

    def ask(prompt: str) -> str:
        asked.append(prompt)
        if asked.count(prompt) <= 1 and prompt == "text 2":
            raise ValueError("no credit.")
        return prompt.upper()

    with pytest.raises(ValueError, match=r"p2 .*no credit.* resume"):
        write_answers(PROMPTS, ask, output, settings={"seed": 0})
    assert output.read_text() == "precious\n"
    with pytest.raises(ValueError, match="seed 0"):
        write_answers(PROMPTS, ask, output, settings={"seed": 1})
    assert write_answers(PROMPTS, ask, output, settings={"seed": 0}) == 4
    assert asked == ["text 0", "text 1", "text 2", "text 2", "text 3"]
    records = [json.loads(line) for line in output.read_text().splitlines()]
    assert records[3] == {"id": "p3", "prompt": "text 3", "output": "TEXT 3"}
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]
