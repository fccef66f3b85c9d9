"""`python -m studies titles`: noun phrases from section titles, to evaluate parsers on."""

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
            help="Section titles from your own source, one per line.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(metavar="OUT.txt", dir_okay=False, help="Noun phrases, one per line."),
    ],
    lang: Annotated[str, typer.Option(help="Language of the titles: en, fr, de, es, ...")],
    n: Annotated[int, typer.Option("--n", min=1, help="Number of titles to draw.")] = DEFAULT_N,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    no_language_check: Annotated[
        bool,
        typer.Option("--no-language-check", help="Keep titles that look like another language."),
    ] = False,
) -> None:
    """Select noun phrases from section titles by the steps of the paper.

    Keeps titles with at least three words, no special characters, canonical case, and no sign of
    another language. Lowercases the first letters, except in German. Removes duplicates, and keeps
    at most three titles with the same first word. Then it draws n titles and writes them in the
    order of the input. Prints the number of titles after each step to stderr.

    Example: python -m studies titles section-titles.txt phrases.txt --lang en
    """
    from tqdm import tqdm

    from spacy_sentid.cli.terminal.printing import format_table
    from spacy_sentid.files.atomic import open_output
    from studies.parser.titles import make_language_check, read_titles, select_titles

    if output.resolve() in {path.resolve() for path in files}:
        raise ValueError(
            f"OUT.txt must be a new file, got {output}, which is also an input. OUT.txt is the "
            "last argument."
        )
    is_foreign = None if no_language_check else make_language_check(lang)
    lines = (line for path in files for line in read_titles(path))
    with tqdm(lines, desc="titles", unit="title", unit_scale=True, disable=None) as bar:
        found = select_titles(bar, lang=lang, n=n, seed=seed, is_foreign=is_foreign)
    rows = [[step, f"{count:,}"] for step, count in found.n_left.items()]
    typer.echo(format_table(rows), err=True)
    if not found.titles:
        raise ValueError(
            f"No noun phrases are left from the titles of {', '.join(map(str, files))}. See the "
            "counts after each step, and check --lang."
        )
    if len(found.titles) < n:
        typer.secho(
            f"Warning: only {len(found.titles):,} titles are left, fewer than --n {n:,}. All are "
            "written.",
            fg=typer.colors.YELLOW,
            err=True,
        )
    with open_output(output) as file:
        file.writelines(title + "\n" for title in found.titles)
