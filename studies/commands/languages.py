"""`python -m studies languages`: the systems of the identifier's paper in other languages."""

from pathlib import Path
from typing import Annotated

import typer

from studies.options import Jobs, OnlyTables, Seeds


def languages(
    data: Annotated[
        str,
        typer.Argument(help="Folder of UD treebanks with their splits, here or in $SENTID_DATA."),
    ] = "ud",
    out: Annotated[
        Path, typer.Option(help="Folder for runs and models. The table is next to it.")
    ] = Path("metrics/studies/identifier_languages"),
    langs: Annotated[str, typer.Option(help="Languages, separated by commas.")] = "fr,de,es,zh",
    seeds: Seeds = 1,
    max_steps: Annotated[int, typer.Option(min=1, help="Updates of each training.")] = 300,
    config: Annotated[Path, typer.Option(help="Config of the paper's systems.")] = Path(
        "configs/identifier_bos_eos.cfg"
    ),
    ours: Annotated[Path, typer.Option(help="Config of 'ours'.")] = Path(
        "studies/configs/identifier_study.cfg"
    ),
    jobs: Jobs = 1,
    only_tables: OnlyTables = False,
) -> None:
    """Train the identifier in French, German, Spanish and Chinese.

    An interrupted study resumes.

    Example: python -m studies languages UD/ --langs fr --max-steps 100
    """
    from functools import partial

    from studies import harness
    from studies.identifier import languages as known
    from studies.identifier import runs

    names = [name.strip() for name in langs.split(",")]
    unknown = sorted(set(names) - set(known.LANGUAGES))
    if unknown:
        raise ValueError(
            f"--langs must be some of {', '.join(known.LANGUAGES)}, got {', '.join(unknown)}."
        )
    for option, path in (("--config", config), ("--ours", ours)):
        harness.read_config(path, option)
    rows, plans, heads = [], {}, {}
    for treebank in known.find_treebanks(harness.find_corpus(data), names):
        study = known.make_study(
            treebank, out, seeds=seeds, steps=max_steps, config=config, ours=ours,
            threads=1 if jobs > 1 else None,
        )  # fmt: skip
        lang = treebank.lang
        plans[lang] = runs.make_plan(study)
        found = harness.run_study(
            plans[lang], partial(runs.run_job, study), [runs.list_jobs(study)],
            processes=jobs, only_tables=only_tables,
        )  # fmt: skip
        rows += [row._replace(setting={**row.setting, "lang": lang}) for row in found]
        heads[lang] = known.describe_language(study)
    harness.show_results(known.make_results(plans, heads, rows), out)
