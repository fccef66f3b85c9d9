"""Questions about parsers that were trained on augmented treebanks."""

from collections.abc import Mapping

from studies.panels import Chart, Entry, Panel
from studies.paper_figures import NOUN_PHRASES, TREEBANK_LAS, Figure
from studies.questions.rows import BARS, Published, make_figure, make_row

ADDED = (10, 20, 50, 100)  # percent of noun phrases


def draw_treebank(published: Published) -> Chart:
    """Draw the gain of a parser, by the number of noun phrases that were added."""
    results = published["parser"]

    def read(cell: str, metric: str, **place: str) -> list[float]:
        setting = {"lang": "en", **place}
        pairs = zip(
            results.values(cell, metric, setting),
            results.values("0/0", metric, setting),
            strict=True,
        )
        return [changed - unchanged for changed, unchanged in pairs]

    def list_rows(metric: str, paper: Mapping[int, float], **place: str) -> list[Entry]:
        rows = []
        for percent in ADDED:
            found = read(f"0/{percent / 100:g}", metric, **place)
            gain = make_figure(found)
            rows.append(make_row(f"ours, {percent} % added", gain, "ours", signed=True))
            printed = Figure(paper[percent] - paper[0])
            rows.append(make_row(f"the paper, {percent} % added", printed, "paper", signed=True))
        return rows

    n = results.values("0/0", "n_phrases", {"lang": "en", "phrases": "extracted"})[0]
    return Chart(
        title="Does a parser recognize noun phrases better if some are added to its treebank?",
        about=(
            f"English. Difference to the unchanged treebank. Ours: {n:,} noun phrases of EWT test, "
            f"mean of 3 seeds; {BARS} The paper: section titles of Wikipedia, one run each."
        ),
        n=f"{n:,} noun phrases, 3 seeds",
        panels=[
            Panel("Noun phrases that are parsed as a noun", list_rows(
                "np_detection", NOUN_PHRASES, phrases="extracted"
            ), unit="points", possible=None),
            Panel("Words with the right head and relation (LAS)", list_rows(
                "las_conll", TREEBANK_LAS
            ), unit="points", possible=None),
        ],
    )  # fmt: skip
