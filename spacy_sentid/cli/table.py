"""Tables on the terminal."""

from collections.abc import Sequence


def format_table(rows: Sequence[Sequence[str]], *, n_left: int = 1) -> str:
    """Align columns: the first `n_left` to the left, the others to the right.

    >>> print(format_table([["file", "units"], ["dev.conllu", "2,001"]]))
    file        units
    dev.conllu  2,001
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [
            cell.ljust(width) if i < n_left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)
