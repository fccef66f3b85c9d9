"""Differences between Linux, macOS and Windows: encodings, and modules that one of them lacks."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [path for top in ("spacy_sentid", "studies", "benchmarks", ".mkdocs", ".ci")
         for path in sorted((ROOT / top).rglob("*.py"))]  # fmt: skip
POSIX_ONLY = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "termios", "tty"}
POSIX_CALLS = {"os.fork", "os.getuid", "os.getpgid", "os.killpg", "os.mkfifo", "os.setsid",
               "signal.SIGKILL", "signal.SIGALRM", "signal.alarm"}  # fmt: skip


def find_unnamed(tree: ast.Module) -> list[str]:
    """Find calls that open text files in the encoding of the system."""
    found = []
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func).rpartition(".")[2]
        words = {word.arg: ast.unparse(word.value) for word in call.keywords}
        values = [ast.unparse(value) for value in call.args]
        # The mode is the first argument of Path.open, and the second of open.
        modes = [value for value in [*values, words.get("mode", "")] if value[:1] in {"'", '"'}]
        is_text = {
            "open": not any("b" in mode for mode in modes),
            "read_text": not values,
            "write_text": len(values) < 2,
            "TextIOWrapper": True,
            "run": words.get("text") == "True",
            "Popen": words.get("text") == "True",
        }.get(name, False)
        is_own = ast.unparse(call.func) in {"self.open", "tarfile.open"}
        if is_text and not is_own and "encoding" not in words:
            found.append(f"{call.lineno}: {ast.unparse(call)}")
    return found


def test_text_files_name_their_encoding() -> None:
    found = {
        path.relative_to(ROOT).as_posix(): lines
        for path in FILES
        if (lines := find_unnamed(ast.parse(path.read_text("utf8"))))
    }
    assert found == {}


@pytest.mark.parametrize(
    ("code", "n_found"),
    [
        ("path.read_text()", 1), ("path.read_text('utf8')", 0), ("path.open()", 1),
        ("path.read_text(encoding='utf8')", 0), ("path.write_text(text)", 1),
        ("path.write_text(text, 'utf8')", 0), ("open(path, 'rb')", 0), ("open(path, 'w')", 1),
        ("path.open('rb')", 0), ("path.open(mode='wb')", 0), ("TextIOWrapper(file)", 1),
        ("run(command, text=True)", 1), ("run(command, text=True, encoding='utf8')", 0),
    ],
)  # fmt: skip
def test_the_search_finds_what_it_should(code: str, n_found: int) -> None:
    assert len(find_unnamed(ast.parse(code))) == n_found


def test_modules_missing_on_windows_are_imported_conditionally() -> None:
    wrong = []
    for path in (ROOT / "spacy_sentid").rglob("*.py"):
        tree = ast.parse(path.read_text("utf8"))
        guarded = {
            node
            for block in ast.walk(tree)
            if isinstance(block, ast.Try)
            and any("ImportError" in ast.unparse(case.type or block) for case in block.handlers)
            for node in block.body
        }
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if POSIX_ONLY & set(names) and node not in guarded:
                wrong.append(f"{path}:{node.lineno} {names}")
            if isinstance(node, ast.Attribute) and ast.unparse(node) in POSIX_CALLS:
                wrong.append(f"{path}:{node.lineno} {ast.unparse(node)}")
    assert wrong == []


def test_a_narrow_console_shows_the_code_of_a_character(
    light_env: dict[str, str], tmp_path: Path
) -> None:
    """Check a narrow encoding, as consoles and pipes of Windows lack many characters."""
    path = tmp_path / "我.conllu"
    path.write_bytes((ROOT / "assets" / "sample" / "dev.conllu").read_bytes())
    done = subprocess.run(
        [sys.executable, "-m", "spacy_sentid", "treebank", "profile", str(path)],
        env={**light_env, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"},
        cwd=ROOT if (ROOT / "spacy_sentid").is_dir() else None,
        capture_output=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode("cp1252")
    assert b"\\u6211\n" in done.stdout.replace(b"\r", b"")


@pytest.mark.skipif(os.name == "nt", reason="Windows names have no such characters")
def test_no_file_of_the_repository_has_a_name_that_windows_refuses() -> None:
    wrong = [
        path
        for top in ("assets", "configs", "docs", "spacy_sentid", "studies", "tests")
        for path in (ROOT / top).rglob("*")
        if set(path.name) & set('<>:"|?*\\') or path.name.endswith((".", " "))
    ]
    assert wrong == []
