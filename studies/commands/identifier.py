"""`python -m studies identifier`: the paper's experiments, on any treebank and encoder."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from spacy_sentid.cli.options import Lang, Layout, SegmenterName, read_labelled, warn_without_nsu

if TYPE_CHECKING:
    from studies.identifier.plans import Plan


def study(
    treebank: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="A folder with train, dev, test.")
    ],
    segmentation: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            file_okay=False,
            help="A second folder with train, dev, test, all units of which are sentences.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder of runs and models; the tables go beside it.")
    ] = Path("metrics/study"),
    seeds: Annotated[int, typer.Option(min=1, help="Runs of each system.")] = 5,
    systems: Annotated[
        str | None, typer.Option(help="Names separated by commas. Default: all.")
    ] = None,
    config: Annotated[
        Path, typer.Option(help="Of the paper's systems; it sets the encoder.")
    ] = Path("configs/identifier_bos_eos.cfg"),
    ours: Annotated[Path, typer.Option(help="Of 'ours', where NSUs are annotated.")] = Path(
        "configs/identifier_study.cfg"
    ),
    ours_segmentation: Annotated[Path, typer.Option(help="Of 'ours', where they are not.")] = Path(
        "configs/identifier_clean.cfg"
    ),
    encoder: Annotated[
        str | None,
        typer.Option(help="Pretrained encoder of configs with a transformer: a name or folder."),
    ] = None,
    max_steps: Annotated[
        int | None,
        typer.Option(
            min=0, help="Updates of each training. Default: those of --config; 'ours' has its own."
        ),
    ] = None,
    segmentation_steps: Annotated[
        int | None, typer.Option(min=0, help="The same for --segmentation.")
    ] = None,
    segmenter: SegmenterName = "sentencizer",
    layout: Annotated[
        Layout,
        typer.Option(
            help="What stands between the units of evaluation texts, and, if not 'space', of the "
            "texts to train on: 'none' for scripts without spaces."
        ),
    ] = Layout.space,
    lang: Lang = "en",
    gpu_id: Annotated[int, typer.Option(help="-1: no GPU.")] = -1,
    jobs: Annotated[int, typer.Option(min=1, help="Runs at a time.")] = 1,
    only_tables: Annotated[
        bool, typer.Option("--only-tables", help="Train nothing: tables of the runs that are done.")
    ] = False,
) -> None:
    """Train the paper's systems and ours, measure them in all settings, and print the tables.

    Goes on where it was interrupted: a run whose JSON is there is not made again.

    Example: python -m studies identifier UD_English-EWT/ --seeds 1 --max-steps 1000
    """
    from spacy.util import load_config

    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.plotting import import_matplotlib
    from studies.identifier import plans, runs, tables
    from studies.identifier import systems as known

    names = tuple(systems.split(",")) if systems else tuple(known.SYSTEMS)
    unknown = sorted(set(names) - set(known.SYSTEMS))
    if unknown:
        raise ValueError(
            f"--systems has {', '.join(unknown)}, expected some of {', '.join(known.SYSTEMS)}."
        )
    needed = {"--config": config, "--ours": ours}
    if segmentation is not None:
        needed["--ours-segmentation"] = ours_segmentation
    for option, path in needed.items():
        if not path.is_file():
            raise ValueError(
                f"Found no config {path}, expected one for {option}. Start in a clone of the "
                f"repository, which has configs/, or give {option}."
            )
    draws = segmentation is not None and "uni-aug" in names
    if draws:
        import_matplotlib()
    if not set(names) <= {"ours"}:
        known.check_encoder(load_config(config), encoder)
    folders = [(known.IN_DOMAIN, treebank, False, max_steps, ours)]
    if segmentation is not None:
        folders.append(
            (known.SEGMENTATION, segmentation, True, segmentation_steps, ours_segmentation)
        )
    domains = tuple(
        plans.prepare_domain(
            out, name, folder, all_su=all_su, max_steps=steps, ours=path, lang=lang,
            segmenter=segmenter or "sentencizer",
        )
        for name, folder, all_su, steps, path in folders
    )  # fmt: skip
    train = read_labelled(treebank, split="train", all_su=False)
    for units in (train, [unit for document in domains[0].test for unit in document]):
        warn_without_nsu([label for _, label in units], treebank)
    plan = plans.Plan(
        out=out,
        domains=domains,
        paper_config=config,
        systems=names,
        seeds=tuple(range(seeds)),
        lang=lang,
        layout=layout.value,
        gpu_id=gpu_id,
        overrides={"components.transformer.model.name": encoder} if encoder else {},
        threads=1 if jobs > 1 else None,
    )
    plans.check_plan(plan)
    if not only_tables:
        make_runs(plan, jobs=jobs)
    results = runs.read_results(plan)
    scores = tables.collect_scores(results)
    about = plans.describe_plan(plan)
    text = f"{tables.caption(about)}\n{tables.study_tables(scores)}"
    with open_output(out.with_name(f"{out.name}.json")) as file:
        json.dump({"study": about, "runs": results}, file, indent=1)
        file.write("\n")
    with open_output(out.with_name(f"{out.name}.md")) as file:
        file.write(text)
    typer.echo(text)
    if draws and any(result["system"] == "uni-aug" for result in results):
        tables.draw_unidirectional_weights(scores, out.with_name(f"{out.name}.svg"))


def make_runs(plan: "Plan", *, jobs: int) -> None:
    """Make the runs with a progress bar."""
    from tqdm import tqdm

    from studies.identifier import runs

    everything = runs.list_jobs(plan)
    n_done = sum(runs.result_path(plan, job).exists() for job in everything)
    with tqdm(total=len(everything), initial=n_done, unit="run", desc="study") as bar:
        for job in runs.run_jobs(plan, jobs=jobs):
            bar.set_postfix_str(job.name)
            bar.update()
