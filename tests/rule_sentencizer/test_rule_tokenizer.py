"""The rule tokenizer: unchanged text, white space as in spaCy, kinds, settings, saving."""

from pathlib import Path
from typing import Any

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import DEFAULT_CONFIG, Language
from spacy.matcher import Matcher
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, DocBin, Token
from spacy.training import Example
from spacy.training.initialize import init_nlp
from spacy.training.loop import train
from thinc.api import Config

from spacy_sentid.rule_sentencizer.tokenizer import RuleTokenizer

NAME = "spacy_sentid.RuleTokenizer.v1"
TEXT = "Mr. Li's aide saw Al Bo  pay $3.5 for AT&T.\n"
WORDS = ["Mr.", "Li's", "aide", "saw", "Al", "Bo", " ", "pay", "$3.5", "for", "AT&T", ".", "\n"]


def blank(code: str = "en", **changes: Any) -> Language:
    return spacy.blank(code, config={"nlp": {"tokenizer": {"@tokenizers": NAME, **changes}}})


def words_of(doc: Doc) -> list[str]:
    return [token.text for token in doc]


def kinds_of(doc: Doc) -> list[str]:
    return [token._.kind for token in doc]


KINDS = [
    "abbreviation", "word", "word", "word", "word", "word", "space", "word", "money", "word",
    "acronym", "punctuation", "space",
]  # fmt: skip


def test_tokens_have_kinds() -> None:
    doc = blank()(TEXT)
    assert words_of(doc) == WORDS
    assert kinds_of(doc) == KINDS
    assert doc.text == TEXT


def test_settings_reach_the_tokenizer() -> None:
    doc = blank(clitics="split", names="join", extra=["Bgm"])("Today Bgm. Al Bo's aide left.")
    assert words_of(doc) == ["Today", "Bgm. Al Bo", "'s", "aide", "left", "."]
    assert kinds_of(doc)[:3] == ["word", "name", "clitic"]
    assert words_of(blank("en", lang="fr")("123 456,78")) == ["123 456,78"]
    assert words_of(blank("fr")("123 456,78")) == ["123 456,78"]
    assert words_of(blank("en")("123 456,78")) == ["123", "456,78"]


@pytest.mark.parametrize(
    "extra", [["Bgm"], {"others": ["Bgm"]}, "FILE"], ids=["list", "mapping", "file"]
)
def test_words_are_added_as_a_list_or_data_or_a_file(extra: Any, tmp_path: Path) -> None:
    if extra == "FILE":
        extra = str(tmp_path / "extra.json")
        Path(extra).write_text('{"others": ["Bgm"]}')
    assert words_of(blank(extra=extra)("Bgm. Li")) == ["Bgm.", "Li"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"lang": "tlh"}, "en.*fr.*'tlh'"),
        ({"lang": "tlh", "extra": ["Bgm"]}, "'tlh'"),
        ({"clitics": "cut"}, "clitics"),
        ({"names": "cut"}, "names"),
        ({"extra": {"title": ["Bgm"]}}, "'title'"),
    ],
)
def test_wrong_settings_are_named(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        blank(**changes)


def test_a_language_without_data_is_named() -> None:
    with pytest.raises(ValueError, match="'xx'"):
        blank("xx")


def test_a_language_may_have_only_data_of_the_user() -> None:
    assert words_of(blank("xx", extra={"others": ["Bgm"]})("Bgm. Li")) == ["Bgm.", "Li"]


# spaCy accepts any text without lone surrogates.
any_text = st.text(st.characters(exclude_categories=["Cs"]), max_size=200)
spaced_text = st.lists(
    st.sampled_from([" ", "  ", "\n", "\t", "\u00a0", "\u2028", "\x1c", "a", "b", ".", "1", "😀"]),
    max_size=30,
).map("".join)


@pytest.fixture(scope="module")
def pipelines() -> list[Language]:
    return [blank(), blank("fr", clitics="split"), blank("de", names="join", clitics="split")]


@given(any_text | spaced_text, st.sampled_from(range(3)))
def test_any_text_is_kept(pipelines: list[Language], text: str, n: int) -> None:
    doc = pipelines[n].tokenizer(text)
    assert doc.text == text
    assert [token._.kind == "space" for token in doc] == [token.is_space for token in doc]
    assert all(text[token.idx : token.idx + len(token)] == token.text for token in doc)


@given(spaced_text.filter(lambda text: not set(text) & set(".1😀")))
def test_white_space_is_as_in_spacy(pipelines: list[Language], text: str) -> None:
    found = pipelines[0].tokenizer(text)
    expected = Tokenizer(found.vocab)(text)  # cuts at white space alone
    assert words_of(found) == words_of(expected)
    assert [t.whitespace_ for t in found] == [t.whitespace_ for t in expected]


def test_rules_find_kinds() -> None:
    nlp = blank()
    matcher = Matcher(nlp.vocab)
    matcher.add("MONEY", [[{"_": {"kind": "money"}}]])
    assert [span.text for span in matcher(nlp(TEXT), as_spans=True)] == ["$3.5"]


def test_kinds_stay_with_a_doc() -> None:
    nlp = blank()
    doc = nlp(TEXT)
    assert kinds_of(Doc(nlp.vocab).from_bytes(doc.to_bytes())) == KINDS
    bin = DocBin(docs=[doc], store_user_data=True)
    assert kinds_of(next(bin.get_docs(nlp.vocab))) == KINDS
    assert kinds_of(Doc.from_docs([doc, doc])) == KINDS + KINDS
    assert kinds_of(doc[7:10].as_doc(copy_user_data=True)) == KINDS[7:10]


def test_an_existing_extension_is_kept() -> None:
    own = Token.get_extension("kind") if Token.has_extension("kind") else None
    Token.set_extension("kind", getter=len, force=True)
    try:
        assert kinds_of(blank()("Mr. Li")) == [3, 2]
    finally:
        Token.remove_extension("kind")
        if own is not None:
            Token.set_extension("kind", default=own[0])


def changed() -> Language:
    return blank(clitics="split", names="join", extra=["Bgm"])


SAID = "They saw Bgm. Al Bo's $3.5."


def test_bytes_and_files_have_settings_and_data(tmp_path: Path) -> None:
    nlp, expected = changed(), words_of(changed()(SAID))
    assert words_of(blank()(SAID)) != expected
    other = blank().tokenizer.from_bytes(nlp.tokenizer.to_bytes())
    assert words_of(other(SAID)) == expected
    assert other.to_bytes() == nlp.tokenizer.to_bytes()
    nlp.tokenizer.to_disk(tmp_path / "tokenizer")
    other = blank("de").tokenizer.from_disk(tmp_path / "tokenizer")
    assert words_of(other(SAID)) == expected
    assert other.finder.rules == nlp.tokenizer.finder.rules


def test_unknown_data_of_another_version_is_ignored() -> None:
    tokenizer = blank().tokenizer
    data = tokenizer.to_bytes().replace(b'"group"', b'"unknown"')
    assert blank("de").tokenizer.from_bytes(data).finder.rules.group == ","  # of the saved language


def test_a_saved_pipeline_loads(tmp_path: Path) -> None:
    nlp = changed()
    nlp.add_pipe("sentencizer")
    nlp.to_disk(tmp_path / "pipeline")
    loaded = spacy.load(tmp_path / "pipeline")
    assert isinstance(loaded.tokenizer, RuleTokenizer)
    assert words_of(loaded(SAID)) == words_of(nlp(SAID))
    assert loaded.config.to_str() == nlp.config.to_str()
    again = spacy.util.load_model_from_config(nlp.config)
    assert words_of(again(SAID)) == words_of(nlp(SAID))
    copy = type(nlp).from_config(nlp.config).from_bytes(nlp.to_bytes())
    assert words_of(copy(SAID)) == words_of(nlp(SAID))


def test_defaults_are_filled_in_the_config() -> None:
    block = blank().config["nlp"]["tokenizer"]
    assert block == {
        "@tokenizers": NAME, "lang": None, "clitics": "keep", "names": "keep", "extra": None
    }  # fmt: skip


def test_pipe_gives_what_calls_give() -> None:
    nlp = blank()
    texts = [TEXT, "", SAID]
    assert [words_of(doc) for doc in nlp.tokenizer.pipe(texts)] == [words_of(nlp(t)) for t in texts]
    assert [kinds_of(doc) for doc in nlp.pipe(texts)] == [kinds_of(nlp(t)) for t in texts]


def test_two_processes() -> None:
    nlp = blank()
    nlp.add_pipe("sentencizer")
    docs = list(nlp.pipe([TEXT] * 4, n_process=2, batch_size=2))
    assert [words_of(doc) for doc in docs] == [WORDS] * 4
    assert [kinds_of(doc) for doc in docs] == [KINDS] * 4


def test_a_pipeline_trains_with_joined_names() -> None:
    nlp = changed()
    tagger = nlp.add_pipe("tagger")
    words = ["They", "saw", "Al", "Bo", "'s", "aide", "."]
    tags = ["P", "V", "N", "N", "X", "N", "."]
    gold = Doc(nlp.vocab, words=words, spaces=[1, 1, 1, 0, 1, 0, 0], tags=tags)
    example = Example(nlp.make_doc(gold.text), gold)
    assert words_of(example.predicted) == ["They", "saw", "Al Bo", "'s", "aide", "."]
    assert example.get_aligned("TAG", as_string=True) == ["P", "V", "N", "X", "N", "."]
    nlp.initialize(lambda: [example])
    assert set(tagger.labels) == set(tags)
    losses = nlp.update([Example(nlp.make_doc(gold.text), gold)])
    assert losses["tagger"] > 0
    scores = nlp.evaluate([Example(nlp.make_doc(gold.text), gold)])
    assert scores["token_p"] == pytest.approx(5 / 6)
    assert scores["token_r"] == pytest.approx(5 / 7)


def test_long_texts_run_through() -> None:
    nlp = blank(names="join")
    for part in ("1", "(", "Al ", "a-", " ", "it's "):
        text = part * (10**5 // len(part))
        assert nlp.tokenizer(text).text == text


TRAIN = f"""
[nlp]
lang = "en"
pipeline = ["tagger"]

[nlp.tokenizer]
@tokenizers = "{NAME}"
clitics = "split"

[components]

[components.tagger]
factory = "tagger"

[corpora]

[corpora.train]
@readers = "spacy.Corpus.v1"
path = "PATH"

[corpora.dev]
@readers = "spacy.Corpus.v1"
path = "PATH"

[training]
max_steps = 2
eval_frequency = 1

[training.score_weights]
token_f = 1.0
"""


def test_spacy_train_accepts_the_config(tmp_path: Path) -> None:
    doc = Doc(blank().vocab, words=["It", "'s", "on"], spaces=[0, 1, 0], tags=["P", "V", "R"])
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    config = Config().from_str(TRAIN.replace("PATH", str(tmp_path / "docs.spacy")))
    filled = DEFAULT_CONFIG.merge(blank().config).merge(config)
    nlp = init_nlp(spacy.util.load_model_from_config(filled, auto_fill=True).config)
    train(nlp, tmp_path)
    trained = spacy.load(tmp_path / "model-best")
    assert words_of(trained("It's on")) == ["It", "'s", "on"]
    assert trained.meta["performance"]["token_f"] == 1.0
