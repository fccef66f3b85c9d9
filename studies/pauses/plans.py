"""Settings of the pause study, and options that name files."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studies.harness import find_corpus

NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Study:
    """Settings of the study."""

    out: Path
    pauses: Path
    source: tuple[Path, ...]
    source_dev: Path  # selects the best iteration of the base
    target_dev: Path  # selects the best iteration of all other systems
    tests: Mapping[str, Path]
    systems: tuple[str, ...]
    config: Path
    steps: int
    tune_steps: int
    tune_rate: float
    # Iteration of all systems but the base: "best" on target_dev, as in the paper, or "last". If a
    # training does harm, its best iteration is the first, which hides the harm.
    iteration: str = "best"
    seeds: tuple[int, ...] = (0, 1, 2)
    dictionary: Path | None = None
    simulate: Mapping[str, Path] = field(default_factory=dict)  # segmented text for simulation
    rate: float = 0.3  # share of boundaries with a simulated pause
    noises: tuple[float, ...] = (0.0, 0.5)  # shares of false pauses
    gpu_id: int = -1
    threads: int | None = None  # threads of each run; None = the default of the libraries


def parse_files(texts: Iterable[str], option: str) -> tuple[Path, ...]:
    """Read the files of an option, which may be repeated or have several files with commas."""
    paths = tuple(find_corpus(name) for name in _split(texts))
    if not paths:
        raise ValueError(f"{option} must have at least one file, got none.")
    return paths


def parse_named_files(texts: Iterable[str], option: str) -> dict[str, Path]:
    """Read NAME=FILE of an option, which may be repeated or have several files with commas."""
    found: dict[str, Path] = {}
    for text in _split(texts):
        name, equals, file = text.partition("=")
        if not equals or not NAME.fullmatch(name) or name in found:
            raise ValueError(
                f"{option} must be NAME=FILE with unique names of letters, digits, '.', '_' and "
                f"'-', got {text!r}."
            )
        found[name] = find_corpus(file)
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
        raise ValueError(f"--noises must be shares in [0, 1), e.g. '0,.5', got {text!r}.")
    return noises


def _split(texts: Iterable[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]
