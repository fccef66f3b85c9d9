"""Trainings of a study with `spacy train`: the settings that end it, and its log."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from thinc.api import Config

THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def list_step_overrides(config: Config, max_steps: int | None = None) -> dict[str, Any]:
    """List the settings of a training that ends after some updates.

    Without a score on the way, the model kept would be that of the first step; and a rate that
    falls is to fall over all of them.

    config: Filled, with [training].
    max_steps: None = as the config says; 0 = as long as its patience lasts.
    Raises ValueError for a training that never ends.
    """
    block = config["training"]
    if max_steps is None:
        max_steps = block["max_steps"]
    if not max_steps:
        if not block["patience"]:
            raise ValueError(
                "Found a config with max_steps = 0 and patience = 0, with which a training never "
                "ends. Set one of them, or give --max-steps."
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
) -> None:
    """Run `spacy train` with settings that differ from a filled config; train.log says how it went.

    threads: None = as the libraries choose.
    """
    command: list[Any] = ["train", config, "--output", folder, "--gpu-id", gpu_id]
    command += [
        f"--{name}={value if isinstance(value, (str, Path)) else json.dumps(value)}"
        for name, value in overrides.items()
    ]
    run_spacy(command, folder / "train.log", threads=threads)


def run_spacy(command: Sequence[Any], log: Path, *, threads: int | None) -> None:
    """Run a command of spaCy; what it says goes to a log.

    threads: None = as the libraries choose.
    Raises ValueError with the end of the log if it fails.
    """
    environment = dict(os.environ)
    if threads is not None:
        environment |= {name: str(threads) for name in THREAD_VARIABLES}
    words = [sys.executable, "-m", "spacy", *map(str, command)]
    with log.open("w", encoding="utf8") as file:
        done = subprocess.run(words, stdout=file, stderr=file, env=environment)
    if done.returncode:
        end = log.read_text(encoding="utf8")[-1500:]
        raise ValueError(f"'spacy {command[0]}' failed; {log} ends with:\n{end}")
