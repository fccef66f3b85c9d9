"""The bounds in setup.cfg are true: the lowest versions work."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the script is for bash")
def test_the_lowest_versions_that_setup_cfg_allows_work(root: Path, tmp_path: Path) -> None:
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "conllu"]
    if subprocess.run([*download, "--dest", str(tmp_path)], capture_output=True).returncode:
        pytest.skip("needs a package index that pip reaches")
    done = subprocess.run([".ci/lowest"], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
