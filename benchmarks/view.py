"""Measure the page of a long document in headless Chromium: size, first paint, response times.

The times depend on the load of the machine, so the best of several rounds is reported.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from browser import open_browser
from corpora import add_data_option

from spacy_sentid.batch.input.documents import Document
from spacy_sentid.batch.work.worker import WorkSettings
from spacy_sentid.view.pages.documents import make_document_page
from spacy_sentid.view.text.reading import make_worker, view_documents

LAYOUTS = {"paragraphs": "\n\n", "one line": " ", "a line each sentence": ".\n"}
SETTLE_S = 1.0
MEASURE = """
const done = arguments[arguments.length - 1];
const begin = performance.now();
const byId = (id) => document.getElementById(id);
const acts = {
  probabilities: () => document.querySelector("[data-class=probs-on]").click(),
  filter: () => { byId("score").value = 0.8; byId("score").dispatchEvent(new Event("input")); },
  search: () => {
    byId("query").value = "president";
    byId("query").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", cancelable: true }));
  },
  end: () => scrollTo(0, document.documentElement.scrollHeight),
};
acts[arguments[0]]();
requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
"""
ACTS = ("filter", "search", "end", "probabilities")


def main() -> None:
    """Print the table, and write it to a file if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "brown/brown.jsonl", option="--text")
    parser.add_argument("--megabytes", type=float, default=1.0, help="MB of text on the page")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, whose best is reported")
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    worker = make_worker(WorkSettings(), with_probs=True)
    figures = {}
    for name, joint in LAYOUTS.items():
        text = read_text(args.text, joint, n_chars=int(args.megabytes * 1e6))
        views = list(view_documents([Document("document", text)], worker, on_bad=sys.exit))
        begin = time.perf_counter()
        page = make_document_page("Benchmark", views)
        seconds = time.perf_counter() - begin
        figures[name] = {
            "units": len(views[0].units),
            "page_mb": round(len(page.encode("utf8")) / 1e6, 2),
            "write_page_ms": round(1000 * seconds),
            **measure(page, rounds=args.rounds),
        }
        print(name, json.dumps(figures[name]), flush=True)
    print_table(figures)
    if args.json is not None:
        args.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf8")


def read_text(path: Path, joint: str, *, n_chars: int) -> str:
    """Concatenate texts until they are long enough."""
    pieces: list[str] = []
    size = 0
    with path.open(encoding="utf8") as file:
        for line in file:
            text = json.loads(line)["text"].replace("\n", " ")
            pieces.append(text.replace(". ", joint) if joint.startswith(".") else text)
            size += len(text)
            if size > n_chars:
                break
    return (joint if not joint.startswith(".") else "\n").join(pieces)[:n_chars]


def measure(page: str, *, rounds: int) -> dict[str, int]:
    """Open a page several times, and return the best of each time in milliseconds."""
    best: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        path.write_text(page, encoding="utf8")
        for _ in range(rounds):
            with open_browser() as driver:
                for name, value in measure_once(driver, path).items():
                    best[name] = min(best.get(name, 1 << 30), round(value))
    return best


def measure_once(driver: Any, path: Path) -> dict[str, float]:
    """Open a page in a new browser, and time the actions on it."""
    driver.get(path.as_uri())
    time.sleep(SETTLE_S)
    paint, load = driver.execute_script(
        "const [paint] = performance.getEntriesByName('first-contentful-paint');"
        "const [load] = performance.getEntriesByType('navigation');"
        "return [paint.startTime, load.loadEventEnd];"
    )
    times = {"first_paint_ms": paint, "load_ms": load}
    for act in ACTS:
        times[f"{act}_ms"] = driver.execute_async_script(MEASURE, act)
    return times


def print_table(figures: dict[str, dict[str, float]]) -> None:
    """Print the figures in Markdown."""
    names = next(iter(figures.values())).keys()
    print("| layout | " + " | ".join(name.replace("_", " ") for name in names) + " |")
    print("| --- " * (len(names) + 1) + "|")
    for layout, row in figures.items():
        print(f"| {layout} | " + " | ".join(f"{value:,}" for value in row.values()) + " |")


if __name__ == "__main__":
    main()
