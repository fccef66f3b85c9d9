"""A BART small enough to train in tests, with random weights and its own tokenizer."""

from pathlib import Path

import torch
from tokenizers import ByteLevelBPETokenizer
from transformers import BartConfig, BartForConditionalGeneration, BartTokenizerFast

PAIRS = [
    ("the cat sat on the mat", "a cat was sitting on the mat"),
    ("sales rose in may", "in may sales went up"),
    ("he left the house", "he went out of the house"),
    ("rain is expected", "they expect rain"),
]
SPECIAL = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
MAX_POSITIONS = 96


def make_bart(folder: Path, *, dropout: float = 0.1) -> Path:
    """Write a tiny BART with random weights into a folder."""
    torch.set_num_threads(1)
    folder.mkdir(parents=True)
    bpe = ByteLevelBPETokenizer()
    texts = [text for pair in PAIRS for text in pair]
    bpe.train_from_iterator(texts, vocab_size=330, min_frequency=1, special_tokens=SPECIAL)
    bpe.save_model(str(folder))
    tokenizer = BartTokenizerFast.from_pretrained(str(folder), model_max_length=MAX_POSITIONS)
    tokenizer.save_pretrained(str(folder))
    config = BartConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=MAX_POSITIONS,
        d_model=32,
        encoder_layers=1,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        dropout=dropout,
    )
    with torch.random.fork_rng():
        torch.manual_seed(0)
        BartForConditionalGeneration(config).save_pretrained(str(folder))
    return folder
