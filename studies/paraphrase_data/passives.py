"""Synthetic pairs of short active and passive sentences, with the same or exchanged roles.

agent, verb, patient -> active sentence, passive sentence -> pair with tags

Such pairs are rare in written data. Without them, a tagger classifies each change of the order as a
change of roles.
"""

import random

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair

# Possible agents, verbs (past tense and participle) and patients.
FRAMES = (
    (("the mayor", "the council", "the ministry", "the committee", "Ms Ortega", "the board"),
     ("opened opened", "closed closed", "approved approved", "rejected rejected",
      "published published", "announced announced", "presented presented", "withdrew withdrawn"),
     ("the bridge", "the plan", "the report", "the list", "the budget", "the school", "the rules")),
    (("Anna", "the carpenter", "my uncle", "the students", "a neighbour", "Mr Hale"),
     ("painted painted", "built built", "repaired repaired", "sold sold", "cleaned cleaned",
      "found found", "bought bought", "broke broken"),
     ("the house", "the fence", "an old boat", "the kitchen table", "the red car", "the clock")),
    (("the storm", "the fire", "a flood", "the landslide", "heavy rain"),
     ("destroyed destroyed", "damaged damaged", "ruined ruined", "hit hit", "swept swept"),
     ("the village", "the harvest", "the harbour", "two barns", "the coast road", "the bridge")),
    (("the dog", "the teacher", "Lena", "Paul", "the coach", "the nurse", "the boy", "Sam"),
     ("bit bitten", "praised praised", "saw seen", "followed followed", "helped helped",
      "chose chosen", "thanked thanked", "called called", "beat beaten"),
     ("the man", "the pupils", "Bob", "the goalkeeper", "the old woman", "Maria", "the driver")),
    (("Google", "the bank", "Norlund AG", "the firm", "Kestrel Foods", "the museum"),
     ("bought bought", "sued sued", "took taken", "hired hired", "paid paid", "left left"),
     ("YouTube", "the start-up", "Halden Ltd", "the engineer", "its rival", "the painter")),
)  # fmt: skip
TIMES = ("", "", "on Monday", "last week", "in 2019", "yesterday", "in May", "after the war")
PLURALS = ("the rules", "the students", "two barns", "the pupils")


def make_passives(n: int, *, seed: int) -> list[TaggedPair]:
    """Make n pairs. In every second pair, the roles are exchanged and both nouns are tagged.

    >>> for pair in make_passives(2, seed=2):
    ...     print(" ".join(pair.words1), "/", " ".join(pair.words2), pair.tags2.count(1))
    The mayor approved the bridge yesterday . / The bridge was approved by the mayor yesterday . 0
    A flood swept the coast road last week . / Last week a flood was swept by the coast road . 2
    """
    rng = random.Random(seed)
    pairs = []
    for number in range(n):
        agents, verbs, patients = rng.choice(FRAMES)
        agent, patient, time = rng.choice(agents), rng.choice(patients), rng.choice(TIMES)
        past, participle = rng.choice(verbs).split()
        is_same = number % 2 == 0
        subject, by = (patient, agent) if is_same else (agent, patient)
        auxiliary = "were" if subject in PLURALS else "was"
        first = f"{agent} {past} {patient} {time}"
        second = f"{subject} {auxiliary} {participle} by {by} {time}"
        if time and rng.random() < 0.5:
            second = f"{time} {subject} {auxiliary} {participle} by {by}"
        tagged = set() if is_same else {agent.split()[-1], patient.split()[-1]}
        sides = [[*(side[0].upper() + side[1:]).split(), "."] for side in (first, second)]
        if rng.random() < 0.5:
            sides.reverse()
        words1, words2 = sides
        tags1, tags2 = ([int(word in tagged) for word in words] for words in sides)
        pairs.append(TaggedPair(f"passive-{number}", words1, words2, tags1, tags2, "passive"))
    return pairs
