"""Scores of documents, compared with hand-computed ones."""

import pytest
import spacy
from spacy.training import Example

from spacy_sentid.sentence_identifier.data.documents import make_doc
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.data.marked_text import parse_marked_text
from spacy_sentid.sentence_identifier.evaluation.scorer import score_documents, score_examples
from spacy_sentid.text.units import SU, Unit

MARKED = "⟪head|Tea⟫\n\n⟦1. Boil the water.⟧ ⟦Wait.⟧\n⟪frag|Enjoy it!⟫"
TEXT = "Tea\n\n1. Boil the water. Wait.\nEnjoy it!"


def gold_of(marked: str, genre: str = "recipe") -> GoldDocument:
    (document,) = parse_marked_text(f"=== a | {genre}\n{marked}", name="a.txt")
    return document


def score(gold: GoldDocument, found: list[tuple[str, str]]) -> dict[str, float]:
    """Score units, given as parts of the text in text order."""
    units: list[Unit] = []
    for piece, label in found:
        start = gold.text.index(piece, units[-1].end if units else 0)
        units.append(Unit(start, start + len(piece), label))
    return score_documents([gold], [units])[""]


def test_gold_is_perfect() -> None:
    gold = gold_of(MARKED)
    assert gold.text == TEXT
    scores = score_documents([gold], [gold.units])[""]
    zero = {"noise_kept", "words_lost", "blank_lines"}
    per_type = scores.pop("spans_nsu_per_type")
    assert {name for name, value in scores.items() if value != 1} == zero
    assert {scores[name] for name in zero} == {0}
    perfect = {"p": 1, "r": 1, "f": 1, "gold": 1}
    assert per_type == {"HEADING": perfect, "FRAGMENT": perfect}


def test_scores_match_hand_computed_ones() -> None:
    # The first predicted SU includes the heading and a blank line. The last gold SU is predicted as
    # an NSU.
    first = "Tea\n\n1. Boil the water."
    scores = score(gold_of(MARKED), [(first, SU), ("Wait.\nEnjoy it!", "FRAGMENT")])
    wrong = {"p": 0, "r": 0, "f": 0, "gold": 1}
    assert scores["spans_nsu_per_type"] == {"HEADING": wrong, "FRAGMENT": wrong}
    expected = {
        "documents": 1,
        "su_p": 0, "su_r": 0, "su_f": 0,
        "nsu_p": 0, "nsu_r": 0, "nsu_f": 0,
        "nsu_kinds_p": 0, "nsu_kinds_r": 0, "nsu_kinds_f": 0,
        "boundary_p": 1, "boundary_r": 1 / 3, "boundary_f": 1 / 2,
        "spans_nsu_kind_acc": 1 / 2,  # the fragment, not the heading
        "noise_kept": 1 / 3,  # "Tea", not "Enjoy it!"
        "words_lost": 1 / 5,  # "Wait.", not "1. Boil the water."
        "blank_lines": 1,
    }  # fmt: skip
    assert {name: scores[name] for name in expected} == pytest.approx(expected)


def test_spacy_and_the_command_give_the_same_scores_the_same_name() -> None:
    # spaCy calls score_examples, and `evaluate documents` calls score_documents.
    text = "Prices\n- Oak\n- Ash\nI sleep."
    heading, sentence = Unit(0, 6, "HEADING"), Unit(19, 27, "SU")
    gold = [heading, Unit(7, 12, "LIST_ITEM"), Unit(13, 18, "LIST_ITEM"), sentence]
    pred = [heading, Unit(9, 12, "LIST_ITEM"), Unit(15, 18, "LIST_ITEM"), sentence]
    nlp = spacy.blank("en")
    docs = [make_doc(GoldDocument(text, units), nlp) for units in (pred, gold)]
    of_spacy = score_examples([Example(*docs)])
    of_command = score_documents([GoldDocument(text, gold)], [pred])[""]
    assert of_spacy == {name: of_command[name] for name in of_spacy}
    # Kinds are scored without list marks, but words are labelled with them, as in the paper.
    assert of_spacy["spans_nsu_kind_acc"] == 1
    assert of_spacy["spans_nsu_per_type"]["LIST_ITEM"] == {"p": 1, "r": 1, "f": 1, "gold": 2}


def test_systems_without_nsus_can_be_scored() -> None:
    scores = score(gold_of(MARKED), [("1. Boil the water.", SU), ("Wait.", SU)])
    assert (scores["su_p"], scores["su_r"], scores["nsu_p"], scores["nsu_r"]) == (1, 1, 0, 0)
    assert (scores["noise_kept"], scores["words_lost"], scores["spans_nsu_kind_acc"]) == (0, 0, 0)


def test_all_starts_count_except_the_first_of_a_document() -> None:
    gold = gold_of(MARKED)
    scores = score(gold, [(text, SU) for text in ("Tea", "1.", "the", "Wait.")])
    assert (scores["boundary_p"], scores["boundary_r"]) == pytest.approx((2 / 3, 2 / 3))
    assert score(gold, [])["boundary_p"] == score(gold, [("Tea", SU)])["boundary_p"]


@pytest.mark.parametrize(
    ("text", "label", "right"),
    [
        ("Enjoy it!", "FRAGMENT", 1),
        ("Enjoy it!", "CODE", 0),
        ("Enjoy it!", "NSU", 0),
        ("Enjoy it!", "SU", 0),
        ("joy it!", "FRAGMENT", 1),  # most of it
        ("it!", "FRAGMENT", 0),
    ],
)
def test_a_kind_is_that_of_most_characters(text: str, label: str, right: int) -> None:
    scores = score(gold_of("⟦I sleep.⟧ ⟪frag|Enjoy it!⟫ ⟪nsu|x⟫"), [(text, label)])
    assert scores["spans_nsu_kind_acc"] == right


def test_spans_of_nsus_are_scored_without_their_kind() -> None:
    gold = gold_of("⟪head|Tea⟫ ⟪nsu|Milk⟫")
    assert score(gold, [("Tea", "CODE"), ("Milk", "NSU")])["nsu_f"] == 1


def test_kinds_of_nsus_have_their_own_scores() -> None:
    gold = gold_of("⟪head|Tea⟫ ⟪head|Milk⟫ ⟪item|- Jam⟫ ⟦I sleep.⟧")
    found = [("Tea", "HEADING"), ("Milk", "FRAGMENT"), ("Jam", "LIST_ITEM"), ("I sleep.", "CODE")]
    scores = score(gold, found)
    per_type = scores["spans_nsu_per_type"]
    assert per_type["HEADING"] == pytest.approx({"p": 1, "r": 1 / 2, "f": 2 / 3, "gold": 2})
    assert per_type["LIST_ITEM"] == {"p": 1, "r": 1, "f": 1, "gold": 1}
    assert per_type["FRAGMENT"] == {"p": 0, "r": 0, "f": 0, "gold": 0}  # only predicted
    assert "METADATA" not in per_type
    assert [scores[f"nsu_kinds_{x}"] for x in "prf"] == pytest.approx([2 / 4, 2 / 3, 4 / 7])


def test_kinds_are_not_counted_where_gold_has_none() -> None:
    gold = gold_of("⟪nsu|Milk⟫ ⟪head|Tea⟫")
    scores = score(gold, [("Milk", "FRAGMENT"), ("Tea", "HEADING")])
    assert scores["nsu_kinds_p"] == scores["nsu_kinds_r"] == 1


OPENINGS = (
    *("> ", ">", ">> ", "> > ", "| ", "- ", "* ", "• ", "– ", "· ", "+ ", "-\t", "o ", "1. "),
    *("12) ", "(3) ", "a) ", "(b) ", "iv) ", "(ii) ", "> - ", "> 1. "),
)  # fmt: skip
CLOSINGS = (" 😀", "😀", " 😀 😀", "👍🏽", " ☀️", " ✓", " ❤️", " 👩‍👩‍👧", " 🇳🇱", " ⭐")


@pytest.mark.parametrize("mark", OPENINGS)
def test_list_marks_and_quote_marks_are_ignored(mark: str) -> None:
    gold = gold_of(f"⟦{mark}I sleep.⟧ ⟪frag|{mark}Tea⟫")
    scores = score(gold, [("I sleep.", SU), ("Tea", "FRAGMENT")])
    assert (scores["su_f"], scores["nsu_f"]) == (1, 1)


@pytest.mark.parametrize("gap", [" ", "\n  ", " - "])
def test_a_label_before_a_unit_is_ignored(gap: str) -> None:
    gold = gold_of(f"⟪meta|Bo:⟫{gap.rstrip('- ')} ⟦{gap.strip()} I sleep.⟧ ⟪frag|Yes⟫")
    scores = score(gold, [(gold.text.removesuffix(" Yes"), SU), ("Yes", "FRAGMENT")])
    assert (scores["su_f"], scores["nsu_p"], scores["nsu_r"]) == (1, 1, 1 / 2)
    assert scores["noise_kept"] == 1 / 2  # but its words count


def test_other_noise_before_a_unit_counts() -> None:
    gold = gold_of("⟪head|Tea⟫ ⟦I sleep.⟧")
    assert score(gold, [("Tea I sleep.", SU)])["su_f"] == 0


@pytest.mark.parametrize("mark", CLOSINGS)
def test_emoji_at_the_end_are_ignored(mark: str) -> None:
    assert score(gold_of(f"⟦I sleep{mark}⟧"), [("I sleep", SU)])["su_f"] == 1
    without = gold_of(f"⟦I sleep⟧ ⟪frag|{mark.strip()}⟫")
    assert score(without, [(without.text, SU)])["su_f"] == 1


@pytest.mark.parametrize("words", ["I", "-5", "2020.", "1.5", "oh", "a", "Mr.", "c", '"'])
def test_other_words_at_the_start_count(words: str) -> None:
    assert score(gold_of(f"⟦{words} is it.⟧"), [("is it.", SU)])["su_f"] == 0


@pytest.mark.parametrize("text", ["😀 😀", "-", ">", "1.", "- 😀"])
def test_no_unit_is_trimmed_to_nothing(text: str) -> None:
    gold = gold_of(f"⟦I sleep.⟧ ⟪frag|{text}⟫ ⟦You do.⟧")
    scores = score(gold, [("I sleep.", SU), (text, "FRAGMENT"), ("You do.", SU)])
    assert (scores["su_f"], scores["nsu_f"]) == (1, 1)
    assert score(gold, [("I sleep.", SU), ("You do.", SU)])["nsu_r"] == 0


def test_kinds_of_text_have_their_own_scores() -> None:
    first, second = gold_of("⟦I sleep.⟧"), gold_of("⟦You do.⟧", genre="chat")
    unknown = first._replace(genre="")
    found = score_documents([first, second, unknown], [first.units, [], []])
    assert {kind: scores["su_r"] for kind, scores in found.items()} == pytest.approx(
        {"": 1 / 3, "chat": 0, "recipe": 1}
    )
    assert {kind: scores["documents"] for kind, scores in found.items()} == {
        "": 3, "chat": 1, "recipe": 1,
    }  # fmt: skip


def test_no_documents_have_no_scores() -> None:
    assert score_documents([], []) == {}
