"""What a sentence identifier found in a Doc, as plain data.

pipeline -> its identifier; Doc -> [{"start_char", "end_char", "label", "score"}]
"""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..pipelines import find
from ..units import NSU, SU

FACTORY = "sentence_identifier"
N_DIGITS = 4


def find_span_keys(nlp: Language) -> tuple[str, str]:
    """Find under which keys the pipeline's sentence identifier writes SUs and NSUs.

    Raises ValueError if the pipeline has none.
    """
    pipe = find(nlp, FACTORY)
    return pipe.cfg["su_key"], pipe.cfg["nsu_key"]


def list_units(doc: Doc, *, su_key: str, nsu_key: str) -> list[dict[str, Any]]:
    """List the units of a Doc in text order, in characters, with their scores."""
    units = [
        {
            "start_char": span.start_char,
            "end_char": span.end_char,
            "label": label,
            "score": round(float(score), N_DIGITS),
        }
        for key, label in ((su_key, SU), (nsu_key, NSU))
        for span, score in zip(doc.spans[key], doc.spans[key].attrs["scores"], strict=True)
    ]
    return sorted(units, key=lambda unit: unit["start_char"])
