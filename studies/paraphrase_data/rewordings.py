"""Edits of a sentence that keep its meaning and the tags of its words.

`Sentence`, random generator -> another `Sentence`, or None if there is nothing to edit

Only untagged words are replaced. Tagged words may be moved.
"""

from collections.abc import Callable
from random import Random

from studies.paraphrase_data.nominals import reduce_relative, swap_conjuncts, swap_genitive
from studies.paraphrase_data.pair_trees import (
    BE,
    Sentence,
    children,
    fresh_keys,
    make_node,
    remove_keys,
    replace_words,
)
from studies.paraphrase_data.phrases import (
    COMPLEMENTS,
    CONTRACTIONS,
    NUMBER_WORDS,
    OTHER_FORMS,
    SAME_PHRASES,
    SAME_VERBS,
)
from studies.paraphrase_data.restructurings import (
    cleave,
    make_active,
    make_passive,
    move_adverbial,
    move_saying,
    toggle_that,
    use_converse,
)
from studies.paraphrase_data.thesaurus import LIGHT, PARTS, Thesaurus

Rewording = Callable[[Sentence, Random, Thesaurus], Sentence | None]


def match_case(form: str, like: str) -> str:
    """Change the first letter of a form to upper case if `like` has upper case there."""
    return form[:1].upper() + form[1:] if like[:1].isupper() else form


def use_synonym(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Replace a content word with a synonym in the same inflected form."""
    places = [i for i, node in enumerate(sentence) if node.upos in PARTS and not node.tag]
    rng.shuffle(places)
    for i in places:
        node = sentence[i]
        if node.lemma in LIGHT or children(sentence, node.key, "compound:prt", "fixed"):
            continue
        others = thesaurus.find_synonyms(node.lemma.lower(), PARTS[node.upos])
        if others:
            lemma = rng.choice(others)
            form = thesaurus.inflect(lemma, node.xpos)
            if form:
                new = node._replace(form=match_case(form, node.form), lemma=lemma)
                return [*sentence[:i], new, *sentence[i + 1 :]]
    return None


def use_other_form(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Replace a word with another spelling, e.g. "%", "Oct.", "n't", or "three" and "3"."""
    options: list[tuple[int, str]] = []
    for i, node in enumerate(sentence):
        core = node.form.lower()
        if node.tag:
            continue
        options += [(i, form) for form in OTHER_FORMS.get(core, ())]
        if node.upos in ("PART", "AUX") and core in CONTRACTIONS and i:
            before = sentence[i - 1]
            fits = before.upos == ("AUX" if core == "not" else "PRON")
            if core.startswith(("n't", "'")) or (fits and before.form.lower() != "am"):
                options.append((i, CONTRACTIONS[core]))
        if node.upos == "NUM" and core in NUMBER_WORDS:
            options.append((i, str(NUMBER_WORDS.index(core))))
        elif node.upos == "NUM" and core.isdigit() and int(core) < len(NUMBER_WORDS):
            options.append((i, NUMBER_WORDS[int(core)]))
    if not options:
        return None
    i, form = rng.choice(options)
    new = sentence[i]._replace(form=match_case(form, sentence[i].form))
    return [*sentence[:i], new, *sentence[i + 1 :]]


def use_phrase(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Replace a phrase with another on its line of SAME_PHRASES."""
    forms = [node.form.lower() for node in sentence]
    options = []
    for line in SAME_PHRASES:
        for old in line:
            lower = [word.lower() for word in old]
            for i in range(len(forms) - len(old) + 1):
                if forms[i : i + len(old)] == lower and is_untagged(sentence[i : i + len(old)]):
                    options += [(i, i + len(old), new) for new in line if new != old]
    if not options:
        return None
    start, end, new = rng.choice(options)
    words = [match_case(new[0], sentence[start].form), *new[1:]]
    return replace_words(sentence, start, end, words)


def use_verb_phrase(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Replace a verb and its particle with another on its line of SAME_VERBS, inflected."""
    options = []
    for i, node in enumerate(sentence):
        if node.upos != "VERB":
            continue
        for line in SAME_VERBS:
            for old in line:
                end = i + len(old)
                rest = [n.form.lower() for n in sentence[i + 1 : end]]
                if node.lemma != old[0] or rest != list(old[1:]):
                    continue
                if len(old) == 1 and children(sentence, node.key, "compound:prt"):
                    continue
                if is_untagged(sentence[i:end]):
                    options += [(i, end, node.xpos, new) for new in line if new != old]
    rng.shuffle(options)
    for start, end, xpos, new in options:
        if new[0] == "be":
            first = BE.get(xpos)
        else:
            first = thesaurus.inflect(new[0], xpos)
        if first:
            return replace_words(sentence, start, end, [first, *new[1:]], lemma=new[0])
    return None


def is_untagged(nodes: Sentence) -> bool:
    """Check if all words are untagged."""
    return not any(node.tag for node in nodes)


def negate_complement(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "not clear" into "unclear", or back."""
    back = {other: word for word, other in COMPLEMENTS.items()}
    for i, node in enumerate(sentence):
        if node.upos != "ADJ" or node.tag:
            continue
        nots = [n for n in children(sentence, node.key, "advmod") if n.lemma in ("not", "n't")]
        if nots and not nots[0].tag and (COMPLEMENTS | back).get(node.form):
            form = (COMPLEMENTS | back)[node.form]
            new = [*sentence[:i], node._replace(form=form, lemma=form), *sentence[i + 1 :]]
            return remove_keys(new, {nots[0].key})
        if not nots and node.form in back and children(sentence, node.key, "cop"):
            (key,) = fresh_keys(1, sentence)
            form = back[node.form]
            new_not = make_node("not", "RB", "advmod", key, node.key)
            new_node = node._replace(form=form, lemma=form)
            return [*sentence[:i], new_not, new_node, *sentence[i + 1 :]]
    return None


def change_tense(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "rose" into "has risen", or "will rise" into "is to rise"."""
    options: list[Sentence] = []
    (key,) = fresh_keys(1, sentence)
    for i, verb in enumerate(sentence):
        if verb.upos == "VERB" and verb.xpos == "VBD" and not verb.tag:
            form = thesaurus.inflect(verb.lemma.lower(), "VBN")
            if form and not children(sentence, verb.key, "aux", "aux:pass"):
                have = make_node(rng.choice(("has", "have", "had")), "VBZ", "aux", key, verb.key)
                perfect = verb._replace(form=form, xpos="VBN")
                options.append([*sentence[:i], have, perfect, *sentence[i + 1 :]])
    return rng.choice(options) if options else None


# Rewording, and its weight in draws.
REWORDINGS: tuple[tuple[Rewording, float], ...] = (
    (use_synonym, 6),
    (use_phrase, 4),
    (use_verb_phrase, 4),
    (use_other_form, 3),
    (make_passive, 3),
    (make_active, 2),
    (move_adverbial, 4),
    (swap_genitive, 2),
    (toggle_that, 1),
    (reduce_relative, 1),
    (swap_conjuncts, 0.7),
    (move_saying, 2),
    (use_converse, 2),
    (negate_complement, 1.5),
    (change_tense, 1.5),
    (cleave, 0.7),
)


def reword(sentence: Sentence, rng: Random, *, thesaurus: Thesaurus, n_edits: int) -> Sentence:
    """Apply up to `n_edits` random rewordings, one after the other."""
    edits, weights = zip(*REWORDINGS, strict=True)
    for edit in rng.choices(edits, weights, k=n_edits):
        sentence = edit(sentence, rng, thesaurus) or sentence
    return sentence
