"""The experiment of section 2: typeset a text, join its hyphenated words, and count the errors.

paragraphs -> lines with words hyphenated at their ends -> joined text -> compared with the original

Lines are filled like in nroff, i.e. greedily up to 65 columns. A word with hyphens is only split
after a hyphen, where joining can go wrong. Other words are split where patterns (pyphen) allow it.
"""

import importlib.util
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from spacy_sentid.rule_sentencizer.counts import MARKS, SIGNS
from spacy_sentid.rule_sentencizer.filters import join_hyphens
from studies.strategies import paper_figures as paper
from studies.strategies.gold import GoldText
from studies.strategies.tables import Cell, Table

NROFF_COLUMNS = 65
N_EXAMPLES = 12
RIGHT, WRONG, APART = "right", "wrong", "apart"
_LETTERS = re.compile(r"[^\W\d_]+")
_HYPHENATED = re.compile(r"[^\W\d_]-$")
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")

Hyphenate = Callable[[str], Sequence[int]]


class Joining(NamedTuple):
    """Counts of the words that were hyphenated at line ends."""

    n_lines: int
    n_hyphens: int  # lines that end in a letter and a hyphen
    right: int
    wrong: int  # joined words that differ from the original
    apart: int  # words not joined, because there is no small letter before the hyphen
    examples: list[str]  # the most frequent wrong words

    @property
    def error_rate(self) -> float:
        """Share of the joined words that are wrong, in [0, 1]."""
        joined = self.right + self.wrong
        return self.wrong / joined if joined else 0.0


def check_patterns() -> None:
    """Check if pyphen is installed. Raise ValueError if it is not."""
    if importlib.util.find_spec("pyphen") is None:
        raise ValueError(
            "Hyphenation needs pyphen, which is not installed. Install it with "
            "'pip install spacy-sentid[strategies]', or use --no-typesetting."
        )


def make_hyphenate(lang: str = "en_US") -> Hyphenate:
    """Make a function that finds where patterns split a word. Requires the extra "strategies".

    >>> make_hyphenate()("experiment")
    [2, 5, 6]
    """
    check_patterns()
    import pyphen

    positions: Hyphenate = pyphen.Pyphen(lang=lang).positions
    return positions


def list_paragraphs(texts: Iterable[GoldText]) -> Iterator[str]:
    """Yield the paragraphs of texts. Text after the last paragraph end is another paragraph."""
    for gold in texts:
        start = 0
        for end in [*gold.para_ends, len(gold.text)]:
            if paragraph := gold.text[start:end].strip():
                yield paragraph
            start = end


def fill_lines(text: str, hyphenate: Hyphenate, *, columns: int = NROFF_COLUMNS) -> Iterator[str]:
    """Fill lines with the words of a paragraph, and split words at line ends where possible.

    A word that is longer than a line and cannot be split is on a separate line.

    >>> list(fill_lines("a small-town experiment", make_hyphenate(), columns=10))
    ['a small-', 'town ex-', 'periment']
    """
    line = ""
    for word in text.split():
        while True:
            start = f"{line} " if line else ""
            if len(start) + len(word) <= columns:
                line = start + word
                break
            room = columns - len(start)
            fitting = [split for split in split_word(word, hyphenate) if len(split[0]) <= room]
            if fitting:
                head, word = fitting[-1]
                yield start + head
                line = ""
            elif line:
                yield line
                line = ""
            else:
                line = word
                break
    if line:
        yield line


def split_word(word: str, hyphenate: Hyphenate) -> list[tuple[str, str]]:
    """List the ways to split a word from left to right, as (part with hyphen, remaining part).

    >>> split_word('"small-town"', make_hyphenate())
    [('"small-', 'town"')]
    >>> split_word("(experiment),", make_hyphenate())
    [('(ex-', 'periment),'), ('(exper-', 'iment),'), ('(experi-', 'ment),')]
    """
    if "-" in word:
        ends = [match.end() for match in re.finditer(r"(?<=[^\W_])-(?=[^\W_])", word)]
        return [(word[:end], word[end:]) for end in ends]
    letters = _LETTERS.search(word)
    if letters is None:
        return []
    ends = [letters.start() + position for position in hyphenate(letters[0])]
    return [(f"{word[:end]}-", word[end:]) for end in ends]


def join_lines(
    paragraphs: Iterable[str], lines: Sequence[Sequence[str]], *, lexicon: frozenset[str] | None
) -> Joining:
    """Join the words of typeset paragraphs with `filters.join_hyphens`, and count the errors.

    lines: Lines of each paragraph.
    lexicon: See `join_hyphens`. None is the filter of the paper.
    """
    kinds: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    for text, filled in zip(paragraphs, lines, strict=True):
        joined = join_hyphens("\n".join(filled), lexicon=lexicon).text
        for kind, word in compare_words(text.split(), joined.split()):
            # The paper does not count lines that end in a digit and a hyphen.
            kinds[kind] += kind == WRONG or _HYPHENATED.search(word.split()[0]) is not None
            if kind == WRONG:
                wrong[word.strip(f"{SIGNS}{MARKS}.")] += 1
    ends = [line for filled in lines for line in filled[:-1] if _HYPHENATED.search(line)]
    n_lines = sum(map(len, lines))
    return Joining(
        n_lines=n_lines,
        n_hyphens=len(ends),
        right=len(ends) - kinds[WRONG] - kinds[APART],
        wrong=kinds[WRONG],
        apart=kinds[APART],
        examples=[word for word, _ in wrong.most_common(N_EXAMPLES)],
    )


def compare_words(gold: Sequence[str], found: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Compare words with the original, and yield (WRONG or APART, word) for each difference.

    >>> gold = ["a", "small-town", "AFL-CIO", "b"]
    >>> list(compare_words(gold, ["a", "smalltown", "AFL-", "CIO", "b"]))
    [('wrong', 'smalltown'), ('apart', 'AFL- CIO')]
    """
    i = j = 0
    while i < len(gold) and j < len(found):
        ours, theirs = [gold[i]], [found[j]]
        i, j = i + 1, j + 1
        # A word may be split or joined, so collect words until both sides have the same letters.
        while missing := _count_signs(ours) - _count_signs(theirs):
            if missing > 0 and j < len(found):
                theirs.append(found[j])
                j += 1
            elif missing < 0 and i < len(gold):
                ours.append(gold[i])
                i += 1
            else:
                break
        if ours != theirs:
            yield (APART if len(theirs) > len(ours) else WRONG), " ".join(theirs)


def _count_signs(words: Sequence[str]) -> int:
    """Count the characters that are not hyphens."""
    return sum(len(word) - word.count("-") for word in words)


def list_whole_words(lines: Iterable[Sequence[str]]) -> frozenset[str]:
    """List the words of typeset lines that are not split, as a lexicon for joining.

    Capitalised words are omitted if the lower-case word also occurs.

    >>> sorted(list_whole_words([["The big ex-", "periment on the", "well-known law."]]))
    ['big', 'law', 'on', 'the', 'well-known']
    """
    words: set[str] = set()
    for filled in lines:
        split_before = False
        for line in filled:
            strings = line.split()[split_before:]
            split_before = _HYPHENATED.search(line) is not None
            for string in strings[: len(strings) - split_before]:
                words.update(_WORD.findall(string))
    return frozenset(word for word in words if word.islower() or word.lower() not in words)


def table_joining(plain: Joining, better: Joining, *, is_brown: bool) -> Table:
    """Make the table of section 2, with the paper's figures.

    plain, better: Results of the paper's filter, and with the lexicon of `list_whole_words`.
    is_brown: Add the notes that are only true for Brown.
    """
    rows: list[list[Cell]] = [
        ["lines", plain.n_lines, better.n_lines, paper.LINES],
        ["end in a letter and a hyphen", plain.n_hyphens, better.n_hyphens, paper.HYPHENATED_LINES],
        ["joined right", plain.right, better.right, paper.JOINED_RIGHT],
        ["joined wrong", plain.wrong, better.wrong, paper.JOINED_WRONG],
        ["not joined", plain.apart, better.apart, None],
    ]  # fmt: skip
    printed = paper.JOINED_WRONG / (paper.JOINED_RIGHT + paper.JOINED_WRONG)
    notes = [
        f"Wrong: {100 * plain.error_rate:.1f} % of the joined words, "
        f"{100 * better.error_rate:.1f} % with the lexicon, {100 * printed:.1f} % in the paper."
    ]
    if is_brown:
        notes.append(
            "More lines end in a hyphen than in the paper, because modern patterns split more "
            "words than nroff did in 1994. Errors come from words that have hyphens, so their "
            "number is similar and their share is lower. GNU nroff 1.22.4 typesets the same "
            "paragraphs as 100,663 lines, 18,235 of them with a hyphen, and the filter makes 495 "
            "errors."
        )
    notes += [
        "Not joined: words with a capital before the hyphen, such as AFL-CIO. Figure 3 requires a "
        "small letter. The paper has no such words, because its two kinds add up.",
        "With lexicon: words that are not split elsewhere in the typeset text decide which hyphens "
        "stay. The paper says that one could test each case with a dictionary.",
        f"Wrong: {', '.join(plain.examples) or 'none'}.",
        f"Wrong with lexicon: {', '.join(better.examples) or 'none'}.",
    ]
    header = ["", "here", "with lexicon", "paper"]
    return Table("typesetting", "Joining hyphenated words (2)", header, rows, notes)
