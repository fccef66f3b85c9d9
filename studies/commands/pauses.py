"""`python -m studies pauses`: a word segmenter trained on pauses in speech."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from studies.options import GpuId, Jobs, OnlyTables


class Iteration(str, Enum):
    """The iteration of a training that is scored."""

    best = "best"
    last = "last"


def pauses(
    file: Annotated[
        str,
        typer.Argument(
            metavar="PAUSES.jsonl",
            help='Pauses: {"id", "chars", "pause_ms", "text"} per line. "text" has punctuation.',
        ),
    ],
    source: Annotated[
        list[str],
        typer.Option(metavar="FILE,...", help="Segmented text to train on. Repeatable."),
    ],
    source_dev: Annotated[
        str,
        typer.Option(help="Segmented text to select the best iteration of the base system."),
    ],
    target_dev: Annotated[
        str,
        typer.Option(help="Segmented text to select the best iteration of all other systems."),
    ],
    test: Annotated[
        list[str],
        typer.Option(metavar="NAME=FILE,...", help="Segmented text to evaluate on. Repeatable."),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder for runs and models. The tables are next to it.")
    ] = Path("metrics/studies/pauses"),
    simulate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=FILE,...",
            help="Segmented text. One half gets simulated pauses for training, and the other half "
            "is for evaluation. Repeatable.",
        ),
    ] = None,
    rate: Annotated[
        float,
        typer.Option(min=0, max=1, help="Share of boundaries with a simulated pause."),
    ] = 0.3,
    noises: Annotated[
        str, typer.Option(metavar="SHARE,...", help="Shares of false pauses in simulated pauses.")
    ] = "0,.5",
    systems: Annotated[
        str, typer.Option(metavar="NAME,...", help="Systems to train, or 'all'.")
    ] = "all",
    seeds: Annotated[int, typer.Option(min=1, help="Number of runs of each system.")] = 3,
    steps: Annotated[
        int | None, typer.Option(min=1, help="Updates of the base system. Default: as in --config.")
    ] = None,
    tune_steps: Annotated[
        int | None,
        typer.Option(min=1, help="Updates of all other systems. Default: half of --steps."),
    ] = None,
    tune_rate: Annotated[
        float, typer.Option(min=0, help="Highest learning rate of all other systems.")
    ] = 0.0005,
    iteration: Annotated[
        Iteration,
        typer.Option(
            help="Iteration of all other systems to evaluate: the best on --target-dev, or the "
            "last."
        ),
    ] = Iteration.best,
    dictionary: Annotated[
        str, typer.Option(metavar="FILE", help="Dictionary for all systems; '' for none.")
    ] = "",
    config: Annotated[Path, typer.Option(help="Config of the word segmenter.")] = Path(
        "configs/words.cfg"
    ),
    gpu_id: GpuId = -1,
    jobs: Jobs = 1,
    only_tables: OnlyTables = False,
) -> None:
    """Train word segmenters with pauses as word boundaries, and compare them with all controls.

    Files are here or in $SENTID_DATA. An interrupted study resumes.

    Example: python -m studies pauses assets/sample/words/pauses.jsonl --source
    assets/sample/words/train.txt --source-dev assets/sample/words/dev.txt --target-dev
    assets/sample/words/dev.txt --test sample=assets/sample/words/test.txt --steps 50 --seeds 1
    """
    from functools import partial

    from spacy.util import load_config

    from studies import harness
    from studies.pauses import comparisons, plans, runs, tables, targets
    from studies.pauses import systems as known

    harness.read_config(config, "--config")
    steps = steps or int(load_config(config)["training"]["max_steps"])
    if steps < 1:
        raise ValueError(f"max_steps of {config} must be above 0, got {steps}. Or use --steps.")
    study = plans.Study(
        out=out,
        pauses=harness.find_corpus(file),
        source=plans.parse_files(source, "--source"),
        source_dev=harness.find_corpus(source_dev),
        target_dev=harness.find_corpus(target_dev),
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
    targets.check_data(study)
    plan = runs.make_plan(study)
    harness.check_plan(plan)
    stages = runs.list_stages(study, plan)
    rows = harness.run_study(
        plan, partial(runs.run_job, study, plan), stages, processes=jobs, only_tables=only_tables
    )
    counts = {job.spec: runs.read_counts(plan, job) for stage in stages for job in stage}
    rows += comparisons.compare_all(counts, comparisons.list_pairs(study))
    harness.show_results(tables.make_results(plan.to_dict(), rows), out)
