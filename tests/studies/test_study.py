"""The study: systems, runs that are not made twice, tables, the figure."""

import json
from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from spacy.util import load_config
from thinc.api import Config
from typer.testing import CliRunner

from studies.__main__ import app
from studies.identifier import plans, runs, tables
from studies.identifier.systems import (
    IN_DOMAIN,
    SEGMENTATION,
    SYSTEMS,
    UNIDIRECTIONAL_WEIGHTS,
    training_overrides,
)
from studies.identifier.tables import collect_scores, draw_unidirectional_weights, study_tables

SETTINGS = ("0.5", "0", "postprocess")
TRF = "spacy_sentid.UnitTransformer.v1"


def scores(value: float) -> dict[str, float]:
    names = [*tables.OVERALL.values(), *tables.LABELS.values()]
    return {prefix + name: value for prefix in ("", "char_") for name in names}


def result(domain: str, system: str, value: float) -> dict:
    rows = list(SYSTEMS[system].rows)
    if SYSTEMS[system].uni:
        rows += [runs.unidirectional_weight_row(rows[0], x) for x in UNIDIRECTIONAL_WEIGHTS]
    tested = {
        IN_DOMAIN: {row: {setting: scores(value) for setting in SETTINGS} for row in rows},
        SEGMENTATION: {row: {s: scores(value) for s in SETTINGS[:2]} for row in rows[:2]},
    }
    return {"domain": domain, "system": system, "seed": 0, "scores": tested}


@pytest.fixture
def plan(tmp_path: Path, root: Path) -> plans.Plan:
    domains = tuple(
        plans.Domain(name, tmp_path, 2, root / "configs/identifier_study.cfg", [], ())
        for name in (IN_DOMAIN, SEGMENTATION)
    )
    return plans.Plan(
        out=tmp_path,
        domains=domains,
        paper_config=root / "configs/identifier_bos_eos.cfg",
        systems=tuple(SYSTEMS),
        seeds=(0, 1),
    )


def short_config(transformer: bool = False) -> Config:
    encoder = {"@architectures": TRF, "unidirectional": False}
    components: dict = {"sentence_identifier": {"model": {"tok2vec": dict(encoder)}}}
    if transformer:
        components["transformer"] = {"model": encoder}
    return Config({"components": components})


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("bos-eos", {}),
        ("ours", {}),
        ("eos", {"components.sentence_identifier.loss_weights.bos": 0.0}),
        ("eos", {"components.sentence_identifier.decoder": "eos"}),
        ("uni", {"components.sentence_identifier.model.unidirectional": True}),
        ("uni", {"components.sentence_identifier.model.tok2vec.unidirectional": True}),
        ("eos-aug", {"corpora.train.p_augment": 0.3, "corpora.dev.p_truncate": 0.1}),
        ("eos-aug", {"corpora.dev.redraw": True}),
        ("uni-aug-0.45", {"corpora.train.p_augment": 0.45, "corpora.train.p_truncate": 0.15}),
    ],
)
def test_a_system_changes_its_config(system: str, expected: dict) -> None:
    overrides = training_overrides(SYSTEMS[system], short_config())
    assert expected.items() <= overrides.items()
    assert bool(expected) == bool(overrides)


def test_the_unidirectional_model_is_switched_on_in_a_transformer() -> None:
    overrides = training_overrides(SYSTEMS["uni"], short_config(transformer=True))
    assert overrides["components.transformer.model.unidirectional"] is True
    assert not any("tok2vec" in name for name in overrides)


def test_an_encoder_of_one_direction_is_refused() -> None:
    config = short_config()
    block = config["components"]["sentence_identifier"]["model"]["tok2vec"]
    del block["unidirectional"]
    with pytest.raises(ValueError, match="'unidirectional'"):
        training_overrides(SYSTEMS["uni"], config)


@pytest.mark.parametrize("name", ["bos_eos", "study", "clean", "cnn"])
def test_configs_differ_from_the_default_where_they_say_so(root: Path, name: str) -> None:
    config = load_config(root / f"configs/identifier_{name}.cfg")
    block = config["components"]["sentence_identifier"]
    assert block["pretrained"] is None
    train, dev = config["corpora"]["train"], config["corpora"]["dev"]
    has_noise = [corpus["p_synthetic_nsu"] > 0 for corpus in (train, dev)]
    assert has_noise == [name == "clean"] * 2
    schedule = config["training"]["optimizer"]["learn_rate"]
    assert schedule["total_steps"] == config["training"]["max_steps"]


def test_jobs_go_seed_by_seed_and_the_rates_are_for_clean_corpora_only(plan: plans.Plan) -> None:
    jobs = runs.list_jobs(plan)
    assert [job.seed for job in jobs] == sorted(job.seed for job in jobs)
    assert len({job.name for job in jobs}) == len(jobs) == 2 * (8 + 6)
    in_domain = {job.system for job in jobs if job.domain.name == IN_DOMAIN}
    assert in_domain == {"eos", "eos-aug", "bos-eos", "uni", "uni-aug", "ours"}


def test_a_run_that_is_there_is_not_made_again(
    plan: plans.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = runs.list_jobs(plan)
    for job in jobs[1:]:
        runs.result_path(plan, job).parent.mkdir(exist_ok=True)
        runs.result_path(plan, job).write_text(json.dumps(result(job.domain.name, job.system, 1)))
    asked = []

    def run_jobs(function, todo, *, jobs):
        asked.extend(job.name for job in todo)
        return iter(())

    monkeypatch.setattr(runs.training, "run_jobs", run_jobs)
    assert list(runs.run_jobs(plan, jobs=1)) == []
    assert asked == [jobs[0].name]
    assert len(runs.read_results(plan)) == len(jobs) - 1


def test_runs_of_another_study_are_not_mixed_in(plan: plans.Plan) -> None:
    job = runs.list_jobs(plan)[0]
    plans.check_plan(plan)
    # Nothing was made yet: what was wrong may be mended.
    plans.check_plan(replace(plan, lang="fr"))
    plans.check_plan(plan)
    runs.result_path(plan, job).parent.mkdir()
    runs.result_path(plan, job).write_text("{}")
    plans.check_plan(replace(plan, seeds=(0,), systems=("ours",)))
    longer = tuple(domain._replace(max_steps=9) for domain in plan.domains)
    for other, part in ((replace(plan, lang="fr"), "lang"), (replace(plan, domains=longer), "dom")):
        with pytest.raises(ValueError, match=part):
            plans.check_plan(other)
    (plan.out / "plan.json").unlink()
    with pytest.raises(ValueError, match=r"plan\.json"):
        plans.check_plan(plan)


@pytest.mark.parametrize(("system", "max_steps", "frequency"), [("bos-eos", 2, 1), ("ours", 6, 2)])
def test_every_system_is_scored_within_its_steps(
    plan: plans.Plan, monkeypatch: pytest.MonkeyPatch, system: str, max_steps: int, frequency: int
) -> None:
    options = train_options(replace(plan, overrides={"training.max_steps": max_steps}), monkeypatch)
    assert options[system]["--training.eval_frequency"] == str(frequency)


def test_the_steps_are_those_of_the_config_if_none_are_given(
    plan: plans.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains = tuple(domain._replace(max_steps=None) for domain in plan.domains)
    options = train_options(replace(plan, domains=domains), monkeypatch)["bos-eos"]
    steps = load_config(plan.paper_config)["training"]["max_steps"]
    assert options["--training.max_steps"] == str(steps)
    assert options["--training.eval_frequency"] == "500"


def test_a_training_without_an_end_is_refused(
    plan: plans.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    domains = tuple(domain._replace(max_steps=0) for domain in plan.domains)
    with pytest.raises(ValueError, match=r"max_steps.*patience"):
        train_options(replace(plan, domains=domains), monkeypatch)


def train_options(plan: plans.Plan, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict[str, str]]:
    """Get the options that `spacy train` is called with for each system, without a training."""
    options: dict[str, dict[str, str]] = {}
    run_spacy = runs.training.run_spacy

    def run(command, log, *, threads):
        if command[0] != "train":
            run_spacy(command, log, threads=threads)
            return
        words = [word.split("=", 1) for word in command[3:] if "=" in str(word)]
        options[job.system] = dict(words)

    monkeypatch.setattr(runs.training, "run_spacy", run)
    for name in ("bos-eos", "ours"):
        job = runs.Job(plan.domains[0], name, 0)
        runs.train_system(plan, job, plan.out / name)
    return options


def test_what_was_converted_from_another_treebank_is_not_used(sample: Path, tmp_path: Path) -> None:
    folder = tmp_path / "treebank"
    copytree(sample, folder)

    def prepare() -> plans.Domain:
        return plans.prepare_domain(
            tmp_path / "study", IN_DOMAIN, folder, all_su=False, max_steps=2, ours=Path("x.cfg"),
            lang="en", segmenter="sentencizer",
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


def test_a_missing_segmenter_is_noticed_before_any_training(sample: Path, tmp_path: Path) -> None:
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


def test_a_local_encoder_is_known_by_what_is_in_it(plan: plans.Plan, tmp_path: Path) -> None:
    folder = tmp_path / "models" / "tiny"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    with_encoder = replace(plan, overrides={"components.transformer.model.name": str(folder)})
    before = plans.describe_plan(with_encoder)["overrides"]
    assert str(tmp_path) not in str(before)
    assert "models/tiny (" in str(before)
    (folder / "config.json").write_text("{ }")
    assert plans.describe_plan(with_encoder)["overrides"] != before


def test_the_caption_says_how_the_numbers_were_made(plan: plans.Plan) -> None:
    setting = plans.Setting(segmenter="sentencizer")
    domains = (plan.domains[0]._replace(settings=(setting,)), plan.domains[1])
    text = tables.caption(plans.describe_plan(replace(plan, domains=domains)))
    assert "in-domain 2, segmentation-only 2" in text
    assert "sentencizer segments each document first" in text


def test_a_training_that_fails_shows_the_end_of_its_log(plan: plans.Plan) -> None:
    with pytest.raises(ValueError, match=r"train\.log"):
        runs.train_system(plan, runs.list_jobs(plan)[0], plan.out / "training")


def test_tables_have_the_papers_rows_in_order() -> None:
    results = [
        result(domain, system, value)
        for value in (0.5, 0.6)
        for domain in (IN_DOMAIN, SEGMENTATION)
        for system in SYSTEMS
    ]
    text = study_tables(collect_scores(results))
    titles = [line for line in text.splitlines() if line.startswith("##")]
    for title, table in zip(titles, ("5", "7", "8", "9", "9", "13"), strict=True):
        assert title.endswith(f"Table {table})")
    first = text.split("## ")[1].splitlines()[4:]
    rows = [line.split(" | ")[:2] for line in first if line]
    assert [row[1] for row in rows[:8]] == [
        "EOS-Only", "EOS-Only (force last)", "EOS-Only (+AUG)", "EOS-Only (+AUG, force last)",
        "BOS&EOS", "BOS&EOS (+UNI)", "BOS&EOS (+UNI +AUG)", "ours",
    ]  # fmt: skip
    assert [row[0] for row in rows] == ["| in-domain"] * 8 + ["| segmentation-only"] * 8
    assert first[0].count("55.0±7.1") == 9
    rates = text.split("(word level; as Table 9)")[1].split("##")[0]
    assert [line.split(" | ")[1] for line in rates.splitlines()[4:] if line] == [
        "p_DA = 0.15, p_TR = 0.05", "p_DA = 0.3, p_TR = 0.1", "p_DA = 0.45, p_TR = 0.15",
    ]  # fmt: skip


def test_what_has_no_runs_is_left_out() -> None:
    text = study_tables(collect_scores([result(IN_DOMAIN, "ours", 0.5)]))
    assert "Table 9" not in text
    assert "BOS&EOS" not in text
    assert study_tables(collect_scores([])) == ""


def test_the_figure_is_the_same_for_the_same_runs(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = collect_scores([result(SEGMENTATION, "uni-aug", value) for value in (0.5, 0.6)])
    for name in ("a.svg", "b.svg"):
        draw_unidirectional_weights(found, tmp_path / name)
    first = (tmp_path / "a.svg").read_text()
    assert first == (tmp_path / "b.svg").read_text()
    assert "lambda" in first
    with pytest.raises(ValueError, match="run"):
        draw_unidirectional_weights({}, tmp_path / "c.svg")


def test_a_config_that_is_not_there_is_told(
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
    assert "--systems has theirs" in done.output


@pytest.mark.slow
def test_a_study_of_the_sample_runs_and_resumes(root: Path, sample: Path, tmp_path: Path) -> None:
    config, out = str(root / "configs/identifier_bos_eos.cfg"), tmp_path / "study-2.8"
    command = [
        "study", str(sample), "--segmentation", str(sample), "--out", str(out), "--seeds", "1",
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
    # The same seed, the same numbers.
    assert "EOS-Only" in done.stdout
    assert again.stdout == done.stdout
