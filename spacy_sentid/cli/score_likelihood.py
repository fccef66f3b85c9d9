"""`spacy-sentid score-likelihood`: generation to score, as BARTScore."""

from pathlib import Path
from typing import Annotated

import typer

from .long_jobs import GpuId, device_name, echo_errors
from .score import count_entries, list_inputs, read_entries

BATCH_SIZE = 4


def score_likelihood(
    out: Annotated[
        Path,
        typer.Option(
            "--out", "-o", metavar="OUT.jsonl", dir_okay=False, help="P, R and F of each text."
        ),
    ],
    model: Annotated[
        str,
        typer.Option(help="Folder of train-paraphraser, or a name on the Hugging Face hub."),
    ],
    hyp: Annotated[
        Path | None,
        typer.Option(metavar="FILE", exists=True, dir_okay=False, help="Texts, one a line."),
    ] = None,
    ref: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Their references, line for line; again for more references.",
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.jsonl",
            exists=True,
            dir_okay=False,
            help="Instead of both: lines {'id', 'hyp', 'ref'}; 'ref' is a string or a list.",
        ),
    ] = None,
    batch_size: Annotated[
        int, typer.Option(min=1, help="Pairs of a text and a reference at once.")
    ] = BATCH_SIZE,
    gpu_id: GpuId = -1,
) -> None:
    """Score texts by how likely a generator is to write them, given their references.

    P: mean log-likelihood of a wordpiece of the text given the reference; R: the other way round;
    F: 2PR/(P+R). All are at most 0, and higher is better; of several references the highest
    counts. Prints the means. Goes on where it was interrupted. Needs the extra 'transformers'.

    Example: spacy-sentid score-likelihood --hyp hyp.txt --ref ref.txt --model scorer -o out.jsonl
    """
    from tqdm import tqdm

    from ..files.fingerprint import fingerprint_files, fingerprint_model
    from ..paraphrase_tagger.generation.generator import load_generator
    from ..paraphrase_tagger.generation.likelihood import write_likelihoods

    refs = ref or []
    inputs = list_inputs(hyp, refs, pairs, out=out)
    total = count_entries(hyp, refs, pairs)
    generator = load_generator(model, device=device_name(gpu_id))
    with tqdm(total=total, desc="score-likelihood", unit="text", disable=None) as bar:
        report = write_likelihoods(
            read_entries(hyp, refs, pairs),
            out,
            generator=generator,
            batch_size=batch_size,
            settings={
                "files": [str(path) for path in inputs],
                "content": fingerprint_files(inputs),
                "model": fingerprint_model(model),
            },
            on_entries=bar.update,
        )
    if report.mean is not None:
        p, r, f = report.mean
        typer.echo(f"{report.n:,} texts: P {p:.4f}, R {r:.4f}, F {f:.4f} (means)")
    if report.n_cut:
        typer.secho(
            f"Warning: {report.n_cut:,} texts or references have more than "
            f"{generator.max_tokens:,} wordpieces and are scored by their beginning.",
            fg=typer.colors.YELLOW,
            err=True,
        )
    echo_errors(out, report.n_errors)
