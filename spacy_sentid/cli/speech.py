"""`spacy-sentid speech`: word boundaries from the pauses of Chinese speech."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..word_segmenter.speech.aligner import ACOUSTIC_MODEL, DICTIONARY
from ..word_segmenter.speech.pauses import MIN_P, MIN_PAUSE_MS
from . import options as opt
from .long_jobs import echo_errors
from .terminal.help import CommandGroup
from .terminal.printing import progress

app = CommandGroup(
    help="Learn Chinese word boundaries from the pauses of speech.",
    examples=[
        "speech align recordings/ aligned/",
        "speech pauses aligned/alignments -o pauses.jsonl",
        "speech complete pauses.jsonl completed.txt",
    ],
)

Transcripts = Annotated[
    Path | None,
    opt.in_option(
        "--text",
        metavar="FILE",
        help="Transcripts: a text file with an id and a text on each line, or .jsonl with 'id' "
        "and 'text'.",
    ),
]


@app.command()
def align(
    audio: Annotated[
        Path,
        opt.in_folder(
            metavar="AUDIO_FOLDER",
            help="Recordings (.wav, .flac, .mp3), each with a transcript (.lab, .txt) next to it. "
            "Use one folder per speaker.",
        ),
    ],
    output: Annotated[
        Path,
        opt.out_folder(
            metavar="OUT_FOLDER",
            help="Write alignments/ (TextGrids), transcripts.jsonl and the model's files here.",
        ),
    ],
    text: Transcripts = None,
    dictionary: Annotated[
        Path, Option(help="Dictionary of the acoustic model. Default: the one of MFA.")
    ] = DICTIONARY,
    model: Annotated[str, Option(help="Acoustic model to adapt.")] = ACOUSTIC_MODEL,
    jobs: Annotated[int | None, Option(min=1, help="Number of processes. Default: MFA's.")] = None,
) -> None:
    """Align recordings with their transcripts, using 'mfa'.

    Adapts the Mandarin model to the recordings, with a dictionary of all readings of each
    character. OUT_FOLDER/alignments.errors.jsonl lists the utterances that cannot be aligned.

    Example: spacy-sentid speech align recordings/ aligned/
    """
    from ..word_segmenter.speech.aligner import align_speech
    from ..word_segmenter.speech.transcripts import read_transcripts

    if output.resolve().is_relative_to(audio.resolve()):
        raise ValueError(f"OUT_FOLDER must be outside of AUDIO_FOLDER, got {output}.")
    n_aligned, n_left_out = align_speech(
        audio,
        output,
        dictionary=dictionary,
        texts=None if text is None else read_transcripts(text),
        acoustic_model=model,
        jobs=jobs,
    )
    echo_errors(output / "alignments", n_left_out)
    typer.echo(f"{n_aligned:,} utterances aligned.", err=True)


@app.command()
def pauses(
    alignments: Annotated[
        list[Path],
        Argument(metavar="ALIGNMENT...", exists=True, help="TextGrids, or folders of them."),
    ],
    output: Annotated[
        Path, opt.out_option("--output", "-o", metavar="OUT.jsonl", help="Write the pauses here.")
    ],
    text: Transcripts = None,
    tier: Annotated[
        str | None, Option(help="Name of the tier of words or characters, or its end.")
    ] = None,
) -> None:
    """Find the pauses between the characters of aligned speech.

    Writes a line {"id", "chars", "pause_ms"} for each utterance: the silence after each character
    except the last, in ms. With transcripts, adds "offsets" and "text". OUT.jsonl.errors.jsonl
    lists the utterances whose alignment is wrong or does not match its transcript, with file, tier
    and time.

    Example: spacy-sentid speech pauses aligned/alignments --text transcripts.jsonl -o pauses.jsonl
    """
    from ..word_segmenter.speech.alignments import find_alignments
    from ..word_segmenter.speech.matching import write_pauses
    from ..word_segmenter.speech.transcripts import read_transcripts

    texts = None if text is None else read_transcripts(text)
    bar = progress(find_alignments(alignments), desc="pauses", unit="file")
    n_records, n_pauses, n_errors = write_pauses(bar, output, texts=texts, tier=tier)
    echo_errors(output, n_errors)
    typer.echo(
        f"{n_records:,} utterances with {n_pauses:,} pauses of {MIN_PAUSE_MS} ms or more.", err=True
    )


@app.command()
def complete(
    pauses: Annotated[Path, opt.in_file(metavar="PAUSES.jsonl", help="Output of 'speech pauses'.")],
    output: Annotated[
        Path,
        opt.out_file(
            metavar="OUT.txt",
            help="Write segmented text here, or chunks for the partial CRF to OUT.jsonl.",
        ),
    ],
    model: opt.Model = "zh",
    min_p: Annotated[float, Option(help="Minimum p_B of a pause. 0 keeps all pauses.")] = MIN_P,
) -> None:
    """Turn pauses into training data by completing the segmentation.

    Keeps the pauses that are probable word boundaries according to --model (p_B). Train on OUT
    together with the training data of that model.

    Example: spacy-sentid speech complete pauses.jsonl completed.txt --min-p 0.5
    """
    from ..components.pipelines import load
    from ..files.records import count_lines
    from ..word_segmenter.speech.completion import write_completed
    from ..word_segmenter.speech.pauses import read_pauses

    opt.check_outputs([output], [pauses])
    nlp = load(model, "word_segmenter")
    with progress(total=count_lines([pauses]), desc="complete", unit="line") as bar:
        n_records, n_pauses, n_kept = write_completed(
            nlp, read_pauses(pauses), output, min_p=min_p, on_record=bar.update
        )
    typer.echo(f"{n_records:,} sentences, {n_kept:,} of {n_pauses:,} pauses kept.", err=True)
