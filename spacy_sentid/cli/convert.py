"""`spacy-sentid convert`: treebank files to a .spacy file with gold units."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .options import (
    AllSu,
    Lang,
    Split,
    SuRelations,
    Treebank,
    parse_su_relations,
    warn_without_nsu,
)

if TYPE_CHECKING:
    from spacy.tokens import Doc


def convert(
    source: Treebank,
    output: Annotated[Path, typer.Argument(metavar="OUT.spacy")],
    lang: Lang = "en",
    split: Split = None,
    all_su: AllSu = False,
    su_relations: SuRelations = None,
) -> None:
    """Turn CoNLL-U into documents with gold SUs and NSUs, to train and score on.

    Example: spacy-sentid convert assets/sample train.spacy --split train
    """
    import spacy

    from ..sentence_identifier.convert import NSU_KEY, SU_KEY, convert_treebank, write_docs
    from ..treebank import find_treebank_files
    from ..units import NSU

    if output.suffix != ".spacy":
        raise ValueError(f"The output is {output}, expected a name that ends in .spacy. Rename it.")
    relations = parse_su_relations(su_relations)
    files = find_treebank_files(source, split)
    nlp = spacy.blank(lang)
    counts: Counter[str] = Counter()

    def counted_docs() -> Iterator["Doc"]:
        # A block between blank lines is a unit; that is exact enough for a bar.
        n_units = sum(file.read_bytes().count(b"\n\n") for file in files)
        with typer.progressbar(length=n_units, label="Converting", file=sys.stderr) as bar:
            for file in files:
                for doc in convert_treebank(file, nlp, su_relations=relations, all_su=all_su):
                    n_su, n_nsu = len(doc.spans[SU_KEY]), len(doc.spans[NSU_KEY])
                    counts.update({"SUs": n_su, "NSUs": n_nsu})
                    bar.update(n_su + n_nsu)
                    yield doc

    n_docs = write_docs(counted_docs(), output)
    warn_without_nsu([NSU] if counts["NSUs"] else [], source)
    typer.echo(
        f"{output}: {n_docs:,} documents, {counts.total():,} units "
        f"({counts['SUs']:,} SUs, {counts['NSUs']:,} NSUs)"
    )
