"""`spacy-sentid train`: steps before and after `spacy train`, and abbreviations."""

import shlex
import shutil
from pathlib import Path
from textwrap import fill
from typing import Annotated

import typer
from typer import Argument, Option

from ..rule_sentencizer.counts import TOLERANCE
from . import options as opt
from .terminal.help import CommandGroup
from .terminal.printing import format_table, progress, write_json

LINE = 80  # columns of a listing
# Short texts and long texts, as in the evaluation.
P_CCS = (0.5, 0.0)

app = CommandGroup(
    help="Prepare and finish the training of components.",
    examples=[
        "train init-config identifier_finetune config.cfg",
        "train calibrate model-best treebank/ --split dev",
        "train abbreviations corpus.txt --json learned.json",
    ],
)


@app.command()
def init_config(
    name: Annotated[
        str, Argument(metavar="NAME", help="Name of a config, see --list.", show_default=False)
    ] = "",
    target: Annotated[
        Path | None, opt.out_file(metavar="OUT.cfg", help="Write the config here.")
    ] = None,
    lang: Annotated[
        str | None, Option(help="Language of the pipeline.", show_default="that of the config")
    ] = None,
    list_: Annotated[bool, Option("--list", help="List the configs, and exit.")] = False,
) -> None:
    """Write a config of the package, for 'spacy train'.

    Start with identifier_finetune if you have some hundred units, with identifier_language for
    another language, and with identifier for a treebank. 'spacy init fill-config' adds all
    defaults, if you want to see or change them.

    Example: spacy-sentid train init-config identifier_finetune config.cfg
    """
    from ..files.configs import list_configs, write_config

    known = list_configs()
    if list_:
        width = max(map(len, known))
        for key, text in known.items():
            typer.echo(fill(f"{key:<{width}}  {text}", LINE, subsequent_indent=" " * (width + 2)))
        return
    if target is None:
        got = f"only {name}" if name else "neither"
        raise ValueError(f"NAME and OUT.cfg must be given, got {got}. --list shows the names.")
    if name not in known:
        raise ValueError(f"NAME must be one of {', '.join(known)}, got {name!r}.")
    write_config(name, target, lang=lang)
    typer.echo(f"{target}: {known[name]}", err=True)
    typer.echo(
        f"To train: python -m spacy train {shlex.quote(str(target))} --output training "
        "--paths.train TRAIN --paths.dev DEV",
        err=True,
    )


@app.command()
def calibrate(
    model: Annotated[Path, opt.in_folder(metavar="MODEL", help="Folder of a trained pipeline.")],
    source: opt.Treebank,
    output: Annotated[
        Path | None,
        Option("--output", "-o", metavar="OUT", help="Write to this folder instead of MODEL."),
    ] = None,
    documents: Annotated[
        list[Path] | None,
        Option(
            exists=True,
            help="Fit on these whole documents, too, in their own and other layouts. Repeatable.",
        ),
    ] = None,
    seed: opt.Seed = 0,
    split: opt.Split = None,
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
) -> None:
    """Turn the scores of a trained identifier into probabilities.

    Fits the scores on development data, so that about 80 % of the units with score 0.8 are correct.
    The data are treebank units joined to texts, and whole documents if given.

    Example: spacy-sentid train calibrate training/model-best treebank/ --split dev
    """
    from ..components.pipelines import load
    from ..files.atomic import open_output_folder
    from ..sentence_identifier.data.documents import read_documents
    from ..sentence_identifier.evaluation.calibration import calibrate_pipeline, mix_layouts
    from ..sentence_identifier.evaluation.joined import assemble_texts, read_labelled

    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    labelled = read_labelled(source, split=split, **rule)
    nlp = load(str(model))
    joined = [text for p_cc in P_CCS for text in assemble_texts(labelled, p_cc=p_cc, seed=seed)]
    laid_out = [
        document
        for path in documents or ()
        for document in mix_layouts(read_documents(path, nlp, **rule), seed=seed)
    ]
    calibration = calibrate_pipeline(nlp, [*joined, *laid_out])
    target = model if output is None else output
    with open_output_folder(target) as folder:
        # Copy all files first, to keep those that spaCy does not write (README, LICENSE).
        shutil.copytree(model, folder, dirs_exist_ok=True)
        nlp.to_disk(folder)
    for label, (slope, intercept) in calibration.items():
        typer.echo(f"{label.upper()}: score = sigmoid({slope:.3f} * confidence + {intercept:.3f})")
    typer.echo(f"Saved {target}")


@app.command()
def abbreviations(
    files: Annotated[
        list[Path], opt.in_file(metavar="CORPUS.txt...", help="Raw text, of any size.")
    ],
    json_path: opt.JsonPath = None,
    min_count: Annotated[
        int, Option(min=1, help="Minimum number of occurrences with a period.")
    ] = 1,
) -> None:
    """Learn abbreviations from raw text.

    Lists them with counts and reasons, the most frequent first. likely: followed by a comma, a
    question mark, a small letter or a digit. title: followed by two capitalised strings, at least
    twice. Both rarely occur without the period. structure: a capital letter,
    or letters with periods between them. In the JSON, 'learned' is for the rule sentencizer.

    Example: spacy-sentid train abbreviations corpus.txt --json learned.json
    """
    from ..rule_sentencizer.corpus import read_parts
    from ..rule_sentencizer.counts import Counts

    counts = Counts()
    n_bytes = sum(path.stat().st_size for path in files)
    with progress(total=n_bytes, desc="abbreviations", unit="B", unit_scale=True) as bar:
        for path in files:
            for text in read_parts(path, on_bytes=bar.update):
                counts.update(text)
    if not counts.bare and not counts.dotted:
        raise ValueError(f"{', '.join(map(str, files))} must have words, got none.")
    learned = counts.learn(min_count=min_count)
    found = counts.list_abbreviations(learned)
    rows = [["abbreviation", "why", "with period", "without"]]
    rows += [
        [f"{entry.word}.", ", ".join(entry.reasons), f"{entry.n_with:,}", f"{entry.n_without:,}"]
        for entry in found
    ]
    typer.echo(format_table(rows, n_left=2))
    report = {
        "files": [str(path) for path in files],
        "settings": {"min_count": min_count, "tolerance": TOLERANCE},
        "words": counts.n_words,
        "abbreviations": [entry._asdict() for entry in found],
        "learned": learned.to_dict(),
    }
    write_json(json_path, report)
