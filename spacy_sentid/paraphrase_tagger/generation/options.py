"""How pairs are chosen, how a generator is trained and writes, and what a training leaves."""

import json
from pathlib import Path
from typing import NamedTuple

# The paper's model; it starts from eugenesiow/bart-paraphrase, the same one trained further.
MODEL = "facebook/bart-large"

# What a training writes about itself: into its folder, and into its checkpoint.
LOG, STATE = "training.json", "state.json"


# 5.3: share of the words of a pair that may be highlighted; 0 = strict paraphrases (4.3).
THETA = 0.05


class Filters(NamedTuple):
    """What a pair of sentences needs to be worth annotating (4.1)."""

    min_bleu: float = 5.0  # BLEU of the pair, 0 to 100, is above this
    max_bleu: float = 20.0  # and below this
    min_chars: int = 10  # of each sentence
    max_length_ratio: float = 2.5  # words of the longer sentence to those of the other: below this


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
            "The output must be a new or empty folder, or one of an earlier training with its "
            f"{name}, which is replaced, got {folder}. Name another, or move what is there."
        )
