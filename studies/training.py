"""Run the trainings of a study with `spacy train`, with a number of updates and a log."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from spacy.cli.init_config import fill_config as add_defaults
from spacy.util import load_config
from thinc.api import Config

ROOT = Path(__file__).parents[1]
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def fill_config(short: Path, filled: Path, *, lang: str) -> None:
    """Write a config with all its defaults, and those of a language, so that all can be changed."""
    filled.parent.mkdir(parents=True, exist_ok=True)
    load_config(short, overrides={"nlp.lang": lang}).to_disk(filled)
    add_defaults(filled, filled, silent=True)


def list_step_overrides(config: Config, max_steps: int | None = None) -> dict[str, Any]:
    """List the config overrides for a training that ends after a number of updates.

    The model must be scored during the training, or else the model of the first step is saved. A
    decreasing learning rate must decrease over all updates.

    config: A filled config with a [training] block.
    max_steps: None = as in the config; 0 = until the patience of the config ends the training.
    Raises ValueError if the training would never end.
    """
    block = config["training"]
    if max_steps is None:
        max_steps = block["max_steps"]
    if not max_steps:
        if not block["patience"]:
            raise ValueError(
                "max_steps or patience must be above 0 in the config, got 0 for both. The training "
                "would never end. Set one of them, or use --max-steps."
            )
        return {"training.max_steps": 0}
    overrides = {
        "training.max_steps": max_steps,
        "training.eval_frequency": min(block["eval_frequency"], max(max_steps // 3, 1)),
    }
    rates = block["optimizer"].get("learn_rate")
    if isinstance(rates, Mapping) and "total_steps" in rates:
        overrides["training.optimizer.learn_rate.total_steps"] = max_steps
    return overrides


def train_pipeline(
    config: Path,
    folder: Path,
    overrides: Mapping[str, Any],
    *,
    gpu_id: int = -1,
    threads: int | None = None,
    code: Path | None = None,
) -> None:
    """Run `spacy train` with a filled config and overrides, and write its output to train.log.

    code: A file with registered functions that the config needs.
    threads: Number of threads; None = the default of the libraries.
    """
    command: list[Any] = ["train", config, "--output", folder, "--gpu-id", gpu_id]
    command += [] if code is None else ["--code", code]
    command += [
        f"--{name}={value if isinstance(value, (str, Path)) else json.dumps(value)}"
        for name, value in overrides.items()
    ]
    run_spacy(command, folder / "train.log", threads=threads)


def run_spacy(command: Sequence[Any], log: Path, *, threads: int | None) -> None:
    """Run a spaCy command, and write its output to a log.

    threads: Number of threads; None = the default of the libraries.
    Raises ValueError with the end of the log if the command fails.
    """
    environment = dict(os.environ)
    paths = [str(ROOT), *filter(None, [environment.get("PYTHONPATH")])]
    environment["PYTHONPATH"] = os.pathsep.join(paths)  # for `studies`, which is not installed
    if threads is not None:
        environment |= {name: str(threads) for name in THREAD_VARIABLES}
    words = [sys.executable, "-m", "spacy", *map(str, command)]
    with log.open("w", encoding="utf8") as file:
        done = subprocess.run(words, stdout=file, stderr=file, env=environment)
    if done.returncode:
        end = log.read_text(encoding="utf8")[-1500:]
        raise ValueError(f"'spacy {command[0]}' failed. {log} ends with:\n{end}")
