"""`python -m studies sentiment`: polarity of units, detected from the trees of a parser."""

import json
from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.terminal.printing import format_table
from spacy_sentid.components.pipelines import load


def sentiment(
    model: Annotated[
        str, typer.Argument(help="Folder or package of a pipeline with a parser (UD or ClearNLP).")
    ],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            exists=True,
            dir_okay=False,
            help="Units: a .tsv with text and polarity, or a .jsonl with {'text', 'polarity'}. The "
            "polarity is 'positive' or 'negative'.",
        ),
    ],
    lexicon: Annotated[
        Path,
        typer.Option(
            metavar="LEXICON.tsv",
            exists=True,
            dir_okay=False,
            help="One word (form or lemma) and its polarity per line, separated by a tab.",
        ),
    ],
    json_path: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="OUT", help="Write the scores (0-1) and the polarity of each unit."
        ),
    ] = None,
) -> None:
    """Detect the polarity of units from their trees, and print its scores in percent.

    Precision is over the units with a detected polarity, and recall is over all units. The paper
    measures a parser by recall, because only words near the root count.

    Example: python -m studies sentiment training/parser/model-last a.tsv --lexicon lexicon.tsv
    """
    from tqdm import tqdm

    from spacy_sentid.files.atomic import open_output
    from studies.parser.reviews import read_lexicon, read_reviews, score_polarities, tabulate_scores
    from studies.parser.sentiment import detect_polarities

    reviews, words = read_reviews(data), read_lexicon(lexicon)
    nlp = load(model)
    texts = [review.text for review in reviews]
    found = detect_polarities(nlp, texts, words)
    pred = list(tqdm(found, total=len(texts), desc="sentiment", unit="unit", disable=None))
    scores = score_polarities([review.polarity for review in reviews], pred)
    typer.echo(format_table(tabulate_scores(scores)))
    if json_path is not None:
        units = [
            {**review._asdict(), "found": polarity}
            for review, polarity in zip(reviews, pred, strict=True)
        ]
        settings = {"model": model, "data": str(data), "lexicon": str(lexicon)}
        with open_output(json_path) as file:
            json.dump({"settings": settings, "scores": scores, "units": units}, file, indent=2)
            file.write("\n")
