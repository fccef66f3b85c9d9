"""Options for the selection of pairs, and for training and decoding with a generator."""

import json
from pathlib import Path
from typing import NamedTuple

# The paper uses this architecture, but starts from weights that were trained further,
# eugenesiow/bart-paraphrase.
MODEL = "facebook/bart-large"

# Files with the settings and losses of a training: in its output folder, and in its checkpoint.
LOG, STATE = "training.json", "state.json"


# Maximum share of highlighted words in a pair (5.3); 0 = strict paraphrases (4.3).
THETA = 0.05


class Filters(NamedTuple):
    """Filters for pairs of sentences that are worth annotating (4.1)."""

    min_bleu: float = 5.0  # BLEU of the pair, 0 to 100, must be above this
    max_bleu: float = 20.0  # BLEU must be below this
    min_chars: int = 10  # minimum number of characters of each sentence
    max_length_ratio: float = 2.5  # words of the longer sentence / words of the other, below this


class Training(NamedTuple):
    """Options for fine-tuning. Learning rate, batch size and epochs follow BARTScore's code."""

    epochs: int = 3
    batch_size: int = 20
    learning_rate: float = 5e-5  # initial value, which decays linearly to 0
    max_grad_norm: float = 1.0
    max_tokens: int = 256  # pairs with a longer text are skipped
    both_directions: bool = False  # also train on each pair in the other direction
    seed: int = 0


class Decoding(NamedTuple):
    """Options for generating paraphrases."""

    n: int = 1  # paraphrases per text
    beams: int = 4  # width of the beam search
    sample: bool = False  # use nucleus sampling (top_p) instead of beam search
    top_p: float = 0.95
    temperature: float = 1.0
    max_tokens: int = 256  # longer texts are skipped, and longer paraphrases are dropped


class TrainingReport(NamedTuple):
    """The number of examples and the losses of a training."""

    n_examples: int
    n_too_long: int
    losses: list[float]  # mean loss of each epoch


def name_checkpoint(output: Path) -> Path:
    """Name the checkpoint folder of a training.

    >>> name_checkpoint(Path("out/paraphraser")).name
    'paraphraser.checkpoint'
    """
    return output.with_name(f"{output.name}.checkpoint")


def check_folder(folder: Path, name: str) -> None:
    """Check that a folder is missing, empty, or left by a training.

    name: The file that a training writes into the folder.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    try:
        found = json.loads((folder / name).read_text(encoding="utf8"))
    except (OSError, ValueError):
        found = None
    if not isinstance(found, dict) or not {"settings", "losses"} <= found.keys():
        raise ValueError(
            f"The output must be a new or empty folder, or the output of an earlier training (with "
            f"{name}), got {folder}. Choose another folder, or move its files."
        )
