"""Check if a tagger finds the contrast in a pair, or leaves a paraphrase untagged."""

from spacy.language import Language

from spacy_sentid.paraphrase_tagger.corpus import (
    UNPARAPHRASED_KEY,
    TaggedPair,
    doc_from_pair,
    pair_from_doc,
)
from spacy_sentid.paraphrase_tagger.matching.words import SIGNS, describe_word

FUNCTION_WORD, PUNCT = SIGNS.index("is_function_word"), SIGNS.index("is_punct")
NEGATION, MODAL = SIGNS.index("is_negation"), SIGNS.index("is_modal")


def is_right(nlp: Language, pair: TaggedPair) -> bool:
    """Check if the tags of a pair are right. See `python -m studies contrasts` for the rules."""
    found = pair_from_doc(nlp(doc_from_pair(nlp, pair)), key=UNPARAPHRASED_KEY)
    sides = [
        (pair.words1, pair.tags1 or [], found.tags1 or []),
        (pair.words2, pair.tags2 or [], found.tags2 or []),
    ]
    if any(any(gold) for _, gold, _ in sides):
        return all(
            any(tag and seen for tag, seen in zip(gold, tags, strict=True))
            for _, gold, tags in sides
            if any(gold)
        )
    return not any(
        tag and counts(word)
        for words, _, tags in sides
        for word, tag in zip(words, tags, strict=True)
    )


def counts(word: str) -> bool:
    """Check if a word is a content word, a number, a negation or a modal.

    >>> [counts(word) for word in ("of", ".", "not", "might", "rose", "12")]
    [False, False, True, True, True, True]
    """
    signs = describe_word(word).signs
    return bool(not (signs[FUNCTION_WORD] or signs[PUNCT]) or signs[NEGATION] or signs[MODAL])
