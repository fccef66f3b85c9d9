"""Synthetic tagged pairs from the sentences of a treebank, to train the tagger on.

trees -> one sentence twice -> differences (tagged) -> rewordings of either side -> `TaggedPair`

If two people write about the same thing, their texts differ in many words, and sometimes in
content. So some pairs are near copies, and others are heavily reworded.
"""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import NamedTuple

from spacy_sentid.conllu.treebank import TreebankUnit
from spacy_sentid.paraphrase_tagger.corpus import TaggedPair
from spacy_sentid.paraphrase_tagger.matching.words import (
    FUNCTION_WORDS,
    MODALS,
    NEGATIONS,
    find_core,
)
from studies.paraphrase_data.bank import collect_bank
from studies.paraphrase_data.contrasts import Kit
from studies.paraphrase_data.differences import DIFFERENCES, make_unrelated
from studies.paraphrase_data.pair_trees import Sentence, sentence_from_unit, tidy
from studies.paraphrase_data.rewordings import reword
from studies.paraphrase_data.thesaurus import Thesaurus

MIN_WORDS, MAX_WORDS = 5, 35
# Maximum number of sentences to try for a plan.
MAX_TRIES = 100


class Mixture(NamedTuple):
    """Shares of pairs by number of differences, and limits of the edits."""

    none: float = 0.1
    one: float = 0.2
    several: float = 0.53
    unrelated: float = 0.17
    most: int = 8  # maximum number of differences of a pair with several
    # Maximum number of rewordings to try on a side, as a share of its words.
    rewordings: float = 0.8


def read_sentences(units: Iterable[TreebankUnit]) -> list[Sentence]:
    """Read the sentences of a treebank, usable or not, in order."""
    return [sentence_from_unit(unit) for unit in units]


def make_pairs(
    sentences: Sequence[Sentence],
    thesaurus: Thesaurus,
    *,
    n: int,
    seed: int = 0,
    mixture: Mixture | None = None,
) -> Iterator[TaggedPair]:
    """Make `n` tagged pairs in random order.

    Raises ValueError if the treebank has too few usable sentences.
    """
    rng, mixture = Random(seed), mixture or Mixture()
    usable = [i for i, sentence in enumerate(sentences) if is_usable(sentence)]
    if not usable:
        raise ValueError(
            f"The treebank must have sentences of {MIN_WORDS} to {MAX_WORDS} words with trees, got "
            "none."
        )
    bank = collect_bank(choose_usable(sentences))
    rng.shuffle(usable)
    n_made = n_tries = 0
    while n_made < n:
        plan = draw_plan(rng, mixture)
        for _ in range(MAX_TRIES):
            number = usable[n_tries % len(usable)]
            n_tries += 1
            kit = Kit(rng, thesaurus, bank, sentences[(number + 1) % len(sentences)])
            pair = make_pair_of(sentences[number], kit, plan=plan, rewordings=mixture.rewordings)
            if pair is not None:
                n_made += 1
                yield pair._replace(id=f"synthetic-{n_made:06}")
                break
        if n_tries > 20 * (n + 100):
            raise ValueError(
                f"Only {n_made} of {n} pairs could be made in {n_tries:,} tries. Use a larger "
                "treebank with whole sentences."
            )


def draw_plan(rng: Random, mixture: Mixture) -> list[str]:
    """Draw the names of the differences of a pair. A paraphrase has none."""
    kind = rng.choices(("none", "one", "several", "unrelated"), mixture[:4])[0]
    names = [row[0] for row in DIFFERENCES]
    if kind == "one":
        return rng.choices(names, [row[2] for row in DIFFERENCES])
    if kind == "several":
        return rng.choices(names, [row[3] for row in DIFFERENCES], k=rng.randint(2, mixture.most))
    return ["unrelated"] if kind == "unrelated" else []


def choose_usable(sentences: Iterable[Sentence]) -> list[Sentence]:
    """Select the sentences that can be used for pairs."""
    return [sentence for sentence in sentences if is_usable(sentence)]


def is_usable(sentence: Sentence) -> bool:
    """Check if a sentence has a suitable length and is running text."""
    if not MIN_WORDS <= len(sentence) <= MAX_WORDS:
        return False
    if any(len(n.form) > 25 or n.relation in ("goeswith", "reparandum", "list", "_")
           or (n.upos in ("SYM", "X") and len(n.form) > 2) for n in sentence):  # fmt: skip
        return False
    return sum(n.form[:1].isalpha() for n in sentence) >= 0.6 * len(sentence)


def make_pair_of(
    sentence: Sentence, kit: Kit, *, plan: Sequence[str], rewordings: float
) -> TaggedPair | None:
    """Make one pair from a sentence, without an id. Return None if no difference is possible.

    plan: Names of the differences.
    rewordings: Maximum number of rewordings to try on a side, as a share of its words.
    """
    rng = kit.rng
    made = _differ(sentence, kit, plan)
    if made is None:
        return None
    first, second, kinds = made
    rate = rng.random() * rewordings
    sides = []
    for side in (first, second):
        n_edits = round(rate * len(side) * rng.random())
        sides.append(reword(side, rng, thesaurus=kit.thesaurus, n_edits=n_edits))
    return finish_pair(sides[0], sides[1], kinds, rng)


def finish_pair(
    first: Sentence, second: Sentence, kinds: Sequence[str], rng: Random
) -> TaggedPair | None:
    """Make a pair from two edited sentences. Return None if they are equal or have lost all tags.

    Sentences without differences must not have tags.
    """
    if rng.random() < 0.5:
        first, second = second, first
    first, second = clear_tags(tidy(first), tidy(second))
    words1, words2 = ([node.form for node in side] for side in (first, second))
    tags1, tags2 = ([node.tag for node in side] for side in (first, second))
    if words1 == words2 or not words1 or not words2:
        return None
    if bool(kinds) != bool(sum(tags1) + sum(tags2)):
        return None
    source = "synthetic-" + ("+".join(sorted(set(kinds))) or "none")
    return TaggedPair("", words1, words2, tags1, tags2, source)


def _differ(
    sentence: Sentence, kit: Kit, plan: Sequence[str]
) -> tuple[Sentence, Sentence, list[str]] | None:
    """Make those differences of a plan that are possible. Return None if none of them is."""
    edits = {name: edit for name, edit, *_ in DIFFERENCES} | {"unrelated": make_unrelated}
    first, second = sentence, sentence
    kinds: list[str] = []
    for name in plan:
        turned = kit.rng.random() < 0.5
        two = edits[name](second, first, kit) if turned else edits[name](first, second, kit)
        if two is not None:
            first, second = two[::-1] if turned else two
            kinds.append(name)
    return (first, second, kinds) if bool(kinds) == bool(plan) else None


def clear_tags(first: Sentence, second: Sentence) -> tuple[Sentence, Sentence]:
    """Clear the tags that the rules of the data do not allow.

    A word must not be tagged in both sentences, unless it has swapped roles with another. A tagged
    run must not start or end with a punctuation mark. It must have a content word, a negation or a
    modal.
    """
    tagged = [{find_core(n.form) for n in side if n.tag} for side in (first, second)]
    both = tagged[0] & tagged[1]
    sides = []
    for side in (first, second):
        tags = [n.tag and (n.is_firm or find_core(n.form) not in both) for n in side]
        sides.append(_clear_runs(side, [int(tag) for tag in tags]))
    return sides[0], sides[1]


def _clear_runs(side: Sentence, tags: Sequence[int]) -> Sentence:
    tags = list(tags)
    start = 0
    while start < len(tags):
        end = start
        while end < len(tags) and tags[end]:
            end += 1
        run = list(range(start, end))
        while run and _is_mark(side[run[0]].form):
            tags[run.pop(0)] = 0
        while run and _is_mark(side[run[-1]].form):
            tags[run.pop()] = 0
        if run and all(_is_bare(side[i].form) for i in run):
            for i in run:
                tags[i] = 0
        start = end + 1
    return [node._replace(tag=tag) for node, tag in zip(side, tags, strict=True)]


def _is_mark(form: str) -> bool:
    return not any(c.isalnum() or c in "$%&" for c in form)


def _is_bare(form: str) -> bool:
    """Check if a word does not make a difference alone, i.e. is a function word or a mark."""
    core = find_core(form)
    if core in NEGATIONS or core in MODALS:
        return False
    return core in FUNCTION_WORDS or _is_mark(form)
