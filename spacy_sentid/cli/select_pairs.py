"""`spacy-sentid select-pairs`: candidate pairs from answers, filtered, tagged, chosen."""

from pathlib import Path
from typing import Annotated, Any

import typer

from .long_jobs import GpuId, echo_errors
from .table import format_table

EMBEDDED = "en"


def select_pairs(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="IN...",
            exists=True,
            dir_okay=False,
            help="Answers of a language model (.jsonl with 'output', or plain text), or pairs "
            "(.jsonl).",
        ),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT.jsonl", dir_okay=False, help="The pairs that are kept.")
    ],
    tagger: Annotated[
        str | None,
        typer.Option(
            help="Tag the pairs that have no tags: 'en' for the embedded English weights, or "
            "folder or package of a pipeline with a paraphrase tagger. Default: none, and pairs "
            "without tags get none."
        ),
    ] = None,
    theta: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=1,
            help="Of tagged pairs: the share of words highlighted, at most. Default: 0.05, the "
            "paper's for a generator; 0 are strict paraphrases.",
        ),
    ] = None,
    no_filters: Annotated[
        bool,
        typer.Option("--no-filters", help="Keep pairs without tags whatever their words."),
    ] = False,
    min_bleu: Annotated[
        float | None, typer.Option(help="BLEU of a pair is above this. Default: 5.")
    ] = None,
    max_bleu: Annotated[
        float | None, typer.Option(help="BLEU of a pair is below this. Default: 20.")
    ] = None,
    min_chars: Annotated[
        int | None, typer.Option(help="Least characters of a sentence. Default: 10.")
    ] = None,
    max_length_ratio: Annotated[
        float | None,
        typer.Option(help="The longer sentence has fewer times the words. Default: 2.5."),
    ] = None,
    lang: Annotated[
        str,
        typer.Option(
            help="Language of the tokenizer; with --tagger its pipeline splits the words."
        ),
    ] = "en",
    gpu_id: GpuId = -1,
) -> None:
    """Select sentence pairs: parse answers, filter, tag, and choose by what is highlighted.

    Pairs without tags pass the paper's filters first (BLEU, characters, lengths); with --tagger
    they get tags. Of pairs with tags, at most theta of the words may be highlighted. Counts of
    what was dropped are on stderr. Goes on where it was interrupted.

    Example: spacy-sentid select-pairs candidates.jsonl chosen.jsonl --tagger en --theta 0
    """
    import spacy
    from tqdm import tqdm

    from ..files.fingerprint import fingerprint_weights
    from ..files.records import count_lines
    from ..paraphrase_tagger.generation import candidates
    from ..paraphrase_tagger.generation.selection import THETA, Filters
    from ..pipelines import load

    if output.resolve() in {path.resolve() for path in files}:
        raise ValueError(f"Found {output} as input and output, expected a new file. Name OUT last.")
    given: dict[str, Any] = {
        "min_bleu": min_bleu,
        "max_bleu": max_bleu,
        "min_chars": min_chars,
        "max_length_ratio": max_length_ratio,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if no_filters and chosen:
        raise ValueError(
            f"Found --no-filters and {', '.join(chosen)}, expected one of them. Leave one out."
        )
    selection = candidates.Selection(
        filters=None if no_filters else Filters()._replace(**chosen),
        theta=THETA if theta is None else theta,
    )
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    if tagger is None:
        nlp = spacy.blank(lang)
    else:
        nlp = load(tagger, "paraphrase_tagger")
    with tqdm(total=count_lines(files), desc="select-pairs", unit="line", disable=None) as bar:
        report = candidates.select_pairs(
            files,
            output,
            nlp=nlp,
            selection=selection,
            tagger=None if tagger is None else f"{tagger} ({fingerprint_weights(nlp)})",
            on_lines=bar.update,
        )
    rows = [["kept", f"{report.n_kept:,}"]]
    rows += [[f"dropped: {reason}", f"{n:,}"] for reason, n in report.dropped.most_common()]
    typer.echo(format_table(rows), err=True)
    echo_errors(output, report.n_errors)
