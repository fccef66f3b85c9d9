"""Create a Doc with only the SUs, for the components after the identifier.

doc.spans["su"] -> words of the SUs -> a new Doc with its offset map
"""

from itertools import accumulate, pairwise

from spacy.tokens import Doc, Span, SpanGroup

from ...text.offsets import OFFSETS, get_offsets, keep_spans
from .units import SU_KEY, Keys, list_groups


def strip_nsu(doc: Doc, *, su_key: str = SU_KEY) -> Doc:
    """Create a Doc with only the SUs, joined by spaces.

    Each SU is a sentence, and in `doc.spans[su_key]`. Words and their norms are copied, but tags,
    trees and entities are not. Run the other components on the result:
    `nlp(stripped, disable=["sentence_identifier"])`. `original_offset` and `source_span` map back
    to the text that was passed to the tokenizer.

    su_key: Key of the span group of SUs, if the component has another.
    RETURNS: A new Doc with the vocab of `doc`; empty if there is no SU. Components that run on it
        must have the same vocab. Use those of the same pipeline, or of one created with
        `vocab=nlp.vocab` (otherwise spaCy does not find their labels: E084).

    Raises ValueError if the Doc has no such group, or if its spans overlap.
    """
    group, _ = list_groups(doc, Keys(su_key))[0]
    spans = sorted((span for span in group if len(span)), key=lambda span: span.start)
    if any(one.end > other.start for one, other in pairwise(spans)):
        raise ValueError(
            f"The spans in doc.spans[{su_key!r}] must not overlap. Remove the overlaps."
        )
    tokens = [token for span in spans for token in span]
    bounds = [0, *accumulate(len(span) for span in spans)]
    spaces = [bool(token.whitespace_) for token in tokens]
    for end in bounds[1:]:
        spaces[end - 1] = end < len(tokens)
    sent_starts: list[bool | int | None] = [False] * len(tokens)
    for start in bounds[:-1]:
        sent_starts[start] = True
    words = [token.text for token in tokens]
    stripped = Doc(doc.vocab, words=words, spaces=spaces, sent_starts=sent_starts)
    # Copy norms that tokenizer exceptions have set, such as "not" for "n't".
    for token, before in zip(stripped, tokens, strict=True):
        if token.norm_ != before.norm_:
            token.norm_ = before.norm_
    offsets = keep_spans(doc.text, ((span.start_char, span.end_char) for span in spans)).offsets
    if OFFSETS in doc.user_data:
        offsets = get_offsets(doc).compose(offsets)
    stripped.user_data[OFFSETS] = offsets.to_bytes()
    label = spans[0].label if spans else 0
    sus = [Span(stripped, start, end, label=label) for start, end in pairwise(bounds)]
    stripped.spans[su_key] = SpanGroup(stripped, name=su_key, spans=sus)
    return stripped
