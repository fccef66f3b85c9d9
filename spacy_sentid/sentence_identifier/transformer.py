"""A pretrained encoder for the identifier: the registered name, and what is needed for it.

The encoder itself is in `unit_encoder`, which needs torch and spacy-transformers; this module can
be imported without them.
"""

from collections.abc import Callable

from spacy.tokens import Doc, Span
from spacy.util import SimpleFrozenDict
from thinc.api import Model

from ..settings import require_extra


def build_unit_transformer(
    name: str,
    get_spans: Callable[[list[Doc]], list[list[Span]]],
    unidirectional: bool,
    case_features: bool,
    freeze_embeddings: bool,
    tokenizer_config: dict,
    transformer_config: dict,
    mixed_precision: bool = False,
    grad_scaler_config: dict = SimpleFrozenDict(),  # noqa: B008
) -> Model[list[Doc], object]:
    """Build the model of a "transformer" component; heads read it by a TransformerListener.

    With the three options off it is `spacy-transformers.TransformerModel.v3`.

    name: Name of an encoder on the Hugging Face hub, or a local folder.
    get_spans: Cuts documents into windows.
    unidirectional: Run the encoder three times, with the same weights, and lay the states side by
        side: of the whole text, of the text up to the token, of the text from it on (6.1.2).
    case_features: Add what an uncased encoder does not see, the case of each word and the white
        space after it, to its input vectors. Needs a fast tokenizer.
    freeze_embeddings: Keep the vectors of the wordpieces as they are.
    tokenizer_config, transformer_config: Settings of the tokenizer and of the encoder's config.
    mixed_precision: Compute in half precision: float16 on a GPU, bfloat16 on a CPU.
    grad_scaler_config: Settings of the gradient scaler, see thinc; it works on a GPU only.
    RETURNS: docs -> FullTransformerBatch with states of width nO, 3 times the encoder's if
        `unidirectional`.
    """
    with require_extra("'spacy_sentid.UnitTransformer.v1'", extra="transformers"):
        from .unit_encoder import build_transformer
    return build_transformer(
        name,
        get_spans,
        unidirectional=unidirectional,
        case_features=case_features,
        freeze_embeddings=freeze_embeddings,
        mixed_precision=mixed_precision,
        tokenizer_config=dict(tokenizer_config),
        transformer_config=dict(transformer_config),
        grad_scaler_config=dict(grad_scaler_config),
    )
