"""Unit boundaries that are fixed before decoding, and candidate boundaries from the model.

Positions are indices of the tokens of the batch that are not white space, document after document.
Units never cross the boundaries of regions. A region starts where its document starts, at each
sentence start that an earlier component set, and where the setting `newline` forces a boundary.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import IDX, SENT_START
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ...arrays import Bools1d, Floats2d, Ints1d, sigmoid
from ...components.sentence_starts import is_parsed
from ...text.kept_strings import find_kept
from .semi_markov import Lattice, build_lattice
from .tokens import BLANK, LINE_SHORT, SPACE, START, BatchTokens

# Columns of the logits of each token.
BOS, EOS, INSIDE, UNIT_START = range(4)
N_FLAGS = 4
# Maximum number of atoms, the text between two neighbouring candidate boundaries, in one unit.
MAX_SEGMENT_ATOMS = 6
# Number of tokens at the start of a line in which they are searched.
_HEAD_TOKENS = 12
_QUOTE_MARKS = np.asarray([get_string_id(">" * n) for n in range(1, 10)], dtype="uint64")


class Boundaries(NamedTuple):
    """Constraints on unit starts that are known before decoding."""

    regions: Ints1d  # (n_regions,) lengths of the regions, which tile the tokens
    forced: Bools1d  # (n_tokens,) a unit starts here
    forbidden: Bools1d  # (n_tokens,) no unit starts here


class Candidates(NamedTuple):
    """Settings that select the candidate boundaries of the segments of a batch."""

    boundaries: Boundaries
    threshold: float  # minimum probability of a candidate boundary
    # In training: (start, end) of the gold units, in tokens of the batch. The candidates always
    # include the segments that agree with them.
    gold: Sequence[tuple[int, int]] = ()


def find_boundaries(
    tokens: BatchTokens,
    *,
    newline: str,
    use_starts: bool,
    never_split: Sequence[str] = (),
    abbreviations: Sequence[str] = (),
) -> Boundaries:
    """Find the boundaries that are fixed before decoding.

    newline: "break" forces a unit start at the start of each line. "paragraph" forces one after
        each blank line, and before and after each line that has only quote marks; it forbids one
        between the quote mark of a line and its text.
    use_starts: Keep sentence starts that earlier components set, True and False, in Docs without a
        parse.
    never_split, abbreviations: See `find_kept`. A blank line is stronger.
    """
    n_tokens = len(tokens.gaps)
    forced, forbidden = np.zeros(n_tokens, dtype=bool), np.zeros(n_tokens, dtype=bool)
    offset = 0
    for doc, indices in zip(tokens.docs, tokens.indices, strict=True):
        if len(indices):
            forced[offset] = True
            starts = _starts_of_tokens(doc, indices)
            if use_starts and starts.any() and not is_parsed(doc):
                forced[offset : offset + len(indices)] |= starts == 1
                forbidden[offset : offset + len(indices)] = starts == -1
            if never_split or abbreviations:
                chars = doc.to_array(IDX).view("int64")[indices]
                for kept in find_kept(doc.text, never_split, abbreviations):
                    first, end = offset + np.searchsorted(chars, kept)
                    forbidden[first:end] = True
        offset += len(indices)
    if newline in ("break", "paragraph"):
        forced |= tokens.gaps >= (LINE_SHORT if newline == "break" else BLANK)
        if newline == "paragraph":
            forced |= find_quoted_blank_lines(tokens)
            forbidden |= find_quoted_text(tokens)
    forbidden &= ~forced
    return Boundaries(np.diff(np.append(np.flatnonzero(forced), n_tokens)), forced, forbidden)


def open_boundaries(tokens: BatchTokens) -> Boundaries:
    """Return boundaries with no constraint except that units do not cross documents."""
    nothing = np.zeros(len(tokens.gaps), dtype=bool)
    return Boundaries(tokens.lengths, nothing, nothing)


def find_line_starts(tokens: BatchTokens) -> Bools1d:
    """Find the first token of each line, except the first line of a document."""
    return tokens.gaps >= LINE_SHORT


def find_quoted_blank_lines(tokens: BatchTokens) -> Bools1d:
    """Find the lines that have only quote marks (`>`), which separate the paragraphs of a mail.

    RETURNS: (n_tokens,) bool, True for the first token of each of them and of the line after it.
    """
    is_mark = np.isin(tokens.attrs[:, 1], _QUOTE_MARKS)
    found = np.zeros(len(is_mark), dtype=bool)
    if not is_mark.any():
        return found
    starts = np.flatnonzero(find_line_starts(tokens) | (tokens.gaps == START))
    is_bare = np.logical_and.reduceat(is_mark, starts)
    found[starts] = is_bare
    found[starts[1:]] |= is_bare[:-1]
    return found


def find_quoted_text(tokens: BatchTokens) -> Bools1d:
    """Find the first token after the quote mark (`> `) of each line: (n_tokens,) bool.

    Longer marks (`>> `) do not count, as they can also mean another speaker in captions.
    """
    starts_line = find_line_starts(tokens) | (tokens.gaps == START)
    is_mark = starts_line & (tokens.attrs[:, 1] == _QUOTE_MARKS[0])
    return np.append(False, is_mark[:-1] & (tokens.gaps[1:] == SPACE))[: len(is_mark)]


def _starts_of_tokens(doc: Doc, tokens: Ints1d) -> Ints1d:
    """Read SENT_START of the tokens; a start on white space moves to the token after it."""
    values = doc.to_array(SENT_START).astype("int64").reshape(-1)
    starts = values[tokens]
    if len(tokens) < len(doc):
        set_starts = np.flatnonzero(values == 1)
        after = np.searchsorted(tokens, set_starts)
        starts[after[after < len(tokens)]] = 1
    return starts


def propose_segments(flags: Floats2d, candidates: Candidates) -> Lattice:
    """Build the lattice of the segments between candidate boundaries.

    flags: (n_tokens, N_FLAGS) logits.
    """
    is_cut = candidate_cuts(flags, candidates)
    for start, end in candidates.gold:
        # If a gold unit has more cuts inside than a segment can span, keep a random sample.
        inside = start + 1 + np.flatnonzero(is_cut[start + 1 : end])
        if len(inside) >= MAX_SEGMENT_ATOMS:
            is_cut[inside] = False
            is_cut[np.random.choice(inside, MAX_SEGMENT_ATOMS - 1, replace=False)] = True
        is_cut[start] = True
    return build_lattice(is_cut, candidates.boundaries.regions, MAX_SEGMENT_ATOMS)


def candidate_cuts(flags: Floats2d, candidates: Candidates) -> Bools1d:
    """Select the tokens at which a unit may start, (n_tokens,) bool.

    A token is a candidate if P(unit starts here), P(BOS), or P(EOS) of the token before is at least
    `threshold`. Between two probable starts (0.5 or more), only the best MAX_SEGMENT_ATOMS - 1
    others are kept: with more, no unit could reach from one to the other.
    """
    boundaries, threshold, _ = candidates
    prob = sigmoid(flags)
    strength = np.maximum(prob[:, UNIT_START], prob[:, BOS])
    strength[1:] = np.maximum(strength[1:], prob[:-1, EOS])
    is_cut = ((strength >= threshold) & ~boundaries.forbidden) | boundaries.forced
    probable = is_cut & ((strength >= 0.5) | boundaries.forced)
    weak = np.flatnonzero(is_cut & ~probable)
    if not len(weak):
        return is_cut
    group = np.cumsum(probable)[weak]
    order = np.lexsort((-strength[weak], group))
    first = np.searchsorted(group[order], group[order])
    is_cut[weak[order[np.arange(len(weak)) - first >= MAX_SEGMENT_ATOMS - 1]]] = False
    return is_cut
