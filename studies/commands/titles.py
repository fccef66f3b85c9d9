"""`python -m studies titles`: noun phrases from section titles, to test parsers on."""

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_N = 1500


def titles(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="IN.txt...",
            exists=True,
            dir_okay=False,
            help="Section titles of your own source, one a line.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(metavar="OUT.txt", dir_okay=False, help="The noun phrases, one a line."),
    ],
    lang: Annotated[str, typer.Option(help="Language of the titles: en, fr, de, es, ...")],
    n: Annotated[int, typer.Option("--n", min=1, help="Titles to draw.")] = DEFAULT_N,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    no_language_check: Annotated[
        bool,
        typer.Option("--no-language-check", help="Keep titles that look like another language."),
    ] = False,
) -> None:
    """Choose noun phrases among section titles by the paper's steps.

    Three words or more, no special characters, canonical case, not in another language; initials
    in lower case except in German; no duplicates, at most three with the same first word; then n
    drawn, in input order. The number left after each step is on stderr.

    Example: python -m studies titles section-titles.txt phrases.txt --lang en
    """
    from tqdm import tqdm

    from spacy_sentid.cli.printing import format_table
    from spacy_sentid.files.atomic import open_output
    from studies.parser.titles import make_language_check, read_titles, select_titles

    if output.resolve() in {path.resolve() for path in files}:
        raise ValueError(
            f"Found {output} as input and output, expected a new file for the noun phrases. Name "
            "OUT.txt last."
        )
    is_foreign = None if no_language_check else make_language_check(lang)
    lines = (line for path in files for line in read_titles(path))
    with tqdm(lines, desc="titles", unit="title", unit_scale=True, disable=None) as bar:
        found = select_titles(bar, lang=lang, n=n, seed=seed, is_foreign=is_foreign)
    rows = [[step, f"{count:,}"] for step, count in found.n_left.items()]
    typer.echo(format_table(rows), err=True)
    if not found.titles:
        raise ValueError(
            f"Found no noun phrase among the titles of {', '.join(map(str, files))}, expected some "
            "after all steps. See the counts, and check --lang."
        )
    if len(found.titles) < n:
        typer.secho(
            f"Warning: {len(found.titles):,} titles are left, fewer than the {n:,} of --n; all are "
            "taken.",
            fg=typer.colors.YELLOW,
            err=True,
        )
    with open_output(output) as file:
        file.writelines(title + "\n" for title in found.titles)
