"""Code blocks of documentation pages, run as a reader would run them.

A block of `python` or `shell` is run. A block of `text` directly after it is the expected output,
in which `...` matches anything. A comment on the line before a block marks an exception:
`<!-- slow -->` runs only with --slow; `<!-- not run: why -->` never runs, and its reason is shown.
"""

import contextlib
import doctest
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from spacy_sentid.cli import app

BLOCK = re.compile(
    r"(?:^<!-- (?P<mark>[^\n]*?) -->\n)?^```(?P<lang>\w*)[^\n]*\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
ROOT = Path(__file__).parent.parent
PRINTED_FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


class Block(NamedTuple):
    """A fenced block of a page."""

    page: str  # "guides/tour.md"
    line: int  # of its first line of code, from 1
    lang: str
    code: str
    mark: str  # "", "slow" or "not run: why"
    printed: str | None  # the expected output, if the page shows it

    @property
    def place(self) -> str:
        """Page and line of the block."""
        return f"{self.page}:{self.line}"


def load_site_code(name: str) -> ModuleType:
    """Load a file of .mkdocs, as mkdocs does: the file can import the files next to it."""
    folder = str(ROOT / ".mkdocs")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(folder)


def build_site(folder: Path) -> Path:
    """Build the site into a new folder. Warnings are errors."""
    pytest.importorskip("material", reason="no mkdocs-material: pip install -e '.[docs]'")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def read_blocks(folder: Path, page: str) -> list[Block]:
    """Read the fenced blocks of a page, each with the output after it.

    Skip blocks that begin with `>>>`, because doctest runs them.
    """
    text = (folder / page).read_text(encoding="utf8")
    found = [block for block in BLOCK.finditer(text) if not block["code"].startswith(">>>")]
    blocks = []
    for block, after in zip_longest(found, found[1:]):
        printed = None
        if after and after["lang"] == "text" and not text[block.end() : after.start()].strip():
            printed = after["code"]
        line = text.count("\n", 0, block.start("code")) + 1
        blocks.append(Block(page, line, block["lang"], block["code"], block["mark"] or "", printed))
    return blocks


def read_commands(code: str) -> list[str]:
    """Split shell code into command lines. A backslash continues a line."""
    lines = code.replace("\\\n", " ").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def run_block(block: Block, namespace: dict[str, Any]) -> None:
    """Run a block in the current folder, and check that it succeeds and prints its output."""
    if block.lang == "python":
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(block.code, block.place, "exec"), namespace)
        printed = out.getvalue()
    else:
        done = [run_command(line, block.place) for line in read_commands(block.code)]
        # Tables go to stdout, messages about output files to stderr.
        printed = "".join(out for out, _ in done) or "".join(errors for _, errors in done)
    if block.printed is not None:
        wanted = "\n".join(line.rstrip() for line in block.printed.splitlines()) + "\n"
        matches = doctest.OutputChecker().check_output(wanted, printed, PRINTED_FLAGS)
        assert matches, f"{block.place} printed\n{printed}\ninstead of\n{block.printed}"


def run_command(line: str, place: str) -> tuple[str, str]:
    """Run a command line, and return its standard output and standard error.

    `spacy-sentid` runs in this process, which is much faster. Other commands run in a shell.
    """
    words = shlex.split(line, comments=True)
    if words[0] == "spacy-sentid" and not {"|", ">", "&&"} & set(words) and "*" not in line:
        result = CliRunner().invoke(app, words[1:])
        assert result.exit_code == 0, f"{place}: {line}\n{result.output}\n{result.exception!r}"
        return result.stdout, result.stderr
    folder = Path(sys.executable).parent
    # Readers work in a clone, where `python -m studies` finds its folder.
    environment = os.environ | {
        "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(Path(__file__).parent.parent),
    }
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line], capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, f"{place}: {line}\n{done.stdout}\n{done.stderr}"
    return done.stdout, done.stderr
