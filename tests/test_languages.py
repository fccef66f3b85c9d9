"""Other languages: the splits of the benchmark, the layout that the study trains with."""

from pathlib import Path
from types import ModuleType

import pytest

from spacy_sentid.treebank import read_treebank
from studies.identifier import plans, runs
from studies.identifier.systems import IN_DOMAIN


@pytest.fixture
def languages(root: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(root / "benchmarks")
    import languages

    return languages


def test_splits_are_cut_byte_for_byte(languages: ModuleType, sample: Path, tmp_path: Path) -> None:
    whole = {"file": "dev.conllu"}
    parts = {
        "train": [{**whole, "from": 0, "to": 80}, {"file": "test.conllu"}],
        "dev": [{**whole, "from": 80, "to": 85}],
        "test": [whole],
    }
    sizes = languages.cut_splits(sample, parts, tmp_path)
    counts = {split: len(list(read_treebank(tmp_path / f"{split}.conllu"))) for split in parts}
    assert sizes == counts
    assert (sizes["dev"], sizes["test"]) == (5, 85)
    dev = (sample / "dev.conllu").read_bytes()
    assert (tmp_path / "test.conllu").read_bytes().rstrip() == dev.rstrip()
    assert dev.startswith((tmp_path / "train.conllu").read_bytes()[:5000])


def test_every_chinese_unit_is_in_one_split(languages: ModuleType) -> None:
    parts = [part for parts in languages.ZH_SPLITS.values() for part in parts]
    taken = sorted(i for part in parts for i in range(part["from"], part["to"]))
    assert taken == list(range(len(taken)))
    assert len(taken) >= 2295


@pytest.mark.parametrize("layout", ["space", "none"])
def test_a_layout_is_that_of_the_texts_to_train_on(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    options: list[str] = []

    def run_spacy(command: list, log: Path, *, threads: int | None) -> None:
        if command[0] == "init":
            command[3].write_text(command[2].read_text())
        else:
            options.extend(map(str, command))

    monkeypatch.setattr(runs.training, "run_spacy", run_spacy)
    ours = root / "studies/configs/identifier_study.cfg"
    plan = plans.Plan(
        out=tmp_path,
        domains=(plans.Domain(IN_DOMAIN, tmp_path, 2, ours, [], ()),),
        paper_config=root / "configs/identifier_bos_eos.cfg",
        systems=("bos-eos", "ours"),
        seeds=(0,),
        layout=layout,
    )
    for job in runs.list_jobs(plan):
        runs.train_system(plan, job, tmp_path / "training")
    found = [option for option in options if "layouts" in option]
    expected = [f'--corpora.{corpus}.layouts={{"none": 1.0}}' for corpus in ("train", "dev")]
    assert found == ([] if layout == "space" else expected * 2)
