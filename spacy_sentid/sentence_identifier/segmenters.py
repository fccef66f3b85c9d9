"""Sentence segmenters by name: what runs before identification in the postprocess setting (6.2).

name -> spaCy component, spaCy pipeline or ERSATZ -> texts -> segments [start_char, end_char)

A segmenter takes texts and yields, for each, its segments in order; together they hold every
character that is not white space.
"""

import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from pickle import UnpicklingError
from types import SimpleNamespace
from typing import Any, TypeAlias

import spacy
import spacy.util
from spacy.language import Language
from spacy.pipeline import TrainablePipe

from ..units import NSU, Unit
from .concatenation import AssembledText

Segments: TypeAlias = list[tuple[int, int]]
Segmenter: TypeAlias = Callable[[Iterable[str]], Iterator[Segments]]

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
    """Make the segmenter of a name.

    name: "ersatz" (the paper's; the package is the user's to install), a component that needs no
        training ("sentencizer"; anything that spaCy's registry of factories knows), or the
        package or folder of a pipeline that sets sentence boundaries.
    lang: Language of the blank pipeline that a component is put in.

    Raises ValueError if there is no such segmenter.

    >>> list(make_segmenter("sentencizer")(["Hi. Bye."]))
    [[(0, 3), (4, 8)]]
    """
    if name == ERSATZ:
        return partial(_segment_with_ersatz, _import_ersatz())
    return partial(_segment_with_pipeline, _load_pipeline(name, lang=lang))


def split_by_segments(
    text: str, units: Sequence[Unit], segments: Iterable[tuple[int, int]]
) -> list[AssembledText]:
    """Make an input of each segment of a text; an SU that does not lie in one segment is NSUs.

    units: Gold in characters, in text order.
    segments: `(start_char, end_char)` in text order. Only white space may lie between them; at
        the ends of a segment it is dropped, and a segment of nothing else too.

    Raises ValueError if the segments overlap, leave the text or leave out more than white space.

    >>> units = [Unit(0, 6, "NSU"), Unit(7, 15, "SU"), Unit(16, 24, "SU")]
    >>> for piece in split_by_segments("Page 3 I sleep. You too?", units, [(0, 20), (20, 24)]):
    ...     print(piece.text, [tuple(unit) for unit in piece.units])
    Page 3 I sleep. You [(0, 6, 'NSU'), (7, 15, 'SU'), (16, 19, 'NSU')]
    too? [(0, 4, 'NSU')]
    """
    pieces: list[AssembledText] = []
    position = first = 0
    for start, end in segments:
        if not position <= start <= end <= len(text):
            raise ValueError(
                f"Segments must be in text order and not overlap, got [{start}, {end}) after "
                f"[0, {position}) of a text of {len(text)} characters. Fix the segmenter."
            )
        _check_only_space(text, position, start)
        position = end
        start, end = _strip_space(text, start, end)
        while first < len(units) and units[first].end <= start:
            first += 1
        inside: list[Unit] = []
        for unit in units[first:]:
            if start == end or unit.start >= end:
                break
            bounds = _strip_space(text, max(unit.start, start), min(unit.end, end))
            whole = bounds == _strip_space(text, unit.start, unit.end)
            if bounds[0] < bounds[1]:
                label = unit.label if whole else NSU
                inside.append(Unit(bounds[0] - start, bounds[1] - start, label))
        if start < end:
            pieces.append(AssembledText(text[start:end], inside))
    _check_only_space(text, position, len(text))
    return pieces


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


def _load_pipeline(name: str, *, lang: str) -> Language:
    try:
        blank = spacy.blank(lang)
    except ImportError as error:
        raise ValueError(
            f"The language must be one of spaCy such as 'en', got {lang!r} ({error})."
        ) from error
    if blank.has_factory(name):
        if isinstance(blank.add_pipe(name), TrainablePipe):
            raise ValueError(
                f"The segmenter must work without training, got the component {name!r}. Name a "
                "trained pipeline that has it."
            )
        return blank
    if not Path(name, "config.cfg").is_file() and not spacy.util.is_package(name):
        raise ValueError(
            f"There is no segmenter {name!r}. Name {ERSATZ!r}, a component such as 'sentencizer', "
            "or the package or folder of a pipeline."
        )
    return spacy.load(name)


def _segment_with_pipeline(nlp: Language, texts: Iterable[str]) -> Iterator[Segments]:
    for doc in nlp.pipe(texts):
        if len(doc) > 1 and not doc.has_annotation("SENT_START"):
            raise ValueError(
                "The segmenter must set sentence boundaries (components: "
                f"{', '.join(nlp.pipe_names) or 'none'}). Choose a pipeline with a parser, a "
                "senter or a sentencizer."
            )
        yield (
            [(sent.start_char, sent.end_char) for sent in doc.sents]
            if len(doc) > 1
            else [(0, len(doc.text))]
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


def _strip_space(text: str, start: int, end: int) -> tuple[int, int]:
    """Move bounds inwards over white space; an empty range stays one."""
    while start < end and text[start].isspace():
        start += 1
    while start < end and text[end - 1].isspace():
        end -= 1
    return start, end


def _check_only_space(text: str, start: int, end: int) -> None:
    if text[start:end].strip():
        raise ValueError(
            "Only white space may lie between segments, got "
            f"{text[start:end][:40]!r} (characters {start} to {end}). Fix the segmenter."
        )
