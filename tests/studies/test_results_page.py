"""The page docs/results.md: its charts, and the numbers of its sentences."""

import re
from pathlib import Path

import pytest
from docs_pages import load_site_code

from spacy_sentid import load

PAGE = Path(__file__).parents[2] / "docs" / "results.md"
CHART = re.compile(r"^!\[.+\]\(\.\./(studies/published/chart_\w+\.svg)\)$", re.MULTILINE)
SCORE = re.compile(r"\d+\.\d")
PARAMETERS = "1.7 million"


def list_sections() -> list[str]:
    """List the sections of the page, one for each paper."""
    return PAGE.read_text(encoding="utf8").split("\n## ")[1:]


@pytest.mark.parametrize("section", list_sections(), ids=lambda text: text.splitlines()[0])
def test_each_paper_has_a_sentence_and_a_chart_with_its_numbers(section: str, root: Path) -> None:
    heading, conclusion, *_ = section.split("\n\n")
    assert re.fullmatch(r"\*\*[^*]+\.\*\*", conclusion, re.DOTALL), heading
    charts = CHART.findall(section)
    assert charts
    drawn = [
        score
        for chart in charts
        for text in re.findall(">([^<]*)</text>", (root / chart).read_text(encoding="utf8"))
        for score in SCORE.findall(text)
    ]
    told = SCORE.findall(CHART.sub("", section).replace(PARAMETERS, ""))
    assert set(told) <= set(drawn)
    assert SCORE.search(conclusion)
    assert re.search(r"\]\(papers\.md#[\w-]+\)", section)


def test_the_page_has_the_five_papers() -> None:
    assert len(list_sections()) == 5


def test_the_number_of_parameters_is_that_of_the_weights() -> None:
    model = load("en").get_pipe("sentence_identifier").model
    n = sum(
        node.get_param(name).size
        for node in model.walk()
        for name in node.param_names
        if node.has_param(name)
    )
    assert f"{n / 1e6:.1f} million" == PARAMETERS
    assert PARAMETERS in PAGE.read_text(encoding="utf8")


def test_figures_on_the_site_have_the_colors_of_the_site(root: Path) -> None:
    figures = load_site_code("figures")
    page = '<p><img alt="Which?" src="../figures/chart_words.svg" /></p><p>Text.</p>'
    made = figures.inline_figures(page, [root / "studies" / "published"])
    assert made.count("<style>") == 1
    assert "@media screen" in made
    assert figures.SLATE in made
    assert "<img" not in made
    assert re.search('<svg [^>]*aria-label="Chart: Which words', made)
    assert figures.inline_figures("<p>Text.</p>", []) == "<p>Text.</p>"
