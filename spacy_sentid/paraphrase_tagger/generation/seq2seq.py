"""Paraphrase generator (5.3): fine-tuning of a seq2seq model, and decoding. It needs torch.

chosen pairs -> batches of wordpieces -> AdamW, falling learning rate -> a folder of transformers
texts -> beam search or samples -> paraphrases
"""

import json
import math
import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from ...files.atomic import open_output_folder
from ...files.fingerprint import fingerprint_model, fingerprint_values
from ...files.resume import check_settings
from ...layers.hf import LOAD_ERRORS, format_load_error
from .options import MODEL, Training, TrainingReport

IGNORED = -100  # label of padding, which the loss ignores
# Files of a checkpoint: the optimizer, and the settings and losses, which the output has, too.
OPTIMIZER, LOG = "optimizer.pt", "training.json"
MAX_TOKENS = 256  # maximum number of wordpieces of a text, in training and decoding
MAX_GRAD_NORM = 1.0
BEAMS = 4  # width of the beam search


class Seq2Seq:
    """A seq2seq model and its tokenizer; made by `load_generator`."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.tokenizer = tokenizer

    @property
    def max_tokens(self) -> int:
        """The maximum number of wordpieces of a text."""
        positions = getattr(self.model.config, "max_position_embeddings", None)
        # A tokenizer without a limit reports 1e30.
        return min(self.tokenizer.model_max_length, positions or 1_000_000)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the wordpieces of texts, including the special ones at both ends."""
        return [len(self.tokenizer(text, verbose=False)["input_ids"]) for text in texts]

    def are_short(self, texts: Sequence[str]) -> bool:
        """Check that no text has more than MAX_TOKENS, or more than the model can read."""
        return max(self.count_tokens(texts)) <= min(MAX_TOKENS, self.max_tokens)

    def encode(self, texts: Sequence[str]) -> dict[str, Tensor]:
        """Make wordpieces and mask, each (n_texts, n_pieces). Long texts are truncated."""
        limit = {"truncation": True, "max_length": self.max_tokens}
        found = self.tokenizer(list(texts), padding=True, return_tensors="pt", **limit)
        return {name: found[name].to(self.model.device) for name in ("input_ids", "attention_mask")}

    def encode_pairs(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Tensor]:
        """Make the inputs of a forward pass. "labels" are (n_texts, n_pieces of targets)."""
        target = self.encode(targets)
        labels = target["input_ids"].masked_fill(target["attention_mask"] == 0, IGNORED)
        return {**self.encode(sources), "labels": labels}

    def generate(self, texts: Sequence[str], n: int = 1) -> list[list[str]]:
        """Generate paraphrases of each text by beam search.

        RETURNS: At most n paraphrases for each text, the most probable first. Paraphrases that are
            cut off at MAX_TOKENS are dropped, and texts that are longer than that get none. Line
            ends become spaces.
        """
        short = [i for i, text in enumerate(texts) if self.are_short([text])]
        found: list[list[str]] = [[] for _ in texts]
        if not short:
            return found
        limit = min(MAX_TOKENS, self.max_tokens)
        chosen = {"num_beams": max(BEAMS, n), "do_sample": False, "num_return_sequences": n}
        self.model.eval()
        with torch.inference_mode():
            inputs = self.encode([texts[i] for i in short])
            # (n_short * n, n_pieces)
            pieces = self.model.generate(**inputs, **chosen, min_length=0, max_length=limit)
        end = torch.tensor(self.model.generation_config.eos_token_id, device=pieces.device)
        # The first piece is the start symbol, which some models also use as the end symbol. Some
        # models force the end symbol at the maximum length.
        ended = torch.isin(pieces[:, 1 : limit - 1], end).any(-1)
        written = self.tokenizer.batch_decode(
            pieces, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        for number, (text, is_whole) in enumerate(zip(written, ended.tolist(), strict=True)):
            if is_whole and text.strip():
                found[short[number // n]].append(" ".join(text.split()))
        return found

    def save(self, folder: Path, log: dict[str, Any]) -> None:
        """Save the model, the tokenizer and the log of a training in a folder."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        (folder / LOG).write_text(json.dumps(log, indent=1) + "\n", encoding="utf8")


def load_generator(name: str, *, device: str = "cpu") -> Seq2Seq:
    """Load a model and its tokenizer from a folder, the cache or the hub.

    Raises ValueError if the model or the device does not exist.
    """
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(f"torch must be able to use {device!r}. Choose the CPU (--gpu-id -1).")
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForSeq2SeqLM.from_pretrained(name)
    except LOAD_ERRORS as error:
        text = format_load_error(name, error, kind="seq2seq model", option="--model")
        raise ValueError(text) from error
    return Seq2Seq(model.float().to(device), tokenizer)


def train_generator(
    pairs: Sequence[tuple[str, str]],
    output: Path,
    *,
    model: str = MODEL,
    training: Training = Training(),  # noqa: B008  # it cannot be changed
    device: str = "cpu",
    on_step: Callable[[int, int, float], object] = lambda *_: None,
) -> TrainingReport:
    """Fine-tune a seq2seq model to write the second text of a pair when it reads the first.

    output: Folder for the new model and tokenizer. The output of an earlier training is replaced.
        After each epoch, a checkpoint is saved in OUTPUT.checkpoint. A resumed training ends with
        the same weights as an uninterrupted one.
    model: Name on the Hugging Face hub, or a local folder.
    on_step: Function that is called after each update with its number (from 1), the total number of
        updates, and the loss.

    Raises ValueError if all pairs are too long, if the checkpoint belongs to another training, or
    if the output folder has other files.
    """
    checkpoint = output.with_name(f"{output.name}.checkpoint")
    for folder in (output, checkpoint):
        is_new = not folder.exists() or (folder.is_dir() and not any(folder.iterdir()))
        if not is_new and not (folder / LOG).is_file():
            raise ValueError(
                f"The output must be a new or empty folder, or that of an earlier training (with "
                f"{LOG}), got {folder}."
            )
    settings = {
        "model": fingerprint_model(model),
        "pairs": fingerprint_values(pairs),
        **training._asdict(),
    }
    losses: list[float] = []
    if (checkpoint / LOG).is_file():
        log = json.loads((checkpoint / LOG).read_text(encoding="utf8"))
        check_settings(log["settings"], settings, checkpoint)
        losses = log["losses"]
    generator = load_generator(str(checkpoint) if losses else model, device=device)
    both = [*pairs, *(pair[::-1] for pair in pairs)] if training.both_directions else pairs
    examples = [example for example in both if generator.are_short(example)]
    if not examples:
        raise ValueError(
            f"There must be pairs whose texts have at most {MAX_TOKENS} wordpieces, got none in "
            f"{len(both)} examples."
        )
    weights = generator.model.parameters()
    optimizer = torch.optim.AdamW(weights, lr=training.learning_rate, weight_decay=0.0)
    if losses:
        state = torch.load(checkpoint / OPTIMIZER, map_location=device, weights_only=True)
        optimizer.load_state_dict(state)
    for epoch in range(len(losses), training.epochs):
        losses.append(_train_epoch(generator, optimizer, examples, training, epoch, on_step))
        with open_output_folder(checkpoint) as folder:
            generator.save(folder, {"settings": settings, "losses": losses})
            torch.save(optimizer.state_dict(), folder / OPTIMIZER)
    report = TrainingReport(len(examples), len(both) - len(examples), losses)
    with open_output_folder(output) as folder:
        generator.save(folder, {"settings": settings, **report._asdict()})
    shutil.rmtree(checkpoint, ignore_errors=True)
    return report


def _train_epoch(
    generator: Seq2Seq,
    optimizer: torch.optim.Optimizer,
    examples: Sequence[tuple[str, str]],
    training: Training,
    epoch: int,
    on_step: Callable[[int, int, float], object],
) -> float:
    """Train one epoch and return its mean loss.

    The order and the dropout depend only on the seed and the epoch, so that training can resume.
    """
    model, size = generator.model, training.batch_size
    rng = random.Random(f"{training.seed}/{epoch}")
    order = rng.sample(range(len(examples)), len(examples))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    n_steps = len(batches) * training.epochs
    losses = []
    model.train()
    with torch.random.fork_rng(devices=[model.device] if model.device.type == "cuda" else []):
        torch.manual_seed(rng.getrandbits(63))
        for step, batch in enumerate(batches, start=epoch * len(batches)):
            for group in optimizer.param_groups:
                group["lr"] = training.learning_rate * (1 - step / n_steps)
            sources, targets = map(list, zip(*(examples[i] for i in batch), strict=True))
            loss = model(**generator.encode_pairs(sources, targets)).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), MAX_GRAD_NORM)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            if not math.isfinite(losses[-1]):
                raise ValueError("The loss must be finite. Use a lower learning rate.")
            on_step(step + 1, n_steps, losses[-1])
    return sum(losses) / len(losses)
