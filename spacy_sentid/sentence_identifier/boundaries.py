"""Where units may start and end: what is fixed before decoding, and what the model proposes.

Positions are tokens of the batch that are not white space, laid end to end. Units never cross the
boundaries of blocks: documents, and within them the starts that were set before or, if line ends
break units, lines.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ints1d, sigmoid
from ..sentence_starts import is_parsed
from .features import BLANK, LINE_SHORT, BatchTokens
from .semi_markov import Lattice, build_lattice

# Columns of the logits of each token.
BOS, EOS, INSIDE, UNIT_START = range(4)
N_FLAGS = 4


class Boundaries(NamedTuple):
    """What is known about unit starts before decoding."""

    blocks: Ints1d  # (n_blocks,) lengths of stretches that no unit crosses; they tile the tokens
    forced: Bools1d  # (n_tokens,) a unit starts here
    forbidden: Bools1d  # (n_tokens,) no unit starts here


class Candidates(NamedTuple):
    """How to choose the boundaries between which the segments of a batch are scored."""

    boundaries: Boundaries
    threshold: float  # minimum probability of a candidate boundary
    max_segment_chunks: int
    # In training: (start, end) of the gold units, in tokens of the batch. Segments that agree with
    # them are always among the candidates.
    gold: Sequence[tuple[int, int]] = ()


def find_boundaries(tokens: BatchTokens, *, newline: str, use_starts: bool) -> Boundaries:
    """Collect what is fixed before decoding.

    newline: "break": a unit starts at every line start; "paragraph": after every blank line.
    use_starts: Sentence starts that were set before hold, True and False, in Docs without a parse.
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
        offset += len(indices)
    if newline in ("break", "paragraph"):
        forced |= tokens.gaps >= (LINE_SHORT if newline == "break" else BLANK)
        forbidden &= ~forced
    return Boundaries(np.diff(np.append(np.flatnonzero(forced), n_tokens)), forced, forbidden)


def open_boundaries(tokens: BatchTokens) -> Boundaries:
    """Know nothing of unit starts but that units do not cross documents."""
    nothing = np.zeros(len(tokens.gaps), dtype=bool)
    return Boundaries(tokens.lengths, nothing, nothing)


def find_line_starts(tokens: BatchTokens) -> Bools1d:
    """Find the first token of each line but the first of a document."""
    return tokens.gaps >= LINE_SHORT


def _starts_of_tokens(doc: Doc, tokens: Ints1d) -> Ints1d:
    """Read SENT_START of the tokens; a start set on white space is that of the token after it."""
    values = doc.to_array(SENT_START).astype("int64").reshape(-1)
    starts = values[tokens]
    if len(tokens) < len(doc):
        set_starts = np.flatnonzero(values == 1)
        after = np.searchsorted(tokens, set_starts)
        starts[after[after < len(tokens)]] = 1
    return starts


def propose_segments(flags: Floats2d, candidates: Candidates) -> Lattice:
    """Lay out the segments between candidate boundaries.

    flags: (n_tokens, N_FLAGS) logits.
    """
    boundaries, _, max_segment_chunks, gold = candidates
    is_cut = candidate_cuts(flags, candidates)
    for start, end in gold:
        # Where more cuts fall into a gold unit than a segment can span, some are drawn.
        inside = start + 1 + np.flatnonzero(is_cut[start + 1 : end])
        if len(inside) >= max_segment_chunks:
            is_cut[inside] = False
            is_cut[np.random.choice(inside, max_segment_chunks - 1, replace=False)] = True
        is_cut[start] = True
    return build_lattice(is_cut, boundaries.blocks, max_segment_chunks)


def candidate_cuts(flags: Floats2d, candidates: Candidates) -> Bools1d:
    """Choose the tokens before which a unit may start, (n_tokens,) bool.

    A token is a candidate if it may start a unit or an SU, or the token before may end an SU, each
    with at least the probability `threshold`. Between two probable starts the best
    `max_segment_chunks` - 1 others are kept: with more, no unit could reach from one to the other.
    """
    boundaries, threshold, max_segment_chunks, _ = candidates
    prob = sigmoid(flags)
    strength = np.maximum(prob[:, UNIT_START], prob[:, BOS])
    strength[1:] = np.maximum(strength[1:], prob[:-1, EOS])
    is_cut = ((strength >= threshold) & ~boundaries.forbidden) | boundaries.forced
    probable = is_cut & ((strength >= 0.5) | boundaries.forced)
    weak = np.flatnonzero(is_cut & ~probable)
    if not len(weak):
        return is_cut
    stretch = np.cumsum(probable)[weak]
    order = np.lexsort((-strength[weak], stretch))
    first = np.searchsorted(stretch[order], stretch[order])
    is_cut[weak[order[np.arange(len(weak)) - first >= max_segment_chunks - 1]]] = False
    return is_cut
