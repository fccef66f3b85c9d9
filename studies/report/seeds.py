"""Which results are of the seeds of one training, so that they have a mean.

paths of models, all else that was measured -> groups
"""

import json
import re
from collections.abc import Sequence
from typing import Any

SEED = re.compile(r"(seed\W?)\d+", re.IGNORECASE)
NOTE = (
    "A mean of files is there where they differ in nothing but the seed that the paths of their "
    'models name ("seed-1").'
)


def group_seeds(measured: Sequence[tuple[str, Any]]) -> list[list[int]]:
    """Group what differs in nothing but the seed of its model.

    measured: The path of each model; as JSON all else that makes the numbers comparable.
    RETURNS: The places of each group of two and more. A model that is there twice is no two seeds:
        its group is left out.

    >>> group_seeds([("seed-1/best", "EWT"), ("seed-2/best", "EWT"), ("seed-3/best", "GSD")])
    [[0, 1]]
    """
    groups: dict[str, list[int]] = {}
    for place, (model, about) in enumerate(measured):
        key = json.dumps([SEED.sub(r"\1*", model), about], sort_keys=True)
        groups.setdefault(key, []).append(place)
    return [
        places
        for places in groups.values()
        if len(places) > 1 and len({measured[place][0] for place in places}) == len(places)
    ]
