"""Pretrained Hugging Face encoders with additional input embeddings.

wordpieces, classes of their words -> input vectors -> states

Of the modules for encoders, only this one imports torch. Import it where an encoder is built.
"""

from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import srsly
import torch
from huggingface_hub.constants import HF_HUB_CACHE
from safetensors import SafetensorError
from torch import Tensor, nn
from transformers import CONFIG_MAPPING, AutoModel, PretrainedConfig
from transformers.modeling_outputs import BaseModelOutput

# Errors that transformers raises if it cannot load an encoder.
LOAD_ERRORS = (OSError, ValueError, ImportError, SafetensorError)
CASES = "cases"  # key of the case classes of `word_case` in `EncoderOptions.classes`


class EncoderOptions(NamedTuple):
    """Changes to a pretrained encoder, and a factory of encoders with these changes.

    spacy-transformers uses this factory instead of AutoModel.

    classes: For each kind of extra input vectors, its number of classes of wordpieces.
    std: Standard deviation of the initial values of these vectors.
    half_on: Types of devices on which the encoder computes in bfloat16.
    """

    classes: dict[str, int]
    std: float
    freeze_embeddings: bool
    half_on: tuple[str, ...] = ()

    def from_pretrained(self, name: str, *, config: PretrainedConfig) -> "ExtendedEncoder":
        """Build an encoder with the pretrained weights of this name."""
        return ExtendedEncoder(AutoModel.from_pretrained(name, config=config), self)

    def from_config(self, config: PretrainedConfig) -> "ExtendedEncoder":
        """Build an encoder whose weights will be loaded later."""
        return ExtendedEncoder(AutoModel.from_config(config), self)


class ExtendedEncoder(nn.Module):
    """A pretrained encoder with the options of `EncoderOptions`."""

    def __init__(self, encoder: Any, options: EncoderOptions) -> None:
        super().__init__()
        self.encoder = encoder.float()  # some are saved in half precision
        self.options = options
        embeddings = encoder.get_input_embeddings()
        self.extra = nn.ModuleDict()
        for name, n_classes in options.classes.items():
            vectors = nn.Embedding(n_classes, embeddings.embedding_dim)
            # Small values hardly change the pretrained encoder at first.
            nn.init.normal_(vectors.weight, std=options.std)
            self.extra[name] = vectors
        if options.freeze_embeddings:
            embeddings.weight.requires_grad_(False)

    @property
    def config(self) -> PretrainedConfig:
        """The config of the encoder, which is saved with the weights."""
        return self.encoder.config

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.encoder.device

    @property
    def width(self) -> int:
        """Length of the output states."""
        return self.config.hidden_size

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **others: Tensor) -> Any:
        """Encode texts.

        All inputs have the shape (n_texts, n_pieces); the states are (n_texts, n_pieces, width).

        others: The classes for each kind of extra vectors, and other inputs of the encoder.
        """
        classes = {name: others.pop(name) for name in self.extra}
        device = input_ids.device.type
        half = device in self.options.half_on
        with torch.autocast(device, torch.bfloat16, enabled=half):
            inputs = {"input_ids": input_ids, **others}
            if classes:
                vectors = self.encoder.get_input_embeddings()(inputs.pop("input_ids"))
                inputs["inputs_embeds"] = self.add_extra(vectors, classes)
            output = self.encoder(attention_mask=attention_mask, **inputs)
        if not half:
            return output
        return BaseModelOutput(last_hidden_state=output.last_hidden_state.float())

    def add_extra(self, vectors: Tensor, classes: dict[str, Tensor]) -> Tensor:
        """Add the extra vectors of the classes to the input vectors of wordpieces."""
        for name, numbers in classes.items():
            vectors = vectors + self.extra[name](numbers)
        return vectors


class WordEncoder(nn.Module):
    """An encoder that returns the states of selected wordpieces: the first ones of words."""

    def __init__(self, encoder: ExtendedEncoder) -> None:
        super().__init__()
        self.encoder = encoder
        if hasattr(encoder.encoder, "pooler"):
            encoder.encoder.pooler = None  # a layer after the states, whose output is unused

    def forward(self, places: Tensor, **inputs: Tensor) -> Tensor:
        """Encode texts.

        places: (n_words,) indices in the concatenated wordpieces of all texts.
        RETURNS: (n_words, width).
        """
        return self.encoder(**inputs).last_hidden_state.flatten(0, 1)[places].float()


def format_load_error(
    name: str, error: Exception, *, kind: str = "encoder", option: str = "name"
) -> str:
    """Format a message about a model that cannot be loaded: the reason, and what to do.

    option: The command-line option or setting with the name of the model.
    """
    if isinstance(error, ImportError) or "sentencepiece" in str(error):
        reason = "its tokenizer must be converted first: 'pip install sentencepiece protobuf'"
    elif Path(name).is_dir():
        said = str(error).strip().splitlines() or [type(error).__name__]
        reason = (
            f"transformers found no {kind} in the folder {Path(name).absolute()} ({said[0][:160]})"
        )
    else:
        reason = (
            f"it is neither a local folder nor in the cache ({HF_HUB_CACHE}), and it could not be "
            "downloaded from the Hugging Face hub"
        )
    return (
        f"Cannot load the {kind} {name!r}: {reason}. Give the name of a model on the hub, or a "
        "folder with config.json, weights and tokenizer. Without a network, download the model on "
        f"another computer and give its folder: {option} /path"
    )


def encoder_to_dict(encoder: ExtendedEncoder) -> dict[str, Any]:
    """Return weights and config of an encoder, for msgpack."""
    weights = BytesIO()
    torch.save(encoder.state_dict(), weights)
    config = encoder.config.to_json_string(use_diff=False)
    return {"weights": weights.getvalue(), "config": config}


def encoder_from_dict(
    saved: dict[str, Any], options: EncoderOptions, device: torch.device
) -> ExtendedEncoder:
    """Build the encoder that `encoder_to_dict` saved.

    Raises ValueError if the options do not fit the weights.
    """
    config = srsly.json_loads(saved["config"])
    encoder = options.from_config(CONFIG_MAPPING[config["model_type"]].from_dict(config))
    weights = torch.load(BytesIO(saved["weights"]), map_location=device, weights_only=True)
    if "pooler" not in "".join(weights) and hasattr(encoder.encoder, "pooler"):
        encoder.encoder.pooler = None
    wrong = [name for names in encoder.load_state_dict(weights, strict=False) for name in names]
    if wrong:
        raise ValueError(
            f"An encoder must have the settings that its weights were saved with, but these "
            f"weights differ: {', '.join(wrong)}. Restore 'match_features', and use a version of "
            f"transformers like {config.get('transformers_version')}."
        )
    return encoder
