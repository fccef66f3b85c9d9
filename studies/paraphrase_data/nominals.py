"""Edits of the structure of a noun phrase that keep its meaning: genitives, relatives, lists.

`Sentence`, random generator -> another `Sentence`, or None if there is nothing to edit
"""

from random import Random

from studies.paraphrase_data.pair_trees import (
    Node,
    Sentence,
    children,
    find,
    fresh_keys,
    make_node,
    phrase,
    remove_keys,
)
from studies.paraphrase_data.thesaurus import Thesaurus


def swap_genitive(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "the end of the road" into "the road 's end", or back."""
    options: list[Sentence] = []
    of_key, more_key = fresh_keys(2, sentence)
    for owner in sentence:
        span, at = phrase(sentence, owner.key), find(sentence, owner.head)
        if span is None or at < 0 or sentence[at].upos != "NOUN":
            continue
        start, end = span
        owned = sentence[at]
        if owner.relation == "nmod" and sentence[start].form.lower() == "of" and start == at + 1:
            determiners = children(sentence, owned.key, "det")
            first = find(sentence, determiners[0].key) if determiners else -1
            if end - start > 5 or first < 0 or sentence[first].form.lower() != "the":
                continue
            if owner.upos not in ("NOUN", "PROPN"):
                continue
            mark = make_node("'s", "POS", "case", of_key, owner.key)
            options.append(
                [
                    *sentence[:first],
                    *(n._replace(relation="nmod:poss") if n.key == owner.key else n
                      for n in sentence[start + 1 : end]),
                    mark,
                    *sentence[first + 1 : at + 1],
                    *sentence[end:],
                ]
            )  # fmt: skip
        elif owner.relation == "nmod:poss" and sentence[end - 1].form.lower() in ("'s", "'", "’s"):
            own = children(sentence, owned.key)
            if end > at or any(find(sentence, n.key) < start for n in own):
                continue
            the = Node("the", "the", "DET", "DT", "det", more_key, owned.key)
            of = make_node("of", "IN", "case", of_key, owner.key)
            options.append(
                [
                    *sentence[:start],
                    the,
                    *sentence[end : at + 1],
                    of,
                    *(n._replace(relation="nmod") if n.key == owner.key else n
                      for n in sentence[start : end - 1]),
                    *sentence[at + 1 :],
                ]
            )  # fmt: skip
    return rng.choice(options) if options else None


def reduce_relative(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "those who were hurt" into "those hurt", or back."""
    options: list[Sentence] = []
    for verb in sentence:
        if verb.relation == "acl:relcl" and verb.xpos in ("VBN", "VBG"):
            pronouns = [
                n
                for n in children(sentence, verb.key, "nsubj", "nsubj:pass")
                if n.form.lower() in ("who", "which", "that")
            ]
            be = children(sentence, verb.key, "aux", "aux:pass")
            if len(pronouns) == len(be) == 1 and be[0].lemma == "be":
                options.append(remove_keys(sentence, {pronouns[0].key, be[0].key}))
        if verb.relation == "acl" and verb.xpos in ("VBN", "VBG"):
            at = find(sentence, verb.key)
            if not at or sentence[at - 1].key != verb.head:
                continue
            noun = sentence[at - 1]
            is_plural = noun.xpos in ("NNS", "NNPS")
            who, be_key = fresh_keys(2, sentence)
            be_form = rng.choice(("are", "were")) if is_plural else rng.choice(("is", "was"))
            pronoun = Node(
                rng.choice(("that", "which")), "that", "PRON", "WDT", "nsubj", who, verb.key
            )
            be_node = make_node(be_form, "VBD", "aux", be_key, verb.key)
            options.append([*sentence[:at], pronoun, be_node, *sentence[at:]])
    return rng.choice(options) if options else None


def swap_conjuncts(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "A and B" into "B and A", for two nouns or two adjectives."""
    for second in sentence:
        if second.relation != "conj" or second.upos not in ("NOUN", "PROPN", "ADJ"):
            continue
        at, head_at = find(sentence, second.key), find(sentence, second.head)
        if head_at < 0 or at - head_at != 2 or sentence[head_at].upos != second.upos:
            continue
        first = sentence[head_at]
        if sentence[at - 1].form.lower() not in ("and", "or", "&"):
            continue
        if len(children(sentence, first.key, "conj")) > 1:
            continue
        if children(sentence, first.key, "compound", "det", "nmod:poss", "flat"):
            continue
        new = list(sentence)
        new[head_at] = second._replace(key=second.key, head=first.head, relation=first.relation)
        new[at] = first._replace(head=second.key, relation="conj")
        return [
            n._replace(head=second.key)
            if n.head == first.key and n.key != first.key and n.key != second.key
            else n
            for n in new
        ]
    return None
