"""A pretrained encoder of pairs in thinc: its weights, its tokenizer, saving, training.

wordpieces of pairs, classes of their words -> states of first wordpieces -> an array for each Doc

This is the only module of the paraphrase tagger that imports torch.
"""

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, cast

import srsly
import torch
from huggingface_hub.constants import HF_HUB_CACHE
from safetensors import SafetensorError
from spacy.tokens import Doc
from thinc.api import Model, PyTorchShim, get_torch_default_device, torch2xp, xp2torch
from thinc.types import ArgsKwargs, Floats2d
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import CONFIG_MAPPING, AutoConfig, AutoModel, AutoTokenizer

from .transformer import (
    N_CASE_CLASSES,
    N_MATCH_CLASSES,
    FramePiece,
    PairTokenizer,
    batch_by_length,
    find_frame,
    stack_pairs,
)

# The most wordpieces, with padding, of pairs that are encoded together in prediction.
MAX_PLACES = 4096
# What the configs of encoders call the shares that the setting `dropout` is of.
DROPOUTS = (
    "hidden_dropout_prob",
    "attention_probs_dropout_prob",
    "hidden_dropout",
    "attention_dropout",
    "dropout",
)


class EncoderSettings(NamedTuple):
    """The settings of `build_pair_transformer`."""

    name: str
    freeze_embeddings: bool
    match_features: bool
    mixed_precision: bool
    dropout: float | None
    tokenizer_config: dict[str, Any]
    transformer_config: dict[str, Any]


# The encoder


class PairEncoder(nn.Module):
    """A pretrained encoder that may see the classes of words, and gives states of picked places."""

    def __init__(self, encoder: Any, settings: EncoderSettings) -> None:
        super().__init__()
        self.encoder = encoder.float()  # some are saved in half precision
        self.mixed_precision = settings.mixed_precision
        if hasattr(encoder, "pooler"):
            encoder.pooler = None  # a layer on top of the states, of which nothing is read
        embeddings = encoder.get_input_embeddings()
        self.matches: nn.Embedding | None = None
        self.cases: nn.Embedding | None = None
        if settings.match_features:
            self.matches = nn.Embedding(N_MATCH_CLASSES, embeddings.embedding_dim)
            self.cases = nn.Embedding(N_CASE_CLASSES, embeddings.embedding_dim)
            for vectors in (self.matches, self.cases):
                # Small, so that at first the encoder works as it was trained.
                nn.init.normal_(vectors.weight, std=0.01)
        if settings.freeze_embeddings:
            embeddings.weight.requires_grad_(False)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        places: Tensor,
        matches: Tensor,
        cases: Tensor,
        **others: Tensor,
    ) -> Tensor:
        """Encode pairs; the inputs are (n_pairs, n_pieces) but for places.

        places: (n_words,) index of each word's first wordpiece in the inputs laid in one row.
        RETURNS: (n_words, hidden).
        """
        device = input_ids.device.type
        with torch.autocast(device, torch.bfloat16, enabled=self.mixed_precision):
            inputs = {"input_ids": input_ids, **others}
            if self.matches is not None and self.cases is not None:
                vectors = self.encoder.get_input_embeddings()(inputs.pop("input_ids"))
                # (n_pairs, n_pieces, width of the input)
                inputs["inputs_embeds"] = vectors + self.matches(matches) + self.cases(cases)
            states = self.encoder(attention_mask=attention_mask, **inputs).last_hidden_state
        return states.flatten(0, 1)[places].float()


# Loading and saving


class PairShim(PyTorchShim):
    """Holds an encoder and its tokenizer. What it saves is all that is needed to load them."""

    def __init__(self, settings: EncoderSettings) -> None:
        super().__init__(None)
        self.settings = settings
        self._tokenizer: PairTokenizer | None = None

    @property
    def tokenizer(self) -> PairTokenizer:
        """What makes the wordpieces; ValueError if none is loaded, and thus no weights."""
        if self._tokenizer is None:
            raise ValueError(
                "Found a 'spacy_sentid.PairTransformer.v1' without weights, expected one that was "
                "initialized or loaded. Call nlp.initialize() first."
            )
        return self._tokenizer

    @property
    def width(self) -> int:
        """Length of the states."""
        return self._model.encoder.config.hidden_size

    def load_pretrained(self) -> None:
        """Load the encoder that the settings name, unless weights are there already."""
        if self._tokenizer is None:
            encoder, tokenizer = load_pretrained(self.settings)
            self._tokenizer = make_tokenizer(tokenizer, encoder)
            self._model = PairEncoder(encoder, self.settings).to(get_torch_default_device())

    def to_bytes(self) -> bytes:
        """Serialize the weights, the encoder's config and the tokenizer, if they are loaded."""
        if self._tokenizer is None:
            return srsly.msgpack_dumps({})
        weights = BytesIO()
        torch.save(self._model.state_dict(), weights)
        message = {
            "weights": weights.getvalue(),
            "config": self._model.encoder.config.to_json_string(use_diff=False),
            "tokenizer": {**self._tokenizer._asdict(), "backend": self._tokenizer.backend.to_str()},
        }
        return srsly.msgpack_dumps(message)

    def from_bytes(self, data: bytes) -> "PairShim":
        """Load what `to_bytes` made. Raises ValueError if the weights do not fit the settings."""
        message = srsly.msgpack_loads(data)
        if not message:
            return self
        saved = message["tokenizer"]
        saved["backend"] = Tokenizer.from_str(saved["backend"])
        saved["frame"] = [FramePiece(*place) for place in saved["frame"]]
        self._tokenizer = PairTokenizer(**saved)
        options = json.loads(message["config"])
        config = CONFIG_MAPPING[options["model_type"]].from_dict(options)
        encoder = PairEncoder(AutoModel.from_config(config), self.settings)
        device = get_torch_default_device()
        weights = torch.load(BytesIO(message["weights"]), map_location=device, weights_only=True)
        wrong = [name for names in encoder.load_state_dict(weights, strict=False) for name in names]
        if wrong:
            raise ValueError(
                f"The saved weights of an encoder and its settings differ in {', '.join(wrong)}. "
                "Expected the 'match_features' that it was saved with, and a version of "
                f"transformers like {options.get('transformers_version')}. Set it back."
            )
        self._model = encoder.to(device)
        return self


def load_pretrained(settings: EncoderSettings) -> tuple[Any, Any]:
    """Load an encoder and its tokenizer from a folder, the cache or the hub."""
    name = settings.name
    # Words are given one by one, and byte-level tokenizers take the space before for a part of it.
    options = {"use_fast": True, "add_prefix_space": True, **settings.tokenizer_config}
    try:
        config = AutoConfig.from_pretrained(name, **settings.transformer_config)
        for share in DROPOUTS:
            chosen = settings.dropout is not None and share not in settings.transformer_config
            if chosen and hasattr(config, share):
                setattr(config, share, settings.dropout)
        tokenizer = AutoTokenizer.from_pretrained(name, **options)
        encoder = AutoModel.from_pretrained(name, config=config)
    except (OSError, ValueError, ImportError, SafetensorError) as error:
        if Path(name).is_dir():
            where = f"the folder {Path(name).absolute()} does not hold one that transformers loads"
        else:
            where = (
                f"it is no local folder, is not in the cache ({HF_HUB_CACHE}), and the "
                "Hugging Face hub did not give it"
            )
        if isinstance(error, ImportError) or "sentencepiece" in str(error):
            where = "its tokenizer must be converted first: 'pip install sentencepiece protobuf'"
        raise ValueError(
            f"Found no encoder {name!r}: {where}. Expected the name of an encoder on the hub, or a "
            "folder with its config.json, weights and tokenizer. Without a network, download it "
            "elsewhere and give the folder as 'name' in the block of the encoder."
        ) from error
    if not tokenizer.is_fast:
        raise ValueError(
            f"The tokenizer of {name!r} is a slow one, which does not say which word a piece is "
            "of; a fast one is expected. Set tokenizer_config = {'use_fast': true}, or choose "
            "another encoder."
        )
    return encoder, tokenizer


def make_tokenizer(tokenizer: Any, encoder: Any) -> PairTokenizer:
    """Take what is needed of a fast tokenizer of transformers, and of what the encoder takes."""
    backend = tokenizer.backend_tokenizer
    backend.no_truncation()
    backend.no_padding()
    unknown, padding = tokenizer.unk_token_id, tokenizer.pad_token_id or 0
    limits = [tokenizer.model_max_length]
    n_positions = getattr(encoder.config, "max_position_embeddings", None) or 0
    if n_positions > 0:
        positions = getattr(getattr(encoder, "embeddings", None), "position_embeddings", None)
        # RoBERTa's first position comes after that of its padding.
        unused = getattr(positions, "padding_idx", None)
        limits.append(n_positions if unused is None else n_positions - unused - 1)
    limit = min(limits)
    return PairTokenizer(
        backend,
        find_frame(backend),
        padding,
        padding if unknown is None else unknown,
        # A tokenizer that was given no limit says 1e30.
        int(limit) if limit < 1e9 else None,
        "token_type_ids" in tokenizer.model_input_names,
    )


# Its place in thinc


def build_pair_encoder(settings: EncoderSettings) -> Model[list[Doc], list[Floats2d]]:
    """Build the model of `build_pair_transformer`."""
    return Model(
        "pair_transformer",
        encode,
        init=init_encoder,
        dims={"nO": None},
        shims=[PairShim(settings)],
    )


def init_encoder(model: Model, X: Any = None, Y: Any = None) -> None:
    """Load the pretrained encoder, unless weights are there already."""
    shim = cast(PairShim, model.shims[0])
    shim.load_pretrained()
    model.set_dim("nO", shim.width)


def encode(model: Model, docs: list[Doc], is_train: bool) -> tuple[list[Floats2d], Callable]:
    """Forward pass of `build_pair_encoder`."""
    shim = cast(PairShim, model.shims[0])
    tokenizer = shim.tokenizer
    device, width = shim.device, model.get_dim("nO")
    pairs = [tokenizer.read(doc) for doc in docs]
    # One batch in training, where the batcher has seen to its size.
    n_places = None if is_train else MAX_PLACES
    batches = batch_by_length([len(pair.ids) for pair in pairs], n_places)
    arrays = [model.ops.alloc2f(len(doc), width) for doc in docs]
    passes = []
    for batch in batches:
        inputs = stack_pairs([pairs[i] for i in batch], tokenizer)
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
