"""Default values and validation of the settings of the sentence identifier."""

from typing import Any

from thinc.api import Config

from ..components.settings import check_choice, check_key, check_range, check_strings, check_weights
from ..components.weights import MAX_WEIGHT
from ..messages import shorten
from ..pretrained import AUTO
from .access.units import NSU_KEY, SU_KEY
from .learning.syntax import ALL_KINDS

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_sentid.UnitTagger.v1"
segment_hidden = 96
segment_dropout = 0.1
nsu_kinds = true

[model.tok2vec]
@architectures = "spacy_sentid.DilatedEncoder.v1"
width = 112
rows = [5000, 1000, 2500, 2500]
dilations = [1, 1, 2, 4, 8, 16]
maxout_pieces = 1
neighbour_width = 28
window_norm = false
word_dropout = 0.1
line_features = true
abbreviations = true
vector_width = 64
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]
# Weight of each part of the training loss.
DEFAULT_LOSS_WEIGHTS = {
    "bos": 1.0,
    "eos": 1.0,
    "context": 0.3,  # inside an SU, start of any unit
    "segments": 0.5,  # the gold path among all segmentations
    "kinds": 0.2,  # the kinds of NSUs
    "tag": 0.3,  # this and the following: labels of `syntax`
    "pos": 0.3,
    "feats": 0.2,
    "dep": 0.3,
    "head": 0.4,
    "head_dep": 0.2,
    "arcs": 0.3,
    "children": 0.3,
}
# Minimum probability of a candidate boundary.
DEFAULT_THRESHOLD = 0.02
# Weights of minimum Bayes risk decoding; tuned on dev documents.
DEFAULT_DECODE_WEIGHTS = {"span_weight": 3.0, "span_cost": 0.3, "nsu_weight": 1.3}
# All settings of the factory.
DEFAULT_SETTINGS = {
    "model": DEFAULT_MODEL,
    "pretrained": AUTO,
    "su_key": SU_KEY,
    "nsu_key": NSU_KEY,
    "decoder": "semi_markov",
    "threshold": DEFAULT_THRESHOLD,
    "max_length": None,
    "never_split": [],
    "abbreviations": [],
    "decode_weights": DEFAULT_DECODE_WEIGHTS,
    "newline": "paragraph",
    "nsu_span": "element",
    "nsu_kinds": True,
    "overwrite": False,
    "store_probs": False,
    "loss_weights": DEFAULT_LOSS_WEIGHTS,
    "scorer": {"@scorers": "spacy_sentid.unit_scorer.v1"},
}

# Boolean settings.
SWITCHES = ("nsu_kinds", "overwrite", "store_probs")
# Allowed values of the other choices. The type hints of the factory must have the same values.
CHOICES = {
    "decoder": ("semi_markov", "bos_eos"),
    "newline": ("paragraph", "learned", "break", "ignore"),
    "nsu_span": ("element", "line", "merged"),
}


def check_learned(labels: Any, calibration: dict[str, Any], knows_kinds: Any) -> None:
    """Validate the learned values other than the weights, as a file may have wrong ones."""
    are_lists = isinstance(labels, dict) and all(
        isinstance(names, list) and all(isinstance(name, str) for name in names)
        for names in labels.values()
    )
    if not are_lists or set(labels) != set(ALL_KINDS):
        raise ValueError(f"'labels' must be lists of {', '.join(ALL_KINDS)}, got {shorten(labels)}")
    for name, line in calibration.items():
        if not isinstance(line, list) or len(line) != 2:
            raise ValueError(f"'calibration.{name}' must be two numbers, got {shorten(line)}")
        for number in line:
            check_range(f"calibration.{name}", number, low=-MAX_WEIGHT, high=MAX_WEIGHT)
    check_choice("knows_kinds", knows_kinds, (True, False))


def check_settings(settings: dict[str, Any], name: str) -> None:
    """Validate the settings. Raises ValueError if one of them is not allowed.

    settings: Settings of the factory, without model, pretrained and scorer.
    name: Name of the component.
    """
    check_range("threshold", settings["threshold"], high=1, name=name)
    check_range("max_length", settings["max_length"], low=1, whole=True, optional=True, name=name)
    for key in SWITCHES:
        check_choice(key, settings[key], (True, False), name=name)
    for key, choices in CHOICES.items():
        check_choice(key, settings[key], choices, name=name)
    for key in ("never_split", "abbreviations"):
        check_strings(key, settings[key], name=name)
    for key in ("su_key", "nsu_key"):
        check_key(key, settings[key], name=name)
    if settings["su_key"] == settings["nsu_key"]:
        raise ValueError(
            f"'su_key' and 'nsu_key' of {name!r} must be different, got {settings['su_key']!r} "
            "twice."
        )
    for key, defaults in (
        ("loss_weights", DEFAULT_LOSS_WEIGHTS),
        ("decode_weights", DEFAULT_DECODE_WEIGHTS),
    ):
        if settings[key] is not None:
            check_weights(key, settings[key], defaults, name=name)
