"""`python -m studies downstream`: a tagger and parser with and without sentence identification."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.options import Lang
from studies.options import Corpus, GpuId, Jobs, MaxSteps, OnlyTables, Seeds


def downstream(
    treebank: Corpus,
    out: Annotated[
        Path, typer.Option(help="Folder for runs and models. The tables are next to it.")
    ] = Path("metrics/studies/downstream"),
    seeds: Seeds = 3,
    max_steps: MaxSteps = None,
    parser: Annotated[Path, typer.Option(help="Config of the tagger and parser.")] = Path(
        "studies/configs/downstream_parser.cfg"
    ),
    senter: Annotated[Path, typer.Option(help="Config of the senter.")] = Path(
        "studies/configs/downstream_senter.cfg"
    ),
    identifier: Annotated[Path, typer.Option(help="Config of the sentence identifier.")] = Path(
        "configs/identifier.cfg"
    ),
    lang: Lang = "en",
    gpu_id: GpuId = -1,
    jobs: Jobs = 1,
    only_tables: OnlyTables = False,
) -> None:
    """Compare the trees of raw documents with and without `sentence_identifier`.

    Trains a parser, a senter and an identifier on the treebank. Then it parses the raw test
    documents in three ways: without a splitter, after the senter, and after the identifier. An
    interrupted study resumes.

    Example: python -m studies downstream UD_English-EWT/ --seeds 3 --jobs 2
    """
    from functools import partial

    from studies import harness
    from studies.downstream import corpora, runs, tables

    configs = {runs.PARSER: parser, runs.SENTER: senter, runs.IDENTIFIER: identifier}
    for name, path in configs.items():
        harness.read_config(path, f"--{name.removeprefix('sentence_')}")
    study = runs.Study(
        out=out,
        treebank=harness.find_corpus(treebank),
        configs=configs,
        seeds=tuple(range(seeds)),
        lang=lang,
        max_steps=max_steps or None,
        gpu_id=gpu_id,
        threads=1 if jobs > 1 else None,
    )
    plan = runs.make_plan(study)
    harness.check_plan(plan)
    if not only_tables:
        corpora.write_corpora(study.treebank, out, lang=lang)
    rows = harness.run_study(
        plan, partial(runs.run_job, study), runs.list_stages(study),
        processes=jobs, only_tables=only_tables,
    )  # fmt: skip
    harness.show_results(tables.make_results(plan.to_dict(), rows), out)
