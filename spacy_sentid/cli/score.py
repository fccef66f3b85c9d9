"""`spacy-sentid score`: score texts by how well references support them."""

import heapq
import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from ..messages import shorten_line
from . import long_jobs as jobs
from . import options as opt
from .terminal.printing import escape, format_table, warn

if TYPE_CHECKING:
    from ..batch.job import Summary

STDOUT = "-"
# Number of unsupported spans, the most severe first, that are printed without --output.
MAX_SPANS = 20
SIDE_NAMES = {"hyp": "text", "ref": "reference"}


@jobs.takes_job_options
def score(
    hyp: Annotated[
        str | None,
        opt.input_option(metavar="FILE", help="Texts, one per line, instead of --pairs."),
    ] = None,
    ref: Annotated[
        list[str] | None,
        opt.input_option(
            "--ref",
            metavar="FILE",
            help="References of the texts, line by line. Repeatable, for several references.",
        ),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        opt.input_option(
            metavar="INPUT",
            help="Files, folders and globs of records {'id', 'hyp', 'ref'}, or -; 'ref' is a "
            "string or a list. Repeatable.",
        ),
    ] = None,
    perspective: Annotated[
        Literal["p", "r", "f"],
        opt.model_option(
            help="p: how well the reference supports the text (factuality). r: how well the text "
            "covers the reference. f: both, with all three scores."
        ),
    ] = "f",
    out: Annotated[
        str | None,
        opt.output_option(
            "--output",
            "-o",
            metavar="OUT",
            help="Write a record for each pair to .jsonl, .csv (only scores; both also with .gz or "
            ".zst), .parquet, a folder (OUT/) or standard output (-).",
        ),
    ] = None,
    aggregate: Annotated[
        Literal["max", "mean"],
        opt.model_option(help="Use the best score, or the mean, of several references."),
    ] = "max",
    blend: Annotated[
        bool,
        opt.model_option(
            "--blend", help="Compute chrF and its mean with the tagger's scores, to rank systems."
        ),
    ] = False,
    allow_identical: Annotated[
        bool, opt.input_option("--allow-identical", help="Score texts equal to their reference.")
    ] = False,
    *,
    options: jobs.JobOptions,
) -> None:
    """Score texts by how well references support their words.

    Prints the percentage of supported words in the texts (P), in the references (R) and in both
    (F), the mean log-odds that a word is supported (PScore, RScore, FScore), and ROUGE precision
    for comparison. Counts unsupported spans by kind, with numbers and names first.
    OUT has {"id", "p", "r", "f", "supported_p", "supported_r", "supported_f", "rouge1_p",
    "rouge2_p", "score", "hyp_spans", "ref_spans", "hyp_words", "ref_words"} for each pair: the
    spans that the other text does not support, and all words as [text, start_char, end_char,
    support]. Pairs that cannot be scored are skipped and reported in OUT.errors.jsonl.
    The same command resumes an interrupted job.

    Example: spacy-sentid score --hyp hyp.txt --ref ref.txt --perspective p -o scores.jsonl
    """
    has_files = hyp is not None or bool(ref)
    if bool(pairs) == has_files or (hyp is None) != (not ref):
        raise ValueError(
            "Inputs must be either --hyp and --ref (files of lines), or --pairs (records)."
        )
    with TemporaryDirectory() as folder:
        is_kept = out is not None and out != STDOUT
        output = out if out is not None and is_kept else str(Path(folder, "scores.jsonl"))
        scoring = {
            "perspective": perspective,
            "aggregate": aggregate,
            "blend": blend,
            "allow_identical": allow_identical,
        }
        inputs = [hyp] if hyp is not None else pairs or []
        settings = options.make_job(inputs, output, refs=ref or (), task="scores", scoring=scoring)
        summary = jobs.run(settings, "score", unit="pairs")
        if out == STDOUT:
            with Path(output).open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
        where = summary.errors if is_kept else None
        report(summary, perspective, blend=blend, where=where, err=out == STDOUT)
        if out is None:
            echo_spans(Path(output))


def report(
    summary: "Summary", perspective: str, *, blend: bool, where: str | None, err: bool
) -> None:
    """Print the mean scores and the number of skipped pairs.

    Raises ValueError if all pairs were skipped.

    where: Path of the file of errors, if it is kept.
    err: Print to stderr.
    """
    from ..paraphrase_tagger.nlg.score_records import TOTALS

    hint = jobs.tell_errors(summary, where)
    jobs.check_records(summary.n_records, summary.n_errors, "pairs", hint)
    totals = dict(zip(TOTALS, summary.sums, strict=True))
    sides = perspective if perspective != "f" else "prf"
    tables = [make_means(totals, summary.n_records, sides=sides, blend=blend)]
    tables.append(make_counts(totals, sides=sides))
    typer.echo("\n\n".join(map(format_table, filter(None, tables))), err=err)
    for side, scored, other in (("p", "texts", "references"), ("r", "references", "texts")):
        if side in sides:
            share = totals[f"supported_{side}"] / summary.n_records
            typer.echo(f"The {other} support {share:.0%} of the words of the {scored}.", err=True)
    if summary.n_errors:
        warn(
            f"{summary.n_errors:,} of {summary.n_errors + summary.n_records:,} pairs could not be "
            f"scored and are ignored.{hint}"
        )


def make_means(totals: Mapping[Any, float], n: int, *, sides: str, blend: bool) -> list[list[str]]:
    """Make a table of the mean scores of n pairs, in percent except for log-odds."""
    rows = {"supported words": [f"supported_{side}" for side in sides], "log-odds": [*sides]}
    if "p" in sides:
        rows |= {"ROUGE-1": ["rouge1_p"], "ROUGE-2": ["rouge2_p"]}
    if blend:
        rows |= {"chrF": ["", "", "chrf"], "blend with chrF": ["", "", "blend"]}
    table = [[f"{n:,} pairs", *sides.upper()]]
    for label, names in rows.items():
        cells = []
        for name in names:
            mean = totals.get(name, 0.0) / n
            cells.append(f"{mean:.2f}" if name in sides else f"{100 * mean:.1f} %")
            if not name:
                cells[-1] = ""
        table.append([label, *cells, *[""] * (len(sides) - len(cells))])
    return table


def make_counts(totals: Mapping[Any, float], *, sides: str) -> list[list[str]]:
    """Make a table of the number of unsupported spans by kind, the most severe first."""
    from ..paraphrase_tagger.matching.severity import KINDS

    shown = [side for side, letter in (("hyp", "p"), ("ref", "r")) if letter in sides]
    table = [[kind, *(f"{totals[side, kind]:,.0f}" for side in shown)] for kind in KINDS]
    table = [row for row in table if any(cell != "0" for cell in row[1:])]
    return table and [["unsupported spans", *(SIDE_NAMES[side] for side in shown)], *table]


def echo_spans(path: Path) -> None:
    """Print the most severe unsupported spans of a file of records."""
    from ..paraphrase_tagger.matching.severity import KINDS

    with path.open(encoding="utf8") as file:
        rows = heapq.nsmallest(MAX_SPANS, list_spans(file), key=lambda row: KINDS.index(row[0]))
    if rows:
        typer.echo("\n" + format_table([["kind", "id", "of", "span"], *rows], n_left=4))


def list_spans(lines: Iterable[str]) -> Iterator[list[str]]:
    """List the unsupported spans of records: kind, id, side, text in one line."""
    for line in lines:
        record = json.loads(line)
        for side, name in SIDE_NAMES.items():
            for span in record[f"{side}_spans"]:
                text = escape(shorten_line(span["text"]))
                yield [span["kind"], escape(str(record["id"])), name, text]
