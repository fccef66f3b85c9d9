"""`spacy-sentid train-paraphraser`: fine-tune a seq2seq model on chosen pairs."""

from pathlib import Path
from typing import Annotated

import typer

from ..paraphrase_tagger.generation.generator import MODEL, Training
from .long_jobs import GpuId, device_name, echo_errors

DEFAULT = Training()


def train_paraphraser(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="PAIRS.jsonl...",
            exists=True,
            dir_okay=False,
            help="Paraphrases, as select-pairs writes them.",
        ),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT", file_okay=False, help="Folder of the new model.")
    ],
    model: Annotated[
        str,
        typer.Option(
            help="Seq2seq model to start from: a folder, or a name on the Hugging Face hub. The "
            "paper's data augmentation starts from eugenesiow/bart-paraphrase."
        ),
    ] = MODEL,
    both_directions: Annotated[
        bool, typer.Option("--both-directions", help="Learn each pair the other way round too.")
    ] = DEFAULT.both_directions,
    epochs: Annotated[int, typer.Option(min=1)] = DEFAULT.epochs,
    batch_size: Annotated[int, typer.Option(min=1, help="Pairs.")] = DEFAULT.batch_size,
    learning_rate: Annotated[float, typer.Option(min=0)] = DEFAULT.learning_rate,
    max_tokens: Annotated[
        int, typer.Option(min=3, help="Wordpieces; pairs with a longer text are left out.")
    ] = DEFAULT.max_tokens,
    seed: Annotated[int, typer.Option(help="Of order and dropout.")] = DEFAULT.seed,
    gpu_id: GpuId = -1,
) -> None:
    """Fine-tune a seq2seq model to paraphrase: text 1 of each pair in, text 2 out.

    Goes on from the last finished epoch where it was interrupted (OUT.checkpoint). OUT may be a
    folder of an earlier training, which is replaced, but no other that has something in it. Needs
    the extra 'transformers'.

    Example: spacy-sentid train-paraphraser chosen.jsonl paraphraser --gpu-id 0
    """
    from tqdm import tqdm

    from ..files.records import write_errors
    from ..paraphrase_tagger.generation.generator import train_generator
    from ..paraphrase_tagger.generation.selection import THETA, drop_highlighted
    from ..paraphrase_tagger.generation.sentence_pairs import read_sentence_pairs

    pairs, errors = read_sentence_pairs(files)
    if not pairs:
        raise ValueError(
            f"Found no pair in {', '.join(map(str, files))}, expected paraphrases: 'sent1' and "
            "'sent2' (lists of words), or 'text1' and 'text2'. Check the files."
        )
    n_highlighted = len(pairs) - len(drop_highlighted(pairs, theta=THETA))
    if n_highlighted:
        typer.secho(
            f"Warning: in {n_highlighted:,} of {len(pairs):,} pairs more than {THETA:g} of the "
            "words are highlighted; 'spacy-sentid select-pairs' chooses the others.",
            fg=typer.colors.YELLOW,
            err=True,
        )
    training = Training(
        epochs=epochs,
        batch_size=batch_size,
        learning_rate=learning_rate,
        max_tokens=max_tokens,
        both_directions=both_directions,
        seed=seed,
    )
    with tqdm(desc="train-paraphraser", unit="update", disable=None) as bar:

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
