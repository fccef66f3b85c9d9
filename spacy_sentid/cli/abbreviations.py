"""`spacy-sentid abbreviations`: the abbreviations that raw text shows by itself (section 4.2.2)."""

import json
from pathlib import Path
from typing import Annotated

import typer

from .table import format_table


def abbreviations(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="CORPUS.txt...", exists=True, dir_okay=False, help="Raw text, of any size."
        ),
    ],
    json_path: Annotated[
        Path | None,
        typer.Option(
            "--json",
            metavar="OUT",
            dir_okay=False,
            help="Write the list, and under 'learned' what the rule sentencizer takes.",
        ),
    ] = None,
    min_count: Annotated[
        int, typer.Option(min=1, help="Leave out strings met less often with a period.")
    ] = 1,
    tolerance: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Share of an abbreviation's occurrences that may stand without its period.",
        ),
    ] = 0.0,
) -> None:
    """List what a corpus shows to be abbreviations, with counts and why, the most frequent first.

    likely: stands before a comma, a question mark, a small letter or a digit. title: stands twice
    before two capitalised strings. Both never without the period (see --tolerance). structure: a
    capital, or letters with periods between them.

    Example: spacy-sentid abbreviations corpus.txt --json learned.json
    """
    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..rule_sentencizer.corpus import read_blocks
    from ..rule_sentencizer.counts import Counts

    counts = Counts()
    n_bytes = sum(path.stat().st_size for path in files)
    with tqdm(total=n_bytes, desc="abbreviations", unit="B", unit_scale=True, disable=None) as bar:
        for path in files:
            for text in read_blocks(path, on_bytes=bar.update):
                counts.update(text)
    if not counts.bare and not counts.dotted:
        raise ValueError(
            f"Found no words in {', '.join(map(str, files))}, expected raw text. Check the files."
        )
    learned = counts.learn(min_count=min_count, tolerance=tolerance)
    found = counts.list_abbreviations(learned)
    rows = [["abbreviation", "why", "with period", "without"]]
    rows += [
        [f"{entry.word}.", ", ".join(entry.reasons), f"{entry.n_with:,}", f"{entry.n_without:,}"]
        for entry in found
    ]
    typer.echo(format_table(rows, n_left=2))
    if json_path is not None:
        report = {
            "files": [str(path) for path in files],
            "settings": {"min_count": min_count, "tolerance": tolerance},
            "words": counts.n_words,
            "abbreviations": [entry._asdict() for entry in found],
            "learned": learned.to_dict(),
        }
        with open_output(json_path) as file:
            json.dump(report, file, indent=1, ensure_ascii=False)
            file.write("\n")
