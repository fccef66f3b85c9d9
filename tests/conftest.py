"""What all tests share: the `--slow` option, the shared corpora, the committed sample."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SHARED_DATA = Path(os.environ.get("SENTID_DATA") or ROOT.parent / "shared" / "data")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes minutes; run with --slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--slow"):
        return
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Folder of the corpora that are not committed; skips the test where there is none."""
    if not SHARED_DATA.is_dir():
        pytest.skip(f"no corpora at {SHARED_DATA}: set SENTID_DATA to their folder")
    return SHARED_DATA


@pytest.fixture(scope="session")
def root() -> Path:
    """Root of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def sample() -> Path:
    """Folder of the committed sample corpus."""
    return ROOT / "assets" / "sample"
