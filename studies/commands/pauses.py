"""`python -m studies pauses`: what pauses in speech do to a word segmenter."""

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from studies.pauses.plans import Plan


class Iteration(str, Enum):
    """Which iteration of a training is scored."""

    best = "best"
    last = "last"


def pause_study(
    pauses: Annotated[
        Path,
        typer.Argument(
            metavar="PAUSES.jsonl",
            exists=True,
            dir_okay=False,
            help='Pauses: {"id", "chars", "pause_ms", "text"} a line; "text" has the punctuation.',
        ),
    ],
    source: Annotated[
        list[str],
        typer.Option(metavar="FILE,...", help="Segmented text to train on; repeatable."),
    ],
    source_dev: Annotated[
        Path,
        typer.Option(exists=True, dir_okay=False, help="Chooses the best iteration of the base."),
    ],
    target_dev: Annotated[
        Path,
        typer.Option(exists=True, dir_okay=False, help="Chooses that of all other systems."),
    ],
    test: Annotated[
        list[str],
        typer.Option(metavar="NAME=FILE,...", help="Segmented text to score; repeatable."),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder of runs and models; the tables go beside it.")
    ] = Path("metrics/pause_study"),
    simulate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE,...",
            help="Segmented text: half of it gets simulated pauses, the other is scored; "
            "repeatable.",
        ),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of boundaries with a simulated pause."),
    ] = 0.3,
    noises: Annotated[
        str, typer.Option(metavar="SHARE,...", help="Shares of false ones in simulated pauses.")
    ] = "0,.5",
    systems: Annotated[
        str, typer.Option(metavar="NAME,...", help="Systems to train, or all.")
    ] = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each system.")] = 3,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Updates of a base. Default: those of --config.")
    ] = None,
    tune_steps: Annotated[
        int | None,
        typer.Option(min=1, help="Updates of all other systems. Default: half of --steps."),
    ] = None,
    tune_rate: Annotated[
        float, typer.Option(min=0, help="Their learn rate, at its highest.")
    ] = 0.0005,
    iteration: Annotated[
        Iteration,
        typer.Option(help="Of all but the base: the best by --target-dev, or the last."),
    ] = Iteration.best,
    dictionary: Annotated[
        str, typer.Option(metavar="FILE", help="Words for all systems; empty for none.")
    ] = "",
    config: Annotated[Path, typer.Option(help="Of the word segmenter.")] = Path(
        "configs/words.cfg"
    ),
    gpu_id: Annotated[int, typer.Option(help="-1: no GPU.")] = -1,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 1,
    only_tables: Annotated[
        bool, typer.Option("--only-tables", help="Train nothing: tables of the runs that are done.")
    ] = False,
) -> None:
    """Train on pauses as word boundaries, with all controls; tables as the paper's 3 and 4.

    Goes on where it was interrupted: a run whose JSON is there is not made again.
    Example: python -m studies pauses assets/sample/words/pauses.jsonl --source
    assets/sample/words/train.txt --source-dev assets/sample/words/dev.txt --target-dev
    assets/sample/words/dev.txt --test sample=assets/sample/words/test.txt --steps 50 --seeds 1
    """
    from spacy_sentid.cli.table import format_table
    from spacy_sentid.configs import read_config
    from spacy_sentid.files.atomic import open_output
    from studies.pauses import cells, plans, report, targets
    from studies.pauses import systems as known

    if not config.is_file():
        raise ValueError(
            f"Found no config {config}, expected one of a word segmenter. Start in a clone of the "
            "repository, which has configs/, or give --config."
        )
    steps = steps or int(read_config(config)["training"]["max_steps"])
    if steps < 1:
        raise ValueError(f"{config} has max_steps = 0, expected a number. Give --steps.")
    plan = plans.Plan(
        out=out,
        pauses=pauses,
        source=plans.parse_files(source, "--source"),
        source_dev=source_dev,
        target_dev=target_dev,
        tests=plans.parse_named_files(test, "--test"),
        simulate=plans.parse_named_files(simulate or [], "--simulate"),
        rate=rate,
        noises=plans.parse_noises(noises),
        systems=known.parse_systems(systems),
        seeds=tuple(range(seeds)),
        steps=steps,
        tune_steps=tune_steps or max(steps // 2, 1),
        tune_rate=tune_rate,
        iteration=iteration.value,
        dictionary=plans.parse_files([dictionary], "--dictionary")[0] if dictionary else None,
        config=config,
        gpu_id=gpu_id,
        threads=1 if jobs > 1 else None,
    )
    targets.check_data(plan)
    plans.check_plan(plan)
    if not only_tables:
        make_runs(plan, jobs=jobs)
    found = report.make_report(plan)
    with open_output(out.with_name(f"{out.name}.json")) as file:
        json.dump(found.to_json(), file, indent=1, ensure_ascii=False)
        file.write("\n")
    with open_output(out.with_name(f"{out.name}.md")) as file:
        file.write(found.to_markdown())
    for table in found.tables:
        typer.echo(f"{table.title}\n")
        typer.echo(format_table(table.rows, n_left=table.n_left))
        typer.echo("".join(f"\n{note}" for note in table.notes) + "\n")
    typer.echo("\n".join(cells.NOTES))


def make_runs(plan: "Plan", *, jobs: int) -> None:
    """Make the runs with a progress bar."""
    from tqdm import tqdm

    from studies.pauses import jobs as jobs_of
    from studies.pauses import runs

    total, todo = len(jobs_of.list_jobs(plan)), len(jobs_of.list_open_jobs(plan))
    n_done = max(total - todo, 0)
    with tqdm(total=total, initial=n_done, unit="run", desc="pause-study", disable=None) as bar:
        for job in runs.run_jobs(plan, jobs=jobs):
            bar.set_postfix_str(job.name)
            bar.update()
