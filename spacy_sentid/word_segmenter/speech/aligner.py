"""The Montreal Forced Aligner as a command (sections 2.1 and 2.2, footnote 6).

audio and transcripts -> corpus of cleaned characters, dictionary of characters -> `mfa adapt` ->
TextGrids, whose "words" are characters
"""

import shutil
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from ...files.atomic import open_output, open_output_folder
from ...files.records import BadLine, bad_line, read_good_lines, write_errors, write_records
from ...messages import shorten
from .pronunciations import pronounce, read_dictionary
from .transcripts import SpokenChar, clean_transcript, find_text

ACOUSTIC_MODEL = "mandarin_mfa"
# The output of `mfa model download dictionary mandarin_mfa`.
DICTIONARY = Path("~/Documents/MFA/pretrained_models/dictionary/mandarin_mfa.dict")
HOW_TO_GET = (
    "Install it with: conda install -c conda-forge 'montreal-forced-aligner>=3,<4'; mfa model "
    "download acoustic mandarin_mfa; mfa model download dictionary mandarin_mfa."
)
AUDIO_SUFFIXES = (".wav", ".flac", ".mp3")
TRANSCRIPT_SUFFIXES = (".lab", ".txt")


class Utterance(NamedTuple):
    """A recording and its transcript."""

    id: str  # its path in the audio folder, without the suffix; folders are speakers
    audio: Path
    text: str
    spoken: list[SpokenChar]


def align_speech(
    audio_folder: Path,
    output: Path,
    *,
    dictionary: Path = DICTIONARY,
    texts: Mapping[str, str] | None = None,
    acoustic_model: str = ACOUSTIC_MODEL,
    jobs: int | None = None,
) -> tuple[int, int]:
    """Align a folder of recordings character by character, with a model adapted to them.

    dictionary: Dictionary of the acoustic model.
    texts: Transcripts by id; see `find_utterances`.
    acoustic_model: The name of an MFA model, or a path.
    jobs: Number of processes. None = the default of MFA.
    RETURNS: Numbers of aligned and of excluded recordings.

    Recordings that cannot be aligned are listed in OUT/alignments.errors.jsonl. Raises ValueError
    if MFA is missing or fails, or if there is nothing to align.
    """
    mfa = shutil.which("mfa")
    if mfa is None:
        raise ValueError(f"The Montreal Forced Aligner, 'mfa', must be on the PATH. {HOW_TO_GET}")
    entries = read_dictionary(dictionary.expanduser())
    found, faults = find_utterances(audio_folder, texts)
    pronunciations = pronounce((c.char for u in found for c in u.spoken), entries)
    utterances = []
    for utterance in found:
        chars = dict.fromkeys(c.char for c in utterance.spoken if not pronunciations[c.char])
        if not chars:
            utterances.append(utterance)
            continue
        reason = (
            f"All characters must have a pronunciation, got none for {', '.join(chars)}. Add it to "
            "the dictionary (--dictionary), or change the transcript."
        )
        faults.append(BadLine(str(utterance.audio), reason))
    if not utterances:
        first = f" The first problem: {': '.join(faults[0])}" if faults else ""
        raise ValueError(
            f"{audio_folder} must have recordings with usable transcripts, got no such recording."
            f"{first}"
        )
    corpus, characters, aligned = (
        output / name for name in ("corpus", "characters.dict", "alignments")
    )
    readings = [
        f"{char}\t{' '.join(phones)}\n" for char, own in pronunciations.items() for phones in own
    ]
    with open_output(characters) as file:
        file.writelines(readings)
    write_records(output / "transcripts.jsonl", ({"id": u.id, "text": u.text} for u in utterances))
    write_corpus(corpus, utterances)

    scratch = output / "scratch"
    # Without the first option, MFA joins characters into words. The third is needed because MFA's
    # default scratch folder mixes corpora of the same name.
    options = ["--no_tokenization", "--clean", "--temporary_directory", str(scratch)]
    options += [] if jobs is None else ["--num_jobs", str(jobs)]
    with open_output_folder(aligned) as new:
        command = [mfa, "adapt", str(corpus), str(characters), acoustic_model]
        command += [str(output / "adapted.zip"), "--output_directory", str(new), *options]
        command += ["--output_format", "long_textgrid"]
        code = subprocess.run(command, check=False).returncode  # it shows its own progress
        if code or not any(new.rglob("*.TextGrid")):
            raise ValueError(
                f"'mfa adapt' must write TextGrids, got none (exit code {code}). See its messages "
                f"above. The command was: {' '.join(command)}"
            )
    shutil.rmtree(scratch, ignore_errors=True)
    grids = {path.relative_to(aligned).with_suffix("") for path in aligned.rglob("*.TextGrid")}
    faults += [
        BadLine(str(u.audio), "MFA did not align this recording. Its messages may say why.")
        for u in utterances
        if Path(u.id) not in grids
    ]
    return len(grids), write_errors(aligned, faults)


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
