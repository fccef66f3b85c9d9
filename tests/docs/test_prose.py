"""Prose in plain English: no banned words, no missing verbs, short sentences, help that fits."""

import pytest
import typer
from typer.testing import CliRunner

from spacy_sentid.cli import app, list_commands
from tests import prose

COLUMNS = 80
GROUPS = sorted({name.split()[0] for name in list_commands() if " " in name})


def findings(kind: str, text: str, file: str = "spacy_sentid/a.py") -> list[str]:
    """Return the rules that a passage breaks."""
    return [found.rule for found in prose.check_passage(prose.Passage(kind, file, 1, text))]


def test_no_file_has_findings() -> None:
    if not (prose.ROOT / ".git").exists():
        pytest.skip("needs a git clone")
    found = prose.check_all()
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize(
    ("kind", "text", "rule"),
    [
        ("comment", "Of a candidate that stands at the border.", "word"),
        ("error", "Found 3 rows, expected 4.", "error"),
        ("function", "What reading gives.", "verb"),
        ("function", "Whether a unit is an SU.", "verb"),
        ("help", "Of the page.", "verb"),
        ("docstring", "A text. What is left out is counted.", "what"),
        ("page", " ".join(["word"] * 50) + ".", "long"),
    ],
)
def test_each_rule_finds_its_fault(kind: str, text: str, rule: str) -> None:
    assert rule in findings(kind, text)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("function", "Return the units of a text."),
        ("docstring", "Settings of the decoder."),
        ("error", "'threshold' must be in [0, 1], got 1.1."),
        ("page", "What is a unit? It is a sentence, or `what stands` between two."),
        ("comment", 'The paper says "stands for" here.'),
        ("page", "The base install works behind a firewall."),
    ],
)
def test_plain_prose_has_no_findings(kind: str, text: str) -> None:
    assert findings(kind, text) == []


def test_passages_are_read_from_each_kind_of_file() -> None:
    code = '"""A module."""\n\n# Why.\nraise ValueError(f"{1} must be 2.")\nOption(help="The x.")\n'
    kinds = [(passage.kind, passage.text) for passage in prose.read_python("a.py", code)]
    assert sorted(kinds) == [
        ("comment", "Why."), ("docstring", "A module."), ("error", "X must be 2."),
        ("help", "The x."),
    ]  # fmt: skip
    page = "# Title\n\nOne\nline.\n\n- An item.\n\n```shell\nstands\n```\n| a | table |\n"
    assert [found.text for found in prose.read_markdown("a.md", page)] == ["One line.", "An item."]


def show_help(*words: str) -> str:
    """Return the help of a command, as a terminal of 80 columns shows it."""
    done = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": str(COLUMNS)})
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("name", ["", *GROUPS, *list_commands()])
def test_help_fits_a_terminal_and_has_examples(name: str) -> None:
    text = show_help(*name.split())
    assert max(map(len, text.splitlines())) <= COLUMNS
    n_examples = text.count("spacy-sentid ") - text.count("Usage: spacy-sentid ")
    assert n_examples >= (3 if name in ("", *GROUPS) else 1)


def test_summaries_are_not_cut() -> None:
    root = typer.main.get_command(app)
    for words in ([], *([group] for group in GROUPS)):
        listing = show_help(*words).partition("Commands:")[2]
        assert listing
        assert "..." not in listing
    assert root.name == "spacy-sentid"
