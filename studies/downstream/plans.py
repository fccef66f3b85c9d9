"""What the downstream study trains, and whether the runs that are there are of the same study.

options -> Plan -> plan.json beside the runs
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from spacy_sentid.about import __version__
from spacy_sentid.files.atomic import open_output
from spacy_sentid.treebank import find_treebank_files

TRAINED = ("train", "dev")


@dataclass(frozen=True)
class Plan:
    """What the study trains, and where it puts it."""

    out: Path
    treebank: Path
    configs: Mapping[str, Path]  # what is trained ("parser", ...) -> its config
    seeds: tuple[int, ...]
    lang: str = "en"
    max_steps: int | None = None  # None = as the configs say
    gpu_id: int = -1
    threads: int | None = None  # of each training; None = as the libraries choose

    def corpus_path(self, split: str, *, in_layouts: bool) -> Path:
        """Name the Docs of a split that is trained with: as they are, or in both layouts."""
        return self.out / "corpus" / f"{split}{'-layouts' if in_layouts else ''}.spacy"

    @property
    def path(self) -> Path:
        """The file that says what the runs are of."""
        return self.out / "plan.json"


def check_plan(plan: Plan) -> bool:
    """Tell whether runs of this study are there; ValueError if they are of another one.

    Seeds may be added.
    """
    if not plan.path.exists():
        if (plan.out / "training").exists():
            raise ValueError(
                f"{plan.out} has trainings but no plan.json, which says what they are of. Choose "
                "another --out, or remove the folder."
            )
        return False
    found = json.loads(plan.path.read_text(encoding="utf8"))
    differ = [key for key, value in describe_plan(plan).items() if found.get(key) != value]
    if differ:
        raise ValueError(
            f"{plan.out} has runs of a study that differs in {', '.join(differ)}, expected "
            "those of this one. Choose another --out, or remove the folder."
        )
    return True


def write_plan(plan: Plan) -> None:
    """Note beside the runs what they are of."""
    with open_output(plan.path) as file:
        json.dump(describe_plan(plan), file, indent=1)


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Say what the trainings depend on, as it is written beside them."""
    return {
        "version": __version__,
        "treebank": plan.treebank.resolve().name,
        "digests": {
            split: [
                sha256(file.read_bytes()).hexdigest()[:12]
                for file in find_treebank_files(plan.treebank, split)
            ]
            for split in (*TRAINED, "test")
        },
        "lang": plan.lang,
        "max_steps": plan.max_steps,
        "configs": {name: path.read_text(encoding="utf8") for name, path in plan.configs.items()},
    }
