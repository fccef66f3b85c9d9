"""Edits of a sentence that keep its meaning; a word's tag goes with it.

`Sentence`, draw -> another `Sentence`, or None where there is nothing to edit

Untagged words are replaced; tagged ones are only moved.
"""

from collections.abc import Callable
from random import Random

from .pair_trees import (
    BE,
    ROOT,
    Node,
    Sentence,
    children,
    end_of_clause,
    find,
    find_root,
    fresh_keys,
    make_node,
    move_phrase,
    phrase,
    remove_keys,
    replace_words,
)
from .phrases import (
    COMPLEMENTS,
    CONTRACTIONS,
    CONVERSES,
    NUMBER_WORDS,
    OTHER_FORMS,
    SAME_PHRASES,
    SAME_VERBS,
)
from .thesaurus import LIGHT, PARTS, Thesaurus

Rewording = Callable[[Sentence, Random, Thesaurus], Sentence | None]

OBJECT_FORMS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
SUBJECT_FORMS = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
ADVERBIALS = ("obl", "obl:unmarked", "advmod", "advcl", "obl:tmod", "obl:npmod")


def match_case(form: str, like: str) -> str:
    """Give a form the initial capital of another."""
    return form[:1].upper() + form[1:] if like[:1].isupper() else form


def use_synonym(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Replace a content word by a synonym in the same form."""
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
    """Write a word in another form: "%", "Oct.", "n't", "three" and "3"."""
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
    """Replace a phrase of the table by another of its line."""
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
    """Replace a verb of the table, with its particle, by another of its line, inflected."""
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
            return replace_words(sentence, start, end, [first, *new[1:]])
    return None


def is_untagged(nodes: Sentence) -> bool:
    """Whether no word is tagged."""
    return not any(node.tag for node in nodes)


def make_passive(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "A built B" into "B was built by A"."""
    options = []
    for verb in sentence:
        subjects = children(sentence, verb.key, "nsubj")
        objects = children(sentence, verb.key, "obj")
        auxiliaries = children(sentence, verb.key, "aux")
        if verb.upos != "VERB" or len(subjects) != 1 or len(objects) != 1 or len(auxiliaries) > 1:
            continue
        if verb.lemma in ("have", "be", "get", "want", "like", "let", "mean"):
            continue
        if children(sentence, verb.key, "iobj", "expl", "xcomp", "ccomp", "compound:prt", "advmod"):
            continue
        if {subjects[0].xpos, objects[0].xpos} & {"WP", "WDT", "EX"}:
            continue
        is_modal = bool(auxiliaries) and auxiliaries[0].xpos == "MD"
        if auxiliaries and not is_modal:
            continue
        if not auxiliaries and verb.xpos not in ("VBD", "VBZ", "VBP"):
            continue
        subject, object_ = phrase(sentence, subjects[0].key), phrase(sentence, objects[0].key)
        at = find(sentence, verb.key)
        if subject is None or object_ is None or not subject[1] <= at < object_[0]:
            continue
        if subject[1] != at - len(auxiliaries) or object_[0] != at + 1:
            continue
        options.append((verb, subject, object_, is_modal, at))
    if not options:
        return None
    verb, subject, object_, is_modal, at = rng.choice(options)
    participle = thesaurus.inflect(verb.lemma.lower(), "VBN")
    if not participle:
        return None
    front, back = sentence[object_[0] : object_[1]], sentence[subject[0] : subject[1]]
    be_key, by_key = fresh_keys(2, sentence)
    plural = any(n.head == verb.key and n.xpos in ("NNS", "NNPS") for n in front)
    plural = plural or front[0].form.lower() in ("them", "us", "you", "these", "those")
    past, present = ("were", "are") if plural else ("was", "is")
    be = "be" if is_modal else past if verb.xpos == "VBD" else present
    front = [
        n._replace(
            form=SUBJECT_FORMS.get(n.form.lower(), n.form) if len(front) == 1 else n.form,
            relation="nsubj:pass" if n.head == verb.key else n.relation,
        )
        for n in front
    ]
    back_head = next(n for n in back if n.head == verb.key)
    back = [
        n._replace(
            form=OBJECT_FORMS.get(n.form.lower(), n.form) if len(back) == 1 else n.form,
            relation="obl:agent" if n.head == verb.key else n.relation,
        )
        for n in back
    ]
    return [
        *sentence[: subject[0]],
        *front,
        *sentence[subject[1] : at],
        make_node(be, "VBD", "aux:pass", be_key, verb.key),
        verb._replace(form=participle, xpos="VBN"),
        make_node("by", "IN", "case", by_key, back_head.key),
        *back,
        *sentence[object_[1] :],
    ]


def make_active(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "B was built by A" into "A built B"."""
    for verb in sentence:
        subjects = children(sentence, verb.key, "nsubj:pass")
        agents = children(sentence, verb.key, "obl:agent")
        be = children(sentence, verb.key, "aux:pass")
        if not (len(subjects) == len(agents) == len(be) == 1):
            continue
        others = children(sentence, verb.key, "aux", "advmod")
        front, back = phrase(sentence, subjects[0].key), phrase(sentence, agents[0].key)
        at = find(sentence, verb.key)
        if others or front is None or back is None or not front[1] == at - 1 < at < back[0]:
            continue
        if be[0].form.lower() not in ("was", "were", "is", "are"):
            continue
        xpos = "VBD" if be[0].form.lower() in ("was", "were") else "VBZ"
        form = thesaurus.inflect(verb.lemma.lower(), xpos)
        by = sentence[back[0]]
        if not form or by.form.lower() != "by":
            continue
        agent = [
            n._replace(relation="nsubj" if n.head == verb.key else n.relation)
            for n in sentence[back[0] + 1 : back[1]]
        ]
        patient = [
            n._replace(relation="obj" if n.head == verb.key else n.relation)
            for n in sentence[front[0] : front[1]]
        ]
        return [
            *sentence[: front[0]],
            *agent,
            verb._replace(form=form, xpos=xpos),
            *patient,
            *sentence[at + 1 : back[0]],
            *sentence[back[1] :],
        ]
    return None


def move_adverbial(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Move an adverbial of the root to the front, or from there to the end."""
    root = find_root(sentence)
    spans = [phrase(sentence, node.key) for node in children(sentence, root.key, *ADVERBIALS)]
    at, end = find(sentence, root.key), end_of_clause(sentence)
    options = [span for span in spans if span is not None and span[1] <= end]
    rng.shuffle(options)
    for start, stop in options:
        if sentence[start].upos == "PUNCT" or sentence[start].form.lower() in ("not", "n't"):
            continue
        if start > at:
            to = next((i for i, n in enumerate(sentence) if n.upos not in ("CCONJ", "PUNCT")), 0)
            moved = move_phrase(sentence, start, stop, to)
            if rng.random() < 0.75:
                (key,) = fresh_keys(1, sentence)
                cut = to + stop - start
                comma = make_node(",", ",", "punct", key, moved[cut - 1].key)
                moved = [*moved[:cut], comma, *moved[cut:]]
            return moved
        if stop < at and stop < end:
            moved = move_phrase(sentence, start, stop, end)
            if moved[start].form == ",":
                moved = remove_keys(moved, {moved[start].key})
            return moved
    return None


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


def toggle_that(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Add or drop the "that" of a clause."""
    for clause in sentence:
        if clause.relation != "ccomp":
            continue
        marks = [n for n in children(sentence, clause.key, "mark") if n.form.lower() == "that"]
        if marks:
            return remove_keys(sentence, {marks[0].key})
        span = phrase(sentence, clause.key)
        verb = sentence[find(sentence, clause.head)] if clause.head != ROOT else None
        if span is None or verb is None or find(sentence, verb.key) != span[0] - 1:
            continue
        if not children(sentence, clause.key, "nsubj", "nsubj:pass") or verb.upos != "VERB":
            continue
        if sentence[span[0]].xpos.startswith("W"):
            continue
        (key,) = fresh_keys(1, sentence)
        that = Node("that", "that", "SCONJ", "IN", "mark", key, clause.key)
        return [*sentence[: span[0]], that, *sentence[span[0] :]]
    return None


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
    """Turn "A and B" into "B and A", of two nouns or two adjectives."""
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


def move_saying(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "A said that it fell" into "According to A , it fell" or "It fell , A said"."""
    root = find_root(sentence)
    if root.lemma not in ("say", "tell", "report", "state", "claim", "note", "believe", "think"):
        return None
    subjects, clauses = (children(sentence, root.key, kind) for kind in ("nsubj", "ccomp"))
    if len(subjects) != 1 or len(clauses) != 1 or children(sentence, root.key, "aux", "obj"):
        return None
    who, what = phrase(sentence, subjects[0].key), phrase(sentence, clauses[0].key)
    at = find(sentence, root.key)
    if who is None or what is None or who != (0, at) or what[0] != at + 1:
        return None
    if not is_untagged([root]):
        return None
    clause = sentence[what[0] : what[1]]
    if clause[0].form.lower() in ("that", ","):
        clause = clause[1:]
    if not clause or clause[0].xpos.startswith("W"):
        return None
    keys = fresh_keys(3, sentence)
    comma = make_node(",", ",", "punct", keys[0], root.key)
    people = sentence[who[0] : who[1]]
    if rng.random() < 0.5:
        return [*clause, comma, *people, root, *sentence[what[1] :]]
    people = [
        n._replace(form=OBJECT_FORMS.get(n.form.lower(), n.form)) if len(people) == 1 else n
        for n in people
    ]
    according = make_node("according", "VBG", "case", keys[1], people[-1].key)
    to = make_node("to", "TO", "case", keys[2], people[-1].key)
    main = clauses[0].key
    moved = [according, to, *people, comma, *clause, *sentence[what[1] :]]
    return [
        n._replace(head=ROOT, relation="root")
        if n.key == main
        else n._replace(head=main)
        if n.head == root.key
        else n
        for n in moved
    ]


def use_converse(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "A beat B" into "B lost to A", or back."""
    table = {row[:2]: row[2:] for row in CONVERSES}
    table |= {row[2:]: row[:2] for row in CONVERSES}
    for verb in sentence:
        if verb.upos != "VERB" or verb.tag:
            continue
        subjects = children(sentence, verb.key, "nsubj")
        others = children(sentence, verb.key, "obj", "obl")
        if len(subjects) != 1 or len(others) != 1:
            continue
        at = find(sentence, verb.key)
        one, two = phrase(sentence, subjects[0].key), phrase(sentence, others[0].key)
        if one is None or two is None or one[1] > at or two[0] != at + 1:
            continue
        link = sentence[two[0]].form.lower() if others[0].relation == "obl" else ""
        new = table.get((verb.lemma, link))
        form = thesaurus.inflect(new[0], verb.xpos) if new else None
        if new is None or form is None:
            continue
        start = two[0] + bool(link)
        (key,) = fresh_keys(1, sentence)
        case = [make_node(new[1], "IN", "case", key, subjects[0].key)] if new[1] else []
        return [
            *sentence[: one[0]],
            *(n._replace(relation="nsubj") if n.key == others[0].key else n
              for n in sentence[start : two[1]]),
            *sentence[one[1] : at],
            verb._replace(form=form, lemma=new[0]),
            *case,
            *(n._replace(relation="obj") if n.key == subjects[0].key else n
              for n in sentence[one[0] : one[1]]),
            *sentence[two[1] :],
        ]  # fmt: skip
    return None


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


def cleave(sentence: Sentence, rng: Random, thesaurus: Thesaurus) -> Sentence | None:
    """Turn "Ann won" into "It was Ann who won"."""
    root = find_root(sentence)
    subjects = children(sentence, root.key, "nsubj")
    span = phrase(sentence, subjects[0].key) if len(subjects) == 1 else None
    if span is None or span[0] != 0 or subjects[0].upos not in ("NOUN", "PROPN"):
        return None
    if root.upos != "VERB" or root.xpos not in ("VBD", "VBZ"):
        return None
    keys = fresh_keys(3, sentence)
    be = "was" if root.xpos == "VBD" else "is"
    return [
        Node("it", "it", "PRON", "PRP", "expl", keys[0], root.key),
        make_node(be, root.xpos, "cop", keys[1], root.key),
        *sentence[: span[1]],
        Node(rng.choice(("that", "who")), "who", "PRON", "WP", "nsubj", keys[2], root.key),
        *sentence[span[1] :],
    ]


# Each with how often it is tried.
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
    """Make up to `n_edits` rewordings, drawn one after the other."""
    edits, weights = zip(*REWORDINGS, strict=True)
    for edit in rng.choices(edits, weights, k=n_edits):
        sentence = edit(sentence, rng, thesaurus) or sentence
    return sentence
