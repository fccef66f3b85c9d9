"""`spacy-sentid score`: score texts against references by what is paraphrased."""

from collections.abc import Iterator
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .table import format_table

if TYPE_CHECKING:
    from spacy.language import Language

    from ..paraphrase_tagger.nlg.score_files import Entry, Outcome, Summary


class Perspective(str, Enum):
    """Whose words the score is over."""

    p = "p"
    r = "r"
    f = "f"


class Aggregate(str, Enum):
    """What is taken of the scores against several references."""

    max = "max"
    mean = "mean"


def score(
    hyp: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="Texts, one a line."),
    ] = None,
    ref: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Their references, line for line; again for more references.",
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            exists=True,
            dir_okay=False,
            help="Instead of both: lines {'id', 'hyp', 'ref'}; 'ref' is a string or a list.",
        ),
    ] = None,
    perspective: Annotated[
        Perspective,
        typer.Option(
            help="p: is the text supported by the reference (factuality); r: does it cover the "
            "reference; f: both, and all three are written."
        ),
    ] = Perspective.f,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="OUT.jsonl", help="Write a record for each pair."),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(help="Folder or package of a pipeline with a tagger. Default: English."),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Pairs of sentences that the tagger gets at once.")
    ] = None,
    n_process: Annotated[int, typer.Option(min=1, help="Processes.")] = 1,
    aggregate: Annotated[
        Aggregate, typer.Option(help="Of several references: the best, or the mean.")
    ] = Aggregate.max,
    allow_identical: Annotated[
        bool, typer.Option("--allow-identical", help="Score texts that are their own reference.")
    ] = False,
) -> None:
    """Score texts by how well references support their words.

    PScore, RScore and FScore are the mean support of the words. Prints their means. OUT.jsonl has
    for each pair {"id", "p", "r", "f", "score", "hyp_spans", "ref_spans",
    "hyp_words", "ref_words"}: spans that the other text does not support, and all words as [text,
    start_char, end_char, support]. Lines that cannot be scored are left out and
    told in OUT.jsonl.errors.jsonl. Goes on where it was interrupted.

    Example: spacy-sentid score --hyp hyp.txt --ref ref.txt --perspective p -o scores.jsonl
    """
    from ..files.fingerprint import fingerprint_files, fingerprint_weights
    from ..paraphrase_tagger.nlg import score_files

    refs = ref or []
    inputs = list_inputs(hyp, refs, pairs, out=out)
    n_entries = count_entries(hyp, refs, pairs)
    nlp = load_tagger(model)
    settings: dict[str, Any] = {
        "perspective": perspective.value,
        "aggregate": aggregate.value,
        "allow_identical": allow_identical,
    }

    def make_outcomes(n_done: int) -> "Iterator[Outcome]":
        entries = islice(read_entries(hyp, refs, pairs), n_done, None)
        found = score_files.score_entries(
            nlp, entries, batch_size=batch_size, n_process=n_process, **settings
        )
        return with_progress(found, total=n_entries, n_done=n_done)

    if out is None:
        summary = score_files.summarise(make_outcomes(0))
    else:
        depends_on = {
            **settings,
            "files": [str(path) for path in inputs],
            "content": fingerprint_files(inputs),
            "model": model or "embedded",
            "weights": fingerprint_weights(nlp),
        }
        summary = score_files.write_scores(make_outcomes, out, settings=depends_on)
    report(summary, out)


def list_inputs(
    hyp: Path | None, refs: list[Path], pairs: Path | None, *, out: Path | None
) -> list[Path]:
    """List the files that are read; ValueError if they are not those of one source."""
    inputs = [path for path in (hyp, *refs, pairs) if path is not None]
    has_lines = hyp is not None and bool(refs)
    if has_lines == (pairs is not None) or (pairs is not None and len(inputs) > 1):
        raise ValueError(
            "Found no texts and references, or more than one source of them, expected files of "
            "lines or a file of pairs. Give --hyp and --ref, or --pairs."
        )
    if out is not None and out.resolve() in {path.resolve() for path in inputs}:
        raise ValueError(
            f"Found {out} as input and output, expected a new file. Name another with --out."
        )
    return inputs


def load_tagger(name: str | None) -> "Language":
    """Load a pipeline, by default the embedded tagger; ValueError if it cannot score a pair."""
    from ..paraphrase_tagger.nlg.evaluator import score_pairs
    from ..pipelines import load

    nlp = load(name or "en", "paraphrase_tagger")
    list(score_pairs(nlp, [("Sales rose.", "Sales grew.")]))
    return nlp


def count_entries(hyp: Path | None, refs: list[Path], pairs: Path | None) -> int:
    """Count the pairs of the inputs; ValueError if there are none."""
    from ..files import records
    from ..paraphrase_tagger.nlg import score_files

    n_entries = 0
    if pairs is not None:
        n_entries = records.count_lines([pairs])
    elif hyp is not None:
        n_entries = score_files.count_entries(hyp, refs)
    if not n_entries:
        raise ValueError(f"Found no lines in {pairs or hyp}, expected pairs. Check the file.")
    return n_entries


def read_entries(hyp: Path | None, refs: list[Path], pairs: Path | None) -> "Iterator[Entry]":
    """Read the pairs of the inputs."""
    from ..paraphrase_tagger.nlg import score_files

    if pairs is not None:
        yield from score_files.read_pair_file(pairs)
    elif hyp is not None:
        yield from score_files.read_text_files(hyp, refs)


def with_progress(outcomes: "Iterator[Outcome]", *, total: int, n_done: int) -> "Iterator[Outcome]":
    """Show a progress bar on a terminal."""
    from tqdm import tqdm

    with tqdm(
        outcomes, total=total, initial=n_done, desc="score", unit="pair", disable=None
    ) as bar:
        yield from bar


def report(summary: "Summary", out: Path | None) -> None:
    """Print the means, and what was left out; ValueError if that is all."""
    from ..files.records import errors_path

    where = "" if out is None else f" Their reasons are in {errors_path(out)}."
    if not summary.n_scored:
        raise ValueError(
            f"None of {summary.n_bad:,} pairs could be scored.{where} The first: "
            f"{summary.first_error}"
        )
    table = [["pairs", *(name.upper() for name in summary.means)]]
    table.append([f"{summary.n_scored:,}", *(f"{mean:.4f}" for mean in summary.means.values())])
    typer.echo(format_table(table, n_left=0))
    if summary.n_bad:
        typer.secho(
            f"Warning: {summary.n_bad:,} of {summary.n_bad + summary.n_scored:,} pairs could not "
            f"be scored and do not count.{where} Mend these lines and score them again, or leave "
            f"them out. The first: {summary.first_error}",
            fg=typer.colors.YELLOW,
            err=True,
        )
