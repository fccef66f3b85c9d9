"""`python -m studies text-scores`: the agreement of scores with people (ParaTag, Tables 4 to 6)."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from spacy_sentid.batch.tasks import TASKS

if TYPE_CHECKING:
    from studies.text_scores.baselines import Scores
    from studies.text_scores.meta_evaluation import System

# Default batch size of a generator, in pairs of a text and a reference.
PAIRS_AT_ONCE = 16


def text_scores(
    data: Annotated[
        str,
        typer.Argument(
            metavar="FOLDER",
            help="Folder of texts with human judgments (JSON lines), here or in $SENTID_DATA.",
        ),
    ] = "nlg_meta",
    out: Annotated[
        Path, typer.Option(help="Folder for the scores. The tables are next to it.")
    ] = Path("metrics/studies/text_scores"),
    model: Annotated[
        str,
        typer.Option(help="Folder or package of a pipeline with a tagger, or a language."),
    ] = "en",
    generator: Annotated[
        str | None,
        typer.Option(
            metavar="MODEL",
            help="Folder or Hub name of a seq2seq model. Also evaluates its likelihood.",
        ),
    ] = None,
    tagger: Annotated[
        bool, typer.Option("--tagger/--no-tagger", help="Evaluate the tagger.")
    ] = True,
    baselines: Annotated[
        bool,
        typer.Option("--baselines/--no-baselines", help="Evaluate ROUGE, BLEU, chrF and others."),
    ] = True,
    tasks: Annotated[
        str | None,
        typer.Option(metavar="NAME,...", help="Tasks to evaluate. Default: all tasks in FOLDER."),
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of documents of each task.")
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of sentences to compare a sentence with. Default: as in 'score'."
        ),
    ] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Number of sentence pairs per batch of the tagger.")
    ] = None,
    n_process: Annotated[int, typer.Option(min=1, help="Number of tagger processes.")] = 1,
) -> None:
    """Compare the scores of the tagger and of other metrics with the judgments of people.

    The scores of each metric and task are saved in --out, so an interrupted study resumes. Requires
    the extra "nlg".

    Example: python -m studies text-scores judgments/ --no-baselines
    """
    from spacy_sentid.paraphrase_tagger.nlg.evaluator import MATCHES
    from studies.harness import find_corpus, show_results
    from studies.text_scores import baselines as metrics
    from studies.text_scores import correlations, meta_evaluation, meta_tasks, tables

    correlations.check_extras()
    if not (tagger or baselines or generator):
        raise ValueError("There is nothing to evaluate. Omit --no-tagger or --no-baselines.")
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
        nlp = TASKS["scores"].load(model)
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
    from spacy_sentid.extras import require_extra
    from spacy_sentid.files.fingerprint import fingerprint_model
    from studies.text_scores.meta_evaluation import make_likelihood_system

    with require_extra("a generator", extra="transformers"):
        from spacy_sentid.paraphrase_tagger.generation.seq2seq import load_generator
    return make_likelihood_system(
        load_generator(model), fingerprint_model(model), batch_size=batch_size or PAIRS_AT_ONCE
    )


def make_bar(name: str, *, total: int) -> Any:
    """Make a function that iterates over scores with a progress bar."""
    from tqdm import tqdm

    def watch(scores: "Iterable[Scores]") -> "Iterator[Scores]":
        with tqdm(scores, total=total, desc=name, unit="text", disable=None) as bar:
            yield from bar

    return watch
