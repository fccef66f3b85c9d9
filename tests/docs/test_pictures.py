"""The pictures of the docs show what the package shows now."""

import json
from pathlib import Path

import pytest
from pictures import FINGERPRINTS, FOLDER, PICTURES, THEMES, make_fingerprint

ROOT = Path(__file__).parents[2]
MAX_BYTES = 180_000


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_what_the_package_shows_now(name: str) -> None:
    if PICTURES[name].is_served:
        pytest.importorskip("flask", reason="the extra 'serve' is not installed")
    if name == "readme":
        pytest.importorskip("markdown", reason="no markdown: pip install -e '.[docs]'")
    known = json.loads(FINGERPRINTS.read_text(encoding="utf8"))
    assert known[name] == make_fingerprint(PICTURES[name]), "Run 'python -m tests.pictures'."


def test_the_folder_has_each_picture_in_light_and_dark_and_nothing_else() -> None:
    files = {f"{name}-{theme}.webp" for name in PICTURES for theme in THEMES}
    assert {path.name for path in FOLDER.iterdir()} == files | {FINGERPRINTS.name}
    assert max(path.stat().st_size for path in FOLDER.iterdir()) < MAX_BYTES


def test_each_picture_is_in_the_docs() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    text = "".join(page.read_text(encoding="utf8") for page in pages)
    assert [name for name in PICTURES if f"images/{name}-light.webp" not in text] == []
