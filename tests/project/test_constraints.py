"""Tests of constraints.txt: it fits the bounds of setup.cfg, and has only versions."""

import configparser
import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "constraints.txt").read_text("utf8").splitlines()
PINS = [Requirement(line) for line in LINES if not line.startswith("#")]
SYSTEMS = [
    {"sys_platform": platform, "platform_system": system, "os_name": os}
    for platform, system, os in [
        ("linux", "Linux", "posix"), ("darwin", "Darwin", "posix"), ("win32", "Windows", "nt"),
    ]
]  # fmt: skip
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]


def read_requirements() -> list[Requirement]:
    """Read the requirements in setup.cfg, with all extras."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf8")
    blocks = [config["options"]["install_requires"], *config["options.extras_require"].values()]
    return [Requirement(line) for block in blocks for line in block.split("\n") if line]


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system["sys_platform"])
def test_each_requirement_has_one_tested_version_in_its_bounds(
    system: dict[str, str], python: str
) -> None:
    place = {**system, "python_version": python, "python_full_version": f"{python}.1"}
    for required in read_requirements():
        if required.marker is not None and not required.marker.evaluate(place):
            continue
        found = [
            str(pin.specifier).removeprefix("==")
            for pin in PINS
            if canonicalize_name(pin.name) == canonicalize_name(required.name)
            and (pin.marker is None or pin.marker.evaluate(place))
        ]
        assert len(found) == 1, required
        assert required.specifier.contains(found[0]), (required, found)


def test_the_lock_has_versions_and_nothing_else() -> None:
    assert [str(pin) for pin in PINS if not re.fullmatch(r"==[^,*]+", str(pin.specifier))] == []
    assert not [pin for pin in PINS if pin.url]
    assert not [line for line in LINES if line.startswith("-") or "://" in line]
