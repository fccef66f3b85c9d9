"""`python -m studies make-pairs`: synthetic pairs to train the paraphrase tagger on."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_PAIRS = 6000


def make_pairs(
    treebank: Annotated[
        Path,
        typer.Argument(
            metavar="TREEBANK.conllu",
            exists=True,
            dir_okay=False,
            help="English treebank with trees.",
        ),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT.jsonl", dir_okay=False, help="Pairs, one per line.")
    ],
    wordnet: Annotated[
        Path, typer.Option(exists=True, file_okay=False, help="Folder 'dict' of WordNet 3.")
    ],
    pairs: Annotated[
        int, typer.Option("--pairs", min=0, help="Number of pairs from sentences.")
    ] = DEFAULT_PAIRS,
    known: Annotated[
        list[Path] | None,
        typer.Option(
            "--known",
            exists=True,
            dir_okay=False,
            help="Tagged pairs to turn into contrasts. Repeatable; duplicates count twice.",
        ),
    ] = None,
    contrasts: Annotated[int, typer.Option(min=0, help="Number of pairs from --known.")] = 0,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
) -> None:
    """Make tagged pairs of sentences by edits that keep the meaning, and edits that change it.

    Each sentence is used twice. The words that differ in meaning are tagged 1. Requires the extra
    'lexicon'.

    Example: python -m studies make-pairs train.conllu pairs.jsonl --wordnet wordnet/dict
    """
    from tqdm import tqdm

    from spacy_sentid.conllu.treebank import read_treebank
    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.paraphrase_tagger.corpus import format_pair, read_pairs
    from studies.paraphrase_data import synthetic_pairs
    from studies.paraphrase_data.annotations import count_pairs
    from studies.paraphrase_data.bank import collect_bank
    from studies.paraphrase_data.known_pairs import make_contrasts
    from studies.paraphrase_data.thesaurus import Thesaurus
    from studies.paraphrase_data.wordnet import read_wordnet

    inputs = {path.resolve() for path in (treebank, *(known or ()))}
    if output.resolve() in inputs:
        raise ValueError(
            f"OUT must be a new file, got {output}, which is also an input. Choose another name."
        )
    if bool(known) != bool(contrasts):
        raise ValueError(
            "--known and --contrasts must be used together, got only one of them. --contrasts is "
            "the number of pairs to make from the tagged pairs of --known."
        )
    thesaurus = Thesaurus(read_wordnet(wordnet))
    sentences = synthetic_pairs.read_sentences(read_treebank(treebank))
    bank = collect_bank(synthetic_pairs.choose_usable(sentences))
    tagged = [pair for path in known or () for pair in read_pairs(path)]
    made = chain(
        synthetic_pairs.make_pairs(sentences, thesaurus, n=pairs, seed=seed),
        make_contrasts(tagged, thesaurus, bank, n=contrasts, seed=seed),
    )
    done = []
    with (
        open_output(output) as file,
        tqdm(made, desc="pairs", unit="pair", total=pairs + contrasts, disable=None) as bar,
    ):
        for pair in bar:
            file.write(format_pair(pair) + "\n")
            done.append(pair)
    counts = count_pairs(done)
    typer.echo(
        f"{counts['pairs']:,} pairs, {counts['paraphrases']:,} of them paraphrases; "
        f"{counts['words']:,} words, {counts['para_tag_rate']:.1%} of them paraphrased",
        err=True,
    )
