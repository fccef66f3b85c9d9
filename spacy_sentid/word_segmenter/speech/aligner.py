"""The Montreal Forced Aligner as a command (sections 2.1 and 2.2, footnote 6).

audio and transcripts -> corpus of cleaned characters, dictionary of characters -> `mfa adapt` ->
`mfa align` -> TextGrids, whose "words" are characters

OUT/corpus, OUT/characters.dict and OUT/transcripts.jsonl are made anew every time, which is quick;
OUT/adapted.zip and OUT/alignments only if something that they are made of has changed since.
"""

import hashlib
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from ...output import open_output, open_output_folder
from ...records import BadLine, format_record, write_errors
from .pronunciations import format_dictionary, pronounce, read_dictionary
from .transcripts import SpokenChar, clean_transcript

AUDIO_SUFFIXES = (".wav", ".flac", ".mp3")
TRANSCRIPT_SUFFIXES = (".lab", ".txt")
ACOUSTIC_MODEL = "mandarin_mfa"
# Where `mfa model download dictionary mandarin_mfa` puts it; the older name is tried as well.
MODEL_FOLDER = Path("Documents/MFA/pretrained_models/dictionary")
DICTIONARY_NAMES = ("mandarin_mfa.dict", "mandarin_china_mfa.dict")
HOW_TO_GET = (
    "Get it with 'conda install -c conda-forge \"montreal-forced-aligner>=3,<4\"', then 'mfa model "
    "download acoustic mandarin_mfa' and 'mfa model download dictionary mandarin_mfa'."
)


class Utterance(NamedTuple):
    """A recording and what is said in it."""

    id: str  # its path in the audio folder, without the ending; folders are speakers
    audio: Path
    text: str
    spoken: list[SpokenChar]


class Outcome(NamedTuple):
    """What an alignment came to."""

    n_aligned: int
    n_left_out: int
    done: list[str]  # the steps that were not skipped


def align_speech(
    audio_folder: Path,
    output: Path,
    *,
    dictionary: Path | None = None,
    texts: dict[str, str] | None = None,
    acoustic_model: str = ACOUSTIC_MODEL,
    jobs: int | None = None,
    on_step: Callable[[str], object] | None = None,
) -> Outcome:
    """Align a folder of recordings with their transcripts, character by character.

    dictionary: Of the acoustic model. Default: where MFA keeps it.
    texts: Transcripts by id or name of the recording. Default: NAME.lab or NAME.txt beside it.
    acoustic_model: A name that MFA knows, or a path.
    on_step: Called with the name of each step before it.

    What cannot be aligned is in OUT/alignments.errors.jsonl. Raises ValueError without MFA or the
    dictionary, if MFA fails, or if nothing is left to align.
    """
    mfa = find_mfa()
    entries = read_dictionary(dictionary or find_dictionary())
    found, faults = find_utterances(audio_folder, texts)
    pronunciations = pronounce((c.char for u in found for c in u.spoken), entries)
    utterances, silent = split_pronounceable(found, pronunciations)
    faults += silent
    if not utterances:
        first = f" The first fault: {faults[0].place}: {faults[0].reason}" if faults else ""
        raise ValueError(
            f"Found nothing to align in {audio_folder}, expected recordings "
            f"({', '.join(AUDIO_SUFFIXES)}) with transcripts.{first}"
        )
    known = {char: phones for char, phones in pronunciations.items() if phones}
    with open_output(output / "characters.dict") as file:
        file.write(format_dictionary(known))
    with open_output(output / "transcripts.jsonl") as file:
        file.writelines(format_record({"id": u.id, "text": u.text}) + "\n" for u in utterances)
    write_corpus(output / "corpus", utterances)
    digest = _digest(utterances, known, acoustic_model)
    command = [mfa, "{}", str(output / "corpus"), str(output / "characters.dict")]
    # MFA would join characters to words; its folder of scratch files is shared by all corpora of
    # the same name.
    scratch = ["--no_tokenization", "--clean", "--temporary_directory", str(output / "scratch")]
    options = [*scratch, *([] if jobs is None else ["--num_jobs", str(jobs)])]
    done = []
    model, aligned = output / "adapted.zip", output / "alignments"
    if not is_done(model, digest):
        done.append("adapt")
        if on_step is not None:
            on_step("adapt")
        with tempfile.TemporaryDirectory(dir=output, prefix=".adapt-") as folder:
            new = Path(folder, model.name)
            run_mfa([*fill(command, "adapt"), acoustic_model, str(new), *options], new)
            shutil.move(new, model)
        mark_done(model, digest)
    if done or not is_done(aligned, digest):
        done.append("align")
        if on_step is not None:
            on_step("align")
        options += ["--overwrite", "--output_format", "long_textgrid"]
        with open_output_folder(aligned) as new:
            run_mfa([*fill(command, "align"), str(model), str(new), *options], new)
        mark_done(aligned, digest)
    names = {path.relative_to(aligned).with_suffix("") for path in aligned.rglob("*.TextGrid")}
    faults += (
        BadLine(str(u.audio), "MFA made no alignment of it. See its log.")
        for u in utterances
        if Path(u.id) not in names
    )
    n_left_out = write_errors(aligned, faults)
    return Outcome(len(names), n_left_out, done)


def find_mfa() -> str:
    """Find the program; ValueError that says how to get it."""
    found = shutil.which("mfa")
    if found is None:
        raise ValueError(
            f"Found no program 'mfa', expected the Montreal Forced Aligner on the path. {HOW_TO_GET}"
        )
    return found


def find_dictionary() -> Path:
    """Find the dictionary that MFA has downloaded; ValueError that says how to get it."""
    folder = Path.home() / MODEL_FOLDER
    for name in DICTIONARY_NAMES:
        if (folder / name).is_file():
            return folder / name
    raise ValueError(
        f"Found no {DICTIONARY_NAMES[0]} in {folder}, expected the dictionary of the acoustic "
        "model. Run 'mfa model download dictionary mandarin_mfa', or name it with --dictionary."
    )


def find_utterances(
    audio_folder: Path, texts: dict[str, str] | None
) -> tuple[list[Utterance], list[BadLine]]:
    """Find the recordings of a folder that have a transcript, and what is wrong with the others."""
    utterances: dict[str, Utterance] = {}
    faults = []
    for path in sorted(audio_folder.rglob("*")):
        if path.suffix.lower() not in AUDIO_SUFFIXES:
            continue
        name = path.relative_to(audio_folder).with_suffix("").as_posix()
        try:
            if name in utterances:
                raise ValueError(f"found {utterances[name].audio.name} too, expected one of them.")
            text = _find_text(path, name, texts)
            spoken = clean_transcript(text)
            if not spoken:
                raise ValueError(f"found {text[:40]!r}, expected something that is said.")
            utterances[name] = Utterance(name, path, text, spoken)
        except ValueError as error:
            faults.append(BadLine(str(path), str(error)))
    return list(utterances.values()), faults


def split_pronounceable(
    utterances: Iterable[Utterance], pronunciations: dict[str, list[tuple[str, ...]]]
) -> tuple[list[Utterance], list[BadLine]]:
    """Split off the utterances with a character of which no pronunciation is known."""
    kept, faults = [], []
    for utterance in utterances:
        chars = dict.fromkeys(c.char for c in utterance.spoken if not pronunciations[c.char])
        if chars:
            reason = f"found no pronunciation of {', '.join(chars)}, expected one. Spell it in text"
            reason += " as it is said, or add it to the dictionary (--dictionary)."
            faults.append(BadLine(str(utterance.audio), reason))
        else:
            kept.append(utterance)
    return kept, faults


def write_corpus(folder: Path, utterances: Iterable[Utterance]) -> None:
    """Write a corpus for MFA: links to the recordings, and characters with spaces beside them."""
    with open_output_folder(folder) as new:
        for utterance in utterances:
            audio = new / f"{utterance.id}{utterance.audio.suffix}"
            audio.parent.mkdir(parents=True, exist_ok=True)
            try:
                audio.symlink_to(utterance.audio.resolve())
            except OSError:  # Windows allows links to some only
                shutil.copyfile(utterance.audio, audio)
            text = " ".join(found.char for found in utterance.spoken)
            (new / f"{utterance.id}.lab").write_text(text + "\n", encoding="utf8")


def run_mfa(command: list[str], output: Path) -> None:
    """Run a command of MFA, which shows its own progress; ValueError if it makes nothing."""
    code = subprocess.run(command, check=False).returncode
    is_there = any(output.rglob("*.TextGrid")) if output.is_dir() else output.is_file()
    if code or not is_there:
        what = f"ended with code {code}" if code else "wrote nothing"
        raise ValueError(
            f"'mfa {command[1]}' {what}, expected {output.name}. Its messages are above. The "
            f"command was: {' '.join(command)}"
        )


def is_done(output: Path, digest: str) -> bool:
    """Tell whether a step was done with what it would be done with now."""
    stamp = _stamp_path(output)
    return output.exists() and stamp.exists() and json.loads(stamp.read_text())["of"] == digest


def mark_done(output: Path, digest: str) -> None:
    """Note what a step was done with."""
    with open_output(_stamp_path(output)) as file:
        file.write(json.dumps({"of": digest}) + "\n")
