"""The Montreal Forced Aligner as a command (sections 2.1 and 2.2, footnote 6).

audio and transcripts -> corpus of cleaned characters, dictionary of characters -> `mfa adapt` ->
`mfa align` -> TextGrids, whose "words" are characters

OUT/corpus, OUT/characters.dict and OUT/transcripts.jsonl are written every time, which is quick.
OUT/adapted.zip and OUT/alignments are only computed again if their inputs have changed.
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
# The folder of `mfa model download dictionary NAME`, and the names of the Mandarin dictionary in
# different versions of MFA.
DICTIONARY_FOLDER = "Documents/MFA/pretrained_models/dictionary"
DICTIONARY_NAMES = ("mandarin_mfa.dict", "mandarin_china_mfa.dict")
HOW_TO_GET = (
    "Install it with: conda install -c conda-forge 'montreal-forced-aligner>=3,<4'; mfa model "
    "download acoustic mandarin_mfa; mfa model download dictionary mandarin_mfa."
)


class Outcome(NamedTuple):
    """The result of an alignment: numbers of recordings, and the steps that ran."""

    n_aligned: int
    n_left_out: int
    steps: list[str]  # without skipped steps


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

    dictionary: Dictionary of the acoustic model. None = the one that MFA has downloaded.
    texts: Transcripts by id; see `find_utterances`.
    acoustic_model: The name of an MFA model, or a path.
    jobs: Number of processes. None = the default of MFA.
    on_step: Called with the name of a step before it begins.

    Recordings that cannot be aligned are listed in OUT/alignments.errors.jsonl. Raises ValueError
    if MFA or the dictionary is missing, if MFA fails, or if there is nothing to align.
    """
    mfa = find_mfa()
    entries = read_dictionary(dictionary or find_dictionary())
    found, faults = find_utterances(audio_folder, texts)
    pronunciations = pronounce((c.char for u in found for c in u.spoken), entries)
    utterances, silent = split_pronounceable(found, pronunciations)
    faults += silent
    if not utterances:
        first = f" The first problem: {': '.join(faults[0])}" if faults else ""
        raise ValueError(
            f"{audio_folder} must have recordings with usable transcripts, got no such recording."
            f"{first}"
        )
    written = format_dictionary(pronunciations)
    corpus, characters = output / "corpus", output / "characters.dict"
    with open_output(characters) as file:
        file.write(written)
    with open_output(output / "transcripts.jsonl") as file:
        file.writelines(format_record({"id": u.id, "text": u.text}) + "\n" for u in utterances)
    write_corpus(corpus, utterances)

    inputs = [str(corpus), str(characters)]
    scratch = output / "scratch"
    # Without the first option, MFA joins characters into words. The third is needed because MFA's
    # default scratch folder mixes corpora of the same name.
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
        BadLine(str(u.audio), "MFA did not align this recording. Its messages may say why.")
        for u in utterances
        if Path(u.id) not in grids
    ]
    return Outcome(len(grids), write_errors(aligned, faults), steps)


def find_mfa() -> str:
    """Find the program of MFA. Raises ValueError, with how to install it, if it is missing."""
    program = shutil.which("mfa")
    if program is None:
        raise ValueError(f"The Montreal Forced Aligner, 'mfa', must be on the PATH. {HOW_TO_GET}")
    return program


def find_dictionary() -> Path:
    """Find the dictionary that MFA has downloaded.

    Raises ValueError, with how to download it, if it is missing.
    """
    folder = Path.home() / DICTIONARY_FOLDER
    for name in DICTIONARY_NAMES:
        if (folder / name).is_file():
            return folder / name
    raise ValueError(
        f"{folder} must have the dictionary of the model, {DICTIONARY_NAMES[0]}, but it is "
        "missing. Run 'mfa model download dictionary mandarin_mfa', or use --dictionary."
    )


def run_mfa(command: list[str], output: Path) -> None:
    """Run a command of MFA, which shows its own progress.

    output: The file, or the folder of TextGrids, that the command writes.

    Raises ValueError if the command fails or does not write the output.
    """
    code = subprocess.run(command, check=False).returncode
    is_made = any(output.rglob("*.TextGrid")) if output.is_dir() else output.is_file()
    if code or not is_made:
        what = f"exit code {code}" if code else "no output"
        raise ValueError(
            f"'mfa {command[1]}' must write {'TextGrids' if output.is_dir() else output.name}, got "
            f"{what}. See its messages above. The command was: {' '.join(command)}"
        )


def fingerprint_inputs(
    utterances: Iterable[Utterance], dictionary: str, acoustic_model: str
) -> str:
    """Fingerprint the inputs of an alignment. Of recordings, only size and time are used."""
    values: list[Any] = [acoustic_model, dictionary]
    if Path(acoustic_model).is_file():
        values.append(fingerprint_files([Path(acoustic_model)]))
    for utterance in utterances:
        found = utterance.audio.stat()
        chars = "".join(found.char for found in utterance.spoken)
        values.append([utterance.id, chars, found.st_size, found.st_mtime_ns])
    return fingerprint_values(values)


def is_done(output: Path, digest: str) -> bool:
    """Check if a step was finished with the same inputs."""
    stamp = _stamp_path(output)
    return output.exists() and stamp.is_file() and stamp.read_text("utf8") == digest


def mark_done(output: Path, digest: str) -> None:
    """Record the inputs of a finished step."""
    with open_output(_stamp_path(output)) as file:
        file.write(digest)


def _stamp_path(output: Path) -> Path:
    return output.with_name(f".{output.name}.done")
