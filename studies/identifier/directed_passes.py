"""Three passes of a pretrained encoder with the same weights, for +UNI. It needs torch.

wordpieces -> states of the whole text, of the text up to each, of the text from each on
"""

from typing import Any

import torch
from thinc.api import Model
from torch import Tensor
from transformers import AutoModel, PretrainedConfig
from transformers.modeling_outputs import BaseModelOutput

from spacy_sentid.layers.hf import CASES, EncoderOptions, ExtendedEncoder
from spacy_sentid.layers.word_case import N_GAPS


class DirectedOptions(EncoderOptions):
    """A factory of encoders with three passes."""

    def from_pretrained(self, name: str, *, config: PretrainedConfig) -> "DirectedEncoder":
        """Build an encoder with the pretrained weights of this name."""
        encoder = DirectedEncoder(AutoModel.from_pretrained(name, config=config), self)
        check_masks(encoder, name)
        return encoder

    def from_config(self, config: PretrainedConfig) -> "DirectedEncoder":
        """Build an encoder whose weights will be loaded later."""
        return DirectedEncoder(AutoModel.from_config(config), self)


class DirectedEncoder(ExtendedEncoder):
    """A pretrained encoder that runs three times."""

    @property
    def width(self) -> int:
        """Length of the output states."""
        return 3 * self.config.hidden_size

    def forward(self, input_ids: Tensor, attention_mask: Tensor, **others: Tensor) -> Any:
        """Encode texts; see `ExtendedEncoder.forward`."""
        classes = {name: others.pop(name) for name in self.extra}
        device = input_ids.device.type
        with torch.autocast(device, torch.bfloat16, enabled=device in self.options.half_on):
            words = self.encoder.get_input_embeddings()(input_ids)
            vectors = self.add_extra(words, classes)
            so_far = vectors
            if CASES in classes:
                # The second pass must not see the white space after a word.
                so_far = self.add_extra(words, {**classes, CASES: without_gaps(classes[CASES])})
            output = self.encoder(
                inputs_embeds=torch.cat([vectors, so_far, vectors]),
                attention_mask=directed_masks(attention_mask),
                **{name: torch.cat([value] * 3) for name, value in others.items()},
            )
        states = output.last_hidden_state.float()
        passes: Any = torch.cat(states.chunk(3), dim=-1)
        return BaseModelOutput(last_hidden_state=passes)


def add_passes(model: Model) -> None:
    """Let the model of a "transformer" component build encoders with three passes."""
    shim: Any = model.layers[0].shims[0]
    shim.model_cls = DirectedOptions(*shim.model_cls)


def without_gaps(classes: Any) -> Any:
    """Remove the white space after the word from case classes, an array or a tensor."""
    return classes - (classes - 1).clip(0) % N_GAPS


def directed_masks(mask: Tensor) -> Tensor:
    """Make the attention masks of the three passes from the padding mask.

    mask: (n_windows, n_pieces), 1 at wordpieces, 0 at padding.
    RETURNS: (3 * n_windows, n_pieces, n_pieces), for windows, queries and keys. The passes attend
        to the whole text, to keys up to the query, and to keys from the query on.
    """
    whole = mask[:, None, :].expand(-1, mask.shape[1], -1)
    # Each position attends to itself, because queries of padding must attend to something. No other
    # position attends to padding.
    own = torch.eye(mask.shape[1], dtype=mask.dtype, device=mask.device)
    before, after = torch.tril(whole), torch.triu(whole)
    return torch.cat([whole, torch.maximum(before, own), torch.maximum(after, own)])


def check_masks(encoder: DirectedEncoder, name: str) -> None:
    """Raise ValueError if an encoder does not take the masks of the three passes, or ignores them.

    The test has three wordpieces. In the second pass, the last one must not change the states of
    the first two.
    """
    pieces = torch.tensor([[3, 4, 5], [3, 4, 6]])
    classes = {kind: torch.zeros_like(pieces) for kind in encoder.extra}
    was_training = encoder.training
    encoder.eval()
    problem = "its states depend on the text that follows"
    try:
        with torch.no_grad():
            states = encoder(pieces, torch.ones_like(pieces), **classes).last_hidden_state
        so_far = states.chunk(3, dim=-1)[1][:, :2]
        if torch.allclose(so_far[0], so_far[1], atol=1e-4):
            problem = ""
    except (ValueError, TypeError, IndexError, RuntimeError) as error:
        problem = f"it fails with a mask for each query: {error}"
    encoder.train(was_training)
    if problem:
        raise ValueError(
            f"An encoder for +UNI must be able to read in one direction only, got {name!r} "
            f"({problem}). Choose one whose attention takes a 3D mask, such as BERT or RoBERTa."
        )
