"""Docs for taggers and parsers: one for each unit of a treebank, its tokens the syntactic words.

CoNLL-U -> units -> Docs with tags, features, lemmas and trees -> those that are noun phrases
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.parts_of_speech import IDS
from spacy.tokens import Doc
from spacy.vocab import Vocab

from ..treebank import TreebankUnit, Word, read_treebank
from .noun_phrases import is_noun_phrase


def read_parsing_docs(path: Path, vocab: Vocab) -> Iterator[Doc]:
    """Make a Doc of each unit of a CoNLL-U file, in order, as `spacy convert -n 1` does.

    The words of a multiword token that they do not spell stand one behind the other ("zu" + "dem"
    of "zum" reads "zudem"). XPOS "_" gives UPOS as the tag, DEPREL "root" is spaCy's "ROOT". Other
    than there, LEMMA "_" is no lemma unless the word is "_". Whether a space follows is read off
    `# text`, where there is one. Where no word has HEAD and DEPREL the Doc has no tree.

    RETURNS: Docs that are one unit each; none for a file without units. Malformed input raises
        ValueError with file and line.
    """
    for unit in read_treebank(path):
        yield _make_doc(unit, vocab)


def gold_noun_phrases(docs: Iterable[Doc]) -> Iterator[Doc]:
    """Pick the Docs that are a noun phrase (an NPU) whose last word is not PUNCT.

    docs: One unit each, with gold UPOS and tree; those without a tree are none.
    """
    for doc in docs:
        words = [token for token in doc if not token.text.isspace()]
        if not words or words[-1].pos_ == "PUNCT" or not doc.has_annotation("DEP"):
            continue
        upos = [token.pos_ for token in doc]
        heads = [token.head.i for token in doc]
        if is_noun_phrase(upos, heads, [token.dep_ for token in doc]):
            yield doc


def _make_doc(unit: TreebankUnit, vocab: Vocab) -> Doc:
    words = unit.words
    unknown = {word.upos for word in words} - set(IDS) - {"_"}
    if unknown:
        raise ValueError(
            f"{unit.place} (sent_id {unit.sent_id}): found the tag {sorted(unknown)[0]!r} in UPOS, "
            "expected one of the universal tags. Mend the UPOS column."
        )
    # A word without a head among others with one: its own head, and no relation.
    heads: Any = [i if word.head is None else word.head for i, word in enumerate(words)]
    deps: Any = [_spacy_relation(word) for word in words]
    return Doc(
        vocab,
        words=[word.form for word in words],
        spaces=_spaces_after(unit),
        tags=[_known(word.upos if word.xpos == "_" else word.xpos) for word in words],
        pos=[_known(word.upos) for word in words],
        morphs=[word.feats for word in words],
        lemmas=[_known(word.lemma) if word.form != "_" else "_" for word in words],
        heads=heads if unit.has_relations else None,
        deps=deps if unit.has_relations else None,
    )


def _spaces_after(unit: TreebankUnit) -> list[bool]:
    """Tell of each word whether white space follows it."""
    spaces = [
        after.start_char > word.end_char
        for word, after in zip(unit.words, unit.words[1:], strict=False)
    ]
    return [*spaces, unit.space_after] if unit.words else []


def _spacy_relation(word: Word) -> str:
    return "ROOT" if word.deprel == "root" else _known(word.deprel)


def _known(value: str) -> str:
    """Give "" for what CoNLL-U leaves open."""
    return "" if value == "_" else value
