"""The meta-evaluation: measures on a tiny folder of data, checked by hand, and the command."""

import json
from pathlib import Path

import pytest
import spacy
from stand_in import make_stand_in
from typer.testing import CliRunner, Result

from spacy_sentid.batch.tasks import ScoreTask
from studies.__main__ import app
from studies.paper_figures import AGREEMENT
from studies.results import list_cells, read_results
from studies.text_scores import baselines, meta_evaluation, tables
from studies.text_scores.baselines import Scores
from studies.text_scores.correlations import pearson, spearman
from studies.text_scores.meta_evaluation import (
    System,
    make_baseline_system,
    make_tagger_system,
    measure_systems,
    measure_task,
    score_task,
)
from studies.text_scores.meta_tasks import COLUMNS, Item, Task, list_tasks, read_task

TASKS = [
    "summeval", "summeval_source", "realsumm", "rank19", "qags_cnn", "bagel", "sfres",
    "wmt19_kk-en", "wmt19_lt-en",
]  # fmt: skip

for name in ("scipy", "rouge_score", "sacrebleu"):
    pytest.importorskip(name)


def write_lines(path: Path, rows: list[dict]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder in the format of the data. Texts with more words of the reference score higher."""
    folder = tmp_path / "data"
    folder.mkdir()
    texts = ["sales rose in may .", "sales rose in june .", "sales fell in june .", "it rained ."]
    source = "sales rose in may . nobody knew why ."
    for task, names in (
        ("summeval", ["coherence", "consistency", "fluency", "relevance"]),
        ("realsumm", ["litepyramid_recall"]),
    ):
        rows = [
            {
                "id": f"{doc}/{number}",
                "doc": doc,
                "ref_doc": doc,
                "hyp": text,
                "human": dict.fromkeys(names, 4 - number),
            }
            for doc in ("a", "b")
            for number, text in enumerate(texts)
        ]
        write_lines(folder / f"{task}.jsonl", rows)
        refs = ["sales rose in may .", "in may sales rose ."]
        docs = [{"doc": doc, "src": source, "refs": refs} for doc in ("a", "b")]
        write_lines(folder / f"{task}_docs.jsonl", docs)
    rank = [
        {"id": f"{doc}/{side}", "doc": doc, "ref": source, "hyp": text, "human": {"fact": fact}}
        for doc in ("0", "1", "2", "3")
        for side, text, fact in (
            ("correct", "sales rose .", 1.0),
            ("incorrect", "sales rose ." if doc == "3" else "sales fell .", 0.0),
        )
    ]
    write_lines(folder / "rank19.jsonl", rank)
    rows = [
        {"id": str(i), "ref": source, "hyp": text, "human": {"fact": fact, "informativeness": fact}}
        for i, (text, fact) in enumerate(zip(texts, [1.0, 0.5, 0.25, 0.0], strict=True))
    ]
    write_lines(folder / "qags_cnn.jsonl", [{**row, "doc": row["id"]} for row in rows])
    for task in ("bagel", "sfres"):
        write_lines(folder / f"{task}.jsonl", [{**row, "ref": ["x y", source]} for row in rows])
    for task in ("wmt19_kk-en", "wmt19_lt-en"):
        write_lines(
            folder / f"{task}.jsonl",
            [
                {"id": "0", "ref": "a b", "better": {"hyp": "a b"}, "worse": {"hyp": "a c"}},
                {"id": "1", "ref": "a b", "better": {"hyp": "a c"}, "worse": {"hyp": "a b"}},
                {"id": "2", "ref": "a b", "better": {"hyp": "a b"}, "worse": {"hyp": "c"}},
                {"id": "3", "ref": "a b", "better": {"hyp": "c"}, "worse": {"hyp": "d"}},
            ],
        )
    return folder


def test_tasks_are_read(data):
    assert list_tasks(data) == TASKS
    tasks = {name: read_task(data, name) for name in TASKS}
    assert [len(task.items) for task in tasks.values()] == [8, 8, 8, 8, 4, 4, 4, 8, 8]
    assert {task.name: task.perspective for task in tasks.values()} == {
        "summeval": "p", "summeval_source": "p", "realsumm": "r", "rank19": "f", "qags_cnn": "p",
        "bagel": "f", "sfres": "f", "wmt19_kk-en": "f", "wmt19_lt-en": "f",
    }  # fmt: skip
    assert len(tasks["summeval"].items[0].refs) == 2
    assert len(tasks["summeval_source"].items[0].refs) == 1
    assert [item.human for item in tasks["wmt19_kk-en"].items[:2]] == [{"rank": 1}, {"rank": 0}]
    assert tasks["bagel"].aggregate == "max"


@pytest.mark.parametrize(("name", "n"), [("summeval", 4), ("rank19", 2), ("wmt19_kk-en", 2)])
def test_a_limit_keeps_groups_whole(data, name, n):
    assert len(read_task(data, name, limit=1).items) == n


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("nonsense\n", r"rank19\.jsonl:1"),
        ('{"id": "1", "hyp": "a"}\n', r"rank19\.jsonl:1: .*ref"),
        ("", "texts"),
        (None, r"rank19\.jsonl"),
    ],
)
def test_invalid_data_are_named(data, content, message):
    path = data / "rank19.jsonl"
    path.unlink() if content is None else path.write_text(content)
    with pytest.raises(ValueError, match=message):
        read_task(data, "rank19")


def test_other_tasks_are_measured_by_their_format(data):
    def write(name: str, rows: list[dict]) -> None:
        write_lines(data / f"{name}.jsonl", rows)

    texts = ["sales rose in may .", "sales rose .", "costs fell ."]
    source = "sales rose in may . nobody knew why ."
    judged = [
        {"id": str(i), "hyp": text, "human": {"good": 3 - i, "short": i}}
        for i, text in enumerate(texts)
    ]
    write("alone", [{**row, "ref": source} for row in judged])
    write("several", [{**row, "ref": ["x", source]} for row in judged])
    write("of_docs", [{**row, "doc": doc, "ref_doc": doc} for doc in "ab" for row in judged])
    write("of_docs_docs", [{"doc": doc, "src": source, "refs": ["x", source]} for doc in "ab"])
    write("wmt19_ru-en", [{"id": "0", "ref": "a", "better": {"hyp": "a"}, "worse": {"hyp": "b"}}])
    write("sfhot", [{**row, "ref": [source], "human": {"informativeness": 1}} for row in judged])
    names = list_tasks(data)
    assert names == [
        *TASKS[:-2], "sfhot", "alone", "of_docs", "of_docs_source", "several", *TASKS[-2:],
        "wmt19_ru-en",
    ]  # fmt: skip
    tasks = {name: read_task(data, name) for name in names}
    found = {
        name: [(one.name, one.perspective) for one in tasks[name].columns]
        for name in ("alone", "several", "of_docs", "of_docs_source", "wmt19_ru-en", "sfhot")
    }
    assert found == {
        "alone": [("alone good", "p"), ("alone short", "p")],
        "several": [("several good", "f"), ("several short", "f")],
        "of_docs": [("of_docs good", "p"), ("of_docs short", "p")],
        "of_docs_source": [("of_docs_source good", "p"), ("of_docs_source short", "p")],
        "wmt19_ru-en": [("WMT19 ru-en", "f")],
        "sfhot": [("SFHOT INFO", "f")],
    }
    assert [tasks[name].aggregate for name in ("alone", "several", "of_docs")] == [
        "mean", "max", "mean",
    ]  # fmt: skip
    scores = [Scores(p, None, None) for p in (3, 2, 1)]
    assert measure_task(tasks["alone"], scores, same_side=True) == {
        "alone good": spearman([3, 2, 1], [3, 2, 1]), "alone short": -1
    }  # fmt: skip
    grouped = measure_task(tasks["of_docs"], scores + scores[::-1], same_side=True)
    assert grouped["of_docs good"] == 0


def test_texts_must_have_the_same_human_scores(data):
    rows = [{"id": "1", "hyp": "a", "ref": "b", "human": {name: 1}} for name in ("good", "bad")]
    write_lines(data / "other.jsonl", rows)
    with pytest.raises(ValueError, match=r"other\.jsonl.*'good'"):
        read_task(data, "other")


def test_a_folder_without_tasks_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="jsonl"):
        list_tasks(tmp_path)


def test_an_unknown_task_is_an_error(data):
    with pytest.raises(ValueError, match="nowhere"):
        read_task(data, "nowhere")


def test_columns_of_the_tiny_data_have_known_values(data):
    # Computed by hand. In each document, precision and recall fall with the human scores. One of
    # four pairs of rank19 is a tie. In wmt19, two of four pairs are concordant and one is a tie.
    tagger = make_tagger_system(make_stand_in())
    found = {}
    for name in TASKS:
        task = read_task(data, name)
        found |= measure_task(task, list(tagger.score(task)), same_side=True)
    assert list(found) == [
        column.name for name in TASKS for column in read_task(data, name).columns
    ]
    for name in ("SummEval COH", "SummEval src FAC", "REALSumm COV", "BAGEL INFO"):
        assert found[name] == 1
    assert found["Rank19 FAC"] == found["Rank19 FAC R"] == 3 / 4
    assert found["WMT19 kk-en"] == (2 - 2) / 4
    # 3 times precision: 1, 3/5, 1/5, -1/3.
    assert found["Q-CNN FAC"] == pytest.approx(pearson([1, 0.5, 0.25, 0], [1, 0.6, 0.2, -1 / 3]))


def test_references_are_aggregated_as_the_task_says():
    items = [Item("a", "x y", ("x", "x y z"), {})]
    for aggregate, expected in (("max", (1, 1, 0.8)), ("mean", (0.75, 5 / 6, (2 / 3 + 0.8) / 2))):
        system = make_baseline_system("overlap", baselines.make_baselines()["overlap"])
        (found,) = system.score(Task("t", aggregate, "f", items, ()))
        assert found[:3] == pytest.approx(expected)


def test_scores_are_cached_for_the_same_texts_and_settings(tmp_path):
    calls = []

    def score(task):
        calls.append(task.name)
        yield from (Scores(1.0, None, 0.5) for _ in task.items)

    items = [Item("a", "x", ("y",), {}), Item("b", "z", ("y",), {})]
    task = Task("t", "max", "f", items, ())
    system = System("s", {"weights": 1}, score)
    first = score_task(system, task, tmp_path)
    assert score_task(system, task, tmp_path) == first
    assert len(calls) == 1
    score_task(system._replace(settings={"weights": 2}), task, tmp_path)
    score_task(system, task._replace(items=items[:1]), tmp_path)
    assert len(calls) == 3


def test_tables_have_both_ways_of_counting_and_the_paper(data):
    task = read_task(data, "rank19")
    of = {"overlap": [Scores(1, 0, 0.5)] * 8, "BLEU": [Scores(1, 1, 1)] * 8}
    scores = {(name, "rank19"): values for name, values in of.items()}
    found = measure_systems([task], scores)
    assert list(found) == ["overlap", "overlap, same side", "BLEU"]
    results = tables.make_results({}, found, tasks=[task], command="")
    short, everything = (list_cells(results, table) for table in results.tables)
    assert short == [
        ["task", "ParaTag (paper)"], ["Rank19 FAC", "0.853"]
    ]  # fmt: skip
    assert everything[0][:4] == ["task", "overlap", "overlap, same side", "BLEU"]
    assert everything[1][:4] == ["Rank19 FAC", "0.000", "0.000", "0.000"]


def test_the_tagger_has_rows_for_its_shares_and_the_blend():
    items = [Item(str(i), "x", ("y",), {"informativeness": i}) for i in range(3)]
    columns = tuple(column for column in COLUMNS if column.task == "bagel")
    scores = [Scores(None, None, f, None, None, -f, blend_f=0.5) for f in (1, 2, 3)]
    task = Task("bagel", "max", "f", items, columns)
    assert measure_systems([task], {("tagger", "bagel"): scores}) == {
        "tagger": {"BAGEL INFO": 1},
        "tagger, supported words": {"BAGEL INFO": -1},
        "tagger, blend with chrF": {},
    }


def test_likelihood_has_a_row(tmp_path, data, monkeypatch):
    pytest.importorskip("transformers")
    from tiny_seq2seq import make_bart

    folder = make_bart(tmp_path / "bart")
    options = ["--generator", folder, "--no-baselines", "--no-tagger", "--tasks", "rank19,bagel"]
    command = ["text-scores", data, "--out", tmp_path / "new" / "meta", *options]
    done = CliRunner().invoke(app, list(map(str, command)))
    assert done.exit_code == 0, done.output
    results = read_results(tmp_path / "new" / "meta.json")
    (value,) = results.values("likelihood", "agreement", {"task": "Rank19 FAC"})
    assert 0 <= value <= 1
    kept = json.loads((tmp_path / "new" / "meta" / "likelihood-rank19.json").read_text())
    assert all(p < 0 and r < 0 for p, r, *_ in kept["scores"])


def test_the_paper_has_no_unknown_columns():
    names = {column.name for column in COLUMNS}
    others = {name for row in AGREEMENT.values() for name in row} - names
    assert all(name.startswith("WMT19 ") for name in others)


@pytest.fixture
def run(tmp_path: Path, data: Path):
    folder = tmp_path / "model"
    make_stand_in().to_disk(folder)

    def invoke(*arguments: object, code: int = 0) -> Result:
        command = ["text-scores", data, "--out", tmp_path / "new" / "meta", "--model", folder]
        result = CliRunner().invoke(app, list(map(str, [*command, *arguments])))
        assert result.exit_code == code, (result.output, result.exception)
        return result

    return invoke


def test_command_prints_and_writes_the_tables(run, tmp_path):
    done = run()
    results = read_results(tmp_path / "new" / "meta.json")
    assert results.values("tagger", "agreement", {"task": "Rank19 FAC"}) == [0.75]
    assert results.settings["items"]["summeval"] == 8
    assert (tmp_path / "new" / "meta.md").read_text() == done.stdout.removesuffix("\n")
    lines = [line for line in done.stdout.splitlines() if line.startswith("|")]
    assert lines[0].startswith(
        "| task | tagger | tagger, supported words | tagger, blend with chrF | chrF | ROUGE-1, same"
    )
    names = [line.split(" | ")[0] for line in lines[2:6]]
    assert names == ["| SummEval COH", "| SummEval FAC", "| SummEval FLU", "| SummEval INFO"]
    assert "BERTScore" in done.stderr or baselines.has_bertscore()


def test_command_reuses_cached_scores(run, tmp_path, monkeypatch):
    first = run("--tasks", "rank19, qags_cnn").stdout
    written = (tmp_path / "new" / "meta.json").read_bytes()

    def fail(*arguments, **settings):
        raise AssertionError("scored again")

    monkeypatch.setattr(meta_evaluation, "stream_scores", fail)
    monkeypatch.setattr(baselines, "_score_overlap", fail)
    assert run("--tasks", "rank19, qags_cnn").stdout == first
    assert (tmp_path / "new" / "meta.json").read_bytes() == written


def test_command_follows_its_options(run):
    done = run("--no-baselines", "--tasks", "rank19", "--limit", 1, "--batch-size", 7)
    assert "| Rank19 FAC | 1.000 |" in done.stdout
    assert "| tagger |" not in run("--no-tagger", "--tasks", "bagel").stdout
    assert "evaluate" in run("--no-baselines", "--no-tagger", code=1).stderr
    assert "nowhere.jsonl" in run("--tasks", "nowhere", code=1).stderr


def test_a_pipeline_that_cannot_score_is_refused(tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ValueError, match="paraphrase_tagger"):
        ScoreTask().load(str(tmp_path / "blank"))


def test_plain_overlap_of_the_real_data(find_corpus):
    """Compare with the README of the data, whose numbers agree with the paper's ROUGE-1."""
    folder = find_corpus("nlg_meta")
    expected = {"rank19": 0.571, "qags_cnn": 0.325, "bagel": 0.235, "sfres": 0.115}
    system = make_baseline_system("overlap", baselines.make_baselines()["overlap"])
    for name, value in expected.items():
        task = read_task(folder, name)
        found = measure_task(task, list(system.score(task)), same_side=False)
        assert round(next(iter(found.values())), 3) == value
