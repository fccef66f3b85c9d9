"""Two texts in one Doc: `doc.spans["pair"]` holds one span for each.

text1, text2 -> Doc of text1, a space, text2 -> characters of the Doc <-> of the original texts
"""

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

from spacy.attrs import ORTH, SPACY
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

from ..messages import shorten
from ..text.offsets import OFFSETS, OffsetMap, get_offsets, source_span

PAIR_KEY = "pair"
# Attribute of the span group that holds the pair's id. Attributes survive DocBin; `Span.id` is lost
# in some conversions of a Doc.
ID = "id"
# Labels of the two spans.
SIDES = ("1", "2")

Text = str | Doc | Sequence[str]
SpacedWords = tuple[list[str], list[bool]]  # words, and whether a space follows each


def make_pair(nlp: Language, text1: Text, text2: Text, *, pair_id: str = "") -> Doc:
    """Make a Doc of two texts. It is an ordinary Doc for `nlp.pipe` and DocBin.

    text1, text2: A string, which the tokenizer of `nlp` splits; a Doc, whose tokens are kept; or a
        list of words.
    pair_id: Id for error messages, stored as `doc.spans["pair"].attrs["id"]`.
    RETURNS: A Doc with the tokens of both texts, and a sentence start at the second. Its text is
        both texts, with a space between them unless the first ends in one.

    Raises ValueError if a text has no words or another type, or `nlp` is not a pipeline.

    >>> import spacy
    >>> pair = make_pair(spacy.blank("en"), "Sales rose.", ["Sales", "fell", "."])
    >>> pair.text
    'Sales rose. Sales fell .'
    >>> [span.text for span in pair.spans["pair"]]
    ['Sales rose.', 'Sales fell .']
    """
    if not isinstance(nlp, Language):
        raise ValueError(f"nlp must be a pipeline (a spaCy Language), got {shorten(nlp)}.")
    sides, maps = [], []
    for number, text in enumerate((text1, text2), start=1):
        if isinstance(text, str | Doc):
            doc = nlp.make_doc(text) if isinstance(text, str) else text
            sides.append(_read_words(doc))
            maps.append(get_offsets(doc) if OFFSETS in doc.user_data else None)
        else:
            _check_words(text, _name_text(number, pair_id))
            sides.append(_space_words(text))
            maps.append(None)
    pair = _join(nlp.vocab, sides, pair_id)
    if any(maps):
        lengths = [sum(map(len, words)) + sum(spaces) for words, spaces in sides]
        first, second = (
            found or OffsetMap.identity(length) for found, length in zip(maps, lengths, strict=True)
        )
        n_between = int(not sides[0][1][-1])
        pair.user_data[OFFSETS] = first.join(second, n_between).to_bytes()
    return pair


def make_pair_of_words(
    vocab: Vocab, words1: Sequence[str], words2: Sequence[str], *, pair_id: str = ""
) -> Doc:
    """Make the Doc of a pair from two lists of words, without a pipeline."""
    return _join(vocab, [_space_words(words1), _space_words(words2)], pair_id)


def _name_text(number: int, pair_id: str) -> str:
    """Describe a text for an error message."""
    return f"Text {number} of pair {pair_id!r}" if pair_id else f"Text {number} of the pair"


def _check_words(words: object, name: str) -> None:
    """Check that `words` is a list of strings. spaCy would read numbers as keys of strings."""
    if not isinstance(words, list | tuple):
        raise ValueError(
            f"{name} must be a string, a Doc or a list of words, got {shorten(words)}."
        )
    for word in words:
        if not isinstance(word, str) or not word:
            raise ValueError(f"{name} must have non-empty strings as words, got {shorten(word)}.")


def _read_words(doc: Doc) -> SpacedWords:
    rows = doc.to_array([ORTH, SPACY]).reshape(len(doc), 2)  # no Token objects
    strings: Any = doc.vocab.strings
    return [strings[key] for key in rows[:, 0].tolist()], rows[:, 1].astype(bool).tolist()


def _space_words(words: Sequence[str]) -> SpacedWords:
    return list(words), [True] * (len(words) - 1) + [False]


def _join(vocab: Vocab, sides: list[SpacedWords], pair_id: str) -> Doc:
    for number, (words, _) in enumerate(sides, start=1):
        if not any(word and not word.isspace() for word in words):
            raise ValueError(f"{_name_text(number, pair_id)} must have words, got none.")
    (words1, spaces1), (words2, spaces2) = sides
    start, n_words = len(words1), len(words1) + len(words2)
    doc = Doc(vocab, words=words1 + words2, spaces=[*spaces1[:-1], True, *spaces2])
    # Faster than the argument `sent_starts`, which needs a value for each token.
    doc[0].is_sent_start = doc[start].is_sent_start = True
    spans = [Span(doc, 0, start, label=SIDES[0]), Span(doc, start, n_words, label=SIDES[1])]
    doc.spans[PAIR_KEY] = SpanGroup(doc, name=PAIR_KEY, spans=spans, attrs={ID: pair_id})
    return doc


def get_pair(doc: Doc) -> tuple[Span, Span]:
    """Get the spans of the two texts; ValueError if the Doc was not made by `make_pair`."""
    group = doc.spans.get(PAIR_KEY, ())
    spans = list(group)
    if len(spans) != 2 or spans[0].start or spans[0].end != spans[1].start:
        raise ValueError(
            f"doc.spans[{PAIR_KEY!r}] must have the spans of two texts, got {len(spans)} spans "
            f"({doc.text[:40]!r}). Make the Doc with spacy_sentid.make_pair(nlp, text1, text2)."
        )
    return spans[0], spans[1]


def pair_id(doc: Doc) -> str:
    """Get the id of a pair; "" if it has none."""
    return doc.spans[PAIR_KEY].attrs.get(ID, "") if PAIR_KEY in doc.spans else ""


def original_span(span: Span) -> tuple[int, int, int]:
    """Map a span of a pair back to the text that it comes from.

    RETURNS: (1 or 2, start, end): the number of the text, and half-open character offsets in it,
        for texts that were given as strings. If the tokenizer has filters, the offsets are in the
        text before the filters.

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
