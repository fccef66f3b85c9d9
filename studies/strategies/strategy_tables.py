"""The tables of section 4 with the paper's figures, and notes that explain the differences.

corpus, outcomes of the strategies -> `tables.Table`s

Some notes are only true for this edition of Brown. They are shown only if the counts match it.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from spacy_sentid.rule_sentencizer.counts import TOLERANCE
from spacy_sentid.rule_sentencizer.strategies import has_structure
from studies.strategies import paper_figures as paper
from studies.strategies.experiments import (
    PLACE_HOLDERS,
    Corpus,
    Knowledge,
    Outcome,
    Step,
    list_variants,
    measure,
    measure_classes,
)
from studies.strategies.gold import ABBREVIATION, BOTH, FULL_STOP, OTHER
from studies.strategies.tables import Cell, Table, list_words
from studies.strategies.word_tables import table_titles, table_unmatched, table_unrecognised

LISTED = "lexicon+abbreviations, the paper's list"
EDITION = (
    "The paper used another edition of Brown. Its numbers of sentences, abbreviations and "
    "following characters differ by a few percent, as the first table shows."
)


def make_tables(
    found: Corpus, knowledge: Knowledge, outcomes: Mapping[str, Outcome], *, steps: Sequence[Step]
) -> list[Table]:
    """Make all tables of section 4 in the order of the paper, and then the summary."""
    return [
        table_corpus(found),
        table_classes(found, outcomes),
        table_unmatched(outcomes),
        table_likely(found, knowledge, outcomes),
        table_titles(found, knowledge),
        table_unrecognised(found, outcomes),
        table_steps(outcomes, steps, is_brown=found.is_brown()),
        table_success(found, knowledge, outcomes),
    ]


def table_corpus(found: Corpus) -> Table:
    """Make the table of the periods of the corpus (sections 4 and 4.2)."""
    kinds = found.count_kinds()
    inside = {gold.sentence for gold in found.periods if gold.kind == ABBREVIATION}
    distinct = {gold.period.word for gold in found.periods if gold.kind in (ABBREVIATION, BOTH)}
    initial = sum(gold.period.word[0].isalpha() for gold in found.periods)
    rows: list[list[Cell]] = [
        ["sentences that end in a period", kinds[FULL_STOP] + kinds[BOTH], paper.SENTENCES],
        ["sentences with another period", len(inside), paper.SENTENCES_WITH_INNER_PERIOD],
        ["word-ending periods", len(found.periods), paper.PERIOD_TERMINATED],
        ["of these after a word that begins with a letter", initial, paper.LETTER_INITIAL],
        ["periods of abbreviations", kinds[ABBREVIATION] + kinds[BOTH], paper.ABBREVIATIONS],
        ["different abbreviations", len(distinct), paper.DISTINCT_ABBREVIATIONS],
        ["periods that are both", kinds[BOTH], None],
        ["periods that are neither", kinds[OTHER], None],
    ]
    editions = "The paper's figures are for Brown. This is another corpus, or another edition."
    neither = "periods inside sentences after words that are not in the list of abbreviations"
    if found.is_brown():
        editions = "The editions differ."
        neither = (
            "numbers, words that the tagged corpus tokenizes differently (lb./cu.), and places "
            "where it does not end a sentence"
        )
    notes = [
        f"{editions} The paper reports 48,885 sentences in section 4 and 48,805 in section 4.2. "
        "Neither count includes sentences that end in other marks.",
        "A period inside a sentence belongs to an abbreviation if its word is in the list of "
        "abbreviations. At sentence ends, a word is an abbreviation as often as its count in the "
        "list exceeds its occurrences inside sentences. So the list distinguishes "
        '"Jackson, Miss." from "young Miss.".',
        f"Neither: {neither}. The tables below do not include them.",
    ]
    return Table("corpus", "The corpus (4, 4.2)", ["", "here", "paper"], rows, notes)


def table_classes(found: Corpus, outcomes: Mapping[str, Outcome]) -> Table:
    """Make the table of the three classes (section 4.2.1)."""
    whole = outcomes["structure"]
    rows: list[list[Cell]] = []
    measured = measure_classes(found)
    entries = [(name, outcome, paper.CLASSES[name]) for name, outcome in measured.items()]
    for name, outcome, printed in [*entries, ("totals", whole, paper.CLASS_TOTALS)]:
        rows.append([name])
        for ours, theirs in zip(
            (outcome.correct, outcome.errors, outcome.full_stops), printed, strict=True
        ):
            rows[-1] += [ours, theirs]
    formulas = Counter({word: whole.error_words[word] for word in sorted(PLACE_HOLDERS)})
    letters = Counter({word: n for word, n in whole.error_words.items() if len(word) == 1})
    others = whole.error_words - formulas - letters
    bare = outcomes["structure, without place-holders"]
    reason = ""
    notes = []
    if found.is_brown():
        reason = (
            "variables in mathematical texts, list numbers that are separate sentences in this "
            "edition, "
        )
        notes.append(
            f"{formulas.total():,} errors are placeholders for formulas ({list_words(formulas)}). "
            "In this edition they are at sentence ends, and they have the structure of the third "
            f"class. Without them, success is {100 * bare.success:.1f}."
        )
    notes += [
        f"{letters.total():,} errors are letters: {reason}{list_words(letters, 6)}. The other "
        f"{others.total():,} errors are: {list_words(others, 6)}.",
        "The text of the paper says that the first class has only capitals. Its table also has "
        "small letters, and so does this one.",
    ]
    header = ["regular expression", "correct", "paper", "errors", "paper", "full stop", "paper"]
    return Table("structure", "No lexicon: structure alone (4.2.1)", header, rows, notes)


def table_likely(found: Corpus, knowledge: Knowledge, outcomes: Mapping[str, Outcome]) -> Table:
    """Make the table of likely abbreviations and of the corpus as a filter (section 4.2.2)."""
    known, counts = found.abbreviations, found.counts
    likely = set(counts.likely)
    validated = knowledge.learned.likely
    capitals = knowledge.capitals.likely
    plain, titled = outcomes["corpus, without titles"], outcomes["corpus"]
    structural = measure(found.periods, lambda period: has_structure(period.word))
    wrong = sorted(validated - set(known))
    structures = sum(has_structure(word) for word in likely & set(known))
    before_digits = {gold.period.word for gold in found.periods if gold.period.follow[:1].isdigit()}
    numbers = len((likely - set(known)) & before_digits)
    is_brown = found.is_brown()
    reason = ", because list numbers are at the start of sentences here" if is_brown else ""
    rows: list[list[Cell]] = [
        ["likely: correct (unique)", len(likely & set(known)), paper.LIKELY[0]],
        ["likely: errors", len(likely - set(known)), paper.LIKELY[1]],
        ["never without period: correct", len(validated & set(known)), paper.LIKELY_VALIDATED[0]],
        ["never without period: errors", len(wrong), paper.LIKELY_VALIDATED[1]],
        ["and any capitalised string: correct", len(capitals & set(known)), None],
        ["and any capitalised string: errors", len(capitals - set(known)), None],
        ["periods of abbreviations not recognised", plain.missed, paper.CORPUS_MISSED],
        ["joined sentences, counted as the paper does", _joined(plain, structural),
         paper.CORPUS_JOINED],
        ["joined sentences, all", plain.errors + plain.full_stops, None],
        ["with titles: not recognised", titled.missed, paper.TITLES_MISSED],
        ["with titles: wrong, counted as the paper does",
         titled.missed + _joined(titled, structural), paper.TITLES_WRONG],
    ]  # fmt: skip
    notes = [
        "Likely, as in the table of the paper: followed by a comma, a question mark, or a blank "
        "and a small letter or digit. The text of the paper adds any capitalised string. But this "
        'would include "Mrs.", which it lists as not recognised, so its figures are those of the '
        "table. The text also has 138 correct and 54 errors instead of 155 and 81.",
        f"{structures:,} of the correct ones are structures such as U.S., which the paper may have "
        f"counted separately. {numbers:,} errors are before a digit{reason}.",
        f"Wrong after the filter: {', '.join(wrong) or 'none'}. In the paper: light-hearted.",
        "The paper counts as joined sentences the full stops of the two structures and the errors "
        "of likely abbreviations (14 + 63 + 1). It does not count the errors of single capitals, "
        'and the full stops of validated strings such as "etc.". Here, there are '
        f"{plain.errors:,} errors and {plain.full_stops:,} full stops in total. The paper's "
        "909 + 78 is 987, not 986.",
    ]
    return Table(
        "likely", "No lexicon, corpus as filter (4.2.2)", ["", "here", "paper"], rows, notes
    )


def _joined(outcome: Outcome, structural: Outcome) -> int:
    """Count joined sentences as in section 4.2.2."""
    errors = sum(n for word, n in outcome.error_words.items() if not has_structure(word))
    return structural.full_stops + errors


def table_steps(outcomes: Mapping[str, Outcome], steps: Sequence[Step], *, is_brown: bool) -> Table:
    """Make the table of the six steps (section 4.2.3)."""
    outcome = outcomes["lexicon"]
    n_wrong = outcome.missed + outcome.errors
    letters = sum(outcome.missed_words[word] for word in "EGLPW")
    rows: list[list[Cell]] = []
    notes = [
        f'The paper has {paper.LEXICON_WRONG} "words incorrectly tagged", and counts each as one '
        f"wrong sentence (99.7 %). Here, {outcome.wrong_words:,} different words are wrong, at "
        f"{n_wrong:,} periods.",
    ]
    if is_brown:
        notes += [
            "The paper must count different words, because its list has E., G., L., P. and W., "
            f"which are wrong at {letters:,} periods here. Its cases of steps 3 and 4 are also "
            "different words.",
            'Step 4: "Mrs." is lost if the corpus has "Mrs" without a period even once. This '
            "edition has it, but the paper's does not. See the tolerant rows in the last table.",
        ]
    for step in steps:
        n_words, said = paper.STEPS.get(step.number, (None, None))
        name = paper.STEP_NAMES[step.number]
        rows.append([name, step.periods, step.words, step.taken, step.wrong.total(),
                     len(step.wrong), n_words, said])  # fmt: skip
        if step.wrong:
            notes.append(f"Wrong in step {step.number}: {list_words(step.wrong, 6)}.")
    header = ["step", "periods", "words", "abbreviations", "wrong", "wrong words", "paper",
              "the paper says"]  # fmt: skip
    return Table("lexicon", "Lexicon without abbreviations (4.2.3)", header, rows, notes)


def table_success(found: Corpus, knowledge: Knowledge, outcomes: Mapping[str, Outcome]) -> Table:
    """Make the summary table with the success of each strategy."""
    structural = measure(found.periods, lambda period: has_structure(period.word))
    sections = {name: strategy.section for name, strategy in list_variants(knowledge).items()}
    mrs = (
        f"Corpus: {outcomes['corpus'].missed_words['Mrs']:,} of the missed periods are in Mrs., "
        "which is one of the paper's titles. Here, it also occurs without its period "
        f"({found.counts.bare['Mrs']:,} times). "
    )
    rows: list[list[Cell]] = [
        [name, outcome.missed, outcome.errors, outcome.full_stops, outcome.success,
         paper_success(sections[name], outcome, structural), paper.SUCCESS.get(name), outcome.f1]
        for name, outcome in outcomes.items()
    ]  # fmt: skip
    notes = [
        "Success: (sentences - missed abbreviations - errors - full stops) / sentences, over all "
        "word-ending periods. As the paper counts: In 4.2.1, it counts the same. In 4.2.2, it does "
        "not count the errors of single capitals and the full stops of validated strings. In "
        "4.2.3, and probably in 4.2.4, it counts each wrong word once and no full stops. F1: F1 of "
        "the sentence ends at periods, for which abbreviations missed at a sentence end are right.",
        f"{mrs if found.is_brown() else ''}Tolerant: {TOLERANCE:.0%} of a string's occurrences may "
        "be without its period.",
        "Lexicon: the paper assumes a complete lexicon of lower-case words. Here, it has the words "
        "of the corpus, and those that end sentences in gold. Of raw text: without gold, words "
        "that occur only at sentence ends are not in the lexicon and count as abbreviations.",
        "Lexicon with abbreviations: the list printed in 4.2.4, with the months, states, Sen., "
        "fig. and no., which the text names. The list does not have Fig., Rev., Capt. and others, "
        "which are in other lists of the paper. The paper has "
        f"{paper.ABBREVIATIONS_WRONG} wrong words, and here there are "
        f"{outcomes[LISTED].wrong_words:,}. The last row uses the lists of this package.",
    ]
    if found.is_brown():
        notes.append(EDITION)
    header = ["strategy", "missed", "errors", "full stops", "success", "as the paper counts",
              "paper", "F1"]  # fmt: skip
    return Table("success", "Success of the strategies", header, rows, notes)


def paper_success(section: str, outcome: Outcome, structural: Outcome) -> float:
    """Compute success as in a section of the paper."""
    total = outcome.n_sentences
    if section == "4.2.2":
        wrong = outcome.missed + _joined(outcome, structural)
    elif section in ("4.2.3", "4.2.4"):
        wrong = outcome.wrong_words
    else:
        return outcome.success
    return (total - wrong) / total if total else 0.0
