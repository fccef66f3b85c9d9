"""`spacy-sentid calibrate`: make the scores of a trained pipeline probabilities."""

import shutil
from pathlib import Path
from typing import Annotated

import typer

from .options import AllSu, Split, SuRelations, Treebank, read_labelled

# Short texts and long ones, as in evaluation.
P_CCS = (0.5, 0.0)


def calibrate(
    model: Annotated[
        Path, typer.Argument(exists=True, file_okay=False, help="Folder of a trained pipeline.")
    ],
    source: Treebank,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the pipeline here, not back to its folder."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of how units are joined.")] = 0,
    split: Split = None,
    all_su: AllSu = False,
    su_relations: SuRelations = None,
) -> None:
    """Fit the scores on dev data: of the units with score 0.8, 80 % are to be right.

    Example: spacy-sentid calibrate training/mine/model-best assets/sample --split dev
    """
    from ..files.atomic import open_output_folder
    from ..pipelines import load
    from ..sentence_identifier.calibration import calibrate_pipeline
    from ..sentence_identifier.evaluation import assemble_texts

    labelled = read_labelled(source, split=split, all_su=all_su, su_relations=su_relations)
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
