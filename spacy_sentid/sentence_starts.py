"""Write sentence starts onto a Doc."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from spacy.attrs import DEP, IS_SPACE, SENT_START
from spacy.tokens import Doc

from .arrays import Ints1d


def is_parsed(doc: Doc) -> bool:
    """Whether a token other than white space has a relation.

    The attribute ruler gives relations to white space; `Doc.has_annotation` takes that for a parse.
    """
    if not doc.has_annotation("DEP"):
        return False
    rows = doc.to_array([DEP, IS_SPACE]).reshape(len(doc), 2)
    return bool(((rows[:, 0] != 0) & (rows[:, 1] == 0)).any())


def write_sentence_starts(doc: Doc, starts: Sequence[int] | Ints1d, *, overwrite: bool) -> None:
    """Let a sentence start at each of the tokens `starts`, in one array write.

    Tokens whose start is set already keep it, and a parsed Doc is left alone, unless `overwrite`.
    White space before the first unit belongs to the first sentence.
    """
    if not len(doc) or (not overwrite and is_parsed(doc)):
        return
    values: Any = np.full((len(doc), 1), -1, dtype="int64")
    values[starts[1:]] = 1
    values[0] = 1
    if not overwrite and doc.has_annotation("SENT_START"):
        before = doc.to_array([SENT_START]).view("int64").reshape(-1, 1)
        values = np.where(before == 0, values, before)
    doc.from_array([SENT_START], values.view("uint64"))
