"""Edits of the structure of a clause that keep its meaning, e.g. passives, fronting, converses.

`Sentence`, random generator -> another `Sentence`, or None if there is nothing to edit

Words keep their tags when they are moved.
"""

from random import Random

from studies.paraphrase_data.pair_trees import (
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
)
from studies.paraphrase_data.phrases import CONVERSES
from studies.paraphrase_data.thesaurus import Thesaurus

OBJECT_FORMS = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them", "who": "whom"}
SUBJECT_FORMS = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
ADVERBIALS = ("obl", "obl:unmarked", "advmod", "advcl", "obl:tmod", "obl:npmod")


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
    """Move an adverbial of the root to the front, or from the front to the end."""
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
    if root.tag:
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
