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
        Path,
        typer.Option("-o", "--output", metavar="OUT.html", dir_okay=False, help="Output page."),
    ],
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            file_okay=False,
            help="Folder for each chart as .svg, .pdf and .png.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "Results",
) -> None:
    """Show results as tables and charts on one page.

    The page is self-contained. For other JSON files, it shows tables of their numbers. Requires the
    extra "study" (matplotlib).

    Example: python -m studies report studies/published/*.json -o report.html --figures figures
    """
    from spacy_sentid.files.atomic import open_output
    from studies.plotting import import_matplotlib
    from studies.report import build_page, read_files, write_figures

    if output.resolve() in {path.resolve() for path in files}:
        raise ValueError(f"{output} must not also be an input. Choose another file with -o.")
    import_matplotlib()  # fails early if it is missing
    sections = read_files(files)
    with open_output(output) as file:
        file.write(build_page(title, sections))
    if figures is not None:
        for _ in write_figures(sections, figures):
            pass
