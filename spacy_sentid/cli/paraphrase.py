"""`spacy-sentid paraphrase`: a labelled training set with paraphrased copies of its rows."""

from pathlib import Path
from typing import Annotated

import typer

from ..paraphrase_tagger.generation.generator import Decoding
from .long_jobs import GpuId, device_name, echo_errors
from .table import format_table

DEFAULT = Decoding()
BATCH_SIZE = 16


def paraphrase(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN", exists=True, dir_okay=False, help="Rows: .jsonl, .json, .csv or .tsv."
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(metavar="OUT", dir_okay=False, help="Each row, and its copies after it."),
    ],
    model: Annotated[
        str,
        typer.Option(help="Folder of train-paraphraser, or a name on the Hugging Face hub."),
    ],
    text: Annotated[
        list[str],
        typer.Option(
            metavar="FIELD", help="Field of a text; can be repeated. All others stay as they are."
        ),
    ],
    n: Annotated[int, typer.Option("--n", min=1, help="Copies of a row.")] = 1,
    max_rouge: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Copies go whose ROUGE-2 F to the original is so much or more, in each text.",
        ),
    ] = 1.0,
    beams: Annotated[int, typer.Option(min=1, help="Of beam search.")] = DEFAULT.beams,
    sample: Annotated[
        bool, typer.Option("--sample", help="Draw the words instead, by --seed.")
    ] = DEFAULT.sample,
    top_p: Annotated[
        float, typer.Option(min=0, max=1, help="Draw from the likeliest words of this probability.")
    ] = DEFAULT.top_p,
    temperature: Annotated[
        float, typer.Option(min=0.01, help="Above 1: unlikely words are drawn more often.")
    ] = DEFAULT.temperature,
    max_tokens: Annotated[
        int, typer.Option(min=3, help="Wordpieces; longer texts get no paraphrase.")
    ] = DEFAULT.max_tokens,
    origin: Annotated[
        str,
        typer.Option(
            metavar="FIELD",
            help="New field: where a row comes from ('train.csv:7', copies 'train.csv:7#1'). "
            "Empty: none.",
        ),
    ] = "origin",
    seed: Annotated[int, typer.Option(help="With --sample.")] = 0,
    batch_size: Annotated[int, typer.Option(min=1, help="Rows at once.")] = BATCH_SIZE,
    gpu_id: GpuId = -1,
) -> None:
    """Add paraphrased copies of the rows to a labelled training set; the labels are kept.

    Prints the diversity of the paper's Table 7: ROUGE-2 F of the paraphrases to their originals,
    in percent; lower is more diverse. Goes on where it was interrupted. Rows without a text are in
    OUT.errors.jsonl. Needs the extras 'transformers' and 'nlg'.

    Example: spacy-sentid paraphrase rte.csv more.csv --model paraphraser --text sentence1
    """
    from tqdm import tqdm

    from ..files.fingerprint import fingerprint_model
    from ..files.records import count_lines
    from ..paraphrase_tagger.generation.generator import load_generator
    from ..paraphrase_tagger.generation.training_sets import Augmentation, augment_rows

    augmentation = Augmentation(
        texts=tuple(dict.fromkeys(text)),
        n=n,
        max_rouge=max_rouge,
        origin=origin or None,
        seed=seed,
    )
    decoding = Decoding(
        n=n,
        beams=beams,
        sample=sample,
        top_p=top_p,
        temperature=temperature,
        max_tokens=max_tokens,
    )
    generator = load_generator(model, device=device_name(gpu_id))
    # A row of CSV may go over several lines: the bar may end early.
    with tqdm(total=count_lines([source]), desc="paraphrase", unit="row", disable=None) as bar:
        report = augment_rows(
            source,
            output,
            lambda texts, text_seed: generator.generate(texts, decoding, seed=text_seed),
            augmentation=augmentation,
            batch_size=batch_size,
            settings={"model": fingerprint_model(model), **decoding._asdict()},
            on_rows=bar.update,
        )
    rows = [["text", "paraphrases", "ROUGE-2 F", "kept", "ROUGE-2 F"]]
    for found in report.diversity:
        written, kept = _percent(found.written), _percent(found.kept)
        rows.append([found.field, f"{found.n_written:,}", written, f"{found.n_kept:,}", kept])
    typer.echo(format_table(rows))
    dropped = ", ".join(f"{reason} {n:,}" for reason, n in report.dropped.most_common())
    typer.echo(
        f"{report.n_rows:,} rows and {report.n_copies:,} copies (dropped: {dropped or 'none'}).",
        err=True,
    )
    echo_errors(output, report.n_errors)


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.2f}"
