"""`spacy-sentid paraphrase`: paraphrase pairs for training, and a model that writes paraphrases."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..paraphrase_tagger.generation.options import MODEL, THETA, Decoding, Filters, Training
from ..paraphrase_tagger.generation.prompts import PAIRS_PER_PROMPT
from .long_jobs import device_name, echo_errors
from .options import GpuId, Seed, check_outputs
from .printing import progress, warn
from .table import format_table

FILTERS, TRAINING, DECODING = Filters(), Training(), Decoding()

app = typer.Typer(help="Collect paraphrases, and train a model to write them.")

PairFiles = Annotated[
    list[Path],
    Argument(
        metavar="PAIRS.jsonl...",
        exists=True,
        dir_okay=False,
        help="Paraphrases: 'sent1' and 'sent2' (lists of words), or 'text1' and 'text2'.",
    ),
]
Generator = Annotated[
    str, Option(help="Folder of `paraphrase train`, or a name on the Hugging Face hub.")
]


@app.command()
def prompts(
    files: PairFiles,
    output: Annotated[
        Path, Argument(metavar="OUT.jsonl", dir_okay=False, help="The prompts, or the answers.")
    ],
    n: Annotated[int, Option("--n", min=1, help="Number of prompts.")] = 100,
    size: Annotated[int, Option(min=1, help="Pairs in a prompt.")] = PAIRS_PER_PROMPT,
    theta: Annotated[
        float, Option(min=0, max=1, help="Maximum share of highlighted words in tagged pairs.")
    ] = 0.0,
    seed: Seed = 0,
    command: Annotated[
        str | None,
        Option(
            help="Your language model: a program that reads a prompt on standard input and prints "
            "what comes after it. It is run without a shell."
        ),
    ] = None,
    timeout: Annotated[
        float | None, Option(min=0, help="Seconds that the command may take for a prompt.")
    ] = None,
) -> None:
    """Make prompts for a language model, and collect its answers.

    The prompts are paraphrase pairs in the paper's template: {"id", "prompt"} a line. With
    --command each also has "output", its answer. The same command resumes an interrupted job.
    OUT.jsonl.errors.jsonl has what failed, with its reason. If nothing is answered, OUT.jsonl is
    not changed.

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
            f"{len(texts):,} of {len(pairs):,} pairs are used; more than {theta:g} of the words of "
            "the others are highlighted.",
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
        raise ValueError("--command must be a program and its arguments, got nothing.")
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
        Argument(
            metavar="IN...",
            exists=True,
            dir_okay=False,
            help="Answers of a language model (.jsonl with 'output', or plain text), or pairs "
            "(.jsonl).",
        ),
    ],
    output: Annotated[
        Path, Argument(metavar="OUT.jsonl", dir_okay=False, help="The pairs that are kept.")
    ],
    tagger: Annotated[
        str | None,
        Option(
            metavar="MODEL",
            help="Tag the pairs without tags with this pipeline: a folder or package, or a "
            "language with bundled weights ('en'). Default: they get no tags.",
        ),
    ] = None,
    theta: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="Maximum share of highlighted words in tagged pairs; 0 keeps strict paraphrases.",
        ),
    ] = THETA,
    no_filters: Annotated[
        bool, Option("--no-filters", help="Keep pairs without tags whatever their words.")
    ] = False,
    min_bleu: Annotated[float, Option(help="BLEU of a pair is above this.")] = FILTERS.min_bleu,
    max_bleu: Annotated[float, Option(help="BLEU of a pair is below this.")] = FILTERS.max_bleu,
    min_chars: Annotated[
        int, Option(help="Minimum length of a sentence, in characters.")
    ] = FILTERS.min_chars,
    max_length_ratio: Annotated[
        float, Option(help="The longer sentence has fewer times the words.")
    ] = FILTERS.max_length_ratio,
    lang: Annotated[
        str, Option(help="Language of the tokenizer; with --tagger its pipeline splits the words.")
    ] = "en",
    gpu_id: GpuId = -1,
) -> None:
    """Select good paraphrases from answers or pairs.

    Pairs without tags pass the paper's filters first (BLEU, characters, lengths); with --tagger
    they get tags. Pairs with tags are kept if at most theta of their words are highlighted. Counts
    of the others are on stderr. The same command resumes an interrupted job.

    Example: spacy-sentid paraphrase select candidates.jsonl chosen.jsonl --tagger en --theta 0
    """
    import spacy

    from ..files.fingerprint import fingerprint_weights
    from ..files.records import count_lines
    from ..paraphrase_tagger.generation import candidates
    from ..pipelines import load

    check_outputs([output], files)
    filters = Filters(min_bleu, max_bleu, min_chars, max_length_ratio)
    if no_filters and filters != FILTERS:
        raise ValueError("--no-filters must be without settings of the filters.")
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


@app.command()
def train(
    files: PairFiles,
    output: Annotated[
        Path, Argument(metavar="OUT", file_okay=False, help="Folder of the new model.")
    ],
    model: Annotated[
        str,
        Option(
            help="Seq2seq model to start from: a folder, or a name on the Hugging Face hub. The "
            "paper's data augmentation starts from eugenesiow/bart-paraphrase."
        ),
    ] = MODEL,
    both_directions: Annotated[
        bool, Option("--both-directions", help="Learn each pair the other way round too.")
    ] = TRAINING.both_directions,
    epochs: Annotated[int, Option(min=1, help="Number of epochs.")] = TRAINING.epochs,
    batch_size: Annotated[
        int, Option(min=1, help="Number of pairs per batch.")
    ] = TRAINING.batch_size,
    learning_rate: Annotated[
        float, Option(min=0, help="Initial learning rate.")
    ] = TRAINING.learning_rate,
    max_tokens: Annotated[
        int, Option(min=3, help="Exclude pairs with a text of more wordpieces.")
    ] = TRAINING.max_tokens,
    seed: Seed = TRAINING.seed,
    gpu_id: GpuId = -1,
) -> None:
    """Fine-tune a seq2seq model to write paraphrases.

    It reads text 1 of each pair and learns to write text 2. The same command resumes an
    interrupted training after its last finished epoch (OUT.checkpoint). OUT may be a folder of an
    earlier training, which is replaced, but no other that has something in it. Needs the extra
    'transformers'.

    Example: spacy-sentid paraphrase train chosen.jsonl paraphraser --gpu-id 0
    """
    from ..files.records import write_errors
    from ..paraphrase_tagger.generation.selection import is_chosen
    from ..paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs
    from ..settings import require_extra

    with require_extra("a generator", extra="transformers"):
        from ..paraphrase_tagger.generation.seq2seq import train_generator
    pairs, errors = read_sentence_pairs(files)
    if not pairs:
        raise ValueError(
            f"{', '.join(map(str, files))} must have pairs ('sent1' and 'sent2', or 'text1' and "
            "'text2'), got none."
        )
    n_highlighted = sum(not is_chosen(pair) for pair in pairs)
    if n_highlighted:
        warn(
            f"in {n_highlighted:,} of {len(pairs):,} pairs more than {THETA:g} of the words are "
            "highlighted; 'spacy-sentid paraphrase select' chooses the others."
        )
    training = Training(
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        max_tokens=max_tokens,
        both_directions=both_directions,
        seed=seed,
    )
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
    source: Annotated[
        Path,
        Argument(
            metavar="IN", exists=True, dir_okay=False, help="Rows: .jsonl, .json, .csv or .tsv."
        ),
    ],
    output: Annotated[
        Path, Argument(metavar="OUT", dir_okay=False, help="Each row, and its copies after it.")
    ],
    model: Generator,
    text: Annotated[
        list[str],
        Option(
            metavar="FIELD",
            help="Field to paraphrase; repeatable. All other fields are not changed.",
        ),
    ],
    n: Annotated[int, Option("--n", min=1, help="Number of copies of a row.")] = 1,
    max_rouge: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="Exclude copies whose ROUGE-2 F to the original is this or more, in each text.",
        ),
    ] = 1.0,
    beams: Annotated[int, Option(min=1, help="Number of beams.")] = DECODING.beams,
    sample: Annotated[
        bool, Option("--sample", help="Draw the words instead, by --seed.")
    ] = DECODING.sample,
    top_p: Annotated[
        float, Option(min=0, max=1, help="Draw from the likeliest words of this probability.")
    ] = DECODING.top_p,
    temperature: Annotated[
        float, Option(min=0.01, help="Above 1: unlikely words are drawn more often.")
    ] = DECODING.temperature,
    max_tokens: Annotated[
        int, Option(min=3, help="Texts of more wordpieces get no paraphrase.")
    ] = DECODING.max_tokens,
    origin: Annotated[
        str,
        Option(
            metavar="FIELD",
            help="New field with the origin of a row ('train.csv:7', copies 'train.csv:7#1'). "
            "Empty: none.",
        ),
    ] = "origin",
    seed: Seed = 0,
    batch_size: Annotated[int, Option(min=1, help="Number of rows per batch.")] = 16,
    gpu_id: GpuId = -1,
) -> None:
    """Add paraphrased copies of its rows to a training set.

    The labels are kept. Prints the diversity of the paper's Table 7: ROUGE-2 F of the paraphrases
    to their originals, in percent; lower is more diverse. The same command resumes an interrupted
    job. OUT.errors.jsonl has the rows without a text. Needs the extras 'transformers' and 'nlg'.

    Example: spacy-sentid paraphrase generate rte.csv more.csv --model paraphraser --text sentence1
    """
    from ..files.fingerprint import fingerprint_model
    from ..files.records import count_lines
    from ..paraphrase_tagger.generation.training_sets import Augmentation, augment_rows
    from ..settings import require_extra

    with require_extra("a generator", extra="transformers"):
        from ..paraphrase_tagger.generation.seq2seq import load_generator
    augmentation = Augmentation(
        texts=tuple(dict.fromkeys(text)), n=n, max_rouge=max_rouge, origin=origin or None, seed=seed
    )
    decoding = Decoding(
        n=n, beams=beams, sample=sample, top_p=top_p, temperature=temperature, max_tokens=max_tokens
    )
    generator = load_generator(model, device=device_name(gpu_id))
    # A row of CSV may have several lines: the bar may end early.
    with progress(total=count_lines([source]), desc="generate", unit="row") as bar:
        report = augment_rows(
            source,
            output,
            lambda texts, text_seed: generator.generate(texts, decoding, seed=text_seed),
            augmentation=augmentation,
            batch_size=batch_size,
            settings={"model": fingerprint_model(model), **decoding._asdict()},
            on_rows=bar.update,
        )
    rows = [["text", "paraphrases", "ROUGE-2 F", "kept", "ROUGE-2 F"]]
    for found in report.diversity:
        written, kept = _percent(found.written), _percent(found.kept)
        rows.append([found.field, f"{found.n_written:,}", written, f"{found.n_kept:,}", kept])
    typer.echo(format_table(rows))
    dropped = ", ".join(f"{reason} {n:,}" for reason, n in report.dropped.most_common())
    typer.echo(
        f"{report.n_rows:,} rows and {report.n_copies:,} copies (dropped: {dropped or 'none'}).",
        err=True,
    )
    echo_errors(output, report.n_errors)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"
