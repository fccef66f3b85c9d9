"""Commands that list their options in groups. The groups are the same for all commands."""

from collections.abc import Sequence
from typing import Any

from typer import Typer
from typer.core import TyperCommand

# Groups in the order of the help. Other options come last.
INPUT, OUTPUT, MODEL, SPEED, CLUSTER = "Input", "Output", "Model", "Speed", "Cluster"
GROUPS = (INPUT, OUTPUT, MODEL, SPEED, CLUSTER)


class GroupedCommand(TyperCommand):
    """A command that lists its options by their `rich_help_panel`."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, the groups of options, and the other options."""
        records: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            group = "Arguments"
            if param.param_type_name == "option":
                group = getattr(param, "rich_help_panel", None) or "Options"
            record = param.get_help_record(ctx)
            if record is not None:
                records.setdefault(group, []).append(record)
        for group in ("Arguments", *GROUPS, "Options"):
            if group in records:
                with formatter.section(group):
                    formatter.write_dl(records[group])


class CommandGroup(Typer):
    """A group of commands of the command line.

    examples: Commands that its help shows, without the name of the program.
    """

    def __init__(self, *, examples: Sequence[str], **settings: Any) -> None:
        # "\b" keeps the lines of a paragraph.
        lines = "\n".join(f"  spacy-sentid {example}" for example in examples)
        super().__init__(epilog=f"\b\nExamples:\n{lines}", **settings)

    def command(self, name: str | None = None, **settings: Any) -> Any:
        """Register a command with grouped options."""
        return super().command(name, cls=GroupedCommand, **settings)
