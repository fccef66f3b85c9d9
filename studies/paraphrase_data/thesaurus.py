"""Synonyms, opposites and co-hyponyms of a word, in the same inflected form.

lemma, part of speech -> first senses in WordNet -> lemmas -> the form of a tag

This is only used to make training pairs. It requires the same packages as the lexicon.
"""

from functools import lru_cache

from studies.paraphrase_data.wordnet import WordNet, import_sources, keys_of_lemma

PARTS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
OPPOSITE = 3
# Minimum frequency of a common word, as the base-10 logarithm of occurrences per billion words.
MIN_FREQUENCY = 3.0
INFLECTED = ("NNS", "VBZ", "VBD", "VBN", "VBG", "JJR", "JJS", "RBR", "RBS")
HYPERNYM, HYPONYM = "@", "~"
# Words with too little meaning of their own to have synonyms.
LIGHT_LIST = """
be have do get go make take say come give put keep let use one thing way lot other such same own
many much more most few less last first next able
"""
LIGHT = frozenset(LIGHT_LIST.split())


class Thesaurus:
    """Related words from WordNet. All lists are sorted, so that draws are reproducible."""

    def __init__(self, wordnet: WordNet) -> None:
        self.wordnet = wordnet
        self.lemminflect, self.wordfreq = import_sources()
        self.find_synonyms = lru_cache(maxsize=None)(self._find_synonyms)
        self.find_opposites = lru_cache(maxsize=None)(self._find_opposites)
        self.find_siblings = lru_cache(maxsize=None)(self._find_siblings)
        self.inflect = lru_cache(maxsize=None)(self._inflect)
        self.is_common = lru_cache(maxsize=None)(self._is_common)

    def _is_common(self, word: str) -> bool:
        return self.wordfreq.zipf_frequency(word, "en") >= MIN_FREQUENCY

    def _find_synonyms(self, lemma: str, part: str) -> list[str]:
        """List the lemmas that share one of the first two senses of both words."""
        found = set()
        for synset in self.wordnet.senses.get((lemma, part), [])[:2]:
            for word in self.wordnet.words[synset]:
                if synset in self.wordnet.senses.get((word, part), [])[:2]:
                    found.add(word)
        return self._choose(found - {lemma})

    def _find_opposites(self, lemma: str, part: str) -> list[str]:
        """List the lemmas with the opposite meaning."""
        return self._choose(set(keys_of_lemma(self.wordnet, lemma, part)[OPPOSITE]) - {lemma})

    def _find_siblings(self, lemma: str, part: str) -> list[str]:
        """List the lemmas whose first sense has the same hypernym as that of the given lemma."""
        found: set[str] = set()
        for synset in self.wordnet.senses.get((lemma, part), [])[:1]:
            for up in self.wordnet.pointers[synset]:
                if up.symbol != HYPERNYM:
                    continue
                for down in self.wordnet.pointers[up.target]:
                    if down.symbol == HYPONYM and down.target != synset:
                        word = self.wordnet.words[down.target][0]
                        if down.target in self.wordnet.senses.get((word, part), [])[:1]:
                            found.add(word)
        return self._choose(found - {lemma, *self.find_synonyms(lemma, part)})

    def _choose(self, words: set[str]) -> list[str]:
        return sorted(
            word for word in words if word.isalpha() and word.isascii() and self.is_common(word)
        )

    def _inflect(self, lemma: str, xpos: str) -> str | None:
        """Generate the inflected form of a lemma for a tag, or None if it does not exist."""
        if xpos in ("NN", "VB", "VBP", "JJ", "RB"):
            return lemma
        if xpos not in INFLECTED:
            return None
        forms = self.lemminflect.getInflection(lemma, xpos, inflect_oov=True)
        return forms[0] if forms else None
