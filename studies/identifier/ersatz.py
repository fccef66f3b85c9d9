"""ERSATZ, the sentence segmenter of the paper's postprocess setting (6.2).

texts -> sentences, which ERSATZ normalizes -> segments [start_char, end_char) of the text as given
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pickle import UnpicklingError
from types import SimpleNamespace
from typing import Any

from spacy_sentid.sentence_identifier import segmenters
from spacy_sentid.sentence_identifier.segmenters import Segmenter, Segments

ERSATZ = "ersatz"
# What its command line has by default.
ERSATZ_SETTINGS = {
    "model": "default-multilingual",
    "input": None,
    "output": None,
    "batch_size": 16,
    "candidates": "multilingual",
    "cpu": False,
    "columns": None,
}
META_SPACE = "\u2581"  # how sentencepiece writes a space


def make_segmenter(name: str, *, lang: str = "en") -> Segmenter:
    """Make the segmenter of a name: "ersatz", or any that `evaluate units` knows.

    The package ersatz is the user's to install. Raises ValueError if there is no such segmenter.
    """
    if name == ERSATZ:
        return partial(_segment_with_ersatz, _import_ersatz())
    return segmenters.make_segmenter(name, lang=lang)


def locate_sentences(text: str, sentences: Sequence[str]) -> Segments:
    """Find sentences that a segmenter returned as strings in the text that it was given.

    White space may differ, and so may what Unicode calls compatible (NFKD: sentencepiece
    normalizes), but nothing else.

    >>> locate_sentences("Hi  Bo\u2026 Bye.", ["Hi Bo...", "Bye."])
    [(0, 7), (8, 12)]
    """
    given = [(char, i) for i, original in enumerate(text) for char in _visible(original)]
    segments: Segments = []
    position = 0
    for sentence in sentences:
        found = [char for original in sentence for char in _visible(original)]
        end = position + len(found)
        if [char for char, _ in given[position:end]] != found:
            raise ValueError(_difference(text, given[position:end], sentence))
        if found:
            segments.append((given[position][1], given[end - 1][1] + 1))
        position = end
    if position < len(given):
        raise ValueError(_difference(text, given[position:], ""))
    return segments


def _difference(text: str, given: Sequence[tuple[str, int]], sentence: str) -> str:
    start = given[0][1] if given else len(text)
    return (
        "The segmenter must return the sentences of the text, in order and in its words, got "
        f"{sentence[:40]!r} for {text[start : start + 40]!r}. Choose another segmenter."
    )


def _visible(char: str) -> str:
    """Give what is left of a character without looks: no white space, no control characters."""
    return "".join(
        part
        for part in unicodedata.normalize("NFKD", char)
        if not (part.isspace() or part == META_SPACE or unicodedata.category(part) in ("Cc", "Cf"))
    )


def _import_ersatz() -> Callable[[Any], list[str]]:
    try:
        import sentencepiece  # noqa: F401  # ersatz imports it only when it splits

        # Not `ersatz.split`: that name is a function until its first call, then this module.
        from ersatz.split import split
    except ImportError as error:
        raise ValueError(
            f"The segmenter {ERSATZ!r} cannot be imported ({error}). It needs the package ersatz "
            "1.0.0 with torch, sentencepiece and progressbar2. Install them ('pip install "
            "--no-deps ersatz' keeps your torch), or choose 'sentencizer'."
        ) from error
    return split


def _segment_with_ersatz(
    split: Callable[[Any], list[str]], texts: Iterable[str]
) -> Iterator[Segments]:
    for text in texts:
        # It reads line by line, and returns None for no text.
        try:
            sentences = split(SimpleNamespace(text=text, **ERSATZ_SETTINGS)) if text.strip() else []
        except UnpicklingError as error:
            raise ValueError(
                "torch 2.6 and later do not read the models of ERSATZ, which hold more than "
                "weights. Use an older torch or, if you trust the models, set the environment "
                "variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1."
            ) from error
        yield locate_sentences(text, sentences)
