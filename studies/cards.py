"""The cards on top of the report: for each part ours, the paper and the best other tool.

charts of the questions -> figures of a card, with links to their charts
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from studies.panels import Chart, Entry

NONE = "none measured"
OTHER = "best other in the chart"


class Cell(NamedTuple):
    """A figure of a card."""

    who: str  # "ours", "the paper", "best other in the chart"
    label: str
    text: str


class Measure(NamedTuple):
    """The figures that a card compares, with the name of their chart."""

    question: str  # name of the chart
    words: str
    n: str
    cells: Sequence[Cell]


class Card(NamedTuple):
    """The card of a part."""

    part: str
    measures: Sequence[Measure]


class Plan(NamedTuple):
    """A comparison: the words for its measure, and the rows of the chart that are compared."""

    question: str
    words: str
    ours: str  # labels of rows
    paper: str = ""
    other: bool = False  # whether the chart has others; the best is shown


PLANS: dict[str, tuple[Plan, ...]] = {
    "Sentence identifier": (
        Plan("words", "Words with the right label, F1 on the paper's test",
             "our model, CPU", "the paper's RoBERTa-base"),
        Plan("everyday", "Exact sentences in everyday texts, F1", "our model, CPU", other=True),
    ),
    "Corpus augmenter": (
        Plan("treebank", "Noun phrases that a parser recognizes: gain in points if 20 % are added "
             "to its treebank", "ours, 20 % added", "the paper, 20 % added"),
    ),
    "Paraphrase tagger": (
        Plan("summaries", "The faithful one of two summaries gets the higher score, percent",
             "our tagger", "the paper's DeBERTa-large", other=True),
    ),
    "Rule sentencizer": (
        Plan("brown", "Sentences of Brown that end at the right period, percent",
             "ours: a lexicon and abbreviations", "the paper: a lexicon and abbreviations"),
        Plan("boundaries", "Boundaries in Brown, F1", "our rules", other=True),
    ),
    "Word segmenter": (
        Plan("chinese", "Exact Chinese words in a novel, F1", "our model, as bundled",
             "the paper's BERT", other=True),
    ),
}  # fmt: skip


def list_cards(charts: Mapping[str, Chart]) -> list[Card]:
    """Make the cards of the parts that have charts.

    charts: By names of their questions, see `questions.list_charts`.
    """
    cards = [
        Card(part, [_make_measure(plan, charts[plan.question]) for plan in plans])
        for part, plans in PLANS.items()
        if all(plan.question in charts for plan in plans)
    ]
    return [_fill(card) for card in cards]


def _make_measure(plan: Plan, chart: Chart) -> Measure:
    entries = list(chart.panels[0].entries)
    named = {entry.label: entry for entry in entries}
    cells = [_make_cell("ours", named[plan.ours])]
    if plan.paper:
        cells.append(_make_cell("the paper", named[plan.paper]))
    if plan.other:
        others = [entry for entry in entries if entry.role == "other"]
        best = max(others, key=lambda entry: entry.marks[0].value)
        cells.append(_make_cell(OTHER, best))
    return Measure(plan.question, plan.words, chart.n, cells)


def _make_cell(who: str, entry: Entry) -> Cell:
    return Cell(who, entry.label, entry.text)


def _fill(card: Card) -> Card:
    """Add a cell to a card if no other tool was measured."""
    if any(cell.who == OTHER for measure in card.measures for cell in measure.cells):
        return card
    *rest, last = card.measures
    return card._replace(
        measures=[*rest, last._replace(cells=[*last.cells, Cell(OTHER, NONE, "–")])]
    )
