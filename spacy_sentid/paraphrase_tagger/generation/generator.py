"""Paraphrasing generator (5.3): how it is trained, and how it writes.

chosen pairs -> fine-tuned seq2seq model -> paraphrases of texts

The model itself is in `seq2seq`, which needs torch and transformers; this module can be imported
without them.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .seq2seq import Seq2Seq

# The paper's model; it starts from eugenesiow/bart-paraphrase, the same one trained further.
MODEL = "facebook/bart-large"

# What a training writes about itself: into its folder, and into its checkpoint.
LOG, STATE = "training.json", "state.json"


class Training(NamedTuple):
    """How a generator is fine-tuned; rate, batch and epochs as in BARTScore's code."""

    epochs: int = 3
    batch_size: int = 20
    learning_rate: float = 5e-5  # falls to 0 in a straight line
    max_grad_norm: float = 1.0
    max_tokens: int = 256  # pairs with a longer text are left out
    both_directions: bool = False  # each pair also the other way round
    seed: int = 0


class Decoding(NamedTuple):
    """How paraphrases are written."""

    n: int = 1  # paraphrases of a text
    beams: int = 4  # of beam search
    sample: bool = False  # draw each word, from the likeliest that together have top_p
    top_p: float = 0.95
    temperature: float = 1.0
    max_tokens: int = 256  # longer texts get no paraphrase; what is longer itself does not count


class TrainingReport(NamedTuple):
    """What a training saw."""

    n_examples: int
    n_too_long: int
    losses: list[float]  # of each epoch, mean over its updates


def train_generator(
    pairs: Sequence[tuple[str, str]],
    output: Path,
    *,
    model: str = MODEL,
    training: Training | None = None,
    device: str = "cpu",
    on_step: Callable[[int, int, float], object] | None = None,
) -> TrainingReport:
    """Fine-tune a seq2seq model to write the second text of a pair when it reads the first.

    output: Folder of the new model and tokenizer, written in one step at the end; takes the place
        of one of an earlier training, but of no other folder with something in it. After each epoch
        all that is needed to go on stands in OUTPUT.checkpoint beside it: a training that is
        started again goes on from there, and ends in the same weights.
    model: Name on the Hugging Face hub, or a local folder.
    training: None = the defaults of `Training`.
    on_step: Called after each update with its number, from 1, their number in all, and the loss.

    Raises ValueError if there is no such model, if a package is missing, if no pair is left, if
    the checkpoint is of another training, or if something else stands where it is to write.
    """
    check_folder(output, LOG)
    check_folder(name_checkpoint(output), STATE)
    seq2seq = import_seq2seq()
    return seq2seq.train(
        pairs,
        output,
        name=model,
        training=training or Training(),
        device=device,
        on_step=on_step,
    )


def name_checkpoint(output: Path) -> Path:
    """Name the folder in which an interrupted training is kept.

    >>> name_checkpoint(Path("out/paraphraser")).name
    'paraphraser.checkpoint'
    """
    return output.with_name(f"{output.name}.checkpoint")


def check_folder(folder: Path, name: str) -> None:
    """Raise ValueError if what stands in place of a folder is not of a training.

    name: The file that a training writes there about itself.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        found = json.loads((folder / name).read_text(encoding="utf8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or not {"settings", "losses"} <= found.keys():
        raise ValueError(
            f"Found {folder} with something else than a training in it (no {name} of "
            "paraphrase train), expected a new or empty folder, or one of an earlier training, "
            "which is replaced. Name another OUT, or move what is there."
        )


def load_generator(name: str, *, device: str = "cpu") -> "Seq2Seq":
    """Load a seq2seq model from a folder, the cache or the hub; ValueError if there is none."""
    return import_seq2seq().load(name, device=device)


def import_seq2seq() -> Any:
    """Import what needs torch; ValueError that says what to install."""
    try:
        from . import seq2seq
    except ImportError as error:
        raise ValueError(
            f"Cannot import {error.name!r}, which generators need beside this package. Install it "
            "with 'pip install spacy-sentid[transformers]'."
        ) from error
    return seq2seq
