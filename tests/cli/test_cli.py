"""The command line: help, output, and errors on one line with exit code 1."""

import json
import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
import spacy
from spacy.tokens import DocBin
from typer.testing import CliRunner, Result

from spacy_sentid.about import __version__
from spacy_sentid.cli import app, list_commands
from spacy_sentid.cli.terminal.printing import TABLE_WIDTH, format_table
from spacy_sentid.files.atomic import open_output, open_output_folder
from spacy_sentid.sentence_identifier.data.documents import read_documents

COMMANDS = list_commands()
GROUPS = sorted({name.split()[0] for name in COMMANDS if " " in name})

pytestmark = pytest.mark.usefixtures("light_processes")


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def fail(*arguments: object) -> str:
    """Run a command that must fail, and return its message."""
    message = run(*arguments, code=1).stderr
    assert message.startswith("Error: ")
    assert message.count("\n") == 1
    return message


def test_help_lists_the_commands_without_spacy():
    code = "import sys; from spacy_sentid.cli import app; assert 'spacy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
    found = run("--help").output
    for name in ("identify", "view", "treebank", "train", "evaluate"):
        assert f"\n  {name} " in found


def test_there_are_few_commands():
    assert len(COMMANDS) <= 25


@pytest.mark.parametrize("group", ["", *GROUPS])
def test_summaries_fit_their_line(group, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    commands = run(*group.split(), "-h").stdout.partition("Commands:\n")[2]
    lines = commands.partition("\n\n")[0].splitlines()
    names = {name.split()[len(group.split())] for name in COMMANDS if name.startswith(group)}
    assert {line.split()[0] for line in lines} == names
    for line in lines:
        assert line.endswith(".")
        assert not line.endswith("...")
        assert len(line) <= 80


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_80_columns(name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert max(map(len, run(*name.split(), "-h").stdout.splitlines())) <= 80


def test_version_is_printed():
    assert run("--version").stdout == f"spacy-sentid {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_help_has_an_example_that_parses(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")  # at this width, options must not break at hyphens
    found = re.findall(
        r"Example: (.+?)\n *\n", run(*name.split(), "--help").output, flags=re.DOTALL
    )
    assert found
    for example in found:
        assert example.startswith(f"spacy-sentid {name} ")
        arguments = shlex.split(example)[1 + len(name.split()) :]
        for word in arguments:  # create files and folders, as a user would have them
            path = Path(word)
            if path.suffix:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            elif not word.startswith("-"):
                path.mkdir(parents=True, exist_ok=True)
        COMMANDS[name].make_context(name, arguments)


def test_module_runs_the_command(sample):
    command = [
        sys.executable,
        "-m",
        "spacy_sentid",
        "treebank",
        "profile",
        str(sample / "dev.conllu"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == run("treebank", "profile", sample / "dev.conllu").output


def test_profile_prints_table_3(find_corpus):
    folder = find_corpus("ud/UD_English-EWT-r2.8")
    names = ("train", "dev", "test")
    output = run(
        "treebank", "profile", *(folder / f"en_ewt-ud-{name}.conllu" for name in names)
    ).output
    rows = [line.rsplit(maxsplit=3)[1:] for line in output.splitlines()[1:9]]
    assert rows == [
        ["10,356", "1,523", "1,490"],
        ["2,187", "478", "587"],
        ["10,356", "1,523", "1,490"],
        ["160,127", "18,791", "18,222"],
        ["6,939", "1,302", "1,822"],
        ["10,356", "1,523", "1,490"],
        ["773,223", "92,309", "88,441"],
        ["47,107", "9,925", "13,232"],
    ]


def test_all_su_makes_every_unit_an_su(sample):
    output = run("treebank", "profile", sample / "test.conllu", "--all-su").output
    assert [line.split() for line in output.splitlines()[1:3]] == [["SUs", "80"], ["NSUs", "0"]]


def test_su_relations_change_the_counts(sample):
    output = run("treebank", "profile", sample / "test.conllu", "--su-relations", "vocative").output
    assert output != run("treebank", "profile", sample / "test.conllu").output


LIST_MARK = """# text = 2. DELIVERY
1\t2.\t2.\tX\t_\t_\t2\tdiscourse\t_\t_
2\tDELIVERY\tdelivery\tNOUN\t_\t_\t0\troot\t_\t_

# text = We deliver
1\tWe\twe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tdeliver\tdeliver\tVERB\t_\t_\t0\troot\t_\t_

"""


def test_ignored_list_marks_are_not_in_sus(tmp_path):
    path = tmp_path / "a-test.conllu"
    path.write_text(LIST_MARK)
    for command, *rest in (
        ["treebank", "convert", path, tmp_path / "a.spacy"],
        ["treebank", "profile", path],
    ):
        plain = run(command, *rest).output
        assert run(command, *rest, "--ignore-list-marks").output != plain
    assert (
        "(1 SUs, 1 NSUs)"
        in run("treebank", "convert", path, tmp_path / "a.spacy", "--ignore-list-marks").output
    )


def test_documents_are_converted_between_formats(tmp_path, root):
    marked = root / "assets" / "everyday" / "dev" / "D1-01.txt"
    route = [marked, *(tmp_path / f"a.{end}" for end in ("jsonl", "spacy", "txt"))]
    outputs = [run("treebank", "convert", *step).output for step in pairwise(route)]
    assert len({output.split(":")[1] for output in outputs}) == 1
    first, last = (list(read_documents(path, spacy.blank("en"))) for path in (route[0], route[-1]))
    assert [(one.text, one.units, one.id) for one in first] == [
        (one.text, one.units, one.id) for one in last
    ]


def test_a_treebank_is_converted_to_documents_with_a_layout(tmp_path, sample):
    run("treebank", "convert", sample, tmp_path / "a.txt", "--split", "dev")
    assert (tmp_path / "a.txt").read_text().count("⟦") == 56


@pytest.mark.parametrize(
    ("name", "rest", "message"),
    [
        ("b.jsonl", ["a.xml"], "OUT must end in"),
        ("b.jsonl", ["b.jsonl"], "new files"),
        ("b.jsonl", ["a.txt"], "b.jsonl:1: the 'text'"),
        ("b.jsonl", ["a.txt", "--all-su"], "--all-su without a treebank"),
        ("b.txt", ["a.jsonl"], "b.txt:1: marked text"),
    ],
)
def test_conversion_errors_name_the_place(tmp_path, name, rest, message):
    (tmp_path / name).write_text("{}\n")
    output, *options = rest
    assert message in fail("treebank", "convert", tmp_path / name, tmp_path / output, *options)


def test_subtype_in_su_relations_is_an_error(sample):
    path = sample / "test.conllu"
    assert "'nsubj:pass'" in fail("treebank", "profile", path, "--su-relations", "nsubj:pass,obj")


def test_corpus_without_relations_asks_for_all_su(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("# sent_id = s1\n# text = Hi\n1\tHi\thi\tINTJ\t_\t_\t_\t_\t_\t_\n\n")
    assert "--all-su" in fail("treebank", "profile", path)
    assert "a.conllu:1" in fail("treebank", "profile", path)
    run("treebank", "profile", path, "--all-su")


def test_convert_writes_gold_of_the_split(sample, tmp_path):
    target = tmp_path / "new" / "dev.spacy"
    output = run("treebank", "convert", sample, target, "--split", "dev").stdout
    docs = list(DocBin().from_disk(target).get_docs(spacy.blank("en").vocab))
    n_su = sum(len(doc.spans["su"]) for doc in docs)
    n_nsu = sum(len(doc.spans["nsu"]) for doc in docs)
    assert (len(docs), n_su, n_nsu) == (8, 56, 29)
    assert "8 documents, 85 units (56 SUs, 29 NSUs)" in output


def test_convert_requires_a_spacy_file(sample, tmp_path):
    assert ".spacy" in fail("treebank", "convert", sample / "dev.conllu", tmp_path / "dev.json")


def test_profile_reads_all_files_of_a_folder(sample, tmp_path):
    rows = [line.split() for line in run("treebank", "profile", sample).output.splitlines()[:3]]
    assert rows == [
        ["dev", "test", "train"],
        ["SUs", "56", "54", "199"],
        ["NSUs", "29", "26", "102"],
    ]
    assert ".conllu" in fail("treebank", "profile", tmp_path)
    (tmp_path / "test.conllu").write_text("# sent_id = s1\n# text = Hi\n1\tHi\n\n")
    assert "test.conllu:3 (sent_id s1)" in fail("treebank", "profile", tmp_path)


def test_evaluate_prints_percent_and_writes_scores(tiny_pipeline, sample, tmp_path):
    target = tmp_path / "scores.json"
    options = ["--p-cc", 0.5, "--p-cc", 0, "--seed", 0, "--seed", 1, "--json", target]
    model = ["--model", tiny_pipeline]
    output = run("evaluate", "units", sample / "test.conllu", *model, *options).output
    report = json.loads(target.read_text())
    assert [(r["p_cc"], r["seed"]) for r in report["runs"]] == [(0.5, 0), (0.5, 1), (0, 0), (0, 1)]
    assert report["settings"]["treebank"] == str(sample / "test.conllu")
    for entry in report["summary"]:
        assert all(0 <= score <= 1 for score in entry["mean"].values())
    macro = report["summary"][0]["mean"]["bio_macro_f"]
    heading, first, second, *_ = output.splitlines()
    assert heading.split()[:3] == ["level", "p_CC", "macro"]
    assert first.split()[:3] == ["word", "0.5", f"{100 * macro:.1f}"]
    assert second.split()[0] == "sd"


def test_same_seed_gives_the_same_scores(tiny_pipeline, sample):
    options = ["--split", "dev", "--p-cc", 0.5, "--seed", 3]
    arguments = ["evaluate", "units", sample, "--model", tiny_pipeline, *options]
    assert run(*arguments).output == run(*arguments).output


def test_unknown_model_is_an_error(sample):
    assert "nowhere" in fail("evaluate", "units", sample / "test.conllu", "--model", "nowhere")


def test_pipeline_without_identifier_is_an_error(sample, tmp_path):
    spacy.blank("en").to_disk(tmp_path / "blank")
    blank, gold = tmp_path / "blank", sample / "test.conllu"
    assert "sentence_identifier" in fail("evaluate", "units", gold, "--model", blank)
    assert "sentence_identifier" in fail("train", "calibrate", blank, gold)


@pytest.mark.parametrize("option", [["--p-cc", "1.5"], ["--layout", "column"]])
def test_option_out_of_range_is_a_usage_error(tiny_pipeline, sample, option):
    model = ["--model", tiny_pipeline]
    run("evaluate", "units", sample / "test.conllu", *model, *option, code=2)


def test_calibrate_saves_the_pipeline_in_place(tiny_pipeline, sample, tmp_path):
    model, note = tmp_path / "model", tmp_path / "model" / "LICENSE"
    spacy.load(tiny_pipeline).to_disk(model)
    note.write_text("kept")
    run("train", "calibrate", model, sample, "--split", "dev")
    assert note.read_text() == "kept"
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    assert spacy.load(model).pipe_names == ["sentence_identifier"]


def test_calibrate_also_fits_on_documents(tiny_pipeline, sample, tmp_path):
    texts = tmp_path / "a.txt"
    texts.write_text(
        "=== a | note\n\u27eahead|Page 3\u27eb\n\u27e6I like cats.\u27e7\n", encoding="utf8"
    )
    fitted = []
    for n, more in enumerate([(), ("--documents", texts)]):
        out = tmp_path / f"new{n}"
        run("train", "calibrate", tiny_pipeline, sample, "--split", "dev", "-o", out, *more)
        fitted.append(json.loads((out / "sentence_identifier/cfg").read_bytes())["calibration"])
    assert fitted[0] != fitted[1]


def test_calibrate_leaves_the_input_alone_with_output(tiny_pipeline, sample, tmp_path):
    before = (tiny_pipeline / "sentence_identifier" / "cfg").read_bytes()
    run("train", "calibrate", tiny_pipeline, sample, "--split", "dev", "-o", tmp_path / "new")
    assert (tiny_pipeline / "sentence_identifier" / "cfg").read_bytes() == before
    spacy.load(tmp_path / "new")


def test_identify_writes_the_same_records_to_pipe_and_file(tiny_pipeline, sample, tmp_path):
    files = [sample / "inbox.txt", sample / "pages.jsonl"]
    output = run("identify", *files, "--model", tiny_pipeline).output
    run("identify", *files, "--model", tiny_pipeline, "-o", tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == output
    records = [json.loads(line) for line in output.splitlines()]
    assert [record["id"] for record in records][:2] == [str(files[0]), "page-orchard-shop"]
    for unit in records[0]["units"]:
        assert list(unit) == ["start_char", "end_char", "label", "score", "label_score"]


def test_identify_lines_writes_a_record_per_line(tiny_pipeline, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("I sleep.\n\nPage 3\n")
    output = run("identify", path, "--format", "lines", "--model", tiny_pipeline).output
    ids = [json.loads(line)["id"] for line in output.splitlines()]
    assert ids == [f"{path}:1", f"{path}:2", f"{path}:3"]


def test_newline_break_ends_units_at_line_ends(tiny_pipeline, tmp_path):
    path = tmp_path / "a.txt"
    text = "I like\ncats and\nyou do"
    path.write_text(text)
    options = ["--setting", "newline=break", "--model", tiny_pipeline]
    units = json.loads(run("identify", path, *options).output)["units"]
    assert not any(
        "\n" in text[u["start_char"] : u["end_char"]] for u in units if u["label"] == "SU"
    )


def test_identify_accepts_settings_and_reports_what_it_skips(tiny_pipeline, tmp_path):
    page = tmp_path / "a.html"
    page.write_text("<p>I <b>like</b><br>cats and you do<script>x</script>", encoding="utf8")
    options = [
        "--setting",
        "nsu_span=line",
        "--setting",
        "decoder=bos_eos",
        "--setting",
        "max_length=2",
        "--text",
    ]
    result = run("identify", page, "--model", tiny_pipeline, *options)
    [record] = map(json.loads, result.stdout.splitlines())
    assert record["text"] == "I like\ncats and you do"
    for unit in record["units"]:
        assert record["text"][unit["start_char"] : unit["end_char"]] == unit["text"]
        assert unit["label"] == "NSU" or len(unit["text"].split()) <= 2
    assert "scripts (1), tags (4)" in result.stderr


def test_bad_records_are_skipped_and_reported(tiny_pipeline, tmp_path):
    path, target = tmp_path / "a.jsonl", tmp_path / "out.jsonl"
    path.write_text('{"text": "I sleep."}\n{"text": 3}\n')
    result = run("identify", path, "--model", tiny_pipeline, "-o", target)
    assert "1 bad" in result.stderr
    assert "a.jsonl:2" in (tmp_path / "out.jsonl.errors.jsonl").read_text()
    assert len(target.read_text().splitlines()) == 1


@pytest.mark.parametrize(
    ("name", "data", "message", "reason"),
    [
        ("a.jsonl", "nonsense\n{}\n", "None of 2 records could be processed", "a.jsonl:1: "),
        ("a.jsonl", '{"text": "a"}\r{"text": "b"}\r', "None of 1 records", "must be a JSON object"),
        ("a.jsonl", "", "There must be records in the inputs, got none", ""),
        ("a.jsonl", "\n\n", "There must be records in the inputs, got none", ""),
        ("a.csv", "text\n", "There must be records in the inputs, got none", ""),
        ("a.eml", "", "None of 1 records", "a.eml: the file must be a mail"),
        ("a.csv", "text\ra\r", "a.csv:1: the first line must have the names of", "CSV"),
    ],
)
@pytest.mark.parametrize("output", [True, False])
def test_a_job_without_a_readable_record_fails(
    tiny_pipeline, tmp_path, name, data, message, reason, output
):
    path, out = tmp_path / name, tmp_path / "out.jsonl"
    path.write_bytes(data.encode())
    options = ["-o", out] if output else []
    for _ in range(2):  # also after an earlier run
        result = run("identify", path, "--model", tiny_pipeline, *options, code=1)
        assert result.stderr.splitlines()[-1].startswith(
            f"Error: {message}".replace("a.csv", f"{path}")
        )
        assert reason in result.stderr
    errors = tmp_path / "out.jsonl.errors.jsonl"
    assert errors.exists() == (output and "None of" in message)


@pytest.mark.skipif(os.name == "nt", reason="links differ on Windows")
def test_a_link_that_leads_back_to_itself_is_an_error(tiny_pipeline, tmp_path):
    (tmp_path / "e.txt").symlink_to("e.txt")
    for path in (tmp_path, tmp_path / "e.txt"):
        message = fail("identify", path, "--model", tiny_pipeline)
        assert f"{tmp_path}/e.txt: Too many levels" in message


@pytest.mark.skipif(os.name == "nt", reason="read-only folders differ on Windows")
def test_an_output_that_cannot_be_written_is_named(tiny_pipeline, tmp_path, monkeypatch):
    def fail_to_open(path, *_args, **_settings):
        if path.suffix == ".lock":
            raise OSError(30, "Read-only file system", str(path))
        return open(path, *_args, **_settings)

    path, out = tmp_path / "a.txt", tmp_path / "out.jsonl"
    path.write_text("I sleep.")
    monkeypatch.setattr(Path, "open", fail_to_open)
    message = fail("identify", path, "-o", out, "--model", tiny_pipeline)
    assert message == f"Error: {out}: Read-only file system\n"


@pytest.mark.parametrize("output", ["", "-"])
def test_an_output_is_a_file_or_a_folder(sample: Path, output: str):
    assert "standard output" in fail("identify", sample / "inbox.txt", "-o", output)


def test_identify_reads_standard_input(tiny_pipeline, tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "spacy_sentid", "identify", "-", "--format", "jsonl"],
        input=b'{"id": 7, "text": "I sleep."}\n',
        capture_output=True,
        check=True,
    )
    [row] = map(json.loads, done.stdout.splitlines())
    assert row["id"] == 7
    assert row["units"]


def test_other_tasks_have_their_own_default_pipeline(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("我们在学校。", encoding="utf8")
    row = json.loads(run("identify", path, "--task", "words").output)
    assert [word["text"] for word in row["words"]] == ["我们", "在", "学校", "。"]


def test_output_folder_is_kept_when_the_new_one_fails(tmp_path: Path):
    old = tmp_path / "model"
    old.mkdir()
    (old / "a").write_text("old")

    def write_half() -> None:
        with open_output_folder(old) as folder:
            (folder / "a").write_text("new")
            raise ValueError("half way")

    with pytest.raises(ValueError, match="half way"):
        write_half()
    assert (old / "a").read_text() == "old"
    with open_output_folder(old) as folder:
        (folder / "b").write_text("new")
    assert [path.name for path in old.iterdir()] == ["b"]
    assert list(tmp_path.iterdir()) == [old]


def test_output_is_written_through_a_link(tmp_path: Path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    with open_output(tmp_path / "link") as file:
        file.write("new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"


def test_a_table_that_is_too_wide_continues_below() -> None:
    heads = ["text", "SU P", "SU R", "NSU P", "NSU R", "a very long heading of a column"]
    rows = [heads, ["mail", "1", "2", "3", "4", "5" * 60]]
    first, second = (part.splitlines() for part in format_table(rows).split("\n\n"))
    assert [line.split()[0] for line in (*first, *second)] == ["text", "mail"] * 2
    assert first[1].split() == ["mail", "1", "2", "3", "4"]
    assert max(map(len, (*first, *second))) <= TABLE_WIDTH
    wide = [["text", "x" * 90], ["mail", "1"]]
    assert format_table(wide).splitlines()[1].split() == ["mail", "1"]


@pytest.mark.parametrize("setting", ["threshold", "newline=hard", "x=1", "threshold=2"])
def test_a_wrong_setting_is_an_error(tmp_path, setting):
    (tmp_path / "a.txt").write_text("I sleep.")
    name = setting.partition("=")[0]
    assert name in fail("identify", tmp_path / "a.txt", "--setting", setting)


def test_show_makes_the_layout_of_a_terminal_in_a_pipe(tiny_pipeline, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": "b", "text": "I sleep."}\n{"text": 3}\n{"id": "c", "text": ""}\n')
    options = ["--show", "--model", tiny_pipeline, "--setting", "threshold=0.4", "--text-key=text"]
    result = run("identify", path, *options)
    lines = result.stdout.splitlines()
    assert lines[3] == "b"
    assert lines[-1].startswith("2 texts: ")
    assert all(len(line) <= 60 for line in lines)
    assert "\x1b" not in result.stdout
    assert "a.jsonl:2" in result.stderr


def test_show_starts_before_all_inputs_are_read(tiny_pipeline, tmp_path):
    path = tmp_path / "a.jsonl"
    good = json.dumps({"text": "I sleep. " * 2_000})
    path.write_text(f'{good}\n{good}\n{{"text": 3}}\n')
    result = run("identify", path, "--show", "--model", tiny_pipeline)
    assert f"{path}:1" in result.stdout
    assert "a.jsonl:3" in result.stderr


def test_colors_in_a_pipe_must_be_asked_for(tiny_pipeline, tmp_path):
    (tmp_path / "a.txt").write_text("I sleep.")
    arguments = ["identify", str(tmp_path / "a.txt"), "--show", "--model", str(tiny_pipeline)]
    result = CliRunner().invoke(app, arguments, env={"FORCE_COLOR": "1", "NO_COLOR": None})
    assert "\x1b[1m" in result.stdout


@pytest.mark.parametrize(
    "options",
    [["-o", "a.jsonl"], ["--task", "sentences"], ["--keep", "su"]],
)
def test_show_is_for_units_on_standard_output(tmp_path, options):
    (tmp_path / "a.txt").write_text("I sleep.")
    assert "--show" in fail("identify", tmp_path / "a.txt", "--show", *options)
