"""A pretrained encoder that also reads in one direction, and sees the case of words.

docs -> windows -> wordpieces, cases of their words -> 1 or 3 passes -> states side by side

This is the only module that imports torch. The rest is that of spacy-transformers: windows,
alignment, listeners, saving.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from huggingface_hub.constants import HF_HUB_CACHE
from safetensors import SafetensorError
from spacy.tokens import Doc, Span
from spacy_transformers.align import get_alignment, get_alignment_via_offset_mapping
from spacy_transformers.data_classes import FullTransformerBatch, HFObjects, WordpieceBatch
from spacy_transformers.layers.transformer_model import (
    TransformerModel,
    huggingface_from_pretrained,
    huggingface_tokenize,
)
from spacy_transformers.truncate import truncate_oversize_splits
from thinc.api import Model, get_torch_default_device, xp2torch
from thinc.types import ArgsKwargs
from torch import Tensor, nn
from transformers import AutoModel, PretrainedConfig
from transformers.modeling_outputs import BaseModelOutput

from ..arrays import Ints2d
from .word_case import N_CASE_CLASSES, find_cases, without_gaps


class EncoderInput(NamedTuple):
    """Wordpieces of the windows of a batch."""

    wordpieces: WordpieceBatch
    case_ids: Ints2d | None  # (n_windows, n_pieces) in [0, N_CASE_CLASSES)


# The encoder


class UnitEncoder(nn.Module):
    """A pretrained encoder with the options of `build_unit_transformer`."""

    def __init__(self, encoder: Any, options: "EncoderOptions") -> None:
        super().__init__()
        self.encoder = encoder
        self.options = options
        embeddings = encoder.get_input_embeddings()
        self.cases: nn.Embedding | None = None
        if options.case_features:
            self.cases = nn.Embedding(N_CASE_CLASSES, embeddings.embedding_dim)
            # Small, so that at first the encoder works as it was trained.
            nn.init.normal_(self.cases.weight, std=0.005)
        if options.freeze_embeddings:
            embeddings.weight.requires_grad_(False)

    @property
    def config(self) -> PretrainedConfig:
        """The config of the encoder; it is saved with the weights."""
        return self.encoder.config

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.encoder.device

    @property
    def width(self) -> int:
        """Length of the states that come out."""
        return self.config.hidden_size * (3 if self.options.unidirectional else 1)

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor,
        case_ids: Tensor | None = None,
        **others: Tensor,
    ) -> BaseModelOutput:
        """Encode windows. All inputs are (n_windows, n_pieces); states (.., .., width)."""
        # thinc's shim sees to half precision on a GPU.
        half = self.options.mixed_precision and input_ids.device.type == "cpu"
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            inputs = {"input_ids": input_ids, **others}
            if self.cases is not None:
                vectors = self.encoder.get_input_embeddings()(inputs.pop("input_ids"))
                # (n_windows, n_pieces, hidden)
                inputs["inputs_embeds"] = vectors + self.cases(case_ids)
            if self.options.unidirectional:
                inputs = {name: torch.cat([value] * 3) for name, value in inputs.items()}
                if self.cases is not None:
                    # The white space after a word is to its right: not for the second pass.
                    n, so_far = len(vectors), without_gaps(case_ids)
                    inputs["inputs_embeds"][n : 2 * n] = vectors + self.cases(so_far)
                attention_mask = directed_masks(attention_mask)
            output = self.encoder(attention_mask=attention_mask, **inputs)
        if not self.options.unidirectional and not half:
            return output
        states = output.last_hidden_state.float()
        if self.options.unidirectional:
            states = torch.cat(states.chunk(3), dim=-1)
        return BaseModelOutput(last_hidden_state=states)


def directed_masks(mask: Tensor) -> Tensor:
    """Make the masks of the three passes out of the padding mask, each (window, query, key).

    mask: (n_windows, n_pieces), 1 at wordpieces, 0 at padding.
    RETURNS: (3 * n_windows, n_pieces, n_pieces): whole text, keys up to the query, keys from it on.
    """
    whole = mask[:, None, :].expand(-1, mask.shape[1], -1)
    # Each sees itself, so that the queries of padding see something; nobody else sees them.
    own = torch.eye(mask.shape[1], dtype=mask.dtype, device=mask.device)
    before, after = torch.tril(whole), torch.triu(whole)
    return torch.cat([whole, torch.maximum(before, own), torch.maximum(after, own)])


class EncoderOptions(NamedTuple):
    """The options of `build_unit_transformer`, and what makes encoders with them.

    It takes the place of AutoModel where spacy-transformers asks for a class of models.
    """

    unidirectional: bool
    case_features: bool
    freeze_embeddings: bool
    mixed_precision: bool

    def from_pretrained(self, name: str, *, config: PretrainedConfig) -> UnitEncoder:
        """Make an encoder with the weights of the one of that name."""
        return UnitEncoder(AutoModel.from_pretrained(name, config=config), self)

    def from_config(self, config: PretrainedConfig) -> UnitEncoder:
        """Make an encoder whose weights will be loaded."""
        return UnitEncoder(AutoModel.from_config(config), self)


# Its place in spacy-transformers


def build_transformer(
    name: str,
    get_spans: Callable[[list[Doc]], list[list[Span]]],
    *,
    options: EncoderOptions,
    tokenizer_config: dict,
    transformer_config: dict,
    grad_scaler_config: dict,
) -> TransformerModel:
    """Build the model of `build_unit_transformer`: a TransformerModel around a UnitEncoder."""
    on_gpu = get_torch_default_device().type == "cuda"
    model = TransformerModel(
        name,
        get_spans,
        tokenizer_config,
        transformer_config,
        options.mixed_precision and on_gpu,
        grad_scaler_config,
    )
    model._func = encode
    model.init = init_transformer
    model.attrs["case_features"] = options.case_features
    model.attrs["n_stacks"] = 3 if options.unidirectional else 1
    model.attrs["replace_listener_cfg"] = refuse_to_replace
    wrapper: Any = model.layers[0]
    wrapper.attrs["convert_wordpieces"] = wrapper.attrs["convert_inputs"]
    wrapper.attrs["convert_inputs"] = convert_inputs
    wrapper.shims[0].model_cls = options
    return model


def init_transformer(model: TransformerModel, X: Any = None, Y: object = None) -> None:
    """Load the weights of the encoder; ValueError if there are none of that name."""
    if model.attrs["has_transformer"]:
        return
    shim: Any = model.layers[0].shims[0]
    objects = load_encoder(
        model.attrs["name"],
        model._init_tokenizer_config,
        model._init_transformer_config,
        shim.model_cls,
    )
    if model.attrs["case_features"] and not objects.tokenizer.is_fast:
        raise ValueError(
            f"The tokenizer of {model.attrs['name']!r} is a slow one, which does not say where "
            "its pieces stand in the text; 'case_features' needs a fast one. Set "
            "tokenizer_config = {'use_fast': true}, or 'case_features' to false."
        )
    if shim.model_cls.unidirectional:
        check_masks(objects.transformer, model.attrs["name"])
    model.attrs["set_transformer"](model, objects)
    model.set_dim("nO", objects.transformer.width, force=True)


def check_masks(encoder: UnitEncoder, name: str) -> None:
    """Raise ValueError if an encoder does not take the masks of the three passes, or not heed them.

    Seen on three wordpieces: the last must not change what the first two say in the second pass.
    """
    pieces = torch.tensor([[3, 4, 5], [3, 4, 6]])
    classes = torch.zeros_like(pieces) if encoder.cases is not None else None
    was_training = encoder.training
    encoder.eval()
    problem = "its states of the text so far change with the text behind"
    try:
        with torch.no_grad():
            states = encoder(pieces, torch.ones_like(pieces), classes).last_hidden_state
        so_far = states.chunk(3, dim=-1)[1][:, :2]
        if torch.allclose(so_far[0], so_far[1], atol=1e-4):
            problem = ""
    except (ValueError, TypeError, IndexError, RuntimeError) as error:
        problem = f"it fails with one mask for each query ({error})"
    encoder.train(was_training)
    if problem:
        raise ValueError(
            f"The encoder {name!r} cannot read in one direction: {problem}. Expected one whose "
            "attention takes a 3D mask, as BERT and RoBERTa do. Choose another, or set "
            "'unidirectional' to false."
        )


def load_encoder(
    name: str, tokenizer_config: dict, transformer_config: dict, options: EncoderOptions
) -> HFObjects:
    """Load an encoder and its tokenizer from a folder, the cache or the hub."""
    try:
        return huggingface_from_pretrained(
            name,
            tokenizer_config,
            transformer_config,
            model_cls=options,
        )
    except (OSError, ValueError, SafetensorError) as error:
        if Path(name).is_dir():
            where = f"the folder {Path(name).absolute()} does not hold one that transformers loads"
        else:
            where = (
                f"it is no local folder, is not in the cache ({HF_HUB_CACHE}), and the "
                "Hugging Face hub did not give it"
            )
        raise ValueError(
            f"Found no encoder {name!r}: {where}. Expected the name of an encoder on the hub, or a "
            "folder with its config.json, weights and tokenizer. Without a network, download it "
            "elsewhere and give the folder: --components.transformer.model.name /path"
        ) from error


def encode(
    model: TransformerModel, docs: list[Doc], is_train: bool
) -> tuple[FullTransformerBatch, Callable]:
    """Forward pass of `build_transformer`."""
    nested_spans = model.attrs["get_spans"](docs)
    spans = [span for doc_spans in nested_spans for span in doc_spans]
    tokenizer = model.tokenizer
    encoding = huggingface_tokenize(tokenizer, [span.text for span in spans])
    wordpieces = WordpieceBatch.from_batch_encoding(encoding)
    if "offset_mapping" in encoding:
        align = get_alignment_via_offset_mapping(spans, encoding["offset_mapping"])
    else:
        align = get_alignment(spans, wordpieces.strings, tokenizer.all_special_tokens)
    wordpieces, align = truncate_oversize_splits(wordpieces, align, tokenizer.model_max_length)
    case_ids = None
    if model.attrs["case_features"]:
        pairs = zip(spans, encoding["offset_mapping"], strict=True)
        case_ids = np.stack([find_cases(span.text, offsets) for span, offsets in pairs])
        case_ids = case_ids[:, : wordpieces.input_ids.shape[1]]  # truncation cuts at the end
    output, backprop_output = model.layers[0](EncoderInput(wordpieces, case_ids), is_train)
    batch = FullTransformerBatch(
        spans=nested_spans, wordpieces=wordpieces, model_output=output, align=align
    )

    def backprop(d_batch: FullTransformerBatch) -> list[Doc]:
        backprop_output(d_batch.model_output)
        return docs

    return batch, backprop


def convert_inputs(
    model: Model, inputs: EncoderInput, is_train: bool
) -> tuple[ArgsKwargs, Callable]:
    """Turn the arrays of the input into the arguments of `UnitEncoder.forward`."""
    args, backprop = model.attrs["convert_wordpieces"](model, inputs.wordpieces, is_train)
    if inputs.case_ids is not None:
        device = args.kwargs["input_ids"].device
        args.kwargs["case_ids"] = xp2torch(inputs.case_ids, device=device)
    return args, backprop


def refuse_to_replace(transformer_config: dict, listener_config: dict) -> dict:
    """Raise ValueError: the config of a component of its own cannot be written."""
    raise ValueError(
        "Found listeners to be replaced by copies of 'spacy_sentid.UnitTransformer.v1', expected "
        "them to stay: a component cannot hold this encoder alone. Take both components over: the "
        "transformer and the one that listens to it."
    )
