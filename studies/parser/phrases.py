"""Test data for taggers and parsers: a Doc for each unit of a treebank, and noun phrases.

CoNLL-U -> units -> Docs with tags, features, lemmas and trees -> those that are noun phrases
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_sentid.conllu.treebank import TreebankUnit, known_value, read_treebank, word_annotations
from spacy_sentid.corpus_augmenter.noun_phrases import is_noun_phrase
from spacy_sentid.files.records import read_good_lines

UPOS = frozenset(IDS) - {"", "CONJ", "EOL", "SPACE"}  # the 17 tags of UD; spaCy has others, too
BATCH_SIZE = 128


def read_phrases(path: Path) -> list[str]:
    """Read one phrase per line, without surrounding white space. Empty lines are skipped."""
    phrases = [line.text.strip() for line in read_good_lines(path)]
    if not phrases:
        raise ValueError(f"{path} must have one phrase per line, got no phrases.")
    return phrases


def read_parsing_docs(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Make a Doc of each unit of a CoNLL-U file, in order, as `spacy convert -n 1` does.

    Multiword tokens are spelled as their words, without spaces ("zum" = "zu" + "dem" is "zudem").
    If XPOS is "_", the tag is UPOS. DEPREL "root" becomes spaCy's "ROOT". Unlike in `spacy
    convert`, LEMMA "_" means no lemma, unless the word itself is "_", and spaces are read from
    `# text` if there is one. If no word has HEAD and DEPREL, the Doc has no tree.

    RETURNS: Docs of one unit each; nothing for a file without units.

    Raises ValueError with file and line for malformed input.
    """
    return (_make_doc(unit, vocab) for unit in read_treebank(path))


def gold_noun_phrases(docs: Iterable[Doc]) -> Iterator[Doc]:
    """Select the Docs that are a noun phrase (an NPU) and do not end in PUNCT.

    docs: Docs of one unit each, with gold UPOS and tree. Docs without a tree are skipped.
    """
    for doc in docs:
        words = [token for token in doc if not token.text.isspace()]
        if not words or words[-1].pos_ == "PUNCT" or not doc.has_annotation("DEP"):
            continue
        upos = [token.pos_ for token in doc]
        heads = [token.head.i for token in doc]
        if is_noun_phrase(upos, heads, [token.dep_ for token in doc]):
            yield doc


def parse_phrases(nlp: Language, phrases: Iterable[str | Doc]) -> Iterator[Doc]:
    """Run a pipeline on phrases, in order.

    phrases: Strings, or Docs, of which only the words and spaces are used.
    """
    inputs = (
        phrase
        if isinstance(phrase, str)
        else Doc(
            nlp.vocab,
            words=[token.text for token in phrase],
            spaces=[bool(token.whitespace_) for token in phrase],
        )
        for phrase in phrases
    )
    yield from nlp.pipe(inputs, batch_size=BATCH_SIZE)


def universal_tags(doc: Doc) -> list[str]:
    """Read UPOS of all tokens from `pos_`, or from `tag_` if `pos_` is not set.

    White-space tokens may have any tag. Raises ValueError if tags are not universal, or if the Doc
    has no tree and so was not parsed.
    """
    if not doc.has_annotation("DEP"):
        raise ValueError(
            f"A parsed text must have a tree, got no relations in {doc.text[:40]!r}. Choose a "
            "pipeline with a parser."
        )
    if doc.has_annotation("POS"):
        return [token.pos_ for token in doc]
    unknown = {token.tag_ for token in doc if not token.text.isspace()} - UPOS
    if unknown:
        found = ", ".join(sorted(tag or "none" for tag in unknown)[:5])
        raise ValueError(
            f"Tags must be universal, such as NOUN, got {found} and no pos_ in {doc.text[:40]!r}. "
            "Choose a pipeline with a morphologizer, or with a tagger trained on UPOS."
        )
    return ["SPACE" if token.text.isspace() else token.tag_ for token in doc]


def _make_doc(unit: TreebankUnit, vocab: Vocab) -> Doc:
    words = unit.words
    # If only some words have a head, the others become their own head, without a relation.
    heads: Any = [i if word.head is None else word.head for i, word in enumerate(words)]
    deps: Any = ["ROOT" if word.deprel == "root" else known_value(word.deprel) for word in words]
    annotations = word_annotations(words)
    tags, pos = annotations["tags"], annotations["pos"]
    annotations["tags"] = [tag or upos for tag, upos in zip(tags, pos, strict=True)]
    spaces = [after.start_char > word.end_char for word, after in pairwise(words)]
    return Doc(
        vocab,
        words=[word.form for word in words],
        spaces=[*spaces, unit.space_after],
        **annotations,
        heads=heads if unit.has_relations else None,
        deps=deps if unit.has_relations else None,
    )
