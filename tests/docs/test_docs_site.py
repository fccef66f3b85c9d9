"""The pages of the documentation site that are generated from the code."""

import doctest
import re
from enum import Enum
from typing import Any, NamedTuple

import pytest
from docs_pages import load_site_code

from spacy_sentid.cli import list_commands

COMMANDS = list_commands()


@pytest.mark.parametrize("name", ["command_page", "docstrings"])
def test_examples_of_the_site_code_hold(name: str) -> None:
    if name == "docstrings":
        pytest.importorskip("griffe", reason="no mkdocstrings: pip install -e '.[docs]'")
    failed, tried = doctest.testmod(load_site_code(name))
    assert tried
    assert not failed


def test_examples_and_tables_of_docstrings_become_code() -> None:
    pytest.importorskip("griffe", reason="no mkdocstrings: pip install -e '.[docs]'")
    convert = load_site_code("docstrings").markdown_from_docstring
    assert convert(">>> f(1)\n2") == "```pycon\n>>> f(1)\n2\n```"
    assert convert("one    first\ntwo    second") == "```text\none    first\ntwo    second\n```"


SHOWN = list(COMMANDS.items())


class Option(NamedTuple):
    """An option on the page of commands."""

    names: list[str]  # ["-o", "--output"]
    values: str  # "paragraph|break|ignore"
    notes: str  # "required"


@pytest.fixture(scope="module")
def groups() -> list[str]:
    """The groups of the page of commands, each with its text."""
    first, *texts = load_site_code("command_page").format_commands().split("\n## ")
    assert first.startswith("# Commands\n")
    return texts


@pytest.fixture(scope="module")
def sections(groups: list[str]) -> dict[str, str]:
    """Sections of the page of commands, by command."""
    texts = [text for group in groups for text in group.split("\n### ")[1:]]
    return {text.partition("\n")[0]: text for text in texts}


def test_the_page_of_commands_has_every_command(sections: dict[str, str]) -> None:
    assert sorted(sections) == sorted(name for name, _ in SHOWN)


def test_commands_are_grouped_by_their_first_word(groups: list[str]) -> None:
    first, *others = [re.findall("^### (.*)$", group, flags=re.MULTILINE) for group in groups]
    assert first == [name for name, _ in SHOWN if " " not in name]
    for group, names in zip(groups[1:], others, strict=True):
        assert names
        assert {name.split()[0] for name in names} == {group.partition(":")[0]}


def test_the_index_of_commands_links_to_every_section(sections: dict[str, str]) -> None:
    intro = load_site_code("command_page").format_commands().partition("\n## ")[0]
    linked = re.findall(r'<dt><a href="#([\w-]+)"><code>([^<]+)</code></a></dt><dd>\S', intro)
    assert [name for _, name in linked] == list(sections)
    assert all(anchor == name.replace(" ", "-") for anchor, name in linked)


def read_options(section: str) -> list[Option]:
    """Read the definition lists of a section."""
    rows = re.findall(
        r"^<dt><code>(.*?)</code>(?: <var>(.*?)</var>)?</dt>\n"
        r"<dd>\S.*?(?: <small>(.*)</small>)?</dd>$",
        section,
        flags=re.MULTILINE,
    )
    return [
        Option(re.split(", | / ", names), values.replace("<wbr>", ""), notes)
        for names, values, notes in rows
    ]


@pytest.mark.parametrize(("name", "command"), SHOWN, ids=[name for name, _ in SHOWN])
def test_the_page_of_commands_has_every_option(
    name: str, command: Any, sections: dict[str, str]
) -> None:
    rows = read_options(sections[name])
    assert len(rows) == sections[name].count("<dt>")
    context = command.context_class(command)
    params = [param for param in command.params if not param.hidden]
    assert len(rows) == len(params)
    for param in params:
        wanted = {*param.opts, *param.secondary_opts}
        if param.param_type_name == "option":
            (row,) = [row for row in rows if wanted <= set(row.names)]
        else:
            record = param.get_help_record(context)[0].split()
            (row,) = [row for row in rows if row.names == record[:1]]
        assert ("required" in row.notes) is param.required
        if isinstance(param.default, Enum):
            assert "|".join(item.value for item in type(param.default)) in row.values
            assert f"default: {param.default.value}" in row.notes


def test_code_in_the_help_stays_code() -> None:
    format_text = load_site_code("command_page").format_text
    assert format_text("`a_b` and c_d <e>") == "<code>a_b</code> and c_d &lt;e&gt;"


def test_the_api_has_a_page_for_every_folder_with_docstrings() -> None:
    pages = {page.folder: page for page in load_site_code("hooks").list_api_pages()}
    assert "spacy_sentid.text.units" in pages["spacy_sentid.text"].modules
    assert (
        "spacy_sentid.word_segmenter.speech.pauses"
        in pages["spacy_sentid.word_segmenter.speech"].modules
    )
    assert not any(".cli" in folder for folder in pages)
