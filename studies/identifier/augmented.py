"""Treebanks with additional noun phrases as NSUs, and with some end marks removed.

train, dev -> `augment_treebanks` -> noun phrases between the units -> .spacy files
"""

import re
from collections.abc import Mapping
from itertools import compress
from pathlib import Path
from random import Random

from spacy.language import Language

from spacy_sentid.corpus_augmenter.treebanks import augment_treebanks
from spacy_sentid.sentence_identifier.data.convert import convert_treebank, write_docs

# P and N of `augment_treebanks`.
REMOVE_PUNCT, ADD_NP = 0.2, 0.2
PHRASE_ID = re.compile(r"^# sent_id = .*-np\d+(?:\.\d+)?$", re.MULTILINE)
NEWDOC_LINE = re.compile(r"^# newdoc.*\n", re.MULTILINE)


def convert_augmented(files: Mapping[str, list[Path]], corpus: Path, nlp: Language) -> Path:
    """Convert train and dev with noun phrases added between units, and some end marks removed."""
    folder = corpus / "augmented"
    for split in ("train", "dev"):
        converted = folder / f"{split}.spacy"
        if not converted.exists():
            treebank = folder / f"{split}.conllu"
            treebank.parent.mkdir(parents=True, exist_ok=True)
            augment_treebanks(files[split], treebank, remove_punct=REMOVE_PUNCT, add_np=ADD_NP)
            treebank.write_text(
                spread_phrases(treebank.read_text(encoding="utf8"), Random(0)), encoding="utf8"
            )
            write_docs(convert_treebank(treebank, nlp), converted)
    return folder


def spread_phrases(text: str, rng: Random) -> str:
    """Move the noun phrases from the end of an augmented treebank to random positions."""
    blocks = text.strip("\n").split("\n\n")
    is_phrase = [bool(PHRASE_ID.search(block)) for block in blocks]
    units = [block for block, phrase in zip(blocks, is_phrase, strict=True) if not phrase]
    placed: list[tuple[float, str]] = [(float(n), unit) for n, unit in enumerate(units)]
    for block in compress(blocks, is_phrase):
        placed.append((rng.uniform(0, len(units)), NEWDOC_LINE.sub("", block)))
    return "".join(f"{block}\n\n" for _, block in sorted(placed))
