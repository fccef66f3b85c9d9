"""`spacy-sentid assemble`: evaluation texts with gold units, for any system to be scored on."""

from pathlib import Path
from typing import Annotated

import typer

from .options import (
    AllSu,
    Lang,
    Layout,
    SegmenterName,
    Split,
    SuRelations,
    Treebank,
    read_documents,
    warn_without_nsu,
)

DEFAULT_P_CC = 0.5


def assemble(
    source: Treebank,
    output: Annotated[Path, typer.Argument(metavar="OUT.jsonl")],
    p_cc: Annotated[
        float | None,
        typer.Option(
            "--p-cc",
            min=0,
            max=1,
            help="Units are joined by draws from a geometric distribution with this parameter; 0 "
            f"= up to 400 words. Default, without --segmenter: {DEFAULT_P_CC}.",
        ),
    ] = None,
    segmenter: SegmenterName = None,
    seed: Annotated[int, typer.Option(help="Seed of the draws.")] = 0,
    layout: Annotated[Layout, typer.Option(help="What stands between units.")] = Layout.space,
    lang: Lang = "en",
    split: Split = None,
    all_su: AllSu = False,
    su_relations: SuRelations = None,
) -> None:
    """Write the texts that `evaluate` makes of a treebank, with their gold units.

    One line of JSON a text: {"id", "text", "units": [{"start_char", "end_char", "label"}]}. Run
    `identify` or any other system on them, then `score`.

    Example: spacy-sentid assemble assets/sample/dev.conllu texts.jsonl
    """
    from ..files.atomic import open_output
    from ..sentence_identifier.evaluation import Setting, assemble_setting
    from ..sentence_identifier.evaluation_files import input_lines

    if output.suffix != ".jsonl":
        raise ValueError(f"The output is {output}, expected a name that ends in .jsonl. Rename it.")
    if p_cc is None and segmenter is None:
        p_cc = DEFAULT_P_CC
    setting = Setting(p_cc=p_cc, segmenter=segmenter)
    documents = read_documents(source, split=split, all_su=all_su, su_relations=su_relations)
    texts = assemble_setting(documents, setting, seed=seed, layout=layout.value, lang=lang)
    if not texts:
        raise ValueError(f"Found no units in {source}, expected at least one. Check the file.")
    warn_without_nsu({unit.label for text in texts for unit in text.units}, source)
    name = setting.name if segmenter is not None else f"p{setting.name}-seed{seed}"
    with open_output(output) as file:
        for line in input_lines(texts, name=name):
            file.write(line + "\n")
    n_units = sum(len(text.units) for text in texts)
    typer.echo(f"{output}: {len(texts):,} texts, {n_units:,} units")
