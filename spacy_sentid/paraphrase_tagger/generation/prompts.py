"""Prompts of paraphrase pairs for a language model, and parsing of its answers (4.1).

pairs, rng -> "Premise: ...\\nParaphrase: ...\\n" 20 times -> any language model -> pairs

Only complete pairs of an answer count: a line "Premise: ...", then a line "Paraphrase: ...". Texts
that are cut off, or that continue on another line, are skipped and not repaired.
"""

import hashlib
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

PAIRS_PER_PROMPT = 20
PREMISE, PARAPHRASE = "Premise", "Paraphrase"

# "Premise:", also "3. Premise:", "- **Premise 3:**"
LABEL = re.compile(
    r"(premise|paraphrase)\s{0,3}#?\d{0,5}\s{0,3}(?P<after>[*_]{0,3})\s{0,3}[:：]", re.IGNORECASE
)
NUMBER = re.compile(r"(\d{1,5}[.):\]])?")
MARKS = re.compile(r"[\s>#•(*_-]+")
BOLD = ("**", "__")
# Lines without content, such as "---", "3." and "Pair 3:", after their signs are removed.
EMPTY = re.compile(r"((pair|example)?\d{1,5})?", re.IGNORECASE)
SIGNS = re.compile(r"[\W_]+")
LINE_END = re.compile(r"\r\n|\r|\n")
QUOTES = frozenset([('"', '"'), ("'", "'"), ("“", "”"), ("‘", "’"), ("«", "»"), ("`", "`")])

TextPair = tuple[str, str]


class Prompt(NamedTuple):
    """A prompt and its id."""

    id: str
    text: str


class Answer(NamedTuple):
    """The pairs in the answer of a language model."""

    pairs: list[TextPair]
    n_incomplete: int  # number of pairs that begin but are not complete


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
    pairs: Sequence[TextPair], *, n: int, rng: random.Random, size: int = PAIRS_PER_PROMPT
) -> Iterator[Prompt]:
    """Draw n prompts, each of `size` distinct pairs, as a stream.

    Raises ValueError if there are fewer pairs than `size`.
    """
    if len(pairs) < size:
        raise ValueError(f"There must be at least {size} pairs for a prompt, got {len(pairs)}.")
    width = len(str(n))
    for number in range(1, n + 1):
        yield Prompt(f"prompt-{number:0{width}}", build_prompt(rng.sample(pairs, size)))


def parse_answer(text: str, *, finished: bool = False) -> Answer:
    """Find the complete pairs of an answer.

    Numbers, list marks and bold type of labels, quotes around a text, empty lines and lines of
    signs are ignored. A text that continues on another line is not complete.

    finished: The model ended its answer itself, so the last line is complete without a line end.

    >>> parse_answer("1. Premise: It rose.\\r\\nParaphrase: \\"It grew.\\"\\r\\nPremise: He le")
    Answer(pairs=[('It rose.', 'It grew.')], n_incomplete=1)
    """
    *lines, rest = LINE_END.split(text)
    if finished:
        lines, rest = [*lines, rest], ""
    pairs: list[TextPair] = []
    n_incomplete = 0
    # A premise that waits for its paraphrase; a pair that is complete if no text follows it.
    premise, pair = "", None
    for line in lines:
        found = split_label(line)
        if found is None and not _is_empty(line):
            n_incomplete += bool(premise) or pair is not None
            premise, pair = "", None
            continue
        if pair is not None:
            pairs.append(pair)
            pair = None
        if found is None:
            continue
        is_premise, side = found
        if is_premise:
            n_incomplete += bool(premise) + (not side)
            premise = side
            continue
        if premise and side:
            pair = (premise, side)
        else:
            n_incomplete += 1
        premise = ""
    # The last line may be the beginning of a label.
    word = rest.strip().casefold()
    is_label = any(name.casefold().startswith(word) for name in (PREMISE, PARAPHRASE))
    if is_label or split_label(rest) or _is_empty(rest):
        if pair is not None:
            pairs.append(pair)
            pair = None
        n_incomplete += not (premise or _is_empty(rest))
    n_incomplete += bool(premise) or pair is not None
    return Answer(pairs, n_incomplete)


def _is_empty(line: str) -> bool:
    """Check if a line has only signs and a number."""
    return bool(EMPTY.fullmatch(SIGNS.sub("", line)))


def split_label(line: str) -> tuple[bool, str] | None:
    """Split a line into its label (True = premise, False = paraphrase) and its text.

    RETURNS: None for a line without a label.

    >>> split_label("- **Premise 3:** It rose."), split_label("Premises rose.")
    ((True, 'It rose.'), None)
    """
    match = LABEL.search(line)
    if match is None or not NUMBER.fullmatch(MARKS.sub("", line[: match.start()])):
        return None
    text = line[match.end() :].strip()
    for mark in BOLD:
        if mark in line[: match.start()] and mark not in match["after"]:
            # Bold type may end after the colon or after the text.
            text = text.removeprefix(mark) if text.startswith(mark) else text.removesuffix(mark)
    return match[1].casefold() == PREMISE.casefold(), clean_text(text)


def clean_text(text: str) -> str:
    """Normalise white space, and remove quotes that enclose the whole text.

    >>> clean_text(' "He  left." '), clean_text('"Yes," he said, "no."')
    ('He left.', '"Yes," he said, "no."')
    """
    text = _join(text)
    if len(text) > 2 and (text[0], text[-1]) in QUOTES:
        inner = text[1:-1]
        if text[0] not in inner and text[-1] not in inner:
            return inner.strip()
    return text


def _join(text: str) -> str:
    return " ".join(text.split())


def pair_key(text1: str, text2: str) -> bytes:
    """Hash a pair to 16 bytes, ignoring order, case, spaces and enclosing quotes.

    >>> pair_key("It rose.", "It grew.") == pair_key('"it grew."', "It  rose.")
    True
    """
    texts = sorted(clean_text(text).casefold() for text in (text1, text2))
    name = "\n".join(texts).encode("utf8", "surrogatepass")
    return hashlib.blake2b(name, digest_size=16).digest()
