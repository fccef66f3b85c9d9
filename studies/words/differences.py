"""Sentences to annotate, in which two word segmenters differ (section 4.1, Table 2).

sentences, words of model A, words of model B -> different sentences, words marked, models hidden

OUT.jsonl            {"id", "text", "differences": [{"start_char", "end_char"}],
                      "results": [{"words", "marked"}, {"words", "marked"}]} per line
OUT.jsonl.key.jsonl  {"id", "order"} per line, with the model, "A" or "B", of each result

Offsets are characters of the text, half-open.
"""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, tee, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from spacy_sentid.files.atomic import open_output
from spacy_sentid.files.records import (
    BadLine,
    Line,
    bad_line,
    format_record,
    parse_record,
    read_lines,
    write_errors,
)
from spacy_sentid.word_segmenter.boundary_probs import segment_texts
from spacy_sentid.word_segmenter.scorer import check_text, spans_from_words, strip_words

MODELS = ("A", "B")
MARK = "*"
SEPARATOR = "/"


class TextLine(NamedTuple):
    """A sentence to segment."""

    id: Any
    text: str


class WordComparison(NamedTuple):
    """A sentence that two models segment differently.

    order: The model of each of `record["results"]`, e.g. ("B", "A").
    """

    record: dict[str, Any]
    order: tuple[str, ...]

    def to_key(self) -> dict[str, Any]:
        """Make the record for the key file, which annotators must not see."""
        return {"id": self.record["id"], "order": list(self.order)}


def key_path(output: Path) -> Path:
    """Return the path of the key file, which has the model of each result.

    >>> key_path(Path("out/differ.jsonl")).name
    'differ.jsonl.key.jsonl'
    """
    return output.with_name(f"{output.name}.key.jsonl")


def read_sentences(
    paths: Iterable[Path],
    *,
    on_error: Callable[[BadLine], object],
    on_line: Callable[[], object] | None = None,
) -> Iterator[TextLine]:
    """Read sentences from lines of text, or from .jsonl objects with "text" and optionally "id".

    Blank lines and texts are skipped. The default id is the place of the line, e.g. "zx.txt:7".

    on_error: Called with each bad line, which is skipped.
    on_line: Called for each line that is not empty.
    """
    for path in paths:
        is_json = path.suffix == ".jsonl"
        for line in read_lines(path):
            if on_line is not None:
                on_line()
            if isinstance(line, BadLine):
                on_error(line)
                continue
            try:
                sentence = parse_sentence(line) if is_json else TextLine(line.place, line.text)
            except ValueError as error:
                on_error(bad_line(line.place, error))
                continue
            if sentence.text.strip():
                yield sentence


def parse_sentence(line: Line) -> TextLine:
    """Parse a line of JSONL. Raise ValueError if it has no "text".

    >>> parse_sentence(Line("a.jsonl:1", '{"text": "邀请上朋友"}'))
    TextLine(id='a.jsonl:1', text='邀请上朋友')
    """
    record = parse_record(line)
    if not isinstance(record.get("text"), str):
        raise ValueError(
            f'{line.place} must be an object with a string "text", got the keys {sorted(record)}.'
        )
    name = record.get("id")
    return TextLine(line.place if name is None else name, record["text"])


def compare_words(
    sentences: Iterable[TextLine],
    words_a: Iterable[Sequence[str]],
    words_b: Iterable[Sequence[str]],
    *,
    seed: int = 0,
    on_sentence: Callable[[], object] | None = None,
) -> Iterator[WordComparison]:
    """Find the sentences that two models segment differently, and hide the model of each result.

    words_a, words_b: The words of each sentence, with or without white space.
    seed: Random seed for the order of the two results, which also depends on the number of the
        sentence.
    on_sentence: Called for each sentence, also if both results are the same.
    Raises ValueError if words do not spell their sentence, or are missing.

    >>> words_a, words_b = ["邀", "请上", "朋友"], ["邀", "请", "上", "朋友"]
    >>> comparison, = compare_words([TextLine("1", "邀请上朋友")], [words_a], [words_b], seed=6)
    >>> [result["marked"] for result in comparison.record["results"]]
    ['邀/请*/上*/朋友/', '邀/请上*/朋友/']
    >>> comparison.order, comparison.record["differences"]
    (('B', 'A'), [{'start_char': 1, 'end_char': 3}])
    """
    rows = zip_longest(sentences, words_a, words_b)
    for number, (sentence, *pair) in enumerate(rows):
        if sentence is None or None in pair:
            raise ValueError(
                f"Each sentence must have the words of both models, but after {number} sentences "
                "one of the three inputs ends. Segment all sentences with both models."
            )
        if on_sentence is not None:
            on_sentence()
        results = [strip_words(words) for words in pair]
        text = "".join(sentence.text.split())
        for words in results:
            check_text(text, "".join(words))
        if results[0] == results[1]:
            continue
        order = [0, 1]
        random.Random(f"{seed}/{number}").shuffle(order)
        record = {
            "id": sentence.id,
            "text": sentence.text,
            "differences": find_differences(sentence.text, *results),
            "results": [
                {"words": results[i], "marked": mark_words(results[i], results[1 - i])}
                for i in order
            ],
        }
        yield WordComparison(record, tuple(MODELS[i] for i in order))


def write_comparison(
    nlps: Sequence[Language],
    paths: Sequence[Path],
    output: Path,
    *,
    seed: int = 0,
    limit: int | None = None,
    on_line: Callable[[], object] | None = None,
) -> tuple[int, int, int]:
    """Write the sentences that two pipelines segment differently, the key and the errors.

    limit: Maximum number of sentences to write.
    RETURNS: The numbers of different sentences, of compared sentences, and of bad lines.
    """
    errors: list[BadLine] = []
    n_found = n_compared = 0

    def count_sentence() -> None:
        nonlocal n_compared
        n_compared += 1

    # One model is at most a batch ahead of the other, so `tee` keeps few sentences in memory.
    sentences, for_a, for_b = tee(read_sentences(paths, on_error=errors.append, on_line=on_line), 3)
    words = [
        segment_texts(nlp, (sentence.text for sentence in copy))
        for nlp, copy in zip(nlps, (for_a, for_b), strict=True)
    ]
    found = compare_words(sentences, *words, seed=seed, on_sentence=count_sentence)
    with open_output(output) as file, open_output(key_path(output)) as key_file:
        for row in islice(found, limit):
            n_found += 1
            file.write(format_record(row.record) + "\n")
            key_file.write(format_record(row.to_key()) + "\n")
    return n_found, n_compared, write_errors(output, errors)


def mark_words(words: Sequence[str], others: Sequence[str]) -> str:
    """Format words as in Table 2, with a slash after each word and a star after different words.

    A word is different if its exact span is not in `others`. (In Table 2, 邀 also has a star,
    although it is in both results.)

    >>> mark_words(["邀", "请上", "朋友"], ["邀", "请", "上", "朋友"])
    '邀/请上*/朋友/'
    """
    spans = set(spans_from_words(others))
    pairs = zip(words, spans_from_words(words), strict=True)
    return "".join(f"{word}{'' if span in spans else MARK}{SEPARATOR}" for word, span in pairs)


def find_differences(
    text: str, words_a: Iterable[str], words_b: Iterable[str]
) -> list[dict[str, int]]:
    """Find the shortest spans that start and end at boundaries of both segmentations but differ.

    text: Text of the words, which may have white space between them.
    RETURNS: The spans in text order, with characters from `start_char` to before `end_char`.

    >>> find_differences("请 上朋友", ["请", "上", "朋友"], ["请上", "朋友"])
    [{'start_char': 0, 'end_char': 3}]
    """
    # Without white space, both results have the same characters.
    places = [i for i, character in enumerate(text) if not character.isspace()]
    ends_a, ends_b = ({end for _, end in spans_from_words(words)} for words in (words_a, words_b))
    only_one = sorted(ends_a ^ ends_b)
    found, start, next_one = [], 0, 0
    for end in sorted(ends_a & ends_b):
        if next_one < len(only_one) and only_one[next_one] < end:
            found.append({"start_char": places[start], "end_char": places[end - 1] + 1})
        while next_one < len(only_one) and only_one[next_one] < end:
            next_one += 1
        start = end
    return found
