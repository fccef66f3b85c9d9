"""A pretrained encoder of pairs: the registered name.

The encoder itself is in `pair_encoder`, which needs torch and transformers; this module can be
imported without them.
"""

from spacy.tokens import Doc
from spacy.util import SimpleFrozenDict
from thinc.api import Model
from thinc.types import Floats2d

from ..settings import check_range, require_extra


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

    name: Name of an encoder on the Hugging Face hub, or a local folder; read when the pipeline is
        initialized, not when a saved one is loaded. It needs a fast tokenizer.
    freeze_embeddings: Keep the vectors of the wordpieces as they are.
    match_features: Add to the input vectors of each word a vector of what the other text has of it
        (the word itself, in another case, another form, nothing) and one of its case.
    mixed_precision: Compute in bfloat16 where that is accurate enough.
    dropout: Share of hidden values and of attention that is dropped in training, in [0, 1); None =
        the encoder's own. The dropout of [training] does nothing here.
    tokenizer_config, transformer_config: Settings of the tokenizer and of the encoder's config.
    RETURNS: docs of `make_pair` -> for each (n_tokens, nO): the encoder's last states at the first
        wordpiece of each word, zeros at white space. Each token is a word, whatever the spacing.
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
