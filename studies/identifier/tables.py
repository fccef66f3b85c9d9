"""The tables of the study, like the paper's Tables 5, 7, 8, 9 and 13."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from studies.identifier.charts import list_charts
from studies.identifier.postprocess import Setting
from studies.identifier.runs import name_texts
from studies.identifier.systems import (
    DOMAINS,
    IN_DOMAIN,
    RATES,
    SEGMENTATION,
    STEPS,
    SYSTEMS,
)
from studies.results import Column, Line, Results, Row, Table

TEXTS = {"0.5": "p_CC=.5", "0": "p_CC=0", "postprocess": "postprocess"}
OVERALL = {"BIO macro": "bio_macro_f", "BIO weighted": "bio_weighted_f", "span": "spans_su_f"}
LABELS = {f"{label}-label": f"bio_{label.lower()}_f" for label in "BIO"}
HEADS = ["trained", "system"]
ENCODER = "components.transformer.model.name"
COMMAND = "python -m studies identifier"


def make_results(settings: Mapping[str, Any], rows: Sequence[Row]) -> Results:
    """Make the results, with their tables.

    settings: See `harness.Plan.to_dict`.
    """
    return Results(
        study="identifier",
        title=f"Study of the sentence identifier{_name_encoder(settings)}",
        about=describe(settings),
        command=COMMAND,
        version=settings["version"],
        settings=dict(settings),
        tables=list_tables(list_texts(settings)),
        rows=list(rows),
    )


def _name_encoder(settings: Mapping[str, Any]) -> str:
    encoder = settings["overrides"].get(ENCODER)
    return f", encoder {encoder.partition(' (')[0]}" if encoder else ""


def describe(settings: Mapping[str, Any]) -> list[str]:
    """Describe how the results were measured."""
    steps = ", ".join(
        f"{name} {domain['max_steps'] or 'as in the config'}"
        for name, domain in settings["domains"].items()
    )
    encoder = settings["overrides"].get(ENCODER, "that of the config")
    segmenters = {
        segmenter
        for domain in settings["domains"].values()
        for _, segmenter in domain["settings"]
        if segmenter
    }
    split = next(iter(settings["domains"].values())).get("measured", "test")
    about = [
        f"Percent, on {split}; mean±sd over the training seeds, each with its own draw of the "
        f"texts. Units joined by: {settings['layout']}. Encoder: {encoder}. Updates of the paper's "
        f"systems: {steps}; updates of ours: as in its config."
    ]
    if segmenters:
        about.append(
            f"Postprocess: {', '.join(sorted(segmenters))} segments each document first. A "
            "document is the `# text` of its units, joined by spaces."
        )
    return about


def list_texts(settings: Mapping[str, Any]) -> dict[str, str]:
    """Name the texts of a study, including those of further segmenters."""
    names = {
        name: name
        for domain in settings["domains"].values()
        for name in name_texts([Setting(*pair) for pair in domain["settings"]])
    }
    return {**names, **TEXTS}


def list_tables(texts: Mapping[str, str] = MappingProxyType(TEXTS)) -> list[Table]:
    """List the charts, and then the tables in the order of the paper.

    texts: Name of the texts in the rows -> their name in the headings.
    """
    columns = partial(list_columns, texts=texts)
    names = [
        (domain, row)
        for domain in DOMAINS
        for system in SYSTEMS.values()
        if system.in_tables and domain in system.domains
        for row in system.rows
    ]
    everything = [make_line(*name) for name in names]
    clean = [make_line(*name, test=SEGMENTATION) for name in names]
    steps = ["ours", *(row for step in STEPS.values() for row in step.rows), "BOS&EOS"]
    rates = _list_rates()
    rate_title = "Augmentation rates, BOS&EOS (+UNI +AUG)"
    return [
        *list_charts(texts),
        _make("Overall results (word level; as Table 5)", everything, columns(OVERALL)),
        _make("B, I, O labels (word level; as Table 7)", everything, columns(LABELS)),
        _make(
            "Overall results (character level; as Table 8)",
            everything,
            columns(OVERALL, prefix="char_"),
        ),
        _make(f"{rate_title} (word level; as Table 9)", rates, columns(OVERALL)),
        _make(
            f"{rate_title} (character level; as Table 9)",
            rates,
            columns(OVERALL, prefix="char_"),
        ),
        _make("Overall results on clean text (word level; as Table 13)", clean, columns(OVERALL)),
        _make(
            "Ablation of ours: each row removes one more part (word level)",
            [make_line(IN_DOMAIN, name) for name in steps],
            columns(OVERALL),
        ),
    ]


def _make(title: str, lines: list[Line], columns: list[Column]) -> Table:
    return Table(title=title, heads=HEADS, lines=lines, columns=columns)


def make_line(trained: str, system: str, *, test: str = IN_DOMAIN, label: str = "") -> Line:
    """Make the line of a system that was trained on a domain."""
    setting = {"trained": trained, "test": test}
    return Line(labels=[trained, label or system], system=system, setting=setting)


def list_columns(
    metrics: Mapping[str, str],
    *,
    prefix: str = "",
    texts: Mapping[str, str] = MappingProxyType(TEXTS),
) -> list[Column]:
    """List the columns of metrics for each kind of texts."""
    return [
        Column(title=title, metric=prefix + metric, setting={"texts": name}, group=group)
        for name, group in texts.items()
        for title, metric in metrics.items()
    ]


def _list_rates() -> list[Line]:
    """List the lines of Table 9. The system with the default rates is also in other tables."""
    default = next(iter(SYSTEMS["uni-aug"].rows))
    lines = []
    for augment, truncate in RATES:
        label = f"p_DA = {augment}, p_TR = {truncate}"
        system = SYSTEMS.get(f"uni-aug-{augment:g}")
        name = next(iter(system.rows)) if system else default
        lines.append(make_line(SEGMENTATION, name, label=label))
    return lines
