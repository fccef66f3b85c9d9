"""`spacy-sentid compare-words`: sentences that two segmenters cut differently, to annotate."""

from itertools import islice, tee
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .long_jobs import echo_errors

if TYPE_CHECKING:
    from ..files.records import BadLine


def compare_words(
    model_a: Annotated[
        str,
        typer.Argument(
            metavar="MODEL_A",
            help="Folder or package of a pipeline with a word_segmenter, or 'zh' for the embedded "
            "weights.",
        ),
    ],
    model_b: Annotated[str, typer.Argument(metavar="MODEL_B", help="Another one.")],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT...",
            exists=True,
            dir_okay=False,
            help="UTF-8 files, a sentence a line; or .jsonl with 'text' and optionally 'id'.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="OUT.jsonl", dir_okay=False, help="Sentences to annotate."
        ),
    ],
    seed: Annotated[int, typer.Option(help="Seed of the order of the results.")] = 0,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many sentences that differ.")
    ] = None,
) -> None:
    """Write the sentences that two pipelines segment differently, the differences marked.

    One line of JSON a sentence. Which model made which result is drawn for each sentence, and is
    told only by OUT.jsonl.key.jsonl: keep it from the annotators.

    Example: spacy-sentid compare-words zh training/words/model-best texts.txt -o differences.jsonl
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..files.records import count_lines, errors_path, format_record, write_errors
    from ..pipelines import load
    from ..word_segmenter import comparison
    from ..word_segmenter.boundary_probs import segment_texts

    key = comparison.key_path(output)
    written = {path.resolve() for path in (output, key, errors_path(output))}
    for path in files:
        if path.resolve() in written:
            raise ValueError(
                f"Found {path} as input and output, expected a new file. Name another with -o."
            )
    nlp_a = load(model_a, "word_segmenter")
    nlp_b = load(model_b, "word_segmenter")
    errors: list[BadLine] = []
    n_compared = n_found = 0
    with (
        open_output(output) as file,
        open_output(key) as key_file,
        tqdm(total=count_lines(files), desc="compare-words", unit="line", disable=None) as bar,
    ):

        def count_sentence() -> None:
            nonlocal n_compared
            n_compared += 1

        read = comparison.read_sentences(files, on_error=errors.append, on_line=bar.update)
        # The models read ahead of each other by no more than a batch, so little is held.
        sentences, for_a, for_b = tee(read, 3)
        found = comparison.compare_words(
            sentences,
            segment_texts(nlp_a, (sentence.text for sentence in for_a)),
            segment_texts(nlp_b, (sentence.text for sentence in for_b)),
            seed=seed,
            on_sentence=count_sentence,
        )
        for row in islice(found, limit):
            file.write(format_record(row.record) + "\n")
            key_file.write(format_record(row.to_key()) + "\n")
            n_found += 1
    n_errors = write_errors(output, errors)
    if not n_compared:
        typer.echo("No sentences to compare.", err=True)
    elif not n_found:
        typer.echo(
            f"The pipelines segment all {n_compared:,} sentences alike; {output} is empty.",
            err=True,
        )
    else:
        typer.echo(
            f"{n_found:,} of {n_compared:,} sentences differ ({n_found / n_compared:.1%}); which "
            f"model made what is in {key}",
            err=True,
        )
    echo_errors(output, n_errors)
