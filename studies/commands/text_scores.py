"""Measure how well scores of texts agree with people (the paper's Tables 4 to 6)."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_sentid.batch.tasks import load_task_pipeline

if TYPE_CHECKING:
    from studies.text_scores.baselines import Scores


def text_scores(
    data: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="Texts that people judged (JSON lines). It may be in the folder SENTID_DATA.",
        ),
    ] = "nlg_meta",
    out: Annotated[
        Path, typer.Option(help="Folder of the scores; the tables go next to it.")
    ] = Path("metrics/studies/text_scores"),
    model: Annotated[
        str | None,
        typer.Option(help="Folder or package of a pipeline with a tagger. Default: English."),
    ] = None,
    tagger: Annotated[
        bool, typer.Option("--tagger/--no-tagger", help="Measure the tagger.")
    ] = True,
    baselines: Annotated[
        bool, typer.Option("--baselines/--no-baselines", help="Measure ROUGE, BLEU and the like.")
    ] = True,
    tasks: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Some tasks. Default: all.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Only the first so many documents of each task.")
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            min=1, help="Sentences that a sentence is compared with. Default: as 'score'."
        ),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Pairs of sentences that the tagger gets at once.")
    ] = None,
    n_process: Annotated[int, typer.Option(min=1, help="Processes of the tagger.")] = 1,
) -> None:
    """Compare scores of texts with the judgments of people: the tagger's and other metrics.

    Continues where it was interrupted: the scores of each metric and task are kept in --out. Needs
    the extra "nlg".

    Example: python -m studies text-scores judgments/ --no-baselines
    """
    from spacy_sentid.paraphrase_tagger.nlg.evaluator import MATCHES
    from studies.harness import find_corpus, show_results
    from studies.results import list_rows
    from studies.text_scores import baselines as metrics
    from studies.text_scores import correlations, meta_evaluation, meta_tasks, tables

    correlations.check_extras()
    if not (tagger or baselines):
        raise ValueError("There is nothing to measure. Omit --no-tagger or --no-baselines.")
    folder = find_corpus(data)
    names = [name.strip() for name in tasks.split(",")] if tasks else list(meta_tasks.TASKS)
    found_tasks = [meta_tasks.read_task(folder, name, limit=limit) for name in dict.fromkeys(names)]
    systems = []
    if baselines:
        found = metrics.make_baselines()
        systems += [meta_evaluation.make_baseline_system(*item) for item in found.items()]
        if metrics.BERTSCORE not in found:
            typer.echo(metrics.NO_BERTSCORE, err=True)
    if tagger:
        nlp = load_task_pipeline("scores", model or "en")
        systems.append(
            meta_evaluation.make_tagger_system(
                nlp, matches=matches or MATCHES, batch_size=batch_size, n_process=n_process
            )
        )
    scores = {}
    for system in systems:
        for task in found_tasks:
            bar = make_bar(f"{system.name}, {task.name}", total=len(task.items))
            scores[system.name, task.name] = meta_evaluation.score_task(
                system, task, out, watch=bar
            )
    measured = meta_evaluation.measure_systems(found_tasks, scores)
    settings = {
        "data": folder.name,
        "model": model,
        "limit": limit,
        "systems": {system.name: system.settings for system in systems},
        "items": {task.name: len(task.items) for task in found_tasks},
    }
    rows = [row for name, found in measured.items() for row in list_rows(name, None, {}, found)]
    show_results(tables.make_results(settings, rows, tasks=names), out)


def make_bar(name: str, *, total: int) -> Any:
    """Make what shows a progress bar around scores."""
    from tqdm import tqdm

    def watch(scores: "Iterable[Scores]") -> "Iterator[Scores]":
        with tqdm(scores, total=total, desc=name, unit="text", disable=None) as bar:
            yield from bar

    return watch
