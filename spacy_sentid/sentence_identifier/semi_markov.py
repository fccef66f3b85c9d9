"""Score whole segments, not only their first and last word: the semi-Markov model. No spaCy.

The paper leaves span-level scores to future work (Limitations). Here a document is cut at every
candidate border into atoms; a segment is 1 to `max_atoms` neighbouring atoms; each segment has a
score as an SU and a score as an NSU. A segmentation is a path of segments through the document, its
score the sum of theirs. `best_path` finds the best one, `path_loss` the negative log-likelihood of
the gold one among all paths, with its gradient.

Column 0 of all segment scores is SU, column 1 is NSU.
"""

from typing import NamedTuple

import numpy as np
from thinc.types import Floats1d, Floats2d, Floats3d, Ints1d

SU_COLUMN, NSU_COLUMN = 0, 1
# Stands for log 0; finite, so that sums and differences stay numbers.
LOG_ZERO = -1e9


class Lattice(NamedTuple):
    """All segments of a batch of documents whose tokens are laid end to end.

    Segments are ordered by their number of atoms, then by their first atom.
    """

    atom_starts: Ints1d  # (n_atoms,) first token of each atom
    atom_ends: Ints1d  # (n_atoms,) token after its last one
    doc_atoms: Ints1d  # (n_docs,) number of atoms of each document
    max_atoms: int
    first: Ints1d  # (n_segments,) first atom of each segment
    last: Ints1d  # (n_segments,) its last atom

    @property
    def starts(self) -> Ints1d:
        """First token of each segment."""
        return self.atom_starts[self.first]

    @property
    def ends(self) -> Ints1d:
        """Token after the last one of each segment."""
        return self.atom_ends[self.last]


def build_lattice(is_cut: np.ndarray, lengths: Ints1d, max_atoms: int) -> Lattice:
    """Lay out the segments between candidate borders.

    is_cut: (n_tokens,) bool, a unit may start at this token; document starts always count.
    lengths: (n_docs,) tokens of each document; they sum to n_tokens. May hold zeros.
    max_atoms: Longest segment in atoms.
    """
    is_cut = np.asarray(is_cut, dtype=bool).copy()
    ends = np.cumsum(lengths)
    starts = ends - lengths
    is_cut[starts[lengths > 0]] = True
    atom_starts = np.flatnonzero(is_cut)
    atom_ends = np.append(atom_starts[1:], len(is_cut))[: len(atom_starts)]
    below = np.concatenate([[0], np.cumsum(is_cut)])
    doc_atoms = below[ends] - below[starts]
    doc_last = np.repeat(np.cumsum(doc_atoms), doc_atoms)  # atom after the last of its document
    atoms = np.arange(len(atom_starts))
    firsts = [atoms[atoms + n <= doc_last] for n in range(1, max_atoms + 1)]
    lasts = [first + n for n, first in enumerate(firsts)]
    return Lattice(
        atom_starts,
        atom_ends,
        doc_atoms,
        max_atoms,
        np.concatenate(firsts),
        np.concatenate(lasts),
    )


def best_path(lattice: Lattice, scores: Floats2d) -> list[list[int]]:
    """Find the best segmentation of each document.

    scores: (n_segments, 2).
    RETURNS: For each document the segments of its best path in text order, as indices into
        `lattice.first`; [] for an empty document.
    """
    best_score = scores.max(axis=1)
    n_atoms, width = len(lattice.atom_starts), lattice.max_atoms
    count = lattice.last - lattice.first
    # Row e: the segments that end with atom e, the shortest first.
    arriving = np.full((n_atoms, width), LOG_ZERO)
    arriving[lattice.last, count] = best_score
    rows = arriving.tolist()
    index = np.zeros((n_atoms, width), dtype="int64")
    index[lattice.last, count] = np.arange(len(best_score))
    paths = []
    offset = 0
    for n in lattice.doc_atoms.tolist():
        best = [0.0]
        chosen = []
        for e in range(n):
            row = rows[offset + e]
            top, choice = best[e] + row[0], 0
            for d in range(1, min(width, e + 1)):
                value = best[e - d] + row[d]
                if value > top:
                    top, choice = value, d
            best.append(top)
            chosen.append(choice)
        path = []
        e = n - 1
        while e >= 0:
            path.append(int(index[offset + e, chosen[e]]))
            e -= chosen[e] + 1
        paths.append(path[::-1])
        offset += n
    return paths


def path_loss(
    lattice: Lattice, scores: Floats2d, gold_labels: Ints1d
) -> tuple[Floats1d, Floats2d]:
    """Negative log-likelihood of the gold segmentation among all, by the forward-backward algorithm.

    scores: (n_segments, 2).
    gold_labels: (n_segments,) SU_COLUMN or NSU_COLUMN for segments of the gold path, else -1. A
        document without a gold path has no loss.
    RETURNS: Loss of each document (n_docs,), and its gradient (n_segments, 2).
    """
    gradient, log_partition = segment_posteriors(lattice, scores)
    n_docs = len(lattice.doc_atoms)
    gold = np.flatnonzero(gold_labels >= 0)
    gradient[gold, gold_labels[gold]] -= 1
    doc = np.repeat(np.arange(n_docs), lattice.doc_atoms)[lattice.first]
    gold_scores = np.bincount(
        doc[gold], weights=scores[gold, gold_labels[gold]], minlength=n_docs
    )
    has_gold = np.bincount(doc[gold], minlength=n_docs) > 0
    gradient *= has_gold[doc][:, None]
    return np.where(has_gold, log_partition - gold_scores, 0.0), gradient.astype("float32")


def segment_posteriors(lattice: Lattice, scores: Floats2d) -> tuple[Floats2d, Floats1d]:
    """P(segment is part of the segmentation, with that label), and the log-partition of each doc.

    All documents take one step at a time together, so the cost in steps is that of the longest.
    RETURNS: (n_segments, 2) in [0, 1], and (n_docs,).
    """
    doc_atoms, width = lattice.doc_atoms, lattice.max_atoms
    n_docs, longest = len(doc_atoms), int(doc_atoms.max(initial=0))
    doc_start = np.cumsum(doc_atoms) - doc_atoms
    doc_of_atom = np.repeat(np.arange(n_docs), doc_atoms)
    doc = doc_of_atom[lattice.first]
    last = lattice.last - doc_start[doc]
    count = lattice.last - lattice.first
    either = np.logaddexp(scores[:, 0], scores[:, 1]).astype("float64")
    # arriving[b, e, d]: the segment of d + 1 atoms that ends with atom e of document b.
    arriving: Floats3d = np.full((n_docs, longest, width), LOG_ZERO)
    arriving[doc, last, count] = either
    leaving: Floats3d = np.full((n_docs, longest, width), LOG_ZERO)
    leaving[doc, last - count, count] = either
    # alpha[:, width + k]: log-sum of all paths over the first k atoms; beta: over those from k on.
    alpha = np.full((n_docs, width + longest + 1), LOG_ZERO)
    alpha[:, width] = 0.0
    for k in range(longest):
        alpha[:, width + k + 1] = _log_sum(alpha[:, k + 1 : width + k + 1][:, ::-1] + arriving[:, k])
    beta = np.full((n_docs, longest + width + 1), LOG_ZERO)
    beta[np.arange(n_docs), doc_atoms] = 0.0
    for k in range(longest - 1, -1, -1):
        inside = _log_sum(beta[:, k + 1 : k + 1 + width] + leaving[:, k])
        beta[:, k] = np.where(k < doc_atoms, inside, beta[:, k])
    log_partition = beta[:, 0]
    log_prob = alpha[doc, width + last - count] + either + beta[doc, last + 1] - log_partition[doc]
    share = scores - either[:, None]
    return np.exp(np.minimum(log_prob[:, None] + share, 0.0)), log_partition


def _log_sum(values: Floats2d) -> Floats1d:
    top = values.max(axis=1, keepdims=True)
    return (top + np.log(np.exp(values - top).sum(axis=1, keepdims=True)))[:, 0]
