"""Options and fixtures of all tests: `--slow`, the shared corpora, the committed sample."""

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

ROOT = Path(__file__).parent.parent
DATA = os.environ.get("SENTID_DATA")
collect_ignore = ["light"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes minutes; run with --slow")
    # The quick tests try the same examples every time, so that none fails by chance.
    slow = config.getoption("--slow")
    # Ray reads its token once per process, in the first test that uses it. Without one, it writes a
    # new token to the home folder.
    os.environ.setdefault("RAY_AUTH_TOKEN", uuid4().hex)
    settings.register_profile("quick", max_examples=50, derandomize=True, deadline=None)
    settings.register_profile("slow", max_examples=300, deadline=None)
    settings.load_profile("slow" if slow else "quick")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Any, list[Any]]:
    """Keep doctests away from test modules.

    `--doctest-ignore-import-errors` would skip a module that cannot be imported, with its tests.
    """
    found = yield
    is_test = file_path.name.startswith("test_")
    return [one for one in found if not (is_test and isinstance(one, DoctestModule))]


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("slow") and not item.config.getoption("--slow"):
        pytest.skip("slow: run with --slow")


@pytest.fixture(scope="session")
def find_corpus() -> Callable[[str], Path]:
    """Function that finds a corpus that is not committed, and skips the test without it."""

    def find(name: str) -> Path:
        if not DATA:
            pytest.skip("needs corpora: set SENTID_DATA to the folder of corpora")
        path = Path(DATA, name)
        if not path.exists():
            pytest.skip(f"needs {name}: set SENTID_DATA to the folder of corpora that has it")
        return path

    return find


@pytest.fixture(scope="session")
def light_env() -> dict[str, str]:
    """Environment that hides torch from a process, since spaCy takes seconds to import it."""
    paths = [str(ROOT / "tests" / "light"), os.environ.get("PYTHONPATH")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}


@pytest.fixture(scope="module")
def light_processes(light_env: dict[str, str]) -> Iterator[None]:
    """Hide torch from all processes that a module starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", light_env["PYTHONPATH"])
        yield


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def sample() -> Path:
    """Folder of the committed sample corpus."""
    return ROOT / "assets" / "sample"


@pytest.fixture(scope="session")
def tiny_pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of a small pipeline with random weights, for tests that do not need good units."""
    import spacy
    from spacy.training import Example
    from thinc.api import fix_random_seed

    fix_random_seed(0)
    nlp = spacy.blank("en")
    tok2vec = {
        "@architectures": "spacy_sentid.DilatedEncoder.v1",
        "width": 16,
        "rows": [200, 100, 100, 100],
        "dilations": [1],
        "maxout_pieces": 2,
        "word_dropout": 0.0,
    }
    model = {
        "@architectures": "spacy_sentid.UnitTagger.v1",
        "segment_hidden": 8,
        "tok2vec": tok2vec,
    }
    nlp.add_pipe("sentence_identifier", config={"model": model, "pretrained": None})
    doc = nlp.make_doc("Page 3\nI like cats.")
    doc.spans["su"], doc.spans["nsu"] = [doc[3:7]], [doc[0:2]]
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc)])
    folder = tmp_path_factory.mktemp("tiny") / "pipeline"
    nlp.to_disk(folder)
    return folder


@pytest.fixture
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print each table as one, as if terminals were very wide."""
    monkeypatch.setattr("spacy_sentid.cli.terminal.printing.TABLE_WIDTH", 1_000)
