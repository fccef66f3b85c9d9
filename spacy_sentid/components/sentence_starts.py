"""Write the sentence starts of a Doc, and warn about those of earlier components."""

import warnings
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice

from spacy.attrs import DEP, IS_SPACE
from spacy.language import Language
from spacy.pipeline import Sentencizer
from spacy.tokens import Doc


def is_parsed(doc: Doc) -> bool:
    """Check if a token other than white space has a relation.

    The attribute ruler gives white space a relation, so `Doc.has_annotation` is not enough.
    """
    if not doc.has_annotation("DEP"):
        return False
    rows = doc.to_array([DEP, IS_SPACE]).reshape(len(doc), 2)
    return bool(((rows[:, 0] != 0) & (rows[:, 1] == 0)).any())


def find_starting_pipes(nlp: Language) -> tuple[str, ...]:
    """List the names of components that set sentence starts without a parse."""
    starts = {"token.is_sent_start", "doc.sents"}
    metas = {name: nlp.get_pipe_meta(name) for name in nlp.pipe_names}
    return tuple(
        name
        for name, meta in metas.items()
        if starts & set(meta.assigns) and "token.dep" not in meta.assigns
    )


def warn_of_starts(docs: Iterable[Doc], names: Sequence[str], name: str) -> bool:
    """Warn if a component will keep the sentence starts in Docs.

    names: Names of the components that set them; () = no warning.
    name: Name of the component that keeps them.
    RETURNS: True if there was a warning.
    """
    has_starts = (doc.has_annotation("SENT_START") and not is_parsed(doc) for doc in docs)
    if not names or not any(has_starts):
        return False
    warnings.warn(
        f"{name!r} keeps the sentence starts that {' and '.join(map(repr, names))} set, so no unit "
        "crosses them. Remove the other component, or set 'overwrite' to true.",
        stacklevel=2,
    )
    return True


def write_sentence_starts(doc: Doc, starts: Iterable[int], *, overwrite: bool) -> None:
    """Set sentence starts at the tokens `starts`.

    Without `overwrite`, tokens keep a value that is already set, and a parsed Doc is not changed.
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
    """Create a Sentencizer, which writes starts in C and keeps set ones unless `overwrite`."""
    return Sentencizer(overwrite=overwrite)
