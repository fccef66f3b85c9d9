"""`python -m studies multilingual`: everyday documents and treebanks of several languages."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.terminal.printing import warn
from studies.options import Jobs, NamedModels, OnlyTables, find_models


def multilingual(
    treebanks: Annotated[
        str,
        typer.Argument(
            help="Folder with one treebank folder per language, here or in $SENTID_DATA. English "
            "is ud/UD_English-EWT."
        ),
    ] = "ud_more",
    model: NamedModels = None,
    langs: Annotated[
        str, typer.Option(help="Languages, separated by commas.")
    ] = "de,fr,es,it,pt,nl,en",
    split: Annotated[str, typer.Option(help="Split to evaluate on: 'test' or 'dev'.")] = "test",
    everyday: Annotated[
        Path, typer.Option(help="Folder with one folder of documents per language.")
    ] = Path("assets/everyday"),
    peers: Annotated[
        str, typer.Option(help="Other systems, separated by commas; '' for none.")
    ] = "sentencizer,rule_sentencizer,pySBD",
    out: Annotated[Path, typer.Option(help="Folder for runs. The tables are next to it.")] = Path(
        "metrics/studies/multilingual"
    ),
    jobs: Jobs = 1,
    only_tables: OnlyTables = False,
) -> None:
    """Compare sentences in several languages with other splitters.

    Scores SUs, NSUs and sentence starts on everyday documents, on the units of a treebank joined by
    spaces, and on its paragraphs. To compare with pySBD, run `pip install pysbd`. An interrupted
    study resumes.

    {lang} in the PATH of a model is replaced by the language. Languages without such a folder are
    skipped.

    Example: python -m studies multilingual --langs de,nl --split dev
    """
    from functools import partial

    from studies import harness
    from studies.documents import languages, systems

    models = find_models(model or ["bundled=auto"])
    found, missing = systems.check_peers(list(filter(None, peers.split(","))))
    for name in missing:
        warn(f"{name} is not installed (pip install {name.lower()}), so it is not evaluated.")
    study = languages.Study(
        out=out,
        langs=tuple(name.strip() for name in langs.split(",")),
        everyday=everyday,
        treebanks=treebanks,
        split=split,
        models=models,
        peers=tuple(found),
    )
    plan = languages.make_plan(study)
    stages = [languages.list_jobs(study, only_tables=only_tables)]
    rows = harness.run_study(
        plan, partial(languages.run_job, study), stages,
        processes=jobs, only_tables=only_tables,
    )  # fmt: skip
    words = [word for name in model or () for word in ("--model", name)]
    words += ["--split", split] if split != "test" else []
    command = shlex.join(["python", "-m", "studies", "multilingual", *words])
    harness.show_results(languages.make_results(study, plan, rows, command=command), out)
