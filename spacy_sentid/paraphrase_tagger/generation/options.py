"""Options of training and decoding with a generator, and the paper's theta."""

from typing import NamedTuple

# The paper uses this architecture, but starts from weights that were trained further,
# eugenesiow/bart-paraphrase.
MODEL = "facebook/bart-large"

# Maximum share of highlighted words in a pair (5.3); 0 = strict paraphrases (4.3).
THETA = 0.05


class Training(NamedTuple):
    """Options for fine-tuning. Learning rate, batch size and epochs follow BARTScore's code."""

    epochs: int = 3
    batch_size: int = 20
    learning_rate: float = 5e-5  # initial value, which decays linearly to 0
    both_directions: bool = False  # also train on each pair in the other direction
    seed: int = 0


class TrainingReport(NamedTuple):
    """The number of examples and the losses of a training."""

    n_examples: int
    n_too_long: int
    losses: list[float]  # mean loss of each epoch
