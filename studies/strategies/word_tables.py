"""The tables of section 4 that compare lists of words with those of the paper.

corpus, knowledge of the strategies, their outcomes -> `tables.Table`s
"""

from collections import Counter
from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from studies.strategies import paper_figures as paper
from studies.strategies.experiments import Corpus, Knowledge, Outcome
from studies.strategies.tables import N_WORDS, Cell, Table, list_words


def table_titles(found: Corpus, knowledge: Knowledge) -> Table:
    """Make the table of the titles found in the corpus (section 4.2.2)."""
    counts = found.counts
    titles = knowledge.learned.titles
    wrong = sorted(titles - set(found.abbreviations))
    rows: list[list[Cell]] = [
        ["found", len(titles), len(paper.TITLES)],
        ["of these no abbreviations", len(wrong), 0],
        ["in both lists", len(titles & paper.TITLES), None],
    ]

    once = {word for word in counts.before_names if not counts.bare[word]}

    def reason(word: str) -> str:
        if not counts.dotted[word]:
            return "not in this corpus"
        if counts.bare[word]:
            return f"{counts.bare[word]} without a period"
        return f"before two capitalised strings {counts.before_names[word]}"

    missing = [f"{word} ({reason(word)})" for word in sorted(paper.TITLES - titles)]
    more = sorted(titles - paper.TITLES - set(wrong))
    notes = [
        f"Found: {', '.join(sorted(titles)) or 'none'}.",
        f"In the paper, but not found: {', '.join(missing) or 'none'}.",
        f"Found, but not in the paper: {', '.join(more) or 'none'}. Not abbreviations: "
        f"{', '.join(wrong) or 'none'}.",
        '"Followed at least twice in the corpus by a two capitalized string" is implemented '
        "literally, as two or more occurrences before two capitalised strings. One occurrence "
        f"would find {len(once & paper.TITLES)} titles of the paper's list, but also "
        f"{len(once - set(found.abbreviations))} names that end sentences. It is not known why the "
        "paper has words that occur there once, but no such names.",
    ]
    return Table("titles", "Titles from the corpus (4.2.2)", ["", "here", "paper"], rows, notes)


def table_unmatched(outcomes: Mapping[str, Outcome]) -> Table:
    """Make the table of the abbreviations without the structure of one (section 4.2.1)."""
    missed = outcomes["structure"].missed_words
    # The paper's list has months and states only as two classes.
    printed = paper.UNMATCHED | (set(missed) & (paper.MONTHS | paper.STATES))
    rows, (both, here, there) = _compare_lists(missed, printed)
    notes = [
        f"In both, with months and states, which the paper does not list individually: {both}.",
        f"Only here: {list_words(here, 2 * N_WORDS)}.",
        f"Only in the paper: {there}.",
    ]
    title = "Different words that match no regular expression (4.2.1)"
    return Table("unmatched", title, ["", "here", "paper"], rows, notes)


def table_unrecognised(found: Corpus, outcomes: Mapping[str, Outcome]) -> Table:
    """Make the table of the words that the corpus filter does not recognise (section 4.2.2)."""
    missed = outcomes["corpus, without titles"].missed_words
    rows, (both, here, there) = _compare_lists(missed, paper.UNRECOGNISED)
    more = sorted(here, key=lambda word: (-here[word], word))
    bare = [
        f"{word} {here[word]} ({found.counts.bare[word]} without a period)"
        if found.counts.bare[word]
        else f"{word} {here[word]}"
        for word in more[: 2 * N_WORDS]
    ]
    notes = [
        f"In both: {both}.",
        f"Only here: {', '.join(bare) or 'none'}{', ...' if len(more) > len(bare) else ''}. "
        "If a string occurs without its period once, the filter drops it everywhere.",
        f"Only in the paper: {there}.",
    ]
    title = "Different words still uncaptured after the corpus filter (4.2.2)"
    return Table("unrecognised", title, ["", "here", "paper"], rows, notes)


def _compare_lists(
    missed: Counter[str], printed: AbstractSet[str]
) -> tuple[list[list[Cell]], tuple[str, Counter[str], str]]:
    """Compare words with a list of the paper.

    RETURNS: Rows of a table, and the words in both lists, only here and only in the paper.
    """
    both = Counter({word: n for word, n in missed.items() if word in printed})
    here = Counter({word: n for word, n in missed.items() if word not in printed})
    there = sorted(printed - set(missed))
    rows: list[list[Cell]] = [
        ["not recognised", len(missed), len(printed)],
        ["in both lists", len(both), None],
        ["only in one", len(here), len(there)],
    ]
    return rows, (list_words(both), here, ", ".join(there) or "none")
