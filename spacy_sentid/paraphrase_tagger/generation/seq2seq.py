"""Paraphrase generator (5.3): fine-tuning of a seq2seq model, and decoding. It needs torch.

chosen pairs -> batches of wordpieces -> AdamW, falling learning rate -> a folder of transformers
texts -> beam search or samples -> paraphrases
"""

import json
import math
import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

from ...files.atomic import open_output_folder
from ...files.fingerprint import fingerprint_model, fingerprint_values
from ...files.resume import block_seed, check_settings
from ...layers.hf import LOAD_ERRORS, format_load_error
from .options import (
    LOG,
    MODEL,
    STATE,
    Decoding,
    Training,
    TrainingReport,
    check_folder,
    name_checkpoint,
)

# Number of texts in a batch whose wordpieces are counted.
N_COUNTED = 1000
NO_LIMIT = 1_000_000
IGNORED = -100  # label of padding, which the loss ignores
OPTIMIZER = "optimizer.pt"  # file of a checkpoint


class Seq2Seq:
    """A seq2seq model and its tokenizer; made by `load_generator`."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model = model
        self.tokenizer = tokenizer

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.model.device

    @property
    def max_tokens(self) -> int:
        """The maximum number of wordpieces of a text."""
        positions = getattr(self.model.config, "max_position_embeddings", None)
        # A tokenizer without a limit reports 1e30.
        return min(self.tokenizer.model_max_length, positions or NO_LIMIT)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count the wordpieces of texts, including the special ones at both ends."""
        counts = []
        for start in range(0, len(texts), N_COUNTED):
            some = list(texts[start : start + N_COUNTED])
            counts += [len(ids) for ids in self.tokenizer(some, verbose=False)["input_ids"]]
        return counts

    def encode(self, texts: Sequence[str]) -> dict[str, Tensor]:
        """Make wordpieces and mask, each (n_texts, n_pieces). Long texts are truncated."""
        found = self.tokenizer(
            list(texts),
            padding=True,
            truncation=True,
            max_length=self.max_tokens,
            return_tensors="pt",
        )
        return {name: found[name].to(self.device) for name in ("input_ids", "attention_mask")}

    def encode_pairs(self, sources: Sequence[str], targets: Sequence[str]) -> dict[str, Tensor]:
        """Make the inputs of a forward pass. "labels" are (n_texts, n_pieces of targets)."""
        target = self.encode(targets)
        labels = target["input_ids"].masked_fill(target["attention_mask"] == 0, IGNORED)
        return {**self.encode(sources), "labels": labels}

    def generate(self, texts: Sequence[str], decoding: Decoding, *, seed: int) -> list[list[str]]:
        """Generate paraphrases of each text.

        RETURNS: At most `decoding.n` paraphrases for each text. Beam search puts the most probable
            first. Paraphrases that are cut off at `max_tokens` are dropped, and texts that are
            longer than that get none. Line ends become spaces.
        """
        limit = min(decoding.max_tokens, self.max_tokens)
        short = [i for i, size in enumerate(self.count_tokens(texts)) if size <= limit]
        found: list[list[str]] = [[] for _ in texts]
        if not short:
            return found
        chosen: dict[str, Any] = {"num_beams": max(decoding.beams, decoding.n), "do_sample": False}
        if decoding.sample:
            drawn = {"top_p": decoding.top_p, "top_k": 0, "temperature": decoding.temperature}
            chosen = {"num_beams": 1, "do_sample": True, **drawn}
        self.model.eval()
        with own_seed(seed, self.device), torch.inference_mode():
            # (n_short * n, n_pieces)
            pieces = self.model.generate(
                **self.encode([texts[i] for i in short]),
                **chosen,
                num_return_sequences=decoding.n,
                min_length=0,
                max_length=limit,
            )
        end = self.model.generation_config.eos_token_id
        # The first piece is the start symbol, which some models also use as the end symbol. Some
        # models force the end symbol at the maximum length.
        ended = torch.isin(pieces[:, 1 : limit - 1], torch.tensor(end, device=self.device)).any(-1)
        written = self.tokenizer.batch_decode(
            pieces, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        for number, (text, is_whole) in enumerate(zip(written, ended.tolist(), strict=True)):
            if is_whole and text.strip():
                found[short[number // decoding.n]].append(" ".join(text.split()))
        return found

    def save(self, folder: Path) -> None:
        """Save the model and the tokenizer in a folder."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)


@contextmanager
def own_seed(seed: int, device: torch.device) -> Iterator[None]:
    """Set the seed of torch within a block, and restore its random state afterwards."""
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(seed)
        yield


def load_generator(name: str, *, device: str = "cpu") -> Seq2Seq:
    """Load a model and its tokenizer from a folder, the cache or the hub.

    Raises ValueError if the model or the device does not exist.
    """
    if device.startswith("cuda") and not torch.cuda.is_available():
        raise ValueError(
            f"The device must be one that torch can use, got {device!r}. Choose the CPU (--gpu-id "
            "-1), or install a torch with CUDA."
        )
    try:
        tokenizer = AutoTokenizer.from_pretrained(name)
        model = AutoModelForSeq2SeqLM.from_pretrained(name)
    except LOAD_ERRORS as error:
        text = format_load_error(name, error, kind="seq2seq model", option="--model")
        raise ValueError(text) from error
    return Seq2Seq(model.float().to(device), tokenizer)


# Fine-tuning


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

    output: Folder for the new model and tokenizer, written in one step at the end. The output of an
        earlier training is replaced. After each epoch, a checkpoint is saved in OUTPUT.checkpoint.
        A resumed training ends with the same weights as an uninterrupted one.
    model: Name on the Hugging Face hub, or a local folder.
    on_step: Function that is called after each update with its number (from 1), the total number of
        updates, and the loss.

    Raises ValueError if the model does not exist, if all pairs are too long, if the checkpoint
    belongs to another training, or if the output folder has other files.
    """
    checkpoint = name_checkpoint(output)
    check_folder(output, LOG)
    check_folder(checkpoint, STATE)
    settings = {
        "model": fingerprint_model(model),
        "pairs": fingerprint_values(pairs),
        **training._asdict(),
    }
    losses = read_losses(checkpoint, settings)
    generator = load_generator(str(checkpoint) if losses else model, device=device)
    examples = list(pairs)
    if training.both_directions:
        examples += [(target, source) for source, target in pairs]
    n_all = len(examples)
    examples = drop_long(generator, examples, training.max_tokens)
    if not examples:
        raise ValueError(
            f"There must be pairs whose texts have at most {training.max_tokens} wordpieces, got "
            f"none in {n_all} examples."
        )
    optimizer = torch.optim.AdamW(
        generator.model.parameters(), lr=training.learning_rate, weight_decay=0.0
    )
    if losses:
        state = torch.load(checkpoint / OPTIMIZER, map_location=device, weights_only=True)
        optimizer.load_state_dict(state)
    for epoch in range(len(losses), training.epochs):
        losses.append(
            train_epoch(generator, optimizer, examples, training, epoch=epoch, on_step=on_step)
        )
        with open_output_folder(checkpoint) as folder:
            generator.save(folder)
            torch.save(optimizer.state_dict(), folder / OPTIMIZER)
            write_json(folder / STATE, {"settings": settings, "losses": losses})
    report = TrainingReport(len(examples), n_all - len(examples), losses)
    with open_output_folder(output) as folder:
        generator.save(folder)
        write_json(folder / LOG, {"settings": settings, **report._asdict()})
    shutil.rmtree(checkpoint, ignore_errors=True)
    return report


def read_losses(checkpoint: Path, settings: dict[str, Any]) -> list[float]:
    """Read the losses of the epochs in a checkpoint; [] if there is no checkpoint.

    Raises ValueError if the checkpoint has other settings.
    """
    path = checkpoint / STATE
    if not path.is_file():
        return []
    state = json.loads(path.read_text(encoding="utf8"))
    check_settings(state["settings"], json.loads(json.dumps(settings)), checkpoint)
    return state["losses"]


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write a small JSON file."""
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf8")


def drop_long(
    generator: Seq2Seq, examples: list[tuple[str, str]], max_tokens: int
) -> list[tuple[str, str]]:
    """Drop examples with a text of more than `max_tokens`, or more than the model can read."""
    limit = min(max_tokens, generator.max_tokens)
    sizes = generator.count_tokens([text for example in examples for text in example])
    return [
        example
        for example, size1, size2 in zip(examples, sizes[::2], sizes[1::2], strict=True)
        if max(size1, size2) <= limit
    ]


def train_epoch(
    generator: Seq2Seq,
    optimizer: torch.optim.Optimizer,
    examples: Sequence[tuple[str, str]],
    training: Training,
    *,
    epoch: int,
    on_step: Callable[[int, int, float], object],
) -> float:
    """Train one epoch and return its mean loss.

    The order and the dropout depend only on the seed and the epoch, so that training can resume.
    """
    model, size = generator.model, training.batch_size
    seed = block_seed(training.seed, epoch)
    order = random.Random(seed).sample(range(len(examples)), len(examples))
    batches = [order[start : start + size] for start in range(0, len(order), size)]
    n_steps = len(batches) * training.epochs
    losses = []
    model.train()
    with own_seed(seed, generator.device):
        for step, batch in enumerate(batches, start=epoch * len(batches)):
            for group in optimizer.param_groups:
                group["lr"] = training.learning_rate * (1 - step / n_steps)
            sources, targets = map(list, zip(*(examples[i] for i in batch), strict=True))
            loss = model(**generator.encode_pairs(sources, targets)).loss
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), training.max_grad_norm)
            optimizer.step()
            optimizer.zero_grad()
            losses.append(loss.item())
            if not math.isfinite(losses[-1]):
                raise ValueError(
                    f"The loss must be finite, got {losses[-1]} in update {step + 1}. Use a lower "
                    "learning rate."
                )
            on_step(step + 1, n_steps, losses[-1])
    return sum(losses) / len(losses)
