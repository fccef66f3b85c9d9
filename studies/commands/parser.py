"""`python -m studies parser`: taggers and parsers trained on augmented treebanks."""

from pathlib import Path
from typing import Annotated

import typer

from studies.options import GpuId, Jobs, OnlyTables


def parser(
    splits: Annotated[
        str,
        typer.Argument(
            metavar="SPLITS.json",
            help='Splits by language: {"en": {"train": [{"file": ...}], "dev": ..., "test": '
            '...}}. Files are relative to SPLITS.json. "from" and "to" select units, numbered '
            "from 0.",
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder for runs and models. The tables are next to it.")
    ] = Path("metrics/studies/parser"),
    grid: Annotated[
        str, typer.Option(metavar="P/N,...", help="Cells of the grid. 0/0 is always included.")
    ] = "0/0,.1/0,.2/0,.5/0,1/0,0/.1,.1/.1,.2/.1,0/.2,0/.5,.5/.5,0/1",
    langs: Annotated[
        str | None, typer.Option(help="Languages, separated by commas. Default: all.")
    ] = None,
    seeds: Annotated[
        str, typer.Option(metavar="N,LANG=N,...", help="Runs of each cell, by language.")
    ] = "3",
    max_steps: Annotated[
        str | None,
        typer.Option(
            metavar="N,LANG=N,...",
            help="Updates of each training, by language. Default: as in --config.",
        ),
    ] = None,
    config: Annotated[Path, typer.Option(help="Config of the tagger and parser.")] = Path(
        "configs/parser.cfg"
    ),
    phrases: Annotated[
        Path | None,
        typer.Option(
            exists=True, file_okay=False, help="Folder with noun phrases in NAME.LANG.txt."
        ),
    ] = None,
    sentiment: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder with reviews.LANG.tsv and lexicon.LANG.tsv (see 'sentiment').",
        ),
    ] = None,
    gpu_id: GpuId = -1,
    jobs: Jobs = 1,
    only_tables: OnlyTables = False,
) -> None:
    """Train a tagger and parser on augmented treebanks, and compare them.

    Trains one for each cell P/N of a grid, and prints tables like the paper's Tables 4 to 7. An
    interrupted study resumes.

    Example: python -m studies parser assets/sample/splits.json --grid .2/.2 --max-steps 20
    """
    from functools import partial

    from spacy.util import load_config

    from studies import harness
    from studies.parser import runs, tables
    from studies.parser import splits as reading

    harness.read_config(config, "--config")
    if phrases is not None and not list(phrases.glob("*.*.txt")):
        raise ValueError(f"{phrases} must have files NAME.LANG.txt with noun phrases, got none.")
    path = harness.find_corpus(splits)
    found = reading.read_splits(path)
    chosen = [name.strip() for name in langs.split(",")] if langs else list(found)
    unknown = sorted(set(chosen) - set(found))
    if unknown:
        raise ValueError(
            f"--langs must be some of {', '.join(found)} (those of {path}), got "
            f"{', '.join(unknown)}."
        )
    n_seeds, seeds_of = reading.parse_by_language(seeds, "--seeds")
    if max_steps is None:
        max_steps = str(load_config(config)["training"]["max_steps"])
    steps, steps_of = reading.parse_by_language(max_steps, "--max-steps")
    study = runs.Study(
        out=out,
        treebanks=tuple(
            reading.Treebank(
                lang, found[lang], seeds_of.get(lang, n_seeds), steps_of.get(lang, steps)
            )
            for lang in chosen
        ),
        grid=reading.parse_grid(grid),
        config=config,
        phrases=phrases,
        sentiment=sentiment,
        gpu_id=gpu_id,
        threads=1 if jobs > 1 else None,
    )
    plan = runs.make_plan(study)
    harness.check_plan(plan)
    if not only_tables:
        reading.write_splits(study.treebanks, out)
        runs.write_extracted(study)
    rows = harness.run_study(
        plan, partial(runs.run_job, study), [runs.list_jobs(study)],
        processes=jobs, only_tables=only_tables,
    )  # fmt: skip
    harness.show_results(tables.make_results(plan.to_dict(), study.grid, rows), out)
