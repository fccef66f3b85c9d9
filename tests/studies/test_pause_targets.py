"""Target data of the pause study: training and held-out data, and the selected pauses."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny_pauses import make_study

from spacy_sentid.word_segmenter.speech.pauses import PauseRecord
from studies.pauses import plans, targets
from studies.pauses.systems import SYSTEMS

RECORD = PauseRecord("a", list("今天有雨别出门"), [0, 40, 0, 300, 90, 0], text="今天，有雨别出门。")
PROBS = np.array([0.05, 0.5, 0.3, 0.95, 0.1, 0.9])


@pytest.fixture
def study(tmp_path: Path, root: Path) -> plans.Study:
    return make_study(tmp_path, root)


@pytest.mark.parametrize(
    ("system", "gaps"),
    [("self-training", []), ("no-filter", [1, 3, 4]), ("p0.1", [1, 3, 4]), ("p0.5", [1, 3]),
     ("p0.9", [3]), ("duration50", [3, 4]), ("partial-p0.5", [1, 3]),
     ("partial-no-filter", [1, 3, 4]), ("punctuation", [1]), ("pauses+punctuation", [1, 3]),
     ("p0.1-0.5", [4]), ("p0.1-0.5-self", []), ("p0.5-0.9", [1]), ("p0.5-0.9-self", [])],
)  # fmt: skip
def test_each_system_selects_its_pauses(system: str, gaps: list[int]) -> None:
    assert targets.find_boundaries(SYSTEMS[system], RECORD, PROBS) == gaps


@pytest.mark.parametrize("system", ["p0.1-0.5", "p0.1-0.5-self", "p0.5-0.9", "p0.5-0.9-self"])
def test_table_4_skips_sentences_without_a_pause_in_the_interval(system: str) -> None:
    sure = np.array([0.0, 0.95, 0.3, 0.9, 0.05, 0.9])
    assert targets.find_boundaries(SYSTEMS[system], RECORD, sure) is None


@pytest.mark.parametrize(
    ("text", "offsets", "gaps"),
    [("今天，有雨别出门。", None, [1]), ("今天有“雨”别 出门", None, [2, 3]), (None, None, None),
     ("今天没有雨", None, None),
     ("今天有雨！别出门", [(0, 1), (1, 2), (2, 3), (3, 4), (5, 6), (6, 7), (7, 8)], [3])],
)  # fmt: skip
def test_gaps_of_punctuation_are_found(text: str, offsets: list, gaps: list[int]) -> None:
    record = RECORD._replace(text=text, offsets=offsets)
    assert targets.punctuation_gaps(record) == gaps


def test_held_out_sentences_are_never_trained_on(sample: Path) -> None:
    path = sample / "words" / "pauses.jsonl"
    train, held_out = targets.read_records(path)
    assert (len(train), len(held_out)) == (52, 9)
    assert not {r.text for r in train} & {r.text for r in held_out}
    assert targets.read_records(path).held_out == held_out


def test_halves_share_no_sentence_not_even_with_other_punctuation(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    lines = [f"{word} 好{mark}" for word in "天地人水火山" for mark in (" 。", " ！", "")]
    path.write_text("\n".join([*lines, "……"]), encoding="utf8")
    train, test = targets.read_simulation(path)
    spoken = {"".join(words).strip("。！…") for words in test}
    assert len(train) in (9, 12)  # without punctuation, which is not spoken
    assert all(len(words) == 2 for words in train)
    assert not {"".join(words) for words in train} & spoken
    assert len(train) + len(test) == 18 + (["……"] in test)


def test_simulated_pauses_have_the_requested_noise(study: plans.Study) -> None:
    simulation = targets.read_simulation(study.simulate["some"])
    target = targets.make_simulated_target(simulation, rate=0.3, noise=0.5, seed=1)
    assert target.gold_gaps is not None
    pauses = [
        (number, gap)
        for number, record in enumerate(target.records)
        for gap, pause in enumerate(record.pause_ms)
        if pause
    ]
    n_true = sum(gap in target.gold_gaps[number] for number, gap in pauses)
    assert len(pauses) == 2 * n_true > 0


def test_broken_data_raise_before_training(study: plans.Study) -> None:
    targets.check_data(study)
    with pytest.raises(ValueError, match="half"):
        targets.check_data(replace(study, simulate={"dev": study.target_dev}))
    with pytest.raises(ValueError, match="gaps"):
        targets.check_data(replace(study, noises=(0.95,)))
    study.pauses.write_text(
        '{"chars": ["好", "人"], "pause_ms": [20]}\n{"chars": ["走", "吧"], "pause_ms": [20]}\n'
        '{"chars": ["天", "地"], "pause_ms": [20]}\n{"chars": ["山", "水"], "pause_ms": [30]}\n'
    )
    targets.check_data(study)
    with pytest.raises(ValueError, match="'text'"):
        targets.check_data(replace(study, systems=("base", "punctuation")))
    study.pauses.write_text('{"chars": ["好", "人"], "pause_ms": [20]}\n')
    with pytest.raises(ValueError, match="pauses"):
        targets.check_data(study)
