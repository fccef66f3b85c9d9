"""The documentation: its code runs, its links resolve, its commands and numbers exist."""

import inspect
import pkgutil
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
import srsly
import typer
from docs_pages import Block, load_site_code, read_blocks, run_block
from spacy.schemas import ConfigSchemaNlp, ConfigSchemaTraining
from spacy.util import registry
from thinc.api import Config

from spacy_sentid.cli import list_commands
from studies.__main__ import app as studies_app

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
# Pages that the site generates, apart from those of all modules.
GENERATED = ("changelog.md", "commands.md")
README = "README.md"
GUIDES = [page for page in PAGES if page.startswith(("guides/", "start/"))]
RUNNABLE = ("python", "shell")
# Without the blocks that begin with >>>, which doctest runs.
BLOCKS = [block for page in PAGES for block in read_blocks(DOCS, page)] + read_blocks(ROOT, README)
NOT_RUN = [block for block in BLOCKS if block.mark.startswith("not run: ")]
# Accepted reasons for not running a block.
REASONS = ("installs", "needs a cluster", "needs a GPU", "needs the ", "needs your ", "stays")
COMMANDS = list_commands()
STUDIES = typer.main.get_command(studies_app).commands  # type: ignore[attr-defined]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder like a clone, with copies of the files that the guides read."""
    for name in ("assets/sample", "assets/everyday", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def list_pages_to_run(mark: str) -> list[str]:
    """List the pages that have code with a mark, in order."""
    return list(dict.fromkeys(b.page for b in BLOCKS if b.lang in RUNNABLE and b.mark == mark))


# A guide shows the weights in a language that they do not know.
@pytest.mark.filterwarnings("ignore:.* has no weights for")
@pytest.mark.parametrize("page", list_pages_to_run(""))
def test_quick_code_of_a_page_runs(page: str, reader: Path) -> None:
    run_page(page, marks={""})


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* has no weights for")
@pytest.mark.parametrize("page", list_pages_to_run("slow"))
def test_all_code_of_a_page_runs(page: str, reader: Path) -> None:
    shutil.copy(ROOT / "project.yml", reader)
    shutil.copytree(ROOT / "benchmarks" / "results", reader / "benchmarks" / "results")
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in ("spacy_sentid", "studies"):
        shutil.copytree(ROOT / folder, reader / folder, ignore=ignore)
    run_page(page, marks={"", "slow"})


def run_page(page: str, *, marks: set[str]) -> None:
    namespace = {"__name__": "guide"}
    for block in BLOCKS:
        if block.page == page and block.lang in RUNNABLE and block.mark in marks:
            run_block(block, namespace)


@pytest.mark.parametrize("block", NOT_RUN, ids=lambda block: block.place)
def test_code_that_is_not_run_says_why(block: Block) -> None:
    reason = block.mark.removeprefix("not run: ")
    assert reason.startswith(REASONS)
    pytest.skip(f"docs/{block.place}: {reason}")


def test_every_block_is_run_or_says_why() -> None:
    for block in BLOCKS:
        assert block.mark in ("", "slow") or block.mark.startswith("not run: "), block.place
        assert block.lang in (*RUNNABLE, "text", "json", "ini", "xml"), block.place


# Sections of a config that are neither registered functions nor components.
SCHEMAS = {"training": ConfigSchemaTraining, "nlp": ConfigSchemaNlp}


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.lang == "ini"], ids=lambda block: block.place
)
def test_config_blocks_have_only_known_settings(block: Block) -> None:
    config = Config().from_str(add_parents(block.code), interpolate=False)
    spacy.blank("en")  # the first pipeline registers the factories of the entry points
    checked = 0
    for name, section in walk_sections(config):
        kinds = [key for key in section if key.startswith("@")]
        if kinds:
            function = registry.get(kinds[0][1:], section[kinds[0]])
            known = {kinds[0], *inspect.signature(function).parameters}
        elif "factory" in section:
            function = registry.get("factories", section["factory"])
            known = {"factory", *inspect.signature(function).parameters}
        elif name in SCHEMAS:
            known = {field.alias or key for key, field in SCHEMAS[name].model_fields.items()}
        else:
            continue
        assert set(section) <= known
        checked += 1
    assert checked


def add_parents(code: str) -> str:
    """Add empty parent sections, which an excerpt of a config lacks."""
    names = re.findall(r"^\[(.+)\]$", code, flags=re.MULTILINE)
    parents = {name.rsplit(".", n)[0] for name in names for n in range(1, name.count(".") + 1)}
    return "".join(f"[{name}]\n" for name in sorted(parents.difference(names))) + code


def walk_sections(section: dict[str, Any], name: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Walk through a config, including lists of sections: (last part of the name, section)."""
    yield name, section
    for key, value in section.items():
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, dict):
                yield from walk_sections(child, key)


# ---- command lines, on all pages and in the README


COMMAND_LINE = re.compile(
    r"^(?: {4})?(?:.*&& )?((?:spacy-sentid|python -m (?:spacy project run|studies)) [\w\"'./].*)$",
    re.MULTILINE,
)


def list_command_lines() -> list[tuple[str, str]]:
    """List the lines of code in all pages that call our commands: (place, line)."""
    rows = []
    for file in [*(DOCS / page for page in PAGES), ROOT / "README.md"]:
        text = file.read_text(encoding="utf8").replace("\\\n", " ")
        rows += [(file.name, line) for line in COMMAND_LINE.findall(text)]
    return rows


@pytest.mark.parametrize(("place", "line"), list_command_lines())
def test_commands_and_options_in_the_docs_exist(place: str, line: str) -> None:
    words = shlex.split(line.replace("[", " ").replace("]", " "), comments=True)
    options = [word.split("=")[0] for word in words if word.startswith("--")]
    if words[0] == "spacy-sentid" or words[2] == "studies":
        command = COMMANDS[find_command(words)] if words[0] == "spacy-sentid" else STUDIES[words[3]]
        known = {name for param in command.params for name in (*param.opts, *param.secondary_opts)}
        assert set(options) <= known
    else:
        folder = next((word for word in words[6:7] if not word.startswith("--")), ".")
        project = srsly.read_yaml(ROOT / folder / "project.yml")
        names = [command["name"] for command in project["commands"]]
        assert words[5] in [*project.get("workflows", []), *names]
        assert {name.removeprefix("--vars.") for name in options} <= set(project["vars"])


def find_command(words: list[str]) -> str:
    """Find the command of a line: one or two words after the name of the program."""
    return next(name for name in (" ".join(words[1:3]), words[1]) if name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_in_the_docs(name: str) -> None:
    texts = [(DOCS / page).read_text(encoding="utf8") for page in PAGES]
    assert any(f"spacy-sentid {name}" in text or f"`{name}`" in text for text in texts)


# ---- extras


# Commands that need an extra.
EXTRAS = {
    r"^spacy-sentid serve": "serve",
    r"^spacy-sentid speech align": "speech",
    r"^python -m studies text-scores": "nlg",
    r"^python -m studies strategies": "strategies",
    r"--engine ray": "ray",
    r"Parquet|parquet|\.zst": "batch",
}
NAMED = r"extras? `{0}`|\[(\w+,)*{0}(,\w+)*\]"


@pytest.mark.parametrize("page", [*GUIDES, "papers.md", "downstream.md"])
def test_extras_are_named_before_or_where_they_are_needed(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf8")
    for pattern, extra in EXTRAS.items():
        needed = re.search(pattern, text, flags=re.MULTILINE)
        if needed:
            named = re.search(NAMED.format(extra), text)
            end = text.find("\n\n", needed.end())
            assert named, (pattern, extra)
            assert named.start() < end, (pattern, extra)


# ---- links and nav


def list_links() -> list[tuple[str, str]]:
    """List the links in the docs and in the Markdown files next to the README: (file, target)."""
    rows = []
    for file in [*(DOCS / page for page in PAGES), *ROOT.glob("*.md")]:
        text = re.sub(r"^```.*?^```$", "", file.read_text(encoding="utf8"), flags=re.M | re.S)
        text = re.sub(r"`[^`\n]*`", "", text)
        place = file.relative_to(ROOT).as_posix()
        rows += [(place, target) for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    return [(place, target) for place, target in rows if "://" not in target]


API = {page.path: page for page in load_site_code("hooks").list_api_pages()}
GALLERY = {entry.path for entry in load_site_code("gallery").ENTRIES}
# GitHub and the theme show an image with such an ending only in this mode.
MODES = ("gh-light-mode-only", "gh-dark-mode-only")


@pytest.mark.parametrize(("place", "target"), list_links())
def test_links_resolve(place: str, target: str) -> None:
    path, _, anchor = target.partition("#")
    file = (ROOT / place).parent / path if path else ROOT / place
    made = file.resolve().relative_to(ROOT).as_posix().removeprefix("docs/")
    if made == "changelog.md":
        assert not anchor
    elif made.startswith("gallery/"):
        assert made in GALLERY
    elif made == "commands.md":
        assert not anchor or anchor in {name.replace(" ", "-") for name in COMMANDS}
    elif made.startswith("api/"):
        modules = API[made].modules
        if anchor and anchor not in modules:
            assert pkgutil.resolve_name(anchor).__module__ in modules
    elif file.suffix == ".webp":
        assert file.is_file()
        assert anchor in MODES
        assert f"-{anchor.split('-')[1]}." in file.name
    else:
        assert file.is_file()
        assert not anchor or anchor in headings(file)


def headings(file: Path) -> set[str]:
    """List the anchors of the headings of a page, as mkdocs makes them."""
    text = re.sub(r"^```.*?^```$", "", file.read_text(encoding="utf8"), flags=re.M | re.S)
    found = re.findall(r"^#+ (.*)$", text, flags=re.M)
    plain = [re.sub(r"[^\w\s-]", "", heading).strip().lower() for heading in found]
    return {re.sub(r"[-\s]+", "-", heading) for heading in plain}


def list_nav(node: object) -> list[str]:
    if isinstance(node, str):
        return [node]
    children = node.values() if isinstance(node, dict) else node
    return [page for child in children for page in list_nav(child)]  # type: ignore[attr-defined]


def test_the_nav_has_every_page_once() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf8")
    assert sorted(list_nav(srsly.yaml_loads(text)["nav"])) == sorted([*PAGES, *GENERATED])


# ---- numbers


NUMBER = re.compile(r"(?<![\w-])-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:±[\d.]+)?(?!\w|-)")


RESULTS = ("papers.md", "downstream.md", "paraphrase.md", "start/choose_settings.md")


def list_results() -> list[tuple[str, str, str]]:
    """List the rows of results in some pages: (source files, head of the table, row).

    A comment `<!-- from: FILE, ... -->` precedes each table of results.
    """
    rows = []
    source = head = ""
    files = [ROOT / README, *(DOCS / page for page in RESULTS)]
    texts = [file.read_text(encoding="utf8") for file in files]
    for line in "\n".join(texts).splitlines():
        mark = re.fullmatch(r"<!-- from: (.*) -->", line)
        if mark:
            source, head = mark[1], ""
        elif not line.startswith("|"):
            source = source if not line.strip() else ""
        elif source:
            head = head or line
            if find_numbers(line):
                rows.append((source, head, line))
    return rows


def find_numbers(line: str) -> list[str]:
    """Find the numbers in a row, except in its first cell, which is a name."""
    cells = line.strip("|").split("|")[1:]
    return [number for cell in cells for number in NUMBER.findall(cell)]


def first_word(row: str) -> str:
    """Return the first word of a row or of the head of a table."""
    return row.strip("| *`").split()[0].strip("*`,:")


def read_passages(source: str) -> list[str]:
    """Read the table rows and the paragraphs of files."""
    texts = [(ROOT / name).read_text(encoding="utf8") for name in source.split(", ")]
    lines = [line for text in texts for line in text.splitlines() if line.startswith("|")]
    return lines + [part for text in texts for part in text.split("\n\n") if "\n|" not in part]


def is_in_order(numbers: list[str], passage: list[str]) -> bool:
    rest = iter(passage)
    return all(number in rest for number in numbers)


@pytest.mark.parametrize(("source", "head", "row"), list_results())
def test_rows_of_results_are_in_their_source_files(source: str, head: str, row: str) -> None:
    found = [
        passage
        for passage in read_passages(source)
        if is_in_order(find_numbers(row), NUMBER.findall(passage))
    ]
    # In the tables by language, rows are named by the settings P and N.
    settings = head.startswith("| English")
    assert settings or any(first_word(row) in passage for passage in found)
    assert found


def test_the_pages_have_results() -> None:
    assert len(list_results()) > 40


def has_number(text: str, number: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?![\d]|\.\d)", text) is not None


@pytest.mark.parametrize("page", [*RESULTS, "index.md", "design.md", *GUIDES])
def test_means_and_deviations_are_in_the_results(page: str) -> None:
    sources = [ROOT / "README.md", DOCS / "paraphrase.md", ROOT / "benchmarks" / "README.md"]
    for folder in ("benchmarks/results", "studies/published"):
        sources += (ROOT / folder).glob("*.md")
    text = "".join(source.read_text(encoding="utf8") for source in sources)
    for number in re.findall(r"[\d.]+±[\d.]*\d", (DOCS / page).read_text(encoding="utf8")):
        assert has_number(text, number)
