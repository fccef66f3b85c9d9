"""The report: every kind of result is recognised, laid out, drawn, and stays text."""

import copy
import json
import random
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
import tiny_results as tiny
import typer
from typer.testing import CliRunner

from studies.commands.report import report
from studies.report.charts import METADATA, draw_files, draw_svg
from studies.report.drawing import NARROW, WIDE
from studies.report.files import read_sources
from studies.report.kinds import KINDS, OTHERS, find_kind, make_sections
from studies.report.page import build_page, list_charts, write_figures
from studies.report.parts import (
    MAX_DRAWN,
    Dots,
    Lines,
    Panel,
    Section,
    Series,
    Source,
    Table,
    Value,
)

EVIL = "\"'><img src=x onerror=alert(1)><script>alert(2)</script>&amp;$\\frac{\u202e\u0007_"
DOTS = Dots("Scores", ["ours", "theirs"], [Panel("F1", [Series("x", [Value(90, 1), None])])])


def lay_out(**results: Any) -> list[Section]:
    return make_sections([Source(name, result) for name, result in results.items()])


def tables_of(section: Section) -> list[Table]:
    return [part for part in section.parts if isinstance(part, Table)]


class Tags(HTMLParser):
    """The tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.mark.parametrize(("title", "result"), tiny.RESULTS.items(), ids=list(tiny.RESULTS))
def test_a_result_is_known_by_what_it_holds(title: str, result: Any) -> None:
    assert (find_kind(result) or OTHERS).title == title
    assert sum(kind.fits(result) for kind in KINDS) == (title != OTHERS.title)


def test_every_kind_has_a_small_result() -> None:
    assert set(tiny.RESULTS) == {kind.title for kind in (*KINDS, OTHERS)}


@pytest.mark.parametrize(("title", "result"), tiny.RESULTS.items(), ids=list(tiny.RESULTS))
def test_a_result_is_laid_out_under_its_title(title: str, result: Any) -> None:
    (section,) = lay_out(found=result)
    assert section.title == title
    assert tables_of(section)
    for table in tables_of(section):
        widths = {len(row) for row in table.rows}
        assert len(widths) == 1, table.title


@pytest.mark.parametrize(
    "title", [t for t in tiny.RESULTS if t not in {"Other results", "Abbreviations"}]
)
def test_what_can_be_drawn_is_drawn(title: str) -> None:
    (section,) = lay_out(found=tiny.RESULTS[title])
    assert list_charts([section])


# Plain tables of seconds and memory, which are shown as they are.
PLAIN = ("throughput.json", "throughput_memory.json", "view.json")


def test_the_results_of_the_benchmarks_are_all_known(root: Path) -> None:
    files = sorted((root / "benchmarks/results").glob("*.json"))
    files = [file for file in files if file.name not in PLAIN]
    sections = make_sections(read_sources(files))
    assert OTHERS.title not in [section.title for section in sections]


def seed(n: int) -> str:
    return f"training/seed-{n}/model-best"


def test_seeds_of_an_evaluation_stand_side_by_side_with_their_mean() -> None:
    (section,) = lay_out(
        a=tiny.evaluation(0.90, model=seed(1)), b=tiny.evaluation(0.92, model=seed(2))
    )
    words = tables_of(section)[0]
    assert [row[:2] for row in words.rows[1:]] == [
        ["a", "p_CC=0.5"], ["a", "sentencizer"], ["b", "p_CC=0.5"], ["b", "sentencizer"],
        ["mean of a, b", "p_CC=0.5"], ["mean of a, b", "sentencizer"],
    ]  # fmt: skip
    assert words.rows[0][3] == "macro"
    assert [row[3] for row in words.rows[1:]] == ["90.0", "90.0", "92.0", "92.0"] + ["91.0±1.4"] * 2


def list_means(**results: Any) -> list[list[str]]:
    (section,) = lay_out(**results)
    return [row for row in tables_of(section)[0].rows if "mean of" in row[0]]


OTHER_SETTINGS = [{"split": "dev"}, {"layout": "line"}, {"all_su": True}, {"su_relations": ["x"]}]


@pytest.mark.parametrize(
    "other",
    [
        tiny.evaluation(model=seed(2), treebank="GSD"),
        tiny.evaluation(model="ewt-2/model-best"),
        tiny.evaluation(model=seed(1)),
        tiny.evaluation(model=seed(2), sd=0.1),
        *({"settings": changed} for changed in OTHER_SETTINGS),
    ],
)
def test_what_differs_in_more_than_the_seed_has_no_mean(other: Any) -> None:
    plain = tiny.evaluation(model=seed(2))
    other = {**plain, **other, "settings": {**plain["settings"], **other["settings"]}}
    assert list_means(a=tiny.evaluation(model=seed(1)), b=other) == []


def test_seeds_have_their_mean_among_other_files() -> None:
    (macro,) = (
        row[:4]
        for row in list_means(
            a=tiny.evaluation(0.90, model=seed(1)),
            other=tiny.evaluation(0.50, model=seed(1), treebank="GSD"),
            b=tiny.evaluation(0.92, model=seed(2)),
        )
        if row[1] == "p_CC=0.5"
    )
    assert macro == ["mean of a, b", "p_CC=0.5", "", "91.0±1.4"]


def test_a_mean_is_of_all_its_files_or_not_there() -> None:
    short = tiny.evaluation(model=seed(2))
    del short["summary"][0]["mean"]["bio_macro_f"]
    (row, _) = list_means(a=tiny.evaluation(model=seed(1)), b=short)
    assert row[3:5] == ["-", "90.0±0.0"]


def test_predictions_of_several_seeds_have_a_mean() -> None:
    found = {name: tiny.score_units(f, predictions=f"seed-{name}.jsonl")
             for name, f in (("1", 0.8), ("2", 0.9))}  # fmt: skip
    assert list_means(**found)[0][:4] == ["mean of 1, 2", "clean", "", "85.0±7.1"]


def test_an_evaluation_shows_the_deviation_of_its_own_seeds() -> None:
    (section,) = lay_out(a=tiny.evaluation(0.9, sd=0.012))
    assert tables_of(section)[0].rows[1][1:3] == ["2", "90.0±1.2"]


def test_a_study_has_the_tables_of_the_paper_and_its_figure() -> None:
    (section,) = lay_out(study=tiny.study())
    assert tables_of(section)[0].rows[1][:4] == [
        "in-domain", "BOS&EOS (+UNI +AUG)", "2", "91.0±1.4",
    ]  # fmt: skip
    (lines,) = [part for part in section.parts if isinstance(part, Lines)]
    assert [series.name for series in lines.panels[0].series] == ["p_CC=.5"]
    assert len(lines.xs) == 11


def test_two_studies_stand_in_the_same_tables() -> None:
    (section,) = lay_out(one=tiny.study(0.8), two=tiny.study(0.9))
    labels = [row[1] for row in tables_of(section)[0].rows[1:]]
    assert labels == ["one: BOS&EOS (+UNI +AUG)", "two: BOS&EOS (+UNI +AUG)"]


def test_rows_that_files_of_pairs_have_alike_stand_once() -> None:
    (section,) = lay_out(a=tiny.pairs(0.7), b=tiny.pairs(0.8))
    systems = [row[0] for row in tables_of(section)[0].rows[1:]]
    assert systems == ["overlap", "a: tagger", "a: tagger", "b: tagger", "b: tagger"]


def test_results_in_one_file_are_told_apart() -> None:
    (section,) = lay_out(full={"test": tiny.pairs(), "probe": {**tiny.pairs(), "test": "p.jsonl"}})
    assert [table.title for table in tables_of(section)] == ["test.jsonl", "p.jsonl"]
    assert set(section.files) == {"full"}


def test_known_results_beside_what_is_not_known_are_laid_out() -> None:
    found, other = lay_out(full={"en": tiny.evaluation(), "note": "hi", "n": 3})
    assert (found.title, other.title) == ("Evaluation of units", OTHERS.title)
    assert found.files == other.files == ["full"]
    assert tables_of(other)[0].rows[1:] == [["note", "hi"], ["n", "3"]]


def test_a_list_of_results_is_laid_out() -> None:
    (section,) = lay_out(full=[tiny.evaluation(), tiny.evaluation(0.8)])
    assert [row[0] for row in tables_of(section)[0].rows[1:]] == ["full, 1"] * 2 + ["full, 2"] * 2


def test_words_of_several_models_have_a_mean() -> None:
    a, b = tiny.words(0.8, model=seed(1)), tiny.words(0.9, model=seed(2))
    assert list_means(a=a, b=b)[0][:4] == ["dev: mean of a, b", "", "", "85.0±7.1"]


def test_words_of_other_models_and_files_have_no_mean() -> None:
    a = tiny.words(0.8, model=seed(1))
    assert list_means(a=a, b=tiny.words(model="zh")) == []
    assert list_means(a=a, b=tiny.words(model=seed(2), file="test.txt")) == []
    longer = tiny.words(model=seed(2))
    longer["files"][0]["words"] += 1
    assert list_means(a=a, b=longer) == []


@pytest.mark.parametrize(
    ("files", "names"),
    [
        (("a.conllu", "b.conllu"), ["a", "b"]),
        (("en/test.conllu", "de/test.conllu"), ["en/test", "de/test"]),
        (("test.conllu", "test.conllu"), ["a: test", "b: test"]),
    ],
)
def test_profiles_of_several_files_are_columns(files: tuple[str, str], names: list[str]) -> None:
    (section,) = lay_out(a=tiny.profile(files[0]), b=tiny.profile(files[1]))
    tables = tables_of(section)
    assert tables[0].rows[0] == ["", *names]
    assert [table.title for table in tables[-2:]] == [f"{name} by genre" for name in names]


def test_words_of_files_of_one_name_are_told_apart() -> None:
    (section,) = lay_out(
        a=tiny.words(file="zx/dev.txt"), b=tiny.words(file="gsd/dev.txt", model="zh2")
    )
    labels = [row[0] for row in tables_of(section)[0].rows[1:]]
    assert labels == ["a: zx/dev", "b: gsd/dev"]


def test_the_tables_of_the_ladder_keep_their_order() -> None:
    (section,) = lay_out(found=tiny.ladder())
    assert [part.title for part in section.parts] == [
        "The rungs", "The corpus", "Success of the rungs",
    ]  # fmt: skip


def test_marks_of_the_parser_study_stay() -> None:
    (section,) = lay_out(study=tiny.parser_study())
    table = tables_of(section)[0]
    assert table.rows[2][table.rows[0].index("NPs of the test: wrong punct ↓")] == "8.0±0.0 +"


@pytest.mark.parametrize("result", [3, "text", None, [], {}, [1, 2], {"a": []}, [[[]]]])
def test_any_json_is_shown(result: object) -> None:
    (section,) = lay_out(found=result)
    assert section.title == OTHERS.title
    assert "<main" in build_page("T", [section])


def test_a_broken_result_of_a_known_kind_is_shown_as_it_is() -> None:
    broken = tiny.evaluation()
    broken["summary"][0]["mean"]["bio_macro_f"] = "much"
    titles = [section.title for section in lay_out(good=tiny.evaluation(), bad=broken)]
    assert titles == ["Evaluation of units", OTHERS.title]


ODD = [None, True, -1, 5, "x", 10**400, 1e308, float("nan"), float("inf"), [], {}, ["x", 5]]


def list_places(data: Any) -> list[tuple[Any, Any]]:
    """List the places of JSON where a value stands: what holds it, and its key."""
    items = data.items() if isinstance(data, dict) else enumerate(data)
    nested = {key: value for key, value in items if isinstance(value, dict | list)}
    found = [(data, key) for key in (data if isinstance(data, dict) else range(len(data)))]
    return found + [place for value in nested.values() for place in list_places(value)]


def check_chart(chart: Any) -> None:
    """Check that a chart can be drawn: its numbers are finite and its names are text."""
    names = [chart.title, *(chart.rows if isinstance(chart, Dots) else ())]
    for panel in chart.panels:
        names += [panel.title, *(series.name for series in panel.series)]
        values = [value for series in panel.series for value in series.values]
        for value in (*values, panel.band):
            assert value is None or abs(value.mean) <= MAX_DRAWN
            assert value is None or 0 <= (value.sd or 0.0) <= MAX_DRAWN
    assert all(isinstance(name, str) for name in names)


@pytest.mark.parametrize("title", list(tiny.RESULTS))
def test_one_odd_value_does_not_keep_the_others_from_the_page(
    title: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(chart: Any, **_: Any) -> str:
        check_chart(chart)
        return ""

    monkeypatch.setattr("studies.report.page.draw_svg", check)
    rng = random.Random(0)
    for _ in range(60):
        result = copy.deepcopy(tiny.RESULTS[title])
        holder, key = rng.choice(list_places(result))
        holder[key] = copy.deepcopy(rng.choice(ODD))
        sections = lay_out(good=tiny.RESULTS[title], odd=result)
        assert all("good" in section.files for section in sections[:1])
        build_page("T", sections)


def test_the_largest_numbers_are_drawn() -> None:
    odd = [Value(MAX_DRAWN, MAX_DRAWN), Value(-MAX_DRAWN), Value(1e-300, 1.0), Value(-1e-300)]
    for is_log in (False, True):
        chart = Dots("T", list("abcd"), [Panel("", [Series("", odd)])], is_log=is_log)
        assert draw_svg(chart, width=NARROW, prefix="p").startswith("<svg")


def test_a_deviation_that_is_no_number_is_left_out() -> None:
    (section,) = lay_out(found=tiny.evaluation(0.9, sd=float("nan")))
    assert tables_of(section)[0].rows[1][2] == "90.0"


def test_a_threshold_of_1_is_a_number() -> None:
    result = {**tiny.pairs(), "threshold": 1}
    assert find_kind(result) == find_kind(tiny.pairs())
    assert find_kind({**result, "threshold": True}) is None


@pytest.mark.parametrize(
    "result", [{"models": {}, "sets": {}, "important": 5}, {**tiny.study(), "runs": []}]
)
def test_a_result_with_nothing_to_show_is_shown_as_it_is(result: Any) -> None:
    (section,) = lay_out(found=result)
    assert section.title == OTHERS.title
    assert section.parts


def test_numbers_that_are_none_are_not_drawn() -> None:
    odd = [Value(float("nan")), Value(float("inf"), 1), Value(0.0, float("nan")), None]
    chart = Dots("T", list("abcd"), [Panel("", [Series("", odd)])], is_log=True)
    assert draw_svg(chart, width=NARROW, prefix="p").startswith("<svg")


def test_long_json_is_cut_and_says_so() -> None:
    (section,) = lay_out(found=[{"n": n} for n in range(1000)])
    (table,) = tables_of(section)
    assert len(table.rows) == 61
    assert table.notes == ["940 more rows are left out."]


def test_deep_json_ends() -> None:
    deep: Any = 1
    for _ in range(400):
        deep = {"x": [deep]}
    assert lay_out(found=deep)[0].parts


def test_a_page_shows_numbers_and_charts() -> None:
    page = build_page("All", lay_out(a=tiny.evaluation(), b=tiny.study(), c={"f": 0.5}))
    for title in ("Evaluation of units", "Study of the sentence identifier", OTHERS.title):
        assert f">{title}</h2>" in page
    assert ">90.0<" in page
    assert page.count("<svg") == 6  # three charts, each for wide and for narrow windows
    assert "http" not in page.replace("http-equiv", "")  # nothing from elsewhere
    found = Tags(page).attributes
    ids = [value for name, value in found if name == "id"]
    assert len(ids) == len(set(ids))
    links = {value for name, value in found if name == "href" and value}
    assert links <= {f"#{name}" for name in ids}


def poison(data: Any) -> Any:
    """Put mark-up into each string."""
    if isinstance(data, dict):
        return {key: poison(value) for key, value in data.items()}
    if isinstance(data, list):
        return [poison(value) for value in data]
    return data + EVIL if isinstance(data, str) else data


def poison_keys(data: dict[str, Any]) -> dict[str, Any]:
    return {key + EVIL: value for key, value in data.items()}


def evil_results() -> dict[str, Any]:
    found = {title: poison(result) for title, result in tiny.RESULTS.items()}
    found["nlg"] = {**tiny.nlg_meta(), "rows": poison_keys(tiny.nlg_meta()["rows"])}
    found["nlg columns"] = {**tiny.nlg_meta(), "rows": {"tagger": {EVIL: 0.5}}}
    found["peers"] = tiny.peers()
    found["peers"]["accuracy"]["Brown"]["systems"] = {EVIL: {"f1": 0.9}}
    found["words"] = tiny.word_benchmark()
    found["words"]["sets"] = poison_keys(found["words"]["sets"])
    found["ladder"] = {**tiny.ladder(), "rungs": poison_keys(tiny.ladder()["rungs"])}
    found["other"] = {EVIL: {EVIL: [{EVIL: EVIL}, {"b": EVIL}]}, "list": [EVIL]}
    return found


def check_tags(page: str) -> None:
    """Check that there is no mark-up beyond that of all pages."""
    found = Tags(page)
    assert "img" not in found.tags
    assert found.tags.count("script") == Tags(build_page("T", [])).tags.count("script")
    assert not [name for name, _ in found.attributes if name.startswith("on")]
    assert "&lt;img src=x" in page


@pytest.mark.parametrize("title", list(evil_results()))
def test_no_text_becomes_mark_up(title: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.report.page.draw_svg", lambda *args, **kwargs: "")
    check_tags(build_page(EVIL, make_sections([Source(EVIL, evil_results()[title])])))


def test_no_text_of_a_chart_becomes_mark_up() -> None:
    series = [Series(EVIL, [Value(1)]), Series("_x", [Value(2)])]
    chart = Dots(EVIL, [EVIL], [Panel(EVIL, series)], axis=EVIL)
    page = build_page("T", [Section("S", "", [], [chart])])
    check_tags(page)
    assert "_x</text>" in page  # matplotlib passes over names that begin so
    assert "\\frac{" in page  # no formula


def test_a_chart_takes_its_colours_and_font_from_the_page() -> None:
    svg = draw_svg(DOTS, width=WIDE, prefix="p")
    assert "var(--plot-0)" in svg
    assert not re.search(r"#fe00\d\d|DejaVu|<style|xmlns", svg)
    assert 'aria-hidden="true"' in svg


def test_text_that_looks_like_a_colour_stays() -> None:
    chart = DOTS._replace(rows=["#fe0010", 'url(#x) href="#y" 1.23456'])
    svg = draw_svg(chart, width=WIDE, prefix="p")
    assert ">#fe0010</text>" in svg
    assert "1.23456" in svg


def test_figures_are_files_for_papers_the_same_each_time() -> None:
    files = draw_files(DOTS)
    assert files == draw_files(DOTS)
    assert list(files) == list(METADATA)
    assert files["svg"].startswith(b"<?xml")
    assert files["pdf"].startswith(b"%PDF")
    assert files["png"].startswith(b"\x89PNG")


def test_figures_are_the_same_whatever_the_settings_of_the_reader() -> None:
    import matplotlib

    plain = draw_files(DOTS)
    with matplotlib.rc_context({"axes.facecolor": "red", "text.usetex": True, "font.size": 30}):
        assert draw_files(DOTS) == plain
        assert matplotlib.rcParams["font.size"] == 30


def test_a_long_title_is_the_name_of_a_file(tmp_path: Path) -> None:
    section = Section("S", "", [], [DOTS._replace(title="\U00020000" * 80)] * 2)
    charts = list_charts([section])
    paths = list(write_figures(charts, tmp_path))
    assert len(paths) == len(charts) * len(METADATA) == 6


def test_charts_of_one_title_are_files_of_two_names() -> None:
    section = Section("S", "", [], [DOTS, DOTS])
    assert list(list_charts([section])) == ["s-scores", "s-scores-2"]


def test_files_of_one_name_are_told_apart(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        tiny.write_results(tmp_path / folder, {"identifier": tiny.evaluation()})
    found = read_sources(sorted(tmp_path.glob("*/*.json")))
    assert [source.name for source in found] == ["one/identifier", "two/identifier"]


def test_a_file_counts_once_by_whatever_paths(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = tiny.write_results(tmp_path, {"a": {"f": 1}})
    (tmp_path / "link.json").symlink_to(path)
    monkeypatch.chdir(tmp_path)
    assert len(read_sources([Path("a.json"), path, tmp_path / "link.json"])) == 1


app = typer.Typer()
app.command()(report)


def run(*args: object) -> Any:
    return CliRunner().invoke(app, [str(arg) for arg in args])


def test_the_command_writes_the_page_and_the_figures(tmp_path: Path) -> None:
    paths = tiny.write_results(tmp_path, {"a": tiny.evaluation(), "b": tiny.evaluation(0.8)})
    out, figures = tmp_path / "out/report.html", tmp_path / "figures"
    result = run(*paths, "-o", out, "--figures", figures, "--title", "Two <seeds>")
    assert result.exit_code == 0, result.output
    assert "<title>Two &lt;seeds&gt;</title>" in out.read_text(encoding="utf8")
    name = "evaluation-of-units-f1-of-words-and-units"
    assert sorted(path.name for path in figures.iterdir()) == [
        f"{name}.pdf", f"{name}.png", f"{name}.svg",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "an empty file"),
        (b"{", "no JSON"),
        (b'{"a": 1}\n{"a": 2}\n', "no JSON"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b"[" * 100_000, "no JSON"),
    ],
)
def test_what_is_no_json_is_a_clear_error(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    result = run(path, "-o", tmp_path / "report.html")
    assert isinstance(result.exception, ValueError)
    assert re.search(f"broken.json: .*{said}", str(result.exception))
    assert not (tmp_path / "report.html").exists()


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps({"f": 0.5}).encode())
    assert read_sources([path])[0].data == {"f": 0.5}


def test_an_input_is_not_overwritten(tmp_path: Path) -> None:
    (path,) = tiny.write_results(tmp_path, {"a": {"f": 1}})
    result = run(path, "-o", path)
    assert "as input and output" in str(result.exception)
    assert json.loads(path.read_text()) == {"f": 1}


def test_without_matplotlib_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    (path,) = tiny.write_results(tmp_path, {"a": {"f": 1}})
    result = run(path, "-o", tmp_path / "report.html")
    assert "spacy-sentid[study]" in str(result.exception)
    assert not (tmp_path / "report.html").exists()
