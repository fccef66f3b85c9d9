"""Count the lines of the rooms of a folder, and their lines of code.

`python tests/code_lines.py [FOLDER] [--depth N]`. Lines of code are lines without blank lines,
comments and docstrings.
"""

import argparse
import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

NO_CODE = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip


def count_code_lines(text: str) -> int:
    """Count the lines of code of a module.

    >>> count_code_lines('"A docstring."\\n\\n# A comment\\nx = [\\n    1,\\n]\\n')
    3
    """
    docstrings = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node
        ):
            first = node.body[0]
            docstrings |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in NO_CODE:
            lines |= set(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def count_rooms(folder: Path, *, depth: int = 1) -> dict[str, tuple[int, int]]:
    """Count the lines and the lines of code of the rooms in a folder, by their names."""
    lines: Counter[str] = Counter()
    code: Counter[str] = Counter()
    for file in sorted(folder.rglob("*.py")):
        room = "/".join(file.relative_to(folder).parts[:-1][:depth])
        text = file.read_text(encoding="utf8")
        lines[room] += text.count("\n")
        code[room] += count_code_lines(text)
    return {room: (lines[room], code[room]) for room in lines}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=Path("spacy_sentid"))
    parser.add_argument("--depth", type=int, default=1, help="number of folders in a name")
    options = parser.parse_args()
    counts = count_rooms(options.folder, depth=options.depth)
    counts["total"] = tuple(map(sum, zip(*counts.values(), strict=True)))  # type: ignore[assignment]
    for room, (n_lines, n_code) in counts.items():
        print(f"{room or '.':40} {n_lines:7,} {n_code:7,}")
