"""`python -m studies make-pairs`: synthetic pairs that the paraphrase tagger is trained on."""

from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

DEFAULT_PAIRS = 6000


def make_pairs(
    treebank: Annotated[
        Path,
        typer.Argument(
            metavar="TREEBANK.conllu", exists=True, dir_okay=False, help="English, with trees."
        ),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT.jsonl", dir_okay=False, help="The pairs, one a line.")
    ],
    wordnet: Annotated[
        Path, typer.Option(exists=True, file_okay=False, help="Folder 'dict' of WordNet 3.")
    ],
    pairs: Annotated[
        int, typer.Option("--pairs", min=0, help="Pairs to make of sentences.")
    ] = DEFAULT_PAIRS,
    known: Annotated[
        list[Path] | None,
        typer.Option(
            "--known",
            exists=True,
            dir_okay=False,
            help="Tagged pairs to make contrasts of; a file given twice counts twice.",
        ),
    ] = None,
    contrasts: Annotated[int, typer.Option(min=0, help="Pairs to make of those of --known.")] = 0,
    seed: Annotated[int, typer.Option(help="Seed of all draws.")] = 0,
) -> None:
    """Make tagged pairs of sentences by edits that keep the meaning, and edits that change it.

    Each sentence is taken twice. The words that come to differ in meaning are tagged 1.
    Needs the packages of 'pip install spacy-sentid[lexicon]'.

    Example: python -m studies make-pairs train.conllu pairs.jsonl --wordnet wordnet/dict
    """
    from tqdm import tqdm

    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.paraphrase_tagger.corpus import format_pair, read_pairs
    from spacy_sentid.treebank import read_treebank
    from studies.paraphrase_data import synthetic_pairs
    from studies.paraphrase_data.annotations import count_pairs
    from studies.paraphrase_data.bank import collect_bank
    from studies.paraphrase_data.known_pairs import make_contrasts
    from studies.paraphrase_data.thesaurus import Thesaurus
    from studies.paraphrase_data.wordnet import read_wordnet

    inputs = {path.resolve() for path in (treebank, *(known or ()))}
    if output.resolve() in inputs:
        raise ValueError(
            f"Found {output} as input and output, expected a new file for the pairs. Name another."
        )
    if bool(known) != bool(contrasts):
        raise ValueError(
            "Found one of --known and --contrasts, expected both or none. Give the tagged pairs "
            "and how many to make of them."
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
