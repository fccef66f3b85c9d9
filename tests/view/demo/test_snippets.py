"""The code that the demo page copies: it runs as it is, and repeats the result."""

import pytest

from spacy_sentid.batch.tasks import SCORES, SENTENCES, UNITS, WORDS
from spacy_sentid.view.demo.demo import Request, answer
from spacy_sentid.view.demo.gallery import list_examples
from spacy_sentid.view.demo.pipelines import DemoPipeline
from spacy_sentid.view.demo.snippets import write_snippet

NASTY = [
    "It's \"quoted\" \\n and '''tripled''' text.\n\"\"\"\nEnd.",
    "\ufeffA byte order mark.\r\nI sleep.\rYou sleep.\u2028We sleep.",
    "Lone \ud800 and \udfff surrogates, {braces} and %s.",
    "A \u202etxt.exe\u2066 b \0 c.",
    "import os; os.abort()\n') ; os.abort()\n",
    "",
    " \n",
]


def run(code: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Run code, and return the lines that it prints."""
    exec(code, {})
    return capsys.readouterr().out.splitlines()


@pytest.fixture(scope="module")
def english() -> DemoPipeline:
    return DemoPipeline(UNITS, "en")


@pytest.mark.parametrize(
    "settings", [{}, {"threshold": 0.3, "newline": "break"}, {"newline": "ignore"}]
)
def test_units_are_repeated(english, capsys, settings):
    text = "\n".join(example.text for example in list_examples(UNITS, "en"))
    found = answer(Request(english, text, settings, ""))
    lines = run(found["python"], capsys)
    for line, unit in zip(lines, found["record"]["units"], strict=True):
        score, rest = line.split(" ", 1)
        assert rest == f"{unit.get('kind', unit['label']):10} {unit['text']!r}"
        assert float(score) == pytest.approx(unit["score"], abs=0.006)


@pytest.mark.parametrize("text", NASTY)
def test_any_text_is_repeated(english, capsys, text):
    found = answer(Request(english, text, {}, ""))
    texts = [line[16:] for line in run(found["python"], capsys)]
    assert texts == [repr(unit["text"]) for unit in found["record"]["units"]]


def test_units_of_a_folder_are_repeated(tiny_pipeline, capsys):
    pipeline = DemoPipeline(UNITS, str(tiny_pipeline))
    found = answer(Request(pipeline, "Page 3\nI like cats.", {"threshold": 0.0}, ""))
    assert len(run(found["python"], capsys)) == len(found["record"]["units"])


@pytest.mark.parametrize("text", ["Dr. Wu left at 5 p.m. He stayed.", *NASTY])
def test_sentences_are_repeated(capsys, text):
    found = answer(Request(DemoPipeline(SENTENCES, "en"), text, {}, ""))
    texts = [repr(row["text"]) for row in found["record"]["sentences"]]
    assert run(found["python"], capsys) == texts


def test_words_are_repeated(capsys):
    pipeline = DemoPipeline(WORDS, "zh")
    for example in list_examples(WORDS, "zh"):
        found = answer(Request(pipeline, example.text, {}, ""))
        words = [row["text"] for row in found["record"]["words"]]
        assert run(found["python"], capsys) == [repr(words)]


def test_comparisons_are_repeated(capsys):
    pipeline = DemoPipeline(SCORES, "en")
    for example in list_examples(SCORES, "en"):
        found = answer(Request(pipeline, example.text, {}, example.ref))
        lines = run(found["python"], capsys)
        record = found["record"]
        assert lines[0].startswith(f"{record['supported_p']:.0%} of the text")
        assert lines[1].startswith(f"{record['supported_r']:.0%} of the reference")
        for line, side in zip(lines[2:], ("hyp", "ref"), strict=True):
            assert line == repr([span["text"] for span in record[f"{side}_spans"]])


def test_each_line_of_a_text_has_a_line_of_code():
    code = write_snippet("units", "en", "a\n" * 50)
    assert len(code.splitlines()) >= 50
    assert max(map(len, code.splitlines())) < 100
