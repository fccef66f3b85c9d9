"""The multilingual study: its sets, and the runs of each system in each language."""

from dataclasses import replace
from pathlib import Path

import pytest
import tiny
from typer.testing import CliRunner

from studies.__main__ import app
from studies.documents import languages, systems
from studies.documents.systems import System

MARKED = "=== a | chat\n⟦Ich sehe z.B. Anna.⟧ ⟪frag|Ja.⟫\n"


@pytest.fixture
def study(tmp_path: Path, sample: Path) -> languages.Study:
    model = tmp_path / "model"
    tiny.trained().to_disk(model)
    for lang in ("de", "nl"):
        documents = tmp_path / "everyday" / lang / "test"
        documents.mkdir(parents=True)
        (documents / "a.txt").write_text(MARKED, encoding="utf8")
        treebank = tmp_path / "treebanks" / lang
        treebank.mkdir(parents=True)
        units = (sample / "test.conllu").read_text(encoding="utf8").split("\n\n")
        (treebank / "test.conllu").write_text("\n\n".join(units[:12]) + "\n\n", encoding="utf8")
    return languages.Study(
        out=tmp_path / "out",
        langs=("de", "nl"),
        everyday=tmp_path / "everyday",
        treebanks=str(tmp_path / "treebanks"),
        split="test",
        models={"ours": [str(model), str(model)]},
        peers=("rule_sentencizer",),
    )


def test_units_are_joined_by_spaces_in_their_order(sample):
    first, *_ = documents = list(languages.join_units(sample / "test.conllu"))
    assert len(first.units) == languages.N_JOINED
    assert "\n" not in first.text
    for before, after in zip(first.units, first.units[1:], strict=False):
        assert first.text[before.end : after.start] == " "
    assert sum(len(document.units) for document in documents) > languages.N_JOINED


def test_each_system_has_a_run_in_each_language_that_it_supports(study):
    names = [job.name for job in languages.list_jobs(study, only_tables=True)]
    assert names == [
        f"{lang}-{system}"
        for lang in study.langs
        for system in ("ours-0", "ours-1", "rule_sentencizer-0")
    ]


def test_the_language_is_filled_into_the_path_of_a_model(study, tmp_path):
    (tmp_path / "de").mkdir()
    models = {"own": [str(tmp_path / languages.LANG)]}
    jobs = languages.list_jobs(replace(study, models=models, peers=()), only_tables=True)
    assert [(job.name, job.spec.system.path) for job in jobs] == [
        ("de-own-0", str(tmp_path / "de"))
    ]


def test_weights_are_loaded_into_a_pipeline_of_the_language(study):
    system = System("ours", 0, study.models["ours"][0])
    nlp = languages.load_in_language(system, "de")
    assert nlp.lang == "de"
    assert [token.text for token in nlp("z.B. Anna")] == ["z.B.", "Anna"]
    assert languages.load_in_language(System("rule_sentencizer", None), "nl").lang == "nl"


def test_pysbd_is_used_only_for_languages_that_it_supports(study):
    pytest.importorskip("pysbd")
    assert [systems.has_pysbd_rules(lang) for lang in ("de", "pt")] == [True, False]
    text = "Ich sehe z.B. Anna. Ja."
    (units,) = systems.split_with_pysbd([text], "de")
    assert [text[unit.start : unit.end] for unit in units] == ["Ich sehe z.B. Anna.", "Ja."]


@pytest.mark.slow
def test_the_command_prints_a_table_for_each_set(study):
    options = {
        "--model": f"ours={study.models['ours'][0]}", "--everyday": study.everyday,
        "--langs": "de", "--peers": "rule_sentencizer", "--out": study.out,
    }  # fmt: skip
    words = [str(word) for pair in options.items() for word in pair]
    for more in ([], ["--only-tables"]):
        done = CliRunner().invoke(app, ["multilingual", study.treebanks, *words, *more])
        assert done.exit_code == 0, done.output
        for name in languages.SETS:
            assert f"## {name}" in done.stdout
        assert "| de | ours | 1 |" in done.stdout
        assert "| de | rule_sentencizer |" in done.stdout
