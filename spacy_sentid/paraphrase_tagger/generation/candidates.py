"""Selection of candidate pairs from the answers of language models, or from files of pairs.

lines, blockwise -> pairs -> filters (4.1) -> tagger (4.3) -> at most theta highlighted (5.3)
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc

from ...files.fingerprint import fingerprint_files
from ...files.records import (
    BadLine,
    Line,
    bad_line,
    parse_lines,
    parse_record,
    read_lines,
    write_errors,
    write_records,
)
from ...files.resume import do_blocks, open_job
from ..corpus import UNPARAPHRASED_KEY, pair_from_doc
from ..pairs import make_pair
from .options import THETA, Filters
from .prompts import pair_key, parse_answer
from .selection import HIGHLIGHTED, is_chosen, make_filter
from .sentence_pairs import SentencePair, add_words, pair_record, parse_sentence_pair, read_string

BLOCK_LINES = 128
INCOMPLETE, PROMPT, DUPLICATE = "incomplete", "in the prompt", "duplicate"


class Selection(NamedTuple):
    """Options of `select_pairs`."""

    filters: Filters | None = Filters()  # filters for pairs without tags; None = all pass
    theta: float = THETA  # maximum share of highlighted words, by the tags of tagger or file


class SelectionReport(NamedTuple):
    """Counts of kept and dropped pairs, and of invalid lines."""

    n_kept: int
    dropped: Counter[str]  # number of pairs by reason
    n_errors: int  # number of lines skipped


class CandidateLine(NamedTuple):
    """The pairs of one line."""

    place: str
    pairs: list[SentencePair]
    dropped: Counter[str]  # number of pairs that parsing dropped, by reason


def read_candidates(paths: Iterable[Path]) -> Iterator[Line | BadLine]:
    """Read the lines of .jsonl files. Any other file is one answer of a language model."""
    for path in paths:
        if path.suffix == ".jsonl":
            yield from read_lines(path)
            continue
        try:
            answer = path.read_bytes().decode("utf8")
        except UnicodeDecodeError as error:
            yield BadLine(str(path), f"the file must be UTF-8 ({error.reason}).")
            continue
        yield Line(str(path), json.dumps({"id": path.stem, "output": answer}))


def parse_source(line: Line) -> CandidateLine:
    """Parse a line: the answer of a language model, or a single pair.

    An answer is {"id", "output"}. Pairs that repeat one of its "prompt" are dropped. With
    "finish_reason": "stop", its last line is not cut off.

    Raises ValueError with the place of the line if it is neither.
    """
    record = parse_record(line)
    if "output" not in record:
        return CandidateLine(line.place, [parse_sentence_pair(line)], Counter())
    output, prompt_text = (read_string(record, key, line.place) for key in ("output", "prompt"))
    answer = parse_answer(output, finished=record.get("finish_reason") == "stop")
    prompt = parse_answer(prompt_text, finished=True)
    known = {pair_key(*pair) for pair in prompt.pairs}
    name = str(record.get("id", line.place))
    pairs = [
        SentencePair(f"{name}.{number}", *texts, source=str(record.get("source", "")))
        for number, texts in enumerate(answer.pairs, start=1)
    ]
    new = [pair for pair in pairs if pair_key(*pair.texts) not in known]
    counts = {INCOMPLETE: answer.n_incomplete, PROMPT: len(pairs) - len(new)}
    return CandidateLine(line.place, new, +Counter(counts))


class Selector:
    """A worker that selects the pairs of each block of lines, and counts the reasons to drop."""

    def __init__(self, nlp: Language, selection: Selection, *, tags: bool) -> None:
        self.nlp = nlp
        self.selection = selection
        self.tags = tags
        self.reason_to_drop = selection.filters and make_filter(selection.filters)
        self.kept: set[bytes] = set()

    def work(self, block: Sequence[Line | BadLine], number: int) -> dict[str, Any]:
        """Process a block, and return its entry for the job."""
        errors: list[BadLine] = []
        dropped: Counter[str] = Counter()
        places: list[str] = []
        pairs: list[SentencePair] = []
        for source in parse_lines(block, parse_source):
            if isinstance(source, BadLine):
                errors.append(source)
                continue
            dropped += source.dropped
            for pair in source.pairs:
                if reason := self._first_reason(pair):
                    dropped[reason] += 1
                else:
                    pairs.append(pair)
                    places.append(source.place)
        kept = []
        for tagged, place in zip(self._tag(pairs), places, strict=True):
            if isinstance(tagged, ValueError):
                errors.append(bad_line(place, tagged))
            elif reason := self._last_reason(tagged):
                dropped[reason] += 1
            else:
                self.kept.add(pair_key(*tagged.texts))
                kept.append(pair_record(tagged))
        return {"kept": kept, "dropped": dropped, "errors": errors}

    def _first_reason(self, pair: SentencePair) -> str | None:
        if pair_key(*pair.texts) in self.kept:
            return DUPLICATE
        if pair.tags1 is None and self.reason_to_drop is not None:
            return self.reason_to_drop(*pair.texts)
        return None

    def _last_reason(self, pair: SentencePair) -> str | None:
        if not is_chosen(pair, theta=self.selection.theta):
            return HIGHLIGHTED
        return DUPLICATE if pair_key(*pair.texts) in self.kept else None

    def _tag(self, pairs: list[SentencePair]) -> list[SentencePair | ValueError]:
        if self.tags:
            return tag_pairs(self.nlp, pairs)
        return [add_words(self.nlp, pair) for pair in pairs]


def tag_pairs(nlp: Language, pairs: Sequence[SentencePair]) -> list[SentencePair | ValueError]:
    """Tag the pairs that have no tags with a pipeline that has a paraphrase tagger.

    RETURNS: For each pair, the pair with words and tags, or the error that prevents tagging.

    Raises ValueError if the pipeline does not tag pairs.
    """
    results: list[SentencePair | ValueError] = list(pairs)
    docs: list[tuple[Doc, int]] = []
    for number, pair in enumerate(pairs):
        if pair.tags1 is not None:
            continue
        try:
            sides = pair.words1 or pair.text1, pair.words2 or pair.text2
            docs.append((make_pair(nlp, *sides, pair_id=pair.id), number))
        except ValueError as error:
            results[number] = error
    for found, number in _pipe(nlp, docs):
        if isinstance(found, ValueError):
            results[number] = found
            continue
        if UNPARAPHRASED_KEY not in found.spans:
            raise ValueError(
                f"The pipeline must write doc.spans[{UNPARAPHRASED_KEY!r}], as a paraphrase tagger "
                f"does, got the components {', '.join(nlp.pipe_names) or 'none'}."
            )
        _, words1, words2, tags1, tags2, _ = pair_from_doc(found)
        results[number] = pairs[number]._replace(
            words1=words1, words2=words2, tags1=tags1, tags2=tags2
        )
    return results


def _pipe(nlp: Language, docs: list[tuple[Doc, int]]) -> Iterator[tuple[Doc | ValueError, int]]:
    """Run a pipeline on a batch of Docs. If that fails, run it on each, to find those that fail."""
    try:
        yield from list(nlp.pipe(docs, as_tuples=True))
    except ValueError:
        for doc, number in docs:
            try:
                yield nlp(doc), number
            except ValueError as error:
                yield error, number


def select_pairs(
    paths: Sequence[Path],
    output: Path,
    *,
    nlp: Language,
    selection: Selection,
    tagger: str | None = None,
    on_lines: Callable[[int], object] | None = None,
) -> SelectionReport:
    """Write the pairs of some files that pass the selection. An interrupted job is resumed.

    nlp: Pipeline that splits sentences into words and, with `tagger`, tags them.
    tagger: Name of `nlp` and its weights, if it tags the pairs without tags; None = no tagging.
    on_lines: Function that is called after each block with its number of lines.
    """
    settings = {
        "command": "paraphrase select",
        "files": fingerprint_files(paths),
        "filters": selection.filters and selection.filters._asdict(),
        "theta": selection.theta,
        "tagger": tagger,
        "lang": nlp.lang,
    }
    selector = Selector(nlp, selection, tags=tagger is not None)
    with open_job(output, settings) as job:
        # Pairs that an interrupted job kept.
        selector.kept |= {pair_key(pair["text1"], pair["text2"]) for pair in job.values("kept")}
        do_blocks(job, read_candidates(paths), selector.work, size=BLOCK_LINES, on_items=on_lines)
        dropped: Counter[str] = Counter()
        for entry in job.entries():
            dropped.update(entry["dropped"])
        n_errors = write_errors(output, job.values("errors"))
        return SelectionReport(write_records(output, job.values("kept")), dropped, n_errors)
