"""`spacy-sentid paraphrase`: paraphrase pairs for training, and a model that writes paraphrases."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from ..paraphrase_tagger.generation.options import MODEL, THETA, Training
from ..paraphrase_tagger.generation.prompts import PAIRS_PER_PROMPT
from .long_jobs import device_name, echo_errors
from .options import GpuId, PairFiles, Seed, Theta, check_outputs, in_file, out_file, out_folder
from .terminal.help import CommandGroup
from .terminal.printing import format_table, progress, warn

if TYPE_CHECKING:
    from ..files.resume import JobReport

TRAINING = Training()

app = CommandGroup(
    help="Collect paraphrases, and train a model to write them.",
    examples=[
        "paraphrase select candidates.jsonl chosen.jsonl",
        "paraphrase train chosen.jsonl paraphraser",
        "paraphrase generate rte.jsonl more.jsonl --model paraphraser",
    ],
)

Tagger = Annotated[
    str | None,
    Option(
        metavar="MODEL",
        help="Paraphrase tagger to check the pairs or copies (see --theta): a folder or package "
        "of a pipeline, or a language with bundled weights ('en').",
    ),
]


@app.command()
def prompts(
    files: PairFiles,
    output: Annotated[
        Path, out_file(metavar="OUT.jsonl", help="Write the prompts or the answers here.")
    ],
    n: Annotated[int, Option("--n", min=1, help="Number of prompts.")] = 100,
    theta: Theta = 0.0,
    seed: Seed = 0,
    command: Annotated[
        str | None,
        Option(
            help="Your language model: a program that reads a prompt on standard input and prints "
            "its continuation. It is run without a shell."
        ),
    ] = None,
) -> None:
    """Make prompts for a language model, and collect its answers.

    The prompts are paraphrase pairs in the paper's template, written as {"id", "prompt"}. With
    --command each line also has "output", the answer. If the command fails, the job stops. The same
    command resumes it.

    Example: spacy-sentid paraphrase prompts pairs.jsonl answers.jsonl --n 1000 --command my-model
    """
    import random
    import shlex
    from functools import partial

    from ..files.fingerprint import fingerprint_values
    from ..files.records import write_errors, write_records
    from ..paraphrase_tagger.generation.candidates import highlighted_share
    from ..paraphrase_tagger.generation.language_model import ask_command, write_answers
    from ..paraphrase_tagger.generation.prompts import draw_prompts
    from ..paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs

    check_outputs([output], files)
    pairs, errors = read_sentence_pairs(files)
    texts = [pair.texts for pair in pairs if highlighted_share(pair.tags1, pair.tags2) <= theta]
    if len(texts) < len(pairs):
        typer.echo(
            f"{len(texts):,} of {len(pairs):,} pairs are used. In the others, more than {theta:g} "
            "of the words are highlighted.",
            err=True,
        )
    drawn = draw_prompts(texts, n=n, rng=random.Random(seed))
    if command is None:
        write_records(output, drawn)
        typer.echo(f"{n:,} prompts of {PAIRS_PER_PROMPT} pairs.", err=True)
    elif words := shlex.split(command):
        settings = {"pairs": fingerprint_values(texts), "n": n, "seed": seed, "program": command}
        with progress(total=n, desc="prompts", unit="prompt") as bar:
            ask = partial(ask_command, words)
            write_answers(drawn, ask, output, settings=settings, on_answers=bar.update)
        typer.echo(f"{n:,} answers.", err=True)
    else:
        raise ValueError("--command must be a program and its arguments, got an empty string.")
    echo_errors(output, write_errors(output, errors))


@app.command()
def select(
    files: Annotated[
        list[Path],
        in_file(metavar="IN...", help="Answers of a language model (with 'output'), or pairs."),
    ],
    output: Annotated[Path, out_file(metavar="OUT.jsonl", help="Write the selected pairs here.")],
    tagger: Tagger = None,
    theta: Theta = THETA,
    no_filters: Annotated[
        bool, Option("--no-filters", help="Do not filter the pairs without tags.")
    ] = False,
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
    from ..paraphrase_tagger.generation.candidates import select_pairs

    check_outputs([output], files)
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    nlp = None if tagger is None else load(tagger, "paraphrase_tagger")
    with progress(total=count_lines(files), desc="select", unit="line") as bar:
        report = select_pairs(
            files,
            output,
            nlp=nlp,
            tagger=None if nlp is None else f"{tagger} ({fingerprint_weights(nlp)})",
            theta=theta,
            is_filtered=not no_filters,
            on_lines=bar.update,
        )
    _echo_report(report, output)


@app.command()
def train(
    files: PairFiles,
    output: Annotated[Path, out_folder(metavar="OUT", help="Write the model to this folder.")],
    model: Annotated[
        str,
        Option(
            help="Seq2seq model to start from: a folder, or a name on the Hugging Face hub. For "
            "data augmentation, the paper starts from eugenesiow/bart-paraphrase."
        ),
    ] = MODEL,
    both_directions: Annotated[
        bool, Option("--both-directions", help="Learn each pair in both directions.")
    ] = TRAINING.both_directions,
    epochs: Annotated[int, Option(min=1, help="Number of epochs.")] = TRAINING.epochs,
    batch_size: Annotated[
        int, Option(min=1, help="Number of pairs per batch.")
    ] = TRAINING.batch_size,
    learning_rate: Annotated[
        float, Option(min=0, help="Initial learning rate.")
    ] = TRAINING.learning_rate,
    seed: Seed = TRAINING.seed,
    gpu_id: GpuId = -1,
) -> None:
    """Fine-tune a seq2seq model to write paraphrases.

    The model learns to write text 2 of each pair from text 1. The same command resumes an
    interrupted training after its last finished epoch (OUT.checkpoint). OUT must be new, empty, or
    the folder of an earlier training, which is replaced. Needs the extra 'transformers'.

    Example: spacy-sentid paraphrase train chosen.jsonl paraphraser --gpu-id 0
    """
    from ..extras import require_extra
    from ..files.records import write_errors
    from ..paraphrase_tagger.generation.candidates import highlighted_share
    from ..paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs

    with require_extra("a generator", extra="transformers"):
        from ..paraphrase_tagger.generation.seq2seq import train_generator
    pairs, errors = read_sentence_pairs(files)
    n_highlighted = sum(highlighted_share(pair.tags1, pair.tags2) > THETA for pair in pairs)
    if n_highlighted:
        warn(
            f"in {n_highlighted:,} of {len(pairs):,} pairs more than {THETA:g} of the words are "
            "highlighted. 'spacy-sentid paraphrase select' removes them."
        )
    training = Training(epochs, batch_size, learning_rate, both_directions, seed)
    with progress(desc="train", unit="update") as bar:

        def show(step: int, n_steps: int, loss: float) -> None:
            bar.total = n_steps
            bar.set_postfix(loss=f"{loss:.3f}", refresh=False)
            bar.update(step - bar.n)

        report = train_generator(
            [pair.texts for pair in pairs],
            output,
            model=model,
            training=training,
            device=device_name(gpu_id),
            on_step=show,
        )
    echo_errors(output, write_errors(output, errors))
    losses = ", ".join(f"{loss:.3f}" for loss in report.losses)
    typer.echo(
        f"{report.n_examples:,} examples ({report.n_too_long:,} too long); loss of each epoch: "
        f"{losses}",
        err=True,
    )


@app.command()
def generate(
    source: Annotated[Path, in_file(metavar="IN.jsonl", help="Training set, a row per line.")],
    output: Annotated[
        Path, out_file(metavar="OUT.jsonl", help="Write the rows here, each before its copies.")
    ],
    model: Annotated[
        str, Option(help="Folder from 'paraphrase train', or a name on the Hugging Face hub.")
    ],
    text: Annotated[
        list[str],
        Option(metavar="FIELD", help="Field to paraphrase; others are copied. Repeatable."),
    ],
    n: Annotated[int, Option("--n", min=1, help="Number of copies per row.")] = 1,
    tagger: Tagger = None,
    theta: Theta = THETA,
    batch_size: Annotated[int, Option(min=1, help="Number of rows per batch.")] = 16,
    gpu_id: GpuId = -1,
) -> None:
    """Add paraphrased copies of its rows to a training set.

    Copies keep the labels of their row, and the new field 'origin' names it. Degenerate copies,
    such as repetitive or unfinished ones, are excluded. With --tagger, so are copies that are not
    paraphrases. Prints the number of excluded copies by reason. The same command resumes an
    interrupted job. OUT.errors.jsonl lists the rows without a text. Needs the extra 'transformers'.

    Example: spacy-sentid paraphrase generate rte.jsonl more.jsonl --model paraphraser --text hyp
    """
    from ..components.pipelines import load
    from ..extras import require_extra
    from ..files.fingerprint import fingerprint_model, fingerprint_weights
    from ..files.records import count_lines
    from ..paraphrase_tagger.generation.training_sets import augment_rows

    with require_extra("a generator", extra="transformers"):
        from ..paraphrase_tagger.generation.seq2seq import load_generator
    check_outputs([output], [source])
    nlp = None if tagger is None else load(tagger, "paraphrase_tagger")
    generator = load_generator(model, device=device_name(gpu_id))
    with progress(total=count_lines([source]), desc="generate", unit="row") as bar:
        report = augment_rows(
            source,
            output,
            lambda texts: generator.generate(texts, n),
            texts=list(dict.fromkeys(text)),
            n=n,
            models={
                "model": fingerprint_model(model),
                "tagger": None if nlp is None else f"{tagger} ({fingerprint_weights(nlp)})",
            },
            nlp=nlp,
            theta=theta,
            batch_size=batch_size,
            on_rows=bar.update,
        )
    _echo_report(report, output)


def _echo_report(report: "JobReport", output: Path) -> None:
    """Print the numbers of kept and dropped pairs or copies."""
    rows = [["kept", f"{report.n_kept:,}"]]
    rows += [[f"dropped: {reason}", f"{n:,}"] for reason, n in report.dropped.most_common()]
    typer.echo(format_table(rows), err=True)
    echo_errors(output, report.n_errors)
