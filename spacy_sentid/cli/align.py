"""`spacy-sentid align`: speech and transcripts through the Montreal Forced Aligner."""

from pathlib import Path
from typing import Annotated

import typer

from ..word_segmenter.speech.aligner import ACOUSTIC_MODEL


def align(
    audio: Annotated[
        Path,
        typer.Argument(
            metavar="AUDIO_FOLDER",
            exists=True,
            file_okay=False,
            help="Recordings (.wav, .flac, .mp3), in folders by speaker if there are several; "
            "beside each its transcript, .lab or .txt.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUT_FOLDER",
            file_okay=False,
            help="Gets alignments/ (TextGrids), transcripts.jsonl, and what they are made with.",
        ),
    ],
    text: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Transcripts instead: lines of id and text, or .jsonl with 'id' and 'text'.",
        ),
    ] = None,
    dictionary: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            help="Dictionary of the acoustic model. Default: mandarin_mfa.dict where MFA keeps it.",
        ),
    ] = None,
    model: Annotated[str, typer.Option(help="Acoustic model that is adapted.")] = ACOUSTIC_MODEL,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes. Default: MFA's.")] = None,
) -> None:
    """Align recordings with their transcripts, character by character, with the program 'mfa'.

    Adapts the Mandarin model to the recordings, with a dictionary of all readings of each
    character. Steps that are done are not done again. What cannot be aligned is in
    OUT_FOLDER/alignments.errors.jsonl. Then run 'spacy-sentid pauses OUT_FOLDER/alignments --text
    OUT_FOLDER/transcripts.jsonl'.

    Example: spacy-sentid align recordings/ aligned/
    """
    from ..word_segmenter.speech.aligner import align_speech
    from ..word_segmenter.speech.transcripts import read_transcripts
    from .long_jobs import echo_errors

    inside, outside = output.resolve(), audio.resolve()
    if inside == outside or outside in inside.parents:
        raise ValueError(
            f"Found the output {output} in {audio}, expected a folder elsewhere: its recordings "
            "would be aligned the next time. Name another."
        )
    outcome = align_speech(
        audio,
        output,
        dictionary=dictionary,
        texts=None if text is None else read_transcripts(text),
        acoustic_model=model,
        jobs=jobs,
        on_step=lambda step: typer.echo(f"mfa {step} ...", err=True),
    )
    if not outcome.steps:
        typer.echo("Nothing has changed since the last time.", err=True)
    echo_errors(output / "alignments", outcome.n_left_out)
    typer.echo(f"{outcome.n_aligned:,} utterances aligned.", err=True)
