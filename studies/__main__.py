"""`python -m studies NAME`: the experiments of the papers, the data and weights of the package.

They live outside the wheel and use the public functions of the package only.
"""

import typer

from spacy_sentid.cli import MessageGroup
from studies.commands import (
    agreement,
    bundle,
    downstream,
    identifier,
    lexicon,
    make_pairs,
    pair_statistics,
    parser,
    pauses,
    report,
    sentiment,
    simulate_pauses,
    strategies,
    text_scores,
    titles,
)

app = typer.Typer(
    name="python -m studies",
    help="Repeat the experiments of the papers and rebuild the bundled weights.",
    cls=MessageGroup,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("identifier")(identifier.identifier)
app.command("parser")(parser.parser)
app.command("pauses")(pauses.pause_study)
app.command("downstream")(downstream.downstream)
app.command("strategies")(strategies.ladder)
app.command("text-scores")(text_scores.nlg_meta)
app.command("titles")(titles.titles)
app.command("sentiment")(sentiment.sentiment)
app.command("agreement")(agreement.agreement)
app.command("pair-statistics")(pair_statistics.pair_statistics)
app.command("simulate-pauses")(simulate_pauses.simulate_pauses)
app.command("lexicon")(lexicon.lexicon)
app.command("make-pairs")(make_pairs.make_pairs)
app.command("report")(report.report)
app.command("bundle")(bundle.bundle)

if __name__ == "__main__":
    app()
