"""What the pause study trains and measures: files and settings -> Study."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studies.harness import find_corpus

NAME = re.compile(r"[\w.-]+")


@dataclass(frozen=True)
class Study:
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
    paths = tuple(find_corpus(name) for name in _split(texts))
    if not paths:
        raise ValueError(f"{option} must name at least one file.")
    return paths


def parse_named_files(texts: Iterable[str], option: str) -> dict[str, Path]:
    """Read NAME=FILE from an option that may be repeated; commas separate them too."""
    found: dict[str, Path] = {}
    for text in _split(texts):
        name, equals, file = text.partition("=")
        if not equals or not NAME.fullmatch(name) or name in found:
            raise ValueError(
                f"{option} must be NAME=FILE, each name once, of letters, digits, '.', '_', '-', "
                f"got {text!r}."
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
        raise ValueError(f"--noises must be shares below 1, such as '0,.5', got {text!r}.")
    return noises


def _split(texts: Iterable[str]) -> list[str]:
    return [part.strip() for text in texts for part in text.split(",") if part.strip()]
