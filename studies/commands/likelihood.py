"""`python -m studies likelihood`: the baseline "generation to score" (ParaTag, section 5.2)."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.long_jobs import device_name, echo_errors
from spacy_sentid.cli.terminal.printing import progress, warn
from studies.options import GpuId


def likelihood(
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="OUT.jsonl", dir_okay=False, help="P, R and F of each text."
        ),
    ],
    model: Annotated[
        str,
        typer.Option(help="Folder from `paraphrase train`, or a name on the Hugging Face Hub."),
    ],
    hyp: Annotated[
        str | None, typer.Option(metavar="FILE", help="Texts, one per line, instead of --pairs.")
    ] = None,
    ref: Annotated[
        list[str] | None,
        typer.Option("--ref", metavar="FILE", help="References, line by line. Repeatable."),
    ] = None,
    pairs: Annotated[
        list[str] | None,
        typer.Option(metavar="INPUT", help="Files of records {'id', 'hyp', 'ref'}. Repeatable."),
    ] = None,
    batch_size: Annotated[
        int, typer.Option(min=1, help="Number of pairs (text and reference) per batch.")
    ] = 4,
    gpu_id: GpuId = -1,
) -> None:
    """Score texts by their probability under a model, like BARTScore.

    P is the mean log-likelihood of the wordpieces of the text, given the reference. R is that of
    the reference, given the text. F is 2PR/(P+R). All are at most 0, and higher is better. With
    several references, the highest score counts. Prints the means. The same command resumes an
    interrupted job. Requires the extra 'transformers'.

    Example: python -m studies likelihood --hyp a.txt --ref b.txt --model scorer -o out.jsonl
    """
    from spacy_sentid.batch.input.documents import ReadSettings
    from spacy_sentid.batch.input.readers import DocumentReader
    from spacy_sentid.batch.input.sources import find_sources
    from spacy_sentid.extras import require_extra
    from spacy_sentid.files.fingerprint import fingerprint_model, fingerprint_values
    from spacy_sentid.files.records import BadLine
    from spacy_sentid.paraphrase_tagger.nlg.evaluator import TextPair
    from studies.text_scores.likelihood import Entry, write_likelihoods

    with require_extra("a generator", extra="transformers"):
        from spacy_sentid.paraphrase_tagger.generation.seq2seq import load_generator
    if bool(pairs) == bool(hyp or ref) or bool(hyp) != bool(ref):
        raise ValueError("Inputs must be either --hyp and --ref, or --pairs.")
    inputs = [hyp] if hyp else pairs or []
    sources = find_sources(inputs, default="jsonl", refs=ref or [], exclude=[str(output)])
    entries = (
        Entry(found.place, found.place, None, found.reason)
        if isinstance(found, BadLine)
        else Entry(str(found.place), found.id, TextPair(found.text, found.refs or (), found.id), "")
        for found in DocumentReader(sources, ReadSettings(pairs=True))
    )
    generator = load_generator(model, device=device_name(gpu_id))
    with progress(desc="likelihood", unit="text") as bar:
        report = write_likelihoods(
            entries,
            output,
            generator=generator,
            batch_size=batch_size,
            settings={"inputs": fingerprint_values(sources), "model": fingerprint_model(model)},
            on_entries=bar.update,
        )
    if report.mean is not None:
        p, r, f = report.mean
        typer.echo(f"{report.n:,} texts: P {p:.4f}, R {r:.4f}, F {f:.4f} (means)")
    if report.n_cut:
        warn(
            f"{report.n_cut:,} texts or references have more than {generator.max_tokens:,} "
            "wordpieces. Only their beginning is scored."
        )
    echo_errors(output, report.n_errors)
