"""The questions that the studies answer, with a chart each: ours, the papers, and others.

published results and the papers' figures -> rows with people's words for names -> charts
"""

from collections.abc import Callable
from typing import NamedTuple

from studies.panels import Chart
from studies.questions import chinese, pairs, sentences, treebanks
from studies.questions.rows import Published


class Question(NamedTuple):
    """A question, the results that answer it, and its chart."""

    name: str  # of its figure
    needs: tuple[str, ...]
    make: Callable[[Published], Chart]


QUESTIONS = (
    Question("words", ("documents", "identifier", "identifier_minilm"), sentences.draw_words),
    Question("everyday", ("documents",), sentences.draw_everyday),
    Question("punctuation", ("documents",), sentences.draw_punctuation),
    Question("treebank", ("parser",), treebanks.draw_treebank),
    Question("brown", ("strategies",), sentences.draw_brown),
    Question("boundaries", ("sentence_peers",), sentences.draw_boundaries),
    Question("summaries", ("text_scores",), pairs.draw_summaries),
    Question("agreement", ("text_scores",), pairs.draw_agreement),
    Question("tags", ("paraphrase",), pairs.draw_tags),
    Question("chinese", ("words", "pauses"), chinese.draw_chinese),
    Question("pauses", ("pauses",), chinese.draw_pauses),
)


def list_charts(published: Published) -> dict[str, Chart]:
    """Make the charts of all questions that the published results answer, by their names."""
    return {
        question.name: question.make(published)
        for question in QUESTIONS
        if set(question.needs) <= set(published)
    }
