"""docs/licences.md lists the packages that each extra installs, with their licences."""

import json
import re
from pathlib import Path

import pytest
from docs_pages import load_site_code

pytest.importorskip("packaging")
ROOT = Path(__file__).parents[2]
LICENCES = load_site_code("licences")
PAGE = (ROOT / "docs" / "licences.md").read_text("utf8")


def read_page() -> dict[str, set[str]]:
    """Read the packages in each section of the page. The name of the base install is ""."""
    _, *sections = re.split(r"^### (?:Base install|Extra (\w+))$", PAGE, flags=re.MULTILINE)
    names = [name or "" for name in sections[::2]]
    groups = [re.findall(r"^- .*?: (.*)$", text, re.MULTILINE) for text in sections[1::2]]
    return {
        name: {package for line in lines for package in line.split(", ")}
        for name, lines in zip(names, groups, strict=True)
    }


def test_the_page_has_the_locked_requirements_of_each_extra() -> None:
    groups = read_page()
    assert set(groups) == {"", *LICENCES.list_extras()}
    config = LICENCES.configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf8")
    for extra, block in [
        ("", config["options"]["install_requires"]), *config["options.extras_require"].items()
    ]:  # fmt: skip
        required = {LICENCES.Requirement(line).name for line in block.split("\n") if line}
        required = {LICENCES.canonicalize_name(name) for name in required}
        assert required <= groups[extra] | groups[""], extra
    lines = (ROOT / "constraints.txt").read_text("utf8").splitlines()
    locked = {line.partition("==")[0] for line in lines}
    assert set().union(*groups.values()) <= locked


def test_the_page_names_all_weights_and_their_sources() -> None:
    for folder in (ROOT / "spacy_sentid" / "pretrained").glob("*/"):
        if (folder / "model").is_file():
            assert re.search(rf"(?m)^- .*`{folder.name}`.*:\n    - ", PAGE)
            assert "Attribution-ShareAlike 4.0" in (folder / "LICENSE").read_text("utf8")


@pytest.mark.parametrize(
    ("metadata", "licence"),
    [
        ({"license_expression": "MIT AND MPL-2.0", "license": "BSD"}, "MIT AND MPL-2.0"),
        ({"classifier": ["License :: OSI Approved :: BSD License"]}, "BSD"),
        ({"license": "Apache 2.0\nmore"}, "Apache-2.0"),
        ({"license": "Do what you want."}, "unknown"),
        ({"classifier": ["License :: Other/Proprietary License"]}, "unknown"),
        ({}, "unknown"),
    ],
)
def test_a_licence_comes_from_the_metadata_or_is_unknown(metadata: dict, licence: str) -> None:
    assert LICENCES.find_licence("some-package", metadata) == licence


def test_packages_of_extras_are_listed_and_demanding_licences_flagged(tmp_path: Path) -> None:
    def entry(name: str, licence: str, *requires: str) -> dict:
        fields = {"name": name, "version": "1", "license_expression": licence}
        return {"metadata": {**fields, "requires_dist": list(requires)}}

    report = {
        "environment": {"python_version": "3.11", "sys_platform": "linux"},
        "install": [
            entry("spacy_sentid", "MIT", "Base>=1", 'more[inner]; extra == "batch"'),
            entry("base", "MIT"),
            entry("more", "MPL-2.0", 'deep; extra == "inner"', 'gone; python_version < "3"'),
            entry("deep", "AGPL-3.0-only", "base", "more"),
        ],
    }
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report), encoding="utf8")
    packages, environment = LICENCES.read_report(path)
    assert LICENCES.find_brought(packages, "", environment) == {"base"}
    assert LICENCES.find_brought(packages, "batch", environment) == {"base", "more", "deep"}
    page = LICENCES.format_page(packages, environment)
    assert "| AGPL-3.0-only | deep | batch | Its metadata does not say" not in page
    assert re.search(r"^\| AGPL-3.0-only \| deep \| batch \| ", page, re.MULTILINE)
    assert "### Extra batch\n\nNext to the base install:\n\n- AGPL-3.0-only: deep\n" in page
