"""The outputs of the three bundled models on a few hundred texts of the sample.

`python tests/frozen_outputs.py` records them in tests/frozen_outputs.jsonl. Do that only when
bundled weights are replaced on purpose: refactoring must not change their outputs.
"""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import SpanGroup

import spacy_sentid

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "assets" / "sample"
FILE = Path(__file__).with_suffix(".jsonl")


def list_texts() -> list[str]:
    """List texts in several layouts, built from the sample's units, the same on every call."""
    rng = random.Random(0)
    units = [
        line.removeprefix("# text = ")
        for name in ("train", "dev", "test")
        for line in (SAMPLE / f"{name}.conllu").read_text(encoding="utf8").splitlines()
        if line.startswith("# text = ")
    ]
    texts = []
    while units:
        n_units = rng.choice((1, 2, 3, 5, 9))
        separator = rng.choice((" ", "\n", "\n\n", "  "))
        texts.append(separator.join(units[:n_units]))
        units = units[n_units:]
    pages = (SAMPLE / "pages.jsonl").read_text(encoding="utf8").splitlines()
    texts += [json.loads(page)["text"] for page in pages]
    texts.append((SAMPLE / "inbox.txt").read_text(encoding="utf8"))
    return [*texts, "", " \n", "Hello", "\N{GRINNING FACE} ok\u200b!"]


def list_pairs() -> list[tuple[str, str]]:
    """List pairs of texts: the dev and test pairs, and every 24th contrast."""
    rows = []
    for name, step in (("dev", 1), ("test", 1), ("contrasts", 24)):
        lines = (SAMPLE / "paraphrase" / f"{name}.jsonl").read_text(encoding="utf8").splitlines()
        rows += lines[::step]
    pairs = [json.loads(row) for row in rows]
    return [(" ".join(pair["sent1"]), " ".join(pair["sent2"])) for pair in pairs]


def list_chinese() -> list[str]:
    """List Chinese texts: the dev and test sentences, and long texts that join them."""
    texts = []
    for name in ("dev", "test"):
        lines = (SAMPLE / "words" / f"{name}.txt").read_text(encoding="utf8").splitlines()
        texts += [line.replace(" ", "") for line in lines]
        texts.append("".join(texts))
    return texts


def find_outputs() -> Iterator[dict[str, Any]]:
    """Run the bundled models, and yield a row for each text. Scores have seven decimals."""
    nlp = load_bundled("en", "sentence_identifier")
    for text in list_texts():
        doc = nlp(text)
        yield {"text": text, **{key: describe(doc.spans[key]) for key in ("su", "nsu")}}
    nlp = load_bundled("en", "paraphrase_tagger")
    for first, second in list_pairs():
        doc = nlp(spacy_sentid.make_pair(nlp, first, second))
        yield {"pair": [first, second], "unparaphrased": describe(doc.spans["unparaphrased"])}
    nlp = load_bundled("zh", "word_segmenter")
    for text in list_chinese():
        yield {"chinese": text, "words": [token.text for token in nlp(text)]}


def load_bundled(lang: str, component: str) -> Language:
    """Make a pipeline of one component with its bundled weights."""
    nlp = spacy.blank(lang)
    nlp.add_pipe(component)
    return nlp


def describe(group: SpanGroup) -> dict[str, Any]:
    """List the spans of a group with character offsets, and the arrays in its attributes."""
    numbers = {
        name: [round(float(number), 7) for number in value]
        for name, value in sorted(group.attrs.items())
    }
    return {"spans": [[span.start_char, span.end_char, span.label_] for span in group], **numbers}


if __name__ == "__main__":
    with FILE.open("w", encoding="utf8") as file:
        for row in find_outputs():
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
