"""Arguments and options that several commands share."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..sentence_identifier.evaluation import LabelledDocument


class Layout(str, Enum):
    """What stands between the units of an evaluation text."""

    space = "space"
    line = "line"
    paragraph = "paragraph"
    none = "none"


class Newline(str, Enum):
    """What line ends mean to the identifier."""

    learned = "learned"
    line_break = "break"
    ignore = "ignore"


class Format(str, Enum):
    """What an input is, where its name does not tell."""

    text = "text"
    lines = "lines"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


Model = Annotated[
    str,
    typer.Argument(
        help="Folder or package of a pipeline, or a language with embedded weights ('en')."
    ),
]
Treebank = Annotated[
    Path, typer.Argument(exists=True, help="A .conllu file, or a folder of them (see --split).")
]
Split = Annotated[
    str | None,
    typer.Option(help="In a folder, only the files named SPLIT.conllu or ...-SPLIT.conllu."),
]
AllSu = Annotated[
    bool, typer.Option("--all-su", help="Every unit is an SU; for corpora without relations.")
]
SuRelations = Annotated[
    str | None,
    typer.Option(
        help="Base relations, separated by commas, one of which makes a unit an SU. Default: the "
        "core and non-core arguments of the paper."
    ),
]
Lang = Annotated[str, typer.Option(help="Language of the tokenizer.")]
InputFormat = Annotated[
    Format | None, typer.Option("--format", help="Of standard input, or of files named otherwise.")
]
Lines = Annotated[bool, typer.Option("--lines", help="Each line of a text file is a document.")]
TextKey = Annotated[str, typer.Option(help="Field or column of the text.")]
IdKey = Annotated[str, typer.Option(help="Field or column of the id, if there is one.")]
NewlineSetting = Annotated[
    Newline | None,
    typer.Option(help="Line ends are evidence (learned), end a unit (break), or are spaces."),
]
Threshold = Annotated[
    float | None,
    typer.Option(min=0, max=1, help="Least probability of a candidate border of a unit."),
]
SegmenterName = Annotated[
    str | None,
    typer.Option(
        "--segmenter",
        metavar="NAME",
        help="Postprocess setting: cut the raw text of each document with a sentence segmenter "
        "first: 'sentencizer' or another untrained component, a pipeline (package or folder), or "
        "'ersatz'.",
    ),
]


def parse_su_relations(names: str | None) -> frozenset[str]:
    """Read the relations of --su-relations; None gives the paper's.

    >>> sorted(parse_su_relations("nsubj, obj"))
    ['nsubj', 'obj']
    """
    from ..sentence_identifier.rule import SU_RELATIONS

    if names is None:
        return SU_RELATIONS
    relations = frozenset(name.strip() for name in names.split(","))
    wrong = sorted(name for name in relations if not name.isalpha())
    if wrong:
        raise ValueError(
            f"--su-relations has {', '.join(map(repr, wrong))}, expected base relations such as "
            "'nsubj,obj,advcl'. Leave subtypes out: 'nsubj' covers 'nsubj:pass'."
        )
    return relations


def read_documents(
    path: Path, *, split: str | None, all_su: bool, su_relations: str | None = None
) -> list[LabelledDocument]:
    """Read (text, label) of the units, by document, that a TREEBANK and its options name."""
    from ..sentence_identifier.evaluation import read_labelled_documents
    from ..treebank import find_treebank_files

    files = find_treebank_files(path, split)
    relations: Any = parse_su_relations(su_relations)
    return read_labelled_documents(files, su_relations=relations, all_su=all_su)


def read_labelled(
    path: Path, *, split: str | None, all_su: bool, su_relations: str | None = None
) -> list[tuple[str, str]]:
    """Read (text, label) of the units that a TREEBANK argument and its options name."""
    documents = read_documents(path, split=split, all_su=all_su, su_relations=su_relations)
    return [unit for document in documents for unit in document]


def warn_without_nsu(labels: Iterable[str], source: Path, *, segmenter: str | None = None) -> None:
    """Say on stderr what the macro F1 is where no unit is an NSU (the paper's footnote 11).

    segmenter: One that may cut SUs, which makes NSUs.
    """
    from ..units import NSU

    if NSU not in labels:
        unless = "" if segmenter is None else f", unless {segmenter} cuts an SU"
        typer.secho(
            f"Warning: no NSU in {source}; macro F1 is the mean of B and I{unless}.",
            fg=typer.colors.YELLOW,
            err=True,
        )
