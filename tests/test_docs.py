"""The documentation: its code runs, its links resolve, its commands and numbers exist."""

import inspect
import re
import shlex
import shutil
from pathlib import Path

import pytest
import srsly
import typer
from docs_pages import Block, read_blocks, run_block

from spacy_sentid.cli import app

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
# Pages whose blocks are run; those of the other pages are run by doctest where they begin with >>>.
GUIDES = [page for page in PAGES if page.startswith("guides/")] + ["index.md", "design.md"]
RUNNABLE = ("python", "shell")
BLOCKS = [block for page in GUIDES for block in read_blocks(DOCS, page)]
NOT_RUN = [block for block in BLOCKS if block.mark.startswith("not run: ")]
# What a block may need that is not here.
REASONS = ("installs", "needs the network", "needs a cluster", "needs a GPU", "needs your", "stays")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder such as a clone: what the guides read, and nothing that they could spoil."""
    for name in ("assets/sample", "configs"):
        shutil.copytree(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", GUIDES)
def test_quick_code_of_a_guide_runs(page: str, reader: Path) -> None:
    run_page(page, marks={""})


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in GUIDES if any(b.page == page and b.mark == "slow" for b in BLOCKS)]
)
def test_all_code_of_a_guide_runs(page: str, reader: Path) -> None:
    shutil.copy(ROOT / "project.yml", reader)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "spacy_sentid", reader / "spacy_sentid", ignore=ignore)
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
        assert block.lang in (*RUNNABLE, "text", "json", "ini"), block.place


@pytest.mark.parametrize(
    "block", [block for block in BLOCKS if block.lang == "ini"], ids=lambda block: block.place
)
def test_config_blocks_fit_what_is_registered(block: Block) -> None:
    from spacy.util import registry

    ((kind, name),) = re.findall(r'^@(\w+) = "(.+)"$', block.code, flags=re.MULTILINE)
    settings = re.findall(r"^(\w+) =", block.code, flags=re.MULTILINE)
    assert set(settings) <= set(inspect.signature(registry.get(kind, name)).parameters)


# ---- command lines, on all pages and in the README


COMMAND_LINE = re.compile(
    r"^(?: {4})?(?:.*&& )?((?:spacy-sentid|python -m spacy project run) [\w\"'./].*)$", re.MULTILINE
)


def list_command_lines() -> list[tuple[str, str]]:
    """List the lines of code of all pages that call us: (place, line)."""
    rows = []
    for file in [*(DOCS / page for page in PAGES), ROOT / "README.md"]:
        text = file.read_text(encoding="utf8").replace("\\\n", " ")
        rows += [(file.name, line) for line in COMMAND_LINE.findall(text)]
    return rows


@pytest.mark.parametrize(("place", "line"), list_command_lines())
def test_command_lines_name_what_exists(place: str, line: str) -> None:
    words = shlex.split(line.replace("[", " ").replace("]", " "), comments=True)
    options = [word.split("=")[0] for word in words if word.startswith("--")]
    if words[0] == "spacy-sentid":
        known = {
            name
            for param in COMMANDS[words[1]].params
            for name in (*param.opts, *param.secondary_opts)
        }
        assert set(options) <= known
    else:
        project = srsly.read_yaml(ROOT / "project.yml")
        assert words[5] in project["workflows"]
        assert {name.removeprefix("--vars.") for name in options} <= set(project["vars"])


@pytest.mark.parametrize("name", [name for name in COMMANDS if not COMMANDS[name].hidden])
def test_every_command_is_in_the_docs(name: str) -> None:
    texts = [(DOCS / page).read_text(encoding="utf8") for page in PAGES]
    assert any(f"spacy-sentid {name}" in text or f"`{name}`" in text for text in texts)


# ---- links and nav


def list_links() -> list[tuple[str, str]]:
    rows = []
    for page in PAGES:
        text = re.sub(
            r"^```.*?^```$", "", (DOCS / page).read_text(encoding="utf8"), flags=re.M | re.S
        )
        text = re.sub(r"`[^`\n]*`", "", text)
        rows += [(page, target) for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    return [(page, target) for page, target in rows if "://" not in target]


@pytest.mark.parametrize(("page", "target"), list_links())
def test_links_resolve(page: str, target: str) -> None:
    path, _, anchor = target.partition("#")
    file = (DOCS / page).parent / path if path else DOCS / page
    made = file.resolve().relative_to(DOCS).as_posix()
    if made == "commands.md":
        assert not anchor or anchor in COMMANDS
    elif not made.startswith("api/"):
        assert file.is_file()
        assert not anchor or anchor in headings(file)


def headings(file: Path) -> set[str]:
    """Anchors of the headings of a page, as mkdocs makes them."""
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
    assert sorted(list_nav(srsly.yaml_loads(text)["nav"])) == PAGES


# ---- numbers


def list_cells() -> list[tuple[str, str, str]]:
    """List the numbers in tables of papers.md: (place, files that they are from, number).

    `<!-- from: FILE, ... -->` stands before each table of results.
    """
    rows = []
    source = ""
    for n, line in enumerate((DOCS / "papers.md").read_text(encoding="utf8").splitlines(), 1):
        mark = re.fullmatch(r"<!-- from: (.*) -->", line)
        if mark:
            source = mark[1]
        elif not line.startswith("|"):
            source = source if not line.strip() else ""
        elif source:
            rows += [(f"papers.md:{n}", source, number) for number in find_numbers(line)]
    return rows


NUMBER = re.compile(r"(?<![\w-])-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?:±[\d.]+)?(?!\w|-)")


def find_numbers(line: str) -> list[str]:
    """Find the numbers of a row, but those in its first cell: a name."""
    cells = line.strip("|").split("|")[1:]
    return [number for cell in cells for number in NUMBER.findall(cell)]


def test_numbers_of_the_papers_page_are_those_of_the_results() -> None:
    cells = list_cells()
    assert len(cells) > 50
    texts = {
        source: "".join((ROOT / name).read_text(encoding="utf8") for name in source.split(", "))
        for _, source, _ in cells
    }
    assert not [cell for cell in cells if not has_number(texts[cell[1]], cell[2])]


def has_number(text: str, number: str) -> bool:
    return re.search(rf"(?<![\d.]){re.escape(number)}(?![\d]|\.\d)", text) is not None


@pytest.mark.parametrize("page", ["papers.md", *GUIDES])
def test_means_and_deviations_are_those_of_the_results(page: str) -> None:
    sources = [ROOT / "README.md", DOCS / "paraphrase.md", ROOT / "benchmarks" / "README.md"]
    sources += (ROOT / "benchmarks" / "results").glob("*.md")
    text = "".join(source.read_text(encoding="utf8") for source in sources)
    for number in re.findall(r"[\d.]+±[\d.]*\d", (DOCS / page).read_text(encoding="utf8")):
        assert has_number(text, number)
