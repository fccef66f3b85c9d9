"""`spacy-sentid make-prompts`: prompts of paraphrase pairs, and a language model's answers."""

from pathlib import Path
from typing import Annotated

import typer

from ..paraphrase_tagger.generation.prompts import PAIRS_PER_PROMPT
from .long_jobs import echo_errors

DEFAULT_N = 100


def make_prompts(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="PAIRS.jsonl...",
            exists=True,
            dir_okay=False,
            help="Paraphrases: 'sent1' and 'sent2' (lists of words), or 'text1' and 'text2'.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(metavar="OUT.jsonl", dir_okay=False, help="The prompts, or the answers."),
    ],
    n: Annotated[int, typer.Option("--n", min=1, help="Prompts.")] = DEFAULT_N,
    size: Annotated[int, typer.Option(min=1, help="Pairs of a prompt.")] = PAIRS_PER_PROMPT,
    theta: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="Of tagged pairs: the share of words highlighted, at most."
        ),
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of the draw.")] = 0,
    command: Annotated[
        str | None,
        typer.Option(
            help="Your language model: a program that reads a prompt on standard input and prints "
            "what comes after it. It is run without a shell."
        ),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0, help="Seconds that the command may take for a prompt.")
    ] = None,
) -> None:
    """Make prompts of paraphrase pairs for a language model, in the paper's template.

    Writes {"id", "prompt"} a line; with --command also "output", its answer. Goes on where it was
    interrupted, or where the command failed at the end. What fails is in OUT.jsonl.errors.jsonl,
    with its reason; if nothing is answered, OUT.jsonl stays as it was.

    Example: spacy-sentid make-prompts pairs.jsonl answers.jsonl --n 1000 --command my-model
    """
    import random
    import shlex

    from tqdm import tqdm

    from ..files.atomic import open_output
    from ..files.fingerprint import fingerprint_values
    from ..files.records import format_record, write_errors
    from ..files.resume import open_journal
    from ..paraphrase_tagger.generation.language_model import (
        ask_command,
        collect_answers,
        write_answers,
    )
    from ..paraphrase_tagger.generation.prompts import draw_prompts
    from ..paraphrase_tagger.generation.selection import drop_highlighted
    from ..paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs

    if output.resolve() in {path.resolve() for path in files}:
        raise ValueError(f"Found {output} as input and output, expected a new file. Name OUT last.")
    pairs, errors = read_sentence_pairs(files)
    texts = [pair.texts for pair in drop_highlighted(pairs, theta=theta)]
    if len(texts) < len(pairs):
        typer.echo(
            f"{len(texts):,} of {len(pairs):,} pairs are used; more than {theta:g} of the words of "
            "the others are highlighted.",
            err=True,
        )
    prompts = draw_prompts(texts, n=n, rng=random.Random(seed), size=size)
    if command is None:
        with open_output(output) as file:
            for prompt in prompts:
                file.write(format_record({"id": prompt.id, "prompt": prompt.text}) + "\n")
        echo_errors(output, write_errors(output, errors))
        typer.echo(f"{n:,} prompts of {size} pairs.", err=True)
        return
    words = shlex.split(command)
    if not words:
        raise ValueError("Found an empty --command, expected a program and its arguments.")
    settings = {
        "command": "make-prompts",
        "pairs": fingerprint_values(texts),
        "n": n,
        "size": size,
        "seed": seed,
        "program": command,
    }
    with (
        open_journal(output, settings) as journal,
        # None: a bar on a terminal only.
        tqdm(total=n, desc="make-prompts", unit="prompt", disable=None) as bar,
    ):
        missing = collect_answers(
            prompts,
            lambda prompt: ask_command(words, prompt, timeout=timeout),
            journal,
            on_answer=bar.update,
        )
        n_answers, n_failures = write_answers(output, journal, errors, missing=missing)
    echo_errors(output, n_failures)
    typer.echo(f"{n_answers:,} answers.", err=True)
