"""Results: cells of tables, marks and files."""

import json
from pathlib import Path

import pytest
from hostile_files import CONTENTS

from studies.results import (
    Column,
    Line,
    Results,
    Row,
    Table,
    compare_means,
    format_cell,
    format_markdown,
    list_cells,
    read_results,
    write_results,
)

F = Column(title="F1", metric="f")


def make_results(*rows: Row, **table) -> Results:
    systems = dict.fromkeys(row.system for row in rows)
    table = {
        "title": "All",
        "heads": ["system"],
        "lines": [Line(labels=[name], system=name) for name in systems],
        "columns": [F],
        **table,
    }
    return Results(study="s", title="S", tables=[Table(**table)], rows=list(rows))


def cells(results: Results) -> list[list[str]]:
    return list_cells(results, results.tables[0])


def test_a_cell_is_the_mean_over_seeds() -> None:
    found = make_results(
        Row("a", 0, {}, "f", 0.5), Row("a", 1, {}, "f", 0.52), Row("b", None, {}, "f", 0.7)
    )
    assert cells(found) == [
        ["system", "seeds", "F1"], ["a", "2", "51.0±1.4"], ["b", "", "70.0"],
    ]  # fmt: skip


def test_a_cell_uses_only_rows_of_its_setting() -> None:
    found = make_results(
        Row("a", None, {"test": "x"}, "f", 0.5),
        Row("a", None, {"test": "x", "noise": 0.5}, "f", 0.6),
        columns=[Column(title="F1", metric="f", setting={"test": "x"}, group="x")],
    )
    assert cells(found) == [["system", "x: F1"], ["a", "50.0"]]


def test_lines_and_columns_without_values_are_omitted() -> None:
    found = make_results(
        Row("a", None, {}, "f", 0.5),
        Row("b", None, {}, "other", 0.5),
        columns=[F, Column(title="P", metric="p")],
    )
    assert cells(found) == [["system", "F1"], ["a", "50.0"]]
    assert "##" not in format_markdown(make_results(columns=[F]))


def test_a_deviation_may_be_given() -> None:
    found = make_results(Row("a", None, {}, "f", 0.5), Row("a", None, {}, "f_sd", 0.01))
    assert cells(found)[1] == ["a", "50.0±1.0"]


@pytest.mark.parametrize(
    ("value", "options", "text"),
    [
        (0.5, {}, "50.0"),
        (-0.00001, {"signed": True}, "0.0"),
        (0.012, {"signed": True}, "+1.2"),
        (12345.6, {"percent": False, "digits": 0}, "12,346"),
    ],
)
def test_numbers_are_formatted_as_the_column_says(value: float, options: dict, text: str) -> None:
    found = make_results(Row("a", None, {}, "f", value)).summarize(Line(labels=[], system="a"), F)
    assert format_cell(found, Column(title="F1", metric="f", **options)) == text


def test_means_beyond_the_deviation_of_the_baseline_are_marked() -> None:
    rows = [Row("base", 0, {}, "f", 0.4), Row("base", 1, {}, "f", 0.5)]
    rows += [Row("good", 0, {}, "f", 0.6), Row("same", 0, {}, "f", 0.5), Row("bad", 0, {}, "f", 0)]
    found = [row[2].split(" ")[1:] for row in cells(make_results(*rows, baseline=0))[1:]]
    assert found == [[], ["**+**"], [], ["**-**"]]
    lower = F.model_copy(update={"higher_is_better": False})
    found = [row[2] for row in cells(make_results(*rows, baseline=0, columns=[lower]))[2:]]
    assert found == ["60.0 **-**", "50.0", "0.0 **+**"]
    assert compare_means(None, None) == ""


def test_significant_differences_are_marked() -> None:
    rows = []
    for system, difference, p in (("a", 0.1, 0.01), ("b", -0.1, 0.01), ("c", 0.1, 0.2)):
        rows += [Row(system, None, {}, "f", 0.5)]
        rows += [Row(system, None, {"versus": "base"}, "difference", difference)]
        rows += [Row(system, None, {"versus": "base"}, "p", p)]
    found = cells(make_results(*rows, tests={"b": {"versus": "base"}}))
    assert [row[1] for row in found[1:]] == ["50.0 b+", "50.0 b-", "50.0"]


def test_results_are_the_same_after_writing_and_reading(tmp_path: Path) -> None:
    results = make_results(
        Row("a", 0, {"noise": 0.5, "test": "é, x"}, "f", 1 / 3), Row("b", None, {}, "n", 3)
    )
    files = write_results(results, tmp_path / "study-2.8")
    assert [file.name for file in files] == ["study-2.8.json", "study-2.8.md"]
    assert read_results(files[0]) == results
    data = json.loads(files[0].read_text(encoding="utf8"))
    assert data["columns"] == ["system", "seed", "setting", "metric", "value"]
    assert len(files[0].read_text(encoding="utf8").splitlines()) > len(results.rows)
    write_results(read_results(files[0]), tmp_path / "again")
    assert (tmp_path / "again.json").read_bytes() == files[0].read_bytes()


def test_published_tables_match_their_results(root: Path) -> None:
    files = sorted((root / "studies/published").glob("*.json"))
    assert files
    for file in files:
        text = file.with_suffix(".md").read_text(encoding="utf8")
        assert format_markdown(read_results(file)) == text, file.name


@pytest.mark.parametrize(
    "text", ["", "[]", '{"study": "s"}', '{"columns": ["system"], "rows": []}']
)
def test_a_file_without_results_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"x\.json"):
        read_results(path)


@pytest.mark.parametrize("kind", [*CONTENTS, "missing"])
def test_an_invalid_file_of_results_is_named(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "study.json"
    if kind in CONTENTS:
        path.write_bytes(CONTENTS[kind])
    with pytest.raises(ValueError, match=r"study\.json must be results of a study") as caught:
        read_results(path)
    assert len(str(caught.value)) < 500 + len(str(path))
