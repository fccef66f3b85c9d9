"""Questions about Chinese words, and about pauses in speech."""

from studies.panels import Chart, Panel
from studies.questions.rows import BARS, Names, Published, make_entry, make_figure, make_row, rank


def draw_chinese(published: Published) -> Chart:
    """Draw the words that are found in a novel."""
    results, pauses = published["words"], published["pauses"]
    place = {"set": "ZX test"}
    systems: Names = {
        "bundled recipe": ("our model, as bundled", "ours"),
        "gsd": ("our model, trained on GSD alone", "ours"),
        "thulac": ("THULAC", "other"),
        "jieba": ("jieba", "other"),
    }
    n = results.values("jieba", "sentences", place)[0]
    paper = pauses.values("paper: p0.5", "word_f", {"test": "zx-test"})
    return Chart(
        title="How many Chinese words are found exactly in a novel?",
        about=(
            f"F1 of words, {n:,} sentences of ZX. Ours: mean of 3 seeds; {BARS} The paper's BERT "
            "also learned from speech, and from another treebank (CTB5)."
        ),
        n=f"{n:,} sentences, 3 seeds",
        panels=[
            Panel("", rank([
                *(make_entry(label, results.values(name, "word_f", place), role)
                  for name, (label, role) in systems.items()),
                make_entry("the paper's BERT", paper, "paper"),
            ]), limits=(0, 100)),
        ],
    )  # fmt: skip


def draw_pauses(published: Published) -> Chart:
    """Draw what pauses add to a model."""
    results = published["pauses"]
    place = {"test": "zx-test"}

    def read(system: str) -> list[float]:
        base = results.values("paper: base" if "paper" in system else "base", "word_f", place)
        found = results.values(system, "word_f", place)
        return [value - start for value, start in zip(found, base, strict=True)]

    systems: Names = {
        "p0.5": ("ours: pauses that look like boundaries", "ours"),
        "no-filter": ("ours: all pauses", "ours"),
        "punctuation": ("ours: punctuation instead of speech", "ours"),
        "self-training": ("ours: its own output, no speech", "ours"),
        "paper: p0.5": ("the paper: pauses that look like boundaries", "paper"),
    }
    rows = []
    for system, (label, role) in systems.items():
        rows.append(make_row(label, make_figure(read(system)), role, signed=True))
    return Chart(
        title="Do pauses in speech help to find Chinese words?",
        about=(
            f"F1 of words on ZX test: difference to the model before. Ours: mean of 3 seeds; {BARS}"
        ),
        panels=[Panel("", rank(rows), unit="points", possible=None)],
    )
