"""The GitHub workflows: the files that they run exist, and permissions are minimal."""

import configparser
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="no PyYAML, which comes with mkdocs")

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".github" / "workflows"
if not FOLDER.is_dir():
    pytest.skip("an sdist has no workflows", allow_module_level=True)
PATHS = sorted(FOLDER.glob("*.yml"))
PINNED = re.compile(r"uses: [\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+")
OURS = re.compile(r"(?<![\w/-])\.?[\w-]+/[\w./-]+")


def read(path: Path) -> dict[str, Any]:
    """Read a workflow. PyYAML reads its key "on" as True."""
    return yaml.safe_load(path.read_text("utf8"))


def read_setup() -> configparser.ConfigParser:
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf8")
    return config


JOBS = [
    pytest.param(job, id=f"{path.stem}-{name}")
    for path in PATHS
    for name, job in read(path)["jobs"].items()
]


def test_the_workflows_are_those_that_contributing_names() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf8")
    assert {path.name for path in PATHS} == set(re.findall(r"`\.github/workflows/(\S+)`", page))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_workflows_may_only_read_and_run_once(path: Path) -> None:
    workflow = read(path)
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["group"]
    assert "pull_request_target" not in path.read_text("utf8")
    assert "secrets." not in path.read_text("utf8")


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_actions_are_pinned_by_commit(path: Path) -> None:
    for line in path.read_text("utf8").splitlines():
        if "uses:" in line and "uses: ./" not in line:
            assert PINNED.fullmatch(line.strip().removeprefix("- ")), line


@pytest.mark.parametrize("job", JOBS)
def test_jobs_end_and_run_what_exists(job: dict[str, Any]) -> None:
    if "uses" in job:
        assert (ROOT / job["uses"]).is_file()
        return
    assert job["timeout-minutes"] <= 350
    extras = read_setup()["options.extras_require"]
    for step in job["steps"]:
        assert step.get("with", {}).get("persist-credentials", False) is False
        assert ("checkout" in step.get("uses", "")) == ("persist-credentials" in str(step))
        command = step.get("run", "")
        assert "${{" not in command, "values go through variables, not into the script"
        for name in OURS.findall(command):
            assert (ROOT / name).is_file(), name
        for names in re.findall(r"\.\[([\w,]+)\]", command):
            assert set(names.split(",")) <= set(extras)


def test_the_pythons_are_those_of_the_metadata() -> None:
    tested = read(FOLDER / "tests.yml")["jobs"]["quick"]["strategy"]["matrix"]["python"]
    classifiers = read_setup()["metadata"]["classifiers"]
    assert tested == re.findall(r"Python :: (3\.\d+)$", classifiers, re.MULTILINE)
    assert read_setup()["options"]["python_requires"] == f">={tested[0]}"


def test_only_the_job_that_publishes_has_an_identity() -> None:
    rights = {
        (path.stem, name): job["permissions"]
        for path in PATHS
        for name, job in read(path)["jobs"].items()
        if "permissions" in job
    }
    assert rights == {("release", "publish"): {"id-token": "write"}}
    publish = read(FOLDER / "release.yml")["jobs"]["publish"]
    assert publish["environment"] == "pypi"
    assert publish["needs"] == ["tests", "build"]
    # The published files are the files that were built and tested.
    assert not [step for step in publish["steps"] if "run" in step]


@pytest.mark.skipif(shutil.which("bash") is None, reason="the script is for bash")
@pytest.mark.parametrize(
    ("tag", "changelog", "fault"),
    [
        ("v1.2.3", "## 1.2.3 (2026-11-23)\n", ""),
        ("1.2.3", "## 1.2.3 (2026-11-23)\n", "The tag must be v1.2.3"),
        ("v1.2.4", "## 1.2.3 (2026-11-23)\n", "The tag must be v1.2.3"),
        ("v1.2.3", "## 1.2.3 (unreleased)\n", "CHANGELOG.md must have a section"),
        ("v1.2.3", "## 1.203 (2026-11-23)\n", "CHANGELOG.md must have a section"),
    ],
)
def test_a_tag_is_the_version_that_the_changelog_dates(
    tag: str, changelog: str, fault: str, tmp_path: Path
) -> None:
    for name in (".ci", "spacy_sentid"):
        (tmp_path / name).mkdir()
    shutil.copy(ROOT / ".ci" / "tag", tmp_path / ".ci")
    about = tmp_path / "spacy_sentid" / "about.py"
    about.write_text('"""The version."""\n\n__version__ = "1.2.3"\n', encoding="utf8")
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n{changelog}", encoding="utf8")
    done = subprocess.run(
        ["bash", ".ci/tag", tag], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout[: len(fault)]) == (int(bool(fault)), fault)
