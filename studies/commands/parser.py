"""`python -m studies parser`: what augmented treebanks do to taggers and parsers."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from studies.parser.plans import Plan


def parser_study(
    splits: Annotated[
        Path,
        typer.Argument(
            metavar="SPLITS.json",
            exists=True,
            dir_okay=False,
            help='Languages and their splits: {"en": {"train": [{"file": ...}], "dev": ..., '
            '"test": ...}}; files beside it; "from" and "to" number their units from 0.',
        ),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder of runs and models; the tables go beside it.")
    ] = Path("metrics/parser_study"),
    grid: Annotated[
        str, typer.Option(metavar="P/N,...", help="Cells; 0/0 is always one of them.")
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
            help="Updates of each training, by language. Default: those of --config.",
        ),
    ] = None,
    config: Annotated[Path, typer.Option(help="Of the tagger and parser.")] = Path(
        "configs/parser_study.cfg"
    ),
    phrases: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="Folder with noun phrases in LANG.txt."),
    ] = None,
    sentiment: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="Folder with reviews.LANG.tsv and lexicon.LANG.tsv (see 'sentiment').",
        ),
    ] = None,
    gpu_id: Annotated[int, typer.Option(help="-1: no GPU.")] = -1,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 1,
    only_tables: Annotated[
        bool, typer.Option("--only-tables", help="Train nothing: tables of the runs that are done.")
    ] = False,
) -> None:
    """Retrain a tagger and parser over a grid of P and N, and print tables as the paper's 4 to 7.

    Goes on where it was interrupted: a run whose JSON is there is not made again.
    Example: python -m studies parser assets/sample/splits.json --grid .2/.2 --max-steps 20
    """
    from spacy.util import load_config

    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.plotting import import_matplotlib
    from studies.parser import plans, runs, tables

    import_matplotlib()
    if not config.is_file():
        raise ValueError(
            f"Found no config {config}, expected one of a tagger and parser. Start in a clone of "
            "the repository, which has configs/, or give --config."
        )
    found = plans.read_splits(splits)
    chosen = [name.strip() for name in langs.split(",")] if langs else list(found)
    unknown = sorted(set(chosen) - set(found))
    if unknown:
        raise ValueError(
            f"--langs has {', '.join(unknown)}, expected some of {', '.join(found)}, which "
            f"{splits} has."
        )
    n_seeds, seeds_of = plans.parse_by_language(seeds, "--seeds")
    if max_steps is None:
        max_steps = str(load_config(config)["training"]["max_steps"])
    steps, steps_of = plans.parse_by_language(max_steps, "--max-steps")
    plan = plans.Plan(
        out=out,
        treebanks=tuple(
            plans.Treebank(
                lang, found[lang], seeds_of.get(lang, n_seeds), steps_of.get(lang, steps)
            )
            for lang in chosen
        ),
        grid=plans.parse_grid(grid),
        config=config,
        phrases=phrases,
        sentiment=sentiment,
        gpu_id=gpu_id,
        threads=1 if jobs > 1 else None,
    )
    plans.check_plan(plan)
    plans.write_splits(plan)
    runs.write_extracted(plan)
    if not only_tables:
        make_runs(plan, jobs=jobs)
    results = runs.read_results(plan)
    text = tables.study_tables(plan, results)
    about = {**plans.describe_plan(plan), "grid": [cell.name for cell in plan.grid]}
    with open_output(out.with_name(f"{out.name}.json")) as file:
        json.dump({"study": about, "runs": results}, file, indent=1)
        file.write("\n")
    with open_output(out.with_name(f"{out.name}.md")) as file:
        file.write(text)
    typer.echo(text)
    tables.draw_study(plan, results, out.with_name(f"{out.name}.svg"))


def make_runs(plan: "Plan", *, jobs: int) -> None:
    """Make the runs with a progress bar."""
    from tqdm import tqdm

    from studies.parser import runs

    everything = runs.list_jobs(plan)
    n_done = len(everything) - len(runs.list_open_jobs(plan))
    total = len(everything)
    with tqdm(total=total, initial=n_done, unit="run", desc="parser-study", disable=None) as bar:
        for job in runs.run_jobs(plan, jobs=jobs):
            bar.set_postfix_str(job.name)
            bar.update()
