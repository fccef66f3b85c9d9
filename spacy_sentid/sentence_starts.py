"""Sentence starts of a Doc: write them, and warn of those that others have set."""

import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice

from spacy.attrs import DEP, IS_SPACE
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc


def is_parsed(doc: Doc) -> bool:
    """Whether a token other than white space has a relation.

    The attribute ruler gives relations to white space; `Doc.has_annotation` takes that for a parse.
    """
    if not doc.has_annotation("DEP"):
        return False
    rows = doc.to_array([DEP, IS_SPACE]).reshape(len(doc), 2)
    return bool(((rows[:, 0] != 0) & (rows[:, 1] == 0)).any())


def find_starting_pipes(nlp: Language) -> tuple[str, ...]:
    """Name the components of a pipeline that set sentence starts without a parse."""
    starts = {"token.is_sent_start", "doc.sents"}
    metas = {name: nlp.get_pipe_meta(name) for name in nlp.pipe_names}
    return tuple(
        name
        for name, meta in metas.items()
        if starts & set(meta.assigns) and "token.dep" not in meta.assigns
    )


def warn_of_starts(docs: Iterable[Doc], names: Sequence[str], name: str) -> bool:
    """Warn that the sentence starts of Docs hold for a component; tell if there was a warning.

    names: Of the components that have set them; () = no warning. name: Of the component.
    """
    has_starts = (doc.has_annotation("SENT_START") and not is_parsed(doc) for doc in docs)
    if not names or not any(has_starts):
        return False
    warnings.warn(
        f"The sentence starts that {' and '.join(map(repr, names))} set hold for {name!r}: no unit "
        "crosses them. Remove that component, or set 'overwrite' to true.",
        stacklevel=2,
    )
    return True


def write_sentence_starts(doc: Doc, starts: Iterable[int], *, overwrite: bool) -> None:
    """Let a sentence start at each of the tokens `starts`.

    Tokens whose start is set already keep it, and a parsed Doc is left alone, unless `overwrite`.
    White space before the first unit belongs to the first sentence.
    """
    if not len(doc) or (not overwrite and is_parsed(doc)):
        return
    tags = bytearray(len(doc))
    for start in islice(starts, 1, None):
        tags[start] = 1
    tags[0] = 1
    _make_writer(overwrite).set_annotations([doc], [tags])


@cache
def _make_writer(overwrite: bool) -> Sentencizer:
    """Make what writes starts in one loop in C, and keeps those that are set unless `overwrite`."""
    return Sentencizer(overwrite=overwrite)
