"""The report: a page with tables and charts of results, and of other JSON files."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

pytest.importorskip("matplotlib")

from studies.__main__ import app
from studies.charts import DARK, LIGHT, METADATA, draw_chart, draw_results, list_charts
from studies.report import build_page, collect_numbers, read_files, write_figures
from studies.results import Column, Line, Results, Row, Table, list_cells, write_results

SEEDS = (0, 1)


def make_results(name: str = "Size & <speed>") -> Results:
    systems = ["ours", "<b>theirs</b>", "a system with a very long name that needs a second line"]
    lines = [Line(labels=[system], system=system) for system in systems]
    sizes = [Line(labels=[f"{x}"], system="ours", setting={"size": x}) for x in (1, 2, 4)]
    columns = [
        Column(title=title, metric=metric, setting={"test": test}, group=test)
        for test in ("zh", "en")
        for title, metric in (("F1", "f"), ("precision $p$", "p"))
    ]
    rows = [
        Row(line.system, seed, {**line.setting, **column.setting}, column.metric, 0.5 + seed / 9)
        for line in lines + sizes
        for column in columns
        for seed in SEEDS
    ]
    tables = [
        Table(title="Systems", heads=["system"], lines=lines, columns=columns, notes=["a < b"]),
        Table(title="Chart", heads=["system"], lines=lines, columns=columns, show="dots",
              baseline=0),
        Table(title="By size", heads=["size"], lines=sizes, columns=columns, show="lines"),
        Table(title="Empty", heads=["size"], lines=[], columns=columns, show="lines"),
    ]  # fmt: skip
    return Results(study="s", title=name, about=["About 5 %."], tables=tables, rows=rows)


def test_the_page_has_the_tables_and_escapes_markup() -> None:
    page = build_page("All", [make_results(), make_results("Two")])
    assert page.count("<h2") == 2
    assert "Size &amp; &lt;speed&gt;" in page
    assert "<b>" not in page
    assert '<td>55.6<span class="sd">±7.9</span></td>' in page
    assert page.count("<picture>") == 4
    assert "a &lt; b" in page


def test_charts_accept_any_text() -> None:
    odd = "a\0\x1b\ud83d\uffff</text>&"
    column = Column(title=odd, metric="f", group=odd)
    lines = [Line(labels=[odd], system="a")]
    table = Table(title=odd, heads=[odd], lines=lines, columns=[column], show="dots")
    results = Results(study="s", title=odd, tables=[table], rows=[Row("a", None, {}, "f", 0.5)])
    for drawn in (draw_chart(results, table).decode(), draw_results(results)):
        ElementTree.fromstring(drawn)


def test_charts_have_all_series_and_are_reproducible() -> None:
    results = make_results()
    assert [table.title for table in list_charts(results)] == ["Chart", "By size"]
    for table in list_charts(results):
        drawn = draw_chart(results, table)
        assert drawn == draw_chart(results, table)
        text = drawn.decode()
        assert all(name in text for name in ("zh", "en", "precision $p$", *LIGHT.series[:2]))
        assert DARK.series[0] in draw_chart(results, table, palette=DARK).decode()
    assert "a system with" in draw_results(results)


@pytest.mark.slow
def test_each_chart_has_its_own_file(tmp_path: Path) -> None:
    files = list(write_figures([make_results(), make_results()], tmp_path))
    assert {path.suffix[1:] for path in files} == set(METADATA)
    assert {path.stem for path in files} == {"s-chart", "s-by-size", "s-chart-2", "s-by-size-2"}
    assert all(path.stat().st_size for path in files)


def test_numbers_of_any_json_are_shown() -> None:
    data = {"n": 3, "ok": True, "texts": {"a": {"f": 0.51234, "n": 2}, "b": {"f": 0.7, "n": 4}}}
    results = collect_numbers(data, "mine")
    assert [list_cells(results, table) for table in results.tables] == [
        [["name", "n"], ["mine", "3"]],
        [["name", "f", "n"], ["texts, a", "0.512", "2"], ["texts, b", "0.700", "4"]],
    ]


def test_files_are_read_once_and_named(tmp_path: Path) -> None:
    results = make_results()
    write_results(results, tmp_path / "s")
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x.json").write_text(json.dumps({"f": 1}), encoding="utf-8-sig")
    names = ["s.json", "a/x.json", "b/x.json", "a/../s.json"]
    found = read_files([tmp_path / name for name in names])
    assert found[0] == results
    assert [one.title for one in found[1:]] == ["a/x", "b/x"]


@pytest.mark.parametrize("text", ["", "{", '{"a": "b"}', '{"study": 1, "columns": 1, "rows": 1}'])
def test_a_file_without_numbers_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"bad\.json"):
        read_files([path])


def test_the_command_writes_page_and_figures(tmp_path: Path) -> None:
    write_results(make_results(), tmp_path / "s")
    page = tmp_path / "out.html"
    command = ["report", str(tmp_path / "s.json"), "-o", str(page), "--figures", str(tmp_path)]
    found = CliRunner().invoke(app, command)
    assert found.exit_code == 0, found.output
    assert page.exists()
    assert (tmp_path / "s-chart.pdf").exists()
    found = CliRunner().invoke(app, [*command[:2], "-o", command[1]])
    assert found.exit_code == 1
    assert "input" in found.output


def test_marks_are_separate_from_the_deviation() -> None:
    results = make_results()
    rows = [Row("ours", seed, {}, "g", 0.9 + seed / 99) for seed in SEEDS]
    rows += [Row("base", seed, {}, "g", 0.1 + seed / 99) for seed in SEEDS]
    lines = [Line(labels=[system], system=system) for system in ("base", "ours")]
    columns = [Column(title="G", metric="g")]
    table = Table(title="G", heads=["system"], lines=lines, columns=columns, baseline=0)
    page = build_page("All", [results.model_copy(update={"tables": [table], "rows": rows})])
    assert '<td>90.5<span class="sd">±0.7</span> <b>+</b></td>' in page
