"""Pages of tagged pairs: gold highlights next to those of a pipeline."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import tiny_pairs
from stand_in import make_stand_in
from typer.testing import CliRunner, Result
from view_pages import Page

from spacy_sentid.cli import app
from spacy_sentid.files.records import BadLine
from spacy_sentid.paraphrase_tagger.corpus import TaggedPair, format_pair
from spacy_sentid.view.pages.pairs import make_tagged_page, view_tagged

# The stand-in pipeline highlights the words that the other text does not have.
PAIRS = [
    tiny_pairs.pair("Sales [rose] again .", "Sales [fell once more] .", name="a"),
    tiny_pairs.pair("[Ben] left .", "He left .", name="b"),
    tiny_pairs.pair("It rains [.]", "It rains .", name="c"),
    TaggedPair("d", ["Yes", "<b>"], ["No", "<b>"]),
]
RIGHT, WRONG, MISSED = "unsupported", "unsupported only-pred", "unsupported only-gold"


def views(pairs: list[TaggedPair]) -> list:
    return list(view_tagged(pairs, make_stand_in(), on_bad=pytest.fail))


def marked(page: Page, css: str) -> list[str]:
    """List the spans of text that have exactly these CSS classes."""
    found: dict[int, str] = {}
    for above, data in page.texts:
        for name, attrs in above:
            classes = set((attrs.get("class") or "").split()) - {"u", "first"}
            if name == "span" and "data-c" in attrs and classes == set(css.split()):
                found[id(attrs)] = found.get(id(attrs), "") + data
    return list(found.values())


def test_words_are_right_wrong_or_missed() -> None:
    page = Page(make_tagged_page("Pairs", views(PAIRS)))
    # The pairs with the lowest F1 are first, those without gold last.
    assert page.text_of("h2") == ["c", "b", "a", "d"]
    assert marked(page, RIGHT) == ["Ben", "rose", "fell once more", "Yes", "No"]
    assert marked(page, WRONG) == ["He", "again"]
    assert marked(page, MISSED) == ["."]
    assert page.text_of("h3") == ["Text 1", "Text 2"] * 4
    texts = ["Ben left .", "He left .", "Sales rose again ."]
    assert page.text_of("div", "text")[2:5] == texts


def test_counts_are_shown_for_each_pair_and_all_pairs() -> None:
    page = Page(make_tagged_page("Pairs", views(PAIRS)))
    # a: 4 right, 1 wrong; b: 1 right, 1 wrong; c: 1 missed; d has no gold.
    assert page.text_of("dd") == [
        *("0 %", "0", "0", "1"), *("67 %", "1", "1", "0"), *("89 %", "4", "1", "0"),
    ]  # fmt: skip
    assert page.text_of("caption") == ["Words", "Scores"]
    cells = page.text_of("td")
    # Of 21 words with gold, the pipeline marks 7 in 4 spans, and gold 6 in 4 spans.
    assert [cells[0], cells[2], cells[4]] == ["5", "2", "1"]
    assert cells[6:] == [f"{100 * share:.1f}" for share in (18 / 21, 10 / 13, 4 / 8)]


def test_pairs_without_gold_have_no_scores() -> None:
    page = Page(make_tagged_page("Pairs", views(PAIRS[3:])))
    assert page.text_of("caption") == page.text_of("dd") == []
    assert marked(page, RIGHT) == ["Yes", "No"]


def test_the_details_have_the_probability() -> None:
    page = Page(make_tagged_page("Pairs", views(PAIRS[:1])))
    scores = [value for value in page.values("data-s") if value]
    # Probabilities of the pair and of its three spans. The logit of the stand-in is 3.
    assert scores == ["88.8889", "0.9526", "0.9526", "0.9526"]
    assert len(page.text_of("script", "probs")) == 2


def test_pairs_that_the_pipeline_fails_on_are_reported() -> None:
    bad: list[BadLine] = []
    pairs = [tiny_pairs.pair("refuse", "x", name="r"), PAIRS[0]]
    found = view_tagged(pairs, make_stand_in(), on_bad=bad.append)
    assert [view.name for view in found] == ["a"]
    assert bad == [BadLine("r", "The text must not have the word 'refuse'.")]


# The command


@pytest.fixture
def run(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Callable[..., Result]:
    model = tmp_path_factory.mktemp("stand-in")
    make_stand_in().to_disk(model)
    more = ["--model", str(model), "-o", str(tmp_path / "page.html")]
    return lambda *args: CliRunner().invoke(app, ["view-pairs", *map(str, args), *more])


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf8")
    return path


def test_files_of_tagged_pairs_are_recognised(run: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    write(tmp_path / "more/b.jsonl", "", "nonsense", format_pair(PAIRS[1]))
    first = write(tmp_path / "a.jsonl", format_pair(PAIRS[0]), '{"sent1": ["a"]}')
    done = run(first, tmp_path / "more")
    assert done.exit_code == 0, done.output
    assert "page.html: 2 pairs" in done.stderr
    message = f"excluded {first}:2: 'sent2' must be a list of non-empty words"
    assert message in " ".join(done.stderr.split())
    page = Page((tmp_path / "page.html").read_text(encoding="utf8"))
    assert page.text_of("h2") == ["b", "a"]
    assert marked(page, WRONG) == ["He", "again"]
    done = run(first, tmp_path / "more", "--limit", 1)
    assert "1 pair, the first 1 (--limit)" in done.stderr


def test_kinds_of_pairs_are_not_mixed(run: Callable[..., Result], tmp_path: Path) -> None:
    tagged = write(tmp_path / "a.jsonl", format_pair(PAIRS[0]))
    other = write(tmp_path / "b.jsonl", json.dumps({"hyp": "a", "ref": "b"}))
    done = run(tagged, other)
    assert done.exit_code == 1
    assert f"got {tagged} and {other}" in " ".join(done.stderr.split())


@pytest.mark.parametrize("lines", [[], ["", ""]])
def test_nothing_to_show_is_a_one_line_error(
    run: Callable[..., Result], tmp_path: Path, lines: list[str]
) -> None:
    done = run(write(tmp_path / "a.jsonl", *lines))
    assert done.exit_code == 1
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: There must be pairs to show, got none.")
    assert not (tmp_path / "page.html").exists()


@pytest.mark.parametrize(
    "line", ["nonsense", '{"sent1": ["a"]}', '{"hyp": "a"}', '{"hyp": "a", "ref": "a"}']
)
def test_the_error_has_the_reasons_why_no_pair_is_left(
    run: Callable[..., Result], tmp_path: Path, line: str
) -> None:
    done = run(write(tmp_path / "a.jsonl", line))
    assert done.exit_code == 1
    assert "a.jsonl:1" in done.stderr
    assert "There must be pairs to show, got none." in done.stderr
    assert not (tmp_path / "page.html").exists()
