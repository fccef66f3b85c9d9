"""The Montreal Forced Aligner as a command (sections 2.1 and 2.2, footnote 6).

audio and transcripts -> corpus of cleaned characters, dictionary of characters -> `mfa adapt` ->
TextGrids, whose "words" are characters

OUT/corpus, OUT/characters.dict and OUT/transcripts.jsonl are written every time, which is quick.
OUT/alignments is only computed again if its inputs have changed.
"""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from ...files.atomic import open_output, open_output_folder
from ...files.fingerprint import fingerprint_values
from ...files.records import BadLine, write_errors, write_records
from .pronunciations import pronounce, read_dictionary
from .recordings import find_utterances, split_pronounceable, write_corpus

ACOUSTIC_MODEL = "mandarin_mfa"
# The output of `mfa model download dictionary mandarin_mfa`.
DICTIONARY = Path("~/Documents/MFA/pretrained_models/dictionary/mandarin_mfa.dict")
HOW_TO_GET = (
    "Install it with: conda install -c conda-forge 'montreal-forced-aligner>=3,<4'; mfa model "
    "download acoustic mandarin_mfa; mfa model download dictionary mandarin_mfa."
)
STAMP = "inputs.txt"  # the fingerprint of the inputs, in OUT/alignments


def align_speech(
    audio_folder: Path,
    output: Path,
    *,
    dictionary: Path = DICTIONARY,
    texts: Mapping[str, str] | None = None,
    acoustic_model: str = ACOUSTIC_MODEL,
    jobs: int | None = None,
) -> tuple[int, int, bool]:
    """Align a folder of recordings character by character, with a model adapted to them.

    dictionary: Dictionary of the acoustic model.
    texts: Transcripts by id; see `find_utterances`.
    acoustic_model: The name of an MFA model, or a path.
    jobs: Number of processes. None = the default of MFA.
    RETURNS: Numbers of aligned and of excluded recordings; False if the inputs had not changed.

    Recordings that cannot be aligned are listed in OUT/alignments.errors.jsonl. Raises ValueError
    if MFA is missing or fails, or if there is nothing to align.
    """
    mfa = shutil.which("mfa")
    if mfa is None:
        raise ValueError(f"The Montreal Forced Aligner, 'mfa', must be on the PATH. {HOW_TO_GET}")
    entries = read_dictionary(dictionary.expanduser())
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

    # Of recordings, only the size and the time are used.
    stats = ((u, u.audio.stat()) for u in utterances)
    rows = ([u.id, u.text, found.st_size, found.st_mtime_ns] for u, found in stats)
    digest = fingerprint_values([acoustic_model, "".join(readings), *rows])
    stamp = aligned / STAMP
    is_new = not stamp.is_file() or stamp.read_text("utf8") != digest
    if is_new:
        scratch = output / "scratch"
        # Without the first option, MFA joins characters into words. The third is needed because
        # MFA's default scratch folder mixes corpora of the same name.
        options = ["--no_tokenization", "--clean", "--temporary_directory", str(scratch)]
        options += [] if jobs is None else ["--num_jobs", str(jobs)]
        with open_output_folder(aligned) as new:
            command = [mfa, "adapt", str(corpus), str(characters), acoustic_model]
            command += [str(output / "adapted.zip"), "--output_directory", str(new), *options]
            command += ["--output_format", "long_textgrid"]
            code = subprocess.run(command, check=False).returncode  # it shows its own progress
            if code or not any(new.rglob("*.TextGrid")):
                raise ValueError(
                    f"'mfa adapt' must write TextGrids, got none (exit code {code}). See its "
                    f"messages above. The command was: {' '.join(command)}"
                )
            (new / STAMP).write_text(digest, "utf8")
        shutil.rmtree(scratch, ignore_errors=True)
    grids = {path.relative_to(aligned).with_suffix("") for path in aligned.rglob("*.TextGrid")}
    faults += [
        BadLine(str(u.audio), "MFA did not align this recording. Its messages may say why.")
        for u in utterances
        if Path(u.id) not in grids
    ]
    return len(grids), write_errors(aligned, faults), is_new
