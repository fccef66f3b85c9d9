"""What lines and the whole text look like: features that a window of some tokens does not see.

Docs -> classes of the line ends before and after a token; classes of the style of each document

At a line end: whether the next word would have fitted on the line (then the writer ended it), how
long the line is compared with the next, and whether the indentation changes. Of a document: how
wide its lines are, how many end with an end mark, its case, how often end marks come.
"""

import re
from typing import NamedTuple

import numpy as np
from spacy.attrs import IDX, IS_LOWER, IS_UPPER, ORTH
from spacy.tokens import Doc

from ..arrays import Ints1d, Ints2d
from .features import LINE_SHORT, BatchTokens

LINE = re.compile(r"[^\n\r\u2028\u2029\x85]+")
# Share of the width of the text that a line would take with the next word: 1 = it would be full.
FIT_BOUNDS = (0.5, 0.8, 0.95, 1.0)
# Length of a line by that of the next.
RATIO_BOUNDS = (0.6, 1.5)
FITS, RATIOS, INDENTS = len(FIT_BOUNDS) + 1, len(RATIO_BOUNDS) + 1, 3
N_LINE_CLASSES = FITS + RATIOS + INDENTS
# The width of a text is that of its longest lines, but for this share.
LONGEST_SHARE = 0.05
END_MARKS = (".", "!", "?", "…", "...")
# Bounds of the classes of a style: number of lines, width, share of lines with an end mark, share
# of upper-case and of lower-case words, end marks a word.
STYLE_BOUNDS = (
    (2, 5, 15),
    (40, 60, 90, 130),
    (0.05, 0.3, 0.7),
    (0.2, 0.8),
    (0.5, 0.75, 0.97),
    (0.001, 0.02, 0.05, 0.12),
)
STYLE_SIZES = tuple(len(bounds) + 1 for bounds in STYLE_BOUNDS)
N_STYLE_CLASSES = sum(STYLE_SIZES)
STYLE_OFFSETS = np.cumsum((0, *STYLE_SIZES[:-1]))


class LineFeatures(NamedTuple):
    """The features of a batch."""

    # (n_line_ends,) tokens that follow a line end, and (n_line_ends, 3) rows of a table of
    # N_LINE_CLASSES, for each line end.
    places: Ints1d
    classes: Ints2d
    # (n_docs, len(STYLE_BOUNDS)) rows of a table of N_STYLE_CLASSES.
    styles: Ints2d


def read_line_features(tokens: BatchTokens) -> LineFeatures:
    """Read the features of a batch; where line ends are hidden there are no lines."""
    places, classes, styles = [], [], []
    offset = 0
    for doc, indices, length in zip(
        tokens.docs, tokens.indices, tokens.lengths.tolist(), strict=True
    ):
        has_lines = bool((tokens.gaps[offset : offset + length] >= LINE_SHORT).any())
        found, rows, style = _read_document(doc, indices, has_lines=has_lines)
        places.append(found + offset)
        classes.append(rows)
        styles.append(style)
        offset += length
    return LineFeatures(
        np.concatenate([np.zeros(0, dtype="int64"), *places]),
        np.concatenate([np.zeros((0, 3), dtype="int64"), *classes]),
        np.asarray(styles, dtype="int64").reshape(len(styles), len(STYLE_BOUNDS)) + STYLE_OFFSETS,
    )


def _read_document(
    doc: Doc, indices: Ints1d, *, has_lines: bool
) -> tuple[Ints1d, Ints2d, list[int]]:
    array = doc.to_array([IDX, ORTH, IS_UPPER, IS_LOWER]).reshape(len(doc), 4)[indices]
    strings = doc.vocab.strings
    marks = [strings[mark] for mark in END_MARKS if mark in strings]
    is_mark = np.isin(array[:, 1], [strings[mark] for mark in marks])
    n_words = max(len(array), 1)
    shares = [array[:, 2].mean() if len(array) else 0.0, array[:, 3].mean() if len(array) else 0.0]
    places, rows = np.zeros(0, dtype="int64"), np.zeros((0, 3), dtype="int64")
    n_lines, width, marked = 1, 0.0, 0.0
    if has_lines:
        text = doc.text
        found = [line for line in LINE.finditer(text) if not line[0].isspace()]
        bounds = np.asarray([line.span() for line in found])
        stripped = [line[0].rstrip() for line in found]
        lengths = np.asarray([len(line) for line in stripped])
        indents = np.asarray([len(line) - len(line.lstrip()) for line in stripped])
        first_words = np.asarray([len(line.split(None, 1)[0]) for line in stripped])
        n_lines = len(found)
        width = float(np.quantile(lengths, 1 - LONGEST_SHARE))
        marked = float(np.mean([line.endswith(END_MARKS) for line in stripped]))
        starts = array[:, 0].astype("int64")
        places = np.searchsorted(starts, bounds[1:, 0])
        fit = (lengths[:-1] + 1 + first_words[1:]) / max(width, 1.0)
        ratio = lengths[:-1] / lengths[1:]
        rows = np.stack(
            [
                np.searchsorted(FIT_BOUNDS, fit, side="left"),
                FITS + np.searchsorted(RATIO_BOUNDS, ratio),
                FITS + RATIOS + 1 + np.sign(indents[1:] - indents[:-1]),
            ],
            axis=1,
        )
        kept = places < len(starts)
        places, rows = places[kept], rows[kept]
    values = (n_lines, width, marked, *shares, is_mark.sum() / n_words)
    style = [
        int(np.searchsorted(bounds, value, side="right"))
        for bounds, value in zip(STYLE_BOUNDS, values, strict=True)
    ]
    return places, rows, style
