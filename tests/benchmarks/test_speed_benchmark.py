"""The speed benchmark: rounds, ratios, tables and figure, without any timing."""

import doctest
import importlib
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

MODULES = (
    "speed", "speed_figure", "speed_flops", "speed_parts", "speed_rounds", "speed_systems",
    "speed_tables", "speed_texts",
)  # fmt: skip


@pytest.fixture
def load(root: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Import a module of the benchmarks."""
    # The benchmark sets the number of threads of its process at import.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"):
        monkeypatch.setenv(name, "1")
    monkeypatch.syspath_prepend(root / "benchmarks")
    return importlib.import_module


@pytest.fixture
def tables(load: Any) -> ModuleType:
    return load("speed_tables")


@pytest.fixture
def report(load: Any) -> dict[str, Any]:
    rates = {"ours": [100.0, 300.0, 200.0], "senter w16 d2, numpy's BLAS": [50.0, 100.0, 100.0]}
    return {
        "command": "python benchmarks/speed.py", "rounds": 3, "price": 0.05, "models": ["ours"],
        "machine": "a machine", "python": "3.11",
        "versions": {"spacy": "3.8"}, "missing": ["pySBD"],
        "texts": {"medium": {"texts": 10, "words": 1000}},
        "words": {"medium": rates},
        "scores": {"everyday": {"ours": 0.9, "senter w16 d2": 0.5}},
    }  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_the_benchmark_hold(name: str, load: Any) -> None:
    failed, _ = doctest.testmod(load(name))
    assert not failed


def test_each_round_begins_with_another_system(load: Any) -> None:
    read: list[tuple[str, str]] = []
    runs = {name: lambda texts, name=name: read.append((name, texts)) for name in "ab"}
    seconds = load("speed_rounds").time_rounds(runs, ["first", "second"])
    assert read == [("a", "first"), ("b", "first"), ("b", "second"), ("a", "second")]
    assert {name: len(values) for name, values in seconds.items()} == {"a": 2, "b": 2}


def test_only_systems_without_caches_are_run_again(load: Any) -> None:
    read: list[str] = []
    runs = {name: lambda _, name=name: read.append(name) for name in "ab"}
    load("speed_rounds").time_rounds(runs, [None], repeatable={"b"})
    assert read.count("a") == 1 < read.count("b")


def test_no_text_is_in_two_rounds(load: Any) -> None:
    rounds = load("speed_texts").deal([str(n) for n in range(50)], 4)
    dealt = [*rounds.warm_up, *(text for texts in rounds.texts for text in texts)]
    assert len(rounds.texts) == 4
    assert sorted(dealt, key=int) == [str(n) for n in range(50)]


def test_the_table_has_ratios_of_rounds_costs_and_scores(
    tables: ModuleType, report: dict[str, Any]
) -> None:
    page = tables.format_report(report)
    assert "| **ours** | 200 |  | 35 | 90.0 |" in page
    assert "| senter w16 d2, numpy's BLAS | 100 | 2.00 | 69 | 50.0 |" in page
    assert "| senter w16 d2, numpy's BLAS | 2.00 [2.00–3.00] |" in page
    assert "not installed: pySBD." in page


def test_memory_is_compared_with_the_tokenizer(tables: ModuleType, report: dict[str, Any]) -> None:
    row = {"system": "ours", "megabytes": 5.0, "blank_lines": True, "before": 100.0}
    row |= {"tokenized": 300.0, "peak": 450.0, "seconds": 20.0}
    page = "\n".join(tables.format_memory({**report, "memory": [row]}))
    assert "| ours | 5 MB | yes | 100 | 300 | 450 | 1.50 | 20.0 |" in page


def test_tables_are_put_between_the_marks_of_a_page(tables: ModuleType, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"Before.\n{tables.BEGIN}\nold\n{tables.END}\nAfter.\n")
    filled = tables.fill_page(page, "| new |\n")
    assert filled == f"Before.\n{tables.BEGIN}\n\n| new |\n\n{tables.END}\nAfter.\n"
    page.write_text("No marks.")
    with pytest.raises(ValueError, match="must have the lines"):
        tables.fill_page(page, "")


def test_the_page_has_the_tables_of_the_results(root: Path, tables: ModuleType) -> None:
    name = "benchmarks/results/speed"
    report = json.loads((root / f"{name}.json").read_text(encoding="utf8"))
    made = tables.format_report(report)
    assert (root / f"{name}.md").read_text(encoding="utf8") == "# Speed\n\n" + made
    page = root / "docs" / "speed.md"
    assert page.read_text(encoding="utf8") == tables.fill_page(page, made)


def test_the_command_of_the_results_has_no_folders(load: Any) -> None:
    speed = load("speed")
    line = [
        "--data",
        "d",
        "--long",
        "l",
        "--model",
        "new=/home/a",
        "--against",
        "old=/home/b/python",
    ]
    args = speed.make_parser().parse_args([*line, "--senter", "/home/c", "--parts", "words"])
    assert speed.name_command(args) == (
        "python benchmarks/speed.py --rounds 5 --model new=FOLDER --senter FOLDER "
        "--against old=PYTHON --parts words"
    )


def test_the_figure_names_each_system_once_in_a_panel(load: Any) -> None:
    figure = load("speed_figure")
    points = [
        figure.Point("senter", "spaCy", 10_000.0, 50.0),
        figure.Point("senter", "spaCy", 20_000.0, 50.0),
        figure.Point("mine", "the identifier", 40_000.0, 90.0),
    ]
    svg = figure.draw_figure({"Everyday": points, "EWT": points})
    assert len(re.findall(">senter<", svg)) == len(re.findall(">mine<", svg)) == 2
    assert "prefers-color-scheme:dark" in svg
    assert svg == figure.draw_figure({"Everyday": points, "EWT": points})


def test_the_committed_figure_shows_the_results(root: Path, load: Any) -> None:
    name = "benchmarks/results/speed"
    report = json.loads((root / f"{name}.json").read_text(encoding="utf8"))
    drawn = load("speed_figure").draw_figure(load("speed").list_panels(report))
    assert (root / f"{name}.svg").read_text(encoding="utf8") == drawn


def test_labels_overlap_no_points_and_no_other_labels(load: Any) -> None:
    figure = load("speed_figure")
    where = [(100.0, 100.0), (110.0, 100.0), (120.0, 104.0)]
    names = ["first", "second", "third"]
    places = figure.place_labels(where, names, figure.Box(0, 0, 300, 300))
    boxes = [
        figure._find_box(x, y, name, place)
        for (x, y), name, place in zip(where, names, places, strict=True)
    ]
    for n, box in enumerate(boxes):
        assert not any(box.meets(other) for other in boxes[:n])
        assert not any(box.left < x < box.right and box.low < y < box.high for x, y in where)


def test_operations_are_counted_by_the_rows_of_a_layer(load: Any) -> None:
    from spacy_sentid import load as load_pipeline

    nlp = load_pipeline("en")
    pipe = nlp.get_pipe("sentence_identifier")
    docs = [nlp.make_doc("The dog the dog the dog barks."), nlp.make_doc("I see the dog.")]
    forwards = {node.id: node._func for node in pipe.model.walk()}
    found = load("speed_flops").count_flops(pipe, docs)
    weights = sum(node.get_param("W").size for node in pipe.model.walk() if node.has_param("W"))
    assert 0 < sum(found.values()) < 2 * weights
    assert forwards == {node.id: node._func for node in pipe.model.walk()}
