"""Tagged pairs in the format of ParaTag: reading and writing JSON lines, and the corpus reader.

line -> TaggedPair -> Doc with gold spans -> Example

A line is {"id", "sent1": [words], "sent2": [words], "tags1": [0/1], "tags2": [0/1], "source"}.
Tag 1 marks the words of spans that have no paraphrase in the other sentence.
"""

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example

from ..components.pipelines import find, list_factories
from ..files.records import Line, parse_record, read_good_lines
from ..messages import shorten
from .decode import runs_of_ones
from .pairs import get_pair, make_pair, pair_id

UNPARAPHRASED_KEY = "unparaphrased"
# Attribute of these spans: the paraphrase logit minus the non-paraphrase logit of each token (4).
SUPPORT = "support"
LABEL = "UNPARAPHRASED"


class TaggedPair(NamedTuple):
    """The words of two sentences and, if known, a tag for each word; 1 = unparaphrased."""

    id: str
    words1: list[str]
    words2: list[str]
    tags1: list[int] | None = None
    tags2: list[int] | None = None
    source: str = ""


def parse_pair(line: str, place: str, *, allow_identical: bool = False) -> TaggedPair:
    """Parse a line. Raises ValueError with its place if the line is invalid.

    place: The file and line, such as "pairs.jsonl:7". Pairs without an id get it as their id.
    allow_identical: Accept pairs of two sentences with the same words.
    """
    record = parse_record(Line(place, line))
    name = place if record.get("id") is None else str(record["id"])
    where = place if name == place else f"{place} (id {name})"
    sides = []
    for number in (1, 2):
        words, tags = record.get(f"sent{number}"), record.get(f"tags{number}")
        is_list = isinstance(words, list) and all(isinstance(w, str) and w.strip() for w in words)
        if not is_list or not words:
            raise ValueError(
                f"{where}: 'sent{number}' must be a list of non-empty words, got "
                f"{_shown(words)}. Split the sentence into words."
            )
        if tags is not None and not _are_tags(tags, len(words)):
            raise ValueError(
                f"{where}: 'tags{number}' must be a list of 0 and 1 (1: not paraphrased), one for "
                f"each of the {len(words)} words, got {_shown(tags)}."
            )
        sides.append((words, tags))
    (words1, tags1), (words2, tags2) = sides
    if (tags1 is None) != (tags2 is None):
        raise ValueError(f"{where}: both sentences must have tags, or neither.")
    if words1 == words2 and not allow_identical:
        raise ValueError(
            f"{where}: the two sentences must differ. Delete the pair, or allow identical ones."
        )
    return TaggedPair(name, words1, words2, tags1, tags2, str(record.get("source", "")))


def _are_tags(tags: Any, n_words: int) -> bool:
    is_list = isinstance(tags, list) and len(tags) == n_words
    return is_list and all(type(tag) is int and tag in (0, 1) for tag in tags)


def _shown(value: Any) -> str:
    return "nothing" if value is None else shorten(value)


def read_pairs(path: Path, *, allow_identical: bool = False) -> Iterator[TaggedPair]:
    """Read pairs from a file with one pair per line. Empty lines are skipped.

    Raises ValueError with file and line if a line is not a pair.
    """
    for line in read_good_lines(path):
        yield parse_pair(line.text, line.place, allow_identical=allow_identical)


def format_pair(pair: TaggedPair) -> str:
    """Format a pair as a line of JSON, without the line end."""
    record: dict[str, Any] = {"id": pair.id, "sent1": pair.words1, "sent2": pair.words2}
    if pair.tags1 is not None:
        record.update(tags1=pair.tags1, tags2=pair.tags2)
    if pair.source:
        record["source"] = pair.source
    return json.dumps(record, ensure_ascii=False)


def find_key(nlp: Language) -> str:
    """Find the key of the spans of a pipeline's tagger."""
    has_tagger = "paraphrase_tagger" in list_factories(nlp)
    return find(nlp, "paraphrase_tagger").cfg["key"] if has_tagger else UNPARAPHRASED_KEY


def doc_from_pair(nlp: Language, pair: TaggedPair, *, key: str = UNPARAPHRASED_KEY) -> Doc:
    """Make the Doc of a pair. If it has tags, doc.spans[key] has the gold spans."""
    doc = make_pair(nlp, pair.words1, pair.words2, pair_id=pair.id)
    if pair.tags1 is not None and pair.tags2 is not None:
        write_tagged_spans(doc, pair.tags1, pair.tags2, key=key)
    return doc


def pair_from_doc(doc: Doc, *, key: str = UNPARAPHRASED_KEY, source: str = "") -> TaggedPair:
    """Read the words and tags of a Doc. Without spans under `key`, it has no tags (None)."""
    first, _ = get_pair(doc)
    words = [token.text for token in doc]
    n1 = len(first)
    tags1 = tags2 = None
    if key in doc.spans:
        tags = tags_from_spans(doc.spans[key], len(doc))
        tags1, tags2 = tags[:n1], tags[n1:]
    return TaggedPair(pair_id(doc), words[:n1], words[n1:], tags1, tags2, source)


def write_tagged_spans(
    doc: Doc, tags1: list[int], tags2: list[int], *, key: str = UNPARAPHRASED_KEY
) -> None:
    """Write the runs of tag 1 as spans, which never cross from one text to the other."""
    first, second = get_pair(doc)
    doc.spans[key] = [
        Span(doc, text.start + start, text.start + end, label=LABEL)
        for text, tags in ((first, tags1), (second, tags2))
        for start, end in runs_of_ones(tags)
    ]


def tags_from_spans(spans: Iterable[Span], n_tokens: int) -> list[int]:
    """Convert spans to a tag for each token."""
    tags = [0] * n_tokens
    for span in spans:
        tags[span.start : span.end] = [1] * len(span)
    return tags


def make_pair_corpus(path: Path | None, shuffle: bool, swap: bool) -> Callable:
    """Make a corpus reader of tagged pairs, for configs.

    path: A JSON lines file, or a folder of .jsonl files.
    shuffle: Shuffle the pairs in each epoch.
    swap: Swap the two sentences with probability 0.5, drawn again in each epoch. For training data.
    """
    if path is None:
        raise ValueError(
            "The path of a corpus of pairs must be a JSON lines file or a folder of .jsonl files, "
            "got null. Set paths.train and paths.dev: --paths.train train.jsonl --paths.dev "
            "dev.jsonl"
        )
    known: list[TaggedPair] = []

    def read(nlp: Language) -> Iterator[Example]:
        """Read one epoch; ValueError with the file for invalid lines and pairs without tags."""
        if not known:
            known.extend(read_tagged_pairs(Path(path)))
        pairs = list(known)
        # spaCy seeds the global generator with [training] seed.
        if shuffle:
            random.shuffle(pairs)
        for pair in pairs:
            if swap and random.random() < 0.5:
                pair = swap_sides(pair)
            gold = doc_from_pair(nlp, pair)
            yield Example(make_pair(nlp, pair.words1, pair.words2, pair_id=pair.id), gold)

    return read


def read_tagged_pairs(path: Path, *, allow_identical: bool = False) -> list[TaggedPair]:
    """Read the pairs of a file or folder.

    Raises ValueError if a pair has no tags, or if there are no pairs.
    """
    files = sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
    pairs = [
        (file, pair) for file in files for pair in read_pairs(file, allow_identical=allow_identical)
    ]
    for file, pair in pairs:
        if pair.tags1 is None:
            raise ValueError(f"{file}: pair {pair.id!r} must have 'tags1' and 'tags2', got none.")
    if not pairs:
        raise ValueError(f"{path} must have JSON lines of tagged pairs, got none.")
    return [pair for _, pair in pairs]


def swap_sides(pair: TaggedPair) -> TaggedPair:
    """Swap the two sentences of a pair."""
    return pair._replace(words1=pair.words2, words2=pair.words1, tags1=pair.tags2, tags2=pair.tags1)
