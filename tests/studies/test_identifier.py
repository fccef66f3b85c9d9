"""The study of the identifier: systems, trainings, tables."""

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from shutil import copytree

import pytest
import spacy
from spacy.util import load_config, walk_dict
from thinc.api import Config
from typer.testing import CliRunner

from studies import training
from studies.__main__ import app
from studies.identifier import languages, runs, tables, unidirectional
from studies.identifier.augmented import convert_augmented
from studies.identifier.systems import (
    IN_DOMAIN,
    SEGMENTATION,
    STEPS,
    SYSTEMS,
    UNIDIRECTIONAL_WEIGHTS,
    training_overrides,
)
from studies.results import Row, format_markdown, list_rows


def result_rows(trained: str, system: str, value: float) -> list[Row]:
    names = [*tables.OVERALL.values(), *tables.LABELS.values()]
    scores = {prefix + name: value for prefix in ("", "char_") for name in names}
    rows = []
    for test in (IN_DOMAIN, SEGMENTATION):
        for name, place, _ in runs.list_decodings(SYSTEMS[system], test):
            for texts in list(tables.TEXTS)[: 3 if test == IN_DOMAIN else 2]:
                setting = {"trained": trained, "test": test, "texts": texts, **place}
                rows += list_rows(name, round(10 * value), setting, scores)
    return rows


def write_tables(study: runs.Study, rows: list[Row]) -> str:
    return format_markdown(tables.make_results(runs.make_plan(study).to_dict(), rows))


@pytest.fixture
def study(tmp_path: Path, root: Path) -> runs.Study:
    domains = tuple(
        runs.Domain(
            name, tmp_path, 2, root / "studies/configs/identifier_study.cfg", [], (), n_seeds=2
        )
        for name in (IN_DOMAIN, SEGMENTATION)
    )
    return runs.Study(
        out=tmp_path,
        domains=domains,
        paper_config=root / "configs/identifier_bos_eos.cfg",
        systems=tuple(SYSTEMS),
    )


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("bos-eos", {}),
        ("ours", {}),
        ("eos", {"components.sentence_identifier.loss_weights.bos": 0.0}),
        ("eos", {"components.sentence_identifier.store_probs": True}),
        ("eos", {"components.sentence_identifier.scorer.@scorers": "studies.eos_scorer.v1"}),
        ("uni", {}),
        ("eos-aug", {"corpora.train.p_augment": 0.3, "corpora.dev.p_truncate": 0.1}),
        ("eos-aug", {"corpora.dev.redraw": True}),
        ("uni-aug-0.45", {"corpora.train.p_augment": 0.45, "corpora.train.p_truncate": 0.15}),
    ],
)
def test_a_system_changes_its_config(system: str, expected: dict) -> None:
    overrides = training_overrides(SYSTEMS[system])
    assert expected.items() <= overrides.items()
    assert bool(expected) == bool(overrides)


@pytest.mark.parametrize("name", ["bos_eos", "trf"])
def test_uni_replaces_the_identifier_and_its_encoder(root: Path, tmp_path: Path, name: str) -> None:
    if name == "trf":
        pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
    filled = tmp_path / "config.cfg"
    training.fill_config(root / "configs" / f"identifier_{name}.cfg", filled, lang="en")
    config = Config().from_disk(filled)
    unidirectional.add_to_config(config)
    found = config["components"]["sentence_identifier"]
    assert found["factory"] == unidirectional.NAME
    assert found["model"]["@architectures"] == "studies.UnidirectionalTagger.v1"
    with pytest.raises(ValueError, match="omit"):
        unidirectional.add_to_config(config)


@pytest.mark.parametrize("name", ["bos_eos", "study", "clean", ""])
def test_configs_differ_from_the_default_as_their_names_say(root: Path, name: str) -> None:
    folder = root / "studies/configs" if name == "study" else root / "configs"
    config = load_config(folder / f"identifier{'_' * bool(name)}{name}.cfg")
    block = config["components"]["sentence_identifier"]
    assert block["pretrained"] is None
    train, dev = config["corpora"]["train"], config["corpora"]["dev"]
    has_noise = [corpus.get("p_synthetic_nsu", 0) > 0 for corpus in (train, dev)]
    assert has_noise == [name == "clean"] * 2
    schedule = config["training"]["optimizer"]["learn_rate"]
    assert schedule["total_steps"] == config["training"]["max_steps"]


def test_every_system_has_runs_and_a_row(study: runs.Study) -> None:
    """Check the seeds of our systems and of those in the paper's Tables 5, 7, 8, 9 and 13."""
    domains = (study.domains[0]._replace(n_seeds=3), study.domains[1])
    jobs = runs.list_jobs(replace(study, domains=domains))
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    assert len({job.name for job in jobs}) == len(jobs)
    trained = Counter((job.spec.domain.name, job.spec.system) for job in jobs)
    assert trained == {
        (domain.name, name): domain.n_seeds
        for domain in domains
        for name, system in SYSTEMS.items()
        if domain.name in system.domains and not system.augmented
    }
    of_paper = {"eos", "eos-aug", "bos-eos", "uni", "uni-aug"}
    rates = {"uni-aug-0.15", "uni-aug-0.45"}
    assert {name for domain, name in trained if domain == IN_DOMAIN} >= of_paper
    assert {name for domain, name in trained if domain == SEGMENTATION} >= of_paper | rates
    lines = {
        (line.setting["trained"], line.system)
        for table in tables.list_tables()
        for line in table.lines
    }
    assert lines >= {(domain, row) for domain, name in trained for row in SYSTEMS[name].rows}
    augmented = runs.list_jobs(
        replace(study, domains=(study.domains[0]._replace(augmented=study.out),))
    )
    assert "ours-augmented" in {job.spec.system for job in augmented}


def test_the_ablation_ends_near_the_papers_system(study: runs.Study) -> None:
    """Check that each step changes a setting, and that the last nearly equals BOS&EOS.

    They differ only in line features, decode weights and number of updates.
    """
    steps = [system.changes for system in STEPS.values()]
    assert all(before.items() < after.items() for before, after in pairwise(steps))
    settings = []
    for n, path in enumerate((study.domains[0].ours, study.paper_config)):
        filled = study.out / f"{n}.cfg"
        training.fill_config(path, filled, lang="en")
        values = walk_dict(Config().from_disk(filled))
        settings.append({".".join(name): value for name, value in values})
    ours, paper = settings
    ours |= steps[-1]
    differ = {name for name in {**ours, **paper} if ours.get(name) != paper.get(name)}
    assert {name.split(".")[-1] for name in differ if "decode_weights" not in name} == {
        "line_features", "max_steps",
    }  # fmt: skip


@pytest.mark.parametrize(("system", "max_steps", "frequency"), [("bos-eos", 2, 1), ("ours", 6, 2)])
def test_every_system_is_scored_within_its_steps(
    study: runs.Study, monkeypatch: pytest.MonkeyPatch, system: str, max_steps: int, frequency: int
) -> None:
    shorter = replace(study, overrides={"training.max_steps": max_steps})
    options = train_options(shorter, monkeypatch)
    assert options[system]["--training.eval_frequency"] == str(frequency)


def test_the_layout_applies_to_training_and_dev_texts(
    study: runs.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    for layout, expected in (("space", None), ("none", '{"none": 1.0}')):
        for options in train_options(replace(study, layout=layout), monkeypatch).values():
            found = {options.get(f"--corpora.{corpus}.layouts") for corpus in ("train", "dev")}
            assert found == {expected}


def test_steps_default_to_those_of_the_config(
    study: runs.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains = tuple(domain._replace(max_steps=None) for domain in study.domains)
    options = train_options(replace(study, domains=domains), monkeypatch)["bos-eos"]
    steps = load_config(study.paper_config)["training"]["max_steps"]
    assert options["--training.max_steps"] == str(steps)
    assert options["--training.eval_frequency"] == "500"


def test_a_training_without_an_end_is_refused(
    study: runs.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains = tuple(domain._replace(max_steps=0) for domain in study.domains)
    with pytest.raises(ValueError, match=r"max_steps.*patience"):
        train_options(replace(study, domains=domains), monkeypatch)


def train_options(study: runs.Study, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Get the options of `spacy train` for each system, without training."""
    options: dict[str, dict[str, str]] = {}
    run_spacy = runs.training.run_spacy

    def run(command, log, *, threads):
        if command[0] != "train":
            run_spacy(command, log, threads=threads)
            return
        words = [word.split("=", 1) for word in command[3:] if "=" in str(word)]
        options[job.spec.system] = dict(words)

    monkeypatch.setattr(runs.training, "run_spacy", run)
    for name in ("bos-eos", "ours"):
        job = runs.Job(name, 0, runs.Spec(study.domains[0], name))
        runs.train_system(study, job, study.out / name)
    return options


def test_a_changed_treebank_is_converted_again(sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "treebank"
    copytree(sample, folder)

    def prepare() -> runs.Domain:
        return runs.prepare_domain(
            tmp_path / "study", IN_DOMAIN, folder, all_su=False, max_steps=2, ours=Path("x.cfg"),
            lang="en", segmenters=["sentencizer"], n_seeds=1,
        )  # fmt: skip

    first, again = prepare(), prepare()
    assert first.folder == again.folder
    (train,) = folder.glob("*train.conllu")
    blocks = train.read_text(encoding="utf8").split("\n\n")
    train.write_text("\n\n".join(blocks[:3]) + "\n\n", encoding="utf8")
    changed = prepare()
    assert changed.folder != first.folder
    assert (changed.folder / "train.spacy").stat().st_size < (
        first.folder / "train.spacy"
    ).stat().st_size


def test_a_missing_segmenter_is_reported_before_training(sample: Path, tmp_path: Path) -> None:
    command = [
        "identifier",
        str(sample),
        "--segmenter",
        "no_such",
        "--out",
        str(tmp_path / "study"),
    ]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "no_such" in done.output


def test_an_encoder_for_a_config_without_one_is_refused(
    root: Path, sample: Path, tmp_path: Path
) -> None:
    command = [
        "identifier",
        str(sample),
        "--encoder",
        "roberta-base",
        "--out",
        str(tmp_path / "study"),
    ]
    command += ["--config", str(root / "configs/identifier_bos_eos.cfg")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "transformer" in " ".join(done.output.split())


def test_a_local_encoder_is_identified_by_its_content(study: runs.Study, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "tiny"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    with_encoder = replace(study, overrides={"components.transformer.model.name": str(folder)})
    before = runs.make_plan(with_encoder).settings["overrides"]
    assert str(tmp_path) not in str(before)
    assert "models/tiny (" in str(before)
    (folder / "config.json").write_text("{ }")
    assert runs.make_plan(with_encoder).settings["overrides"] != before


def test_the_results_say_how_the_numbers_were_made(study: runs.Study) -> None:
    setting = runs.Setting(segmenter="sentencizer")
    domains = (study.domains[0]._replace(settings=(setting,)), study.domains[1])
    text = write_tables(replace(study, domains=domains), [])
    assert "in-domain 2, segmentation-only 2" in text
    assert "sentencizer segments each document first" in text


def test_a_second_segmenter_has_its_own_columns(study: runs.Study) -> None:
    settings = tuple(runs.Setting(segmenter=name) for name in runs.SEGMENTERS)
    assert list(runs.name_texts(settings)) == ["postprocess", "postprocess, rule_sentencizer"]
    domains = (study.domains[0]._replace(settings=settings), study.domains[1])
    rows = [
        Row("ours", 0, {"trained": IN_DOMAIN, "test": IN_DOMAIN, "texts": name}, "spans_su_f", 0.5)
        for name in runs.name_texts(settings)
    ]
    text = write_tables(replace(study, domains=domains), rows)
    assert "postprocess, rule_sentencizer: span" in text


@pytest.mark.slow
def test_a_training_that_fails_shows_the_end_of_its_log(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"train\.log"):
        runs.training.run_spacy(["no_such_command"], tmp_path / "train.log", threads=1)


def test_tables_have_the_papers_rows_in_order(study: runs.Study) -> None:
    rows = [
        row
        for value in (0.5, 0.6)
        for domain in (IN_DOMAIN, SEGMENTATION)
        for system in SYSTEMS
        for row in result_rows(domain, system, value)
    ]
    text = write_tables(study, rows)
    titles = [line for line in text.splitlines() if line.startswith("##")]
    for title, table in zip(titles, ("5", "7", "8", "9", "9", "13", None), strict=True):
        assert title.endswith(f"Table {table})" if table else "(word level)")
    first = [line for line in text.split("## ")[1].splitlines()[4:] if line]
    found = [line.split(" | ")[:2] for line in first]
    assert [row[1] for row in found[:8]] == [
        "EOS-Only", "EOS-Only (force last)", "EOS-Only (+AUG)", "EOS-Only (+AUG, force last)",
        "BOS&EOS", "BOS&EOS (+UNI)", "BOS&EOS (+UNI +AUG)", "ours",
    ]  # fmt: skip
    assert [row[0] for row in found] == ["| in-domain"] * 8 + ["| segmentation-only"] * 9
    assert first[0].count("55.0±7.1") == 9
    rates = text.split("(word level; as Table 9)")[1].split("##")[0]
    assert [line.split(" | ")[1] for line in rates.splitlines()[4:] if line] == [
        "p_DA = 0.15, p_TR = 0.05", "p_DA = 0.3, p_TR = 0.1", "p_DA = 0.45, p_TR = 0.15",
    ]  # fmt: skip


def test_tables_and_rows_without_runs_are_omitted(study: runs.Study) -> None:
    text = write_tables(study, result_rows(IN_DOMAIN, "ours", 0.5))
    assert "Table 9" not in text
    assert "| BOS&EOS |" not in text


def test_the_chart_of_lambda_covers_0_to_1(study: runs.Study) -> None:
    rows = result_rows(SEGMENTATION, "uni-aug", 0.5)
    results = tables.make_results(runs.make_plan(study).to_dict(), rows)
    _, chart = [table for table in results.tables if table.show == "lines"]
    assert [float(line.labels[0]) for line in chart.lines] == list(UNIDIRECTIONAL_WEIGHTS)
    assert all(results.summarize(line, chart.columns[0]) for line in chart.lines)


def test_a_missing_config_is_named(
    root: Path, sample: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["identifier", str(sample), "--config", str(root / "configs/identifier_bos_eos.cfg")]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "--ours" in " ".join(done.output.split())


def test_an_unknown_system_is_refused(sample: Path, tmp_path: Path) -> None:
    command = ["identifier", str(sample), "--systems", "ours,theirs", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert "theirs" in done.output


@pytest.mark.slow
def test_a_study_of_the_sample_runs_and_resumes(root: Path, sample: Path, tmp_path: Path) -> None:
    config, out = str(root / "configs/identifier_bos_eos.cfg"), tmp_path / "study-2.8"
    command = [
        "identifier", str(sample), "--segmentation", str(sample), "--out", str(out), "--seeds", "1",
        "--systems", "eos,uni-aug", "--max-steps", "2", "--segmentation-steps", "2",
        "--config", config, "--ours", config, "--ours-segmentation", config,
    ]  # fmt: skip
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    written = {path: path.stat().st_mtime_ns for path in (out / "runs").iterdir()}
    assert len(written) == 4
    assert (tmp_path / "study-2.8.svg").exists()
    removed = next(iter(written))
    removed.unlink()
    again = CliRunner().invoke(app, command)
    assert again.exit_code == 0
    for path, time in written.items():
        assert (path.stat().st_mtime_ns != time) == (path == removed)
    # The same seed gives the same numbers.
    assert "EOS-Only" in done.stdout
    assert again.stdout == done.stdout


@pytest.mark.slow
def test_other_languages_have_their_splits_and_their_rows(
    root: Path, sample: Path, tmp_path: Path
) -> None:
    parts = {split: [{"file": f"{split}.conllu"}] for split in ("train", "dev", "test")}
    for split in parts:
        (tmp_path / f"{split}.conllu").write_bytes((sample / f"{split}.conllu").read_bytes())
    (tmp_path / languages.SPLITS_FILE).write_text(json.dumps({"fr": parts}))
    (treebank,) = languages.find_treebanks(tmp_path, ["fr"])
    study = languages.make_study(
        treebank,
        tmp_path / "out",
        seeds=1,
        steps=2,
        config=root / "configs/identifier_bos_eos.cfg",
        ours=root / "studies/configs/identifier_study.cfg",
        threads=None,
    )
    assert [setting.name for setting in study.domains[0].settings] == list(languages.TEXTS)
    assert len(runs.list_jobs(study)) == len(languages.SYSTEM_NAMES)
    rows = [
        row._replace(setting={**row.setting, "lang": "fr"})
        for row in result_rows(IN_DOMAIN, "eos", 0.5)
    ]
    heads = {"fr": languages.describe_language(study)}
    text = format_markdown(languages.make_results({"fr": runs.make_plan(study)}, heads, rows))
    assert "| fr | Sequoia | 301 / 80 |" in text
    assert "| EOS-Only | 1 | 50.0 |" in text


def test_noun_phrases_are_inserted_between_units(sample: Path, tmp_path: Path) -> None:
    files = {split: [sample / f"{split}.conllu"] for split in ("train", "dev")}
    folder = convert_augmented(files, tmp_path, spacy.blank("en"))
    text = (folder / "train.conllu").read_text(encoding="utf8")
    ids = [line.split(" = ")[1] for line in text.splitlines() if line.startswith("# sent_id")]
    is_phrase = [re.search(r"-np\d+$", name) is not None for name in ids]
    assert sum(is_phrase) == 60  # 20 % of 301 units
    assert not all(is_phrase[-10:])
    units = [name.removesuffix("-nopunct") for name in ids if "-np" not in name]
    before = (sample / "train.conllu").read_text(encoding="utf8")
    assert units == [line.split(" = ")[1] for line in before.splitlines() if "# sent_id" in line]
    assert (folder / "dev.spacy").exists()
