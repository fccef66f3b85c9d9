"""`spacy-sentid treebank`: count and convert treebanks."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import Annotated, Any

import typer
from typer import Argument

from . import options as opt
from .terminal.help import CommandGroup
from .terminal.printing import format_table, progress, write_json

app = CommandGroup(
    help="Count and convert treebanks.",
    examples=[
        "treebank profile treebank/",
        "treebank convert treebank/ train.spacy --split train",
        "treebank convert corrected.jsonl corrected.spacy",
    ],
)

# The rows of the paper's Table 3.
TABLE_3 = ("SUs", "NSUs", *(f"{part} {tag}" for part in ("word", "character") for tag in "BIO"))


@app.command()
def convert(
    source: Annotated[
        Path,
        Argument(
            metavar="SOURCE",
            exists=True,
            help="A .conllu file, or documents with marked units: .txt (marked text), .spacy, "
            ".jsonl, .json (ours, Prodigy, doccano, Label Studio). Or a folder of them.",
        ),
    ],
    output: Annotated[
        Path, opt.out_file(metavar="OUT", help="Write .spacy, .jsonl or .txt (marked text).")
    ],
    lang: opt.Lang = "en",
    split: opt.Split = None,
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
) -> None:
    """Convert a treebank or annotated documents to gold SUs and NSUs.

    'spacy train' and 'spacy evaluate' read .spacy. With .jsonl and .txt, there is a blank line
    between the paragraphs of a treebank.

    Example: spacy-sentid treebank convert treebank/ train.spacy --split train
    """
    import spacy

    from ..conllu.treebank import find_treebank_files
    from ..sentence_identifier.access.units import units_from_doc
    from ..sentence_identifier.data import documents as files
    from ..sentence_identifier.data.convert import convert_treebank, write_docs
    from ..text.units import NSU, SU

    if output.suffix not in files.OUTPUT_SUFFIXES:
        raise ValueError(f"OUT must end in {', '.join(files.OUTPUT_SUFFIXES)}, got {output}.")
    opt.check_outputs([output], [source])
    nlp = spacy.blank(lang)
    is_treebank = files.is_treebank(source)
    treebanks = find_treebank_files(source, split) if is_treebank else []
    are_docs = is_treebank and output.suffix == ".spacy"  # with tags and trees
    if not is_treebank:
        names = ("--all-su", "--su-relations", "--ignore-list-marks")
        given = dict(zip(names, (all_su, su_relations, ignore_list_marks), strict=True))
        opt.refuse_options(given, "without a treebank")
    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    counts: Counter[str] = Counter()

    def read() -> Iterator[Any]:
        for file in treebanks:
            if are_docs:
                yield from convert_treebank(file, nlp, **rule)
            else:
                yield from files.read_documents(file, nlp, **rule)
        if not is_treebank:
            yield from files.read_documents(source, nlp, split=split)

    def count_units() -> Iterator[Any]:
        with progress(desc="convert", unit="unit") as bar:
            for document in read():
                units = units_from_doc(document) if are_docs else document.units
                counts.update("SUs" if unit.label == SU else "NSUs" for unit in units)
                bar.update(len(units))
                yield document

    if are_docs:
        n_docs = write_docs(count_units(), output)
    else:
        n_docs = files.write_documents(count_units(), output, nlp)
    opt.warn_without_nsu([NSU] if counts["NSUs"] else [], source)
    typer.echo(
        f"{output}: {n_docs:,} documents, {counts.total():,} units "
        f"({counts['SUs']:,} SUs, {counts['NSUs']:,} NSUs)"
    )


@app.command()
def profile(
    sources: Annotated[
        list[Path],
        Argument(metavar="SOURCE...", exists=True, help=".conllu files, or folders of them."),
    ],
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
    json_path: opt.JsonPath = None,
) -> None:
    """Count units, labels, noun phrases and final punctuation.

    Reads all files, and stops if one is invalid. Counts SUs, NSUs and B, I, O labels (the paper's
    Table 3), noun phrase units, and units with and without final punctuation. Also by genre, if
    the treebank has genres.

    Example: spacy-sentid treebank profile treebank/
    """
    from ..conllu.treebank import TreebankUnit, find_treebank_files, read_treebank
    from ..corpus_augmenter.profile import Profiler, list_tables
    from ..sentence_identifier.data.convert import label_units
    from ..sentence_identifier.data.rule import count_units

    files = [file for source in sources for file in find_treebank_files(source)]
    opt.check_outputs([json_path], files)
    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)

    def read_once(file: Path, profiler: Profiler) -> Iterator[TreebankUnit]:
        # A file may be a pipe, so all counts are made in one pass.
        for unit in read_treebank(file):
            profiler.add(unit)
            yield unit

    names = [file.stem for file in files]
    table_3, profiles = [], []
    for file in files:
        profiler = Profiler()
        labelled = label_units(read_once(file, profiler), **rule)
        table_3.append(count_units((unit.text, label) for unit, label in labelled))
        profiles.append(profiler.finish())
    columns = ([f"{n:,}" for n in counts.values()] for counts in table_3)
    rows = [["", *names], *map(list, zip(TABLE_3, *columns, strict=True))]
    typer.echo(format_table(rows))
    for title, rows, note in list_tables(list(zip(names, profiles, strict=True))):
        typer.echo(f"\n{title}\n{format_table(rows)}\n{fill(note, 80)}")
    found = zip(files, table_3, profiles, strict=True)
    report = [
        {"file": str(file), "table_3": counts, **profile.to_dict()}
        for file, counts, profile in found
    ]
    write_json(json_path, {**rule, "files": report})
