"""The bounded tokenizer: the tokens of ordinary text, pieces of hostile text, saving."""

import copy
import pickle
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import spacy
from hypothesis import given, settings
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokenizer import Tokenizer

import spacy_sentid
from spacy_sentid.batch.tasks import TASKS
from spacy_sentid.text.bounded_tokenizer import (
    LINE,
    MAX_LONG_WORD,
    PIECE,
    RUN_TOKEN,
    BoundedTokenizer,
    bound_tokenizer,
)

ROOT = Path(__file__).parents[2]
CONFIG = {"nlp": {"tokenizer": {"@tokenizers": "spacy_sentid.BoundedTokenizer.v1"}}}
PROSE = "He came (at last), didn't he? " * 50
URL = "https://example.org/" + "/".join(["%D0%BA"] * 40) + "?q=a-b&r=(c)"
CHINESE = "他来了，我们走吧" * 20 + "。" + "明天再说" * 30

# Texts, and whether the tokenizer cuts them.
SHAPES = {
    "prose": (PROSE, False),
    "line across a page": (PROSE + "=" * 78 + "\n" + PROSE, False),
    "a line alone": ("_" * LINE, False),
    "URL": (f"See ({URL}), please.", False),
    "ellipses to a page number": ("Contents" + "." * 80 + "12", False),
    "Chinese in an English pipeline": (CHINESE, False),
    "parentheses": ("(" * 5000, True),
    "parentheses in text": ("Look: " + "(" * 500 + " and  on", True),
    "words of marks": ("([{<*_#~|=%$ _____________________ " * 20, True),
    "possessives": ("'s" * 2000, True),
    "possessives after a word": ("x" * 100 + "'s" * 100, True),
    "emoji": ("😀" * 5000, True),
    "families": ("👨\u200d👩\u200d👧" * 500, True),
    "combining marks": ("\u0301" * 5000, True),
    "one word": ("a" * 5000, True),
    "hyphens": ("a-b-" * 1000, True),
    "white space around": (" \n" + "(" * 300 + "\n \t" + ")" * 300 + "  ", True),
    "runs side by side": ("(" * 120 + " " + ")" * 120 + "a" + "(" * 120, True),
}


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en", config=CONFIG)


@pytest.mark.parametrize(("text", "is_cut"), SHAPES.values(), ids=SHAPES)
def test_text_is_kept_and_only_hostile_text_is_cut(nlp: Language, text: str, is_cut: bool) -> None:
    doc = nlp(text)
    assert doc.text == text
    assert bool(nlp.tokenizer._find_cuts(text)) == is_cut
    if not is_cut:
        plain = spacy.blank("en")(text)
        assert [(t.text, t.whitespace_) for t in doc] == [(t.text, t.whitespace_) for t in plain]
    explained = [word for _, word in nlp.tokenizer.explain(text)]
    assert explained == [token.text for token in doc if not token.is_space]


PARTS = [
    "(" * 20,
    "'s" * 40,
    "a" * 70,
    " ",
    "  ",
    "\n",
    "x",
    "don't",
    "😀" * 9,
    "\u0301",
    "。" * 12,
]


@settings(max_examples=50)
@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=5), max_size=30).map("".join))
def test_any_text_is_kept(nlp: Language, text: str) -> None:
    if not re.search("[\ud800-\udfff]", text):
        assert nlp.tokenizer(text).text == text


@pytest.fixture(scope="module")
def count_steps() -> Callable[[str], int]:
    """Function that counts the characters passed to the regular expressions for affixes."""
    nlp = spacy.blank("en", config=CONFIG)
    n_chars = 0

    def count(search: Callable) -> Callable:
        def searching(part: str) -> object:
            nonlocal n_chars
            n_chars += len(part)
            return search(part)

        return searching

    nlp.tokenizer.prefix_search = count(nlp.tokenizer.prefix_search)
    nlp.tokenizer.suffix_search = count(nlp.tokenizer.suffix_search)

    def tokenize(text: str) -> int:
        nonlocal n_chars
        n_chars = 0
        with nlp.memory_zone():  # without a cache of tokens
            nlp.tokenizer(text)
        return n_chars

    return tokenize


RNG = random.Random(0)
HOSTILE = {
    "(": "(" * 3000,
    "([{": "([{" * 1000,
    "'s": "'s" * 1500,
    "a's": "a" * 70 + "'s" * 1500,
    "$km": "$km" * 1000,
    ":)": ":)" * 1500,
    "€": "€" * 3000,
    "a(": "a(" * 1500,
    "random marks": "".join(RNG.choices("([{<*_#\"'$%€=&|~)]}>,;:!?.-", k=3000)),
    "words of marks": " ".join("".join(RNG.choices("([{$%€", k=17)) for _ in range(200)),
    "lines": ("=" * 80 + "\n") * 40,
    "few lines": (PROSE[:700] + "=" * 80 + "\n") * 12,
    "random words of 's": " ".join("'s" * RNG.randrange(40, 200) for _ in range(20)),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_steps_are_linear_in_the_length_of_the_text(
    count_steps: Callable[[str], int], text: str
) -> None:
    assert count_steps(text) <= 60 * len(text)
    assert count_steps(text * 4) <= 8 * count_steps(text)


@pytest.mark.parametrize(
    ("text", "longest"),
    [("(" * 999, RUN_TOKEN), ("a" * 9999, MAX_LONG_WORD), ("'s" * 999, PIECE)],
)
def test_tokens_have_a_maximum_length(nlp: Language, text: str, longest: int) -> None:
    tokens = [len(token) for token in nlp(text)]
    assert max(tokens) <= longest
    assert len(tokens) >= len(text) / longest


def test_clusters_of_characters_are_not_cut(nlp: Language) -> None:
    assert not any(token.text.startswith("\u200d") for token in nlp("👨\u200d👩" * 500))


def test_special_cases_keep_their_norms(nlp: Language) -> None:
    assert [token.norm_ for token in nlp("(" * 300 + " don't")][-2:] == ["do", "not"]


def test_tokens_of_ordinary_texts_are_those_of_spacy() -> None:
    for lang, pattern in (("en", "everyday/dev/*.txt"), ("en", "sample/words/test.txt")):
        plain = spacy.blank(lang).tokenizer
        bounded = bound_tokenizer(plain)
        for path in (ROOT / "assets").glob(pattern):
            text = path.read_text(encoding="utf8")
            assert [token.text for token in bounded(text)] == [token.text for token in plain(text)]


def test_settings_and_special_cases_are_saved(nlp: Language, tmp_path: Path) -> None:
    pipeline = spacy.blank("en", config=CONFIG)
    pipeline.tokenizer.add_special_case("gimme", [{"ORTH": "gim"}, {"ORTH": "me"}])
    pipeline.tokenizer.infix_finditer = re.compile("x").finditer
    pipeline.to_disk(tmp_path)
    copies = [
        spacy.load(tmp_path).tokenizer,
        pickle.loads(pickle.dumps(pipeline.tokenizer)),
        copy.deepcopy(pipeline.tokenizer),
        bound_tokenizer(spacy.blank("en").tokenizer).from_bytes(pipeline.tokenizer.to_bytes()),
    ]
    for tokenizer in copies:
        assert type(tokenizer) is BoundedTokenizer
        words = [token.text for token in tokenizer("gimme (axb) " + "(" * 300)]
        assert words[:7] == ["gim", "me", "(", "a", "x", "b", ")"]
        assert len(words) == 7 + 5
    plain = spacy.blank("en").tokenizer.from_bytes(pipeline.tokenizer.to_bytes())
    assert [token.text for token in plain("gimme")] == ["gim", "me"]


def test_it_works_in_processes_and_in_a_memory_zone(nlp: Language) -> None:
    texts = [text for text, _ in SHAPES.values()]
    expected = [[token.text for token in nlp(text)] for text in texts]
    docs = list(nlp.pipe(texts, n_process=2, batch_size=4))
    assert [[token.text for token in doc] for doc in docs] == expected
    with nlp.memory_zone():
        assert [[token.text for token in nlp(text)] for text in texts] == expected


@pytest.mark.parametrize("lang", ["zh", "de", "xx"])
def test_each_language_has_its_own_bounded_tokenizer(lang: str) -> None:
    plain, bounded = spacy.blank(lang), spacy.blank(lang, config=CONFIG)
    is_spacys = type(plain.tokenizer) is Tokenizer
    assert isinstance(bounded.tokenizer, BoundedTokenizer) == is_spacys
    assert [t.text for t in bounded(CHINESE[:100])] == [t.text for t in plain(CHINESE[:100])]


def test_pipelines_of_load_and_commands_are_bounded(tmp_path: Path) -> None:
    assert isinstance(spacy_sentid.load("en").tokenizer, BoundedTokenizer)
    own = spacy.blank("en")
    own.add_pipe("sentencizer")
    own.to_disk(tmp_path / "plain")
    assert isinstance(TASKS["sentences"].load(str(tmp_path / "plain")).tokenizer, BoundedTokenizer)
    filtered = {"@tokenizers": "spacy_sentid.FilteredTokenizer.v1", "filters": []}
    own = spacy.blank("en", config={"nlp": {"tokenizer": filtered}})
    own.add_pipe("sentencizer")
    own.to_disk(tmp_path / "filtered")
    inner = TASKS["sentences"].load(str(tmp_path / "filtered")).tokenizer.tokenizer
    assert isinstance(inner, BoundedTokenizer)
