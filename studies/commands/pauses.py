"""`python -m studies pauses`: what pauses in speech do to a word segmenter."""

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from studies.options import GpuId, Jobs, OnlyTables


class Iteration(str, Enum):
    """Which iteration of a training is scored."""

    best = "best"
    last = "last"


def pauses(
    file: Annotated[
        str,
        typer.Argument(
            metavar="PAUSES.jsonl",
            help='Pauses: {"id", "chars", "pause_ms", "text"} a line; "text" has the punctuation.',
        ),
    ],
    source: Annotated[
        list[str],
        typer.Option(metavar="FILE,...", help="Segmented text to train on; repeatable."),
    ],
    source_dev: Annotated[
        str,
        typer.Option(help="Segmented text that chooses the best iteration of the base."),
    ],
    target_dev: Annotated[
        str,
        typer.Option(help="Segmented text that chooses that of all other systems."),
    ],
    test: Annotated[
        list[str],
        typer.Option(metavar="NAME=FILE,...", help="Segmented text to score; repeatable."),
    ],
    out: Annotated[
        Path, typer.Option(help="Folder of runs and models; the tables go next to it.")
    ] = Path("metrics/studies/pauses"),
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
    config: Annotated[Path, typer.Option(help="Config of the word segmenter.")] = Path(
        "configs/words.cfg"
    ),
    gpu_id: GpuId = -1,
    jobs: Jobs = 1,
    only_tables: OnlyTables = False,
) -> None:
    """Train on pauses as word boundaries, with all controls, and compare.

    Continues where it was interrupted: a finished run is not made again. Files may be in the
    folder SENTID_DATA.

    Example: python -m studies pauses assets/sample/words/pauses.jsonl --source
    assets/sample/words/train.txt --source-dev assets/sample/words/dev.txt --target-dev
    assets/sample/words/dev.txt --test sample=assets/sample/words/test.txt --steps 50 --seeds 1
    """
    from functools import partial

    from spacy_sentid.configs import read_config
    from studies import harness
    from studies.pauses import comparisons, plans, runs, tables, targets
    from studies.pauses import systems as known

    harness.read_config(config, "--config")
    steps = steps or int(read_config(config)["training"]["max_steps"])
    if steps < 1:
        raise ValueError(f"{config} must have max_steps above 0, got {steps}. Or give --steps.")
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
