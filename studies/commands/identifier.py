"""`python -m studies identifier`: the paper's experiments with any treebank and encoder."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from spacy_sentid.cli.options import Lang, Separator, warn_without_nsu
from studies.options import Corpus, GpuId, Jobs, MaxSteps, OnlyTables, Seeds


def identifier(
    treebank: Corpus,
    segmentation: Annotated[
        str | None,
        typer.Option(help="A second such folder, in which all units are sentences."),
    ] = None,
    out: Annotated[
        Path, typer.Option(help="Folder for runs and models. The tables are next to it.")
    ] = Path("metrics/studies/identifier"),
    seeds: Seeds = 5,
    segmentation_seeds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Runs of each system on --segmentation. Default: as --seeds, but at most 3.",
        ),
    ] = None,
    systems: Annotated[
        str | None, typer.Option(help="Names of systems, separated by commas. Default: all.")
    ] = None,
    config: Annotated[
        Path, typer.Option(help="Config of the paper's systems, with their encoder.")
    ] = Path("configs/identifier_bos_eos.cfg"),
    ours: Annotated[Path, typer.Option(help="Config of 'ours' if NSUs are annotated.")] = Path(
        "studies/configs/identifier_study.cfg"
    ),
    ours_segmentation: Annotated[
        Path, typer.Option(help="Config of 'ours' for --segmentation.")
    ] = Path("configs/identifier_clean.cfg"),
    encoder: Annotated[
        str | None,
        typer.Option(help="Name or folder of a transformer that replaces that of the config."),
    ] = None,
    max_steps: MaxSteps = None,
    segmentation_steps: Annotated[
        int | None, typer.Option(min=0, help="Updates of each training on --segmentation.")
    ] = None,
    segmenter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Sentence segmenter that runs before the identifier: 'ersatz', an untrained "
            "component, or a pipeline. Repeatable. Default: sentencizer and rule_sentencizer.",
        ),
    ] = None,
    layout: Annotated[
        Separator,
        typer.Option(
            help="Separator between the units of evaluation texts. If it is not 'space', training "
            "texts use it too. Use 'none' for scripts without spaces."
        ),
    ] = "space",
    lang: Lang = "en",
    gpu_id: GpuId = -1,
    jobs: Jobs = 1,
    measured: Annotated[
        Literal["test", "dev"],
        typer.Option(help="Split to evaluate on. Use 'dev' to analyze errors."),
    ] = "test",
    only_tables: OnlyTables = False,
) -> None:
    """Train the systems of the identifier's paper and ours, and compare them.

    --max-steps applies to the paper's systems. The config of 'ours' has its own number of updates.
    An interrupted study resumes.

    Example: python -m studies identifier UD_English-EWT/ --seeds 1 --max-steps 1000
    """
    from functools import partial

    from spacy.util import load_config

    from spacy_sentid.sentence_identifier.evaluation.joined import read_labelled
    from studies import harness
    from studies.identifier import runs, tables
    from studies.identifier import systems as known

    names = tuple(systems.split(",")) if systems else tuple(known.SYSTEMS)
    unknown = sorted(set(names) - set(known.SYSTEMS))
    if unknown:
        raise ValueError(
            f"--systems must be some of {', '.join(known.SYSTEMS)}, got {', '.join(unknown)}."
        )
    needed = {"--config": config, "--ours": ours}
    if segmentation is not None:
        needed["--ours-segmentation"] = ours_segmentation
    for option, path in needed.items():
        harness.read_config(path, option)
    if not set(names) <= {"ours"}:
        known.check_encoder(load_config(config), encoder)
    folder = harness.find_corpus(treebank)
    folders = [(known.IN_DOMAIN, folder, False, max_steps, ours, seeds)]
    if segmentation is not None:
        clean = harness.find_corpus(segmentation)
        folders.append(
            (
                known.SEGMENTATION, clean, True, segmentation_steps, ours_segmentation,
                segmentation_seeds or min(seeds, 3),
            )
        )  # fmt: skip
    domains = tuple(
        runs.prepare_domain(
            out, name, folder, all_su=all_su, max_steps=steps, ours=path, lang=lang,
            segmenters=segmenter or runs.SEGMENTERS, n_seeds=n_seeds,
            measured=measured,
        )
        for name, folder, all_su, steps, path, n_seeds in folders
    )  # fmt: skip
    tested = [unit for document in domains[0].test for unit in document]
    for labelled in (read_labelled(folder, split="train"), tested):
        warn_without_nsu([label for _, label in labelled], folder)
    study = runs.Study(
        out=out,
        domains=domains,
        paper_config=config,
        systems=names,
        lang=lang,
        layout=layout,
        gpu_id=gpu_id,
        overrides={"components.transformer.model.name": encoder} if encoder else {},
        threads=1 if jobs > 1 else None,
    )
    plan = runs.make_plan(study)
    rows = harness.run_study(
        plan, partial(runs.run_job, study), [runs.list_jobs(study)],
        processes=jobs, only_tables=only_tables,
    )  # fmt: skip
    harness.show_results(tables.make_results(plan.to_dict(), rows), out)
