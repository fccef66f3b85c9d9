"""Cut the NSUs out of a Doc, for the parser behind it, and find the way back."""

from bisect import bisect_right

from spacy.tokens import Doc, Span, SpanGroup

# Where the stripped Doc keeps its map: `doc.user_data[OFFSETS]`, a list of
# (character in the stripped text, character in the original text), one for each SU.
OFFSETS = "spacy_sentid.offsets"


def strip_nsu(doc: Doc, *, su_key: str = "su") -> Doc:
    """Make a Doc of the SUs alone, each a sentence, joined by a space.

    Words and their norms, which taggers and parsers read, are those of the Doc; tags, trees and
    entities are not carried over: the result is for the components behind to run on
    (`nlp(stripped, disable=["sentence_identifier"])`). Each sentence start is set, and
    `doc.spans[su_key]` holds the SUs. The map back is in `doc.user_data["spacy_sentid.offsets"]`;
    use `original_offset`.

    RETURNS: A new Doc with the vocab of `doc`; empty if there is no SU. Components that run on it
        must have that vocab: those of the same pipeline, or of one made with `vocab=nlp.vocab`
        (else their labels are not found: E084).

    Raises ValueError if the Doc has no group `su_key`.
    """
    if su_key not in doc.spans:
        raise ValueError(
            f"Doc has no spans[{su_key!r}] (found keys: {', '.join(doc.spans) or 'none'}). Run the "
            "component 'sentence_identifier' on it first."
        )
    words: list[str] = []
    spaces: list[bool] = []
    norms: list[str] = []
    bounds: list[tuple[int, int]] = []
    offsets: list[tuple[int, int]] = []
    n_chars = 0
    for span in doc.spans[su_key]:
        if words and not spaces[-1]:
            spaces[-1] = True
            n_chars += 1
        offsets.append((n_chars, span.start_char))
        start = len(words)
        for token in span:
            words.append(token.text)
            spaces.append(bool(token.whitespace_))
            norms.append(token.norm_)
            n_chars += len(token.text_with_ws)
        bounds.append((start, len(words)))
    if words and spaces[-1]:
        spaces[-1] = False
    first = {start for start, _ in bounds}
    stripped = Doc(
        doc.vocab, words=words, spaces=spaces, sent_starts=[i in first for i in range(len(words))]
    )
    # The tokenizer's exceptions have norms of their own: "not" of "n't".
    for token, norm in zip(stripped, norms, strict=True):
        if token.norm_ != norm:
            token.norm_ = norm
    stripped.user_data[OFFSETS] = offsets
    label = doc.spans[su_key][0].label if bounds else 0
    spans = [Span(stripped, start, end, label=label) for start, end in bounds]
    stripped.spans[su_key] = SpanGroup(stripped, name=su_key, spans=spans)
    return stripped


def original_offset(stripped: Doc, char: int) -> int:
    """Map a character offset of a stripped Doc to the original text.

    char: In [0, len(stripped.text)]; the space between two SUs maps to the end of the first.

    Raises ValueError outside that range, or if the Doc was not made by `strip_nsu`.
    """
    if OFFSETS not in stripped.user_data or not 0 <= char <= len(stripped.text):
        raise ValueError(
            f"Found offset {char} in a Doc of {len(stripped.text)} characters with user data "
            f"{list(stripped.user_data)}, expected an offset into a Doc made by strip_nsu."
        )
    offsets = stripped.user_data[OFFSETS]
    row = bisect_right(offsets, char, key=lambda pair: pair[0]) - 1
    if row < 0:
        return char
    start, original = offsets[row]
    return int(original + char - start)
