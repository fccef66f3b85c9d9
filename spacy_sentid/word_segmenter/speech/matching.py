"""The characters of an alignment, and the pauses between them (section 2.2).

Alignment, text -> the characters of each interval -> PauseRecord; or file, tier and time of the
first interval that does not match

A pause is the time between the end of a character and the start of the next (equation 1), with any
label. There is no pause before the first or after the last character. Silences (SILENCE and empty
labels) and noises in brackets ([laughter], <breath>) are not characters. A noise interrupts speech
like a silence, so its time counts. A word that the aligner did not know (UNKNOWN) is speech. If
each interval is a character, it is the next character of the text. Otherwise it is an error,
because its number of characters is unknown.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from .alignments import Alignment, Interval, Kind
from .pauses import PauseRecord
from .transcripts import SpokenChar, clean_transcript

SILENCE = frozenset({"", "sil", "sp", "sp1", "silb", "sile", "pau", "pause", "#", "_", "-"})
UNKNOWN = frozenset({"spn", "<spn>", "<unk>", "[unk]", "<oov>", "[bracketed]"})
BRACKETED = re.compile(r"[\[<({].*[\])>}]")
# ang1, AA1, a˥˩, perhaps with the position in the word that Kaldi adds (_B, _I, _E, _S).
TONE = re.compile(r"[^\W\d_]\S*\d(?:_[BIES])?|\S*[˥˦˧˨˩]\S*")


def pauses_from_alignment(
    alignment: Alignment, text: str | None = None, *, kind: Kind = Kind.words
) -> PauseRecord:
    """Find the characters of an alignment and the pauses between them.

    text: The transcript, as for `clean_transcript`. The record has its characters with offsets.
        None = the characters are those of the labels.

    Raises ValueError, with file, tier and time, if the alignment does not match the text. It is
    also raised if there is no speech, and for phones without a text.
    """
    spoken = None if text is None else clean_transcript(text)
    if kind is Kind.phones:
        if spoken is None:
            raise ValueError(
                f"{alignment.place()}: alignments of phones must have transcripts, as phones do "
                "not show the characters. Use --text."
            )
        chars, pause_ms = [found.char for found in spoken], _pauses_of_phones(alignment, spoken)
    else:
        chars, pause_ms = _pauses_of_tokens(alignment, text, spoken, kind=kind)
    if spoken is None:
        return PauseRecord(alignment.id, chars, pause_ms)
    offsets = [(found.start_char, found.end_char) for found in spoken]
    return PauseRecord(alignment.id, chars, pause_ms, offsets, text)


def add_offsets(record: PauseRecord, text: str, *, place: str) -> PauseRecord:
    """Add a text, and the offsets of the characters in it, to a record.

    Raises ValueError with the place if the characters are not those of the text.

    >>> add_offsets(PauseRecord("a", ["好", "走"], [20]), "“好”，走。", place="a:1").offsets
    [(1, 2), (4, 5)]
    """
    spoken = clean_transcript(text)
    said = [found.char for found in spoken]
    if _fold(said) != _fold(record.chars):
        pairs = zip(_fold(said), _fold(record.chars), strict=False)
        shorter = min(len(said), len(record.chars))
        at = next((i for i, (one, other) in enumerate(pairs) if one != other), shorter)
        raise ValueError(
            f"{place}: from character {at} on, the characters must be "
            f"{''.join(said[at : at + 5])!r} as in the text, got "
            f"{''.join(record.chars[at : at + 5])!r}."
        )
    offsets = [(found.start_char, found.end_char) for found in spoken]
    return record._replace(chars=said, offsets=offsets, text=text)


def is_silence(label: str) -> bool:
    """Check if a label is a silence or a noise.

    >>> [is_silence(label) for label in ("", "SIL", "<eps>", "[laughter]", "<unk>", "spn", "好")]
    [True, True, True, True, False, False, False]
    """
    folded = label.casefold()
    return folded in SILENCE or bool(BRACKETED.fullmatch(folded) and folded not in UNKNOWN)


def bears_tone(phone: str) -> bool:
    """Check if a Mandarin phone has a tone: a digit (ang1) or tone letters (a˥˩).

    >>> [bears_tone(phone) for phone in ("ang1", "a˥˩", "n̩˧˥", "i2_E", "ng", "ʂ", "tɕʰ")]
    [True, True, True, True, False, False, False]
    """
    return bool(TONE.fullmatch(phone))


def _pauses_of_tokens(
    alignment: Alignment, text: str | None, spoken: Sequence[SpokenChar] | None, *, kind: Kind
) -> tuple[list[str], list[int]]:
    """Find the characters of word or character intervals, and the pauses between them."""
    chars: list[str] = []
    pause_ms: list[int] = []
    before: Interval | None = None
    for interval in alignment.intervals:
        if is_silence(interval.label):
            continue
        place = alignment.place(interval.start_ms)
        # This many characters are enough: a digit is at most two, and a percent sign three.
        rest = spoken and spoken[len(chars) : len(chars) + 4 * len(interval.label) + 8]
        found = _find_chars(interval.label, text or "", rest, kind=kind, place=place)
        if kind is Kind.characters and len(found) > 1:
            raise ValueError(
                f"{place}: an interval must be one character, got {interval.label!r}. Use "
                "'--kind words'."
            )
        if not found:
            continue
        if before is not None:
            pause_ms.append(interval.start_ms - before.end_ms)
        pause_ms += [0] * (len(found) - 1)
        chars += found
        before = interval
    if before is None:
        raise _no_speech(alignment)
    if spoken is not None and len(chars) < len(spoken):
        missed = "".join(found.char for found in spoken[len(chars) :][:5])
        place = alignment.place(before.end_ms)
        raise ValueError(
            f"{place}: {missed!r} must follow as in the text, but the alignment ends here."
        )
    return chars, pause_ms


def _find_chars(
    label: str, text: str, rest: Sequence[SpokenChar] | None, *, kind: Kind, place: str
) -> list[str]:
    """List the characters that a label covers.

    rest: The next characters of the text that are not covered yet; None without a text.
    """
    chars = [found.char for found in rest or ()]
    if label.casefold() in UNKNOWN:
        if kind is Kind.characters and chars:
            return chars[:1]
        raise ValueError(
            f"{place}: a label must be a word that the aligner knows, got {label!r}. Add the word "
            "to its dictionary. If each interval is a character, you can use '--kind characters' "
            "and --text instead."
        )
    said = [found.char for found in clean_transcript(label)]
    if rest is None:
        return said
    if _fold(chars[: len(said)]) == _fold(said):
        return chars[: len(said)]
    # Digits can be read in two ways, as the text that follows is not in the label (2008 年).
    if rest and _fold([text[rest[0].start_char : rest[0].end_char]]) == _fold([label]):
        return [found.char for found in rest if found.start_char == rest[0].start_char]
    raise ValueError(
        f"{place}: the label must be {''.join(chars[:5])!r} as in the text, got {label!r}."
    )


def _pauses_of_phones(alignment: Alignment, spoken: Sequence[SpokenChar]) -> list[int]:
    """Find the pauses between characters by counting tones.

    Every syllable has one phone with a tone, so the number of tones before a silence is the number
    of characters before it.
    """
    phones = [interval for interval in alignment.intervals if not is_silence(interval.label)]
    if not phones:
        raise _no_speech(alignment)
    pause_ms = [0] * (len(spoken) - 1)
    n_before = 0
    for phone, following in zip(phones, [*phones[1:], None], strict=True):
        if phone.label.casefold() in UNKNOWN:
            raise ValueError(
                f"{alignment.place(phone.start_ms)}: phones must be of a word that the aligner "
                f"knows, got {phone.label!r}. Add the word to its dictionary."
            )
        n_before += bears_tone(phone.label)
        if n_before > len(spoken):
            break
        if following is not None and 0 < n_before < len(spoken):
            pause_ms[n_before - 1] += following.start_ms - phone.end_ms
    if n_before != len(spoken):
        n_tones = sum(bears_tone(phone.label) for phone in phones)
        raise ValueError(
            f"{alignment.place(phone.start_ms)}: the number of phones with a tone must be that of "
            f"the characters in the text, {len(spoken)}, got {n_tones}."
        )
    return pause_ms


def _no_speech(alignment: Alignment) -> ValueError:
    return ValueError(f"{alignment.place()}: an alignment must have a character, got no speech.")


def _fold(chars: Iterable[str]) -> list[str]:
    """Normalise characters as aligners do: lower-case letters, some full-width ones as ASCII."""
    return [unicodedata.normalize("NFKC", char).casefold() for char in chars]
