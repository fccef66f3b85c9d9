"""Measure how well scores of texts agree with people (the paper's Tables 4 to 6)."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_sentid.batch.tasks import load_task_pipeline

if TYPE_CHECKING:
    from studies.text_scores.baselines import Scores
    from studies.text_scores.meta_evaluation import System

# Pairs of a text and a reference that a generator gets at once.
PAIRS_AT_ONCE = 16


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
        str,
        typer.Option(help="Folder or package of a pipeline with a tagger, or its language."),
    ] = "en",
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Measure the likelihood by a seq2seq model too: its folder, or name on the hub.",
        ),
    ] = None,
    tagger: Annotated[
        bool, typer.Option("--tagger/--no-tagger", help="Measure the tagger.")
    ] = True,
    baselines: Annotated[
        bool, typer.Option("--baselines/--no-baselines", help="Measure ROUGE, BLEU and the like.")
    ] = True,
    tasks: Annotated[
        str | None, typer.Option(metavar="NAME,...", help="Some tasks. Default: all of FOLDER.")
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
    from studies.text_scores import baselines as metrics
    from studies.text_scores import correlations, meta_evaluation, meta_tasks, tables

    correlations.check_extras()
    if not (tagger or baselines or generator):
        raise ValueError("There is nothing to measure. Omit --no-tagger or --no-baselines.")
    folder = find_corpus(data)
    chosen = [name.strip() for name in tasks.split(",")] if tasks else None
    names = chosen or meta_tasks.list_tasks(folder)
    found_tasks = [meta_tasks.read_task(folder, name, limit=limit) for name in dict.fromkeys(names)]
    systems = []
    if baselines:
        found = metrics.make_baselines()
        systems += [meta_evaluation.make_baseline_system(*item) for item in found.items()]
        if metrics.BERTSCORE not in found:
            typer.echo(metrics.NO_BERTSCORE, err=True)
    if tagger:
        nlp = load_task_pipeline("scores", model)
        systems.append(
            meta_evaluation.make_tagger_system(
                nlp, matches=matches or MATCHES, batch_size=batch_size, n_process=n_process
            )
        )
    if generator is not None:
        systems.append(make_generator_system(generator, batch_size=batch_size))
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
    command = f"python -m studies text-scores {folder.name} --model {model}"
    found_results = tables.make_results(settings, measured, tasks=found_tasks, command=command)
    show_results(found_results, out)


def make_generator_system(model: str, *, batch_size: int | None) -> "System":
    """Load a seq2seq model as a system."""
    from spacy_sentid.files.fingerprint import fingerprint_model
    from spacy_sentid.settings import require_extra
    from studies.text_scores.meta_evaluation import make_likelihood_system

    with require_extra("a generator", extra="transformers"):
        from spacy_sentid.paraphrase_tagger.generation.seq2seq import load_generator
    return make_likelihood_system(
        load_generator(model), fingerprint_model(model), batch_size=batch_size or PAIRS_AT_ONCE
    )


def make_bar(name: str, *, total: int) -> Any:
    """Make what shows a progress bar around scores."""
    from tqdm import tqdm

    def watch(scores: "Iterable[Scores]") -> "Iterator[Scores]":
        with tqdm(scores, total=total, desc=name, unit="text", disable=None) as bar:
            yield from bar

    return watch
