"""The default pipeline in one call."""

from typing import Any

import spacy
from spacy.language import Language


def load(lang: str = "en", **settings: Any) -> Language:
    """Make a pipeline that only identifies sentences, with the embedded weights of a language.

    lang: A language with embedded weights ("en").
    settings: Settings of the component, such as `newline="break"`.

    Raises ValueError for a language without embedded weights.

    >>> nlp = load("en")
    >>> nlp.pipe_names
    ['sentence_identifier']
    """
    from .pretrained import DEFAULT_NAMES

    languages = DEFAULT_NAMES["sentence_identifier"]
    if lang not in languages:
        raise ValueError(
            f"There are no embedded weights for {lang!r}, only for {', '.join(languages)}. "
            "Train a pipeline ('spacy project run train') and load it with spacy.load."
        )
    nlp = spacy.blank(lang)
    nlp.add_pipe("sentence_identifier", config=settings)
    return nlp
