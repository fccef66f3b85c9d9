"""The charts of the study: the scores of all systems, and Figure 3 of the paper."""

from collections.abc import Mapping

from studies.identifier.systems import (
    DOMAINS,
    IN_DOMAIN,
    SEGMENTATION,
    SYSTEMS,
    UNIDIRECTIONAL_WEIGHTS,
)
from studies.results import Column, Line, Table

METRICS = {
    "F1 of the labels of words (first of a sentence, other, outside), macro": "bio_macro_f",
    "F1 of exact sentences": "spans_su_f",
}
TEXTS = {
    "0.5": "two units a text, on average",
    "0": "as many units as fit",
    "postprocess": "documents cut by a segmenter",
}
TRAINED = {
    IN_DOMAIN: "trained on sentences and other units",
    SEGMENTATION: "trained on sentences alone",
}
ABOUT = "Units of the test split, joined as in the paper."


def list_charts(texts: Mapping[str, str]) -> list[Table]:
    """List the charts of all systems, then those by lambda, for each kind of training.

    texts: Name of the texts in the rows -> their name in the headings of the tables.
    """
    return [_draw_systems(domain, texts) for domain in DOMAINS] + [
        _draw_weights(domain) for domain in DOMAINS
    ]


def _draw_systems(domain: str, texts: Mapping[str, str]) -> Table:
    names = [
        row
        for system in SYSTEMS.values()
        if system.in_tables and domain in system.domains
        for row in system.rows
    ]
    return Table(
        title=f"Which words belong to sentences? Systems {TRAINED[domain]}",
        about=ABOUT,
        heads=["system"],
        lines=[
            Line(
                labels=[name.replace("ours", "our model")],
                system=name,
                setting={"trained": domain, "test": IN_DOMAIN},
                role="ours" if name.startswith("ours") else "other",
            )
            for name in names
        ],
        columns=_list_columns({name: _name_texts(name, title) for name, title in texts.items()}),
        show="dots",
        ranked=True,
    )


def _name_texts(name: str, heading: str) -> str:
    """Name texts by their name in the rows, or by their heading if a segmenter has cut them."""
    return TEXTS.get(name) or heading.replace("postprocess, ", "documents cut by ")


def _draw_weights(domain: str) -> Table:
    """Make the chart like Figure 3, with the scores by lambda."""
    system = next(iter(SYSTEMS["uni-aug"].rows))
    setting = {"trained": domain, "test": IN_DOMAIN}
    return Table(
        title=f"How much should the unidirectional model count? {system}, {TRAINED[domain]}",
        about=f"{ABOUT} Lambda is the weight of the unidirectional model (the paper's Figure 3).",
        heads=["lambda"],
        lines=[
            Line(labels=[f"{x:g}"], system=system, setting={**setting, "lambda": x})
            for x in UNIDIRECTIONAL_WEIGHTS
        ],
        columns=_list_columns(TEXTS),
        show="lines",
    )


def _list_columns(texts: Mapping[str, str]) -> list[Column]:
    return [
        Column(title=title, metric=metric, setting={"texts": name}, group=group)
        for name, group in texts.items()
        for title, metric in METRICS.items()
    ]
