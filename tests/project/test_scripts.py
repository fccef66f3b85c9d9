"""The scripts of .ci: tests with the lowest versions, and reproducible builds."""

import importlib.util
import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

needs_bash = pytest.mark.skipif(sys.platform == "win32", reason="the script is for bash")


def run_script(root: Path, name: str, folder: Path) -> None:
    """Run a script of .ci, which makes its own environment."""
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "conllu"]
    if subprocess.run([*download, "--dest", str(folder)], capture_output=True).returncode:
        pytest.skip("needs a package index that pip reaches")
    done = subprocess.run([f".ci/{name}"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_bash
@pytest.mark.slow
def test_the_lowest_versions_that_setup_cfg_allows_work(root: Path, tmp_path: Path) -> None:
    run_script(root, "lowest", tmp_path)


@needs_bash
@pytest.mark.slow
def test_builds_are_reproducible_and_work_when_installed(root: Path, tmp_path: Path) -> None:
    if subprocess.run(["git", "rev-parse"], cwd=root, capture_output=True).returncode:
        pytest.skip("needs a git clone")
    run_script(root, "build", tmp_path)
    run_script(root, "sdist", tmp_path)


def write_archive(path: Path, names: str, *, time: int, owner: int, mode: int) -> None:
    """Write an archive with a file for each letter of `names`, whose content is that letter."""
    with tarfile.open(path, "w:gz") as archive:
        for name in names:
            member = tarfile.TarInfo(f"p-1/{name}")
            member.size, member.mtime, member.uid, member.mode = 1, time, owner, mode
            archive.addfile(member, io.BytesIO(name.encode()))


def test_time_owner_order_and_modes_leave_no_trace_in_an_sdist(root: Path, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("normalize", root / ".ci" / "normalize.py")
    normalize = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(normalize)
    first, second = tmp_path / "first.tar.gz", tmp_path / "second.tar.gz"
    write_archive(first, "abc", time=1_700_000_000, owner=0, mode=0o640)
    write_archive(second, "cab", time=1_700_000_009, owner=1000, mode=0o664)
    for path in (first, second):
        normalize.normalize(path, time=1_600_000_000)
    assert first.read_bytes() == second.read_bytes()
    with tarfile.open(first) as archive:
        members = archive.getmembers()
        assert [member.name for member in members] == ["p-1/a", "p-1/b", "p-1/c"]
        assert {(member.mtime, member.mode) for member in members} == {(1_600_000_000, 0o644)}
        assert archive.extractfile(members[1]).read() == b"b"
