"""Results of the recipes of the paraphrase tagger on our test sets, as in Table 3.

reports of `evaluate_taggers`, one for each recipe and test -> rows -> tables

A report has means and standard deviations over the seeds, so the rows have them too.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from studies.results import SD, SEEDS, Column, Line, Results, Row, Table, list_rows

# Recipe -> its name in the tables.
RECIPES = {
    "bundled": "recipe of the bundled weights",
    "full": "all training data, CPU",
    "encoder": "MiniLM-L6, training data alone",
}
OVERLAP = {"overlap": "plain overlap", "overlap, content words": "plain overlap, content words"}
SYSTEMS = {**OVERLAP, **RECIPES}
# Stem of the file of a test -> title of the test.
TESTS = {
    "test": "test",
    "contrast_probe": "contrast probe",
    "paper_examples": "paper's examples",
}
SOURCES = {
    "etpc-mrpc-negative": "ETPC, negative pairs",
    "ists2016-headlines": "iSTS headlines",
    "edinburgh++": "Edinburgh++",
}
ACCURACY, F1, SPAN_F1 = "paraphrase_acc", "unparaphrased_f", "spans_unparaphrased_f"
ABOUT = (
    "Accuracy is the share of words with the right tag. F1 is that of unparaphrased words, which "
    "are highlighted. Fixed scores use the threshold of the recipe. Tuned scores use the threshold "
    "that is best on dev, for each seed. The settings in the JSON file list the thresholds."
)


def make_results(folder: Path) -> Results:
    """Combine all reports FOLDER/RECIPE/TEST.json that exist.

    Raises ValueError if there are no reports.
    """
    reports = {
        (recipe, test): json.loads(path.read_text(encoding="utf8"))
        for recipe in RECIPES
        for test in TESTS
        if (path := folder / recipe / f"{test}.json").exists()
    }
    if not reports:
        raise ValueError(f"{folder} must have reports such as full/test.json, got none.")
    # Overlap needs no training, so all reports have the same rows for it.
    rows = {
        (row.system, *row.setting.values(), row.metric): row
        for (recipe, test), report in reports.items()
        for row in _read_rows(recipe, test, report)
    }
    thresholds = {
        recipe: {"fixed": report["threshold"], "tuned": _tuned_thresholds(report)}
        for (recipe, test), report in reports.items()
        if test == "test"
    }
    return Results(
        study="paraphrase",
        title="Words without a paraphrase",
        about=[ABOUT],
        command="python -m studies.weights.train_tagger RECIPE --wordnet WORDNET/dict",
        settings={"thresholds": thresholds},
        tables=make_tables(),
        rows=list(rows.values()),
    )


def _read_rows(recipe: str, test: str, report: Mapping[str, Any]) -> Iterator[Row]:
    """Make the rows of a report: mean, deviation and number of seeds."""
    for entry in report["rows"]:
        system = recipe if entry["system"] == "tagger" else entry["system"]
        is_trained = system == recipe
        for kind in ("fixed", "tuned"):
            if not entry[kind]:
                continue
            setting = {"test": test, "pairs": entry["pairs"], "threshold": kind}
            scores = dict(entry[kind]["mean"])
            if is_trained:
                deviations = entry[kind].get("sd", {})
                scores |= {name + SD: value for name, value in deviations.items()}
                scores[SEEDS] = entry["seeds"]
            yield from list_rows(system, None, setting, scores)


def _tuned_thresholds(report: Mapping[str, Any]) -> list[float]:
    """List the tuned threshold of each seed."""
    return next(row["thresholds"] for row in report["rows"] if row["system"] == "tagger")


def make_tables() -> list[Table]:
    """Make a table of all tests, and one of the sources of the test set."""
    lines = [Line(labels=[title], system=system) for system, title in SYSTEMS.items()]

    def make_column(title: str, metric: str, test: str, kind: str, pairs: str = "all") -> Column:
        setting = {"test": test, "pairs": pairs, "threshold": kind}
        return Column(title=title, metric=metric, setting=setting)

    everything = [
        make_column(f"{TESTS[test]}, {kind}: {name}", metric, test, kind)
        for test, kind, name, metric in (
            ("test", "fixed", "accuracy", ACCURACY),
            ("test", "fixed", "F1", F1),
            ("test", "tuned", "accuracy", ACCURACY),
            ("test", "tuned", "F1", F1),
            ("test", "tuned", "F1 of exact spans", SPAN_F1),
            ("contrast_probe", "fixed", "F1", F1),
            ("paper_examples", "fixed", "F1", F1),
        )
    ]
    by_source = [
        make_column(f"{title}: {name}", metric, "test", "fixed", source)
        for source, title in SOURCES.items()
        for name, metric in (("accuracy", ACCURACY), ("F1", F1))
    ]
    heads = ["system"]
    return [
        Table(title="All tests", heads=heads, lines=lines, columns=everything),
        Table(title="Sources of the test, fixed", heads=heads, lines=lines, columns=by_source),
    ]
