"""Generate the page of all commands from the texts of their --help."""

import inspect
import re
from collections.abc import Iterator
from html import escape
from typing import Any, NamedTuple

WIDTH = 84  # of the examples, in columns
INTRO = "`spacy-sentid COMMAND --help` prints the same. `spacy-sentid --version` shows the version."


class Param(NamedTuple):
    """An argument or option of a command, as in its --help."""

    group: str  # "Input"
    names: str  # "-o, --output OUT"
    text: str


class Section(NamedTuple):
    """A group of commands."""

    title: str
    names: list[str]


def list_sections() -> list[Section]:
    """List the groups of commands: those of one word, and those of each first word."""
    import typer

    from spacy_sentid.cli import app, list_commands

    names = list(list_commands())
    root: Any = typer.main.get_command(app)
    sections = [Section("Everyday commands", [name for name in names if " " not in name])]
    for group in dict.fromkeys(name.split()[0] for name in names if " " in name):
        about = (root.commands[group].help or "").strip().rstrip(".")
        title = f"{group}: {about[:1].lower()}{about[1:]}"
        sections.append(Section(title, [name for name in names if name.split()[0] == group]))
    return sections


def format_commands() -> str:
    """Format the page of all commands as Markdown."""
    from spacy_sentid.cli import list_commands

    commands = list_commands()
    sections = list_sections()
    lines = ["# Commands", "", INTRO, ""]
    for section in sections:
        lines += [f"**{section.title}**", "", '<dl class="index">']
        lines += [_format_entry(name, commands[name]) for name in section.names]
        lines += ["</dl>", ""]
    for section in sections:
        lines += [f"## {section.title}", ""]
        for name in section.names:
            command = commands[name]
            lines += [f"### {name}", "", *_format_help(inspect.cleandoc(command.help or ""))]
            lines += [*_format_params(list_params(command)), ""]
    return "\n".join(lines)


def list_params(command: Any) -> list[Param]:
    """List the arguments and options of a command, in the order of its --help."""
    from spacy_sentid.cli.terminal.help import GROUPS

    context = command.context_class(command)
    params = []
    for param in command.params:
        record = param.get_help_record(context)
        group = "Arguments"
        if param.param_type_name == "option":
            group = getattr(param, "rich_help_panel", None) or "Options"
        if record:
            params.append(Param(group, *record))
    order = ["Arguments", *GROUPS, "Options"]
    return sorted(params, key=lambda param: order.index(param.group))


def _format_entry(name: str, command: Any) -> str:
    """Format a line of the index: the command, and what it does."""
    first = inspect.cleandoc(command.help or "").partition("\n\n")[0]
    link = f'<a href="#{name.replace(" ", "-")}"><code>{name}</code></a>'
    return f"<dt>{link}</dt><dd>{format_text(first)}</dd>"


def _format_help(text: str) -> Iterator[str]:
    """Format the text of a command, with its example as code."""
    text, _, example = text.partition("Example: ")
    for paragraph in text.strip().split("\n\n"):
        yield from [f"<p>{format_text(paragraph)}</p>", ""]
    if example:
        yield from ["```shell", wrap_command(example), "```", ""]


def _format_params(params: list[Param]) -> Iterator[str]:
    """Format the arguments and options as a definition list for each group."""
    for group in dict.fromkeys(param.group for param in params):
        rows = [param for param in params if param.group == group]
        yield from [f'<p class="group">{group}</p>', '<dl class="options">']
        for param in rows:
            names, values = split_names(param.names)
            values = escape(values).replace("|", "|<wbr>")
            value = f" <var>{values}</var>" if values else ""
            yield f"<dt><code>{escape(names)}</code>{value}</dt>"
            yield f"<dd>{format_text(param.text)}</dd>"
        yield from ["</dl>", ""]


def split_names(record: str) -> tuple[str, str]:
    """Split the names of an option from its values.

    >>> split_names("-o, --output OUT")
    ('-o, --output', 'OUT')
    >>> split_names("INPUT... <list[str]>")
    ('INPUT...', '<list[str]>')
    """
    names = re.match(r"(-[\w-]+(?:(?:, | / )-[\w-]+)*|[^\s<]+)", record)
    end = names.end() if names else 0
    return record[:end], record[end:].strip()


def format_text(text: str) -> str:
    r"""Format plain text as HTML: options and code in <code>, and notes at the end in <small>.

    >>> format_text("a `b_c` with --out [default: 4]")
    'a <code>b_c</code> with <code>--out</code> <small>default: 4</small>'
    >>> format_text("<b> *c*  [required]")
    '&lt;b&gt; *c* <small>required</small>'
    """
    text, _, notes = " ".join(text.split()).partition(" [")
    if notes and not notes.endswith("]"):
        text, notes = f"{text} [{notes}", ""
    parts = re.split(r"`([^`]+)`", text)
    parts[::2] = [_mark_options(escape(part, quote=False)) for part in parts[::2]]
    parts[1::2] = [f"<code>{escape(part)}</code>" for part in parts[1::2]]
    note = f" <small>{escape(notes[:-1])}</small>" if notes else ""
    return "".join(parts) + note


def _mark_options(text: str) -> str:
    return re.sub(r"(?<![\w'-])(--?[a-z][a-z-]*)", r"<code>\1</code>", text)


def wrap_command(text: str, *, width: int = WIDTH) -> str:
    r"""Break a long command line before its options.

    >>> print(wrap_command("spacy-sentid identify in.txt --text -o out.jsonl", width=30))
    spacy-sentid identify in.txt \
        --text -o out.jsonl
    """
    words = " ".join(text.split()).split(" ")
    lines = [words[0]]
    for i, word in enumerate(words[1:], 1):
        # An option stays with its value.
        value = words[i + 1] if word.startswith("-") and i + 1 < len(words) else ""
        piece = f"{word} {value}" if value and not value.startswith("-") else word
        if len(lines[-1]) + len(piece) + 3 > width and not words[i - 1].startswith("-"):
            lines.append(f"    {word}")
        else:
            lines[-1] += f" {word}"
    return " \\\n".join(lines)
