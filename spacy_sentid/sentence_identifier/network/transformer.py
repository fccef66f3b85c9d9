"""Registered architecture of a pretrained encoder for the identifier.

The encoder itself is in `unit_encoder`, which needs torch and spacy-transformers. This module can
be imported without them.
"""

from collections.abc import Callable

from spacy.tokens import Doc, Span
from spacy.util import SimpleFrozenDict
from thinc.api import Model

from ...extras import require_extra


def build_unit_transformer(
    name: str,
    get_spans: Callable[[list[Doc]], list[list[Span]]],
    case_features: bool,
    freeze_embeddings: bool,
    tokenizer_config: dict,
    transformer_config: dict,
    mixed_precision: bool = False,
    grad_scaler_config: dict = SimpleFrozenDict(),  # noqa: B008
) -> Model[list[Doc], object]:
    """Build the model of a "transformer" component, for heads with a TransformerListener.

    Without the options `case_features` and `freeze_embeddings`, it is the same as
    `spacy-transformers.TransformerModel.v3`.

    name: Name of an encoder on the Hugging Face hub, or a local folder.
    get_spans: Function that cuts documents into windows.
    case_features: Add vectors for the case of each word and the white space after it to the input,
        as an uncased encoder does not see them. Needs a fast tokenizer.
    freeze_embeddings: Do not train the wordpiece embeddings.
    tokenizer_config, transformer_config: Settings of the tokenizer and of the encoder's config.
    mixed_precision: Compute in half precision: float16 on a GPU, bfloat16 on a CPU.
    grad_scaler_config: Settings of thinc's gradient scaler, which only works on a GPU.
    RETURNS: A layer: docs -> FullTransformerBatch.
    """
    with require_extra("'spacy_sentid.UnitTransformer.v1'", extra="transformers"):
        from .unit_encoder import build_transformer
    return build_transformer(
        name,
        get_spans,
        case_features=case_features,
        freeze_embeddings=freeze_embeddings,
        mixed_precision=mixed_precision,
        tokenizer_config=dict(tokenizer_config),
        transformer_config=dict(transformer_config),
        grad_scaler_config=dict(grad_scaler_config),
    )
