"""Measure a pipeline as the paper does: on texts assembled from a treebank's units (section 6.2).

CoNLL-U -> labelled units -> texts in one of three settings -> pipeline -> scores

The settings: runs of units drawn with p_CC = 0.5, or 0 (as long as may be), and postprocess: the
raw text of each document cut by a sentence segmenter, which knows no gold units.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

from spacy.language import Language

from ..settings import check_range
from ..treebank import read_treebank
from ..units import NSU, Unit, count_words
from .concatenation import UNSPACED_LANGS, concatenate_units, group_units
from .convert import group_documents, label_units
from .rule import SU_RELATIONS
from .scorer import predicted_units, score_units
from .segmenters import Segmenter, make_segmenter

MAX_WORDS = 400
POSTPROCESS = "postprocess"

# (text, label) of each unit of a document.
LabelledDocument: TypeAlias = list[tuple[str, str]]


class AssembledText(NamedTuple):
    """One input of an evaluation."""

    text: str
    units: list[Unit]  # gold, in characters


@dataclass(frozen=True)
class Setting:
    """A way to assemble evaluation texts: by `p_cc`, or by the name of a segmenter.

    >>> Setting(p_cc=0.5).name, Setting(p_cc=0.0).name, Setting(segmenter="sentencizer").name
    ('0.5', '0', 'postprocess')
    """

    p_cc: float | None = None  # see `assemble_texts`
    segmenter: str | None = None  # see `segmenters.make_segmenter`

    def __post_init__(self) -> None:
        """Check the values."""
        if (self.p_cc is None) == (self.segmenter is None):
            raise ValueError(
                f"Found p_cc={self.p_cc} and segmenter={self.segmenter}, expected one of them. "
                "Leave the other out."
            )
        if self.p_cc is not None:
            check_range("p_cc", self.p_cc, high=1)

    @property
    def name(self) -> str:
        """What tables call it."""
        return POSTPROCESS if self.p_cc is None else f"{self.p_cc:g}"


def assemble_setting(
    documents: Sequence[LabelledDocument],
    setting: Setting,
    *,
    seed: int = 0,
    layout: str = "space",
    lang: str = "en",
) -> list[AssembledText]:
    """Make the evaluation texts of a setting.

    seed: Of the draws with p_CC; a segmenter draws nothing.
    layout: What stands between units, also in raw text (see `assemble_texts`); "space" is "none" in
        languages written without spaces.
    lang: Language of the texts, and of a segmenter that is a component.
    """
    if layout == "space" and lang in UNSPACED_LANGS:
        layout = "none"
    if setting.p_cc is not None:
        labelled = [unit for document in documents for unit in document]
        return list(assemble_texts(labelled, p_cc=setting.p_cc, seed=seed, layout=layout))
    segmenter = make_segmenter(setting.segmenter or "", lang=lang)
    return list(segment_documents(documents, segmenter, layout=layout))


def assemble_texts(
    labelled: Sequence[tuple[str, str]],
    *,
    p_cc: float,
    seed: int,
    layout: str = "space",
    max_words: int = MAX_WORDS,
) -> Iterator[AssembledText]:
    """Join consecutive units into evaluation texts, across documents.

    labelled: (text, label) of each unit.
    p_cc: Parameter of the geometric distribution of the number of units; 0 = up to `max_words`
        words (see `units.word_spans`).
    layout: What stands between units: "space", "line", "paragraph", "none" (see `joining`).
    """
    check_range("p_cc", p_cc, high=1)
    rng = Random(seed)
    labelled = _with_words(labelled)
    lengths = [count_words(text) for text, _ in labelled]
    for group in group_units(lengths, p_cc=[p_cc], max_length=max_words, rng=rng):
        yield _join([labelled[i] for i in group], layout=layout, rng=rng)


def segment_documents(
    documents: Iterable[LabelledDocument], segmenter: Segmenter, *, layout: str = "space"
) -> Iterator[AssembledText]:
    """Cut the raw text of each document with a segmenter; see `split_by_segments`."""
    rng = Random(0)  # "mixed" draws what stands between units
    wholes = [_join(_with_words(doc), layout=layout, rng=rng) for doc in documents]
    found = segmenter(whole.text for whole in wholes)
    for whole, segments in zip(wholes, found, strict=True):
        yield from split_by_segments(whole.text, whole.units, segments)


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
                f"Found the segment [{start}, {end}) after [0, {position}) of a text of "
                f"{len(text)} characters, expected segments in text order that do not overlap. "
                "Mend the segmenter."
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


def read_labelled_documents(
    paths: Iterable[Path],
    *,
    su_relations: Collection[str] = SU_RELATIONS,
    all_su: bool = False,
) -> list[LabelledDocument]:
    """Read (text, label) of the units of each document of some CoNLL-U files.

    Documents start at `newdoc`; a file without is cut into documents of equal length, as
    `convert` does.
    """
    documents: list[LabelledDocument] = []
    for path in paths:
        labelled = label_units(read_treebank(path), su_relations=su_relations, all_su=all_su)
        documents += [
            [(unit.text, label) for unit, label in document]
            for document in group_documents(labelled)
        ]
    return documents


def read_labelled_texts(
    paths: Iterable[Path],
    *,
    su_relations: Collection[str] = SU_RELATIONS,
    all_su: bool = False,
) -> list[tuple[str, str]]:
    """Read (text, label) of all units of some CoNLL-U files."""
    documents = read_labelled_documents(paths, su_relations=su_relations, all_su=all_su)
    return [unit for document in documents for unit in document]


def evaluate_pipeline(
    nlp: Language,
    texts: Sequence[AssembledText],
    *,
    su_key: str = "su",
    nsu_key: str = "nsu",
    on_text: Callable[[str], object] | None = None,
) -> dict[str, float]:
    """Run a pipeline over assembled texts and score its span groups; see `scorer.score_units`.

    on_text: Is called with each text that is done, for progress.
    """
    docs = nlp.pipe(text.text for text in texts)

    def documents() -> Iterator[tuple[str, list[Unit], list[Unit]]]:
        for gold, doc in zip(texts, docs, strict=True):
            yield gold.text, gold.units, predicted_units(doc, su_key=su_key, nsu_key=nsu_key)
            if on_text is not None:
                on_text(gold.text)

    return score_units(documents())


def _with_words(labelled: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(text, label) for text, label in labelled if text.strip()]


def _join(labelled: Sequence[tuple[str, str]], *, layout: str, rng: Random) -> AssembledText:
    texts, labels = [text for text, _ in labelled], [label for _, label in labelled]
    joined = concatenate_units(texts, labels, rng=rng, layouts={layout: 1.0})
    units = [Unit(*bounds, label) for bounds, label in zip(joined.units, labels, strict=True)]
    return AssembledText(joined.text, units)


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
            f"The segments leave out {text[start:end][:40]!r} (characters {start} to {end}), "
            "expected that only white space lies between them. Mend the segmenter."
        )
