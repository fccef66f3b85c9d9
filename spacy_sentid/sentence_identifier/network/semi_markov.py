"""The semi-Markov model, which scores whole segments, not only their boundaries. No spaCy.

The paper leaves span-level scores to future work (Limitations). Here, a document is cut into atoms
at every candidate boundary. A segment is 1 to `max_segment_atoms` neighbouring atoms, and has a
score as an SU and a score as an NSU. A segmentation is a path of segments through the document. Its
score is the sum of their scores.

`best_path` finds the best segmentation. `segment_posteriors` computes the probability of each
segment over all paths. `path_loss` is the negative log-likelihood of gold.
`minimum_bayes_risk_scores` converts posteriors to other scores. With these, the best path is not
the most probable one, but the one with the highest expected number of correct parts, which F1
rewards.

Column 0 of all segment scores is SU, column 1 is NSU.
"""

from typing import NamedTuple

import numpy as np

from ...arrays import Floats1d, Floats2d, Floats3d, Ints1d

SU_COLUMN, NSU_COLUMN = 0, 1
# Replaces log 0. It is finite, so sums and differences are never nan.
LOG_ZERO = -1e9


class Lattice(NamedTuple):
    """All segments of a batch of documents, with tokens numbered from document to document.

    Segments are ordered by their number of atoms, then by their first atom.
    """

    atom_starts: Ints1d  # (n_atoms,) first token of each atom
    atom_ends: Ints1d  # (n_atoms,) token after its last one
    doc_atoms: Ints1d  # (n_docs,) number of atoms of each document
    max_segment_atoms: int
    first_atom: Ints1d  # (n_segments,) first atom of each segment
    last_atom: Ints1d  # (n_segments,) last atom of each segment

    @property
    def starts(self) -> Ints1d:
        """First token of each segment."""
        return self.atom_starts[self.first_atom]

    @property
    def ends(self) -> Ints1d:
        """Token after the last one of each segment."""
        return self.atom_ends[self.last_atom]


def build_lattice(is_cut: np.ndarray, lengths: Ints1d, max_segment_atoms: int) -> Lattice:
    """Build the lattice of segments between candidate boundaries.

    is_cut: (n_tokens,) bool, True if a unit may start at the token. Document starts are always
        candidates.
    lengths: (n_docs,) tokens of each document, which sum to n_tokens. They may be 0.
    max_segment_atoms: Maximum length of a segment in atoms.
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
    longer = np.arange(max_segment_atoms)[:, None]
    size, first = np.nonzero(atoms + longer < doc_last)
    return Lattice(atom_starts, atom_ends, doc_atoms, max_segment_atoms, first, first + size)


def best_path(lattice: Lattice, scores: Floats2d) -> list[list[int]]:
    """Find the best segmentation of each document.

    scores: (n_segments, 2).
    RETURNS: For each document the segments of its best path in text order, as indices into
        `lattice.first_atom`; [] for an empty document.
    """
    best_score = scores.max(axis=1)
    n_atoms, width = len(lattice.atom_starts), lattice.max_segment_atoms
    count = lattice.last_atom - lattice.first_atom
    # Row e: the segments that end with atom e, the shortest first.
    arriving = np.full((n_atoms, width), LOG_ZERO)
    arriving[lattice.last_atom, count] = best_score
    rows = arriving.tolist()
    index = np.zeros((n_atoms, width), dtype="int64")
    index[lattice.last_atom, count] = np.arange(len(best_score))
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


def path_loss(lattice: Lattice, scores: Floats2d, allowed: np.ndarray) -> tuple[Floats1d, Floats2d]:
    """Compute the negative log-likelihood of the gold segmentations, by forward-backward.

    scores: (n_segments, 2).
    allowed: (n_segments, 2) bool, True for the labelled segments that agree with gold. Several
        segmentations can agree. If all segments are allowed, the loss is 0.
    RETURNS: Loss of each document (n_docs,), and its gradient (n_segments, 2).
    """
    posterior, log_partition = segment_posteriors(lattice, scores)
    gold_scores = np.where(allowed, scores, LOG_ZERO)
    gold_posterior, gold_log_partition = segment_posteriors(lattice, gold_scores)
    gradient = (posterior - gold_posterior).astype("float32")
    return log_partition - gold_log_partition, gradient


def segment_posteriors(lattice: Lattice, scores: Floats2d) -> tuple[Floats2d, Floats1d]:
    """Compute the posterior of each labelled segment, and the log-partition of each document.

    The posterior is P(segment is part of the segmentation, with that label). Documents of similar
    size are processed together, step by step. So the number of steps is at most twice that of the
    longest document, and memory is linear in the number of atoms.

    RETURNS: Posteriors (n_segments, 2) in [0, 1], and log-partitions (n_docs,).
    """
    doc_atoms = lattice.doc_atoms
    doc_start = np.cumsum(doc_atoms) - doc_atoms
    doc = np.repeat(np.arange(len(doc_atoms)), doc_atoms)[lattice.first_atom]
    last = lattice.last_atom - doc_start[doc]
    count = lattice.last_atom - lattice.first_atom
    either = np.logaddexp(scores[:, 0], scores[:, 1]).astype("float64")
    log_prob, log_partition = np.zeros(len(doc)), np.zeros(len(doc_atoms))
    size = np.frexp(doc_atoms)[1]  # sizes in one class differ by less than a factor of two
    for value in sorted(set(size.tolist())):
        docs, rows = np.flatnonzero(size == value), np.flatnonzero(size[doc] == value)
        log_prob[rows], log_partition[docs] = _forward_backward(
            doc_atoms[docs],
            np.searchsorted(docs, doc[rows]),
            last[rows],
            count[rows],
            either[rows],
            width=lattice.max_segment_atoms,
        )
    share = scores - either[:, None]
    return np.exp(np.minimum(log_prob[:, None] + share, 0.0)), log_partition


def _forward_backward(
    doc_atoms: Ints1d, doc: Ints1d, last: Ints1d, count: Ints1d, either: Floats1d, *, width: int
) -> tuple[Floats1d, Floats1d]:
    """Compute the log-probability of each segment with any label, and the log-partitions.

    doc, last, count, either: For each segment its document, its last atom in that document, its
        number of atoms minus one, and its score.
    """
    n_docs, longest = len(doc_atoms), int(doc_atoms.max(initial=0))
    before, after = last - count, doc_atoms[doc] - 1 - last  # number of atoms of the document
    # Both passes use the same array. Its second half has the documents in reverse.
    # arriving[e, b, -1 - d]: the segment of d + 1 atoms that ends with atom e of document b.
    arriving: Floats3d = np.full((longest, 2 * n_docs, width), LOG_ZERO)
    arriving[last, doc, -1 - count] = either
    arriving[after + count, n_docs + doc, -1 - count] = either
    # sums[:, width + k]: log-sum of all paths over the first k atoms.
    sums = np.full((2 * n_docs, width + longest + 1), LOG_ZERO)
    sums[:, width] = 0.0
    for k, step in enumerate(arriving, start=1):
        # A single call, as for few documents the overhead of calls is larger than the computation.
        sums[:, width + k] = np.logaddexp.reduce(sums[:, k : width + k] + step, axis=1)
    log_partition = sums[np.arange(n_docs), width + doc_atoms]
    log_prob = sums[doc, width + before] + either + sums[n_docs + doc, width + after]
    return log_prob - log_partition[doc], log_partition


def minimum_bayes_risk_scores(
    lattice: Lattice,
    posterior: Floats2d,
    *,
    span_weight: float,
    span_cost: float,
    nsu_weight: float,
) -> Floats2d:
    """Score each labelled segment by its expected number of correct labels.

    posterior: (n_segments, 2), see `segment_posteriors`.
    span_weight, span_cost: span_weight * (posterior - span_cost) is added to the score of an SU.
    nsu_weight: Weight of a correct label O. Correct labels B and I have the weight 1.
    RETURNS: (n_segments, 2), for `best_path`.
    """
    inside = inside_prob(lattice, posterior)
    su = posterior[:, SU_COLUMN]
    begins = np.bincount(lattice.first_atom, weights=su, minlength=len(inside))
    lengths = lattice.atom_ends - lattice.atom_starts
    # Expected number of correct labels in each atom, if all of its labels are I, or O.
    right_i = (inside - begins) + (lengths - 1) * inside
    right_o = lengths * (1 - inside)
    sum_i = np.concatenate([[0.0], np.cumsum(right_i)])
    sum_o = np.concatenate([[0.0], np.cumsum(right_o)])
    first, last = lattice.first_atom, lattice.last_atom
    values = np.empty_like(posterior)
    # The first token of an SU is B, not I.
    correction = begins[first] - (inside - begins)[first]
    values[:, SU_COLUMN] = sum_i[last + 1] - sum_i[first] + correction
    values[:, SU_COLUMN] += span_weight * (su - span_cost)
    values[:, NSU_COLUMN] = nsu_weight * (sum_o[last + 1] - sum_o[first])
    return values


def inside_prob(lattice: Lattice, posterior: Floats2d) -> Floats1d:
    """Compute P(atom is inside an SU), (n_atoms,)."""
    n_atoms = len(lattice.atom_starts)
    su = posterior[:, SU_COLUMN]
    steps = np.bincount(lattice.first_atom, weights=su, minlength=n_atoms + 1)
    steps -= np.bincount(lattice.last_atom + 1, weights=su, minlength=n_atoms + 1)
    return np.clip(np.cumsum(steps)[:-1], 0.0, 1.0)
