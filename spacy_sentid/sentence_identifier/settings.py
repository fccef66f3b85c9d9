"""The settings of the sentence identifier: what they are by default, and what they may be."""

from typing import Any

from thinc.api import Config

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_sentid.UnitTagger.v1"
segment_hidden = 96
segment_dropout = 0.1

[model.tok2vec]
@architectures = "spacy_sentid.DilatedEncoder.v1"
width = 96
rows = [5000, 1000, 2500, 2500]
dilations = [1, 1, 2, 4, 8]
maxout_pieces = 3
word_dropout = 0.1
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]
# Weight of each part of the training loss.
DEFAULT_LOSS_WEIGHTS = {
    "bos": 1.0,
    "eos": 1.0,
    "context": 0.3,  # inside an SU, start of any unit
    "segments": 0.5,  # the gold path among all segmentations
    "tag": 0.3,  # the rest: syntax, see there
    "pos": 0.3,
    "feats": 0.2,
    "dep": 0.3,
    "head": 0.4,
    "head_dep": 0.2,
    "arcs": 0.3,
    "children": 0.3,
}


# Of a candidate border.
DEFAULT_THRESHOLD = 0.02
# What the semi-Markov decoder maximises; tuned on EWT dev.
DEFAULT_GAINS = {"span_weight": 3.0, "span_cost": 0.3, "nsu_weight": 1.7}
# Lambda of section 6.1.2, as in the paper.
DEFAULT_UNI_RATE = 0.5


def check_settings(settings: dict[str, Any], name: str) -> None:
    """Raise ValueError at a setting that cannot be.

    settings: Those of the factory, but model, pretrained and scorer. name: Of the component.
    """
    for key in ("threshold", "uni_rate"):
        if not 0 <= settings[key] <= 1:
            raise ValueError(
                f"'{key}' is {settings[key]}, expected a number in [0, 1]. Mend the config of "
                f"{name!r}."
            )
    for key in ("max_atoms", "max_length"):
        if settings[key] is not None and settings[key] < 1:
            raise ValueError(
                f"'{key}' is {settings[key]}, expected at least 1. Mend the config of {name!r}."
            )
    if settings["su_key"] == settings["nsu_key"]:
        raise ValueError(
            f"'su_key' and 'nsu_key' are both {settings['su_key']!r}, expected two keys. Mend the "
            f"config of {name!r}."
        )
    for key, defaults in (("loss_weights", DEFAULT_LOSS_WEIGHTS), ("gains", DEFAULT_GAINS)):
        found = set(defaults if settings[key] is None else settings[key])
        if found != set(defaults):
            raise ValueError(
                f"{key!r} has the parts {', '.join(sorted(found))}, expected "
                f"{', '.join(sorted(defaults))}. Give each of them a number; 0 is none."
            )
