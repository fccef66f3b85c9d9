"""Settings of our components are checked whenever they change."""

import pickle
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import spacy
import tiny
import tiny_pairs
from spacy.language import Language


def blank_rules() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("rule_sentencizer")
    return nlp


CASES: list[tuple[Callable[..., Language], str, str, Any]] = [
    (tiny.blank, "sentence_identifier", "threshold", 1.1),
    (tiny.blank, "sentence_identifier", "max_length", 0),
    (tiny_pairs.blank, "paraphrase_tagger", "smoothing", 0.5),
    (tiny_pairs.blank, "paraphrase_tagger", "extend", "high"),
    (tiny_pairs.blank, "paraphrase_tagger", "key", 3),
    (tiny.blank, "sentence_identifier", "su_key", 3),
    (tiny.blank, "sentence_identifier", "nsu_key", ""),
    (tiny.blank, "sentence_identifier", "decode_weights", 3),
    (tiny.blank, "sentence_identifier", "loss_weights", {"dep": "high"}),
    (tiny.blank, "sentence_identifier", "never_split", "St. John"),
    (blank_rules, "rule_sentencizer", "abbreviations", [""]),
    (blank_rules, "rule_sentencizer", "overwrite", []),
    (blank_rules, "rule_sentencizer", "lang", 3),
    (blank_rules, "rule_sentencizer", "extra", 3),
]


def cfg_of(nlp: Language, name: str) -> Any:
    return nlp.get_pipe(name).cfg  # type: ignore[attr-defined]


@pytest.mark.parametrize(("blank", "name", "key", "value"), CASES)
def test_an_assignment_is_checked(
    blank: Callable[[], Language], name: str, key: str, value: Any
) -> None:
    cfg = cfg_of(blank(), name)
    before = dict(cfg)
    with pytest.raises(ValueError, match=f"'{key}'.* '{name}'"):
        cfg[key] = value
    with pytest.raises(ValueError, match=key):
        cfg.update({key: value})
    with pytest.raises(ValueError, match=key):
        cfg |= {key: value}
    assert dict(cfg) == before


@pytest.mark.parametrize(("blank", "name", "key", "value"), CASES[:3])
def test_saved_and_configured_settings_are_checked(
    blank: Callable[[], Language], name: str, key: str, value: Any, tmp_path: Path
) -> None:
    nlp = blank()
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match=key):
        spacy.load(tmp_path, config={f"components.{name}.{key}": value})
    dict.__setitem__(cfg_of(nlp, name), key, value)  # as if somebody had edited the file
    nlp.to_disk(tmp_path)
    with pytest.raises(ValueError, match=key):
        spacy.load(tmp_path)
    with pytest.raises(ValueError, match=key):
        blank().from_bytes(nlp.to_bytes())


def test_all_settings_can_be_replaced_at_once_if_they_are_valid() -> None:
    pipe = tiny.pipe_of(tiny.blank())
    pipe.cfg = {**pipe.cfg, "threshold": 0.5}
    assert pipe.cfg["threshold"] == 0.5
    with pytest.raises(ValueError, match="threshold"):
        pipe.cfg = {**pipe.cfg, "threshold": 2}


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ValueError, match=r"one of .*'threshold'.*got 'treshold'"):
        tiny.pipe_of(tiny.blank()).cfg["treshold"] = 0.5


def test_a_block_of_settings_keeps_its_keys() -> None:
    cfg = tiny.pipe_of(tiny.blank()).cfg
    cfg["loss_weights"]["dep"] = 0.125
    assert cfg["loss_weights"]["dep"] == 0.125
    with pytest.raises(ValueError, match="must be one of"):
        cfg["loss_weights"]["deps"] = 1


@pytest.mark.parametrize("copy", [deepcopy, lambda cfg: pickle.loads(pickle.dumps(cfg))])
def test_copies_are_checked_too(copy: Callable[[Any], Any]) -> None:
    cfg = copy(tiny.pipe_of(tiny.blank()).cfg)
    assert cfg == tiny.pipe_of(tiny.blank()).cfg
    with pytest.raises(ValueError, match="threshold"):
        cfg["threshold"] = 1.1


def test_a_component_shows_its_settings() -> None:
    shown = repr(blank_rules().get_pipe("rule_sentencizer"))
    assert shown.startswith("RuleSentencizer(strategy='best', newline='blank-line'")
