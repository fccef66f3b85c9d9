"""Hide torch in processes that have this folder in PYTHONPATH.

spaCy and thinc import torch if it is installed, which takes several seconds in each process. Tests
that start processes without a need for torch use this folder (see the fixture `light_processes`).
"""

import importlib.metadata
import sys

HIDDEN = ("torch", "transformers", "spacy_transformers")
find_entry_points = importlib.metadata.entry_points


class Hide:
    """An import finder that comes first, and raises an error for hidden packages."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name.split(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"{name} is hidden by {__file__}", name=name)


def entry_points(**params: str):
    """Find the entry points that do not need hidden packages."""
    found = find_entry_points(**params)
    if isinstance(found, dict):  # before Python 3.12
        return type(found)({group: keep_visible(points) for group, points in found.items()})
    return keep_visible(found)


def keep_visible(points) -> importlib.metadata.EntryPoints:
    """Exclude the entry points of hidden packages."""
    return importlib.metadata.EntryPoints(
        point for point in points if not point.value.startswith(HIDDEN)
    )


sys.meta_path.insert(0, Hide)
importlib.metadata.entry_points = entry_points
