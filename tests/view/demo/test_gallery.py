"""The examples of the demo page: every one runs, and fits what the page says of it."""

import pytest

from spacy_sentid.batch.tasks import SCORES, SENTENCES, UNITS
from spacy_sentid.view.demo.gallery import EXAMPLES, TEXT_KINDS, list_examples
from spacy_sentid.view.demo.pipelines import DEFAULT_MODELS, DemoPipeline

MODELS = [(task, lang) for task, _, lang in (name.partition(":") for name in DEFAULT_MODELS)]
MAX_LINES, MAX_WIDTH = 30, 100


@pytest.mark.parametrize(("task", "lang"), MODELS)
def test_every_example_runs(task: str, lang: str) -> None:
    examples = list_examples(task, lang)
    assert examples
    pipeline = DemoPipeline(task, lang)
    for example in examples:
        newline = TEXT_KINDS[example.kind].newline if task == UNITS else None
        settings = {"newline": newline} if newline else {}
        found = pipeline(example.text, example.ref, settings=settings)
        if task == SCORES:
            assert found.record["hyp_words"]
            continue
        # Rules find no sentence ends in speech without punctuation.
        assert len(found.view.units) >= (1 if task == SENTENCES else 3), example.title
        if task == UNITS:
            assert "SU" in {unit.label for unit in found.view.units}


def test_first_example_shows_what_the_page_is_about() -> None:
    """Check that it has sentences, and several kinds of other units."""
    units = DemoPipeline(UNITS, "en")(list_examples(UNITS, "en")[0].text).view.units
    assert sum(unit.label == "SU" for unit in units) >= 5
    assert len({unit.kind for unit in units if unit.kind}) >= 4


def test_english_has_an_example_of_each_kind() -> None:
    assert [example.kind for example in list_examples(UNITS, "en")] == list(TEXT_KINDS)


def test_pairs_have_two_texts() -> None:
    pairs = list_examples(SCORES, "en")
    assert len(pairs) >= 3
    assert all(example.text and example.ref for example in pairs)


def test_every_file_is_an_example() -> None:
    listed = {example for model in MODELS for example in list_examples(*model)}
    assert len(listed) == len(list(EXAMPLES.rglob("*.txt")))


def test_examples_are_short() -> None:
    for path in EXAMPLES.rglob("*.txt"):
        lines = path.read_text(encoding="utf8").splitlines()
        assert len(lines) <= MAX_LINES, path
        assert max(map(len, lines)) <= MAX_WIDTH, path
