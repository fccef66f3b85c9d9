"""The reference pages agree with the code: settings of components, and public functions."""

import inspect
import re
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
import spacy
from spacy.language import Language
from thinc.api import Config, Model

import spacy_sentid
from spacy_sentid.corpus_augmenter.augmenter import make_np_punct_augmenter

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
COMPONENTS = ("sentence_identifier", "rule_sentencizer", "word_segmenter", "paraphrase_tagger")
NEW_ROW = re.compile(r"^\| `(\w+)` \| (.*?) \| (.*?) \| (.*) \|$", re.MULTILINE)
BELOW = "[below](#nested-settings)"


def list_settings(factory: str) -> list[tuple[str, Any, Any]]:
    """List the settings of a component: (name, type, default)."""
    spacy.blank("en")  # the first pipeline registers the factories of the entry points
    meta = Language.get_factory_meta(factory)
    make = spacy.registry.get("factories", factory)
    types_ = get_type_hints(make)
    return [(name, types_[name], default) for name, default in meta.default_config.items()]


def list_arguments(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    """List the arguments of a registered function in the same way; "required" has no default."""
    types_ = get_type_hints(function)
    return [
        (name, types_[name], "required" if value.default is value.empty else value.default)
        for name, value in inspect.signature(function).parameters.items()
    ]


def format_type(type_: Any) -> str:
    """Format a type as in the tables: choices as they are, and `or` for alternatives."""
    if get_origin(type_) is Literal:
        *others, last = [f'`"{choice}"`' for choice in get_args(type_)]
        return f"{', '.join(others)} or {last}"
    if get_origin(type_) in (Union, types.UnionType):
        return " or ".join(format_type(part) for part in get_args(type_))
    if type_ is type(None):
        return "`None`"
    if type_ is Callable or get_origin(type_) is type(Callable) or "Callable" in str(type_):
        return "function"
    if (get_origin(type_) or type_) is Model:
        return "`Model`"
    return f"`{str(type_).replace('typing.', '') if get_origin(type_) else type_.__name__}`"


def format_default(value: Any) -> str:
    """Format a default as in the tables; nested values are in a block below the table."""
    if isinstance(value, dict):
        return BELOW
    if value == "required":
        return value
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def read_page(name: str) -> str:
    return (REFERENCE / f"{name}.md").read_text(encoding="utf8")


def read_table(page: str) -> list[list[str]]:
    """Read the table of settings of a page: name, type and default."""
    return [[row[1], row[2], row[3]] for row in NEW_ROW.finditer(page)]


@pytest.mark.parametrize("factory", COMPONENTS)
def test_a_page_has_the_settings_of_its_component(factory: str) -> None:
    page = read_page(factory)
    wanted = [
        [name, format_type(type_), format_default(default)]
        for name, type_, default in list_settings(factory)
    ]
    assert sorted(read_table(page)) == sorted(wanted)


@pytest.mark.parametrize("factory", COMPONENTS)
def test_a_page_has_the_nested_settings_of_its_component(factory: str) -> None:
    (block,) = re.findall(r"```ini\n(.*?)```", read_page(factory).partition("## Nested")[2], re.S)
    written = Config().from_str(block)
    nested = {name: value for name, _, value in list_settings(factory) if isinstance(value, dict)}
    assert written == nested


def test_the_page_of_the_augmenter_has_its_settings() -> None:
    wanted = [
        [name, format_type(type_), format_default(default)]
        for name, type_, default in list_arguments(make_np_punct_augmenter)
    ]
    assert sorted(read_table(read_page("np_punct_augmenter"))) == sorted(wanted)


def list_public_names() -> list[str]:
    return [name for name in spacy_sentid.__all__ if name != "__version__"]


def test_dir_lists_the_public_names() -> None:
    assert dir(spacy_sentid) == sorted(spacy_sentid.__all__)


@pytest.mark.parametrize("name", list_public_names())
def test_the_page_of_functions_has_every_public_name_with_its_arguments(name: str) -> None:
    section = re.search(
        rf"^### {name}$(.*?)(?=^##|\Z)", read_page("api"), flags=re.MULTILINE | re.DOTALL
    )
    assert section, f"docs/reference/api.md must have a section '### {name}'"
    call = re.search(rf"^`{name}\((.*?)\)`$", section[1], flags=re.MULTILINE | re.DOTALL)
    assert call, f"the section of {name} must begin with its call in backticks"
    arguments = [
        argument.partition("=")[0].strip() for argument in re.split(r",\s+", call[1]) if argument
    ]
    parameters = inspect.signature(getattr(spacy_sentid, name)).parameters.values()
    stars = {inspect.Parameter.VAR_KEYWORD: "**", inspect.Parameter.VAR_POSITIONAL: "*"}
    wanted = [stars.get(parameter.kind, "") + parameter.name for parameter in parameters]
    assert [argument for argument in arguments if argument != "*"] == wanted


def test_the_page_of_functions_has_only_public_names() -> None:
    assert set(re.findall(r"^### (\w+)$", read_page("api"), flags=re.M)) == set(list_public_names())
