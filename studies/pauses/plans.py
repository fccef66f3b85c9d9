"""What the pause study trains and measures, and whether the runs that are there are of the same.

files and settings -> Plan -> plan.json beside the runs
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spacy_sentid.about import __version__
from spacy_sentid.files.atomic import open_output
from spacy_sentid.files.fingerprint import fingerprint_files

# What may not differ between runs of one study; tests, files, noises, systems, seeds may be added.
SETTINGS = (
    "version", "config", "steps", "tune_steps", "tune_rate", "iteration", "rate", "inputs",
)  # fmt: skip
NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Plan:
    """What the study trains and measures, and where it puts it."""

    out: Path
    pauses: Path
    source: tuple[Path, ...]
    source_dev: Path  # the best iteration of the base is chosen by it
    target_dev: Path  # that of all others
    tests: Mapping[str, Path]
    systems: tuple[str, ...]
    config: Path
    steps: int
    tune_steps: int
    tune_rate: float
    # Which iteration of all but the base is taken: "best" by target_dev, as in the paper, or
    # "last": the best of a harmful training is its start.
    iteration: str = "best"
    seeds: tuple[int, ...] = (0, 1, 2)
    dictionary: Path | None = None
    # Segmented text of the simulation; share of boundaries with a pause; shares of noise.
    simulate: Mapping[str, Path] = field(default_factory=dict)
    rate: float = 0.3
    noises: tuple[float, ...] = (0.0, 0.5)
    gpu_id: int = -1
    threads: int | None = None  # of each run; None = as the libraries choose


def parse_files(texts: Iterable[str], option: str) -> tuple[Path, ...]:
    """Read files from an option that may be repeated; commas separate them too."""
    paths = tuple(Path(name) for name in _split(texts))
    if not paths:
        raise ValueError(f"Found no files in {option}, expected at least one. Name some.")
    for path in paths:
        _check_file(path, option)
    return paths


def parse_named_files(texts: Iterable[str], option: str) -> dict[str, Path]:
    """Read NAME=FILE from an option that may be repeated; commas separate them too."""
    found: dict[str, Path] = {}
    for text in _split(texts):
        name, equals, file = text.partition("=")
        if not equals or not NAME.fullmatch(name) or name in found:
            raise ValueError(
                f"Found {text!r} in {option}, expected NAME=FILE, each name once, of letters, "
                f"digits, '.', '_', '-'. Mend {option}."
            )
        found[name] = _check_file(Path(file), option)
    return found


def parse_noises(text: str) -> tuple[float, ...]:
    """Read shares of noise, separated by commas.

    >>> parse_noises("0,.5")
    (0.0, 0.5)
    """
    try:
        noises = tuple(dict.fromkeys(float(part) for part in text.split(",")))
    except ValueError:
        noises = (-1.0,)
    if not all(0 <= noise < 1 for noise in noises):
        raise ValueError(f"Found {text!r} in --noises, expected shares such as '0,.5', below 1.")
    return noises


def _split(texts: Iterable[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]


def _check_file(path: Path, option: str) -> Path:
    if not path.is_file():
        raise ValueError(f"Found no file {path}, expected one. Check {option}.")
    return path


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Say all that the trainings depend on, as it is written beside them."""
    return {
        "version": __version__,
        "config": plan.config.read_text(encoding="utf8"),
        "steps": plan.steps,
        "tune_steps": plan.tune_steps,
        "tune_rate": plan.tune_rate,
        "iteration": plan.iteration,
        "rate": plan.rate,
        "inputs": {
            "pauses": fingerprint_files([plan.pauses]),
            "source": fingerprint_files(plan.source),
            "source_dev": fingerprint_files([plan.source_dev]),
            "target_dev": fingerprint_files([plan.target_dev]),
            "dictionary": fingerprint_files([plan.dictionary] if plan.dictionary else []),
        },
        "simulate": {name: fingerprint_files([path]) for name, path in plan.simulate.items()},
    }


def check_plan(plan: Plan) -> None:
    """Note beside the runs what they are of; ValueError if those there are of another study.

    Systems, seeds, test sets, simulated files and noises may be added: a study can be extended.
    Nothing is written otherwise.
    """
    description = describe_plan(plan)
    path = plan.out / "plan.json"
    if path.exists():
        found = json.loads(path.read_text(encoding="utf8"))
        known = found.get("simulate", {})
        differ = [key for key in SETTINGS if found.get(key) != description[key]]
        if "inputs" in differ:
            inputs = found.get("inputs", {})
            differ.remove("inputs")
            differ += [k for k, v in description["inputs"].items() if inputs.get(k) != v]
        differ += [
            f"the simulated {name}"
            for name, digest in description["simulate"].items()
            if known.get(name, digest) != digest
        ]
        if differ:
            raise ValueError(
                f"{plan.out} has runs of a study that differs in {', '.join(differ)}, expected "
                "those of this one. Choose another --out, or remove the folder."
            )
        description["simulate"] = {**known, **description["simulate"]}
    elif (plan.out / "runs").exists():
        raise ValueError(
            f"{plan.out} has runs but no plan.json, which says what they are of. Choose another "
            "--out, or remove the folder."
        )
    with open_output(path) as file:
        json.dump(description, file, indent=1)
