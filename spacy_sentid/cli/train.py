"""`spacy-sentid train`: the steps around `spacy train`, and what needs no training."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from . import options as opt
from .printing import progress, write_json
from .table import format_table

# Short texts and long ones, as in evaluation.
P_CCS = (0.5, 0.0)

app = typer.Typer(help="Prepare and finish the training of components.")


@app.command()
def fill_config(
    short: Annotated[Path, opt.in_file(help="A config of configs/.")],
    filled: Annotated[Path, Argument(help="Write the config for 'spacy train' here.")],
    lang: opt.Lang = "en",
) -> None:
    """Fill a short config with all defaults, for 'spacy train'.

    The defaults of the language are among them. A block [extends] with config = "other.cfg" makes
    the config a list of changes of another one, next to it.

    Example: spacy-sentid train fill-config configs/identifier.cfg config.cfg
    """
    from ..configs import fill_config

    fill_config(short, filled, lang=lang)


@app.command()
def calibrate(
    model: Annotated[
        Path, Argument(exists=True, file_okay=False, help="Folder of a trained pipeline.")
    ],
    source: opt.Treebank,
    output: Annotated[
        Path | None,
        Option("--output", "-o", help="Write the pipeline here, not back to its folder."),
    ] = None,
    seed: opt.Seed = 0,
    split: opt.Split = None,
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
) -> None:
    """Make the scores of a trained identifier probabilities.

    Fits them on dev data, so that 80 % of the units with score 0.8 are right.

    Example: spacy-sentid train calibrate training/mine/model-best assets/sample --split dev
    """
    from ..files.atomic import open_output_folder
    from ..pipelines import load
    from ..sentence_identifier.calibration import calibrate_pipeline
    from ..sentence_identifier.evaluation import assemble_texts

    documents = opt.read_documents(source, split=split, all_su=all_su, su_relations=su_relations)
    labelled = [unit for document in documents for unit in document]
    nlp = load(str(model))
    texts = [text for p_cc in P_CCS for text in assemble_texts(labelled, p_cc=p_cc, seed=seed)]
    calibration = calibrate_pipeline(nlp, texts)
    target = model if output is None else output
    with open_output_folder(target) as folder:
        # First everything, so that files that are not spaCy's (README, LICENSE) stay.
        shutil.copytree(model, folder, dirs_exist_ok=True)
        nlp.to_disk(folder)
    for label, (slope, intercept) in calibration.items():
        typer.echo(f"{label.upper()}: score = sigmoid({slope:.3f} * confidence + {intercept:.3f})")
    typer.echo(f"Saved {target}")


@app.command()
def abbreviations(
    files: Annotated[
        list[Path],
        opt.in_file(metavar="CORPUS.txt...", help="Raw text, of any size."),
    ],
    json_path: opt.JsonPath = None,
    min_count: Annotated[
        int, Option(min=1, help="Exclude strings that are rarer with a period.")
    ] = 1,
    tolerance: Annotated[
        float,
        Option(
            min=0,
            max=1,
            help="Share of an abbreviation's occurrences that may be without its period.",
        ),
    ] = 0.0,
) -> None:
    """Learn abbreviations from raw text.

    Lists them with counts and reasons, the most frequent first. likely: it is followed by a comma,
    a question mark, a small letter or a digit. title: two capitalised strings follow it, twice.
    Both never without the period (see --tolerance). structure: a capital, or letters with periods
    between them. In JSON, 'learned' is for the rule sentencizer.

    Example: spacy-sentid train abbreviations corpus.txt --json learned.json
    """
    from ..rule_sentencizer.corpus import read_blocks
    from ..rule_sentencizer.counts import Counts

    counts = Counts()
    n_bytes = sum(path.stat().st_size for path in files)
    with progress(total=n_bytes, desc="abbreviations", unit="B", unit_scale=True) as bar:
        for path in files:
            for text in read_blocks(path, on_bytes=bar.update):
                counts.update(text)
    if not counts.bare and not counts.dotted:
        raise ValueError(f"{', '.join(map(str, files))} must have words, got none.")
    learned = counts.learn(min_count=min_count, tolerance=tolerance)
    found = counts.list_abbreviations(learned)
    rows = [["abbreviation", "why", "with period", "without"]]
    rows += [
        [f"{entry.word}.", ", ".join(entry.reasons), f"{entry.n_with:,}", f"{entry.n_without:,}"]
        for entry in found
    ]
    typer.echo(format_table(rows, n_left=2))
    report = {
        "files": [str(path) for path in files],
        "settings": {"min_count": min_count, "tolerance": tolerance},
        "words": counts.n_words,
        "abbreviations": [entry._asdict() for entry in found],
        "learned": learned.to_dict(),
    }
    write_json(json_path, report)
