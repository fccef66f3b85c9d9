"""`python -m studies report`: results as one page of tables and charts."""

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
            help="Results of studies, or JSON of other commands.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="OUT.html", dir_okay=False, help="The page."),
    ],
    figures: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            file_okay=False,
            help="Also write each chart for papers: .svg, .pdf and .png.",
        ),
    ] = None,
    title: Annotated[str, typer.Option(help="Title of the page.")] = "Results",
) -> None:
    """Show results as tables and charts on one page.

    The page needs no other file. JSON that is not of a study is shown as tables of its numbers.
    Needs the extra "study" (matplotlib).

    Example: python -m studies report studies/published/*.json -o report.html --figures figures
    """
    from spacy_sentid.files.atomic import open_output
    from studies.plotting import import_matplotlib
    from studies.report import build_page, read_files, write_figures

    if output.resolve() in {path.resolve() for path in files}:
        raise ValueError(f"{output} must not be an input too. Name another file with -o.")
    import_matplotlib()  # before the work: it may be missing
    sections = read_files(files)
    with open_output(output) as file:
        file.write(build_page(title, sections))
    if figures is not None:
        for _ in write_figures(sections, figures):
            pass
