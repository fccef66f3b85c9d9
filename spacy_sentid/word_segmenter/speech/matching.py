"""The characters of an alignment, and the pauses between them (section 2.2).

Alignment, text -> the characters of each interval -> PauseRecord; or file, tier and time of the
first interval that does not match
files of alignments -> OUT.jsonl, OUT.jsonl.errors.jsonl

A pause is the time between the end of a character and the start of the next (equation 1). Silences
(SILENCE and empty labels) and noises in brackets ([laughter], <breath>) are not characters. A word
that the aligner did not know (UNKNOWN) has an unknown number of characters, so it is an error.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...files.atomic import open_output
from ...files.records import BadLine, write_errors
from .alignments import Alignment, Interval, read_textgrid
from .pauses import PauseRecord, format_pauses, pause_gaps
from .transcripts import SpokenChar, clean_transcript, find_text

SILENCE = frozenset({"", "sil", "sp", "sp1", "silb", "sile", "pau", "pause", "#", "_", "-"})
UNKNOWN = frozenset({"spn", "<spn>", "<unk>", "[unk]", "<oov>", "[bracketed]"})
BRACKETED = re.compile(r"[\[<({].*[\])>}]")


def write_pauses(
    files: Iterable[tuple[Path, str]],
    output: Path,
    *,
    texts: dict[str, str] | None = None,
    tier: str | None = None,
) -> tuple[int, int, int]:
    """Write the pauses of alignments to a file, and invalid utterances to the file of errors.

    files: Paths and ids, as from `find_alignments`.
    texts: Transcripts by id. With them, the records have a text and offsets.
    RETURNS: Numbers of utterances, of their pauses, and of the utterances that were skipped.

    Raises ValueError if no utterance is valid. An existing output is then unchanged.
    """
    errors: list[BadLine] = []
    n_records = n_pauses = 0
    with open_output(output) as out:
        for path, id in files:
            try:
                alignment = read_textgrid(path, tier=tier, id=id)
                text = None if texts is None else find_text(id, texts, place=alignment.place())
                record = pauses_from_alignment(alignment, text)
            except ValueError as error:
                place, _, reason = str(error).removeprefix(str(path)).partition(": ")
                errors.append(BadLine(f"{path}{place}", reason))
                continue
            out.write(format_pauses(record) + "\n")
            n_records += 1
            n_pauses += len(pause_gaps(record))
        n_errors = write_errors(output, errors)
        if not n_records:
            first = f", but not {': '.join(errors[0])}" if errors else ", got nothing."
            raise ValueError(f"At least one utterance must be valid{first}")
    return n_records, n_pauses, n_errors


def pauses_from_alignment(alignment: Alignment, text: str | None = None) -> PauseRecord:
    """Find the characters of an alignment and the pauses between them.

    text: The transcript, as for `clean_transcript`. The record has its characters with offsets.
        None = the characters are those of the labels.

    Raises ValueError, with file, tier and time, if the alignment does not match the text, and if
    there is no speech.
    """
    spoken = None if text is None else clean_transcript(text)
    chars: list[str] = []
    pause_ms: list[int] = []
    before: Interval | None = None
    for interval in alignment.intervals:
        if is_silence(interval.label):
            continue
        # This many characters are enough: a digit is at most two, and a percent sign three.
        rest = spoken and spoken[len(chars) : len(chars) + 4 * len(interval.label) + 8]
        place = alignment.place(interval.start_ms)
        found = _find_chars(interval.label, text or "", rest, place=place)
        if not found:
            continue
        if before is not None:
            pause_ms.append(interval.start_ms - before.end_ms)
        pause_ms += [0] * (len(found) - 1)
        chars += found
        before = interval
    if before is None:
        raise ValueError(f"{alignment.place()}: an alignment must have a character, got no speech.")
    if spoken is None:
        return PauseRecord(alignment.id, chars, pause_ms)
    if len(chars) < len(spoken):
        missed = "".join(found.char for found in spoken[len(chars) :][:5])
        raise ValueError(
            f"{alignment.place(before.end_ms)}: {missed!r} must follow as in the text, but the "
            "alignment ends here."
        )
    offsets = [(found.start_char, found.end_char) for found in spoken]
    return PauseRecord(alignment.id, chars, pause_ms, offsets, text)


def is_silence(label: str) -> bool:
    """Check if a label is a silence or a noise.

    >>> [is_silence(label) for label in ("", "SIL", "<eps>", "[laughter]", "<unk>", "spn", "好")]
    [True, True, True, True, False, False, False]
    """
    folded = label.casefold()
    return folded in SILENCE or bool(BRACKETED.fullmatch(folded) and folded not in UNKNOWN)


def _find_chars(
    label: str, text: str, rest: Sequence[SpokenChar] | None, *, place: str
) -> list[str]:
    """List the characters that a label covers.

    rest: The next characters of the text that are not covered yet; None without a text.
    """
    if label.casefold() in UNKNOWN:
        raise ValueError(
            f"{place}: a label must be a word that the aligner knows, got {label!r}. Add the word "
            "to its dictionary."
        )
    said = [found.char for found in clean_transcript(label)]
    if rest is None:
        return said
    chars = [found.char for found in rest]
    if _fold(chars[: len(said)]) == _fold(said):
        return chars[: len(said)]
    # Digits can be read in two ways, as the text that follows is not in the label (2008 年).
    if rest and _fold([text[rest[0].start_char : rest[0].end_char]]) == _fold([label]):
        return [found.char for found in rest if found.start_char == rest[0].start_char]
    raise ValueError(
        f"{place}: the label must be {''.join(chars[:5])!r} as in the text, got {label!r}."
    )


def _fold(chars: Iterable[str]) -> list[str]:
    """Normalise characters as aligners do: lower-case letters, some full-width ones as ASCII."""
    return [unicodedata.normalize("NFKC", char).casefold() for char in chars]
