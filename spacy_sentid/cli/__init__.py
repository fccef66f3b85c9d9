"""The command `spacy-sentid`: one file for each group of commands, which call plain functions.

Commands import slow packages such as spaCy only when they run, so that `--help` is fast.
"""

import sys
import warnings
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from typer import Option
from typer.core import TyperGroup

from ..about import __version__
from . import augment, evaluate, identify, paraphrase, score, speech, train, treebank, view
from .terminal.help import CommandGroup
from .terminal.printing import format_error, warn


class MessageGroup(TyperGroup):
    """Commands that report ValueErrors and file errors as a red line, with exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except BrokenPipeError:  # the reader closed the pipe; typer exits silently
            raise
        except (ValueError, OSError) as error:
            typer.secho(f"Error: {format_error(error)}", fg=typer.colors.RED, err=True)
            raise typer.Exit(1) from None
        except MemoryError:
            message = (
                "Error: there is not enough memory. Use smaller files, fewer processes or more "
                "memory, or skip long records (--max-record-bytes). Finished shards are kept."
            )
            typer.secho(message, fg=typer.colors.RED, err=True)
            raise typer.Exit(1) from None


def _show_warning(message: Warning | str, *_args: Any, **_settings: Any) -> None:
    """Print a warning without its place in the code."""
    warn(str(message))


app = CommandGroup(
    name="spacy-sentid",
    examples=[
        "identify mail.txt",
        "identify mail/ reviews.jsonl.gz -o units.jsonl",
        "view mail.txt -o page.html",
    ],
    cls=MessageGroup,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _command in (
    identify.identify, view.view, view.view_pairs, view.view_errors, view.serve,
    score.score, augment.augment,
):  # fmt: skip
    app.command()(_command)
for _group in (treebank, train, evaluate, speech, paraphrase):
    app.add_typer(_group.app, name=_group.__name__.rpartition(".")[2], no_args_is_help=True)


def _show_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"spacy-sentid {__version__}")
        raise typer.Exit


@app.callback()
def describe(
    version: Annotated[
        bool,
        Option(
            "--version", is_eager=True, callback=_show_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Find the sentences in real text, and what is not a sentence."""


def list_commands() -> dict[str, Any]:
    """List the commands by their full names, such as "treebank convert"."""
    commands: dict[str, Any] = {}
    root: Any = typer.main.get_command(app)
    for name, command in root.commands.items():
        subcommands = getattr(command, "commands", None)
        if subcommands is None:
            commands[name] = command
        else:
            commands |= {f"{name} {key}": value for key, value in subcommands.items()}
    return commands


def main() -> None:
    """Run the command line."""
    # If the encoding of stdout lacks a character, as on Windows, print an escape, as stderr does.
    if isinstance(sys.stdout, TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")
    app()
