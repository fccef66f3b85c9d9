"""`spacy-sentid paraphrase`: paraphrase pairs for training, and a model that writes paraphrases."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ..paraphrase_tagger.generation.options import THETA, Filters
from ..paraphrase_tagger.generation.prompts import PAIRS_PER_PROMPT
from . import generator
from .long_jobs import echo_errors
from .options import GpuId, PairFiles, Seed, Theta, check_outputs, in_file, out_file
from .terminal.help import CommandGroup
from .terminal.printing import format_table, progress

FILTERS = Filters()

app = CommandGroup(
    help="Collect paraphrases, and train a model to write them.",
    examples=[
        "paraphrase select candidates.jsonl chosen.jsonl",
        "paraphrase train chosen.jsonl paraphraser",
        "paraphrase generate rte.csv more.csv --model paraphraser",
    ],
)


@app.command()
def prompts(
    files: PairFiles,
    output: Annotated[
        Path, out_file(metavar="OUT.jsonl", help="Write the prompts or the answers here.")
    ],
    n: Annotated[int, Option("--n", min=1, help="Number of prompts.")] = 100,
    size: Annotated[int, Option(min=1, help="Number of pairs per prompt.")] = PAIRS_PER_PROMPT,
    theta: Theta = 0.0,
    seed: Seed = 0,
    command: Annotated[
        str | None,
        Option(
            help="Your language model: a program that reads a prompt on standard input and prints "
            "its continuation. It is run without a shell."
        ),
    ] = None,
    timeout: Annotated[
        float | None, Option(min=0, help="Time limit of the command per prompt, in seconds.")
    ] = None,
) -> None:
    """Make prompts for a language model, and collect its answers.

    The prompts are paraphrase pairs in the paper's template, written as {"id", "prompt"}. With
    --command each line also has "output", the answer. The same command resumes an interrupted job.
    OUT.jsonl.errors.jsonl lists the prompts that failed, with the reason. Without any answer,
    OUT.jsonl is not changed.

    Example: spacy-sentid paraphrase prompts pairs.jsonl answers.jsonl --n 1000 --command my-model
    """
    import random
    import shlex

    from ..files.fingerprint import fingerprint_values
    from ..files.records import write_errors, write_records
    from ..files.resume import open_job
    from ..paraphrase_tagger.generation import language_model
    from ..paraphrase_tagger.generation.prompts import draw_prompts
    from ..paraphrase_tagger.generation.selection import is_chosen
    from ..paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs

    check_outputs([output], files)
    pairs, errors = read_sentence_pairs(files)
    texts = [pair.texts for pair in pairs if is_chosen(pair, theta=theta)]
    if len(texts) < len(pairs):
        typer.echo(
            f"{len(texts):,} of {len(pairs):,} pairs are used. In the others, more than {theta:g} "
            "of the words are highlighted.",
            err=True,
        )
    drawn = draw_prompts(texts, n=n, rng=random.Random(seed), size=size)
    if command is None:
        write_records(output, ({"id": prompt.id, "prompt": prompt.text} for prompt in drawn))
        echo_errors(output, write_errors(output, errors))
        typer.echo(f"{n:,} prompts of {size} pairs.", err=True)
        return
    words = shlex.split(command)
    if not words:
        raise ValueError("--command must be a program and its arguments, got an empty string.")
    settings = {
        "command": "paraphrase prompts",
        "pairs": fingerprint_values(texts),
        "n": n,
        "size": size,
        "seed": seed,
        "program": command,
    }
    with open_job(output, settings) as job, progress(total=n, desc="prompts", unit="prompt") as bar:
        missing = language_model.collect_answers(
            drawn,
            lambda prompt: language_model.ask_command(words, prompt, timeout=timeout),
            job,
            on_answer=bar.update,
        )
        n_answers, n_failures = language_model.write_answers(output, job, errors, missing=missing)
    echo_errors(output, n_failures)
    typer.echo(f"{n_answers:,} answers.", err=True)


@app.command()
def select(
    files: Annotated[
        list[Path],
        in_file(
            metavar="IN...",
            help="Answers of a language model (.jsonl with 'output', or plain text), or pairs "
            "(.jsonl).",
        ),
    ],
    output: Annotated[Path, out_file(metavar="OUT.jsonl", help="Write the selected pairs here.")],
    tagger: Annotated[
        str | None,
        Option(
            metavar="MODEL",
            help="Pipeline that tags the pairs without tags: a folder or package, or a language "
            "with bundled weights ('en'). Default: do not tag them.",
        ),
    ] = None,
    theta: Theta = THETA,
    no_filters: Annotated[
        bool, Option("--no-filters", help="Do not filter the pairs without tags.")
    ] = False,
    min_bleu: Annotated[
        float, Option(help="Drop pairs with this BLEU or less.")
    ] = FILTERS.min_bleu,
    max_bleu: Annotated[
        float, Option(help="Drop pairs with this BLEU or more.")
    ] = FILTERS.max_bleu,
    min_chars: Annotated[
        int, Option(help="Minimum length of a sentence, in characters.")
    ] = FILTERS.min_chars,
    max_length_ratio: Annotated[
        float, Option(help="Drop pairs with this ratio of the lengths in words, or more.")
    ] = FILTERS.max_length_ratio,
    lang: Annotated[
        str, Option(help="Language of the tokenizer. --tagger uses its own tokenizer.")
    ] = "en",
    gpu_id: GpuId = -1,
) -> None:
    """Select good paraphrases from answers or pairs.

    Pairs without tags are filtered first, as in the paper (BLEU, characters, lengths), and then
    tagged if there is a --tagger. Pairs with tags are kept if at most theta of their words are
    highlighted. Prints the counts on stderr. The same command resumes an interrupted job.

    Example: spacy-sentid paraphrase select candidates.jsonl chosen.jsonl --tagger en --theta 0
    """
    import spacy

    from ..components.pipelines import load
    from ..files.fingerprint import fingerprint_weights
    from ..files.records import count_lines
    from ..paraphrase_tagger.generation import candidates

    check_outputs([output], files)
    filters = Filters(min_bleu, max_bleu, min_chars, max_length_ratio)
    if no_filters and filters != FILTERS:
        raise ValueError("--no-filters must not be combined with settings of the filters.")
    selection = candidates.Selection(None if no_filters else filters, theta)
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    nlp = spacy.blank(lang) if tagger is None else load(tagger, "paraphrase_tagger")
    with progress(total=count_lines(files), desc="select", unit="line") as bar:
        report = candidates.select_pairs(
            files,
            output,
            nlp=nlp,
            selection=selection,
            tagger=None if tagger is None else f"{tagger} ({fingerprint_weights(nlp)})",
            on_lines=bar.update,
        )
    rows = [["kept", f"{report.n_kept:,}"]]
    rows += [[f"dropped: {reason}", f"{n:,}"] for reason, n in report.dropped.most_common()]
    typer.echo(format_table(rows), err=True)
    echo_errors(output, report.n_errors)


app.command()(generator.train)
app.command()(generator.generate)
