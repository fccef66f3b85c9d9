"""Features of the lines and of the whole text, which a window of a few tokens does not see.

Docs -> classes of the line breaks next to a token; classes of the style of each document

At a line break there are three features. Would the next word have fitted on the line (so the writer
ended it on purpose)? How long is the line compared with the next one? Does the indentation change?
The row of a table counts as a line that ended on purpose, as its length says nothing.
The style of a document is the number and width of its lines, the share of lines with an end mark,
its case, and the frequency of end marks.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from spacy.attrs import IDX, IS_LOWER, IS_UPPER, LENGTH, ORTH
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ...arrays import Bools1d, Ints1d, Ints2d
from ...text.marks import ENDS, LINE_ENDS
from .tokens import LINE_GAPS, LINE_SHORT, NONE, WIDE, BatchTokens, find_lines

# Length of a line with the next word added, divided by the width of the text; 1 = just full.
FIT_BOUNDS = (0.5, 0.8, 0.95, 1.0)
# Length of a line divided by the length of the next.
RATIO_BOUNDS = (0.6, 1.5)
FITS, RATIOS, INDENTS = len(FIT_BOUNDS) + 1, len(RATIO_BOUNDS) + 1, 3
N_LINE_CLASSES = FITS + RATIOS + INDENTS
# The width of a text is the quantile 1 - LONGEST_SHARE of the lengths of its lines.
LONGEST_SHARE = 0.05
# Without the marks of other scripts, as the bundled weights were trained so.
_END_MARKS = np.asarray([get_string_id(mark) for mark in (*ENDS, "...")], dtype="uint64")
# Bounds of the classes of a style: number of lines, width, share of lines with an end mark, share
# of upper-case words, share of lower-case words, number of end marks per word.
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
STYLE_OFFSETS = tuple(accumulate((0, *STYLE_SIZES[:-1])))
_NO_PLACES: Ints1d = np.zeros(0, dtype="int64")
_NO_CLASSES: Ints2d = np.zeros((0, 3), dtype="int64")


class LineFeatures(NamedTuple):
    """The features of a batch."""

    # For each line break: the token after it (n_line_ends,), and rows of a table of N_LINE_CLASSES
    # (n_line_ends, 3).
    places: Ints1d
    classes: Ints2d
    # (n_docs, len(STYLE_BOUNDS)) rows of a table of N_STYLE_CLASSES.
    styles: Ints2d


def read_line_features(tokens: BatchTokens) -> LineFeatures:
    """Read the features of a batch; without line breaks if these are hidden."""
    places, classes, styles = [_NO_PLACES], [_NO_CLASSES], []
    offset = 0
    for doc, indices in zip(tokens.docs, tokens.indices, strict=True):
        gaps = tokens.gaps[offset : offset + len(indices)]
        found, rows, style = _read_document(doc, indices, gaps)
        places.append(found + offset)
        classes.append(rows)
        bounds = zip(STYLE_BOUNDS, style, STYLE_OFFSETS, strict=True)
        styles.append([bisect_right(limits, value) + start for limits, value, start in bounds])
        offset += len(indices)
    rows_of_docs = np.asarray(styles, dtype="int64").reshape(len(styles), len(STYLE_BOUNDS))
    return LineFeatures(np.concatenate(places), np.concatenate(classes), rows_of_docs)


def find_row_starts(tokens: BatchTokens) -> Bools1d:
    """Find the rows of tables that follow another row: True for the first token of each.

    RETURNS: (n_tokens,) bool.
    """
    found = np.zeros(len(tokens.gaps), dtype=bool)
    first, _ = find_lines(tokens)
    if len(first) > 1:
        is_row = find_rows(first, tokens.gaps, np.isin(tokens.attrs[:, 1], _END_MARKS))
        is_next = np.isin(tokens.gaps[first[1:]], LINE_GAPS)
        found[first[1:]] = is_row[1:] & is_row[:-1] & is_next
    return found


def find_rows(first: Ints1d, gaps: Ints1d, is_mark: Bools1d) -> Bools1d:
    """Find the lines with wide spaces, which are rows of tables: (n_lines,) bool.

    Wide spaces after an end mark do not count, as some writers put two spaces between sentences.

    first: First token of each line.
    gaps, is_mark: Gap class of each token, and whether it is an end mark.
    """
    is_wide = gaps == WIDE
    is_wide[1:] &= ~is_mark[:-1]
    is_wide[first] = False  # an indentation
    return np.logical_or.reduceat(is_wide, first)


def _read_document(doc: Doc, indices: Ints1d, gaps: Ints1d) -> tuple[Ints1d, Ints2d, list[float]]:
    """Read the places and classes of the line breaks of a document, and its style.

    indices, gaps: Index in the Doc and gap class of each token that is not white space.
    """
    if not len(indices):
        return _NO_PLACES, _NO_CLASSES, [0.0] * len(STYLE_BOUNDS)
    array = doc.to_array([IDX, LENGTH, ORTH, IS_UPPER, IS_LOWER])[indices]
    is_mark = np.isin(array[:, 2], _END_MARKS)
    style = [1.0, 0.0, 0.0, array[:, 3].mean(), array[:, 4].mean(), is_mark.mean()]
    places = np.flatnonzero(gaps >= LINE_SHORT)
    if not len(places):
        return _NO_PLACES, _NO_CLASSES, style
    starts = array[:, 0].astype("int64")
    ends = starts + array[:, 1].astype("int64")
    first = np.append(0, places)  # token of each line
    last = np.append(places - 1, len(indices) - 1)
    indents = np.asarray(_find_indents(doc, indices[first]))
    lengths = ends[last] - starts[first] + indents
    # A word may have several tokens; it ends before the next white space.
    word_starts = np.append(np.flatnonzero(gaps != NONE), len(indices))
    word_ends = word_starts[np.searchsorted(word_starts, places, side="right")] - 1
    fit_width = max(_find_quantile(lengths, 1 - LONGEST_SHARE), 1.0)
    fit = (lengths[:-1] + 1 + ends[word_ends] - starts[places]) / fit_width
    fit[find_rows(first, gaps, is_mark)[:-1]] = 0
    rows = np.stack(
        [
            np.searchsorted(FIT_BOUNDS, fit, side="left"),
            FITS + np.searchsorted(RATIO_BOUNDS, lengths[:-1] / lengths[1:]),
            FITS + RATIOS + 1 + np.sign(np.diff(indents)),
        ],
        axis=1,
    )
    style[:3] = [len(first), fit_width, is_mark[last].mean()]
    return places, rows, style


def _find_quantile(values: Ints1d, share: float) -> float:
    """Compute a quantile as np.quantile does, which is too slow for few values."""
    ordered = np.sort(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return float(ordered[low] + (ordered[high] - ordered[low]) * (place - low))


def _find_indents(doc: Doc, first_tokens: Ints1d) -> list[int]:
    """Count the characters between the line break and the first token of each line."""
    orths = doc.to_array(ORTH)
    strings = doc.vocab.strings
    spaces = [strings[orths[token - 1]] if token else "" for token in first_tokens.tolist()]
    return [len(text) - max(map(text.rfind, LINE_ENDS)) - 1 for text in spaces]
