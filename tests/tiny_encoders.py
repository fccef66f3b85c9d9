"""Encoders small enough to build in tests, with random weights and their own tokenizers."""

from pathlib import Path

from tokenizers import ByteLevelBPETokenizer, Tokenizer, decoders, models, pre_tokenizers
from tokenizers.processors import TemplateProcessing
from transformers import (
    BertConfig,
    BertModel,
    BertTokenizerFast,
    DebertaV2Config,
    DebertaV2Model,
    DebertaV2TokenizerFast,
    RobertaConfig,
    RobertaModel,
    RobertaTokenizerFast,
)

HIDDEN = 16
SMALL = {
    "hidden_size": HIDDEN,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}
TEXTS = [
    ("Sales rose again in May .", "In May , sales were rising ."),
    ("It rains .", "The weather in the unpronounceable north-western mountains is bad today ."),
    ("He did not go .", "He went ."),
]
LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,-'"
N_POSITIONS = 100


def save_bert(folder: Path) -> None:
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "sales", "##ing", "is"]
    pieces += [*LETTERS, *(f"##{letter}" for letter in LETTERS)]
    (folder / "vocab.txt").write_text("\n".join(pieces))
    BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=512).save_pretrained(folder)
    config = BertConfig(vocab_size=len(pieces), max_position_embeddings=N_POSITIONS, **SMALL)
    BertModel(config).save_pretrained(folder)


def save_roberta(folder: Path) -> None:
    bpe = ByteLevelBPETokenizer()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    texts = [text for pair in TEXTS for text in pair]
    bpe.train_from_iterator(texts, vocab_size=300, min_frequency=1, special_tokens=special)
    bpe.save_model(str(folder))
    # As on the Hub, the tokenizer is not set up for text that is split into words.
    tokenizer = RobertaTokenizerFast.from_pretrained(folder, model_max_length=512)
    tokenizer.save_pretrained(folder)
    config = RobertaConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=N_POSITIONS + 2,
        type_vocab_size=1,
        **SMALL,
    )
    RobertaModel(config).save_pretrained(folder)


def save_deberta(folder: Path) -> None:
    special = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]
    pieces = [*special, "▁", "▁Sales", "▁in", "ing", *LETTERS, *LETTERS[:26].upper()]
    scores = [(piece, -1.0 if len(piece) > 1 else -5.0) for piece in pieces]
    backend = Tokenizer(models.Unigram(scores, unk_id=3))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    backend.post_processor = TemplateProcessing(
        single="[CLS]:0 $A:0 [SEP]:0",
        pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    backend.save(str(folder / "made.json"))
    tokenizer = DebertaV2TokenizerFast(tokenizer_file=str(folder / "made.json"))
    tokenizer.save_pretrained(folder)
    # These are the settings of DeBERTa-v3.
    config = DebertaV2Config(
        vocab_size=len(tokenizer),
        max_position_embeddings=N_POSITIONS,
        type_vocab_size=0,
        relative_attention=True,
        position_buckets=8,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type="p2c|c2p",
        position_biased_input=False,
        **SMALL,
    )
    DebertaV2Model(config).save_pretrained(folder)


SAVERS = {"bert": save_bert, "roberta": save_roberta, "deberta": save_deberta}
