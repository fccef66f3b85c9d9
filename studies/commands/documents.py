"""`python -m studies documents`: our pipelines and other splitters on whole documents."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.terminal.printing import warn
from studies.options import Jobs, NamedModels, OnlyTables, find_models

EVERYDAY = "everyday=assets/everyday/test"
EWT = "EWT=ud/UD_English-EWT/en_ewt-ud-test.conllu"


def documents(
    model: NamedModels = None,
    documents: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=PATH",
            help="Set of documents, as for `evaluate documents`, here or in $SENTID_DATA. "
            "Repeatable. Default: assets/everyday/test and the test split of EWT.",
        ),
    ] = None,
    layout: Annotated[
        list[str] | None,
        typer.Option(
            help="Layout to evaluate besides the original one. Repeatable. Default: 11 layouts."
        ),
    ] = None,
    peers: Annotated[
        str, typer.Option(help="Other systems, separated by commas; '' for none.")
    ] = "sentencizer,rule_sentencizer,senter,pySBD",
    treebank: Annotated[
        str,
        typer.Option(
            help="Folder with train, dev and test, here or in $SENTID_DATA. The units of test are "
            "joined for evaluation, and the senter is trained on train. '' for neither."
        ),
    ] = "ud/UD_English-EWT",
    segmenter: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Sentence segmenter that runs before the identifier. Repeatable. Default: "
            "sentencizer and rule_sentencizer.",
        ),
    ] = None,
    senter: Annotated[Path, typer.Option(help="Config of the senter.")] = Path(
        "studies/configs/downstream_senter.cfg"
    ),
    senter_seeds: Annotated[int, typer.Option(min=1, help="Number of senters to train.")] = 1,
    senter_steps: Annotated[int, typer.Option(min=1, help="Updates of each senter.")] = 1500,
    out: Annotated[
        Path, typer.Option(help="Folder for runs and models. The tables are next to it.")
    ] = Path("metrics/studies/documents"),
    jobs: Jobs = 1,
    only_tables: OnlyTables = False,
) -> None:
    """Compare the sentences of whole documents with other splitters, in many layouts.

    Scores SUs, NSUs and sentence starts by layout, by kind of NSU and by kind of text. For our
    pipelines, it also scores joined units, units after a segmenter, and the calibration. To compare
    with pySBD, run `pip install pysbd`. An interrupted study resumes.

    Example: python -m studies documents --model 'ours=training/seeds/seed-*/model-best'
    """
    from functools import partial

    from spacy_sentid.components.settings import check_choice
    from spacy_sentid.sentence_identifier.corpora.layout import LAYOUT_CHANGES
    from spacy_sentid.sentence_identifier.evaluation.documents import AS_IS
    from studies import harness
    from studies.documents import runs, systems, tables
    from studies.identifier.runs import SEGMENTERS

    models = find_models(model or ["bundled=en"])
    clashes = sorted(set(models) & set(systems.PEERS))
    if clashes:
        raise ValueError(
            f"--model must not use the name of another system, got {', '.join(clashes)}. Choose "
            "another NAME."
        )
    named = list(filter(None, peers.split(",")))
    found, missing = systems.check_peers(named)
    for name in missing:
        warn(f"{name} is not installed (pip install {name.lower()}), so it is not evaluated.")
    if not treebank and systems.SENTER in found:
        raise ValueError(
            "--peers must not have 'senter' without a --treebank, which it is trained on."
        )
    sets = runs.find_sets(documents or [EVERYDAY, EWT])
    for name in layout or ():
        check_choice("--layout", name, tuple(LAYOUT_CHANGES))
    if systems.SENTER in found:
        harness.read_config(senter, "--senter")
    study = runs.Study(
        out=out,
        documents={name: harness.find_corpus(path) for name, path in sets.items()},
        models=models,
        peers=tuple(found),
        layouts=(AS_IS, *dict.fromkeys(layout or runs.LAYOUTS)),
        treebank=harness.find_corpus(treebank) if treebank else None,
        segmenters=tuple(segmenter or SEGMENTERS),
        senter_config=senter,
        senter_seeds=senter_seeds,
        senter_steps=senter_steps,
        threads=1 if jobs > 1 else None,
    )
    plan = runs.make_plan(study)
    fingerprints = {} if only_tables else runs.fingerprint_models(models)
    rows = harness.run_study(
        plan, partial(runs.run_job, study), runs.list_stages(study, fingerprints),
        processes=jobs, only_tables=only_tables,
    )  # fmt: skip
    options = {"--model": model, "--documents": documents, "--layout": layout}
    words = [
        word for name, found in options.items() for value in found or () for word in (name, value)
    ]
    command = shlex.join(["python", "-m", "studies", "documents", *words])
    results = tables.make_results(plan.to_dict(), rows, models=models, command=command)
    harness.show_results(results, out)
