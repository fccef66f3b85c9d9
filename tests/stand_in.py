"""A stand-in for the paraphrase tagger, for tests that need no weights."""

import numpy
import spacy
from spacy.language import Language
from spacy.tokens import Doc, SpanGroup

from spacy_sentid.paraphrase_tagger.corpus import SUPPORT, UNPARAPHRASED_KEY, write_tagged_spans
from spacy_sentid.paraphrase_tagger.pairs import get_pair

PROB = 0.75


@Language.component("word_match_tagger")
def tag_by_words(doc: Doc) -> Doc:
    """Compute the support of words: 3 if the other text has the word in any case, otherwise -3.

    The support of "nan" is NaN. A batch with "refuse" raises ValueError, with "boom" another error.
    """
    texts = [[token.lower_ for token in text] for text in get_pair(doc)]
    if "boom" in texts[0]:
        raise RuntimeError("boom")
    if "refuse" in texts[0]:
        raise ValueError("The text must not have the word 'refuse'.")
    support = numpy.array(
        [3.0 if word in texts[1 - n] else -3.0 for n in (0, 1) for word in texts[n]], "float32"
    )
    tags = (support < 0).astype(int).tolist()
    write_tagged_spans(doc, tags[: len(texts[0])], tags[len(texts[0]) :])
    group: SpanGroup = doc.spans[UNPARAPHRASED_KEY]
    support[[word == "nan" for text in texts for word in text]] = numpy.nan
    group.attrs.update({"scores": [PROB] * len(group), SUPPORT: support})
    return doc


def make_stand_in() -> Language:
    """Build a pipeline with the stand-in."""
    nlp = spacy.blank("en")
    nlp.add_pipe("word_match_tagger")
    return nlp
