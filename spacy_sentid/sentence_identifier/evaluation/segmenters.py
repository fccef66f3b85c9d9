"""Sentence segmenters, which run before identification in the setting "postprocess" (6.2).

name -> spaCy component or pipeline -> texts -> segments [start_char, end_char)

A segmenter takes texts, and yields the segments of each text in order. The segments cover every
character that is not white space.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe

from ...components.pipelines import load
from ...text.units import NSU, Unit
from ..corpora.concatenation import AssembledText

Segments: TypeAlias = list[tuple[int, int]]
Segmenter: TypeAlias = Callable[[Iterable[str]], Iterator[Segments]]


def make_segmenter(name: str, *, lang: str = "en") -> Segmenter:
    """Create a segmenter by name.

    name: A component that needs no training, such as "sentencizer" or any other registered factory;
        or a pipeline that sets sentence boundaries, by its package or folder.
    lang: Language of the blank pipeline for a component.

    Raises ValueError if there is no such segmenter.

    >>> list(make_segmenter("sentencizer")(["Hi. Bye."]))
    [[(0, 3), (4, 8)]]
    """
    return partial(_segment_with_pipeline, _load_pipeline(name, lang=lang))


def split_by_segments(
    text: str, units: Sequence[Unit], segments: Iterable[tuple[int, int]]
) -> list[AssembledText]:
    """Split a text into one input for each segment. An SU that is cut becomes NSUs.

    units: Gold in characters, in text order.
    segments: `(start_char, end_char)` in text order, with only white space between them. White
        space at the ends of a segment is removed, and empty segments are skipped.

    Raises ValueError if segments overlap, are outside of the text, or skip more than white space.

    >>> units = [Unit(0, 6, "NSU"), Unit(7, 15, "SU"), Unit(16, 24, "SU")]
    >>> for piece in split_by_segments("Page 3 I sleep. You too?", units, [(0, 20), (20, 24)]):
    ...     print(piece.text, [tuple(unit) for unit in piece.units])
    Page 3 I sleep. You [(0, 6, 'NSU'), (7, 15, 'SU'), (16, 19, 'NSU')]
    too? [(0, 4, 'NSU')]
    """
    pieces: list[AssembledText] = []
    position = first = 0
    for start, end in [*segments, (len(text), len(text))]:
        if not position <= start <= end <= len(text):
            raise ValueError(
                f"Segments must be in text order and must not overlap, got [{start}, {end}) after "
                f"[0, {position}) in a text of {len(text)} characters. Fix the segmenter."
            )
        between = text[position:start]
        if between.strip():
            raise ValueError(
                f"The text between segments must be white space, got {between[:40]!r} (characters "
                f"{position} to {start}). Fix the segmenter."
            )
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
    return pieces


def _load_pipeline(name: str, *, lang: str) -> Language:
    try:
        blank = spacy.blank(lang)
    except ImportError as error:
        raise ValueError(
            f"The language must be one that spaCy supports, such as 'en', got {lang!r} ({error})."
        ) from error
    if blank.has_factory(name):
        if isinstance(blank.add_pipe(name), TrainablePipe):
            raise ValueError(
                f"The segmenter must not need training, got the component {name!r}. Use the name "
                "of a trained pipeline instead."
            )
        return blank
    return load(name)


def _segment_with_pipeline(nlp: Language, texts: Iterable[str]) -> Iterator[Segments]:
    for doc in nlp.pipe(texts):
        if len(doc) > 1 and not doc.has_annotation("SENT_START"):
            raise ValueError(
                "The segmenter must have a component that sets sentence boundaries, got the "
                f"components {', '.join(nlp.pipe_names) or 'none'}."
            )
        bounds = [(sent.start_char, sent.end_char) for sent in doc.sents] if len(doc) > 1 else []
        yield bounds or [(0, len(doc.text))]


def _strip_space(text: str, start: int, end: int) -> tuple[int, int]:
    """Move the bounds inwards over white space; an empty range stays empty."""
    start = end - len(text[start:end].lstrip())
    return start, start + len(text[start:end].strip())
