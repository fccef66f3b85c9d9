"""New tagged pairs from existing ones, with one more difference.

`TaggedPair` -> two `Sentence`s without trees, common words with common keys -> an edited pair

The sentences were written by people, whose rewordings are richer than synthetic ones. So only the
difference is synthetic.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from random import Random

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair
from spacy_sentid.paraphrase_tagger.matching.words import FUNCTION_WORDS, find_core
from studies.paraphrase_data.bank import Bank
from studies.paraphrase_data.contrasts import (
    AUXILIARIES,
    Difference,
    Kit,
    change_exclusive,
    change_name,
    change_number,
    change_time,
    change_to_opposite,
    change_word,
    negate,
    swap_roles,
)
from studies.paraphrase_data.pair_trees import ROOT, Node, Sentence
from studies.paraphrase_data.phrases import DAYS, MONTHS, NUMBER_WORDS
from studies.paraphrase_data.rewordings import (
    use_other_form,
    use_phrase,
    use_synonym,
    use_verb_phrase,
)
from studies.paraphrase_data.synthetic_pairs import finish_pair
from studies.paraphrase_data.thesaurus import PARTS, Thesaurus

# Name, edit, and its weight in draws.
CONTRASTS: tuple[tuple[str, Difference, float], ...] = (
    ("number", change_number, 2),
    ("time", change_time, 2),
    ("exclusive", change_exclusive, 2),
    ("name", change_name, 3),
    ("opposite", change_to_opposite, 3),
    ("word", change_word, 4),
    ("negation", negate, 3),
    ("roles", swap_roles, 4),
)
TREELESS_REWORDINGS = (use_synonym, use_phrase, use_verb_phrase, use_other_form)
TAGS = {
    "NOUN": ("NN", "NNS"),
    "VERB": ("VB", "VBZ", "VBD", "VBN", "VBG"),
    "ADJ": ("JJ", "JJR", "JJS"),
    "ADV": ("RB",),
}
MAX_TRIES = 50
# Share of pairs made from paraphrases, so that the new difference is the only one.
STRICT = 0.3


def make_contrasts(
    pairs: Sequence[TaggedPair], thesaurus: Thesaurus, bank: Bank, *, n: int, seed: int = 0
) -> Iterator[TaggedPair]:
    """Make `n` pairs from tagged pairs, each with one or two more differences."""
    rng = Random(seed)
    usable = [pair for pair in pairs if pair.tags1 is not None and len(pair.words1) <= 40]
    if n and not usable:
        raise ValueError(
            f"Contrasts need tagged pairs of at most 40 words, got none in {len(pairs)} pairs."
        )
    strict = [pair for pair in usable if not sum(pair.tags1 or []) + sum(pair.tags2 or [])]
    guess = WordClasses(thesaurus)
    names, edits, weights = zip(*CONTRASTS, strict=True)
    n_made = n_tries = 0
    while n_made < n:
        (number,) = rng.choices(range(len(names)), weights)
        for _ in range(MAX_TRIES):
            n_tries += 1
            pool = strict if strict and rng.random() < STRICT else usable
            first, second = sentences_from_pair(rng.choice(pool), guess)
            if rng.random() < 0.5:
                first, second = second, first
            kit = Kit(rng, thesaurus, bank, [])
            two = edits[number](first, second, kit)
            if two is None:
                continue
            kinds = [names[number]]
            if rng.random() < 0.25:
                (more,) = rng.choices(range(len(names)), weights)
                again = edits[more](*two, kit) if more != number else None
                two, kinds = (again, [*kinds, names[more]]) if again else (two, kinds)
            sides = []
            for side in two:
                for _ in range(rng.choice((0, 0, 1, 2))):
                    side = rng.choice(TREELESS_REWORDINGS)(side, rng, thesaurus) or side
                sides.append(side)
            pair = finish_pair(sides[0], sides[1], kinds, rng)
            if pair is not None:
                n_made += 1
                source = pair.source.replace("synthetic-", "synthetic-known-")
                yield pair._replace(id=f"synthetic-known-{n_made:06}", source=source)
                break
        if n_tries > MAX_TRIES * (n + 100):
            raise ValueError(
                f"Only {n_made} of {n} contrasts could be made. Use more tagged pairs."
            )


class WordClasses:
    """A cache of the guessed lemma, part of speech and tag of each word form."""

    def __init__(self, thesaurus: Thesaurus) -> None:
        self.thesaurus = thesaurus
        self.known: dict[str, tuple[str, str, str]] = {}

    def guess(self, form: str) -> tuple[str, str, str]:
        """Return (lemma, part of speech, tag) of a form. Words with "X" must not be edited."""
        if form not in self.known:
            self.known[form] = self._guess(form)
        return self.known[form]

    def _guess(self, form: str) -> tuple[str, str, str]:
        core = form.lower()
        if core in NUMBER_WORDS[2:] or core[:1].isdigit():
            return core, "NUM", "CD"
        if core in AUXILIARIES:
            return core, "AUX", "VBZ"
        if core in FUNCTION_WORDS or not core.isalpha():
            return core, "X", "_"
        found = self.thesaurus.lemminflect.getAllLemmas(form)
        for part, tags in TAGS.items():
            for lemma in found.get(part, ()):
                if (lemma, PARTS[part]) not in self.thesaurus.wordnet.senses:
                    continue
                for tag in tags:
                    if self.thesaurus.inflect(lemma, tag) == core:
                        return lemma, part, tag
        return core, "X", "_"


def sentences_from_pair(pair: TaggedPair, guess: WordClasses) -> tuple[Sentence, Sentence]:
    """Convert a pair to sentences. Untagged words that occur once in each share a key."""
    sides = ((pair.words1, pair.tags1 or []), (pair.words2, pair.tags2 or []))
    counts = [Counter(map(find_core, words)) for words, _ in sides]
    tagged = {find_core(w) for words, tags in sides for w, t in zip(words, tags, strict=True) if t}
    common = {c for c in counts[0] if counts[0][c] == counts[1][c] == 1} - tagged
    keys = {core: key for key, core in enumerate(sorted(common))}
    one, two = (
        _make_side(words, tags, keys, guess, first_key=1000 * (i + 1))
        for i, (words, tags) in enumerate(sides)
    )
    return one, two


def _make_side(
    words: Sequence[str], tags: Iterable[int], keys: dict[str, int], guess: WordClasses, *,
    first_key: int,
) -> Sentence:  # fmt: skip
    """Make a flat tree, in which all words depend on the last, and auxiliaries are marked."""
    nodes: Sentence = []
    root = first_key + len(words) - 1
    for i, (form, tag) in enumerate(zip(words, tags, strict=True)):
        lemma, upos, xpos = guess.guess(form)
        if (i and form[:1].isupper() and form.isalpha()) or form in (*DAYS, *MONTHS):
            lemma, upos, xpos = form, "PROPN", "NNP"
        if i == len(words) - 1:
            key, head, relation = root, ROOT, "root"
        else:
            key, head = keys.get(find_core(form), first_key + i), root
            relation = "aux" if upos == "AUX" else "obl"
        nodes.append(Node(form, lemma, upos, xpos, relation, key, head, tag, bool(tag)))
    return nodes
