"""Questions about pairs of texts: which words are paraphrased, and what people say of the texts."""

from studies.panels import Chart, Entry, Mark, Panel
from studies.questions.rows import BARS, Names, Published, make_entry, rank, summarize_entry
from studies.results import Column, Line

MEASURES: Names = {
    "tagger": ("our tagger", "ours"),
    "ParaTag (paper)": ("the paper's DeBERTa-large", "paper"),
    "BERTScore (paper)": ("BERTScore, as the paper reports it", "other"),
    "chrF": ("chrF", "other"),
    "ROUGE-1": ("ROUGE-1", "other"),
    "ROUGE-2": ("ROUGE-2", "other"),
    "BLEU": ("BLEU", "other"),
}


# What people judged, by its name in the data.
JUDGED = {
    "COH": "coherent", "FAC": "faithful", "FLU": "fluent", "INFO": "informative",
    "COV": "covers the content",
}  # fmt: skip


def draw_summaries(published: Published) -> Chart:
    """Draw how often a faithful summary gets the higher score."""
    results = published["text_scores"]
    n = results.settings["items"]["rank19"]
    return Chart(
        title="Which of two summaries is faithful to its source?",
        about=(
            f"Share of pairs in which the faithful summary gets the higher score (Rank19, {n:,} "
            "summaries). Pairs with equal scores count as wrong."
        ),
        n=f"{n:,} summaries",
        panels=[
            Panel("", rank(
                make_entry(label, results.values(name, "agreement", {"task": "Rank19 FAC"}), role)
                for name, (label, role) in MEASURES.items()
            ), limits=(0, 100)),
        ],
    )  # fmt: skip


def draw_agreement(published: Published) -> Chart:
    """Draw the agreement with people in all tasks of the paper."""
    results = published["text_scores"]
    sizes = results.settings["items"].values()
    shown = ("tagger", "ParaTag (paper)", "chrF")
    tasks = [row.setting["task"] for row in results.rows if row.system == "ParaTag (paper)"]
    entries = []
    for task in dict.fromkeys(tasks):
        marks = [
            Mark(value, value, value, n)
            for n, name in enumerate(shown)
            for value in results.values(name, "agreement", {"task": task})
        ]
        entries.append(Entry(name_task(str(task)), tuple(marks)))
    return Chart(
        title="Do the scores of texts agree with people?",
        about=(
            f"{min(sizes):,} to {max(sizes):,} texts a task. Correlations, and for Rank19 the "
            "share of right decisions. 1 is perfect, and 0 is chance, except for Rank19."
        ),
        panels=[Panel("", rank(entries), unit="", possible=None)],
        series=["our tagger", "the paper's DeBERTa-large", "chrF"],
    )


def name_task(task: str) -> str:
    """Name a task, with the judgement of people in full.

    >>> name_task("SummEval FAC"), name_task("WMT19 kk-en")
    ('SummEval: faithful', 'WMT19: kk-en')
    """
    data, _, judged = task.partition(" ")
    return f"{data}: {JUDGED.get(judged, judged)}"


def draw_tags(published: Published) -> Chart:
    """Draw the F1 of words without a paraphrase."""
    results = published["paraphrase"]
    place = {"test": "test", "pairs": "all", "threshold": "fixed"}
    column = Column(title="F1", metric="unparaphrased_f", setting=place)
    systems: Names = {
        "encoder": ("our tagger with MiniLM", "ours"),
        "full": ("our tagger, CPU, all training data", "ours"),
        "bundled": ("our tagger, CPU, as bundled", "ours"),
        "overlap": ("words that the other text has, too", "other"),
    }
    return Chart(
        title="Which words of a sentence have no paraphrase in the other one?",
        about=(
            f"F1 of these words, on pairs of three data sets. Ours: mean of 3 seeds; {BARS} The "
            "paper's data was never released, so its score cannot be compared."
        ),
        panels=[
            Panel("", rank(
                summarize_entry(results, Line(labels=[label], system=name, role=role), column)
                for name, (label, role) in systems.items()
            ), limits=(0, 100)),
        ],
    )  # fmt: skip
