"""What a sentence identifier found in a Doc, as plain data.

pipeline -> its identifier; Doc -> [{"start_char", "end_char", "label", "score"}]
"""

from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from ..units import NSU, SU

FACTORY = "sentence_identifier"
N_DIGITS = 4


def find_span_keys(nlp: Language) -> tuple[str, str]:
    """Find under which keys the pipeline's sentence identifier writes SUs and NSUs.

    Raises ValueError if the pipeline has none.
    """
    pipe = find_identifier(nlp)
    return pipe.cfg["su_key"], pipe.cfg["nsu_key"]


def find_identifier(nlp: Language) -> Any:
    """Find the first sentence identifier of a pipeline; ValueError if there is none."""
    for name in nlp.pipe_names:
        if nlp.get_pipe_meta(name).factory == FACTORY:
            return nlp.get_pipe(name)
    raise ValueError(
        f"The pipeline has no {FACTORY!r} (found: {', '.join(nlp.pipe_names) or 'nothing'}). Add "
        "one with nlp.add_pipe, or name another pipeline."
    )


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
