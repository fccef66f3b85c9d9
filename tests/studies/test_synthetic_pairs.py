"""Synthetic pairs: words and tags of each edit, rules for tags, draws, the command."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
from tiny_wordnet import write_wordnet
from typer.testing import CliRunner

pytest.importorskip("lemminflect")
pytest.importorskip("wordfreq")

from spacy_sentid.paraphrase_tagger.corpus import TaggedPair, read_pairs
from studies.__main__ import app
from studies.paraphrase_data import contrasts, differences, nominals, restructurings
from studies.paraphrase_data import rewordings as words
from studies.paraphrase_data.bank import Bank
from studies.paraphrase_data.contrasts import Kit
from studies.paraphrase_data.known_pairs import make_contrasts
from studies.paraphrase_data.pair_trees import ROOT, Node, Sentence, tidy
from studies.paraphrase_data.synthetic_pairs import clear_tags, make_pairs
from studies.paraphrase_data.thesaurus import Thesaurus
from studies.paraphrase_data.wordnet import read_wordnet

BANK = Bank(
    ["Oslo"],
    {"NN": ["table"], "VBD": ["sang"]},
    {"NN": [["a", "red", "boat"]]},
    {"VBD": [["went", "home"]]},
)


@pytest.fixture(scope="module")
def thesaurus(tmp_path_factory: pytest.TempPathFactory) -> Thesaurus:
    return Thesaurus(read_wordnet(write_wordnet(tmp_path_factory.mktemp("wordnet") / "dict")))


def tree(text: str) -> Sentence:
    """Read a tree from "form/lemma/UPOS/XPOS/relation/head ..." (heads from 1, 0 for the root)."""
    nodes = []
    for key, word in enumerate(text.split()):
        form, lemma, upos, xpos, relation, head = word.rsplit("/", 5)
        nodes.append(Node(form, lemma, upos, xpos, relation, key, int(head) - 1))
    return nodes


ANN = (
    "Ann/Ann/PROPN/NNP/nsubj/2 built/build/VERB/VBD/root/0 the/the/DET/DT/det/4 "
    "house/house/NOUN/NN/obj/2 in/in/ADP/IN/case/6 Rome/Rome/PROPN/NNP/obl/2 ././PUNCT/./punct/2"
)
PASSIVE = (
    "the/the/DET/DT/det/2 dog/dog/NOUN/NN/nsubj:pass/4 was/be/AUX/VBD/aux:pass/4 "
    "seen/see/VERB/VBN/root/0 by/by/ADP/IN/case/6 Ann/Ann/PROPN/NNP/obl:agent/4 ././PUNCT/./punct/4"
)
END = (
    "the/the/DET/DT/det/2 end/end/NOUN/NN/nsubj/6 of/of/ADP/IN/case/5 the/the/DET/DT/det/5 "
    "road/road/NOUN/NN/nmod/2 is/be/AUX/VBZ/root/0"
)
OWNER = "Ann/Ann/PROPN/NNP/nmod:poss/3 's/'s/PART/POS/case/1 dog/dog/NOUN/NN/root/0"
SAID = (
    "Ann/Ann/PROPN/NNP/nsubj/2 said/say/VERB/VBD/root/0 that/that/SCONJ/IN/mark/5 "
    "it/it/PRON/PRP/nsubj/5 fell/fall/VERB/VBD/ccomp/2 ././PUNCT/./punct/2"
)
BOTH = (
    "cats/cat/NOUN/NNS/nsubj/4 and/and/CCONJ/CC/cc/3 dogs/dog/NOUN/NNS/conj/1 "
    "sleep/sleep/VERB/VBP/root/0"
)
HURT = (
    "men/man/NOUN/NNS/nsubj/5 who/who/PRON/WP/nsubj:pass/4 were/be/AUX/VBD/aux:pass/4 "
    "hurt/hurt/VERB/VBN/acl:relcl/1 slept/sleep/VERB/VBD/root/0"
)
BEAT = (
    "Ann/Ann/PROPN/NNP/nsubj/2 beat/beat/VERB/VBD/root/0 Bob/Bob/PROPN/NNP/obj/2 "
    "././PUNCT/./punct/2"
)
OPEN = "it/it/PRON/PRP/nsubj/4 is/be/AUX/VBZ/cop/4 not/not/PART/RB/advmod/4 open/open/ADJ/JJ/root/0"
DOG = (
    "the/the/DET/DT/det/2 dog/dog/NOUN/NN/nsubj/3 acquired/acquire/VERB/VBD/root/0 "
    "three/three/NUM/CD/nummod/5 balls/ball/NOUN/NNS/obj/3 on/on/ADP/IN/case/7 "
    "Monday/Monday/PROPN/NNP/obl/3 ././PUNCT/./punct/3"
)


def said(sentence: Sentence | None) -> str:
    """Write a sentence with its tagged words in brackets."""
    assert sentence is not None
    return " ".join(f"[{n.form}]" if n.tag else n.form for n in sentence)


@pytest.mark.parametrize(
    ("edit", "text", "expected"),
    [
        (words.use_synonym, DOG, {"hound acquired", "dog purchased"}),
        (words.use_other_form, DOG, {"acquired 3 balls", "on Mon. .", "on Mon ."}),
        (words.use_verb_phrase, ANN, {"constructed the house", "put up the house"}),
        (words.negate_complement, OPEN, {"it is closed"}),
        (words.change_tense, ANN, {"has built", "have built", "had built"}),
        (restructurings.make_passive, ANN, {"the house was built by Ann in Rome ."}),
        (restructurings.make_active, PASSIVE, {"Ann saw the dog ."}),
        (restructurings.move_adverbial, ANN, {"in Rome"}),
        (restructurings.toggle_that, SAID, {"Ann said it fell ."}),
        (
            restructurings.move_saying,
            SAID,
            {"it fell , Ann said .", "according to Ann , it"},
        ),
        (restructurings.use_converse, BEAT, {"Bob lost to Ann ."}),
        (restructurings.cleave, ANN, {"it was Ann that built", "it was Ann who built"}),
        (nominals.swap_genitive, END, {"the road 's end is"}),
        (nominals.swap_genitive, OWNER, {"the dog of Ann"}),
        (nominals.swap_conjuncts, BOTH, {"dogs and cats sleep"}),
        (nominals.reduce_relative, HURT, {"men hurt slept"}),
    ],
)
def test_reworded_words_have_no_tags(
    edit: Callable, text: str, expected: set[str], thesaurus: Thesaurus
) -> None:
    before = tree(text)
    for seed in range(5):
        after = said(edit(before, Random(seed), thesaurus))
        assert any(part in after for part in expected)
        assert "[" not in after
    assert before == tree(text)


def test_tagged_words_are_moved_but_not_replaced(thesaurus: Thesaurus) -> None:
    tagged = [node._replace(tag=1) for node in tree(DOG)]
    for edit in (words.use_synonym, words.use_other_form, words.use_verb_phrase, words.use_phrase):
        assert edit(tagged, Random(0), thesaurus) is None
    house = [node._replace(tag=int(node.form == "house")) for node in tree(ANN)]
    passive = restructurings.make_passive(house, Random(0), thesaurus)
    assert said(passive) == "the [house] was built by Ann in Rome ."


@pytest.mark.parametrize(
    ("edit", "text", "first", "second"),
    [
        (contrasts.change_time, DOG, "[Monday]", "day]"),
        (contrasts.change_number, DOG, "acquired [three] balls", "acquired ["),
        (contrasts.change_name, BEAT, "[", "[Oslo]"),
        (contrasts.change_to_opposite, OPEN, "is not [open]", "is not [closed]"),
        (contrasts.negate, OPEN, "is [not] open", "is open"),
        (contrasts.negate, PASSIVE, "the dog was seen by Ann .", "was ["),
        (contrasts.swap_roles, BEAT, "[Ann] beat [Bob] .", "[Bob] beat [Ann] ."),
        (differences.change_phrase, DOG, "[the] [dog] acquired", "[a] [red] [boat] acquired"),
        (differences.change_predicate, BEAT, "Ann [beat] [Bob] .", "Ann [went] [home] ."),
        (differences.delete_phrase, ANN, "house [in] [Rome] .", "the house ."),
        (differences.add_clause, BEAT, "Ann beat Bob .", "[the]"),
        (differences.make_unrelated, BEAT, "[Ann] [beat] [Bob] [.]", "[the] [house]"),
    ],
)
def test_different_words_are_tagged(
    edit: Callable, text: str, first: str, second: str, thesaurus: Thesaurus
) -> None:
    before = tree(text)
    for seed in range(5):
        kit = Kit(Random(seed), thesaurus, BANK, tree(ANN))
        one, two = edit(before, before, kit)
        assert first in said(one)
        assert second in said(two)
        assert len({node.key for node in two}) == len(two)
    assert before == tree(text)


def test_verb_without_auxiliary_is_negated_with_one(thesaurus: Thesaurus) -> None:
    found = set()
    for seed in range(40):
        kit = Kit(Random(seed), thesaurus, BANK, [])
        found.add(said(contrasts.negate(tree(BEAT), tree(BEAT), kit)[1]))
    assert "Ann did [not] beat Bob ." in found
    assert "Ann [never] beat Bob ." in found
    assert "Ann [failed] [to] beat Bob ." in found


def test_conjuncts_are_not_swapped(thesaurus: Thesaurus) -> None:
    kit = Kit(Random(0), thesaurus, BANK, [])
    assert contrasts.swap_roles(tree(BOTH), tree(BOTH), kit) is None


def tagged(text: str, *, is_firm: bool = False) -> Sentence:
    """Read words. Those in brackets are tagged."""
    return [
        Node(w.strip("[]"), "", "X", "_", "dep", i, ROOT, int(w[0] == "["), is_firm and w[0] == "[")
        for i, w in enumerate(text.split())
    ]


@pytest.mark.parametrize(
    ("first", "second", "cleared"),
    [
        ("a [the] cat", "a cat", "a the cat"),
        ("he [not] ran", "he ran", "he [not] ran"),
        ("he [will] run", "he runs", "he [will] run"),
        ("ran [,] [then] [slept] [.]", "ran", "ran , [then] [slept] ."),
        ("costs [$] [5]", "free", "costs [$] [5]"),
        ("[Ann] [won]", "[Ann] [lost]", "Ann [won]"),
        ("ran [home] [,] [then] [slept]", "ran", "ran [home] [,] [then] [slept]"),
    ],
)
def test_tags_follow_the_rules_of_the_data(first: str, second: str, cleared: str) -> None:
    assert said(clear_tags(tagged(first), tagged(second))[0]) == cleared


def test_words_that_swapped_stay_tagged() -> None:
    one, two = tagged("[Ann] beat [Bob]", is_firm=True), tagged("[Bob] beat [Ann]", is_firm=True)
    assert [said(side) for side in clear_tags(one, two)] == ["[Ann] beat [Bob]", "[Bob] beat [Ann]"]


def test_tidy_fixes_commas_articles_and_the_first_capital() -> None:
    sentence = tagged(", a apple , , fell , .")
    marks = {",", "."}
    sentence = [
        n._replace(upos="PUNCT" if n.form in marks else "DET" if n.form == "a" else "X")
        for n in sentence
    ]
    assert said(tidy(sentence)) == "An apple , fell ."


SENTENCES = [tree(text) for text in (ANN, PASSIVE, DOG, SAID, END)]


def test_pairs_have_tags_and_depend_on_the_seed(thesaurus: Thesaurus) -> None:
    pairs = list(make_pairs(SENTENCES, thesaurus, n=40, seed=1))
    assert pairs == list(make_pairs(SENTENCES, thesaurus, n=40, seed=1))
    assert pairs != list(make_pairs(SENTENCES, thesaurus, n=40, seed=2))
    assert [pair.id for pair in pairs[:2]] == ["synthetic-000001", "synthetic-000002"]
    for pair in pairs:
        assert pair.words1 != pair.words2
        assert len(pair.words1) == len(pair.tags1 or [])
        assert len(pair.words2) == len(pair.tags2 or [])
        is_paraphrase = not sum(pair.tags1 or []) + sum(pair.tags2 or [])
        assert is_paraphrase == (pair.source == "synthetic-none")


def test_no_usable_sentence_raises(thesaurus: Thesaurus) -> None:
    with pytest.raises(ValueError, match="5 to 35 words"):
        list(make_pairs([tree(BEAT)], thesaurus, n=1))


def test_contrasts_keep_the_tags_of_the_pair(thesaurus: Thesaurus) -> None:
    known = TaggedPair(
        "1",
        ["In", "Rome", "12", "old", "men", "slept", "."],
        ["Twelve", "new", "men", "were", "asleep", "in", "Rome", "."],
        [0, 0, 0, 1, 0, 0, 0],
        [0, 1, 0, 0, 0, 0, 0, 0],
    )
    pairs = list(make_contrasts([known], thesaurus, BANK, n=10, seed=1))
    assert pairs == list(make_contrasts([known], thesaurus, BANK, n=10, seed=1))
    for pair in pairs:
        assert pair.source.startswith("synthetic-known-")
        for side, tags in ((pair.words1, pair.tags1), (pair.words2, pair.tags2)):
            for word in {"old", "new"} & set(side):
                assert tags is not None
                assert tags[side.index(word)] == 1


def conllu(sentence: Sentence, number: int) -> str:
    rows = [
        f"{i}\t{n.form}\t{n.lemma}\t{n.upos}\t{n.xpos}\t_\t{n.head + 1}\t{n.relation}\t_\t_"
        for i, n in enumerate(sentence, start=1)
    ]
    return "\n".join([f"# sent_id = s{number}", *rows, "", ""])


def test_make_pairs_cli(tmp_path: Path) -> None:
    treebank, known, output = (tmp_path / name for name in ("t.conllu", "k.jsonl", "out.jsonl"))
    text = "".join(conllu(sentence, i) for i, sentence in enumerate(SENTENCES))
    treebank.write_text(text, encoding="utf8")
    known.write_text(
        '{"id": "1", "sent1": ["Twelve", "cats", "."], "sent2": ["12", "cats", "slept", "."], '
        '"tags1": [0, 0, 0], "tags2": [0, 0, 1, 0]}\n',
        encoding="utf8",
    )
    arguments = ["make-pairs", treebank, output, "--wordnet", write_wordnet(tmp_path / "dict")]
    arguments += ["--pairs", "12", "--known", known, "--contrasts", "3", "--seed", "4"]
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == 0, result.output
    pairs = list(read_pairs(output))
    assert len(pairs) == len({pair.id for pair in pairs}) == 15
    assert "15 pairs" in result.stderr


def test_make_pairs_cli_needs_known_pairs_for_contrasts(tmp_path: Path) -> None:
    treebank = tmp_path / "t.conllu"
    treebank.write_text(conllu(SENTENCES[0], 1), encoding="utf8")
    wordnet = write_wordnet(tmp_path / "dict")
    arguments = ["make-pairs", treebank, tmp_path / "out.jsonl", "--wordnet", wordnet]
    result = CliRunner().invoke(app, list(map(str, [*arguments, "--contrasts", "3"])))
    assert result.exit_code == 1
    assert "--known" in result.output
    assert not (tmp_path / "out.jsonl").exists()
