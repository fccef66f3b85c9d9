"""The command `spacy-sentid`: thin shells over plain functions, one file a group of commands.

What takes long to import (spaCy) is imported inside the commands, so that `--help` is quick.
"""

from typing import Annotated, Any

import typer
from typer import Option
from typer.core import TyperGroup

from ..about import __version__
from . import augment, evaluate, identify, paraphrase, score, speech, train, treebank, view


class MessageGroup(TyperGroup):
    """Commands whose ValueErrors and file errors are a red line on stderr and exit code 1."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:  # the reader of a pipe has left; typer ends quietly
            raise
        except (ValueError, OSError) as error:
            message = " ".join(str(error).split())
            typer.secho(f"Error: {message}", fg=typer.colors.RED, err=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    name="spacy-sentid",
    cls=MessageGroup,
    no_args_is_help=True,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
for _command in (identify.identify, view.view, view.serve, score.score, augment.augment):
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
    app()
