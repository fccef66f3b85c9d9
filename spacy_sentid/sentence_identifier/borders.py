"""Where units may start and end: what is fixed before decoding, and what the model proposes.

Positions are tokens of the batch that are not white space, laid end to end. Units never cross the
borders of blocks: documents, and within them the starts that were set before or, if line ends are
to break units, lines.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from spacy.attrs import SENT_START
from spacy.tokens import Doc

from ..arrays import Bools1d, Floats2d, Ints1d
from ..sentence_starts import is_parsed
from .decode import sigmoid
from .features import LINE_SHORT, extract_features
from .model import BOS, EOS, UNIT_START


class Borders(NamedTuple):
    """What is known about unit starts before decoding, (n_tokens,) each."""

    forced: Bools1d  # a unit starts here, and none goes across
    forbidden: Bools1d  # no unit starts here
    line_start: Bools1d  # first token of a line; all False if nobody asked


def find_borders(
    docs: Sequence[Doc],
    token_indices: Sequence[Ints1d],
    *,
    break_lines: bool,
    need_lines: bool,
    use_starts: bool,
) -> Borders:
    """Collect what is fixed before decoding.

    break_lines: A unit starts at every line start. need_lines: Look for line starts anyway.
    use_starts: Sentence starts that were set before hold, True and False, in Docs without a parse.
    """
    n_tokens = sum(map(len, token_indices))
    forced, forbidden = np.zeros(n_tokens, dtype=bool), np.zeros(n_tokens, dtype=bool)
    line_start = np.zeros(n_tokens, dtype=bool)
    offset = 0
    for doc, tokens in zip(docs, token_indices, strict=True):
        if len(tokens):
            forced[offset] = True
            starts = _starts_of_tokens(doc, tokens)
            if use_starts and starts.any() and not is_parsed(doc):
                forced[offset : offset + len(tokens)] |= starts == 1
                forbidden[offset : offset + len(tokens)] = starts == -1
        offset += len(tokens)
    if break_lines or need_lines:
        line_start = extract_features(list(docs)).gaps >= LINE_SHORT
        if break_lines:
            forced |= line_start
            forbidden &= ~forced
    return Borders(forced, forbidden, line_start)


def _starts_of_tokens(doc: Doc, tokens: Ints1d) -> Ints1d:
    """Read SENT_START of the tokens; a start set on white space is that of the token after it."""
    values = doc.to_array(SENT_START).astype("int64").reshape(-1)
    starts = values[tokens]
    if len(tokens) < len(doc):
        set_starts = np.flatnonzero(values == 1)
        after = np.searchsorted(tokens, set_starts)
        starts[after[after < len(tokens)]] = 1
    return starts


def candidate_cuts(
    flags: Floats2d, borders: Borders, *, threshold: float, max_atoms: int
) -> Bools1d:
    """Say before which tokens a unit may start, (n_tokens,) bool.

    A token is a candidate if it may start a unit or an SU, or the token before may end an SU, each
    with at least the probability `threshold`. Between two probable starts at most `max_atoms` - 1
    others are kept, the best ones: with more, no unit could reach from one to the other.
    """
    prob = sigmoid(flags)
    strength = np.maximum(prob[:, UNIT_START], prob[:, BOS])
    strength[1:] = np.maximum(strength[1:], prob[:-1, EOS])
    is_cut = ((strength >= threshold) & ~borders.forbidden) | borders.forced
    probable = is_cut & ((strength >= 0.5) | borders.forced)
    weak = np.flatnonzero(is_cut & ~probable)
    stretch = np.cumsum(probable)[weak]
    order = np.lexsort((-strength[weak], stretch))
    first = np.searchsorted(stretch[order], stretch[order])
    is_cut[weak[order[np.arange(len(weak)) - first >= max_atoms - 1]]] = False
    return is_cut


def block_lengths(forced: Bools1d) -> Ints1d:
    """Lengths of the blocks that start at the forced tokens."""
    starts = np.flatnonzero(forced)
    return np.diff(np.append(starts, len(forced)))
