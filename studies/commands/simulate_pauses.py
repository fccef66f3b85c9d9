"""`python -m studies simulate-pauses`: simulated pauses for gold words, if you have no speech."""

from pathlib import Path
from typing import Annotated

import typer


def simulate_pauses(
    words: Annotated[
        Path,
        typer.Argument(
            metavar="WORDS.txt", exists=True, dir_okay=False, help="Segmented text, with spaces."
        ),
    ],
    output: Annotated[Path, typer.Argument(metavar="OUT.jsonl", dir_okay=False)],
    rate: Annotated[float, typer.Option(help="Probability of a pause between two words.")] = 0.3,
    noise: Annotated[
        float, typer.Option(help="Share of false pauses (inside words) in all pauses.")
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Draw pauses from the boundaries of gold words.

    Punctuation is removed, because it is not spoken.

    Example: python -m studies simulate-pauses words.txt pauses.jsonl --rate 0.3 --noise 0.2
    """
    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.word_segmenter.characters import without_symbols
    from spacy_sentid.word_segmenter.corpus import read_words
    from spacy_sentid.word_segmenter.speech.pauses import format_pauses, pause_gaps
    from studies.pauses.simulation import simulate_pauses as simulate

    if output.resolve() == words.resolve():
        raise ValueError(f"OUT must be a new file, got {output}, which is also the input.")
    sentences = [without_symbols(sentence) for sentence in read_words(words)]
    if not any(sentences):
        raise ValueError(f"{words} must be segmented text, but it has no words.")
    records = simulate(sentences, rate=rate, noise=noise, seed=seed)
    with open_output(output) as file:
        file.writelines(format_pauses(record) + "\n" for record in records)
    n_pauses = sum(len(pause_gaps(record)) for record in records)
    typer.echo(f"{len(records):,} sentences, {n_pauses:,} pauses", err=True)
