"""`python -m studies downstream`: what finding SUs first does for a tagger and parser."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_sentid.cli.options import Lang

if TYPE_CHECKING:
    from studies.downstream.plans import Plan


def downstream(
    treebank: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="A folder with train, dev, test.")
    ],
    out: Annotated[
        Path, typer.Option(help="Folder of runs and models; the table goes beside it.")
    ] = Path("metrics/downstream"),
    seeds: Annotated[int, typer.Option(min=1, help="Runs.")] = 3,
    max_steps: Annotated[
        int | None,
        typer.Option(min=0, help="Updates of each training. Default, and 0: those of its config."),
    ] = None,
    parser: Annotated[Path, typer.Option(help="Config of the tagger and parser.")] = Path(
        "configs/downstream_parser.cfg"
    ),
    senter: Annotated[Path, typer.Option(help="Config of the senter.")] = Path(
        "configs/downstream_senter.cfg"
    ),
    identifier: Annotated[Path, typer.Option(help="Config of the sentence identifier.")] = Path(
        "configs/identifier_cnn.cfg"
    ),
    lang: Lang = "en",
    gpu_id: Annotated[int, typer.Option(help="-1: no GPU.")] = -1,
    jobs: Annotated[int, typer.Option(min=1, help="Trainings at a time.")] = 1,
    only_tables: Annotated[
        bool, typer.Option("--only-tables", help="Train nothing: tables of the runs that are done.")
    ] = False,
) -> None:
    """Parse raw documents whole, after `senter`, and after `sentence_identifier`; print the scores.

    Trains all three on the treebank. Goes on where it was interrupted.

    Example: python -m studies downstream UD_English-EWT/ --seeds 3 --jobs 2
    """
    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.plotting import import_matplotlib
    from studies.downstream import corpora, plans, runs, tables

    import_matplotlib()
    configs = {runs.PARSER: parser, runs.SENTER: senter, runs.IDENTIFIER: identifier}
    for path in configs.values():
        if not path.is_file():
            raise ValueError(
                f"Found no config {path}, expected one of a training. Start in a clone of the "
                "repository, which has configs/, or name another."
            )
    plan = plans.Plan(
        out=out,
        treebank=treebank,
        configs=configs,
        seeds=tuple(range(seeds)),
        lang=lang,
        max_steps=max_steps or None,
        gpu_id=gpu_id,
        threads=1 if jobs > 1 else None,
    )
    is_begun = plans.check_plan(plan)
    if not only_tables:
        if not is_begun:
            corpora.write_corpora(plan)
            plans.write_plan(plan)
        make_runs(plan, jobs=jobs)
    results = runs.read_results(plan)
    if not results:
        raise ValueError(
            f"Found no runs in {out}, expected some that are done. Leave --only-tables out."
        )
    text = tables.study_tables(results)
    with open_output(out.with_name(f"{out.name}.json")) as file:
        json.dump({"study": plans.describe_plan(plan), "runs": results}, file, indent=1)
        file.write("\n")
    with open_output(out.with_name(f"{out.name}.md")) as file:
        file.write(text)
    typer.echo(text)
    tables.draw_study(results, out.with_name(f"{out.name}.svg"))


def make_runs(plan: "Plan", *, jobs: int) -> None:
    """Train with a progress bar, and measure each seed as soon as its parts are there."""
    from tqdm import tqdm

    from studies.downstream import runs

    todo = set(plan.seeds)
    everything = runs.list_trainings(plan)
    n_done = sum(runs.model_path(plan, entry).exists() for entry in everything)
    total = len(everything) + len(todo)
    with tqdm(total=total, initial=n_done, unit="run", desc="downstream", disable=None) as bar:

        def measure_trained() -> None:
            for seed in [seed for seed in sorted(todo) if runs.is_trained(plan, seed)]:
                bar.set_postfix_str(f"parsing {seed}")
                runs.measure_seed(plan, seed)
                bar.update()
                todo.remove(seed)

        measure_trained()
        for entry in runs.train_parts(plan, jobs=jobs):
            bar.set_postfix_str(entry.name)
            bar.update()
            measure_trained()
