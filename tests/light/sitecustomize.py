"""What a Python started with this folder in PYTHONPATH does first: it hides torch.

spaCy and thinc import torch wherever it is installed, for several seconds in each process. What
starts processes but needs no torch starts them like this: see the fixture `light_processes`.
"""

import importlib.metadata
import sys

HIDDEN = ("torch", "transformers", "spacy_transformers")
find_entry_points = importlib.metadata.entry_points


class Hide:
    """Finds no hidden package, whoever else would."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name.split(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"{name} is hidden by {__file__}", name=name)


def entry_points(**params: str):
    """Find the entry points that need nothing that is hidden."""
    found = find_entry_points(**params)
    if isinstance(found, dict):  # before Python 3.12
        return type(found)({group: keep_visible(points) for group, points in found.items()})
    return keep_visible(found)


def keep_visible(points) -> importlib.metadata.EntryPoints:
    """Leave out the entry points of what is hidden."""
    return importlib.metadata.EntryPoints(
        point for point in points if not point.value.startswith(HIDDEN)
    )


sys.meta_path.insert(0, Hide)
importlib.metadata.entry_points = entry_points
