"""`python -m studies NAME`: repeat the papers' experiments, and rebuild the data and weights.

The studies are not part of the wheel. They use only the public functions of the package.
"""

from collections.abc import Callable

import typer

from spacy_sentid.cli import MessageGroup
from studies.commands import (
    agreement,
    bundle,
    compare_words,
    contrasts,
    diversity,
    documents,
    downstream,
    identifier,
    languages,
    lexicon,
    likelihood,
    make_pairs,
    multilingual,
    pair_statistics,
    parser,
    parser_scores,
    pause_statistics,
    pauses,
    phrases,
    report,
    score_scale,
    sentiment,
    simulate_pauses,
    strategies,
    text_scores,
    theta,
    titles,
    words,
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
# Name -> command and summary. A summary fits on one line of the help, at 80 columns.
COMMANDS: dict[str, tuple[Callable[..., None], str]] = {
    "identifier": (
        identifier.identifier,
        "Compare the systems of the identifier's paper with ours.",
    ),
    "documents": (
        documents.documents,
        "Compare sentences of whole documents with other splitters.",
    ),
    "languages": (languages.languages, "Train the sentence identifier in four more languages."),
    "multilingual": (
        multilingual.multilingual,
        "Compare sentence splitters in several languages.",
    ),
    "parser": (parser.parser, "Compare parsers that are trained on augmented treebanks."),
    "parser-scores": (
        parser_scores.parser_scores,
        "Score a tagger and parser on noun phrases and a treebank.",
    ),
    "pauses": (pauses.pauses, "Train the word segmenter on pauses in speech."),
    "downstream": (
        downstream.downstream,
        "Compare trees with and without sentence identification.",
    ),
    "strategies": (strategies.strategies, "Measure the 1994 ways to find abbreviations."),
    "text-scores": (
        text_scores.text_scores,
        "Compare scores of texts with judgments of people.",
    ),
    "score-scale": (
        score_scale.score_scale,
        "Measure the share of supported words of unrelated texts.",
    ),
    "likelihood": (likelihood.likelihood, "Score texts by their probability under a model."),
    "words": (words.words, "Compare Chinese word segmenters and jieba."),
    "compare-words": (
        compare_words.compare_words,
        "Find where two word segmenters differ.",
    ),
    "phrases": (phrases.phrases, "List noun phrases of treebanks, and headings of documents."),
    "titles": (titles.titles, "Select the noun phrases among section titles."),
    "sentiment": (sentiment.sentiment, "Detect polarity from the trees of a parser, and score it."),
    "agreement": (agreement.agreement, "Measure the agreement of two annotations of pairs."),
    "pair-statistics": (pair_statistics.pair_statistics, "Count tags and words of tagged pairs."),
    "contrasts": (
        contrasts.contrasts,
        "Count the classes of contrasts that a tagger gets right.",
    ),
    "diversity": (diversity.diversity, "Measure how much copies differ from their rows."),
    "theta": (theta.theta, "Count the pairs that a tagger classifies as paraphrases."),
    "simulate-pauses": (
        simulate_pauses.simulate_pauses,
        "Draw pauses from the boundaries of gold words.",
    ),
    "pause-statistics": (pause_statistics.pause_statistics, "Count pauses by their probability."),
    "lexicon": (lexicon.lexicon, "Build the lexicon of the paraphrase tagger."),
    "make-pairs": (make_pairs.make_pairs, "Make tagged pairs of sentences from a treebank."),
    "report": (report.report, "Show results as tables and charts on one page."),
    "bundle": (bundle.bundle, "Put trained weights into the package."),
}
for name, (command, summary) in COMMANDS.items():
    app.command(name, short_help=summary)(command)

if __name__ == "__main__":
    app()
