"""Selection of candidate pairs from the answers of language models, or from files of pairs.

lines -> pairs -> filters (4.1) -> tagger (4.3) -> at most theta highlighted (5.3)
"""

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from spacy.language import Language

from ...extras import require_extra
from ...files import records as files
from ...files.fingerprint import fingerprint_files
from ...files.records import BadLine, Line
from ...files.resume import JobReport, write_job
from ..corpus import pair_from_doc
from ..pairs import make_pair
from .options import THETA
from .prompts import pair_key, parse_answer
from .sentence_pairs import SentencePair, pair_record, parse_sentence_pair, read_string

PART_LINES = 128  # the work on at most this many lines is lost by an interruption
SHORT, LENGTHS = "too short", "lengths too different"
LOW_BLEU, HIGH_BLEU, HIGHLIGHTED = "BLEU too low", "BLEU too high", "highlighted"
# The filters of section 4.1: the range of BLEU of a pair, from 0 to 100, both ends excluded, and
# the minimum number of characters of a sentence.
MIN_BLEU, MAX_BLEU = 5.0, 20.0
MIN_CHARS = 10
MAX_LENGTH_RATIO = 2.5  # words of the longer sentence / words of the other, must be below this


def parse_source(line: Line) -> list[SentencePair]:
    """Parse a line: the answer of a language model, or a single pair.

    An answer is {"id", "output"}. Pairs that repeat one of its "prompt" are dropped. Raises
    ValueError with the place of the line if it is neither.
    """
    record = files.parse_record(line)
    if "output" not in record:
        return [parse_sentence_pair(line)]
    output, prompt = (read_string(record, key, line.place) for key in ("output", "prompt"))
    known = {pair_key(*pair) for pair in parse_answer(prompt)}
    name = str(record.get("id", line.place))
    return [
        SentencePair(f"{name}.{number}", *texts)
        for number, texts in enumerate(parse_answer(output), start=1)
        if pair_key(*texts) not in known
    ]


def make_filter() -> Callable[[str, str], str | None]:
    """Make a function that returns the reason to drop a pair, or None to keep it.

    BLEU depends on which sentence is the reference, and in a pair neither is. So it is the mean of
    both directions of sacrebleu's `sentence_bleu`.

    >>> reason_to_drop = make_filter()
    >>> reason_to_drop("It rose.", "It grew.")
    'too short'
    """
    with require_extra("BLEU", extra="nlg"):
        from sacrebleu import sentence_bleu

    def reason_to_drop(text1: str, text2: str) -> str | None:
        if min(len(text1.strip()), len(text2.strip())) < MIN_CHARS:
            return SHORT
        shorter, longer = sorted(len(text.split()) for text in (text1, text2))
        if longer >= MAX_LENGTH_RATIO * shorter:
            return LENGTHS
        both = sentence_bleu(text1, [text2]), sentence_bleu(text2, [text1])
        score = sum(found.score for found in both) / 2
        if score <= MIN_BLEU:
            return LOW_BLEU
        return HIGH_BLEU if score >= MAX_BLEU else None

    return reason_to_drop


def highlighted_share(*tags: list[int] | None) -> float:
    """Compute the share of highlighted words (5.3) in one or more texts, 0 to 1; 0 without tags.

    >>> highlighted_share([0, 1], [0, 0]), highlighted_share(None)
    (0.25, 0.0)
    """
    found = [tag for side in tags for tag in side or []]
    return sum(found) / len(found) if found else 0.0


def tag_pairs(nlp: Language, pairs: Sequence[SentencePair]) -> list[SentencePair | ValueError]:
    """Tag the pairs that have no tags with a pipeline that has a paraphrase tagger.

    RETURNS: For each pair, the pair with words and tags, or the error that prevents tagging.
    """
    found: list[SentencePair | ValueError] = list(pairs)
    new = [pair for pair in pairs if pair.tags1 is None]
    try:
        docs = [make_pair(nlp, p.words1 or p.text1, p.words2 or p.text2, pair_id=p.id) for p in new]
        tagged = iter([pair_from_doc(doc) for doc in nlp.pipe(docs)])
    except ValueError as error:
        if len(pairs) == 1:
            return [error]
        # Find the pairs that fail.
        return [tag_pairs(nlp, [pair])[0] for pair in pairs]
    for number, pair in enumerate(pairs):
        if pair.tags1 is None:
            _, words1, words2, tags1, tags2, _ = next(tagged)
            found[number] = SentencePair(pair.id, *pair.texts, words1, words2, tags1, tags2)
    return found


def select_pairs(
    paths: Sequence[Path],
    output: Path,
    *,
    nlp: Language | None = None,
    tagger: str | None = None,
    theta: float = THETA,
    is_filtered: bool = True,
    on_lines: Callable[[int], object] | None = None,
) -> JobReport:
    """Write the pairs of some files that pass the selection. An interrupted job is resumed.

    nlp: Pipeline that tags the pairs without tags; None = do not tag them.
    tagger: Name of `nlp` and its weights.
    theta: Maximum share of highlighted words, by the tags of the tagger or the file.
    is_filtered: Apply the filters of section 4.1 to the pairs without tags.
    on_lines: Function that is called after some lines with their number.
    """
    settings = {"files": fingerprint_files(paths), "tagger": tagger, "theta": theta}
    reason_to_drop = make_filter() if is_filtered else None

    def work(lines: Sequence[Line | BadLine]) -> dict[str, Any]:
        dropped: Counter[str] = Counter()
        records: list[dict[str, Any]] = []
        found = list(files.parse_lines(lines, parse_source))
        errors = [item for item in found if isinstance(item, BadLine)]
        pairs = []
        for pair in chain.from_iterable(item for item in found if isinstance(item, list)):
            reason = reason_to_drop(*pair.texts) if reason_to_drop and pair.tags1 is None else None
            if reason is None:
                pairs.append(pair)
            else:
                dropped[reason] += 1
        for pair, tagged in zip(pairs, tag_pairs(nlp, pairs) if nlp else pairs, strict=True):
            if isinstance(tagged, ValueError):
                errors.append(BadLine(pair.id, str(tagged)))
            elif highlighted_share(tagged.tags1, tagged.tags2) > theta:
                dropped[HIGHLIGHTED] += 1
            else:
                records.append(pair_record(tagged))
        return {"records": records, "n_kept": len(records), "dropped": dropped, "errors": errors}

    return write_job(
        output,
        {**settings, "is_filtered": is_filtered},
        chain.from_iterable(map(files.read_lines, paths)),
        work,
        size=PART_LINES,
        key=lambda pair: pair_key(pair["text1"], pair["text2"]),
        on_items=on_lines,
    )
