"""`python -m studies phrases`: noun phrases of treebanks, and headings of documents."""

from pathlib import Path
from typing import Annotated

import typer


def phrases(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="IN...",
            exists=True,
            help="Treebanks (.conllu), or files or folders of documents with marked units.",
        ),
    ],
    output: Annotated[
        Path, typer.Argument(metavar="OUT.txt", dir_okay=False, help="Phrases, one per line.")
    ],
    lang: Annotated[str, typer.Option(help="Language of the documents.")] = "en",
) -> None:
    """List phrases to test parsers on, which the rules of the augmenter did not produce.

    Takes the units of a treebank that are noun phrases without final punctuation, or the headings
    of documents. Use 'titles' to select the noun phrases among the headings. Each phrase is listed
    once.

    Example: python -m studies phrases assets/everyday/test headings.txt
    """
    import spacy

    from spacy_sentid.files.atomic import open_output
    from spacy_sentid.sentence_identifier.data.documents import read_documents
    from studies.parser.phrases import gold_noun_phrases, read_parsing_docs

    nlp = spacy.blank(lang)
    found: dict[str, None] = {}
    for path in files:
        if path.suffix == ".conllu":
            texts = [doc.text for doc in gold_noun_phrases(read_parsing_docs(path, nlp.vocab))]
        else:
            texts = [
                document.text[unit.start : unit.end]
                for document in read_documents(path, nlp)
                for unit in document.units
                if unit.label == "HEADING"
            ]
        found |= dict.fromkeys(" ".join(text.split()) for text in texts)
    if not found:
        raise ValueError(
            f"{', '.join(map(str, files))} must have noun phrase units or headings, got none."
        )
    with open_output(output) as file:
        file.writelines(f"{text}\n" for text in found)
    typer.echo(f"{output}: {len(found):,} phrases")
