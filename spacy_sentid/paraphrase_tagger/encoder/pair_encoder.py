"""The pretrained encoder of pairs as a thinc model, with its tokenizer, saving and training.

wordpieces of pairs, classes of their words -> states of first wordpieces -> an array for each Doc

This module needs torch and transformers.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import srsly
from spacy.tokens import Doc
from thinc.api import Model, PyTorchShim, get_torch_default_device, torch2xp, xp2torch
from thinc.types import ArgsKwargs, Floats2d
from tokenizers import Tokenizer
from transformers import AutoConfig, AutoTokenizer

from ...layers.hf import (
    LOAD_ERRORS,
    EncoderOptions,
    ExtendedEncoder,
    WordEncoder,
    encoder_from_dict,
    encoder_to_dict,
    format_load_error,
)
from .wordpieces import CLASSES, PairTokenizer, batch_by_length, stack_pairs

# Maximum number of wordpieces, with padding, in a batch of prediction.
MAX_PLACES = 4096
# Names of dropout rates in encoder configs. The setting `dropout` sets those that a config has.
DROPOUTS = (
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "hidden_dropout",
    "attention_dropout",
    "dropout",
)


class PairShim(PyTorchShim):
    """A shim that holds an encoder and its tokenizer, and saves both completely.

    load: Function that returns the pretrained encoder and tokenizer.
    """

    def __init__(
        self, options: EncoderOptions, load: Callable[[], tuple[ExtendedEncoder, Any]]
    ) -> None:
        super().__init__(None)
        self.options = options
        self._load = load
        self._tokenizer: PairTokenizer | None = None

    @property
    def tokenizer(self) -> PairTokenizer:
        """The tokenizer; ValueError if nothing is loaded yet."""
        if self._tokenizer is None:
            raise ValueError(
                "'spacy_sentid.PairTransformer.v1' has no weights. Call nlp.initialize() first, or "
                "load a trained pipeline."
            )
        return self._tokenizer

    @property
    def width(self) -> int:
        """Length of the states."""
        return self._model.encoder.width

    def _set(self, encoder: ExtendedEncoder, tokenizer: PairTokenizer) -> None:
        self._tokenizer = tokenizer
        self._model = WordEncoder(encoder).to(get_torch_default_device())

    def load_pretrained(self) -> None:
        """Load the pretrained encoder, unless weights are already loaded."""
        if self._tokenizer is None:
            encoder, tokenizer = self._load()
            self._set(encoder, make_tokenizer(tokenizer, encoder.encoder))

    def to_bytes(self) -> bytes:
        """Serialize the weights, the encoder's config and the tokenizer, if loaded."""
        if self._tokenizer is None:
            return srsly.msgpack_dumps({})
        tokenizer = {**self._tokenizer._asdict(), "backend": self._tokenizer.backend.to_str()}
        message = {**encoder_to_dict(self._model.encoder), "tokenizer": tokenizer}
        return srsly.msgpack_dumps(message)

    def from_bytes(self, data: bytes) -> "PairShim":
        """Load the bytes of `to_bytes`; ValueError if the weights do not fit the settings."""
        message = srsly.msgpack_loads(data)
        if message:
            saved = message["tokenizer"]
            saved["backend"] = Tokenizer.from_str(saved["backend"])
            encoder = encoder_from_dict(message, self.options, get_torch_default_device())
            # Earlier versions saved more than these fields.
            self._set(encoder, PairTokenizer(*map(saved.get, PairTokenizer._fields)))
        return self


def load_pretrained(
    name: str,
    options: EncoderOptions,
    dropout: float | None,
    tokenizer_config: dict[str, Any],
    transformer_config: dict[str, Any],
) -> tuple[ExtendedEncoder, Any]:
    """Load an encoder and its tokenizer from a folder, the cache or the hub."""
    # Byte-level tokenizers treat the space before a word as a part of it. Here they get single
    # words, so they must add the space.
    tokenizer_config = {"use_fast": True, "add_prefix_space": True, **tokenizer_config}
    try:
        config = AutoConfig.from_pretrained(name, **transformer_config)
        for share in () if dropout is None else DROPOUTS:
            if share not in transformer_config and hasattr(config, share):
                setattr(config, share, dropout)
        tokenizer = AutoTokenizer.from_pretrained(name, **tokenizer_config)
        encoder = options.from_pretrained(name, config=config)
    except LOAD_ERRORS as error:
        raise ValueError(format_load_error(name, error)) from error
    if not tokenizer.is_fast:
        raise ValueError(
            f"The tokenizer of {name!r} must be a fast one, which maps wordpieces to words, got a "
            "slow one. Set tokenizer_config = {'use_fast': true}, or choose another encoder."
        )
    return encoder, tokenizer


def make_tokenizer(tokenizer: Any, encoder: Any) -> PairTokenizer:
    """Make a PairTokenizer of a fast tokenizer of transformers and the limits of its encoder."""
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    limits = [tokenizer.model_max_length]
    n_positions = getattr(encoder.config, "max_position_embeddings", None) or 0
    if n_positions > 0:
        positions = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
        # The positions of RoBERTa start after that of its padding.
        unused = getattr(positions, "padding_idx", None)
        limits.append(n_positions if unused is None else n_positions - unused - 1)
    limit = min(limits)
    return PairTokenizer(
        backend,
        tokenizer.pad_token_id or 0,
        # A tokenizer without a limit reports 1e30.
        int(limit) if limit < 1e9 else None,
        "token_type_ids" in tokenizer.model_input_names,
    )


# The thinc model


def build_pair_encoder(
    name: str,
    freeze_embeddings: bool,
    match_features: bool,
    mixed_precision: bool,
    *settings: Any,
) -> Model[list[Doc], list[Floats2d]]:
    """Build the model of `build_pair_transformer`.

    settings: The remaining arguments of `load_pretrained`.
    """
    options = EncoderOptions(
        classes=CLASSES if match_features else {},
        std=0.01,
        freeze_embeddings=freeze_embeddings,
        half_on=("cpu", "cuda") if mixed_precision else (),
    )
    return Model(
        "pair_transformer",
        encode,
        init=init_encoder,
        dims={"nO": None},
        shims=[PairShim(options, partial(load_pretrained, name, options, *settings))],
    )


def init_encoder(model: Model, X: Any = None, Y: Any = None) -> None:
    """Load the pretrained encoder, unless weights are already loaded."""
    shim = cast(PairShim, model.shims[0])
    shim.load_pretrained()
    model.set_dim("nO", shim.width)


def encode(model: Model, docs: list[Doc], is_train: bool) -> tuple[list[Floats2d], Callable]:
    """Run the forward pass of `build_pair_encoder`."""
    shim = cast(PairShim, model.shims[0])
    tokenizer = shim.tokenizer
    device, width = shim.device, model.get_dim("nO")
    classes = shim.options.classes
    pairs = [tokenizer.read(doc) for doc in docs]
    # Training uses a single batch, as the batcher already limits its size.
    n_places = None if is_train else MAX_PLACES
    batches = batch_by_length([len(pair.ids) for pair in pairs], n_places)
    arrays = [model.ops.alloc2f(len(doc), width) for doc in docs]
    passes = []
    for batch in batches:
        inputs: dict[str, Any] = stack_pairs([pairs[i] for i in batch], tokenizer, classes)
        tensors = {name: xp2torch(array, device=device) for name, array in inputs.items()}
        # (n_words of the batch, width)
        states, backprop_states = shim(ArgsKwargs((), tensors), is_train)
        passes.append((batch, states, backprop_states))
        parts = states.detach().split([len(pairs[i].tokens) for i in batch])
        for i, part in zip(batch, parts, strict=True):
            arrays[i][pairs[i].tokens] = cast(Floats2d, torch2xp(part, ops=model.ops))

    def backprop(d_arrays: list[Floats2d]) -> list[Doc]:
        for batch, states, backprop_states in passes:
            rows = [d_arrays[i][pairs[i].tokens] for i in batch]
            d_states = xp2torch(model.ops.xp.concatenate(rows), device=device)
            backprop_states(ArgsKwargs((states,), {"grad_tensors": d_states}))
        return docs

    return arrays, backprop
