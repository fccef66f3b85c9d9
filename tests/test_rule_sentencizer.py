"""The component `rule_sentencizer`: sentence starts, settings, saving, what others have set."""

from pathlib import Path

import numpy as np
import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example

from spacy_sentid.rule_sentencizer.segment import segment
from spacy_sentid.rule_sentencizer.token_starts import TextReader, find_token_starts

TEXT = "Dr. Wu left at 5 p.m. He paid $3.50. Nobody (not even I) knew."
SENTENCES = ["Dr. Wu left at 5 p.m.", "He paid $3.50.", "Nobody (not even I) knew."]


def make_nlp(code: str = "en", **config: object) -> Language:
    nlp = spacy.blank(code)
    nlp.add_pipe("rule_sentencizer", config=config)
    return nlp


def sentences(doc: Doc) -> list[str]:
    return [sent.text.strip() for sent in doc.sents]


def test_it_works_at_once() -> None:
    assert sentences(make_nlp()(TEXT)) == SENTENCES


@pytest.mark.parametrize("lang", ["de", "es", "fr", "it", "nl", "pt"])
def test_the_language_is_that_of_the_pipeline(lang: str) -> None:
    nlp = make_nlp(lang)
    assert nlp.get_pipe("rule_sentencizer").rules.lang == lang
    assert len(list(nlp("Xab xcd. Xef xgh.").sents)) == 2


def test_another_language_can_be_set() -> None:
    nlp = make_nlp("xx", lang="de")
    assert sentences(nlp("Am 3. Oktober war es. Er ging.")) == ["Am 3. Oktober war es.", "Er ging."]


def test_a_language_without_data_is_refused_with_the_valid_ones() -> None:
    with pytest.raises(ValueError, match="expected one of de, en, es, fr, it, nl, pt"):
        make_nlp("xx")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"strategy": "structure"}, ["Dr. Wu left at 5 p.m. He paid $3.50.", *SENTENCES[2:]]),
        ({"extra": {"others": ["knew", "Nobody"]}}, SENTENCES),
        ({"extra": {"titles": ["p.m"]}}, [" ".join(SENTENCES[:2]), SENTENCES[2]]),
    ],
)
def test_settings_reach_the_rules(config: dict[str, object], expected: list[str]) -> None:
    nlp = make_nlp(**config)
    assert sentences(nlp(TEXT)) == expected


def test_newlines_are_read_as_set() -> None:
    text = "one\ntwo\n\nthree"
    counts = [
        len(list(make_nlp(newline=newline)(text).sents))
        for newline in ("ignore", "blank-line", "break")
    ]
    assert counts == [1, 2, 3]


def test_every_token_has_an_answer() -> None:
    doc = make_nlp()(TEXT)
    assert doc.has_annotation("SENT_START", require_complete=True)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "a", "  Hi. There."])
def test_short_texts(text: str) -> None:
    doc = make_nlp()(text)
    assert doc.text == text
    assert "".join(sent.text_with_ws for sent in doc.sents) == text


@pytest.mark.parametrize(("overwrite", "expected"), [(False, [0, 1]), (True, [0, 3])])
def test_starts_that_were_set_stay_unless_overwritten(overwrite: bool, expected: list[int]) -> None:
    nlp = make_nlp(overwrite=overwrite)
    doc = nlp.make_doc("It rained. We left.")
    doc[1].is_sent_start, doc[3].is_sent_start = True, False
    doc = nlp.get_pipe("rule_sentencizer")(doc)
    assert [token.i for token in doc if token.is_sent_start] == expected


def test_pipe_and_processes_give_the_same() -> None:
    nlp = make_nlp()
    texts = [TEXT, "", "One. Two."] * 5
    expected = [sentences(nlp(text)) for text in texts]
    assert [sentences(doc) for doc in nlp.pipe(texts, batch_size=2)] == expected
    assert [sentences(doc) for doc in nlp.pipe(texts, n_process=2)] == expected


def test_starts_survive_a_docbin() -> None:
    nlp = make_nlp()
    docs = DocBin(docs=[nlp(TEXT)]).get_docs(spacy.blank("en").vocab)
    assert sentences(next(docs)) == SENTENCES


def train_examples(nlp: Language) -> list[Example]:
    texts = ["We saw abbr. in it. Our Bgm. Wu Li spoke. Then Bgm. Xu Ma left.", "All abbr. fine."]
    return [Example(nlp.make_doc(text), nlp.make_doc(text)) for text in texts]


def test_a_strategy_learns_of_the_examples_and_keeps_what_it_learned(tmp_path: Path) -> None:
    nlp = make_nlp(strategy="corpus")
    nlp.initialize(lambda: train_examples(nlp))
    text = "He saw abbr. Then Bgm. Li came. End."
    expected = ["He saw abbr. Then Bgm. Li came.", "End."]
    assert sentences(nlp(text)) == expected
    nlp.to_disk(tmp_path)
    assert sentences(spacy.load(tmp_path)(text)) == expected
    other = make_nlp(strategy="corpus").from_bytes(nlp.to_bytes())
    assert sentences(other(text)) == expected


def test_best_learns_of_a_file_if_told_to(tmp_path: Path) -> None:
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


def test_a_strategy_that_learned_nothing_says_so() -> None:
    with pytest.raises(ValueError, match="learned of a corpus"):
        make_nlp(strategy="lexicon")(TEXT)


def test_settings_are_in_the_config(tmp_path: Path) -> None:
    make_nlp(newline="break", extra={"titles": ["Bgm"]}).to_disk(tmp_path)
    loaded = spacy.load(tmp_path).get_pipe("rule_sentencizer")
    assert loaded.settings == {"strategy": "best", "newline": "break"}
    assert "Bgm" in loaded.rules.titles


def test_it_is_scored_as_sentence_recognizers_are() -> None:
    nlp = make_nlp()
    example = Example(nlp.make_doc(TEXT), nlp(TEXT))
    assert nlp.evaluate([example])["sents_f"] == 1.0


def test_the_first_stage_leaves_its_starts_to_the_identifier() -> None:
    nlp = make_nlp()
    nlp.add_pipe("sentence_identifier")
    assert sentences(nlp(TEXT)) == SENTENCES


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=50))
def test_starts_of_tokens_are_those_of_characters(text: str) -> None:
    nlp = make_nlp()
    doc = nlp(text)
    assert TextReader(doc.vocab.strings)(doc)[0] == text
    firsts = [start for start, _ in segment(text)]
    tokens = [token.idx for token in doc]
    expected = {min((idx for idx in tokens if idx >= first), default=-1) for first in firsts[1:]}
    found = {sent.start_char for sent in doc.sents} - {0}
    assert found == expected - {-1, 0}


def test_a_start_inside_a_token_moves_to_the_next() -> None:
    firsts = np.asarray([0, 2])
    assert find_token_starts(firsts, [1]).tolist() == [0, 1]
    assert find_token_starts(firsts, [3]).tolist() == [0]
    assert find_token_starts(firsts[:0], []).tolist() == []
