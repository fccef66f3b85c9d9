"""Format the report of speed.py as Markdown: a table of all systems, then each part with ranges."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from speed_rounds import Spread, find_ratio, find_spread
from speed_systems import TOKENIZER

from spacy_sentid.sentence_identifier.access.units import FACTORY

DOCUMENT_WORDS = 500
BEGIN = "<!-- made by benchmarks/speed.py: begin -->"
END = BEGIN.replace("begin", "end")
LAYERS = {
    "residual_window": "windows", "linear": "scores of tokens, lines and segments",
    "maxout": "vectors of distinct words and of lines",
}  # fmt: skip


def format_report(report: Mapping[str, Any]) -> str:
    """Format all parts that were measured."""
    versions = ", ".join(f"{name} {number}" for name, number in report["versions"].items())
    lines = [
        f"Measured by `{report['command']}` in one run of {report['rounds']} rounds, on one core "
        f"of {report['machine']}, with Python {report['python']}, {versions}. Times are CPU time: "
        "the median of the rounds, and in brackets the lowest and the highest value."
    ]
    if report["missing"]:
        lines += ["", f"Not measured, as not installed: {', '.join(report['missing'])}."]
    parts: dict[str, Callable[[Mapping[str, Any]], list[str]]] = {
        "words": format_words,
        "against": format_against,
        "flops": format_flops,
        "alone": format_alone,
        "batches": format_batches,
        "memory": format_memory,
        "start": format_start,
    }
    for name, format_part in parts.items():
        if name in report:
            lines += ["", *format_part(report)]
    return "\n".join(lines) + "\n"


def format_words(report: Mapping[str, Any]) -> list[str]:
    """Format words per second, costs and SU F1 in one table, then speeds and ratios with ranges."""
    kinds, scores, ours = report["words"], report.get("scores", {}), report["models"][0]
    names = list(dict.fromkeys(name for rates in kinds.values() for name in rates))
    middle = kinds["medium"]
    heads = ["system", *(f"words/s, {kind}" for kind in kinds)]
    heads += [f"speed of {ours} / speed of this system, medium", "USD for a million documents"]
    heads += [f"SU F1, {title}" for title in scores]
    rows = []
    for name in names:
        cells = [round_off(find_spread(rates[name]).median) if name in rates else ""
                 for rates in kinds.values()]  # fmt: skip
        cells.append("" if name == ours else format_ratio(find_ratio(middle[ours], middle[name])))
        cost = find_cost(find_spread(middle[name]).median, report["price"])
        cells.append(f"{cost:#.2g}".rstrip("."))
        for found in scores.values():
            score = find_score(found, name)
            cells.append("" if score is None else f"{100 * score:.1f}")
        rows.append([f"**{name}**" if name == ours else name, *cells])
    lines = ["## All systems", "", *(describe_texts(report)), "", *table(heads, rows), ""]
    lines += [
        f'"Speed of `{ours}` / speed of this system" says how many times as fast `{ours}` is. '
        f"If it is less than 1, `{ours}` is slower. Costs are for documents of "
        f"{DOCUMENT_WORDS} words like the medium texts, at "
        f"{report['price']:g} USD per core-hour. SU F1 is that of `python -m studies documents`; "
        "the sentences of systems without NSUs count as SUs. Rows of components include the time "
        f"of `{TOKENIZER}`, with which every spaCy pipeline begins. `segment` is our rules without "
        "spaCy. `senter` is spaCy's trained sentence recogniser, in the size of `en_core_web_sm` "
        "(w16 d2) and in its default size (w96 d4). It was trained on EWT for its SU F1. spaCy "
        "multiplies matrices with blis by default; one line of code makes it use numpy, which our "
        "component always uses."
    ]
    lines += ["", "### Words a second, with ranges", ""]
    lines += table(["system", *kinds], (
        [name, *(format_spread(find_spread(rates[name])) if name in rates else ""
                 for rates in kinds.values())]
        for name in names
    ))  # fmt: skip
    lines += ["", f"### How many times as fast {ours} is, with ranges", ""]
    lines += ["Ratios within rounds: the median, the lowest and the highest value.", ""]
    lines += table(["against", *kinds], (
        [name, *(format_ratio(find_ratio(rates[ours], rates[name]), with_range=True)
                 if name in rates else "" for rates in kinds.values())]
        for name in names if name != ours
    ))  # fmt: skip
    return lines


def describe_texts(report: Mapping[str, Any]) -> list[str]:
    """Describe the texts of each kind."""
    texts = report["texts"]
    return [
        f"- {kind}: {what}; {texts[kind]['texts']:,.0f} in each round, with "
        f"{texts[kind]['words']:,.0f} words"
        for kind, what in {
            "short": "single units of the treebank EWT and sentences of the Brown corpus",
            "medium": "5 to 30 other units or sentences, joined by spaces",
            "long": "parts of the Brown corpus in paragraphs, each as one document",
        }.items()
        if kind in texts
    ]


def find_score(scores: Mapping[str, float], name: str) -> float | None:
    """Find the SU F1 of a system, which does not depend on the BLAS."""
    return scores.get(name, scores.get(name.split(", ")[0]))


def find_cost(words_per_second: float, price: float) -> float:
    """Find the price of a million documents.

    >>> round(find_cost(500 * 1e6 / 3600, 0.05), 6)
    0.05
    """
    return price * 1e6 * DOCUMENT_WORDS / words_per_second / 3600


def format_against(report: Mapping[str, Any]) -> list[str]:
    """Format the comparison with another commit."""
    found = report["against"]
    rows = [
        [kind, format_ratio(find_ratio(row["other"], row["ours"]), with_range=True)]
        + [f"{find_spread(row[name]).median:.3f}" for name in ("ours", "other")]
        + [f"{100 * row['same_spans']:.1f} %"]
        for kind, row in found["kinds"].items()
    ]
    heads = ["texts", "times as fast", "CPU s", f"CPU s, {found['name']}", "texts with equal spans"]
    return [
        f"## Against {found['name']}", "",
        f"`{FACTORY}` with its own weights in both environments, in turns on the same texts. "
        "\"alone\" means texts of 20 words with one call each.", "", *table(heads, rows),
    ]  # fmt: skip


def format_flops(report: Mapping[str, Any]) -> list[str]:
    """Format the speed of the component as a share of the peak of the core."""
    found = report["flops"]
    total = sum(found["flops_per_token"].values())
    achieved = [total * rate for rate in found["tokens_per_second"]]
    share = find_ratio(achieved, found["peak"])
    rows = [
        [LAYERS.get(name, name), f"{number / 1000:,.0f}"]
        for name, number in sorted(found["flops_per_token"].items(), key=lambda row: -row[1])
    ]
    rows.append(["all", f"{total / 1000:,.0f}"])
    return [
        "## The limit", "",
        f"`predict` of `{report['models'][0]}` on medium texts, without the tokenizer and without "
        "decoding. The table shows the thousands of multiplications and additions per token, "
        "counted from the shapes of the weights and the rows that each layer processes:", "",
        *table(["layers", "thousands per token"], rows), "",
        f"This gives {find_spread(achieved).median / 1e9:.1f} GFLOP/s. The peak of the core, when "
        "numpy multiplies two matrices of 2048 x 2048 floats in the same run, is "
        f"{find_spread(found['peak']).median / 1e9:.1f} GFLOP/s. The share is "
        f"**{100 * share.median:.0f} %** "
        f"[{100 * share.low:.0f}–{100 * share.high:.0f}]. Decoding and writing spans take "
        f"{100 * find_spread(found['decoding']).median:.1f} % of the component's time.",
    ]  # fmt: skip


def format_alone(report: Mapping[str, Any]) -> list[str]:
    """Format the latency of single texts."""
    rows = [
        [name, f"{row['p50']:.2f}", f"{row['p99']:.2f}"] for name, row in report["alone"].items()
    ]
    n_calls = max(row["calls"] for row in report["alone"].values())
    return [
        "## One short text alone", "",
        f"CPU milliseconds of only the component on a tokenized text of 20 words, over {n_calls:,} "
        "calls.", "", *table(["component", "median", "99th percentile"], rows),
    ]  # fmt: skip


def format_batches(report: Mapping[str, Any]) -> list[str]:
    """Format speeds by batch size."""
    kinds = report["batches"]
    sizes = list(next(iter(kinds.values())))
    rows = [
        [size]
        + [format_ratio(find_ratio(rates[size], rates[sizes[-1]]), with_range=True)
           for rates in kinds.values()]
        for size in sizes[:-1]
    ]  # fmt: skip
    return [
        "## Size of a batch", "",
        f"Speed of `nlp.pipe(texts, batch_size=N)` as a share of the speed with {sizes[-1]}, "
        "spaCy's default.", "", *table(["batch", *kinds], rows),
    ]  # fmt: skip


def format_memory(report: Mapping[str, Any]) -> list[str]:
    """Format the peak memory by the length of a document."""
    rows = [
        [row["system"], f"{row['megabytes']:g} MB", "yes" if row["blank_lines"] else "no"]
        + [f"{row[name]:,.0f}" for name in ("before", "tokenized", "peak")]
        + [f"{row['peak'] / row['tokenized']:.2f}", f"{row['seconds']:.1f}"]
        for row in report["memory"]
    ]
    heads = ["system", "document", "blank lines", "MB before", "MB, tokenizer", "MB, pipeline"]
    return [
        "## Memory of one document", "",
        "Peak memory of a process after loading, after the tokenizer has made the Doc, and after "
        "the whole pipeline. The CPU seconds are those of the pipeline. The text is a part of the "
        "Brown corpus, in paragraphs or without any line end.", "",
        *table([*heads, "pipeline / tokenizer", "CPU s"], rows),
    ]  # fmt: skip


def format_start(report: Mapping[str, Any]) -> list[str]:
    """Format the CPU time of starting."""
    rows = [
        [name, format_spread(find_spread(seconds), digits=2)]
        for name, seconds in report["start"].items()
    ]
    return ["## Start", "", "CPU seconds of a fresh process.", "", *table(["", "CPU s"], rows)]


def round_off(number: float) -> str:
    """Format a large number with three digits; more would differ in the next run.

    >>> round_off(35491.7), round_off(4_412_345)
    ('35,500', '4,410,000')
    """
    return f"{float(f'{number:.3g}'):,.0f}"


def format_spread(spread: Spread, *, digits: int | None = None) -> str:
    """Format a median and its range. digits: Number of decimals; None = three digits in total."""
    cells = [round_off(n) if digits is None else f"{n:.{digits}f}" for n in spread]
    return f"{cells[0]} [{cells[1]}–{cells[2]}]"


def format_ratio(ratio: Spread, *, with_range: bool = False) -> str:
    """Format a ratio with its significant digits.

    >>> format_ratio(Spread(2.345, 2.3, 3.0), with_range=True), format_ratio(Spread(0.0123, 0, 1))
    ('2.35 [2.30–3.00]', '0.012')
    """
    digits = 2 if ratio.median >= 0.1 else 3
    return format_spread(ratio, digits=digits) if with_range else f"{ratio.median:.{digits}f}"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Format a table as Markdown, with numbers aligned to the right."""
    rule = ["---", *["---:"] * (len(heads) - 1)]
    return [f"| {' | '.join(row)} |" for row in (heads, rule, *rows)]


def fill_page(page: Path, tables: str) -> str:
    """Put tables between the two marks of a page; raise ValueError if a mark is missing."""
    text = page.read_text(encoding="utf8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} must have the lines {BEGIN!r} and {END!r}, around the tables.")
    return f"{before}{BEGIN}\n\n{tables}\n{END}{after}"
