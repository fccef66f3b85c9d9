"""Options that commands share, with their help texts, and functions that read them."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typer import Argument, Option

from .terminal.help import CLUSTER, INPUT, MODEL, OUTPUT, SPEED
from .terminal.printing import warn

if TYPE_CHECKING:
    from collections.abc import Iterable


# Inputs must exist; outputs need not.
in_file = partial(Argument, exists=True, dir_okay=False)
in_folder = partial(Argument, exists=True, file_okay=False)
in_option = partial(Option, exists=True, dir_okay=False)
out_file = partial(Argument, dir_okay=False)
out_folder = partial(Argument, file_okay=False)
out_option = partial(Option, dir_okay=False)
# Options in the groups of the help.
input_option = partial(Option, rich_help_panel=INPUT)
output_option = partial(Option, rich_help_panel=OUTPUT)
model_option = partial(Option, rich_help_panel=MODEL)
speed_option = partial(Option, rich_help_panel=SPEED)
cluster_option = partial(Option, rich_help_panel=CLUSTER)

Separator = Literal["space", "line", "paragraph", "none"]  # between the units of a text
Model = Annotated[
    str, model_option(help="Folder or package of a pipeline, or a language with bundled weights.")
]
AnyModel = Annotated[
    str | None,
    model_option(help="Folder or package of a pipeline, or a language. Default: en; zh for words."),
]
Models = Annotated[
    list[str] | None,
    model_option(
        "--model",
        help="Folder or package of a pipeline, or a language with bundled weights. Repeatable, "
        "for the mean and standard deviation of several seeds. Default: en.",
    ),
]
Inputs = Argument(
    metavar="INPUT...",
    help="Files, folders and globs of .txt, .md, .srt, .vtt, .html, .eml, .jsonl, .csv (also with "
    ".gz or .zst) and .parquet; - is standard input.",
    show_default=False,
)
Treebank = Annotated[
    Path,
    Argument(
        metavar="TREEBANK", exists=True, help="A .conllu file, or a folder of them (see --split)."
    ),
]
Split = Annotated[
    str | None,
    input_option(help="Read only files named SPLIT.conllu or ...-SPLIT.conllu in the folder."),
]
AllSu = Annotated[
    bool, input_option("--all-su", help="Treat every unit as an SU, for corpora without relations.")
]
SuRelations = Annotated[
    str | None,
    input_option(
        help="Relations that make a unit an SU, separated by commas. Default: the core and "
        "non-core arguments of the paper."
    ),
]
IgnoreListMarks = Annotated[
    bool,
    input_option(
        "--ignore-list-marks",
        help="Ignore list marks such as '2.' or 'b)' that are annotated as discourse.",
    ),
]
Lang = Annotated[str, Option(help="Language of the tokenizer.")]
InputFormat = Annotated[
    Literal["text", "lines", "jsonl", "csv", "parquet", "html", "eml"] | None,
    input_option(
        "--format",
        help="Input format, for standard input and unknown suffixes. lines: each line of a text "
        "file is a document.",
    ),
]
TextKey = Annotated[str, input_option(help="Field or column with the text.")]
IdKey = Annotated[str, input_option(help="Field or column with the id, if any.")]
Settings = Annotated[
    list[str] | None,
    model_option(
        "--setting",
        metavar="NAME=VALUE",
        help="Change a setting of the component, such as newline=break (each line break ends a "
        "unit) or threshold=0.1. Repeatable.",
    ),
]
GpuId = Annotated[int, speed_option(help="Number of the GPU; -1 uses the CPU.")]
Seed = Annotated[int, Option(help="Random seed.")]
JsonPath = Annotated[
    Path | None,
    output_option(
        "--json",
        dir_okay=False,
        metavar="OUT.json",
        help="Write the results as JSON, too, with scores from 0 to 1.",
    ),
]
PairFiles = Annotated[
    list[Path],
    in_file(
        metavar="PAIRS.jsonl...",
        help="Paraphrases: 'sent1' and 'sent2' (lists of words), or 'text1' and 'text2'.",
    ),
]
Theta = Annotated[
    float,
    Option(
        min=0,
        max=1,
        help="Maximum share of highlighted words in tagged pairs. 0 keeps strict paraphrases.",
    ),
]


def parse_settings(settings: list[str] | None) -> dict[str, Any]:
    """Read the settings of --setting. The component checks their names and values.

    >>> parse_settings(["threshold=0.1", "nsu_span=line"])
    {'threshold': 0.1, 'nsu_span': 'line'}
    """
    found: dict[str, Any] = {}
    for setting in settings or []:
        name, is_given, value = setting.partition("=")
        if not is_given:
            raise ValueError(f"--setting must be NAME=VALUE, got {setting!r}.")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def parse_su_relations(names: str | None) -> frozenset[str]:
    """Read the relations of --su-relations; None gives the paper's.

    >>> sorted(parse_su_relations("nsubj, obj"))
    ['nsubj', 'obj']
    """
    from ..sentence_identifier.data.rule import SU_RELATIONS

    if names is None:
        return SU_RELATIONS
    relations = frozenset(name.strip() for name in names.split(","))
    wrong = sorted(name for name in relations if not name.isalpha())
    if wrong:
        raise ValueError(
            "--su-relations must be base relations such as 'nsubj,obj,advcl' ('nsubj' covers "
            f"'nsubj:pass'), got {', '.join(map(repr, wrong))}."
        )
    return relations


def make_rule(all_su: bool, su_relations: str | None, ignore_list_marks: bool) -> dict[str, Any]:
    """Make the arguments of `label_units` from the options of a command."""
    return {
        "all_su": all_su,
        "su_relations": sorted(parse_su_relations(su_relations)),
        "ignore_list_marks": ignore_list_marks,
    }


def refuse_options(given: dict[str, Any], where: str) -> None:
    """Raise ValueError for options without effect. None, False and [] mean "not given".

    >>> refuse_options({"--probs": True, "--seed": None}, "with --gold")
    Traceback (most recent call last):
    ValueError: Options must have an effect, got --probs with --gold.
    """
    found = [name for name, value in given.items() if value not in (None, False, [])]
    if found:
        raise ValueError(f"Options must have an effect, got {', '.join(found)} {where}.")


def check_outputs(outputs: Iterable[Path | None], inputs: Iterable[Path | None]) -> None:
    """Raise ValueError for an output that is also an input."""
    read = {path.resolve() for path in inputs if path is not None}
    for path in outputs:
        if path is not None and path.resolve() in read:
            raise ValueError(f"Outputs must be new files, got {path} as input and output.")


def warn_without_nsu(labels: Iterable[str], source: Path) -> None:
    """Warn if there are no NSUs: macro F1 has only two classes then (the paper's footnote 11)."""
    from ..text.units import NSU

    if NSU not in labels:
        warn(f"{source} has no NSUs, so macro F1 is the mean of B and I.")
