"""Paraphrasing generator (5.3): how it is trained, and how it writes.

chosen pairs -> fine-tuned seq2seq model -> paraphrases of texts

The model itself is in `seq2seq`, which needs torch and transformers; this module can be imported
without them.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...settings import format_missing_package
from .options import (
    LOG,
    MODEL,
    STATE,
    Training,
    TrainingReport,
    check_folder,
    name_checkpoint,
)

if TYPE_CHECKING:
    from .seq2seq import Seq2Seq


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


def load_generator(name: str, *, device: str = "cpu") -> "Seq2Seq":
    """Load a seq2seq model from a folder, the cache or the hub; ValueError if there is none."""
    return import_seq2seq().load(name, device=device)


def import_seq2seq() -> Any:
    """Import what needs torch; ValueError that says what to install."""
    try:
        from . import seq2seq
    except ImportError as error:
        raise ValueError(
            format_missing_package(error, "a generator", extra="transformers")
        ) from error
    return seq2seq
