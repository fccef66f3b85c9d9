"""The component `rule_sentencizer`: learning and saving."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid.rule_sentencizer.strategies import Learned

TEXT = "Dr. Wu left at 5 p.m. He paid $3.50. Nobody (not even I) knew."


def make_nlp(code: str = "en", **config: object) -> Language:
    nlp = spacy.blank(code)
    nlp.add_pipe("rule_sentencizer", config=config)
    return nlp


def sentences(doc: Doc) -> list[str]:
    return [sent.text.strip() for sent in doc.sents]


def test_a_strategy_learns_from_a_corpus_and_saves_it(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(
        "We saw abbr. in it. Our Bgm. Wu Li spoke. Then Bgm. Xu Ma left. All abbr. fine."
    )
    nlp = initialize(make_nlp(strategy="corpus"), corpus=str(corpus))
    text = "He saw abbr. Then Bgm. Li came. End."
    expected = ["He saw abbr. Then Bgm. Li came.", "End."]
    assert sentences(nlp(text)) == expected
    nlp.to_disk(tmp_path / "nlp")
    assert sentences(spacy.load(tmp_path / "nlp")(text)) == expected
    other = make_nlp(strategy="corpus").from_bytes(nlp.to_bytes())
    assert sentences(other(text)) == expected


def test_best_can_learn_from_a_file(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("We saw abbr. in it. All abbr. fine.", encoding="utf8")
    nlp = make_nlp()
    text = "They got abbr. Smith left."
    assert len(list(nlp(text).sents)) == 2
    nlp.config["initialize"]["components"]["rule_sentencizer"] = {"corpus": str(corpus)}
    nlp.initialize()
    assert len(list(nlp(text).sents)) == 1


def test_a_corpus_without_words_is_refused(tmp_path: Path) -> None:
    corpus = tmp_path / "empty.txt"
    corpus.write_text("\n", encoding="utf8")
    nlp = make_nlp()
    nlp.config["initialize"]["components"]["rule_sentencizer"] = {"corpus": str(corpus)}
    with pytest.raises(ValueError, match="words"):
        nlp.initialize()


@pytest.mark.parametrize("text", [TEXT, "no period", ""])
def test_a_strategy_without_learned_data_raises(text: str) -> None:
    nlp = make_nlp(strategy="corpus")
    with pytest.raises(ValueError, match=r"initialize.components.rule_"):
        nlp(text)


def test_a_strategy_that_needs_a_corpus_is_not_initialized_without_one() -> None:
    nlp = make_nlp(strategy="corpus")
    with pytest.raises(ValueError, match=r"initialize.components.rule_"):
        nlp.initialize()


def initialize(nlp: Language, **settings: object) -> Language:
    nlp.config["initialize"]["components"]["rule_sentencizer"] = settings
    nlp.initialize()
    return nlp


def test_settings_of_learn_are_passed(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("Got abbr. in it. " * 9 + "An abbr here. Once rar. it was.", encoding="utf8")
    found = [
        initialize(make_nlp(), corpus=str(corpus), **given).get_pipe("rule_sentencizer").learned
        for given in ({}, {"tolerance": 0.2}, {"tolerance": 0.2, "min_count": 2})
    ]
    assert [sorted(learned.likely) for learned in found] == [["rar"], ["abbr", "rar"], ["abbr"]]


def test_the_output_of_the_command_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / "learned.json"
    learned = {"likely": ["abbr"]}
    path.write_text(json.dumps({"learned": learned}), encoding="utf8")
    nlp = initialize(make_nlp(strategy="corpus"), learned=str(path))
    assert sentences(nlp("An abbr. Smith left. He did.")) == ["An abbr. Smith left.", "He did."]


@pytest.mark.parametrize("content", ["[]", "{}", '{"learned": 3}', "not JSON"])
def test_another_file_is_not_learned_data(tmp_path: Path, content: str) -> None:
    path = tmp_path / "learned.json"
    path.write_text(content, encoding="utf8")
    with pytest.raises(ValueError, match=r"learned\.json"):
        initialize(make_nlp(), learned=str(path))


def test_a_corpus_and_learned_data_exclude_each_other() -> None:
    with pytest.raises(ValueError, match=r"'corpus'.*'learned'"):
        initialize(make_nlp(), corpus="a", learned="b")


@pytest.mark.parametrize(
    ("strategy", "names"),
    [
        ("best", {"likely", "titles"}),
        ("corpus", {"likely", "titles"}),
        ("structure", set()),
    ],
)
def test_only_data_of_the_strategy_is_saved(tmp_path: Path, strategy: str, names: set[str]) -> None:
    nlp = make_nlp(strategy=strategy)
    words = {name: frozenset(["word"]) for name in Learned._fields}
    nlp.get_pipe("rule_sentencizer").set_learned(Learned(**words))
    nlp.to_disk(tmp_path)
    state = json.loads((tmp_path / "rule_sentencizer" / "cfg").read_text(encoding="utf8"))
    assert set(state["learned"] or {}) == names
    loaded = spacy.load(tmp_path).get_pipe("rule_sentencizer")
    assert loaded.learned == nlp.get_pipe("rule_sentencizer").learned


def test_a_file_of_rules_is_not_needed_after_saving(tmp_path: Path) -> None:
    extra, text = tmp_path / "extra.json", "See Bgm. Li. He came."
    extra.write_text('{"titles": ["Bgm"]}', encoding="utf8")
    nlp = make_nlp("sv", extra=str(extra))
    nlp.to_disk(tmp_path / "nlp")
    extra.unlink()
    loaded = spacy.load(tmp_path / "nlp")
    assert loaded.get_pipe("rule_sentencizer").rules == nlp.get_pipe("rule_sentencizer").rules
    assert sentences(loaded(text)) == sentences(nlp(text)) == ["See Bgm. Li.", "He came."]
    other = make_nlp("sv", extra=str(extra))
    with pytest.raises(ValueError, match=r"extra\.json"):
        other(text)
    assert sentences(other.from_bytes(nlp.to_bytes())(text)) == ["See Bgm. Li.", "He came."]


@pytest.mark.parametrize("lang", ["de", "sv"])
def test_a_sourced_component_keeps_its_rules(tmp_path: Path, lang: str) -> None:
    nlp, source = spacy.blank(lang), make_nlp("en")
    nlp.add_pipe("rule_sentencizer", source=source)
    nlp.to_disk(tmp_path)
    rules = source.get_pipe("rule_sentencizer").rules
    assert nlp.get_pipe("rule_sentencizer").rules == rules
    assert spacy.load(tmp_path).get_pipe("rule_sentencizer").rules == rules


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"strategy": "guess"}, "strategy"),
        ({"newline": "never"}, "newline"),
        ({"extra": {"titels": ["Bgm"]}}, "titels"),
    ],
)
def test_wrong_settings_are_reported_at_once(config: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make_nlp(**config)


def test_settings_are_in_the_config(tmp_path: Path) -> None:
    make_nlp(newline="break", extra={"titles": ["Bgm"]}).to_disk(tmp_path)
    loaded = spacy.load(tmp_path).get_pipe("rule_sentencizer")
    assert (loaded.cfg["strategy"], loaded.cfg["newline"]) == ("best", "break")
    assert "Bgm" in loaded.rules.titles


def test_settings_can_be_changed_and_are_saved(tmp_path: Path) -> None:
    nlp = make_nlp()
    text = "One\ntwo. See Brigad. Li."
    assert len(list(nlp(text).sents)) == 3
    component = nlp.get_pipe("rule_sentencizer")
    component.cfg["newline"] = "break"
    component.cfg["extra"] = {"titles": ["Brigad"]}
    expected = ["One", "two.", "See Brigad. Li."]
    assert sentences(nlp(text)) == expected
    nlp.to_disk(tmp_path)
    assert sentences(spacy.load(tmp_path)(text)) == expected
    with pytest.raises(ValueError, match="newline"):
        component.cfg["newline"] = "never"
    component.cfg["strategy"] = "corpus"
    with pytest.raises(ValueError, match="must learn from a corpus"):
        nlp(text)


def test_a_config_that_names_other_data_wins_over_saved_rules(tmp_path: Path) -> None:
    make_nlp(extra=["Bgm"]).to_disk(tmp_path)
    overrides = {"components.rule_sentencizer.extra": ["Zgm"]}
    loaded = spacy.load(tmp_path, config=overrides).get_pipe("rule_sentencizer")
    assert "Zgm" in loaded.rules.others
    assert "Bgm" not in loaded.rules.others
