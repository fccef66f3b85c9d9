"""Edits of two sentences that make them differ in a word: a number, a name, a negation, a role.

two `Sentence`s with common keys, kit -> the same with one more difference, tagged, or None

An edit may change a word if it is untagged and has the same key and form in both sentences.
"""

from collections.abc import Callable, Collection
from random import Random
from typing import NamedTuple

from spacy_sentid.paraphrase_tagger.matching.words import FUNCTION_WORDS
from studies.paraphrase_data.bank import Bank, is_plain_name
from studies.paraphrase_data.pair_trees import Node, Sentence, children, find, fresh_keys, make_node
from studies.paraphrase_data.phrases import DAYS, EXCLUSIVE, MONTHS, NUMBER_WORDS
from studies.paraphrase_data.rewordings import match_case
from studies.paraphrase_data.thesaurus import LIGHT, PARTS, Thesaurus

Two = tuple[Sentence, Sentence]
# Share of replacements that are co-hyponyms. The others are any words with the same tag.
SIBLINGS = 0.5
AUXILIARY_LIST = """
is are was were am will would can could may might shall should must has have had does do did
's 're 've 'll 'm
"""
AUXILIARIES = frozenset(AUXILIARY_LIST.split())
NOTS = ("not", "n't", "never", "no")
# Words that may be between the parts of a list.
LISTING = frozenset(["and", "or", "&", ",", "the", "a", "an"])


class Kit(NamedTuple):
    """The random generator and the sources of words for an edit."""

    rng: Random
    thesaurus: Thesaurus
    bank: Bank
    neighbour: Sentence  # the next sentence of the text


Difference = Callable[[Sentence, Sentence, Kit], Two | None]


def shared_keys(first: Sentence, second: Sentence) -> list[int]:
    """List the keys of untagged words with the same form in both, in the order of the first."""
    forms = {node.key: node.form for node in second if not node.tag}
    return [n.key for n in first if not n.tag and forms.get(n.key) == n.form]


def tag_keys(sentence: Sentence, keys: Collection[int], *, is_firm: bool = False) -> Sentence:
    """Tag the words with these keys."""
    return [
        node._replace(tag=1, is_firm=is_firm) if node.key in keys else node for node in sentence
    ]


def substitute(sentence: Sentence, key: int, form: str, *, is_firm: bool) -> Sentence:
    """Replace a word with a tagged one."""
    at = find(sentence, key)
    old = sentence[at]
    new = old._replace(form=match_case(form, old.form), lemma=form.lower(), tag=1, is_firm=is_firm)
    return [*sentence[:at], new, *sentence[at + 1 :]]


def _contrast(
    first: Sentence,
    second: Sentence,
    kit: Kit,
    other: Callable[[Node, Kit], str | None],
    *,
    is_firm: bool = False,
) -> Two | None:
    """Replace one word in the second sentence with the result of `other`, and tag both words."""
    keys = shared_keys(first, second)
    kit.rng.shuffle(keys)
    for key in keys:
        node = first[find(first, key)]
        form = other(node, kit)
        if form and form.lower() != node.form.lower():
            return tag_keys(first, [key], is_firm=is_firm), substitute(
                second, key, form, is_firm=is_firm
            )
    return None


def change_number(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Change a number."""
    return _contrast(first, second, kit, _other_number)


def _other_number(node: Node, kit: Kit) -> str | None:
    core, rng = node.form.lower(), kit.rng
    if node.upos == "NUM" and core in NUMBER_WORDS:
        other = rng.randrange(2, len(NUMBER_WORDS))
        return NUMBER_WORDS[other] if rng.random() < 0.8 else str(other)
    if not any(character.isdigit() for character in core) or not core[0].isdigit():
        return None
    if core.isdigit() and len(core) == 4 and core[:2] in ("19", "20"):
        return str(int(core) + rng.choice((-10, -5, -3, -2, -1, 1, 2, 3, 5, 10)))
    digits = [i for i, character in enumerate(core) if character.isdigit()]
    changed = set(rng.sample(digits, rng.randint(1, len(digits))))
    drawn = [rng.choice("123456789") if i in changed else c for i, c in enumerate(core)]
    return "".join(drawn)


def change_time(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Change a day or a month."""
    return _contrast(first, second, kit, _other_time)


def _other_time(node: Node, kit: Kit) -> str | None:
    for names in (DAYS, MONTHS):
        if node.form in names and (node.form != "May" or node.upos == "PROPN"):
            return kit.rng.choice([name for name in names if name != node.form])
    return None


def change_exclusive(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Replace a word with another on its line of EXCLUSIVE, e.g. "before" with "after"."""
    return _contrast(first, second, kit, _other_exclusive, is_firm=True)


def _other_exclusive(node: Node, kit: Kit) -> str | None:
    core = node.form.lower()
    for line in EXCLUSIVE:
        if core in line or node.form in line:
            return kit.rng.choice([word for word in line if word.lower() != core])
    return None


def change_name(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Change a name."""
    return _contrast(first, second, kit, _other_name)


def _other_name(node: Node, kit: Kit) -> str | None:
    if node.upos != "PROPN" or not is_plain_name(node):
        return None
    return kit.rng.choice(kit.bank.names)


def change_to_opposite(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Replace a word with its opposite."""
    return _contrast(first, second, kit, _opposite)


def _opposite(node: Node, kit: Kit) -> str | None:
    part = PARTS.get(node.upos)
    others = kit.thesaurus.find_opposites(node.lemma.lower(), part) if part else []
    return kit.thesaurus.inflect(kit.rng.choice(others), node.xpos) if others else None


def change_word(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Replace a content word with a co-hyponym, or with any other word with the same tag."""
    return _contrast(first, second, kit, _other_word)


def _other_word(node: Node, kit: Kit) -> str | None:
    part, lemma = PARTS.get(node.upos), node.lemma.lower()
    if part is None or lemma in LIGHT or node.form.lower() in FUNCTION_WORDS:
        return None
    if part != "n" and kit.rng.random() < 0.3:  # otherwise nouns would be too rare
        return None
    thesaurus, rng = kit.thesaurus, kit.rng
    siblings = thesaurus.find_siblings(lemma, part)
    if siblings and rng.random() < SIBLINGS:
        return thesaurus.inflect(rng.choice(siblings), node.xpos)
    forms = kit.bank.words.get(node.xpos, [])
    form = rng.choice(forms) if forms else None
    known = {lemma, *thesaurus.find_synonyms(lemma, part)}
    return None if form in known else form


def negate(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Negate a clause of the second sentence, or remove its negation."""
    rng = kit.rng
    shared = set(shared_keys(first, second))
    nots = [n for n in second if n.lemma in NOTS and n.key in shared]
    if nots:
        gone = rng.choice(nots)
        return tag_keys(first, [gone.key]), [n for n in second if n.key != gone.key]
    if any(n.lemma in NOTS for side in (first, second) for n in side):
        return None
    heads = [n for n in second if n.relation in ("root", "ccomp", "conj", "acl:relcl", "advcl")]
    rng.shuffle(heads)
    for head in heads:
        (key,) = fresh_keys(1, first, second)
        own = children(second, head.key, "aux", "aux:pass", "cop")
        own = [n for n in own if n.form.lower() in AUXILIARIES and not n.tag]
        if own:
            at = find(second, own[0].key) + 1
            form = rng.choice(("not", "not", "n't", "n't", "never"))
            if form == "n't" and own[0].form.lower() in ("am", "may", "might", "'m"):
                form = "not"
            new = make_node(form, "RB", "advmod", key, head.key)._replace(tag=1)
            return first, [*second[:at], new, *second[at:]]
        if head.upos != "VERB" or head.key not in shared:
            continue
        at = find(second, head.key)
        if head.xpos in ("VBD", "VBZ", "VBP"):
            return first, _negate_verb(second, at, head, key, kit)
    return None


def _negate_verb(sentence: Sentence, at: int, verb: Node, key: int, kit: Kit) -> Sentence:
    """Negate a verb without an auxiliary: "did not see", "never saw", "failed to see"."""
    draw = kit.rng.random()
    if draw < 0.2:
        never = make_node("never", "RB", "advmod", key, verb.key)._replace(tag=1)
        return [*sentence[:at], never, verb, *sentence[at + 1 :]]
    plain = verb._replace(form=verb.lemma.lower(), xpos="VB")
    if draw < 0.4:
        lemma = kit.rng.choice(("fail", "refuse", "decline"))
        form = kit.thesaurus.inflect(lemma, verb.xpos) or lemma
        failed = make_node(form, verb.xpos, "aux", key, verb.key)._replace(tag=1)
        to = make_node("to", "TO", "mark", key + 1, verb.key)._replace(tag=1)
        return [*sentence[:at], failed, to, plain, *sentence[at + 1 :]]
    form = {"VBD": "did", "VBZ": "does", "VBP": "do"}[verb.xpos]
    do = make_node(form, verb.xpos, "aux", key, verb.key)
    no = kit.rng.choice(("not", "n't"))
    negation = make_node(no, "RB", "advmod", key + 1, verb.key)._replace(tag=1)
    return [*sentence[:at], do, negation, plain, *sentence[at + 1 :]]


def swap_roles(first: Sentence, second: Sentence, kit: Kit) -> Two | None:
    """Exchange two nouns or two names in the second sentence, and tag them in both sentences."""
    shared = set(shared_keys(first, second))
    parts = [n for n in first if n.key in shared and _has_role(first, n)]
    options = [
        (a, b)
        for i, a in enumerate(parts)
        for b in parts[i + 1 :]
        if a.upos == b.upos
        and a.form.lower() != b.form.lower()
        and not _are_conjoined(first, a, b)
        and (a.upos == "PROPN" or a.xpos == b.xpos)
    ]
    if not options:
        return None
    a, b = kit.rng.choice(options)
    forms = {a.key: b, b.key: a}
    one = [n._replace(tag=1, is_firm=True) if n.key in forms else n for n in first]
    two = [
        n._replace(
            form=forms[n.key].form,
            lemma=forms[n.key].lemma,
            xpos=forms[n.key].xpos,
            tag=1,
            is_firm=True,
        )
        if n.key in forms
        else n
        for n in second
    ]
    return one, two


def _has_role(sentence: Sentence, node: Node) -> bool:
    roles = ("nsubj", "obj", "iobj", "obl", "nmod", "nsubj:pass", "obl:agent", "nmod:poss", "conj")
    if node.upos not in ("NOUN", "PROPN") or node.relation not in roles:
        return False
    if node.upos == "PROPN" and not is_plain_name(node):
        return False
    return not children(sentence, node.key, "flat", "compound", "amod", "nummod")


def _are_conjoined(sentence: Sentence, a: Node, b: Node) -> bool:
    """Check if two words are in the same list, where their order does not change the meaning."""
    between = sentence[find(sentence, a.key) + 1 : find(sentence, b.key)]
    if between and all(n.form.lower() in LISTING for n in between):
        return True
    chains = [{n.key, n.head if n.relation == "conj" else n.key} for n in (a, b)]
    return bool(chains[0] & chains[1])
