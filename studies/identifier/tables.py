"""The paper's tables and Figure 3 from the runs of a study.

JSONs of the runs -> mean and sd over seeds -> Markdown laid out as Tables 5, 7, 8, 9, 13; an SVG
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Any, NamedTuple

from spacy_sentid.plotting import SVG_METADATA, import_matplotlib, use_own_settings
from studies.identifier.runs import unidirectional_weight_row
from studies.identifier.systems import (
    DOMAINS,
    IN_DOMAIN,
    RATES,
    SEGMENTATION,
    SYSTEMS,
    UNIDIRECTIONAL_WEIGHTS,
)

SETTINGS = ("0.5", "0", "postprocess")
OVERALL = {"BIO macro": "bio_macro_f", "BIO weighted": "bio_weighted_f", "span": "spans_su_f"}
LABELS = {f"{label}-label": f"bio_{label.lower()}_f" for label in "BIO"}
HEADINGS = {"0.5": "p_CC=.5", "0": "p_CC=0", "postprocess": "postprocess"}

# (domain of training, row, domain of the test, setting) -> scores of each seed.
Scores = dict[tuple[str, str, str, str], list[dict[str, float]]]


class Table(NamedTuple):
    """What one table shows."""

    title: str
    rows: Sequence[tuple[str, str, str]]  # domain of training, row in the scores, its name here
    test: str = IN_DOMAIN
    settings: Sequence[str] = SETTINGS
    columns: Mapping[str, str] = OVERALL
    prefix: str = ""  # of the names of the scores


def collect_scores(results: Iterable[Mapping[str, Any]]) -> Scores:
    """Put the scores of all runs in order."""
    scores: Scores = {}
    for result in results:
        for test, rows in result["scores"].items():
            for row, settings in rows.items():
                for setting, values in settings.items():
                    key = (result["domain"], row, test, setting)
                    scores.setdefault(key, []).append(values)
    return scores


def mean_and_sd(values: Sequence[float]) -> str:
    """Write mean and sample standard deviation in percent; the latter from two values on.

    >>> mean_and_sd([0.5, 0.52]), mean_and_sd([0.5]), mean_and_sd([])
    ('51.0±1.4', '50.0', '')
    """
    if not values:
        return ""
    text = f"{100 * fmean(values):.1f}"
    return f"{text}±{100 * stdev(values):.1f}" if len(values) > 1 else text


def study_tables(scores: Scores) -> str:
    """Write all tables as Markdown; a table or row without runs is left out."""
    return "\n".join(filter(None, (format_table(table, scores) for table in list_tables())))


def list_tables() -> list[Table]:
    """List what the tables show, in the order of the paper."""
    names = [row for system in SYSTEMS.values() if system.in_study for row in system.rows]
    default_rates = next(iter(SYSTEMS["uni-aug"].rows))
    rates = [
        next(iter(SYSTEMS.get(f"uni-aug-{augment:g}", SYSTEMS["uni-aug"]).rows))
        for augment, _ in RATES
    ]
    labels = {default_rates: "p_DA = {}, p_TR = {}".format(*RATES[1])}
    all_rows = [(domain, row, row) for domain in DOMAINS for row in names]
    rate_rows = [(SEGMENTATION, row, labels.get(row, row)) for row in rates]
    rate_title = "Augmentation rates, BOS&EOS (+UNI +AUG)"
    return [
        Table("Overall results (word level; as Table 5)", all_rows),
        Table("B, I, O labels (word level; as Table 7)", all_rows, columns=LABELS),
        Table("Overall results (character level; as Table 8)", all_rows, prefix="char_"),
        Table(f"{rate_title} (word level; as Table 9)", rate_rows),
        Table(f"{rate_title} (character level; as Table 9)", rate_rows, prefix="char_"),
        Table(
            "Overall results on clean text (word level; as Table 13)",
            all_rows,
            test=SEGMENTATION,
            settings=SETTINGS[:2],
        ),
    ]


def caption(study: Mapping[str, Any]) -> str:
    """Say in Markdown how the numbers of a study were made (see `runs.describe_plan`)."""
    steps = {
        domain: values["max_steps"] or "as the config says"
        for domain, values in study["domains"].items()
    }
    segmenters = {
        segmenter
        for values in study["domains"].values()
        for _, segmenter in values["settings"]
        if segmenter
    }
    encoder = study["overrides"].get("components.transformer.model.name", "that of the config")
    lines = [
        "Percent, on test; mean±sd over the seeds of the training, each with its own draw of the "
        "texts.",
        f"Units joined by: {study['layout']}. Encoder: {encoder}. Updates of the paper's systems: "
        + ", ".join(f"{domain} {n}" for domain, n in steps.items())
        + f"; ours: its config. spacy-sentid {study['version']}.",
    ]
    if segmenters:
        lines.append(
            f"Postprocess: {', '.join(sorted(segmenters))} segments each document first, the "
            "`# text` of its units joined by spaces."
        )
    return "\n".join(lines) + "\n"


def format_table(table: Table, scores: Scores) -> str:
    """Lay out one table as Markdown; an empty string if there is nothing for it."""
    head, *rows = table_rows(table, scores)
    if not rows:
        return ""
    rule = "| --- | --- | ---: |" + " ---: |" * (len(head) - 3)
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return "\n".join([f"## {table.title}\n", lines[0], rule, *lines[1:]]) + "\n"


def table_rows(table: Table, scores: Scores) -> list[list[str]]:
    """Lay out one table as rows of cells, the heading first; rows without runs are left out."""
    columns, settings = table.columns, table.settings
    heads = [f"{HEADINGS[setting]}: {name}" for setting in settings for name in columns]
    rows = [["trained", "system", "seeds", *heads]]
    for domain, row, label in table.rows:
        runs = {setting: scores.get((domain, row, table.test, setting), []) for setting in settings}
        if not any(runs.values()):
            continue
        cells = [
            mean_and_sd([run[table.prefix + name] for run in runs[setting]])
            for setting in settings
            for name in columns.values()
        ]
        rows.append([domain, label, str(max(map(len, runs.values()))), *cells])
    return rows


def draw_unidirectional_weights(scores: Scores, path: Path, *, domain: str = SEGMENTATION) -> None:
    """Draw Figure 3: scores by lambda, mean and sd over the seeds; red at lambda = 0.

    Raises ValueError without matplotlib, or without runs of the system.
    """
    matplotlib = import_matplotlib()
    row = next(iter(SYSTEMS["uni-aug"].rows))
    settings = [
        setting
        for setting in SETTINGS
        if (domain, unidirectional_weight_row(row, 0), IN_DOMAIN, setting) in scores
    ]
    if not settings:
        raise ValueError(f"Found no run of {row!r}, expected one to draw. Let the study train it.")
    with use_own_settings():
        figure = matplotlib.figure.Figure(figsize=(3.2 * len(settings), 7.2), layout="constrained")
        axes = figure.subplots(len(OVERALL), len(settings), sharex=True, squeeze=False)
        for n, (label, name) in enumerate(OVERALL.items()):
            for axis, setting in zip(axes[n], settings, strict=True):
                keys = [
                    (domain, unidirectional_weight_row(row, x), IN_DOMAIN, setting)
                    for x in UNIDIRECTIONAL_WEIGHTS
                ]
                values = [[100 * run[name] for run in scores[key]] for key in keys]
                means = [fmean(runs) for runs in values]
                sds = [stdev(runs) if len(runs) > 1 else 0.0 for runs in values]
                low = [mean - sd for mean, sd in zip(means, sds, strict=True)]
                high = [mean + sd for mean, sd in zip(means, sds, strict=True)]
                axis.fill_between(
                    UNIDIRECTIONAL_WEIGHTS, low, high, color="tab:blue", alpha=0.2, linewidth=0
                )
                axis.plot(UNIDIRECTIONAL_WEIGHTS, means, color="tab:blue", marker=".")
                axis.plot(UNIDIRECTIONAL_WEIGHTS[0], means[0], color="tab:red", marker="o")
                axis.axhline(means[0], color="tab:red", linewidth=0.8, linestyle=":")
                if n == 0:
                    axis.set_title(HEADINGS[setting])
                if axis is axes[n][0]:
                    axis.set_ylabel(f"{label} F1")
                if n == len(OVERALL) - 1:
                    axis.set_xlabel("lambda")
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, format="svg", metadata=SVG_METADATA)
