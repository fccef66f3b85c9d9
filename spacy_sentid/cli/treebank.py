"""`spacy-sentid treebank`: convert, check and count treebanks."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from . import options as opt
from .terminal.help import CommandGroup
from .terminal.printing import format_table, name_files, progress, write_json

if TYPE_CHECKING:
    from ..corpus_augmenter.profile import Profile
    from ..sentence_identifier.data.rule import UnitCounts

app = CommandGroup(
    help="Convert, check and count treebanks.",
    examples=[
        "treebank verify treebank/",
        "treebank convert treebank/ train.spacy --split train",
        "treebank profile treebank/dev.conllu",
    ],
)

ROWS = {
    "SUs": "su",
    "NSUs": "nsu",
    "word B": "word_b",
    "word I": "word_i",
    "word O": "word_o",
    "character B": "char_b",
    "character I": "char_i",
    "character O": "char_o",
}
RATIOS_NOTE = (
    "NPU: noun phrase unit, as a share of the units with a tree. POU: the last word is not PUNCT, "
    "as in the paper's Table 1. No end mark: the last word is not . ! or ?, nor a similar mark of "
    "another script, as in the paper's section 3."
)
MARKS_NOTE = "Units by their last word, with percentages. None: the last word is not PUNCT."
GENRE_NOTES = {
    "comments": "Genres are from the comments of the treebank. Last words are in percent of units.",
    "ids": "Genres are the letters that ids begin with. Last words are in percent of units.",
}
GENRE_MARKS = 6


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

    'spacy train' and 'spacy evaluate' read .spacy. With .jsonl and .txt, the paragraphs and blocks
    of a treebank become lines, and NSUs get kinds if the blocks show them.

    Example: spacy-sentid treebank convert treebank/ train.spacy --split train
    """
    import spacy

    from ..conllu.treebank import find_treebank_files
    from ..sentence_identifier.access.spans import read_units
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
                yield from files.lay_out_treebank(file, **rule)
        if not is_treebank:
            yield from files.read_documents(source, nlp, split=split)

    def count_units() -> Iterator[Any]:
        # The number of blank lines is exact enough for a progress bar.
        n_units = sum(file.read_bytes().count(b"\n\n") for file in treebanks)
        with progress(total=n_units or None, desc="convert", unit="unit") as bar:
            for document in read():
                units = read_units(document) if are_docs else document.units
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
def verify(
    folder: Annotated[
        Path, Argument(metavar="TREEBANK", help="Folder of .conllu files, or one file.")
    ],
    splits: Annotated[
        str, Option(help="Splits that must exist, separated by commas.")
    ] = "train,dev,test",
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
) -> None:
    """Check that all splits of a treebank can be read.

    Reads the files to the end, and prints their numbers of units and checksums. Fails if a
    split is missing, invalid or without SUs.

    Example: spacy-sentid treebank verify treebank/
    """
    import hashlib

    from ..conllu.treebank import find_treebank_files
    from ..sentence_identifier.evaluation.joined import read_labelled_documents
    from ..text.units import SU

    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    wanted = [split.strip() for split in splits.split(",")]
    files = {split: find_treebank_files(folder, split) for split in wanted}
    rows = [["split", "file", "units", "SUs", "NSUs", "sha256"]]
    for split, paths in files.items():
        n_split_su = 0
        for path in paths:
            documents = read_labelled_documents([path], **rule)
            labelled = [unit for document in documents for unit in document]
            n_su = sum(label == SU for _, label in labelled)
            n_split_su += n_su
            counts = [len(labelled), n_su, len(labelled) - n_su]
            checksum = hashlib.sha256(path.read_bytes()).hexdigest()
            rows.append([split, path.name, *(f"{count:,}" for count in counts), checksum])
        if not n_split_su:
            raise ValueError(
                f"The split {split!r} ({', '.join(map(str, paths))}) must have at least one SU, "
                "got none. Check the file and --su-relations."
            )
    typer.echo(format_table(rows, n_left=2))


@app.command()
def profile(
    files: Annotated[list[Path], opt.in_file(metavar="IN.conllu...", help="Treebank files.")],
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
    json_path: opt.JsonPath = None,
) -> None:
    """Count units, labels, noun phrases and final punctuation.

    Counts SUs, NSUs and B, I, O labels (the paper's Table 3), noun phrase units, and units with
    and without final punctuation. Also by genre, if the treebank has genres.

    Example: spacy-sentid treebank profile train.conllu dev.conllu --json profile.json
    """
    opt.check_outputs([json_path], files)
    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    found = [
        (name, *_profile_file(file, **rule))
        for name, file in zip(name_files(files), files, strict=True)
    ]
    (_, table_3, _), *tables = _list_tables(found)
    typer.echo(format_table(table_3))  # it has no heading
    for title, rows, note in tables:
        typer.echo(f"\n{title}\n{format_table(rows)}\n{fill(note, 80)}")
    report = {
        **rule,
        "files": [
            {"file": str(file), "table_3": counts._asdict(), **tallies.to_dict()}
            for file, (_, counts, tallies) in zip(files, found, strict=True)
        ],
    }
    write_json(json_path, report)


def _profile_file(file: Path, **rule: Any) -> "tuple[UnitCounts, Profile]":
    """Count the units of a file for both papers. The file is read only once, so it may be a pipe.

    rule: Arguments of `label_units`.
    """
    from ..conllu.treebank import TreebankUnit, read_treebank
    from ..corpus_augmenter.profile import Profiler
    from ..sentence_identifier.data.convert import label_units
    from ..sentence_identifier.data.rule import count_units

    profiler = Profiler()

    def watch() -> Iterator[TreebankUnit]:
        for unit in read_treebank(file):
            profiler.add(unit)
            yield unit

    counts = count_units((unit.text, label) for unit, label in label_units(watch(), **rule))
    return counts, profiler.finish()


def _list_tables(
    found: "Sequence[tuple[str, UnitCounts, Profile]]",
) -> Iterator[tuple[str, Sequence[Sequence[str]], str]]:
    """Yield (title, rows, note) of the tables of all files, then of each file with genres."""
    from ..corpus_augmenter.profile import mark_rows, ratio_rows

    rows = [
        [name, *(f"{getattr(counts, field):,}" for _, counts, _ in found)]
        for name, field in ROWS.items()
    ]
    wholes = [(name, tallies.whole) for name, _, tallies in found]
    yield "Sentential units and labels", [["", *(name for name, *_ in found)], *rows], ""
    yield "Noun phrase units, omitted punctuation", ratio_rows(wholes), RATIOS_NOTE
    yield "End punctuation", mark_rows(wholes), MARKS_NOTE
    for name, _, tallies in found:
        if tallies.genres_from is not None:
            columns = [*tallies.genres.items(), ("all", tallies.whole)]
            # Each genre is a row, as there may be many.
            marks = mark_rows(columns, n_marks=GENRE_MARKS, counts=False)[1:]
            genres = list(zip(*ratio_rows(columns), *marks, strict=True))
            yield f"{name} by genre", genres, GENRE_NOTES[tallies.genres_from]
