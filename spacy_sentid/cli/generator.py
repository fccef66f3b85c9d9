"""`spacy-sentid paraphrase train` and `generate`: a seq2seq model that writes paraphrases."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from ..paraphrase_tagger.generation.options import MODEL, THETA, Decoding, Training
from .long_jobs import device_name, echo_errors
from .options import GpuId, PairFiles, Seed, in_file, out_file, out_folder
from .terminal.printing import format_table, progress, warn

TRAINING, DECODING = Training(), Decoding()


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
    max_tokens: Annotated[
        int, Option(min=3, help="Exclude pairs with a text of more wordpieces than this.")
    ] = TRAINING.max_tokens,
    seed: Seed = TRAINING.seed,
    gpu_id: GpuId = -1,
) -> None:
    """Fine-tune a seq2seq model to write paraphrases.

    The model learns to write text 2 of each pair from text 1. The same command resumes an
    interrupted training after its last finished epoch (OUT.checkpoint). OUT must be new, empty, or
    the folder of an earlier training, which is replaced. Needs the extra 'transformers'.

    Example: spacy-sentid paraphrase train chosen.jsonl paraphraser --gpu-id 0
    """
    from ..components.settings import require_extra
    from ..files.records import write_errors
    from ..paraphrase_tagger.generation.selection import is_chosen
    from ..paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs

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
            "highlighted. 'spacy-sentid paraphrase select' removes them."
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


def generate(
    source: Annotated[
        Path, in_file(metavar="IN", help="Training set: .jsonl, .json, .csv or .tsv.")
    ],
    output: Annotated[
        Path, out_file(metavar="OUT", help="Write the rows here, each followed by its copies.")
    ],
    model: Annotated[
        str, Option(help="Folder from 'paraphrase train', or a name on the Hugging Face hub.")
    ],
    text: Annotated[
        list[str],
        Option(metavar="FIELD", help="Field to paraphrase; others are copied. Repeatable."),
    ],
    n: Annotated[int, Option("--n", min=1, help="Number of copies per row.")] = 1,
    max_rouge: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="Exclude copies in which each text has at least this ROUGE-2 F to its original.",
        ),
    ] = 1.0,
    tagger: Annotated[
        str | None,
        Option(
            metavar="MODEL",
            help="Pipeline that tags the copies (see --theta): a folder or package, or a language "
            "with bundled weights ('en').",
        ),
    ] = None,
    theta: Annotated[
        float | None,
        Option(
            min=0,
            max=1,
            help="Exclude copies if --tagger highlights a larger share of words in a text or in "
            f"its original. Default: {THETA:g}.",
        ),
    ] = None,
    beams: Annotated[int, Option(min=1, help="Number of beams.")] = DECODING.beams,
    sample: Annotated[
        bool, Option("--sample", help="Sample the words at random (see --seed).")
    ] = DECODING.sample,
    top_p: Annotated[
        float,
        Option(min=0, max=1, help="Sample from the likeliest words with this total probability."),
    ] = DECODING.top_p,
    temperature: Annotated[
        float, Option(min=0.01, help="Above 1, unlikely words are sampled more often.")
    ] = DECODING.temperature,
    max_tokens: Annotated[
        int, Option(min=3, help="Do not paraphrase texts of more wordpieces than this.")
    ] = DECODING.max_tokens,
    origin: Annotated[
        str,
        Option(
            metavar="FIELD",
            help="New field with the origin of each row, such as 'train.csv:7', or 'train.csv:7#1' "
            "for a copy. An empty name adds no field.",
        ),
    ] = "origin",
    seed: Seed = 0,
    batch_size: Annotated[int, Option(min=1, help="Number of rows per batch.")] = 16,
    gpu_id: GpuId = -1,
) -> None:
    """Add paraphrased copies of its rows to a training set.

    Copies keep the labels of their row. Degenerate copies, such as repetitive or unfinished ones,
    are excluded. With --tagger, so are copies that are not paraphrases. Prints the number of
    excluded copies by reason, and the diversity of the paper's Table 7: ROUGE-2 F of paraphrases to
    their originals, in percent, where lower is more diverse. The same command resumes an
    interrupted job. OUT.errors.jsonl lists the rows without a text. Needs the extras 'transformers'
    and 'nlg'.

    Example: spacy-sentid paraphrase generate rte.csv more.csv --model paraphraser --text sentence1
    """
    from ..components.pipelines import load
    from ..components.settings import require_extra
    from ..files.fingerprint import fingerprint_model, fingerprint_weights
    from ..files.records import count_lines
    from ..paraphrase_tagger.generation.training_sets import Augmentation, augment_rows

    with require_extra("a generator", extra="transformers"):
        from ..paraphrase_tagger.generation.seq2seq import load_generator
    if theta is not None and tagger is None:
        raise ValueError(f"--theta must come with --tagger, got --theta {theta:g} without it.")
    augmentation = Augmentation(
        texts=tuple(dict.fromkeys(text)),
        n=n,
        max_rouge=max_rouge,
        theta=THETA if theta is None else theta,
        origin=origin or None,
        seed=seed,
    )
    decoding = Decoding(
        n=n, beams=beams, sample=sample, top_p=top_p, temperature=temperature, max_tokens=max_tokens
    )
    nlp = None if tagger is None else load(tagger, "paraphrase_tagger")
    generator = load_generator(model, device=device_name(gpu_id))
    # The bar may end early, because a row of CSV may have several lines.
    with progress(total=count_lines([source]), desc="generate", unit="row") as bar:
        report = augment_rows(
            source,
            output,
            lambda texts, text_seed: generator.generate(texts, decoding, seed=text_seed),
            augmentation=augmentation,
            batch_size=batch_size,
            settings={
                "model": fingerprint_model(model),
                "tagger": nlp and f"{tagger} ({fingerprint_weights(nlp)})",
                **decoding._asdict(),
            },
            nlp=nlp,
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
