"""The command `spacy-sentid`: thin shells over plain functions, one file a command.

What takes long to import (spaCy) is imported inside the commands, so that `--help` is quick.
"""

from typing import Any

import typer
from typer.core import TyperGroup

from ..cli import (
    abbreviations,
    align,
    assemble,
    augment,
    calibrate,
    compare_words,
    complete_pauses,
    convert,
    evaluate,
    evaluate_pairs,
    evaluate_words,
    fill_config,
    identify,
    make_prompts,
    paraphrase,
    pause_statistics,
    pauses,
    profile,
    robustness,
    score,
    score_likelihood,
    score_units,
    select_pairs,
    serve,
    train_paraphraser,
    verify,
    view,
)


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
    help="Find the sentences in real text, and what is not a sentence.",
    cls=MessageGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("identify")(identify.identify)
app.command("view")(view.view)
app.command("serve")(serve.serve)
app.command("evaluate")(evaluate.evaluate)
app.command("assemble")(assemble.assemble)
app.command("score")(score.score)
app.command("score-units")(score_units.score_units)
app.command("augment")(augment.augment)
app.command("profile")(profile.profile)
app.command("robustness")(robustness.robustness)
app.command("evaluate-pairs")(evaluate_pairs.evaluate_pairs)
app.command("make-prompts")(make_prompts.make_prompts)
app.command("select-pairs")(select_pairs.select_pairs)
app.command("train-paraphraser")(train_paraphraser.train_paraphraser)
app.command("paraphrase")(paraphrase.paraphrase)
app.command("score-likelihood")(score_likelihood.score_likelihood)
app.command("abbreviations")(abbreviations.abbreviations)
app.command("evaluate-words")(evaluate_words.evaluate_words)
app.command("compare-words")(compare_words.compare_words)
app.command("align")(align.align)
app.command("pauses")(pauses.pauses)
app.command("pause-statistics")(pause_statistics.pause_statistics)
app.command("complete-pauses")(complete_pauses.complete_pauses)
app.command("convert")(convert.convert)
app.command("fill-config")(fill_config.fill_config)
app.command("verify")(verify.verify)
app.command("calibrate")(calibrate.calibrate)


def main() -> None:
    """Run the command line."""
    app()
