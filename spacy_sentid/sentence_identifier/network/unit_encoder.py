"""A pretrained encoder with options for the case of words and frozen embeddings.

docs -> windows -> wordpieces, cases of their words -> states

Windows, alignment, listeners and saving are those of spacy-transformers. This module needs torch
and spacy-transformers.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from spacy.tokens import Doc, Span
from spacy_transformers.align import get_alignment, get_alignment_via_offset_mapping
from spacy_transformers.data_classes import FullTransformerBatch, WordpieceBatch
from spacy_transformers.layers.transformer_model import (
    TransformerModel,
    huggingface_from_pretrained,
    huggingface_tokenize,
)
from spacy_transformers.truncate import truncate_oversize_splits
from thinc.api import Model, get_torch_default_device, xp2torch
from thinc.types import ArgsKwargs

from ...arrays import Ints2d
from ...layers.hf import CASES, LOAD_ERRORS, EncoderOptions, format_load_error
from ...layers.word_case import N_CASE_CLASSES, find_cases


class EncoderInput(NamedTuple):
    """Wordpieces of the windows of a batch."""

    wordpieces: WordpieceBatch
    cases: Ints2d | None  # (n_windows, n_pieces) in [0, N_CASE_CLASSES)


def build_transformer(
    name: str,
    get_spans: Callable[[list[Doc]], list[list[Span]]],
    *,
    case_features: bool,
    freeze_embeddings: bool,
    mixed_precision: bool,
    tokenizer_config: dict,
    transformer_config: dict,
    grad_scaler_config: dict,
) -> TransformerModel:
    """Build the model of `build_unit_transformer`: a TransformerModel around an ExtendedEncoder."""
    on_gpu = get_torch_default_device().type == "cuda"
    model = TransformerModel(
        name,
        get_spans,
        tokenizer_config,
        transformer_config,
        mixed_precision and on_gpu,  # thinc's shim only supports half precision on a GPU
        grad_scaler_config,
    )
    model._func = encode
    model.init = init_transformer
    model.attrs["case_features"] = case_features
    model.attrs["replace_listener_cfg"] = refuse_to_replace
    wrapper: Any = model.layers[0]
    wrapper.attrs["convert_wordpieces"] = wrapper.attrs["convert_inputs"]
    wrapper.attrs["convert_inputs"] = convert_inputs
    wrapper.shims[0].model_cls = EncoderOptions(
        classes={CASES: N_CASE_CLASSES} if case_features else {},
        std=0.005,
        freeze_embeddings=freeze_embeddings,
        half_on=("cpu",) if mixed_precision else (),
    )
    return model


def init_transformer(model: TransformerModel, X: Any = None, Y: object = None) -> None:
    """Load the weights of the encoder. Raises ValueError if they cannot be loaded."""
    if model.attrs["has_transformer"]:
        return
    name = model.attrs["name"]
    shim: Any = model.layers[0].shims[0]
    configs = model._init_tokenizer_config, model._init_transformer_config
    try:
        objects = huggingface_from_pretrained(name, *configs, model_cls=shim.model_cls)
    except LOAD_ERRORS as error:
        option = "--components.transformer.model.name"
        raise ValueError(format_load_error(name, error, option=option)) from error
    if model.attrs["case_features"] and not objects.tokenizer.is_fast:
        raise ValueError(
            f"The tokenizer of {name!r} must be a fast one for 'case_features', got a slow one. "
            "Only fast tokenizers return the positions of wordpieces. Set "
            "tokenizer_config = {'use_fast': true}, or 'case_features' to false."
        )
    model.attrs["set_transformer"](model, objects)
    model.set_dim("nO", objects.transformer.width, force=True)


def encode(
    model: TransformerModel, docs: list[Doc], is_train: bool
) -> tuple[FullTransformerBatch, Callable]:
    """Run the forward pass of `build_transformer`."""
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
    cases = None
    if model.attrs["case_features"]:
        pairs = zip(spans, encoding["offset_mapping"], strict=True)
        cases = np.stack([find_cases(span.text, offsets) for span, offsets in pairs])
        cases = cases[:, : wordpieces.input_ids.shape[1]]  # truncation cuts at the end
    output, backprop_output = model.layers[0](EncoderInput(wordpieces, cases), is_train)
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
    """Convert the arrays of the input to the arguments of `ExtendedEncoder.forward`."""
    args, backprop = model.attrs["convert_wordpieces"](model, inputs.wordpieces, is_train)
    if inputs.cases is not None:
        cases: Any = inputs.cases
        args.kwargs[CASES] = xp2torch(cases, device=args.kwargs["input_ids"].device)
    return args, backprop


def refuse_to_replace(transformer_config: dict, listener_config: dict) -> dict:
    """Raise ValueError, as spaCy cannot write the config of a component with its own copy."""
    raise ValueError(
        "Listeners to 'spacy_sentid.UnitTransformer.v1' cannot be replaced by copies of the "
        "encoder. Source both components: the transformer and the one that listens to it."
    )
