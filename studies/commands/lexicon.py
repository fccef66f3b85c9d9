"""`python -m studies lexicon`: the lexicon of the paraphrase tagger, of WordNet."""

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
            help="Folder 'dict' of WordNet 3, with data.noun and the like.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Argument(metavar="OUT.npz", dir_okay=False, help="For the setting 'lexicon'."),
    ],
    forms: Annotated[
        int, typer.Option("--forms", min=1, help="Word forms, the most frequent ones.")
    ] = DEFAULT_FORMS,
) -> None:
    """Build a lexicon: synonyms, broader words, opposites and frequencies of English word forms.

    Needs the packages of 'pip install spacy-sentid[lexicon]'.

    Example: python -m studies lexicon wordnet/dict lexicon.npz
    """
    from spacy_sentid.paraphrase_tagger.lexicon import save_lexicon
    from studies.paraphrase_data.lexicon import build_lexicon
    from studies.paraphrase_data.wordnet import list_entries, read_wordnet

    if output.suffix != ".npz":
        raise ValueError(f"Found {output} as output, expected a name that ends in .npz. Rename it.")
    built = build_lexicon(list_entries(read_wordnet(wordnet), forms))
    save_lexicon(built, output)
    typer.echo(f"{len(built.forms):,} forms, {len(built.keys):,} keys", err=True)
