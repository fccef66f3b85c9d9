"""`spacy-sentid treebank`: gold documents of CoNLL-U, checks and counts."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from . import options as opt
from .printing import format_table, name_files, progress, write_json

if TYPE_CHECKING:
    from spacy.tokens import Doc

app = typer.Typer(help="Convert, check and count treebanks.")


@app.command()
def convert(
    source: opt.Treebank,
    output: Annotated[Path, opt.out_file(metavar="OUT.spacy", help="Write the documents here.")],
    lang: opt.Lang = "en",
    split: opt.Split = None,
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
) -> None:
    """Convert CoNLL-U to documents with gold SUs and NSUs.

    'spacy train' and 'spacy evaluate' read the result.

    Example: spacy-sentid treebank convert assets/sample train.spacy --split train
    """
    import spacy

    from ..sentence_identifier.convert import NSU_KEY, SU_KEY, convert_treebank, write_docs
    from ..treebank import find_treebank_files
    from ..units import NSU

    if output.suffix != ".spacy":
        raise ValueError(f"The name of the output must end in .spacy, got {output}.")
    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    files = find_treebank_files(source, split)
    nlp = spacy.blank(lang)
    counts: Counter[str] = Counter()

    def count_docs() -> Iterator["Doc"]:
        # A block between blank lines is a unit; that is exact enough for a bar.
        n_units = sum(file.read_bytes().count(b"\n\n") for file in files)
        with progress(total=n_units, desc="convert", unit="unit") as bar:
            for file in files:
                for doc in convert_treebank(file, nlp, **rule):
                    counts.update(SUs=len(doc.spans[SU_KEY]), NSUs=len(doc.spans[NSU_KEY]))
                    bar.update(counts.total() - bar.n)
                    yield doc

    n_docs = write_docs(count_docs(), output)
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

    Reads the files from end to end, and prints their numbers of units and checksums. Fails if a
    split is missing, invalid or without SUs.

    Example: spacy-sentid treebank verify assets/sample
    """
    import hashlib

    from ..sentence_identifier.evaluation import read_labelled_documents
    from ..treebank import find_treebank_files
    from ..units import SU

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
    html_path: Annotated[
        Path | None,
        opt.out_option("--html", metavar="OUT.html", help="Also write a page of tables and bars."),
    ] = None,
) -> None:
    """Count units, labels, noun phrases and final punctuation.

    Counts SUs, NSUs and B, I, O labels (the paper's Table 3), noun phrase units, and units with
    and without final punctuation. Also by genre, if the treebank has genres.

    Example: spacy-sentid treebank profile train.conllu dev.conllu --html profile.html
    """
    from ..files.atomic import open_output
    from ..view.profile import list_sections, make_profile_page, profile_file

    opt.check_outputs([json_path, html_path], files)
    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    found = [
        (name, *profile_file(file, **rule))
        for name, file in zip(name_files(files), files, strict=True)
    ]
    first, *sections = list_sections(found)
    typer.echo(format_table(first.rows))  # Table 3 has no heading
    for section in sections:
        typer.echo(f"\n{section.title}\n{format_table(section.rows)}\n{fill(section.note, 100)}")
    report = {
        **rule,
        "files": [
            {"file": str(file), "table_3": counts._asdict(), **tallies.to_dict()}
            for file, (_, counts, tallies) in zip(files, found, strict=True)
        ],
    }
    write_json(json_path, report)
    if html_path is not None:
        with open_output(html_path) as out:
            out.write(make_profile_page(found))
