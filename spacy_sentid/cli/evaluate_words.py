"""`spacy-sentid evaluate-words`: score a word segmenter on files of segmented text."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .table import format_table


def evaluate_words(
    model: Annotated[
        str,
        typer.Argument(
            help="Folder or package of a pipeline with a word_segmenter, or 'zh' for the embedded "
            "weights."
        ),
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            exists=True,
            dir_okay=False,
            help="Segmented text: .txt (a sentence a line, words separated by spaces), .jsonl or "
            ".conllu.",
        ),
    ],
    train: Annotated[
        list[Path] | None,
        typer.Option(
            "--train",
            metavar="TRAIN",
            exists=True,
            dir_okay=False,
            help="Segmented text whose words are known; repeatable. Default: the words that the "
            "model was trained on, if it keeps them.",
        ),
    ] = None,
    json_path: Annotated[
        Path | None,
        typer.Option("--json", metavar="OUT", dir_okay=False, help="Write the scores (0-1)."),
    ] = None,
) -> None:
    """Score the words of a segmenter; the table is in percent.

    P, R, F1: words of exact spans. OOV R: recall of words that are not known, OOV: their share. S:
    share of the characters that are words by themselves.

    Example: spacy-sentid evaluate-words zh assets/sample/words/test.txt
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..pipelines import load
    from ..word_segmenter.boundary_probs import segment_texts
    from ..word_segmenter.evaluation import (
        evaluate_files,
        find_vocabulary,
        read_golds,
        read_vocabulary,
        score_rows,
    )

    inputs = {path.resolve() for path in (*files, *(train or ()))}
    if json_path is not None and json_path.resolve() in inputs:
        raise ValueError(f"Found {json_path} as input and output. Name another with --json.")
    golds = read_golds(files)
    nlp = load(model, "word_segmenter")
    known = read_vocabulary(train) if train else find_vocabulary(nlp)
    total = sum(map(len, golds.values()))
    with tqdm(total=total, desc="evaluate-words", unit="sent", disable=None) as bar:
        report = evaluate_files(
            lambda texts: segment_texts(nlp, texts),
            golds,
            in_vocabulary=known,
            on_sentence=bar.update,
        )
    typer.echo(format_table(score_rows(report)))
    if json_path is not None:
        settings = {"model": model, "train": [str(path) for path in train or ()]}
        with open_output(json_path) as file:
            json.dump({**settings, "files": report}, file, indent=2, ensure_ascii=False)
            file.write("\n")
