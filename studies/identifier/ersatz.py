"""ERSATZ, the sentence segmenter of the paper's postprocess setting (6.2).

texts -> sentences, normalized by ERSATZ -> segments [start_char, end_char) of the original text
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pickle import UnpicklingError
from types import SimpleNamespace
from typing import Any

from studies.identifier import postprocess
from studies.identifier.postprocess import Segmenter, Segments

ERSATZ = "ersatz"
# The defaults of the command line of ERSATZ.
ERSATZ_SETTINGS = {
    "model": "default-multilingual",
    "input": None,
    "output": None,
    "batch_size": 16,
    "candidates": "multilingual",
    "cpu": False,
    "columns": None,
}
META_SPACE = "\u2581"  # sentencepiece writes a space as this character


def make_segmenter(name: str, *, lang: str = "en") -> Segmenter:
    """Make a segmenter by name: "ersatz", or any segmenter of `postprocess`.

    The user must install the package ersatz. Raises ValueError if the name is unknown, or if ersatz
    cannot be imported.
    """
    if name == ERSATZ:
        return partial(_segment_with_ersatz, _import_ersatz())
    return postprocess.make_segmenter(name, lang=lang)


def locate_sentences(text: str, sentences: Sequence[str]) -> Segments:
    """Find sentences in a text, if a segmenter has returned them as strings.

    The sentences may differ from the text in white space and in compatible characters (NFKD),
    because sentencepiece normalizes. They must not differ in anything else.

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
        "The segmenter must return the sentences of the text in order and unchanged, got "
        f"{sentence[:40]!r} for {text[start : start + 40]!r}. Choose another segmenter."
    )


def _visible(char: str) -> str:
    """Return the NFKD parts of a character, without white space and control characters."""
    return "".join(
        part
        for part in unicodedata.normalize("NFKD", char)
        if not (part.isspace() or part == META_SPACE or unicodedata.category(part) in ("Cc", "Cf"))
    )


def _import_ersatz() -> Callable[[Any], list[str]]:
    try:
        import sentencepiece  # noqa: F401  # ersatz imports it only when it is used

        # `ersatz.split` is a function until its first call, and then this module.
        from ersatz.split import split
    except ImportError as error:
        raise ValueError(
            f"The segmenter {ERSATZ!r} cannot be imported ({error}). It requires the packages "
            "ersatz 1.0.0, torch, sentencepiece and progressbar2. Install them ('pip install "
            "--no-deps ersatz' keeps your torch), or choose 'sentencizer'."
        ) from error
    return split


def _segment_with_ersatz(
    split: Callable[[Any], list[str]], texts: Iterable[str]
) -> Iterator[Segments]:
    for text in texts:
        # ERSATZ returns None for an empty text.
        try:
            sentences = split(SimpleNamespace(text=text, **ERSATZ_SETTINGS)) if text.strip() else []
        except UnpicklingError as error:
            raise ValueError(
                "torch 2.6 and later do not load the models of ERSATZ, because they contain more "
                "than weights. Use an older torch or, if you trust the models, set the environment "
                "variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1."
            ) from error
        yield locate_sentences(text, sentences)
