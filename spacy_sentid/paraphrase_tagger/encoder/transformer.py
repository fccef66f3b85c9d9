"""The registered architecture of the pretrained encoder of pairs.

This module can be imported without torch and transformers, which the implementation in
`pair_encoder` needs.
"""

from spacy.tokens import Doc
from spacy.util import SimpleFrozenDict
from thinc.api import Model
from thinc.types import Floats2d

from ...components.settings import check_range
from ...extras import require_extra


def build_pair_transformer(
    name: str = "microsoft/deberta-v3-large",
    freeze_embeddings: bool = False,
    match_features: bool = False,
    mixed_precision: bool = False,
    dropout: float | None = None,
    tokenizer_config: dict = SimpleFrozenDict(),  # noqa: B008
    transformer_config: dict = SimpleFrozenDict(),  # noqa: B008
) -> Model[list[Doc], list[Floats2d]]:
    """Build a pretrained encoder that reads the two texts of a pair together, as in equation 1.

    name: Name of an encoder on the Hugging Face hub, or a local folder. It needs a fast tokenizer.
        The encoder is loaded when the pipeline is initialized; a saved pipeline contains it.
    freeze_embeddings: Do not train the embeddings of wordpieces.
    match_features: Add two learned vectors to the input vectors of each word: one for its match in
        the other text (the same word, another case, another form, or no match), one for its case.
    mixed_precision: Compute in bfloat16 where that is accurate enough.
    dropout: Dropout of hidden values and of attention in training, in [0, 1); None = the values of
        the encoder. The dropout of [training] is ignored here.
    tokenizer_config, transformer_config: Settings of the tokenizer and of the encoder's config.
    RETURNS: docs of `make_pair` -> (n_tokens, nO) for each: the last states of the encoder at the
        first wordpiece of each word, zeros for white space. Each token is read as a word, even if
        no space precedes it.
    """
    check_range("dropout", dropout, high=1, below=True, optional=True)
    with require_extra("'spacy_sentid.PairTransformer.v1'", extra="transformers"):
        from .pair_encoder import build_pair_encoder
    return build_pair_encoder(
        name,
        freeze_embeddings,
        match_features,
        mixed_precision,
        dropout,
        dict(tokenizer_config),
        dict(transformer_config),
    )
