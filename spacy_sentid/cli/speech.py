"""`spacy-sentid speech`: word boundaries from the pauses of Chinese speech."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from ..word_segmenter.speech.aligner import ACOUSTIC_MODEL
from ..word_segmenter.speech.alignments import Kind
from . import options as opt
from .long_jobs import echo_errors
from .terminal.help import CommandGroup
from .terminal.printing import format_table, progress, write_json

app = CommandGroup(
    help="Learn Chinese word boundaries from the pauses of speech.",
    examples=[
        "speech align recordings/ aligned/",
        "speech pauses aligned/alignments -o pauses.jsonl",
        "speech complete pauses.jsonl completed.txt",
    ],
)

Pauses = Annotated[
    Path,
    opt.in_file(
        metavar="PAUSES.jsonl",
        help="Output of 'speech pauses': one line {'id', 'chars', 'pause_ms'} per utterance.",
    ),
]
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
        Path | None,
        opt.in_option(
            help="Dictionary of the acoustic model. Default: mandarin_mfa.dict in MFA's folder."
        ),
    ] = None,
    model: Annotated[str, Option(help="Acoustic model to adapt.")] = ACOUSTIC_MODEL,
    jobs: Annotated[int | None, Option(min=1, help="Number of processes. Default: MFA's.")] = None,
) -> None:
    """Align recordings with their transcripts, using 'mfa'.

    Adapts the Mandarin model to the recordings, with a dictionary of all readings of each
    character. Finished steps are not repeated. OUT_FOLDER/alignments.errors.jsonl lists the
    utterances that cannot be aligned. Then run 'spacy-sentid speech pauses OUT_FOLDER/alignments
    --text OUT_FOLDER/transcripts.jsonl'.

    Example: spacy-sentid speech align recordings/ aligned/
    """
    from ..word_segmenter.speech.aligner import align_speech
    from ..word_segmenter.speech.transcripts import read_transcripts

    if output.resolve().is_relative_to(audio.resolve()):
        raise ValueError(f"OUT_FOLDER must be outside of AUDIO_FOLDER, got {output}.")
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
        typer.echo("Nothing has changed since the last run.", err=True)
    echo_errors(output / "alignments", outcome.n_left_out)
    typer.echo(f"{outcome.n_aligned:,} utterances aligned.", err=True)


@app.command()
def pauses(
    alignments: Annotated[
        list[Path],
        Argument(
            metavar="ALIGNMENT...",
            exists=True,
            help="Files, or folders of them: .TextGrid, .ctm, or .jsonl with 'chars' and "
            "'pause_ms'.",
        ),
    ],
    output: Annotated[
        Path, opt.out_option("--output", "-o", metavar="OUT.jsonl", help="Write the pauses here.")
    ],
    text: Transcripts = None,
    kind: Annotated[
        Kind, Option(help="Type of the intervals in the alignment. Phones need --text.")
    ] = Kind.words,
    tier: Annotated[
        str | None,
        Option(help="Name of the TextGrid tier, or its end. Default: depends on --kind."),
    ] = None,
) -> None:
    """Find the pauses between the characters of aligned speech.

    Writes a line {"id", "chars", "pause_ms"} for each utterance: the silence after each character
    except the last, in ms. With transcripts, adds "offsets" and "text". OUT.jsonl.errors.jsonl
    lists the utterances whose alignment is wrong or does not match its transcript, with file, tier
    and time.

    Example: spacy-sentid speech pauses aligned/alignments --text transcripts.jsonl -o pauses.jsonl
    """
    from ..files.records import errors_path
    from ..word_segmenter.speech.pause_files import find_alignments, write_pauses
    from ..word_segmenter.speech.pauses import MIN_PAUSE_MS
    from ..word_segmenter.speech.transcripts import read_transcripts

    files = find_alignments(alignments, exclude=[output, errors_path(output), text])
    texts = None if text is None else read_transcripts(text)
    bar = progress(files, desc="pauses", unit="file")
    found = write_pauses(bar, output, texts=texts, kind=kind, tier=tier)
    echo_errors(output, len(found.errors))
    typer.echo(
        f"{found.n_records:,} utterances with {found.n_pauses:,} pauses of {MIN_PAUSE_MS} ms or "
        "more.",
        err=True,
    )


@app.command()
def statistics(
    pauses: Pauses,
    model: opt.Model = "zh",
    gold: Annotated[
        Path | None,
        opt.in_option(
            metavar="FILE",
            help="Segmented text, for the accuracy on the utterances that are in it (punctuation "
            "is ignored).",
        ),
    ] = None,
    json_path: opt.JsonPath = None,
) -> None:
    """Count pauses by boundary probability and duration.

    All figures are percent. overall: share of all pauses. By ms: share of the pauses with this
    probability. accuracy: share of the pauses with gold that are boundaries. A probability of 1.0
    means 0.9999 or more.

    Example: spacy-sentid speech statistics pauses.jsonl --json figure2.json
    """
    from ..components.pipelines import load
    from ..files.records import count_lines
    from ..word_segmenter.corpus import read_words
    from ..word_segmenter.speech import statistics as part

    opt.check_outputs([json_path], [pauses, gold])
    words = None if gold is None else read_words(gold)
    nlp = load(model, "word_segmenter")
    with progress(total=count_lines([pauses]), desc="pauses", unit="utterance") as bar:
        found = part.read_statistics(nlp, pauses, gold=words, on_record=bar.update)
    typer.echo(format_table(part.table_rows(found.bins)))
    if gold is not None:
        typer.echo(f"{found.n_gold:,} of {found.n_records:,} utterances are in {gold}.", err=True)
    report = {
        "pauses": pauses.name,
        "model": model,
        "gold": gold and gold.name,
        "n_pauses": sum(row.n for row in found.bins),
        "bins": [row._asdict() for row in found.bins],
    }
    write_json(json_path, report)


@app.command()
def complete(
    pauses: Pauses,
    output: Annotated[
        Path, opt.out_file(metavar="OUT.txt", help="Write segmented text here (see --partial).")
    ],
    model: opt.Model = "zh",
    min_p: Annotated[float, Option(help="Minimum p_B of a pause.")] = 0.5,
    max_p: Annotated[float, Option(help="Maximum p_B of a pause.")] = 1.0,
    min_ms: Annotated[int, Option(help="Minimum length of a pause, in ms.")] = 10,
    partial: Annotated[
        bool, Option("--partial", help="Write lines {'chunks': [...]}, for the partial CRF.")
    ] = False,
) -> None:
    """Turn pauses into training data by completing the segmentation.

    Keeps the pauses that are probable word boundaries according to --model (p_B). Train on OUT
    together with the training data of that model. OUT.errors.jsonl lists invalid lines.

    Example: spacy-sentid speech complete pauses.jsonl completed.txt --min-p 0.5
    """
    from ..components.pipelines import load
    from ..files.records import count_lines
    from ..word_segmenter.speech.completion import Filter
    from ..word_segmenter.speech.pause_files import write_completed

    opt.check_outputs([output], [pauses])
    keep = Filter(min_p, max_p, min_ms)
    nlp = load(model, "word_segmenter")
    with progress(total=count_lines([pauses]), desc="complete", unit="line") as bar:
        found = write_completed(nlp, pauses, output, keep=keep, partial=partial, on_line=bar.update)
    echo_errors(output, len(found.errors))
    typer.echo(
        f"{found.n_records:,} sentences, {found.n_kept:,} of {found.n_pauses:,} pauses kept.",
        err=True,
    )
