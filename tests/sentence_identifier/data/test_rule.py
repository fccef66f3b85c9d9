"""The SU rule, and Table 3 of the paper."""

from collections.abc import Callable
from pathlib import Path

import pytest

from spacy_sentid.conllu.treebank import find_treebank_files, read_treebank
from spacy_sentid.sentence_identifier.data.convert import label_units
from spacy_sentid.sentence_identifier.data.rule import (
    SU_RELATIONS,
    count_list_marks,
    count_units,
    label_unit,
)

TABLE_3 = {
    "train": (10356, 2187, 10356, 160127, 6939, 10356, 773223, 47107),
    "dev": (1523, 478, 1523, 18791, 1302, 1523, 92309, 9925),
    "test": (1490, 587, 1490, 18222, 1822, 1490, 88441, 13232),
}


@pytest.mark.parametrize("relation", sorted(SU_RELATIONS))
def test_each_relation_of_the_rule_makes_an_su(relation: str) -> None:
    assert label_unit(["root", relation]) == "SU"


@pytest.mark.parametrize(
    ("relations", "label"),
    [
        ([], "NSU"),
        (["root"], "NSU"),
        (["root", "nmod", "amod", "det", "case", "punct", "compound"], "NSU"),
        (["root", "conj", "cc", "appos", "list", "parataxis", "flat"], "NSU"),
        (["root", "acl:relcl"], "NSU"),
        (["nsubj:pass", "root"], "SU"),
        (["root", "obl:npmod"], "SU"),
        (["_", "_"], "NSU"),
        (["auxiliary"], "NSU"),
    ],
)
def test_the_base_relations_decide(relations: list[str], label: str) -> None:
    assert label_unit(relations) == label


def test_the_relations_can_be_chosen() -> None:
    assert label_unit(["root", "nmod:poss"], su_relations={"nmod"}) == "SU"
    assert label_unit(["root", "nsubj"], su_relations={"nmod"}) == "NSU"


MARKS = [
    (["2.", "DELIVERY"], 1),
    (["2", "DELIVERY"], 1),
    (["2.1.3", "DELIVERY"], 1),
    (["(", "iv", ")", "DELIVERY"], 3),
    (["b)", "DELIVERY"], 1),
    (["A", ".", "DELIVERY"], 2),
    (["•", "DELIVERY"], 1),
    (["1.", "a)", "DELIVERY"], 2),
    (["Oh", ",", "no"], 0),
    (["O", "Lord"], 0),
    (["well", ".", "DELIVERY"], 0),
    ([], 0),
]


@pytest.mark.parametrize(("forms", "n"), MARKS, ids=lambda value: str(value))
def test_list_marks_are_discourse_words_at_the_start(forms: list[str], n: int) -> None:
    in_place = ["punct" if form in "()." else "discourse" for form in forms]
    assert count_list_marks(forms, in_place) == n
    assert count_list_marks(forms, ["nummod"] * len(forms)) == 0
    assert count_list_marks(["See", *forms], ["root", *in_place]) == 0


def test_list_marks_can_be_ignored() -> None:
    forms, relations = ["2.", "DELIVERY"], ["discourse", "root"]
    assert (label_unit(relations), label_unit(relations, forms=forms)) == ("SU", "NSU")
    assert label_unit(["discourse", "nsubj", "root"], forms=["2.", "We", "deliver"]) == "SU"
    assert label_unit(["discourse:x", "root"], forms=["Well", "DELIVERY"]) == "SU"


def test_no_units_have_zero_counts() -> None:
    assert list(count_units([]).values()) == [0] * 8


def test_text_is_counted_in_nfkc() -> None:
    assert count_units([("Hm…\u00a0yes", "NSU")])["char_o"] == len("Hm...yes")


@pytest.mark.parametrize("split", TABLE_3)
def test_table_3_of_the_paper_is_reproduced_exactly(
    find_corpus: Callable[[str], Path], split: str
) -> None:
    folder = find_corpus("ud/UD_English-EWT-r2.8")
    (file,) = find_treebank_files(folder, split)
    labelled = ((unit.text, label) for unit, label in label_units(read_treebank(file)))
    assert tuple(count_units(labelled).values()) == TABLE_3[split]
