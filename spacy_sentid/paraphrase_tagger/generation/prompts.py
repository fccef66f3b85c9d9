"""Prompts of paraphrase pairs for a language model, and parsing of its answers (4.1).

pairs, rng -> "Premise: ...\\nParaphrase: ...\\n" 20 times -> any language model -> pairs

Only complete pairs of an answer count: a line "Premise: ...", then a line "Paraphrase: ...". Texts
that are cut off, or that continue on another line, are skipped and not repaired.
"""

import random
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

PAIRS_PER_PROMPT = 20
PREMISE, PARAPHRASE = "Premise", "Paraphrase"

# "Premise:", also "3. Premise:", "- **Premise 3:**"
LABEL = re.compile(
    r"[\W_]{0,20}(?:\d{1,5}[\W_]{1,20})?(premise|paraphrase)[\s#]{0,3}\d{0,5}[\s*_]{0,5}[:：](.*)",
    re.IGNORECASE,
)
# Lines without content, such as "---", "3." and "Pair 3:", after their signs are removed.
EMPTY = re.compile(r"((pair|example)?\d{1,5})?", re.IGNORECASE)
SIGNS = re.compile(r"[\W_]+")
LINE_END = re.compile(r"\r\n|\r|\n")

TextPair = tuple[str, str]


def build_prompt(pairs: Iterable[TextPair]) -> str:
    """Write pairs into the paper's template. Line ends inside texts become spaces.

    >>> build_prompt([("It rose.", "It grew."), ("He left.", "He went away.")])
    'Premise: It rose.\\nParaphrase: It grew.\\nPremise: He left.\\nParaphrase: He went away.\\n'
    """
    return "".join(
        f"{PREMISE}: {_join(premise)}\n{PARAPHRASE}: {_join(paraphrase)}\n"
        for premise, paraphrase in pairs
    )


def draw_prompts(
    pairs: Sequence[TextPair], *, n: int, rng: random.Random
) -> Iterator[dict[str, str]]:
    """Draw n prompts {"id", "prompt"}, each of PAIRS_PER_PROMPT distinct pairs, as a stream.

    Raises ValueError if there are fewer pairs.
    """
    size = PAIRS_PER_PROMPT
    if len(pairs) < size:
        raise ValueError(f"There must be at least {size} pairs for a prompt, got {len(pairs)}.")
    width = len(str(n))
    for number in range(1, n + 1):
        prompt = build_prompt(rng.sample(pairs, size))
        yield {"id": f"prompt-{number:0{width}}", "prompt": prompt}


def parse_answer(text: str) -> list[TextPair]:
    """Find the complete pairs of an answer.

    Numbers, list marks and bold type of labels, empty lines and lines of signs are ignored. A text
    is not complete if it continues on another line, or if it has no line end.

    >>> parse_answer("1. Premise: It rose.\\r\\nParaphrase: It grew.\\r\\nPremise: He le")
    [('It rose.', 'It grew.')]
    """
    *lines, rest = LINE_END.split(text)
    begun = rest.strip().casefold()
    if any(name.casefold().startswith(begun) for name in (PREMISE, PARAPHRASE)):
        lines.append("")
    else:
        lines.append(rest)
    # (is it a premise, text) of each line; without a label, (None, its letters and digits).
    rows = [split_label(line) or (None, SIGNS.sub("", line)) for line in lines]
    ends = [label is not None or bool(EMPTY.fullmatch(text)) for label, text in rows]
    full = [n for n, (label, _) in enumerate(rows) if label is not None or not ends[n]]
    pairs = []
    for number, following in pairwise(full):
        (is_premise, premise), (is_second, paraphrase) = rows[number], rows[following]
        # The line after a complete pair has a label, too, or is empty.
        is_whole = following + 1 < len(ends) and ends[following + 1]
        if is_premise and is_second is False and premise and paraphrase and is_whole:
            pairs.append((premise, paraphrase))
    return pairs


def split_label(line: str) -> tuple[bool, str] | None:
    """Split a line into its label (True = premise, False = paraphrase) and its text.

    RETURNS: None for a line without a label.

    >>> split_label("- **Premise 3:** It rose."), split_label("Premises rose.")
    ((True, 'It rose.'), None)
    """
    match = LABEL.fullmatch(line)
    if match is None:
        return None
    return match[1].casefold() == PREMISE.casefold(), _join(match[2].strip("*_ "))


def _join(text: str) -> str:
    return " ".join(text.split())


def pair_key(text1: str, text2: str) -> tuple[str, ...]:
    """Normalise a pair, ignoring order, case and spaces, to find repetitions.

    >>> pair_key("It rose.", "It grew.") == pair_key("it grew.", "It  rose.")
    True
    """
    return tuple(sorted(_join(text).casefold() for text in (text1, text2)))
