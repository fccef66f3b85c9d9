"""Format the report of sentence_peers.py as Markdown."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# Speeds are compared with those of these systems.
REFERENCES = ("pySBD", "syntok")
UNITS = {"document": "one text", "paragraphs": "a call for each paragraph"}


def format_report(report: Mapping[str, Any]) -> str:
    """Format all parts that were measured."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    lines = ["Measured by `python benchmarks/sentence_peers.py`, in one run, on one core.", ""]
    lines += [f"{report['machine']}, Python {report['python']}; {versions}."]
    if report["missing"]:
        lines += ["", f"Not measured, as not installed: {', '.join(report['missing'])}."]
    parts = {
        "accuracy": format_accuracy,
        "speed": format_speed,
        "scaling": format_scaling,
        "nasty": format_nasty,
        "component": format_components,
    }
    for name, format_part in parts.items():
        if name in report:
            lines += ["", *format_part(report[name])]
    return "\n".join(lines) + "\n"


def format_accuracy(sets: Mapping[str, Any]) -> list[str]:
    """Format one table of all F1 scores, and one table for each set, sorted by F1."""
    names = {name: None for result in sets.values() for name in result["systems"]}
    best = {
        title: max((row["f1"] for row in result["systems"].values()), default=0.0)
        for title, result in sets.items()
    }
    rows = []
    for name in names:
        scores = [result["systems"].get(name, {}).get("f1") for result in sets.values()]
        cells = [
            "" if f1 is None else f"**{percent(f1)}**" if f1 == best[title] else percent(f1)
            for title, f1 in zip(sets, scores, strict=True)
        ]
        rows.append([name, *cells])
    lines = ["## Boundaries", "", "F1 in percent; the best of each column is bold.", ""]
    lines += table(["system", *sets], rows)
    for title, result in sets.items():
        lines += ["", f"### {title}", ""]
        lines += [
            f"{result['texts']:,} texts, {result['chars']:,} characters, "
            f"{result['boundaries']:,} boundaries. Scores are in percent.",
            "",
        ]
        systems = sorted(result["systems"].items(), key=lambda row: -row[1]["f1"])
        groups = list(systems[0][1]["groups"]) if systems else []
        heads = ["system", "precision", "recall", "F1", *(f"F1, {name}" for name in groups)]
        lines += table(
            [*heads, "characters/s"],
            (
                [
                    name,
                    *(percent(row[key]) for key in ("precision", "recall", "f1")),
                    *(percent(row["groups"][group]["f1"]) for group in groups),
                    f"{row['chars_per_second']:,.0f}",
                ]
                for name, row in systems
            ),
        )
    return lines


def format_speed(speed: Mapping[str, Any]) -> list[str]:
    """Format characters per second of each system, and their ratios to the references."""
    systems = speed["systems"]
    heads = ["system", "gives"]
    for unit in UNITS.values():
        heads += [f"{unit}: characters/s", *(f"times {name}" for name in REFERENCES)]
    rows = []
    for name, row in systems.items():
        cells = [name, row["gives"]]
        for key in UNITS:
            cells.append(f"{row[key]:,.0f}")
            cells += [
                f"{row[key] / systems[other][key]:.1f}" if other in systems else "-"
                for other in REFERENCES
            ]
        rows.append(cells)
    return [
        "## Speed",
        "",
        f"The median of {speed['rounds']} rounds, from texts to offsets or strings. Each round "
        f"reads another part of Brown: as one text of about {speed['chars']:,.0f} characters, and "
        f"as about {speed['paragraphs']:,.0f} paragraphs with one call for each.",
        "",
        *table(heads, rows),
    ]


def format_scaling(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Format the times of our function on texts of growing length."""
    heads = ["MB", "seconds", "characters/s", "sentences"]
    return [
        "## Growing length",
        "",
        "`segment` on one text: Brown, repeated as needed.",
        "",
        *table(
            heads,
            (
                [
                    f"{row['megabytes']}",
                    f"{row['seconds']:.2f}",
                    f"{row['chars_per_second']:,.0f}",
                    f"{row['sentences']:,}",
                ]
                for row in rows
            ),
        ),
    ]


def format_nasty(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Format the times of our function on repeated strings, the slowest first."""
    slowest = sorted(rows, key=lambda row: -(row["1000000"] or float("inf")))
    return [
        "## Repeated strings",
        "",
        "Seconds that `segment` takes for texts of 100,000 and 1,000,000 characters. Linear time "
        "means 10 times as long. `-` means not tried, because the shorter text took too long.",
        "",
        *table(
            ["repeated string", "100,000", "1,000,000", "times as long"],
            (
                [
                    f"`` {row['piece']!r} ``".replace("|", "\\|"),
                    *(seconds(row[size]) for size in ("100000", "1000000")),
                    f"{row['1000000'] / row['100000']:.1f}" if row["1000000"] else "-",
                ]
                for row in slowest
            ),
        ),
    ]


def format_components(report: Mapping[str, Any]) -> list[str]:
    """Format the speeds of our component and spaCy's, without the tokenizer."""
    return [
        "## Component",
        "",
        "Tokens per second of only the components, on tokenized documents: the median of rounds "
        "with different documents.",
        "",
        *table(
            ["documents", "", "tokens", "rule_sentencizer", "sentencizer", "times as fast"],
            (
                [
                    key,
                    f"{row['docs']:,.0f}",
                    f"{row['tokens']:,.0f}",
                    f"{row['rule_sentencizer']:,.0f}",
                    f"{row['sentencizer']:,.0f}",
                    f"{row['rule_sentencizer'] / row['sentencizer']:.2f}",
                ]
                for key, row in report.items()
            ),
        ),
    ]


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Format a table with the first column aligned to the left, and the others to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return ["| " + " | ".join(line) + " |" for line in lines]


def percent(share: float) -> str:
    """Format a share, such as 0.9876, as 98.76."""
    return f"{100 * share:.2f}"


def seconds(number: float | None) -> str:
    """Format seconds; "-" if they were not measured."""
    return "-" if number is None else f"{number:.3f}"
