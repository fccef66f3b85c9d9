"""`spacy-sentid complete-pauses`: pauses to training data for the word segmenter."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..word_segmenter.speech.pauses import PauseRecord


def complete_pauses(
    pauses: Annotated[
        Path,
        typer.Argument(
            metavar="PAUSES.jsonl",
            exists=True,
            dir_okay=False,
            help='Pauses of \'spacy-sentid pauses\': {"id", "chars", "pause_ms"} a line.',
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUT.txt", dir_okay=False, help="Segmented text; with --partial JSON lines."
        ),
    ],
    model: Annotated[
        str, typer.Option(help="The source model; 'zh' has the embedded weights.")
    ] = "zh",
    min_p: Annotated[float, typer.Option(help="Least p_B of a pause that is a boundary.")] = 0.5,
    max_p: Annotated[float, typer.Option(help="Largest p_B of such a pause.")] = 1.0,
    min_ms: Annotated[int, typer.Option(help="Shortest pause, in ms.")] = 10,
    partial: Annotated[
        bool,
        typer.Option("--partial", help='Write {"chunks": [...]} a line, for the partial CRF.'),
    ] = False,
) -> None:
    """Keep the pauses that the source model believes, and complete them to words.

    Train on OUT together with the source data. A line that is no such record is left out and told
    in OUT.errors.jsonl.

    Example: spacy-sentid complete-pauses pauses.jsonl completed.txt --model zh --min-p 0.5
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..files.records import BadLine, count_lines, format_record, write_errors
    from ..pipelines import load
    from ..word_segmenter.speech.completion import (
        Filter,
        check_filter,
        complete,
        cut_chunks,
        find_gaps,
    )
    from ..word_segmenter.speech.pauses import pause_gaps, read_pause_lines

    if output.resolve() == pauses.resolve():
        raise ValueError(f"Found {output} as input and output, expected a new file. Name another.")
    suffix = ".jsonl" if partial else ".txt"
    if output.suffix != suffix:
        raise ValueError(f"Found the output {output}, expected a name that ends with {suffix}.")
    keep = check_filter(Filter(min_p, max_p, min_ms))
    nlp = load(model, "word_segmenter")
    errors: list[BadLine] = []
    counts = {"sentences": 0, "pauses": 0, "kept": 0}

    def read() -> "Iterator[PauseRecord]":
        for line in read_pause_lines(pauses):
            if isinstance(line, BadLine):
                errors.append(line)
            else:
                counts["pauses"] += len(pause_gaps(line))
                yield line

    def count(found: "Iterable[tuple[PauseRecord, list[int]]]") -> "Iterator":
        for record, gaps in found:
            counts["sentences"] += 1
            counts["kept"] += len(gaps)
            yield record, gaps

    bar = tqdm(read(), total=count_lines([pauses]), desc="complete", unit="line", disable=None)
    found = count(find_gaps(nlp, bar, keep))
    with open_output(output) as file:
        if partial:
            for record, gaps in found:
                file.write(format_record({"chunks": cut_chunks(record, gaps)}) + "\n")
        else:
            for words in complete(nlp, found):
                file.write(" ".join(words) + "\n")
        n_bad = write_errors(output, errors)
        if not counts["sentences"]:  # inside, so that an older output stays
            first = f" The first: {errors[0].place}: {errors[0].reason}" if errors else ""
            raise ValueError(f"Found no pauses in {pauses}, expected a record a line.{first}")
    bad = f"; {n_bad} bad lines in {output}.errors.jsonl" if n_bad else ""
    typer.echo(
        f"{counts['sentences']:,} sentences, {counts['kept']:,} of {counts['pauses']:,} pauses "
        f"kept{bad}",
        err=True,
    )
