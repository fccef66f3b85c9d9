"""Recordings and their transcripts, and the corpus that MFA reads.

folder of audio, transcripts -> Utterance -> those whose characters have a pronunciation -> corpus
"""

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...files.atomic import open_output_folder
from ...files.records import BadLine, bad_line, read_good_lines
from ...messages import shorten
from .pronunciations import Phones
from .transcripts import SpokenChar, clean_transcript, find_text

AUDIO_SUFFIXES = (".wav", ".flac", ".mp3")
TRANSCRIPT_SUFFIXES = (".lab", ".txt")


class Utterance(NamedTuple):
    """A recording and its transcript."""

    id: str  # its path in the audio folder, without the suffix; folders are speakers
    audio: Path
    text: str
    spoken: list[SpokenChar]


def find_utterances(
    audio_folder: Path, texts: Mapping[str, str] | None = None
) -> tuple[list[Utterance], list[BadLine]]:
    """Find the recordings of a folder that have a transcript, and the errors of the others.

    texts: Transcripts by id, or by the name of the recording. None = read NAME.lab or NAME.txt, in
        UTF-8, next to the recording.
    """
    utterances, faults = [], []
    for path in sorted(audio_folder.rglob("*")):
        if path.suffix.lower() not in AUDIO_SUFFIXES:
            continue
        name = path.relative_to(audio_folder).with_suffix("").as_posix()
        try:
            text = _read_beside(path) if texts is None else find_text(name, texts, place=str(path))
        except ValueError as error:
            faults.append(bad_line(str(path), error))
            continue
        if spoken := clean_transcript(text):
            utterances.append(Utterance(name, path, text, spoken))
        else:
            reason = f"The transcript must have spoken characters, got {shorten(text)}."
            faults.append(BadLine(str(path), reason))
    return utterances, faults


def split_pronounceable(
    utterances: Iterable[Utterance], pronunciations: Mapping[str, list[Phones]]
) -> tuple[list[Utterance], list[BadLine]]:
    """Separate the utterances from those with a character that has no pronunciation."""
    kept, faults = [], []
    for utterance in utterances:
        chars = dict.fromkeys(c.char for c in utterance.spoken if not pronunciations[c.char])
        if not chars:
            kept.append(utterance)
            continue
        reason = (
            f"All characters must have a pronunciation, got none for {', '.join(chars)}. Add it to "
            "the dictionary (--dictionary), or change the transcript."
        )
        faults.append(BadLine(str(utterance.audio), reason))
    return kept, faults


def write_corpus(folder: Path, utterances: Iterable[Utterance]) -> None:
    """Write a corpus for MFA: links to the recordings, and their characters separated by spaces."""
    with open_output_folder(folder) as new:
        for utterance in utterances:
            audio = new / f"{utterance.id}{utterance.audio.suffix}"
            audio.parent.mkdir(parents=True, exist_ok=True)
            try:
                audio.symlink_to(utterance.audio.resolve())
            except OSError:  # Windows allows links only for some users
                shutil.copyfile(utterance.audio, audio)
            text = " ".join(found.char for found in utterance.spoken)
            (new / f"{utterance.id}.lab").write_text(text + "\n", encoding="utf8")


def _read_beside(audio: Path) -> str:
    """Read the transcript next to a recording."""
    paths = [audio.with_suffix(suffix) for suffix in TRANSCRIPT_SUFFIXES]
    for path in filter(Path.is_file, paths):
        return "\n".join(line.text for line in read_good_lines(path))
    raise ValueError(
        f"The transcript {' or '.join(path.name for path in paths)} must be next to the recording, "
        "but it is missing. Add it, or use --text."
    )
