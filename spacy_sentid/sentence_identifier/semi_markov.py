"""Score whole segments, not only their first and last word: the semi-Markov model. No spaCy.

The paper leaves span-level scores to future work (Limitations). Here a document is cut at every
candidate boundary into chunks; a segment is 1 to `max_segment_chunks` neighbouring chunks; each
segment has a score as an SU and a score as an NSU. A segmentation is a path of segments through the
document, its score the sum of theirs. `best_path` finds the best one, `segment_posteriors` says how
probable each segment is among all paths, `path_loss` is the negative log-likelihood of gold.
`minimum_bayes_risk_scores` turns posteriors into scores for a path that is right in as many places
as can be expected, which is what F1 rewards, instead of most probably right everywhere.

Column 0 of all segment scores is SU, column 1 is NSU.
"""

from typing import NamedTuple

import numpy as np

from ..arrays import Floats1d, Floats2d, Floats3d, Ints1d

SU_COLUMN, NSU_COLUMN = 0, 1
# Stands for log 0; finite, so that sums and differences stay numbers.
LOG_ZERO = -1e9


class Lattice(NamedTuple):
    """All segments of a batch of documents whose tokens are laid end to end.

    Segments are ordered by their number of chunks, then by their first chunk.
    """

    chunk_starts: Ints1d  # (n_chunks,) first token of each chunk
    chunk_ends: Ints1d  # (n_chunks,) token after its last one
    doc_chunks: Ints1d  # (n_docs,) number of chunks of each document
    max_segment_chunks: int
    first_chunk: Ints1d  # (n_segments,) first chunk of each segment
    last_chunk: Ints1d  # (n_segments,) its last chunk

    @property
    def starts(self) -> Ints1d:
        """First token of each segment."""
        return self.chunk_starts[self.first_chunk]

    @property
    def ends(self) -> Ints1d:
        """Token after the last one of each segment."""
        return self.chunk_ends[self.last_chunk]


def build_lattice(is_cut: np.ndarray, lengths: Ints1d, max_segment_chunks: int) -> Lattice:
    """Lay out the segments between candidate boundaries.

    is_cut: (n_tokens,) bool, a unit may start at this token; document starts always count.
    lengths: (n_docs,) tokens of each document; they sum to n_tokens. May hold zeros.
    max_segment_chunks: Longest segment in chunks.
    """
    is_cut = np.asarray(is_cut, dtype=bool).copy()
    ends = np.cumsum(lengths)
    starts = ends - lengths
    is_cut[starts[lengths > 0]] = True
    chunk_starts = np.flatnonzero(is_cut)
    chunk_ends = np.append(chunk_starts[1:], len(is_cut))[: len(chunk_starts)]
    below = np.concatenate([[0], np.cumsum(is_cut)])
    doc_chunks = below[ends] - below[starts]
    doc_last = np.repeat(np.cumsum(doc_chunks), doc_chunks)  # chunk after the last of its document
    chunks = np.arange(len(chunk_starts))
    longer = np.arange(max_segment_chunks)[:, None]
    size, first = np.nonzero(chunks + longer < doc_last)
    return Lattice(chunk_starts, chunk_ends, doc_chunks, max_segment_chunks, first, first + size)


def best_path(lattice: Lattice, scores: Floats2d) -> list[list[int]]:
    """Find the best segmentation of each document.

    scores: (n_segments, 2).
    RETURNS: For each document the segments of its best path in text order, as indices into
        `lattice.first_chunk`; [] for an empty document.
    """
    best_score = scores.max(axis=1)
    n_chunks, width = len(lattice.chunk_starts), lattice.max_segment_chunks
    count = lattice.last_chunk - lattice.first_chunk
    # Row e: the segments that end with chunk e, the shortest first.
    arriving = np.full((n_chunks, width), LOG_ZERO)
    arriving[lattice.last_chunk, count] = best_score
    rows = arriving.tolist()
    index = np.zeros((n_chunks, width), dtype="int64")
    index[lattice.last_chunk, count] = np.arange(len(best_score))
    paths = []
    offset = 0
    for n in lattice.doc_chunks.tolist():
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
    """Negative log-likelihood of the gold segmentations among all, by forward-backward.

    scores: (n_segments, 2).
    allowed: (n_segments, 2) bool, the labelled segments that agree with gold. Several
        segmentations may; where all are allowed nothing is learned.
    RETURNS: Loss of each document (n_docs,), and its gradient (n_segments, 2).
    """
    posterior, log_partition = segment_posteriors(lattice, scores)
    gold_scores = np.where(allowed, scores, LOG_ZERO)
    gold_posterior, gold_log_partition = segment_posteriors(lattice, gold_scores)
    gradient = (posterior - gold_posterior).astype("float32")
    return log_partition - gold_log_partition, gradient


def segment_posteriors(lattice: Lattice, scores: Floats2d) -> tuple[Floats2d, Floats1d]:
    """P(segment is part of the segmentation, with that label), and the log-partition of each doc.

    Documents of similar size take one step at a time together, so the cost in steps is at most
    twice that of the longest, and memory is linear in the number of chunks.
    RETURNS: (n_segments, 2) in [0, 1], and (n_docs,).
    """
    doc_chunks = lattice.doc_chunks
    doc_start = np.cumsum(doc_chunks) - doc_chunks
    doc = np.repeat(np.arange(len(doc_chunks)), doc_chunks)[lattice.first_chunk]
    last = lattice.last_chunk - doc_start[doc]
    count = lattice.last_chunk - lattice.first_chunk
    either = np.logaddexp(scores[:, 0], scores[:, 1]).astype("float64")
    log_prob, log_partition = np.zeros(len(doc)), np.zeros(len(doc_chunks))
    size = np.frexp(doc_chunks)[1]  # sizes of one class differ by less than a factor of two
    for value in sorted(set(size.tolist())):
        docs, rows = np.flatnonzero(size == value), np.flatnonzero(size[doc] == value)
        log_prob[rows], log_partition[docs] = _forward_backward(
            doc_chunks[docs],
            np.searchsorted(docs, doc[rows]),
            last[rows],
            count[rows],
            either[rows],
            width=lattice.max_segment_chunks,
        )
    share = scores - either[:, None]
    return np.exp(np.minimum(log_prob[:, None] + share, 0.0)), log_partition


def _forward_backward(
    doc_chunks: Ints1d, doc: Ints1d, last: Ints1d, count: Ints1d, either: Floats1d, *, width: int
) -> tuple[Floats1d, Floats1d]:
    """Log-probability of each segment, whatever its label, and log-partition of each document.

    doc, last, count, either: Of each segment its document, its last chunk in there, its number of
        chunks less one, and its score.
    """
    n_docs, longest = len(doc_chunks), int(doc_chunks.max(initial=0))
    before, after = last - count, doc_chunks[doc] - 1 - last  # chunks of the document
    # Both passes are steps over the same array: the second half are the documents backwards.
    # arriving[e, b, -1 - d]: the segment of d + 1 chunks that ends with chunk e of document b.
    arriving: Floats3d = np.full((longest, 2 * n_docs, width), LOG_ZERO)
    arriving[last, doc, -1 - count] = either
    arriving[after + count, n_docs + doc, -1 - count] = either
    # sums[:, width + k]: log-sum of all paths over the first k chunks.
    sums = np.full((2 * n_docs, width + longest + 1), LOG_ZERO)
    sums[:, width] = 0.0
    for k, step in enumerate(arriving, start=1):
        # One call: where documents are few, calls cost more than what they compute.
        sums[:, width + k] = np.logaddexp.reduce(sums[:, k : width + k] + step, axis=1)
    log_partition = sums[np.arange(n_docs), width + doc_chunks]
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
    """Score each labelled segment by the number of things it is expected to get right.

    posterior: (n_segments, 2), see `segment_posteriors`.
    span_weight, span_cost: An SU gains span_weight * (its posterior - span_cost).
    nsu_weight: A token rightly outside counts this much; one rightly B or I counts 1.
    RETURNS: (n_segments, 2), for `best_path`.
    """
    inside = inside_prob(lattice, posterior)
    su = posterior[:, SU_COLUMN]
    begins = np.bincount(lattice.first_chunk, weights=su, minlength=len(inside))
    lengths = lattice.chunk_ends - lattice.chunk_starts
    # Expected number of right labels in each chunk: as all I, and as all O.
    right_i = (inside - begins) + (lengths - 1) * inside
    right_o = lengths * (1 - inside)
    sum_i = np.concatenate([[0.0], np.cumsum(right_i)])
    sum_o = np.concatenate([[0.0], np.cumsum(right_o)])
    first, last = lattice.first_chunk, lattice.last_chunk
    values = np.empty_like(posterior)
    # The first token of an SU is B, not I.
    correction = begins[first] - (inside - begins)[first]
    values[:, SU_COLUMN] = sum_i[last + 1] - sum_i[first] + correction
    values[:, SU_COLUMN] += span_weight * (su - span_cost)
    values[:, NSU_COLUMN] = nsu_weight * (sum_o[last + 1] - sum_o[first])
    return values


def inside_prob(lattice: Lattice, posterior: Floats2d) -> Floats1d:
    """P(chunk lies inside an SU), (n_chunks,)."""
    n_chunks = len(lattice.chunk_starts)
    su = posterior[:, SU_COLUMN]
    steps = np.bincount(lattice.first_chunk, weights=su, minlength=n_chunks + 1)
    steps -= np.bincount(lattice.last_chunk + 1, weights=su, minlength=n_chunks + 1)
    return np.clip(np.cumsum(steps)[:-1], 0.0, 1.0)
