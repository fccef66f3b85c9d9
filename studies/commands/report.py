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
            help="What evaluations, studies and benchmarks have written; any other JSON is shown "
            "as it is.",
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
    title: Annotated[str, typer.Option(help="Of the page.")] = "Results",
) -> None:
    """Show results as tables and charts, in one page that needs no other file.

    What a file is of is told by what it holds. Files of one kind, such as those of several seeds,
    stand side by side. Needs the extra "study" (matplotlib).
    Example: python -m studies report metrics/*.json -o report.html --figures figures
    """
    from tqdm import tqdm

    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.plotting import import_matplotlib
    from studies.report import files as reading
    from studies.report import kinds, page
    from studies.report.charts import METADATA

    if output.resolve() in {path.resolve() for path in files}:
        raise ValueError(f"Found {output} as input and output. Name another with -o.")
    import_matplotlib()  # before the work: it may be missing
    sections = kinds.make_sections(reading.read_sources(files))
    with open_output(output) as file:
        file.write(page.build_page(title, sections))
    if figures is not None:
        charts = page.list_charts(sections)
        total = len(charts) * len(METADATA)
        for _ in tqdm(page.write_figures(charts, figures), "figures", total, disable=None):
            pass
