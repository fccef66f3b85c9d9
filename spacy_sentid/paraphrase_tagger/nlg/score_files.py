"""Score files of texts against files of references: a line each, in constant memory.

lines -> entries -> score_pairs -> journal beside the output -> a record a line; OUT.errors.jsonl

A bad line does not end the job: it is left out, and named with its reason in the file of errors.
"""

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from spacy.language import Language

from ...files.atomic import open_output
from ...files.records import (
    BadLine,
    Line,
    count_lines,
    errors_path,
    format_record,
    parse_record,
    read_lines,
)
from ...files.resume import Journal, open_journal
from .comparison import PERSPECTIVES, Side
from .evaluator import PairScore, TextPair, score_pairs

# Entries in a line of the journal. They go through the pipeline together, so that an interrupted
# job makes the same batches, and the same last digits.
BLOCK = 2048
N_DIGITS = 4
IDENTICAL = (
    "found a text that is its own reference, expected two to compare. Leave the pair out, or give "
    "--allow-identical."
)


class Entry(NamedTuple):
    """A pair of a file, or what is wrong with it."""

    place: str  # such as "hyps.txt:7"
    id: str | int
    pair: TextPair | None
    reason: str  # "" for a pair
    lines: Any  # as they stand in the files


class Outcome(NamedTuple):
    """What came of an entry: a record of its scores, or of an error."""

    record: dict[str, Any] | None
    error: dict[str, Any] | None


class Summary(NamedTuple):
    """Counts, and means of the scores that the perspective asks for."""

    n_scored: int
    n_bad: int
    means: dict[str, float]
    first_error: str  # "" if there is none


def count_entries(hyp: Path, refs: Sequence[Path]) -> int:
    """Count the lines of files that go together; ValueError if they are not as many."""
    n_hyps = count_lines([hyp], blank=True)
    for path in refs:
        n_refs = count_lines([path], blank=True)
        if n_refs != n_hyps:
            raise ValueError(
                f"Found {n_hyps:,} lines in {hyp} and {n_refs:,} in {path}, expected a reference "
                "for each text, line for line. Check for missing or empty lines."
            )
    return n_hyps


def read_text_files(hyp: Path, refs: Sequence[Path]) -> Iterator[Entry]:
    """Read texts and their references, one a line; the id is the number of the line, from 1."""
    files = [read_lines(path, blank=True) for path in (hyp, *refs)]
    for number, found in enumerate(zip(*files, strict=True), start=1):
        place = f"{hyp}:{number}"
        bad = [line for line in found if isinstance(line, BadLine)]
        texts = [line.text if isinstance(line, Line) else None for line in found]
        lines = {"hyp": texts[0], "refs": texts[1:]}
        if bad:
            yield Entry(bad[0].place, number, None, bad[0].reason, lines)
        else:
            pair = TextPair(str(texts[0]), [str(text) for text in texts[1:]], number)
            yield Entry(place, number, pair, "", lines)


def read_pair_file(path: Path) -> Iterator[Entry]:
    """Read JSON lines {"id", "hyp", "ref"}, where "ref" is a string or a list of them.

    The id of a line without one is its place.
    """
    for line in read_lines(path):
        if isinstance(line, BadLine):
            yield Entry(line.place, line.place, None, line.reason, None)
            continue
        try:
            pair = _parse_text_pair(line)
        except ValueError as error:
            reason = str(error).removeprefix(f"{line.place}: ")
            yield Entry(line.place, line.place, None, reason, line.text)
            continue
        yield Entry(line.place, pair.id, pair, "", line.text)


def _parse_text_pair(line: Line) -> TextPair:
    record = parse_record(line)
    hyp, refs, name = record.get("hyp"), record.get("ref"), record.get("id", line.place)
    refs = [refs] if isinstance(refs, str) else refs
    if (
        not isinstance(hyp, str)
        or not isinstance(refs, list)
        or not all(isinstance(ref, str) for ref in refs)
    ):
        raise ValueError(
            f'{line.place}: found keys {", ".join(record) or "none"}, expected "hyp", a string, '
            'and "ref", a string or a list of strings. Mend the line.'
        )
    if not isinstance(name, str | int) or isinstance(name, bool):
        raise ValueError(
            f'{line.place}: "id" is {str(name)[:40]}, expected a string or a whole number. Mend '
            "the line."
        )
    return TextPair(hyp, refs, name)


def score_entries(
    nlp: Language, entries: Iterable[Entry], *, allow_identical: bool = False, **settings: Any
) -> Iterator[Outcome]:
    """Score entries in their order, streaming; `settings` are those of `score_pairs`.

    allow_identical: Score also a text that is one of its references, word for word.
    """
    rest = iter(entries)
    while block := list(islice(rest, BLOCK)):
        for n, entry in enumerate(block):
            if entry.pair is not None and not allow_identical and _is_identical(entry.pair):
                block[n] = entry._replace(pair=None, reason=IDENTICAL)
        # Words that the vocabulary takes up in a zone are forgotten when it ends.
        pairs = [entry.pair for entry in block if entry.pair is not None]
        with nlp.memory_zone(), closing(_score_each(nlp, pairs, settings)) as found:
            for entry in block:
                result = ValueError(entry.reason) if entry.pair is None else next(found)
                if isinstance(result, ValueError):
                    yield Outcome(None, _error_record(entry, str(result)))
                else:
                    yield Outcome(score_record(entry.id, result), None)


def _score_each(
    nlp: Language, pairs: Sequence[TextPair], settings: dict[str, Any]
) -> Generator[PairScore | ValueError, None, None]:
    """Score pairs, or say what is wrong with them.

    When the pipeline refuses a batch, its pairs are scored one at a time to find those at fault.
    """
    waiting: deque[PairScore | ValueError] = deque()
    n_done = 0
    try:
        for score in score_pairs(
            nlp, pairs, on_error=lambda _, error: waiting.append(error), **settings
        ):
            waiting.append(score)
            while waiting:
                n_done += 1
                yield waiting.popleft()
        n_done += len(waiting)
        yield from waiting
    except ValueError:
        waiting.clear()
    for pair in pairs[n_done:]:
        try:
            waiting += score_pairs(nlp, [pair], **{**settings, "n_process": 1})
        except ValueError as error:
            waiting.append(error)
        yield waiting.popleft()


def _is_identical(pair: TextPair) -> bool:
    refs = [pair.refs] if isinstance(pair.refs, str) else pair.refs
    words = pair.hyp.split()
    return bool(words) and any(words == ref.split() for ref in refs)


def _error_record(entry: Entry, reason: str) -> dict[str, Any]:
    return {"place": entry.place, "id": entry.id, "reason": reason, "lines": entry.lines}


def score_record(name: str | int, score: PairScore) -> dict[str, Any]:
    """Make the record of a score, in characters of the texts.

    With several references, "refs" has the scores against each, and "best" tells which of them
    (from 0) the spans and words are about.
    """
    best = score.comparisons[score.best]
    refs = [score.pair.refs] if isinstance(score.pair.refs, str) else score.pair.refs
    record: dict[str, Any] = {"id": name}
    record |= {side: _round(getattr(score, side)) for side in (*PERSPECTIVES, "score")}
    if len(refs) > 1:
        record["refs"] = [
            {side: _round(getattr(one, side)) for side in PERSPECTIVES} for one in score.comparisons
        ]
        record["best"] = score.best
    for side, text, found in (
        ("hyp", score.pair.hyp, best.hyp), ("ref", refs[score.best], best.ref)
    ):  # fmt: skip
        record |= _side_record(side, text, found)
    return record


def _side_record(name: str, text: str, side: Side) -> dict[str, Any]:
    spans = [
        {
            "start_char": span.start_char,
            "end_char": span.end_char,
            "text": text[span.start_char : span.end_char],
            "score": _round(span.score),
        }
        for span in side.spans
    ]
    # Short, as there are many: text, start_char, end_char, support.
    words = [
        [text[word.start_char : word.end_char], *word[:2], _round(word.support)]
        for word in side.words
    ]
    return {f"{name}_spans": spans, f"{name}_words": words}


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, N_DIGITS)


def summarise(outcomes: Iterable[Outcome]) -> Summary:
    """Count outcomes and average their scores."""
    n_scored = n_bad = 0
    totals = dict.fromkeys(PERSPECTIVES, 0.0)
    first_error = ""
    for record, error in outcomes:
        if record is not None:
            n_scored += 1
            totals = {
                name: total + record[name]
                for name, total in totals.items()
                if record[name] is not None
            }
        elif error is not None:
            first_error = first_error or f"{error['place']}: {error['reason']}"
            n_bad += 1
    means = {name: total / max(n_scored, 1) for name, total in totals.items()}
    return Summary(n_scored, n_bad, means if n_scored else {}, first_error)


def write_scores(
    outcomes_of: Callable[[int], Iterator[Outcome]], output: Path, *, settings: dict[str, Any]
) -> Summary:
    """Write records and errors, in one step when all are there; an interrupted job goes on.

    outcomes_of: Makes the outcomes from entry n on; called with the number of those that the
        journal has.
    settings: What the outcomes depend on. Raises ValueError if a journal was begun with others.
    """
    with open_journal(output, settings) as journal:
        n_done = sum(len(entry["outcomes"]) for entry in journal.entries())
        outcomes = outcomes_of(n_done)
        while block := list(islice(outcomes, BLOCK)):
            journal.add({"outcomes": block})
        return summarise(_write_outcomes(_read_outcomes(journal), output))


def _read_outcomes(journal: Journal) -> Iterator[Outcome]:
    for entry in journal.entries():
        for outcome in entry["outcomes"]:
            yield Outcome(*outcome)


def _write_outcomes(outcomes: Iterable[Outcome], output: Path) -> Iterator[Outcome]:
    """Write records and errors, and hand the outcomes on.

    A file of errors that nothing is written to goes, if there was one; an output stays.
    """
    with ExitStack() as stack:
        files: dict[Path, TextIO] = {}
        for outcome in outcomes:
            path = errors_path(output) if outcome.record is None else output
            if path not in files:
                files[path] = stack.enter_context(open_output(path))
            files[path].write(format_record(outcome.record or outcome.error or {}) + "\n")
            yield outcome
    if errors_path(output) not in files:
        errors_path(output).unlink(missing_ok=True)
