"""`python -m studies report`: one page with the tables and charts of results."""

from pathlib import Path
from typing import Annotated

import typer


def report(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT.json...",
            exists=True,
            dir_okay=False,
            help="Results of studies, or JSON output of other commands.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="OUT.html", dir_okay=False, help="Output page."),
    ] = None,
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            file_okay=False,
            help="Folder for the charts as SVG files.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "Results",
) -> None:
    """Show results as cards, charts and tables on one page.

    On top are the charts of the questions that the results answer. The page is self-contained, and
    its charts follow light and dark mode. For other JSON files, it shows tables of their numbers.

    Example: python -m studies report studies/published/*.json -o report.html
    """
    from spacy_sentid.files.atomic import open_output
    from studies.report import build_page, read_files, write_figures

    if output is None and figures is None:
        raise ValueError("The output must be a page (-o) or a folder (--figures), got neither.")
    if output is not None and output.resolve() in {path.resolve() for path in files}:
        raise ValueError(f"{output} must not also be an input. Choose another file with -o.")
    sections = read_files(files)
    if output is not None:
        with open_output(output) as file:
            file.write(build_page(title, sections))
    if figures is not None:
        for _ in write_figures(sections, figures):
            pass
