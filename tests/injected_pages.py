"""Make every page of the package, with given strings everywhere that it accepts text.

strings -> HTML, texts that it must show; a page of harmless strings has the same elements
"""

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from typer.testing import CliRunner

from spacy_sentid.batch.formats.records import SURROGATE
from spacy_sentid.cli import app
from spacy_sentid.text.units import Unit
from spacy_sentid.view.demo.demo import make_demo_page
from spacy_sentid.view.pages.documents import make_document_page, make_pair_page
from spacy_sentid.view.pages.errors import make_error_page
from spacy_sentid.view.pages.pairs import TaggedView, make_tagged_page
from spacy_sentid.view.pages.show import Shown
from spacy_sentid.view.text.page import make_page
from spacy_sentid.view.text.reading import DocumentView, PairView, SideView
from spacy_sentid.view.text.units import Mark, TokenProb, UnitView, render_text
from studies.report import build_page
from studies.results import Column, Line, Results, Row, Table

TITLE = 40  # number of strings in the title of a page, and in its note


class Injected(NamedTuple):
    """A page, with the texts that it must show, and the values of its attributes."""

    html: str
    texts: Sequence[str]
    values: Sequence[str] = ()


def group(values: Sequence[str], size: int) -> Iterator[list[str]]:
    """Yield groups of strings, without an incomplete last group."""
    for start in range(0, len(values) - size + 1, size):
        yield list(values[start : start + size])


def make_views(values: Sequence[str]) -> list[DocumentView]:
    """Make documents from groups of four strings: name, text and labels."""
    views = []
    for name, first, second, label in group(values, 4):
        text, middle = first + second, len(first)
        spans = [(0, middle // 2), (middle // 2, middle), (middle, len(text))]
        labels = ["SU", f"x{label}", "NSU"]
        units = [UnitView(*span, one, 0.5) for span, one in zip(spans, labels, strict=True)]
        probs = [TokenProb(*span, 0.25, 1.0) for span in spans]
        gold = [Unit(0, middle, "SU"), Unit(middle, len(text), "HEADING")]
        views.append(DocumentView(name, text, units, probs, gold))
    return views


def show_views(make: Callable[..., str], values: Sequence[str]) -> Injected:
    """Make a page of documents."""
    title, note = "".join(values[:TITLE]), "".join(values[-TITLE:])
    views = make_views(values)
    texts = [title, note, *(text for view in views for text in (view.name, view.text))]
    labels = [view.units[1].label for view in views]
    return Injected(make(title, views, note=note), texts, labels)


def make_documents(values: Sequence[str]) -> Injected:
    """Make the page of `view`."""
    return show_views(make_document_page, values)


def make_errors(values: Sequence[str]) -> Injected:
    """Make the page of `view-errors`."""
    return show_views(make_error_page, values)


def make_pairs(values: Sequence[str]) -> Injected:
    """Make the page of `view-pairs`."""
    title, note = "".join(values[:TITLE]), "".join(values[-TITLE:])
    values = values[: len(values) // 3 * 3]
    pairs = []
    for name, *sides in group(values, 3):
        hyp, ref = (
            SideView(text, [(0, len(text) // 2, 0.5)], [(0, len(text), -0.5)]) for text in sides
        )
        pairs.append(PairView(name, {"p": 0.5, "r": -0.5, "f": 0.1}, hyp, ref))
    return Injected(make_pair_page(title, pairs, note=note), [title, note, *values])


def make_tagged(values: Sequence[str]) -> Injected:
    """Make the page of `view-pairs` for tagged pairs."""
    title, note = "".join(values[:TITLE]), "".join(values[-TITLE:])
    values = values[: len(values) // 3 * 3]
    views = []
    for name, *texts in group(values, 3):
        cuts = [(len(text) // 2, len(text)) for text in texts]
        words = [
            [TokenProb(0, middle, 0.6, 0.0), TokenProb(middle, end, 0.4, 0.0)]
            for middle, end in cuts
        ]
        kinds = [["wrong", "missed"]] * 2
        views.append(TaggedView(name, texts, words, kinds, [[0, 1]] * 2, [[1, 0]] * 2))
    return Injected(make_tagged_page(title, views, note=note), [title, note, *values])


def show_texts(values: Sequence[str]) -> Injected:
    """Make what `show` displays in a notebook."""
    views = [view._replace(probs=None) for view in make_views(values)]
    texts = [text for view in views for text in (view.name, view.text)]
    labels = [view.units[1].label for view in views]
    head = '<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>'
    return Injected(f"{head}{Shown(views)._repr_html_()}</body></html>", texts, labels)


def make_fragments(values: Sequence[str]) -> Injected:
    """Make a page of texts with a language and marks."""
    documents = []
    for n, (kind, label, note, lang, css, text) in enumerate(group(values, 6)):
        units = [UnitView(0, len(text), "SU", None, css)]
        marks = [Mark(0, 1, kind, label, note)]
        html = render_text(text, units, marks=marks, lang=f"l{lang}")
        row = {"id": f"d{n}", "name": label, "counts": note, "note": lang, "text": html}
        documents.append(row)
    rows = list(group(values, 6))
    html = make_page(
        values[0], template="documents.html", documents=documents, index_title=values[1],
        note=values[2], toggles=[], kinds=[],
    )  # fmt: skip
    texts = [text for row in rows for text in (row[1], row[2], row[3], row[5])]
    given = [value for row in rows for value in (row[1], row[2], f"l{row[3]}")]
    return Injected(html, texts, given)


def make_report(values: Sequence[str]) -> Injected:
    """Make the page of the studies."""
    title = "".join(values[:TITLE])
    sections, texts = [], [title]
    for strings in group(values, 10):
        heading, about, command, version, caption, head, first, second, column, note = strings
        table = Table(
            title=caption,
            heads=[head],
            lines=[Line(labels=[label], system=f"s{n}") for n, label in enumerate((first, second))],
            columns=[Column(title=column, metric="f")],
            notes=[note],
        )
        rows = [Row(f"s{n}", None, {}, "f", 0.5) for n in range(2)]
        sections.append(
            Results(
                study="s", title=heading, about=[about], command=command, version=version,
                tables=[table], rows=rows,
            )
        )  # fmt: skip
        # Prose drops Markdown marks.
        prose = [text.replace("**", "").replace("`", "") for text in (about, first, second, note)]
        texts += [heading, command, version, caption, head, column, *prose]
    return Injected(build_page(title, {f"{n}": one for n, one in enumerate(sections)}), texts)


def make_demo(values: Sequence[str]) -> Injected:
    """Make the page of `serve` with names of pipelines."""
    pipelines: dict[str, Any] = {
        f"p{n}": SimpleNamespace(
            task="units",
            model=name,
            lang="en",
            language="English",
            name=name,
            defaults=None,
            is_pair=False,
        )
        for n, name in enumerate(values)
    }
    html, _ = make_demo_page(pipelines, max_chars=99, max_bytes=9999, path="/find")
    return Injected(html, [pipeline.model for pipeline in pipelines.values()])


def view_units(values: Sequence[str], folder: Path) -> Injected:
    """Make the page of `view --units` for files with ids and texts."""
    inputs, units, page = folder / "in.jsonl", folder / "units.jsonl", folder / "page.html"
    documents, records = [], []
    # Files with lone surrogates are refused.
    values = [SURROGATE.sub("?", value) for value in values[: len(values) // 2 * 2]]
    for name, text in group(values, 2):
        documents.append({"id": name, "text": text})
        unit = {"start_char": 0, "end_char": len(text), "label": "SU", "score": 0.5}
        records.append({"id": name, "units": [unit]})
    for path, rows in ((inputs, documents), (units, records)):
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")
    words = ["view", inputs, "--units", units, "-o", page]
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return Injected(page.read_bytes().decode("utf8"), values)


def view_files(values: Sequence[str], folder: Path) -> Injected:
    """Make the page of `view` for files with these names, as far as the system allows them."""
    names = []
    for n, value in enumerate(values):
        raw = f"{n} {value}".replace("/", "\\").replace("\0", "").encode("utf8", "replace")[:150]
        names.append(raw.decode("utf8", "ignore"))
    files = folder / "files"
    files.mkdir()
    for name in names:
        (files / f"{name}.txt").write_text("Page 3\n\nI sleep.", encoding="utf8")
    page = folder / "page.html"
    words = ["view", files, "-o", page, "--limit", len(names)]
    result = CliRunner().invoke(app, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return Injected(page.read_bytes().decode("utf8"), names)


PAGES: dict[str, Callable[[Sequence[str]], Injected]] = {
    "documents": make_documents,
    "errors": make_errors,
    "pairs": make_pairs,
    "tagged pairs": make_tagged,
    "show": show_texts,
    "fragments": make_fragments,
    "report": make_report,
    "demo": make_demo,
}
COMMANDS = {"units": view_units, "files": view_files}


def make_injected(name: str, values: Sequence[str], folder: Path) -> Injected:
    """Make a page by its name in PAGES or COMMANDS. Commands write to a folder."""
    if name in PAGES:
        return PAGES[name](values)
    folder.mkdir()
    return COMMANDS[name](values, folder)
