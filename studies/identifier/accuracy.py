"""Evaluate trained pipelines on EWT as in the paper, next to the paper's figures."""

import argparse
import json
import statistics
from pathlib import Path

import spacy
from spacy.language import Language

from spacy_sentid.sentence_identifier.data.documents import read_documents
from spacy_sentid.sentence_identifier.decoding.decode import CALIBRATED
from spacy_sentid.sentence_identifier.evaluation.joined import (
    assemble_texts,
    read_labelled,
)
from studies.harness import find_corpus
from studies.identifier.baselines import EOS, EOS_FORCE_LAST, evaluate_decoding
from studies.identifier.calibration import calibration_errors
from studies.paper_figures import IDENTIFICATION

EWT = "ud/UD_English-EWT"
SEEDS = {0.5: (1, 2, 3), 0.0: (1,)}
DECODERS: dict[str, dict] = {
    "semi-Markov, most right": {"decoder": "semi_markov"},
    "semi-Markov, most probable": {"decoder": "semi_markov", "decode_weights": None},
    "the same weights, BOS & EOS decode, c = .1": {"decoder": "bos_eos", "threshold": 0.1},
    "the same weights, BOS & EOS decode, c = .01": {"decoder": "bos_eos", "threshold": 0.01},
    "the same weights, EOS only": {"decoder": EOS},
    "the same weights, EOS only, force last": {"decoder": EOS_FORCE_LAST},
}
PAPER_METHOD = "the paper's method on our encoder (identifier_bos_eos.cfg)"
KEYS = ("bio_macro_f", "bio_weighted_f", "spans_su_f", "spans_nsu_f")


def main() -> None:
    """Print the tables, and write them to a file if --json is used."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", default=EWT, help="treebank folder, here or in $SENTID_DATA")
    parser.add_argument("--split", default="test")
    parser.add_argument(
        "--model", nargs="*", help="one pipeline per training seed; default: the bundled weights"
    )
    parser.add_argument(
        "--bos-eos", nargs="*", help="pipelines trained with configs/identifier_bos_eos.cfg"
    )
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    models = [spacy.load(model) for model in args.model or []] or [load_bundled()]
    (file,) = find_corpus(args.data).glob(f"*{args.split}.conllu")
    labelled = read_labelled(file)
    results = {}
    print(
        f"{file.name}: mean and sd over {len(models)} training seed(s). p_CC = .5: mean of 3 "
        "draws of the texts\n"
    )
    print(
        "| decoder | units joined by | "
        + " | ".join(f"p_CC={p:g} macro / weighted / SU span / NSU run" for p in SEEDS)
        + " |"
    )
    print("| --- " * (2 + len(SEEDS)) + "|")
    rows = [(name, settings, models) for name, settings in DECODERS.items()]
    if args.bos_eos:
        rows.append((PAPER_METHOD, {}, [spacy.load(model) for model in args.bos_eos]))
    for name, settings, trained in rows:
        for layout in ("space", "line") if name == next(iter(DECODERS)) else ("space",):
            cells = []
            for p_cc, seeds in SEEDS.items():
                runs = [
                    evaluate_with(nlp, settings, labelled, p_cc=p_cc, seeds=seeds, layout=layout)
                    for nlp in trained
                ]
                results[f"{name} | {layout} | {p_cc}"] = runs
                cells.append(" / ".join(mean_and_sd([run[key] for run in runs]) for key in KEYS))
            print(f"| {name} | {layout} | " + " | ".join(cells) + " |", flush=True)
    printed = IDENTIFICATION["BOS&EOS"].values()
    paper = [" / ".join(f"{mean}±{sd}" for mean, sd in row) for row in printed]
    print("| the paper's RoBERTa-base | space | " + " | ".join(paper) + " |")
    print("\n| expected calibration error | " + " | ".join(CALIBRATED) + " |")
    print("| --- " * (1 + len(CALIBRATED)) + "|")
    samples: dict[str, list] = {
        f"p_CC={p_cc:g}": list(assemble_texts(labelled, p_cc=p_cc, seed=1)) for p_cc in SEEDS
    }
    samples["documents"] = list(read_documents(file, models[0]))
    for name, texts in samples.items():
        errors: dict[str, list[float]] = {key: [] for key in CALIBRATED}
        for nlp in models:
            for key, error in calibration_errors(nlp, texts).items():
                errors[key].append(error)
        cells = [f"{statistics.mean(values):.3f}" for values in errors.values()]
        print(f"| {name} | " + " | ".join(cells) + " |")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf8")


def load_bundled() -> Language:
    """Build a pipeline with the bundled weights."""
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_identifier")
    return nlp


def evaluate_with(
    nlp: Language, settings: dict, labelled: list, *, p_cc: float, seeds: tuple, layout: str
) -> dict[str, float]:
    """Evaluate with some settings changed, and return means over draws of the texts."""
    runs = [
        evaluate_decoding(
            nlp, settings, list(assemble_texts(labelled, p_cc=p_cc, seed=seed, layout=layout))
        )
        for seed in seeds
    ]
    return {key: statistics.mean(run[key] for run in runs) for key in runs[0]}


def mean_and_sd(values: list[float]) -> str:
    """Format the mean and the standard deviation in percent."""
    text = f"{100 * statistics.mean(values):.1f}"
    return f"{text}±{100 * statistics.stdev(values):.1f}" if len(values) > 1 else text


if __name__ == "__main__":
    main()
