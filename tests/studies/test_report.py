"""The report: a page with cards, questions and tables of results, and of other JSON files."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from browser import PHONE, Shown, list_grave_faults, open_browser, set_screen
from typer.testing import CliRunner

from studies.__main__ import app
from studies.cards import PLANS, list_cards
from studies.charts import draw_chart
from studies.panels import Chart, Entry, Mark, Panel, find_limits
from studies.questions import QUESTIONS, list_charts
from studies.report import build_page, collect_numbers, read_files, split_columns, write_figures
from studies.results import Column, Line, Results, Row, Table, list_cells, write_results
from studies.svg import DARK, LIGHT
from studies.table_charts import draw_results, make_chart
from studies.table_charts import list_charts as list_table_charts

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
    page = build_page("All", {"one": make_results(), "two": make_results("Two")})
    assert page.count("<details open>") == 2
    assert "Size &amp; &lt;speed&gt;" in page
    assert "<b>" not in page
    assert '<td>55.6<span class="sd">±7.9</span></td>' in page
    assert page.count("<svg") == 4
    assert page.count("<style>") == 1
    assert "a &lt; b" in page


def test_charts_accept_any_text() -> None:
    odd = "a\0\x1b\ud83d\uffff</text>&"
    column = Column(title=odd, metric="f", group=odd)
    lines = [Line(labels=[odd], system="a")]
    table = Table(title=odd, heads=[odd], lines=lines, columns=[column], show="dots")
    results = Results(study="s", title=odd, tables=[table], rows=[Row("a", None, {}, "f", 0.5)])
    ElementTree.fromstring(draw_results(results))


def test_charts_have_all_series_and_are_reproducible() -> None:
    results = make_results()
    charts = list_table_charts(results)
    assert [chart.title for chart in charts] == ["Chart", "By size"]
    for chart in charts:
        drawn = draw_chart(chart)
        assert drawn == draw_chart(chart)
        names = ("zh", "en", "precision $p$", *LIGHT.series[:2], *DARK.series[:2])
        assert all(name in drawn for name in names)
        assert "prefers-color-scheme:dark" in drawn
    assert "a system with" in draw_results(results)


def test_a_chart_says_how_many_seeds_it_has_and_what_its_band_is() -> None:
    results = make_results()
    chart = make_chart(results, results.tables[1])
    assert chart.about == "Mean of 2 seeds; bars: one standard deviation."
    assert chart.band == "ours, with its spread"
    assert f">{chart.band}</text>" in draw_chart(chart)


def test_bars_end_where_values_are_impossible() -> None:
    rows = [Row("a", seed, {}, "f", value) for seed, value in enumerate((0.9, 1.0, 1.0))]
    rows += [Row("b", seed, {}, "f", value) for seed, value in enumerate((0.0, 0.0, 0.1))]
    lines = [Line(labels=[name], system=name) for name in "ab"]
    table = Table(title="T", heads=["s"], lines=lines, columns=[Column(title="F", metric="f")],
                  show="dots", ranked=True)  # fmt: skip
    chart = make_chart(Results(study="s", title="S", tables=[table], rows=rows), table)
    first, last = (entry.marks[0] for entry in chart.panels[0].entries)
    assert (first.high, last.low) == (100.0, 0.0)
    assert find_limits(chart.panels) == ([(0.0, 100.0)], [])


def test_panels_share_an_axis_or_the_chart_says_that_they_do_not() -> None:
    def panel(*values: float) -> Panel:
        return Panel("", [Entry("a", (Mark(value, value, value),)) for value in values])

    same, notes = find_limits([panel(80, 90), panel(85, 95)])
    assert same[0] == same[1]
    assert notes == [f"The axis is cut: it begins at {same[0][0]:g}."]
    different, notes = find_limits([panel(0.1, 0.9), panel(85, 95)])
    assert different[0] != different[1]
    assert notes[0] == "The panels have different axes."


def test_the_axis_of_differences_has_0() -> None:
    rows = [Entry("a", (Mark(0.7, 0.6, 0.8),)), Entry("b", (Mark(0.4, 0.4, 0.4),))]
    (limits,), notes = find_limits([Panel("", rows, unit="points", possible=None)])
    assert limits[0] <= 0 < 0.8 <= limits[1]
    assert not notes


def test_ours_is_bold_and_the_key_names_the_roles() -> None:
    mark = (Mark(50, 50, 50),)
    rows = [Entry("we", mark, "ours"), Entry("they", mark, "paper")]
    drawn = draw_chart(Chart("Who?", "", [Panel("", rows)]))
    assert re.search('font-weight="600">we<', drawn)
    assert re.search('(?<!600")>they<', drawn)
    assert ">the paper<" in drawn


def test_wide_tables_are_split_and_each_part_has_the_labels() -> None:
    head = ["system", *(f"s{n}" for n in range(40))]
    parts = split_columns([head, ["ours", *["90.0±0.1"] * 40]], 1)
    assert len(parts) > 1
    assert all(row[0] in ("system", "ours") for part in parts for row in part)
    assert [name for part in parts for name in part[0][1:]] == head[1:]


# ---- the published results


@pytest.fixture(scope="module")
def published(root: Path) -> dict[str, Results]:
    files = sorted((root / "studies/published").glob("*.json"))
    return read_files([*files, root / "benchmarks/results/sentence_peers.json"])


def test_all_questions_are_answered(published: dict[str, Results]) -> None:
    charts = list_charts(published)
    assert list(charts) == [question.name for question in QUESTIONS]
    for chart in charts.values():
        assert chart.title.endswith("?")
        assert all(panel.entries for panel in chart.panels)


def test_the_cards_have_ours_the_paper_and_the_best_other(published: dict[str, Results]) -> None:
    cards = list_cards(list_charts(published))
    assert [card.part for card in cards] == list(PLANS)
    for card in cards:
        cells = [cell for measure in card.measures for cell in measure.cells]
        assert {"ours", "the paper", "best other in the chart"} == {cell.who for cell in cells}
        assert all(re.search(r"\d", measure.n) or "test" in measure.n for measure in card.measures)


def test_the_committed_figures_show_the_published_results(
    published: dict[str, Results], root: Path, tmp_path: Path
) -> None:
    made = {path.name: path.read_bytes() for path in write_figures(published, tmp_path)}
    folder = root / "studies" / "published"
    assert made == {path.name: path.read_bytes() for path in folder.glob("*.svg")}


@pytest.fixture(scope="module")
def page(published: dict[str, Results], tmp_path_factory: pytest.TempPathFactory) -> Iterator:
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(build_page("All results", published), encoding="utf8")
    with open_browser() as driver:
        yield Shown(driver, path)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible_and_fits_a_phone(page: Shown, scheme: str) -> None:
    set_screen(page.driver, PHONE, scheme=scheme)
    assert page.run("return document.documentElement.scrollWidth") <= PHONE[0]
    assert not list_grave_faults(page.driver)
    assert not page.driver.get_log("browser")


@pytest.mark.slow
def test_no_text_leaves_its_figure(page: Shown) -> None:
    set_screen(page.driver)
    page.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    outside = page.run(
        "return [...document.querySelectorAll('svg.chart text')].filter((text) => {"
        " const box = text.getBBox(), width = text.ownerSVGElement.viewBox.baseVal.width;"
        " return box.x < -1 || box.x + box.width > width + 1; }).map((text) => text.textContent)"
    )
    assert not outside


@pytest.mark.slow
def test_no_table_is_cut_on_a_desktop(page: Shown) -> None:
    set_screen(page.driver)
    page.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    cut = page.run(
        "return [...document.querySelectorAll('.scroll')]"
        ".filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)"
    )
    assert not cut
    assert not list_grave_faults(page.driver)


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
    assert next(iter(found.values())) == results
    assert [one.title for one in found.values()][1:] == ["a/x", "b/x"]


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
    assert (tmp_path / "s.svg").exists()
    assert CliRunner().invoke(app, command[:2]).exit_code == 1
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
    page = build_page("All", {"s": results.model_copy(update={"tables": [table], "rows": rows})})
    assert '<td>90.5<span class="sd">±0.7</span> <b>+</b></td>' in page
