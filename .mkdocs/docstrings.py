"""Convert docstrings in the style of this package to Markdown, for the API pages."""

import re
from itertools import groupby
from textwrap import dedent
from typing import Any

from griffe import Class, Extension, Module, Object

# "name: description" or "RETURNS: ...". Indented lines after it continue the description.
FIELD = re.compile(r"((?:[a-z_][\w*]*(?:, )?)+|RETURNS|YIELDS): +(.*)")
ALIGNED = re.compile(r"\S.* {3,}\S")


class PlainDocstrings(Extension):
    """An extension that converts each docstring to Markdown after its object was read."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Convert the docstring of an object."""
        if obj.docstring is not None:
            obj.docstring.value = markdown_from_docstring(obj.docstring.value)

    def on_package(self, *, pkg: Module, **_: Any) -> None:
        """Convert the docstring of the package itself, which is not a member of any object."""
        self.on_object(obj=pkg)

    def on_class(self, *, cls: Class, **_: Any) -> None:
        """Add the fields of a NamedTuple or dataclass to its docstring, with their comments."""
        is_value = "NamedTuple" in map(str, cls.bases) or "dataclass" in cls.labels
        fields = [
            member
            for name, member in cls.members.items()
            if member.is_attribute and member.annotation and not name.startswith("_")
        ]
        if is_value and fields and cls.docstring is not None:
            first = min(member.lineno for member in fields) - cls.lineno
            last = max(member.endlineno for member in fields) - cls.lineno + 1
            lines = dedent("\n".join(cls.lines[first:last]))
            cls.docstring.value += f"\n\n```python\n{lines}\n```"


def markdown_from_docstring(text: str) -> str:
    r"""Convert a docstring to Markdown: fields to a list, examples and aligned lines to code.

    >>> print(markdown_from_docstring("Add.\n\na: One, or <b>.\nRETURNS: A long\n    sum."))
    Add.
    <BLANKLINE>
    - **a**: One, or &lt;b>.
    - **RETURNS**: A long
        sum.
    """
    paragraphs = []
    for is_text, lines in groupby(text.splitlines(), key=lambda line: bool(line.strip())):
        if is_text:
            paragraphs.append("\n".join(_convert(list(lines))))
    return "\n\n".join(paragraphs)


def _convert(lines: list[str]) -> list[str]:
    """Convert the lines of a paragraph."""
    if lines[0].startswith(">>>"):
        return ["```pycon", *lines, "```"]
    if len(lines) > 1 and all(map(ALIGNED.match, lines)):
        return ["```text", *lines, "```"]
    if lines[0].startswith("    "):
        return lines
    converted: list[str] = []
    for line in lines:
        field = FIELD.fullmatch(line)
        was_list = bool(converted) and converted[-1].startswith(("- ", "    "))
        # Markdown needs a blank line before and after a list.
        if converted and was_list != (bool(field) or (was_list and line.startswith(" "))):
            converted.append("")
        converted.append(f"- **{field[1]}**: {_escape(field[2])}" if field else _escape(line))
    return converted


def _escape(line: str) -> str:
    """Escape characters that Markdown would parse as HTML or links, except in backticks."""
    parts = line.split("`")
    return "`".join(
        part if i % 2 else re.sub(r"<(?=[\w/!?])", "&lt;", part).replace("[", r"\[")
        for i, part in enumerate(parts)
    )
