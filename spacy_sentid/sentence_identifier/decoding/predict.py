"""Predict the units of a part of a batch: the everyday way.

tokens, boundaries -> scores of the network -> best SUs and NSUs -> Prediction, for `decode_units`
"""

from collections.abc import Mapping
from typing import Any

from ..network.boundaries import Boundaries
from ..network.encoder import DILATED_ENCODER
from ..network.tagger import UnitInput
from ..network.tokens import BatchTokens
from . import stretches
from .decode import Prediction, score_and_decode


def predict_units(
    model: Any, tokens: BatchTokens, boundaries: Boundaries, settings: Mapping[str, Any]
) -> Prediction:
    """Score the tokens of a part of a batch, and find the best SUs and NSUs.

    A document that is too long for one step is predicted in stretches.

    tokens: Tokens as the encoder may see them.
    settings: Settings of the component.
    """
    is_long = len(tokens.docs) == 1 and len(tokens.gaps) > stretches.STRETCH_TOKENS
    if is_long and model.get_ref("tok2vec").name == DILATED_ENCODER:
        return stretches.predict_stretches(model, tokens, boundaries, settings)
    scores, units, outside = score_and_decode(model, UnitInput(tokens), boundaries, settings)
    return Prediction(tokens, boundaries, scores.flags, scores.kinds, units, outside)
