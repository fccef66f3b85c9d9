"""The outputs of all bundled weights on a few hundred texts, also with other settings.

`python tests/frozen_outputs.py` records them in tests/frozen_outputs.jsonl. Do that only when
bundled weights are replaced on purpose: refactoring must not change their outputs.
"""

import hashlib
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import SpanGroup

import spacy_sentid
from spacy_sentid.sentence_identifier.data.marked_text import parse_marked_text

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "assets" / "sample"
EVERYDAY = ROOT / "assets" / "everyday"
FILE = Path(__file__).with_suffix(".jsonl")
LANGUAGES = ("de", "en", "es", "fr", "it", "nl", "pt")
# Settings of the identifier that are not the default, each for some of the English texts.
SETTINGS: list[dict[str, Any]] = [
    {"newline": "learned"},
    {"newline": "break"},
    {"newline": "ignore"},
    {"nsu_span": "line"},
    {"nsu_span": "merged"},
    {"nsu_kinds": False},
    {"decode_weights": None},
    {"decoder": "bos_eos"},
    {"threshold": 0.2},
    {"max_length": 12},
]


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


def list_everyday(lang: str) -> dict[str, str]:
    """List the everyday dev texts of a language by their IDs."""
    folder = EVERYDAY / ("" if lang == "en" else lang) / "dev"
    documents = [
        document
        for path in sorted(folder.glob("*.txt"))
        for document in parse_marked_text(path.read_text(encoding="utf8"), name=path.name)
    ]
    return {document.id: document.text for document in documents}


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
    """Run the bundled models, and yield a row for each text."""
    nlp = load_bundled("en", "sentence_identifier")
    for text in list_texts():
        doc = nlp(text)
        yield {"text": text, **{key: describe(doc.spans[key]) for key in ("su", "nsu")}}
    yield from find_everyday_outputs()
    nlp = load_bundled("en", "paraphrase_tagger")
    for first, second in list_pairs():
        doc = nlp(spacy_sentid.make_pair(nlp, first, second))
        yield {"pair": [first, second], "unparaphrased": describe(doc.spans["unparaphrased"])}
    nlp = load_bundled("zh", "word_segmenter")
    for text in list_chinese():
        yield {"chinese": text, "words": [token.text for token in nlp(text)]}


def find_everyday_outputs() -> Iterator[dict[str, Any]]:
    """Run the identifiers of all languages on everyday texts, which are recorded by their IDs."""
    for lang in LANGUAGES:
        nlp = load_bundled(lang, "sentence_identifier")
        texts = list_everyday(lang)
        for id_, text in texts.items():
            doc = nlp(text)
            units = {key: describe(doc.spans[key], decimals=5) for key in ("su", "nsu")}
            yield {"lang": lang, "id": id_, **units}
        # Longer than the stretches of long texts, with and without their lines.
        if lang in ("en", "es"):
            for joint in ("\n\n", " "):
                text = joint.join(texts.values())
                doc = nlp(text if joint != " " else " ".join(text.split()))
                found = [describe(doc.spans[key])["spans"] for key in ("su", "nsu")]
                digest = hashlib.sha256(json.dumps(found).encode()).hexdigest()
                yield {"lang": lang, "joint": joint, "counts": [*map(len, found)], "digest": digest}
    texts = list_everyday("en")
    for number, settings in enumerate(SETTINGS):
        nlp = load_bundled("en", "sentence_identifier", **settings)
        for id_ in list(texts)[number :: len(SETTINGS)]:
            doc = nlp(texts[id_])
            units = {key: describe(doc.spans[key], decimals=5) for key in ("su", "nsu")}
            yield {"settings": settings, "id": id_, **units}


def load_bundled(lang: str, component: str, **settings: Any) -> Language:
    """Make a pipeline of one component with its bundled weights."""
    nlp = spacy.blank(lang)
    nlp.add_pipe(component, config=settings)
    return nlp


def describe(group: SpanGroup, *, decimals: int = 7) -> dict[str, Any]:
    """List the spans of a group with character offsets, and the arrays in its attributes."""
    numbers = {
        name: [round(float(number), decimals) for number in value]
        for name, value in sorted(group.attrs.items())
    }
    return {"spans": [[span.start_char, span.end_char, span.label_] for span in group], **numbers}


if __name__ == "__main__":
    with FILE.open("w", encoding="utf8") as file:
        for row in find_outputs():
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
