"""The evaluation texts of the paper, which are joined units, or segments of raw text (6.2).

units of documents -> texts with p_CC, or raw text -> a sentence segmenter -> texts, with gold units

A segmenter takes texts, and yields the segments [start_char, end_char) of each text in order. They
cover every character that is not white space. In the setting "postprocess" it cuts the raw text of
each document, without gold units.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe

from spacy_sentid.components.pipelines import load
from spacy_sentid.components.settings import check_range
from spacy_sentid.conllu.treebank import read_treebank
from spacy_sentid.sentence_identifier.corpora.concatenation import assemble_text
from spacy_sentid.sentence_identifier.data.convert import group_documents, label_units
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.joined import assemble_texts
from spacy_sentid.text.units import NSU, UNSPACED_LANGS, Unit, trim_span

POSTPROCESS = "postprocess"

# (text, label) of each unit of a document.
LabelledUnits: TypeAlias = list[tuple[str, str]]
Segments: TypeAlias = list[tuple[int, int]]
Segmenter: TypeAlias = Callable[[Iterable[str]], Iterator[Segments]]


@dataclass(frozen=True)
class Setting:
    """A way to assemble evaluation texts: with `p_cc`, or with a segmenter.

    >>> Setting(p_cc=0.5).name, Setting(p_cc=0.0).name, Setting(segmenter="sentencizer").name
    ('0.5', '0', 'postprocess')
    """

    p_cc: float | None = None  # see `assemble_texts`
    segmenter: str | None = None  # see `make_segmenter`

    def __post_init__(self) -> None:
        """Validate the values."""
        if (self.p_cc is None) == (self.segmenter is None):
            raise ValueError(
                f"Exactly one of 'p_cc' and 'segmenter' must be set, got {self.p_cc} and "
                f"{self.segmenter!r}."
            )
        if self.p_cc is not None:
            check_range("p_cc", self.p_cc, high=1)

    @property
    def name(self) -> str:
        """Name of the setting in tables."""
        return POSTPROCESS if self.p_cc is None else f"{self.p_cc:g}"


def read_labelled_documents(paths: Iterable[Path], **rule: Any) -> list[LabelledUnits]:
    """Read the (text, label) of each unit of each document in CoNLL-U files.

    rule: Arguments of `label_units`.

    Documents start at `newdoc`. A file without it is cut into documents of equal length, as by
    `treebank convert`.
    """
    return [
        [(unit.text, label) for unit, label in document]
        for path in paths
        for document in group_documents(label_units(read_treebank(path), **rule))
    ]


def assemble_setting(
    documents: Sequence[LabelledUnits],
    setting: Setting,
    *,
    seed: int = 0,
    layout: str = "space",
    lang: str = "en",
    segmenter: Segmenter | None = None,
) -> list[GoldDocument]:
    """Assemble the evaluation texts of a setting.

    seed: Random seed for p_CC; a segmenter does not use it.
    layout: Separator of units, also in raw text (see `assemble_texts`). "space" means "none" in
        languages written without spaces.
    lang: Language of the texts, and of a segmenter that is a component.
    segmenter: Replaces the segmenter that the setting names.
    """
    if setting.p_cc is not None:
        labelled = [unit for document in documents for unit in document]
        return list(
            assemble_texts(labelled, p_cc=setting.p_cc, seed=seed, layout=layout, lang=lang)
        )
    if layout == "space" and lang in UNSPACED_LANGS:
        layout = "none"
    segmenter = segmenter or make_segmenter(setting.segmenter or "", lang=lang)
    return list(segment_documents(documents, segmenter, layout=layout))


def segment_documents(
    documents: Iterable[LabelledUnits], segmenter: Segmenter, *, layout: str = "space"
) -> Iterator[GoldDocument]:
    """Cut the raw text of each document with a segmenter; see `split_by_segments`."""
    rng = Random(0)  # for the layout "mixed"
    wholes = []
    for document in documents:
        units = [(text, label) for text, label in document if text.strip()]
        wholes.append(assemble_text(units, layout=layout, rng=rng))
    found = segmenter(whole.text for whole in wholes)
    for whole, segments in zip(wholes, found, strict=True):
        yield from split_by_segments(whole.text, whole.units, segments)


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
) -> list[GoldDocument]:
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
    pieces: list[GoldDocument] = []
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
        start, end = trim_span(text, start, end)
        while first < len(units) and units[first].end <= start:
            first += 1
        inside: list[Unit] = []
        for unit in units[first:]:
            if start >= end or unit.start >= end:
                break
            bounds = trim_span(text, max(unit.start, start), min(unit.end, end))
            whole = bounds == trim_span(text, unit.start, unit.end)
            if bounds[0] < bounds[1]:
                label = unit.label if whole else NSU
                inside.append(Unit(bounds[0] - start, bounds[1] - start, label))
        if start < end:
            pieces.append(GoldDocument(text[start:end], inside))
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
