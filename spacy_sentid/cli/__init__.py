"""The command `spacy-sentid`: thin shells over plain functions, one file a command.

What takes long to import (spaCy) is imported inside the commands, so that `--help` is quick.
"""

from typing import Any

import typer
from typer.core import TyperGroup

from ..cli import (
    abbreviations,
    agreement,
    align,
    assemble,
    augment,
    calibrate,
    compare_words,
    complete_pauses,
    convert,
    downstream,
    embed,
    evaluate,
    evaluate_pairs,
    evaluate_words,
    fill_config,
    identify,
    ladder,
    lexicon,
    make_pairs,
    make_prompts,
    nlg_meta,
    pair_statistics,
    paraphrase,
    parser_study,
    pause_statistics,
    pause_study,
    pauses,
    profile,
    report,
    robustness,
    score,
    score_likelihood,
    score_units,
    select_pairs,
    sentiment,
    serve,
    simulate_pauses,
    study,
    titles,
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
app.command("report")(report.report)
app.command("evaluate")(evaluate.evaluate)
app.command("assemble")(assemble.assemble)
app.command("score")(score.score)
app.command("score-units")(score_units.score_units)
app.command("study")(study.study)
app.command("augment")(augment.augment)
app.command("profile")(profile.profile)
app.command("robustness")(robustness.robustness)
app.command("titles")(titles.titles)
app.command("sentiment")(sentiment.sentiment)
app.command("parser-study")(parser_study.parser_study)
app.command("downstream")(downstream.downstream)
app.command("evaluate-pairs")(evaluate_pairs.evaluate_pairs)
app.command("agreement")(agreement.agreement)
app.command("pair-statistics")(pair_statistics.pair_statistics)
app.command("make-prompts")(make_prompts.make_prompts)
app.command("select-pairs")(select_pairs.select_pairs)
app.command("train-paraphraser")(train_paraphraser.train_paraphraser)
app.command("paraphrase")(paraphrase.paraphrase)
app.command("score-likelihood")(score_likelihood.score_likelihood)
app.command("nlg-meta")(nlg_meta.nlg_meta)
app.command("lexicon")(lexicon.lexicon)
app.command("make-pairs")(make_pairs.make_pairs)
app.command("abbreviations")(abbreviations.abbreviations)
app.command("ladder")(ladder.ladder)
app.command("evaluate-words")(evaluate_words.evaluate_words)
app.command("compare-words")(compare_words.compare_words)
app.command("align")(align.align)
app.command("pauses")(pauses.pauses)
app.command("pause-statistics")(pause_statistics.pause_statistics)
app.command("pause-study")(pause_study.pause_study)
app.command("complete-pauses")(complete_pauses.complete_pauses)
app.command("simulate-pauses")(simulate_pauses.simulate_pauses)
app.command("convert")(convert.convert)
app.command("fill-config")(fill_config.fill_config)
app.command("verify")(verify.verify)
app.command("calibrate")(calibrate.calibrate)
app.command("embed", hidden=True)(embed.embed)


def main() -> None:
    """Run the command line."""
    app()
