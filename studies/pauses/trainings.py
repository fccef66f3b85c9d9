"""Train a system of the pause study with `spacy train` (section 3.2).

study, run -> target data, completed by the base -> config that starts from the base -> model
"""

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import spacy
from spacy.util import load_config
from thinc.api import Config

from spacy_sentid.word_segmenter.corpus import read_words
from studies import training
from studies.pauses.plans import Study
from studies.pauses.runs import MODEL, Run, Variant, list_inputs, model_path
from studies.pauses.systems import BASE, SYSTEMS
from studies.pauses.targets import (
    Target,
    make_simulated_target,
    make_target,
    read_records,
    read_simulation,
    write_target,
)

# Number of evaluations on dev during a training, to select the best iteration.
N_EVALUATIONS = 6
COMPONENT = "word_segmenter"


def train_segmenter(study: Study, run: Run, folder: Path) -> dict[str, Any]:
    """Train into a folder.

    RETURNS: Number of updates, counts of the target data, score on dev, and fingerprints of inputs.
    """
    files = [str(path) for path in study.source]
    data: dict[str, Any] = {}
    if SYSTEMS[run.variant.system].has_target:
        base = spacy.load(model_path(study, Run(Variant(BASE), run.seed)))
        data = write_target(base, SYSTEMS[run.variant.system], find_target(study, run), folder)
        target = str(folder / data.pop("file"))
        data["repeats"] = count_repeats(study.source, data["characters"])
        files += [target] * data["repeats"]
    filled = folder / "config.cfg"
    training.fill_config(study.config, filled, lang="zh")
    if run.variant.system != BASE:
        start_from_base(filled, model_path(study, Run(Variant(BASE), run.seed)))
    overrides = {
        "system.seed": run.seed,
        "corpora.train.path": files,
        "paths.dev": str(study.source_dev if run.variant.system == BASE else study.target_dev),
        **list_overrides(study, run, load_config(filled)),
    }
    training.train_pipeline(filled, folder, overrides, gpu_id=study.gpu_id, threads=study.threads)
    chosen = "model-best" if run.variant.system == BASE else f"model-{study.iteration}"
    meta = json.loads((folder / chosen / "meta.json").read_text(encoding="utf8"))
    (folder / chosen).rename(folder / MODEL)
    for name in ("model-best", "model-last"):
        shutil.rmtree(folder / name, ignore_errors=True)
    return {
        "steps": overrides["training.max_steps"],
        "target": data,
        "dev_word_f": meta.get("performance", {}).get("word_f"),
        "inputs": list_inputs(study),
    }


def count_repeats(source: Iterable[Path], characters: int) -> int:
    """Compute how often to repeat the target data, so that it is at least a third of all data.

    characters: Number of characters of the target data.

    >>> count_repeats([], 100)
    1
    """
    n_source = sum(len(word) for path in source for words in read_words(path) for word in words)
    return max(round(n_source / (2 * max(characters, 1))), 1)


def find_target(study: Study, run: Run) -> Target:
    """Make the target of a run, i.e. the sentences with pauses that it is trained on.

    The seed of the run draws simulated pauses. The true pauses do not depend on the noise.
    """
    if run.variant.file is None:
        return make_target(read_records(study.pauses))
    simulation = read_simulation(study.simulate[run.variant.file])
    noise = run.variant.noise or 0.0
    return make_simulated_target(simulation, rate=study.rate, noise=noise, seed=run.seed)


def list_overrides(study: Study, run: Run, config: Config) -> dict[str, Any]:
    """List the config overrides of a training: steps, learning rate and dictionary.

    Only the base loads the dictionary. The other systems start from its weights, which include it.
    """
    is_base = run.variant.system == BASE
    steps = study.steps if is_base else study.tune_steps
    block = config["training"]
    overrides = {
        "training.max_steps": steps,
        # The number of updates must not depend on the amount of data.
        "training.max_epochs": 0,
        "training.patience": 0,
        # Without evaluations during the training, the model of the first step would be saved.
        "training.eval_frequency": min(block["eval_frequency"], max(steps // N_EVALUATIONS, 1)),
    }
    rates = block["optimizer"].get("learn_rate")
    if isinstance(rates, dict):
        name = "training.optimizer.learn_rate"
        if "total_steps" in rates:
            overrides[f"{name}.total_steps"] = steps
        if "warmup_steps" in rates:
            overrides[f"{name}.warmup_steps"] = min(rates["warmup_steps"], max(steps // 10, 1))
        if "initial_rate" in rates and not is_base:
            overrides[f"{name}.initial_rate"] = study.tune_rate
    elif not is_base:
        overrides["training.optimizer.learn_rate"] = study.tune_rate
    if is_base and study.dictionary is not None:
        overrides["paths.dictionary"] = str(study.dictionary)
    return overrides


def start_from_base(filled: Path, base: Path) -> None:
    """Change a filled config so that all components start with the weights of a base."""
    config = load_config(filled)
    for name, block in config["components"].items():
        if block.get("factory") == COMPONENT:
            block["pretrained"] = str(base)
        else:
            config["components"][name] = {"source": str(base)}
    # These weights already include the dictionary and the raw text.
    config["initialize"].get("components", {}).pop(COMPONENT, None)
    config.to_disk(filled)
