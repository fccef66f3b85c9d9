"""`python -m studies lexicon`: build the lexicon of the paraphrase tagger from WordNet."""

from pathlib import Path
from typing import Annotated

import typer

DEFAULT_FORMS = 60_000


def lexicon(
    wordnet: Annotated[
        Path,
        typer.Argument(
            metavar="WORDNET",
            exists=True,
            file_okay=False,
            help="Folder 'dict' of WordNet 3, with data.noun and similar files.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(
            metavar="OUT.npz", dir_okay=False, help="Lexicon file, for the setting 'lexicon'."
        ),
    ],
    forms: Annotated[
        int, typer.Option("--forms", min=1, help="Number of word forms, most frequent first.")
    ] = DEFAULT_FORMS,
    encoder: Annotated[
        Path | None,
        typer.Option(
            "--encoder",
            exists=True,
            file_okay=False,
            help="Folder of a pretrained encoder that computes the word vectors.",
        ),
    ] = None,
    treebanks: Annotated[
        list[Path] | None,
        typer.Option(
            "--treebank",
            exists=True,
            dir_okay=False,
            help="CoNLL-U file with texts, in which the encoder reads the words. Repeatable.",
        ),
    ] = None,
) -> None:
    """Build the lexicon of the paraphrase tagger.

    For English words, it has synonyms, broader words, opposites, vectors and frequencies. Requires
    the extra 'lexicon', and with --encoder also the extra 'transformers'.

    Example: python -m studies lexicon wordnet/dict lexicon.npz --encoder all-MiniLM-L6-v2
    """
    from spacy_sentid.paraphrase_tagger.matching.lexicon import WIDTH, save_lexicon
    from studies.paraphrase_data.lexicon import build_lexicon
    from studies.paraphrase_data.meanings import make_vectors, read_texts
    from studies.paraphrase_data.wordnet import list_entries, read_wordnet

    if output.suffix != ".npz":
        raise ValueError(f"OUT must end in .npz, got {output}.")
    entries = list_entries(read_wordnet(wordnet), forms)
    found: tuple = ()
    if encoder is not None:
        texts = [text for path in treebanks or () for text in read_texts(path)]
        found = make_vectors(list(entries), texts, encoder, WIDTH)
    built = build_lexicon(entries, *found)
    save_lexicon(built, output)
    typer.echo(f"{len(built.forms):,} forms, {len(built.keys):,} keys", err=True)
