"""The house rules: what imports what, and the table of contents in setup.cfg."""

import ast
import configparser
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from spacy.language import Language
from spacy.util import registry

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "spacy_sentid"
SPINE = {
    "about", "units", "blocks", "embed", "files", "gates", "layers", "offsets", "plotting",
    "sentence_starts", "treebank", "training", "windows",
}  # fmt: skip
# The only ones that import torch.
TORCH_FILES = {"unit_encoder.py", "pair_encoder.py", "seq2seq.py"}
EDGES = {"study", "parser_study", "pause_study", "downstream", "cli", "view", "batch"}


def run(code: str) -> str:
    """Run code in a fresh interpreter."""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def imported_by(code: str) -> set[str]:
    return set(run(f"{code}\nimport sys\nprint(*sys.modules)").split())


HEAVY = {
    "torch",
    "spacy",
    "spacy_transformers",
    "transformers",
    "typer",
    "numpy",
    "thinc",
}


@pytest.mark.parametrize(
    "module",
    ["spacy_sentid", "spacy_sentid.units", "spacy_sentid.sentence_identifier.rule",
     "spacy_sentid.corpus_augmenter.noun_phrases", "spacy_sentid.corpus_augmenter.punctuation",
     "studies.parser.titles", "spacy_sentid.blocks",
     "spacy_sentid.sentence_identifier.joining", "spacy_sentid.sentence_identifier.noise"],
)  # fmt: skip
def test_plain_modules_import_nothing_heavy(module: str) -> None:
    assert not imported_by(f"import {module}") & HEAVY


def test_the_decoder_imports_neither_spacy_nor_torch() -> None:
    modules = imported_by("import spacy_sentid.sentence_identifier.bos_eos")
    assert not modules & {"spacy", "torch", "thinc"}


# Without the optional packages, and without the entry points that other packages of the
# environment bring along; thinc imports torch wherever it is installed.
WITHOUT_EXTRAS = """
import sys
for name in ("torch", "transformers", "spacy_transformers"):
    sys.modules[name] = None
import catalogue
find = catalogue.Registry._get_entry_points
catalogue.Registry._get_entry_points = lambda self: [
    point for point in find(self) if point.value.startswith("spacy_sentid")
]
import spacy
nlp = spacy.blank("en")
assert "spacy_sentid.sentence_identifier.component" in sys.modules
"""


def test_a_blank_pipeline_loads_no_torch() -> None:
    run(WITHOUT_EXTRAS)


def test_the_component_trains_and_runs_without_torch() -> None:
    run(
        WITHOUT_EXTRAS
        + """
nlp.add_pipe("sentence_identifier", config={"pretrained": None})
doc = nlp.make_doc("I sleep.")
doc.spans["su"] = [doc[:]]
nlp.initialize(lambda: [spacy.training.Example(nlp.make_doc("I sleep."), doc)])
found = nlp("I sleep.")
assert "su" in found.spans and "nsu" in found.spans
"""
    )


def test_the_word_segmenter_runs_without_torch() -> None:
    found = run(
        WITHOUT_EXTRAS
        + """
nlp = spacy.blank("zh")
nlp.add_pipe("word_segmenter")
print(len(nlp("我们在学校")))
"""
    )
    assert found.split() == ["3"]


def imports_of(file: Path) -> set[str]:
    """Modules that a file imports, absolute; names imported from the package as modules too."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    package = parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            module = ".".join([*base, *(node.module.split(".") if node.module else [])])
            found.add(module)
            found |= {f"{module}.{alias.name}" for alias in node.names}
    return found


def room_of(module: str) -> str | None:
    """The first name below the package: "units", "sentence_identifier", ..."""
    parts = module.split(".")
    return parts[1] if parts[0] == "spacy_sentid" and len(parts) > 1 else None


FILES = sorted(PACKAGE.rglob("*.py"))
PARTS = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - EDGES - SPINE - {"pretrained"}
PARTS -= {"__pycache__"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_imports_go_from_edges_to_parts_to_the_spine(file: Path) -> None:
    relative = file.relative_to(PACKAGE)
    room = relative.parts[0] if len(relative.parts) > 1 else relative.stem
    rooms = {room_of(module) for module in imports_of(file)} - {None, room}
    if room in SPINE:
        assert not rooms & (PARTS | EDGES)
    elif room in PARTS:
        assert not rooms & EDGES
        assert not rooms & PARTS


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_heavy_packages_are_imported_where_they_belong(file: Path) -> None:
    imports = {module.split(".")[0] for module in imports_of(file)}
    assert "conllu" not in imports
    assert "typer" not in imports or "cli" in file.parts
    assert "torch" not in imports or file.name in TORCH_FILES


def table_of_contents() -> list[tuple[str, str, str]]:
    config = configparser.ConfigParser()
    config.optionxform = str  # type: ignore[assignment, method-assign]
    config.read(ROOT / "setup.cfg")
    rows = []
    for group, block in config["options.entry_points"].items():
        for line in block.strip().splitlines():
            name, _, value = line.partition("=")
            rows.append((group, name.strip(), value.strip()))
    return rows


@pytest.mark.parametrize(("group", "name", "value"), table_of_contents())
def test_every_entry_point_loads(group: str, name: str, value: str) -> None:
    assert callable(EntryPoint(name, value, group).load())


@pytest.mark.parametrize(("group", "name", "value"), table_of_contents())
def test_every_entry_point_is_found_by_its_registry(group: str, name: str, value: str) -> None:
    target = EntryPoint(name, value, group).load()
    if group == "spacy_factories":
        assert Language.has_factory(name)
    elif group.startswith("spacy_"):
        assert registry.get(group.removeprefix("spacy_"), name) is target


@pytest.mark.parametrize(("group", "name", "value"), table_of_contents())
def test_names_follow_the_house_rules(group: str, name: str, value: str) -> None:
    if group == "console_scripts":
        assert name == "spacy-sentid"
    elif group == "spacy_factories":
        assert "." not in name
    else:
        assert name.startswith("spacy_sentid.")
        assert name.rsplit(".", 1)[1].startswith("v")


@pytest.mark.parametrize(("group", "name", "value"), table_of_contents())
def test_every_entry_point_has_a_test(group: str, name: str, value: str) -> None:
    function = value.rsplit(":", 1)[1]
    texts = [
        file.read_text() for file in (ROOT / "tests").glob("*.py") if file.name != "test_house.py"
    ]
    assert any(name in text or function in text for text in texts)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(PACKAGE)))
def test_files_have_a_docstring(file: Path) -> None:
    tree = ast.parse(file.read_text())
    assert not tree.body or ast.get_docstring(tree) or file.name in {"about.py", "__main__.py"}
