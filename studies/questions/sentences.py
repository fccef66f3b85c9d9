"""Questions about sentences: of the sentence identifier and of the rules."""

from collections.abc import Mapping

from studies.panels import Chart, Entry, Panel, Role
from studies.paper_figures import IDENTIFICATION
from studies.questions.rows import BARS, Names, Published, make_entry, make_row, rank

TEXTS = {"trained": "in-domain", "test": "in-domain", "texts": "0.5"}
# Systems of the study of documents -> label and role.
SPLITTERS: Names = {
    "ours": ("our model, CPU", "ours"),
    "EWT": ("our model, trained on EWT alone", "ours"),
    "rule_sentencizer": ("our rules", "ours"),
    "senter": ("spaCy senter, trained on EWT", "other"),
    "sentencizer": ("spaCy sentencizer", "other"),
    "pySBD": ("pySBD", "other"),
}
# Systems of the benchmark of rules -> label and role.
RULES: Names = {
    "segment": ("our rules", "ours"),
    **{
        name: (name, "other")
        for name in ("pySBD", "sentence-splitter", "BlingFire", "segtok", "nupunkt", "syntok")
    },
    "spaCy sentencizer": ("spaCy sentencizer", "other"),
}
STRATEGIES = {
    "every period": "every period ends a sentence",
    "structure": "structure of words",
    "corpus": "words of the corpus",
    "lexicon": "a lexicon",
    "lexicon+abbreviations, the paper's list": "a lexicon and abbreviations",
}


def draw_words(published: Published) -> Chart:
    """Draw the scores on the test of the paper."""

    def read(name: str, label: str, system: str, role: Role) -> Entry:
        return make_entry(label, published[name].values(system, "bio_macro_f", TEXTS), role)

    bundled = published["documents"].values("ours", "bio_macro_f", {"p_cc": 0.5, "joined": "space"})
    paper = {name: row[0.5][0] for name, row in IDENTIFICATION.items()}
    return Chart(
        title="Which words of a text belong to sentences?",
        about=(
            "F1 of the labels first word of a sentence, other word of it, outside (macro average). "
            "Test split of EWT, about two units a text, joined by spaces. Mean of 3 to 5 seeds; "
            f"{BARS}"
        ),
        n="test split of EWT, 3 to 5 seeds",
        panels=[
            Panel("", rank([
                make_entry("our model, CPU", bundled, "ours"),
                read("identifier", "our model, CPU, trained on EWT alone", "ours", "ours"),
                read("identifier_minilm", "our model with MiniLM", "ours", "ours"),
                read("identifier", "the paper's method, our small encoder", "BOS&EOS", "other"),
                read("identifier", "ends of sentences alone, our small encoder", "EOS-Only",
                     "other"),
                make_row("the paper's RoBERTa-base", paper["BOS&EOS"], "paper"),
                make_row("the paper's RoBERTa-base, ends of sentences alone", paper["EOS-Only"],
                          "paper"),
            ])),
        ],
    )  # fmt: skip


def draw_everyday(published: Published) -> Chart:
    """Draw the exact sentences in everyday texts."""
    title = "How many sentences are found exactly in everyday texts?"
    return _draw_documents(published, title, {"as is": ""})


def draw_punctuation(published: Published) -> Chart:
    """Draw the same, for texts without punctuation."""
    return _draw_documents(
        published,
        "What happens without final punctuation?",
        {
            "end_marks": "Without the marks at the ends of sentences",
            "punctuation": "Without any punctuation",
        },
    )


def _draw_documents(published: Published, title: str, layouts: Mapping[str, str]) -> Chart:
    results = published["documents"]

    def read(system: str, layout: str, metric: str) -> list:
        return results.values(system, metric, {"set": "everyday", "layout": layout})

    n = next(iter(read("ours", "as is", "documents")), 0)
    return Chart(
        title=title,
        about=(
            f"F1 of sentences with both ends right, in {n:.0f} everyday texts (mails, chats, "
            f"forms, recipes). Our models: mean of 3 seeds; {BARS}"
        ),
        n=f"{n:.0f} texts, 3 seeds",
        panels=[
            Panel(
                heading,
                rank(
                    make_entry(label, read(system, layout, "su_f"), role)
                    for system, (label, role) in SPLITTERS.items()
                    if read(system, layout, "su_f")
                ),
                limits=(0, 100),
            )
            for layout, heading in layouts.items()
        ],
    )


def draw_brown(published: Published) -> Chart:
    """Draw the success of the strategies of 1994."""
    results = published["strategies"]
    n = results.values("sentences that end in a period", "here", {"table": "corpus"})[0]
    sides: Names = {"as the paper counts": ("ours", "ours"), "paper": ("the paper", "paper")}
    rows = [
        make_entry(f"{who}: {title}", results.values(system, metric, {"table": "success"}), role)
        for system, title in STRATEGIES.items()
        for metric, (who, role) in sides.items()
    ]
    return Chart(
        title="How many sentences of Brown end at the right period?",
        about=f"By what is known about abbreviations. {n:,.0f} sentences, counted as in the paper.",
        n=f"{n:,.0f} sentences",
        panels=[Panel("", rank(rows))],
    )


def draw_boundaries(published: Published) -> Chart:
    """Draw the boundaries that the rules and other splitters find."""
    results = published["sentence_peers"]
    n = results.values("accuracy, Brown", "boundaries")[0]
    return Chart(
        title="How many boundaries do rules find?",
        about="F1 of boundaries between sentences. No system learns from these texts.",
        n=f"{n:,} boundaries",
        panels=[
            Panel(
                heading,
                rank(
                    make_entry(label, results.values(f"accuracy, {corpus}, systems, {name}", "f1"),
                               role)
                    for name, (label, role) in RULES.items()
                ),
            )
            for corpus, heading in {
                "Brown": "Brown (edited English)",
                "noisy texts": "Noisy texts, written for this benchmark (lines may be wrapped)",
            }.items()
        ],
    )  # fmt: skip
