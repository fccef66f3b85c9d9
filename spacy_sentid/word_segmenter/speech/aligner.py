"""The Montreal Forced Aligner as a command (sections 2.1 and 2.2, footnote 6).

audio and transcripts -> corpus of cleaned characters, dictionary of characters -> `mfa adapt` ->
`mfa align` -> TextGrids, whose "words" are characters

OUT/corpus, OUT/characters.dict and OUT/transcripts.jsonl are made again every time, which is quick;
OUT/adapted.zip and OUT/alignments only if what they are made of has changed since.
"""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...files.atomic import open_output, open_output_folder
from ...files.fingerprint import fingerprint_files, fingerprint_values
from ...files.records import BadLine, format_record, write_errors
from .pronunciations import format_dictionary, pronounce, read_dictionary
from .recordings import Utterance, find_utterances, split_pronounceable, write_corpus

ACOUSTIC_MODEL = "mandarin_mfa"
# Where `mfa model download dictionary NAME` puts a dictionary, and the names of the Mandarin one in
# the versions of MFA.
DICTIONARY_FOLDER = "Documents/MFA/pretrained_models/dictionary"
DICTIONARY_NAMES = ("mandarin_mfa.dict", "mandarin_china_mfa.dict")
HOW_TO_GET = (
    "Get it with: conda install -c conda-forge 'montreal-forced-aligner>=3,<4'; mfa model download "
    "acoustic mandarin_mfa; mfa model download dictionary mandarin_mfa."
)


class Outcome(NamedTuple):
    """What an alignment came to."""

    n_aligned: int
    n_left_out: int
    steps: list[str]  # those that were not skipped


def align_speech(
    audio_folder: Path,
    output: Path,
    *,
    dictionary: Path | None = None,
    texts: Mapping[str, str] | None = None,
    acoustic_model: str = ACOUSTIC_MODEL,
    jobs: int | None = None,
    on_step: Callable[[str], object] = lambda step: None,
) -> Outcome:
    """Align a folder of recordings with their transcripts, character by character.

    dictionary: Of the acoustic model. Default: where MFA keeps it.
    texts: Transcripts by id; see `find_utterances`.
    acoustic_model: A name that MFA knows, or a path.
    jobs: Processes. Default: MFA's.
    on_step: Called with the name of a step before it begins.

    What could not be aligned is in OUT/alignments.errors.jsonl. Raises ValueError without MFA or
    the dictionary, if MFA fails, or if nothing is left to align.
    """
    mfa = find_mfa()
    entries = read_dictionary(dictionary or find_dictionary())
    found, faults = find_utterances(audio_folder, texts)
    pronunciations = pronounce((c.char for u in found for c in u.spoken), entries)
    utterances, silent = split_pronounceable(found, pronunciations)
    faults += silent
    if not utterances:
        first = f" The first fault: {': '.join(faults[0])}" if faults else ""
        raise ValueError(f"{audio_folder} must have recordings with transcripts, got none.{first}")
    written = format_dictionary(pronunciations)
    corpus, characters = output / "corpus", output / "characters.dict"
    with open_output(characters) as file:
        file.write(written)
    with open_output(output / "transcripts.jsonl") as file:
        file.writelines(format_record({"id": u.id, "text": u.text}) + "\n" for u in utterances)
    write_corpus(corpus, utterances)

    inputs = [str(corpus), str(characters)]
    scratch = output / "scratch"
    # Without the first option MFA joins the characters to words. The third: its own folder of
    # scratch files mixes all corpora of one name.
    options = ["--no_tokenization", "--clean", "--temporary_directory", str(scratch)]
    options += [] if jobs is None else ["--num_jobs", str(jobs)]
    digest = fingerprint_inputs(utterances, written, acoustic_model)
    adapted, aligned = output / "adapted.zip", output / "alignments"
    steps = []
    if not is_done(adapted, digest):
        steps.append("adapt")
        on_step("adapt")
        with tempfile.TemporaryDirectory(dir=output, prefix=".adapt-") as folder:
            new_model = Path(folder, adapted.name)
            run_mfa([mfa, "adapt", *inputs, acoustic_model, str(new_model), *options], new_model)
            new_model.replace(adapted)
        mark_done(adapted, digest)
    if steps or not is_done(aligned, digest):
        steps.append("align")
        on_step("align")
        options += ["--overwrite", "--output_format", "long_textgrid"]
        with open_output_folder(aligned) as new:
            run_mfa([mfa, "align", *inputs, str(adapted), str(new), *options], new)
        mark_done(aligned, digest)
    shutil.rmtree(scratch, ignore_errors=True)
    grids = {path.relative_to(aligned).with_suffix("") for path in aligned.rglob("*.TextGrid")}
    faults += [
        BadLine(str(u.audio), "MFA made no alignment of it. Its messages may say why.")
        for u in utterances
        if Path(u.id) not in grids
    ]
    return Outcome(len(grids), write_errors(aligned, faults), steps)


def find_mfa() -> str:
    """Find the program; ValueError that says how to get it."""
    program = shutil.which("mfa")
    if program is None:
        raise ValueError(f"The Montreal Forced Aligner, 'mfa', must be on the path. {HOW_TO_GET}")
    return program


def find_dictionary() -> Path:
    """Find the dictionary that MFA has downloaded; ValueError that says how to get it."""
    folder = Path.home() / DICTIONARY_FOLDER
    for name in DICTIONARY_NAMES:
        if (folder / name).is_file():
            return folder / name
    raise ValueError(
        f"{folder} must have the dictionary of the model, {DICTIONARY_NAMES[0]}, got none. Run "
        "'mfa model download dictionary mandarin_mfa', or name it with --dictionary."
    )


def run_mfa(command: list[str], output: Path) -> None:
    """Run a command of MFA, which shows its own progress; ValueError if it fails or makes nothing.

    output: The file or the folder of TextGrids that it is to make.
    """
    code = subprocess.run(command, check=False).returncode
    is_made = any(output.rglob("*.TextGrid")) if output.is_dir() else output.is_file()
    if code or not is_made:
        what = f"code {code}" if code else "nothing"
        raise ValueError(
            f"'mfa {command[1]}' must make {'TextGrids' if output.is_dir() else output.name}, got "
            f"{what}. Its messages are above. The command was: {' '.join(command)}"
        )


def fingerprint_inputs(
    utterances: Iterable[Utterance], dictionary: str, acoustic_model: str
) -> str:
    """Fingerprint what an alignment is made of; recordings count by size and time."""
    values: list[Any] = [acoustic_model, dictionary]
    if Path(acoustic_model).is_file():
        values.append(fingerprint_files([Path(acoustic_model)]))
    for utterance in utterances:
        found = utterance.audio.stat()
        chars = "".join(found.char for found in utterance.spoken)
        values.append([utterance.id, chars, found.st_size, found.st_mtime_ns])
    return fingerprint_values(values)


def is_done(output: Path, digest: str) -> bool:
    """Tell whether a step was done with what it would be done with now."""
    stamp = _stamp_path(output)
    return output.exists() and stamp.is_file() and stamp.read_text("utf8") == digest


def mark_done(output: Path, digest: str) -> None:
    """Note what a step was done with."""
    with open_output(_stamp_path(output)) as file:
        file.write(digest)


def _stamp_path(output: Path) -> Path:
    return output.with_name(f".{output.name}.done")
