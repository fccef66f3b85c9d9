"""Borders known before decoding, and runs of NSUs after it."""

import numpy as np
import pytest
import spacy
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.borders import block_lengths, find_borders
from spacy_sentid.sentence_identifier.prediction import ScoredUnits, finish_units
from spacy_sentid.units import Unit

NLP = spacy.blank("en")


def borders(doc: Doc, **options: bool) -> list[list[int]]:
    """Tokens where a unit must start, must not start, and where lines start."""
    settings = {"break_lines": False, "need_lines": False, "use_starts": True, **options}
    tokens = np.flatnonzero([not token.is_space for token in doc])
    found = find_borders([doc], [tokens], **settings)
    return [np.flatnonzero(array).tolist() for array in found]


def preset() -> Doc:
    doc = NLP.make_doc("a b\nc d")
    doc[3].is_sent_start, doc[4].is_sent_start = True, False  # c and d
    return doc


def test_the_first_token_starts_a_unit() -> None:
    assert borders(NLP.make_doc(" a b")) == [[0], [], []]


def test_starts_that_were_set_hold() -> None:
    assert borders(preset()) == [[0, 2], [3], []]


def test_starts_that_were_set_can_be_passed_over() -> None:
    assert borders(preset(), use_starts=False) == [[0], [], []]


def test_starts_of_a_parsed_doc_do_not_hold() -> None:
    doc = Doc(NLP.vocab, words=["a", "b"], heads=[0, 1], deps=["root", "root"])
    assert borders(doc) == [[0], [], []]


def test_lines_can_force_starts() -> None:
    assert borders(preset(), break_lines=True) == [[0, 2], [3], [2]]


def test_lines_can_be_looked_for_alone() -> None:
    assert borders(NLP.make_doc("a\nb"), need_lines=True) == [[0], [], [1]]


@pytest.mark.parametrize(("forced", "lengths"), [([1, 0, 0], [3]), ([1, 1, 0], [1, 2]), ([], [])])
def test_blocks_start_at_forced_tokens(forced: list[int], lengths: list[int]) -> None:
    assert block_lengths(np.asarray(forced, dtype=bool)).tolist() == lengths


UNITS = [Unit(0, 1, "NSU"), Unit(1, 3, "NSU"), Unit(3, 5, "SU"), Unit(5, 6, "NSU")]


def finish(line_start: list[int], *, split_lines: bool) -> ScoredUnits:
    decoded = ScoredUnits(UNITS, np.asarray([3.0, 1.0, 2.0, 4.0]))
    return finish_units(decoded, np.asarray(line_start, dtype=bool), split_lines=split_lines)


def test_nsus_in_a_row_become_a_run_as_sure_as_its_least_sure_part() -> None:
    done = finish([1, 0, 0, 0, 0, 0], split_lines=False)
    assert done.units == [Unit(0, 3, "NSU"), Unit(3, 5, "SU"), Unit(5, 6, "NSU")]
    assert done.confidence.tolist() == [1.0, 2.0, 4.0]


def test_runs_are_cut_at_line_ends_and_nowhere_else() -> None:
    done = finish([1, 0, 1, 0, 1, 0], split_lines=True)
    assert done.units == [Unit(0, 2, "NSU"), Unit(2, 3, "NSU"), Unit(3, 5, "SU"), Unit(5, 6, "NSU")]
    assert done.confidence.tolist() == [1.0, 1.0, 2.0, 4.0]
