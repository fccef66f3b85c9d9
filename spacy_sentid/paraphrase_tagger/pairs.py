"""Two texts in one Doc: `doc.spans["pair"]` holds one span for each.

text1, text2 -> Doc of text1, a space, text2 -> characters of the Doc <-> of the original texts
"""

from bisect import bisect_left
from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from ..offsets import OFFSETS, OffsetMap, get_offsets, source_span

PAIR_KEY = "pair"
# Key of the pair's id among the attributes of the span group: they survive DocBin, `Span.id` not
# every way that a Doc goes.
ID = "id"
# Labels of the two spans.
SIDES = ("1", "2")

Text = str | Sequence[str]


def make_pair(nlp: Language, text1: Text, text2: Text, *, pair_id: str = "") -> Doc:
    """Make a Doc of two texts, which `nlp.pipe` and DocBin take as any other.

    text1, text2: Each a string, for the tokenizer of `nlp`, or a list of words.
    pair_id: Named in errors; kept as `doc.spans["pair"].attrs["id"]`.
    RETURNS: A Doc with the tokens of both, where a sentence starts at the second. Its text is that
        of the first, one space unless the first ends in one, and that of the second.

    Raises ValueError if a side has no word.

    >>> import spacy
    >>> pair = make_pair(spacy.blank("en"), "Sales rose.", ["Sales", "fell", "."])
    >>> pair.text
    'Sales rose. Sales fell .'
    >>> [span.text for span in pair.spans["pair"]]
    ['Sales rose.', 'Sales fell .']
    """
    sides, maps, is_filtered = [], [], False
    for text in (text1, text2):
        if isinstance(text, str):
            doc = nlp.make_doc(text)
            sides.append(([token.text for token in doc], [bool(t.whitespace_) for t in doc]))
            has_map = OFFSETS in doc.user_data
            maps.append(get_offsets(doc) if has_map else OffsetMap.identity(len(text)))
            is_filtered |= has_map
        else:
            sides.append((list(text), [True] * (len(text) - 1) + [False]))
            maps.append(OffsetMap.identity(len(" ".join(text))))
    (words1, spaces1), (words2, spaces2) = sides
    pair = _join(nlp.vocab, words1, spaces1, words2, spaces2, pair_id)
    if is_filtered:
        pair.user_data[OFFSETS] = maps[0].join(maps[1], int(not spaces1[-1])).to_bytes()
    return pair


def make_pair_of_words(
    vocab: Vocab, words1: Sequence[str], words2: Sequence[str], *, pair_id: str = ""
) -> Doc:
    """Make the Doc of two lists of words; as `make_pair` does, without a pipeline."""
    sides = [(list(words), [True] * (len(words) - 1) + [False]) for words in (words1, words2)]
    return _join(vocab, *sides[0], *sides[1], pair_id)


def _join(
    vocab: Vocab,
    words1: list[str],
    spaces1: list[bool],
    words2: list[str],
    spaces2: list[bool],
    pair_id: str,
) -> Doc:
    for number, words in enumerate((words1, words2), start=1):
        if not any(word and not word.isspace() for word in words):
            raise ValueError(
                f"Text {number} of pair {pair_id!r} has no words, expected two texts to compare. "
                "Leave the pair out."
            )
    start = len(words1)
    starts = [False] * (start + len(words2))
    starts[0] = starts[start] = True
    doc = Doc(
        vocab,
        words=words1 + words2,
        spaces=[*spaces1[:-1], True, *spaces2],
        sent_starts=[True if flag else None for flag in starts],
    )
    spans = [Span(doc, 0, start, label=SIDES[0]), Span(doc, start, len(doc), label=SIDES[1])]
    doc.spans[PAIR_KEY] = SpanGroup(doc, name=PAIR_KEY, spans=spans, attrs={ID: pair_id})
    return doc


def get_pair(doc: Doc) -> tuple[Span, Span]:
    """Get the spans of the two texts; ValueError if the Doc was not made by `make_pair`."""
    group = doc.spans.get(PAIR_KEY, ())
    spans = list(group)
    if len(spans) != 2 or spans[0].start or spans[0].end != spans[1].start:
        raise ValueError(
            f"Found a Doc with {len(spans)} spans in doc.spans[{PAIR_KEY!r}] ({doc.text[:40]!r}), "
            "expected the two texts of a pair. Make it with "
            "spacy_sentid.make_pair(nlp, text1, text2)."
        )
    return spans[0], spans[1]


def pair_id(doc: Doc) -> str:
    """Get the id that a pair was made with; "" if it has none."""
    return doc.spans[PAIR_KEY].attrs.get(ID, "") if PAIR_KEY in doc.spans else ""


def original_span(span: Span) -> tuple[int, int, int]:
    """Map a span of a pair to the texts that the pair was made of.

    RETURNS: Which text, 1 or 2, and the half-open characters in it, for texts that were given as
        strings; of the texts before filters, where the tokenizer has some.

    >>> import spacy
    >>> pair = make_pair(spacy.blank("en"), "Sales rose.", "In May, sales fell.")
    >>> original_span(pair[6:7])
    (2, 8, 13)
    """
    _, second = get_pair(span.doc)
    start, end, text2_start = span.start_char, span.end_char, second.start_char
    if OFFSETS in span.doc.user_data:
        offsets = get_offsets(span.doc)
        start, end = source_span(span)
        # The first piece of the second text begins where that text does.
        text2_start = offsets.originals[bisect_left(offsets.starts, text2_start)]
    if span.start < second.start:
        return 1, start, end
    return 2, start - text2_start, end - text2_start
