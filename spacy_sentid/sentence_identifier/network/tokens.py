"""Read the input of the model from Docs: tokens that are not white space, and the gaps between.

Docs -> BatchTokens: attributes, gap classes, and the index of each token in its Doc

Each token has four attributes, which depend only on the word type: NORM, the first three
characters, SUFFIX (the last three) and SHAPE. The model does not see white-space tokens as tokens.
They and single spaces determine the gap class before each token:

START   first token of the document
NONE    no white space
SPACE   one space of any kind
WIDE    a tab or more white space, without a line break (columns of a table)
LINE_*  a line break after a short, middle or long line (a long line was probably wrapped)
BLANK   a blank line
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from spacy.attrs import IS_ASCII, IS_SPACE, NORM, ORTH, SHAPE, SPACY, SUFFIX
from spacy.strings import get_string_id
from spacy.tokens import Doc

from ...arrays import Bools1d, Ints1d, Ints2d
from ...text.plain import is_plain, read_plain

N_TYPE_ATTRS = 4
PREFIX_LENGTH = 3
START, NONE, SPACE, WIDE, LINE_SHORT, LINE_MIDDLE, LINE_LONG, BLANK = range(8)
N_GAPS = 8
LINE_GAPS = (LINE_SHORT, LINE_MIDDLE, LINE_LONG)
# A line is short or middle if it has fewer characters than this.
SHORT_LINE, MIDDLE_LINE = 30, 55
# Maximum number of tokens that are processed together, chosen so that their vectors fit the cache.
PART_TOKENS = 10_000
_NO_TOKENS: Ints1d = np.zeros(0, dtype="int64")


class BatchTokens(NamedTuple):
    """The tokens of a batch that are not white space, document after document."""

    docs: list[Doc]  # in their plain form
    attrs: Ints2d  # (n_tokens, 4) uint64: NORM, ORTH, SUFFIX, SHAPE
    gaps: Ints1d  # (n_tokens,) gap class before each token
    lengths: Ints1d  # (n_docs,) tokens of each document
    indices: list[Ints1d]  # for each document, index in the Doc of each of its tokens


def split_batch(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Split a batch into parts of at most PART_TOKENS with one vocabulary each.

    A longer Doc is a part of its own.
    """
    part: list[Doc] = []
    n_tokens = 0
    for doc in docs:
        is_full = n_tokens + len(doc) > PART_TOKENS
        if part and (is_full or doc.vocab is not part[0].vocab):
            yield part
            part, n_tokens = [], 0
        part.append(doc)
        n_tokens += len(doc)
    if part:
        yield part


def read_tokens(docs: list[Doc]) -> BatchTokens:
    """Read the tokens of a batch and the gaps between them.

    Docs that are not plain are read in their plain form, see `text.plain`.
    """
    docs = [doc if _is_plain(doc) else read_plain(doc) for doc in docs]
    attrs: list[Ints2d] = []
    gaps: list[Ints1d] = []
    indices: list[Ints1d] = []
    for doc in docs:
        array: Any = doc.to_array([NORM, ORTH, SUFFIX, SHAPE, IS_SPACE, SPACY])
        array = array.reshape(len(doc), N_TYPE_ATTRS + 2)
        is_space = array[:, -2] == 1
        doc_gaps = np.full(len(doc), NONE, dtype="int64")
        doc_gaps[1:][array[:-1, -1] == 1] = SPACE
        if is_space.any():
            _mark_white_space(doc, np.flatnonzero(is_space), doc_gaps)
        tokens = np.flatnonzero(~is_space)
        if len(tokens):
            doc_gaps[tokens[0]] = START
        attrs.append(array[tokens, :N_TYPE_ATTRS])
        del array
        gaps.append(doc_gaps[tokens])
        indices.append(tokens)
    lengths = np.asarray([len(tokens) for tokens in indices], dtype="int64")
    if len(docs) == 1:  # it may be long, so avoid copies
        return BatchTokens(docs, attrs[0], gaps[0], lengths, indices)
    no_attrs: Ints2d = np.zeros((0, N_TYPE_ATTRS), dtype="uint64")
    all_attrs = np.concatenate([no_attrs, *attrs])
    return BatchTokens(docs, all_attrs, np.concatenate([_NO_TOKENS, *gaps]), lengths, indices)


def find_types(tokens: BatchTokens) -> tuple[Ints2d, Ints1d]:
    """Find the distinct word types of a batch.

    RETURNS: (n_types, 5), see `describe_types`; and (n_tokens,) the row of each token.
    """
    _, first, rows = np.unique(type_keys(tokens), return_index=True, return_inverse=True)
    return describe_types(tokens, first), rows


def type_keys(tokens: BatchTokens) -> Ints1d:
    """Compute a number for each token, the same for tokens of one word type: (n_tokens,) uint64."""
    # Tokens with the same spelling can only differ in NORM (tokenizer exceptions).
    return tokens.attrs[:, 0] * np.uint64(0x9E3779B97F4A7C15) + tokens.attrs[:, 1]


def describe_types(tokens: BatchTokens, places: Ints1d) -> Ints2d:
    """Read the word types of some tokens.

    RETURNS: (n, 5) uint64: NORM, prefix, SUFFIX, SHAPE and ORTH.
    """
    attrs = tokens.attrs[places]
    types = np.concatenate([attrs, attrs[:, 1:2]], axis=1)
    strings: Any = tokens.docs[0].vocab.strings if tokens.docs else {}
    types[:, 1] = [get_string_id(strings[orth][:PREFIX_LENGTH]) for orth in types[:, 1].tolist()]
    return types


def find_lines(tokens: BatchTokens) -> tuple[Ints1d, Ints1d]:
    """Find the lines of a batch.

    RETURNS: (n_lines,) first token of each line, and (n_docs,) number of lines of each document.
    """
    is_start = (tokens.gaps >= LINE_SHORT) | (tokens.gaps == START)
    is_start[:1] = True  # a stretch of a document may start inside a line
    counts = np.append(0, np.cumsum(is_start))
    ends = np.cumsum(tokens.lengths)
    return np.flatnonzero(is_start), counts[ends] - counts[ends - tokens.lengths]


def find_words(tokens: BatchTokens) -> Bools1d:
    """Find the tokens that contain a letter or a digit, (n_tokens,) bool."""
    shapes, inverse = np.unique(tokens.attrs[:, 3], return_inverse=True)
    strings: Any = tokens.docs[0].vocab.strings if tokens.docs else {}
    has_word = [not set("Xxd").isdisjoint(strings[shape]) for shape in shapes.tolist()]
    return np.asarray(has_word, dtype=bool)[inverse]


def cut_tokens(tokens: BatchTokens, part: slice) -> BatchTokens:
    """Take a part of the tokens of one document."""
    (indices,) = (found[part] for found in tokens.indices)
    lengths = np.asarray([len(indices)], dtype="int64")
    return BatchTokens(tokens.docs, tokens.attrs[part], tokens.gaps[part], lengths, [indices])


def hide_line_ends(tokens: BatchTokens) -> BatchTokens:
    """Replace every gap that has a line break by SPACE."""
    return tokens._replace(gaps=np.where(tokens.gaps >= LINE_SHORT, SPACE, tokens.gaps))


def _is_plain(doc: Doc) -> bool:
    orths = doc.to_array(ORTH)[doc.to_array(IS_ASCII) == 0]
    return all(is_plain(doc.vocab.strings[orth]) for orth in set(orths.tolist()))


def _mark_white_space(doc: Doc, spaces: Ints1d, gaps: Ints1d) -> None:
    """Write the gap class of white-space tokens to the token after each, in place."""
    orths = doc.to_array(ORTH)[spaces].tolist()
    line_start = 0  # character at which the current line starts
    n_breaks = 0
    previous = -2
    line_length = 0
    for i, orth in zip(spaces.tolist(), orths, strict=True):
        if i != previous + 1:
            n_breaks = 0
        previous = i
        text = doc.vocab.strings[orth]
        breaks = len((text + "x").splitlines()) - 1
        if breaks:
            start_char = doc[i].idx
            if not n_breaks:
                line_length = start_char - line_start
            line_start = start_char + len(text)
            n_breaks += breaks
        if i + 1 < len(gaps):
            if n_breaks > 1:
                gaps[i + 1] = BLANK
            elif n_breaks == 1:
                short, middle = line_length < SHORT_LINE, line_length < MIDDLE_LINE
                gaps[i + 1] = LINE_SHORT if short else LINE_MIDDLE if middle else LINE_LONG
            else:
                has_space = doc[i].whitespace_ or (i and doc[i - 1].whitespace_)
                gaps[i + 1] = WIDE if has_space or len(text) > 1 or text == "\t" else SPACE
