"""Characters of Docs with any tokens: folding, word boundaries, merged tokens."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
import pytest
import spacy
import tiny_words
from hypothesis import given
from hypothesis import strategies as st
from spacy.language import Language
from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from spacy_sentid.word_segmenter.characters import (
    DIGIT,
    HAN,
    LATIN,
    LETTER,
    NUMERAL,
    OTHER,
    SYMBOL,
    Characters,
    allow_tags,
    fold,
    join_tokens,
    make_doc_of_words,
    read_characters,
    without_symbols,
)
from spacy_sentid.word_segmenter.crf import B, E, M, S

VOCAB = spacy.blank("zh").vocab
# Tokens of any length, some of white space, each with or without a space after it.
TOKENS = st.lists(
    st.tuples(
        st.text("字词a1，😀", min_size=1, max_size=3) | st.sampled_from([" ", "\n\n", "\u3000"]),
        st.booleans(),
    ),
    max_size=8,
)


def make_doc(tokens: Sequence[tuple[str, bool]]) -> Doc:
    return Doc(VOCAB, words=[text for text, _ in tokens], spaces=[space for _, space in tokens])


def join(doc: Doc, *words: str) -> Doc:
    """Merge the characters of a Doc into these words."""
    batch = read_characters([doc])
    ends = np.zeros(len(batch.codes), dtype=bool)
    ends[np.cumsum([len(word) for word in words]) - 1] = True
    return make_doc_of_words(doc, *join_tokens(batch.tokens, ends))


# Characters as the model sees them


@pytest.mark.parametrize(
    ("characters", "folded", "kind"),
    [
        ("0 7 ７ ① ² ٣", "0", DIGIT),
        ("a Z ｚ Ｑ ℂ", "a", LATIN),
        ("， , 、", ",", SYMBOL),
        ("“ ” 「 」 『 ‘ ’", '"', SYMBOL),
        ("《 〈 ＜", "<", SYMBOL),
        ("： : ∶", ":", SYMBOL),
        ("— – - －", "-", SYMBOL),
        ("· • ・", "·", SYMBOL),
        ("~ + ￥ 😀 … ^ \u200b \u200d", "~", SYMBOL),
        ("语", "语", HAN),
        ("𠮷", "𠮷", HAN),
        ("豈", "豈", HAN),  # a compatibility form, U+F900
        ("三", "三", NUMERAL),
        ("〇", "〇", NUMERAL),
        ("あ", "あ", LETTER),
        ("é", "é", LETTER),
        ("한", "한", LETTER),
        ("½", "½", OTHER),
        ("\u0301", "\u0301", OTHER),
    ],
)
def test_characters_are_folded(characters: str, folded: str, kind: int) -> None:
    for character in characters.split(" "):
        assert fold(character) == (ord(folded), kind), character


@given(st.characters())
def test_folding_twice_changes_nothing(character: str) -> None:
    code, kind = fold(character)
    assert fold(chr(code)) == (code, kind)


def test_words_of_only_signs_are_removed() -> None:
    words = ["“", "好", "”", "3.5", "，", "A+", "……", "😀", "！？"]
    assert without_symbols(words) == ["好", "3.5", "A+"]


# Characters of Docs


def character_by_character(docs: Sequence[Doc]) -> Iterator[tuple]:
    """List code, kind, start, must end, must not end of each character, by definition."""
    for doc in docs:
        text, is_first = doc.text, True
        for token in doc:
            for k, character in enumerate(token.text):
                if token.is_space:
                    continue
                place = token.idx + k
                is_last = not text[place + 1 :].strip()
                is_cut = is_last or text[place + 1].isspace()
                yield (*fold(character), is_first, is_cut, k + 1 < len(token))
                is_first = False


@given(st.lists(TOKENS, max_size=4))
def test_characters_exclude_white_space(batch: list[list[tuple[str, bool]]]) -> None:
    docs = [make_doc(tokens) for tokens in batch]
    found = read_characters(docs)
    columns = (found.codes, found.kinds, found.starts, found.must_end, found.must_not_end)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    assert rows == list(character_by_character(docs))
    assert found.lengths.tolist() == [len("".join(doc.text.split())) for doc in docs]
    assert found.docs == docs
    for doc, tokens in zip(docs, found.tokens.split(), strict=True):
        texts = ["" if token.is_space else token.text for token in doc]
        assert tokens.lengths.tolist() == [len(text) for text in texts]
        assert tokens.spaces.tolist() == [bool(token.whitespace_) for token in doc]


def read(nlp: Language, *texts: str) -> Characters:
    return read_characters([nlp.make_doc(text) for text in texts])


def test_a_chinese_text_can_be_split_anywhere() -> None:
    batch = read(spacy.blank("zh"), "我爱New York 3.5😀", "", "\n 好")
    assert "".join(map(chr, batch.codes)) == "我爱aaaaaaa0.0~好"
    assert not batch.must_not_end.any()
    assert np.flatnonzero(batch.must_end).tolist() == [4, 8, 12, 13]
    assert np.flatnonzero(batch.starts).tolist() == [0, 13]
    assert batch.lengths.tolist() == [13, 0, 1]


def test_longer_tokens_of_another_tokenizer_are_not_split() -> None:
    batch = read(spacy.blank("en"), "I like cats.")
    assert np.flatnonzero(batch.must_not_end).tolist() == [1, 2, 3, 5, 6, 7]
    assert np.flatnonzero(batch.must_end).tolist() == [0, 4, 9]


@pytest.mark.parametrize("texts", [[], [""], ["", " ", "\n"]])
def test_docs_without_characters_are_read(texts: list[str]) -> None:
    batch = read(spacy.blank("zh"), *texts)
    assert len(batch.codes) == len(batch.kinds) == len(batch.starts) == 0
    assert batch.lengths.tolist() == [0] * len(texts)
    assert len(batch.tokens.split()) == len(texts)


def test_docs_of_several_vocabs_can_be_in_a_batch() -> None:
    docs = [Doc(Vocab(), words=words) for words in (["好", "的"], ["麒", "麟"])]
    assert "".join(map(chr, read_characters(docs).codes)) == "好的麒麟"


def test_tags_agree_with_where_words_must_and_must_not_end() -> None:
    allowed = allow_tags(np.array([0, 0, 1, 0], bool), np.array([1, 0, 0, 0], bool))
    rows = [{tag for tag in (B, M, E, S) if row[tag]} for row in allowed]
    assert rows == [{B, M}, {M, E}, {E, S}, {B, S}]


# Joined tokens


@given(TOKENS, st.data())
def test_joined_tokens_are_the_same_text_and_end_where_words_do(
    tokens: list[tuple[str, bool]], data: st.DataObject
) -> None:
    doc = make_doc(tokens)
    batch = read_characters([doc])
    n = len(batch.codes)
    ends = np.array(data.draw(st.lists(st.booleans(), min_size=n, max_size=n)), dtype=bool)
    ends = (ends & ~batch.must_not_end) | batch.must_end
    joined = make_doc_of_words(doc, *join_tokens(batch.tokens, ends))
    assert joined.text == doc.text
    starts = {token.idx for token in joined}
    assert starts <= {token.idx for token in doc}  # no token is cut
    for token in doc:
        if token.is_space:
            assert token.idx in starts
    # The words end where the flags say.
    text = "".join(doc.text.split())
    stops = [0, *(np.flatnonzero(ends) + 1).tolist()]
    expected = [text[a:b] for a, b in pairwise(stops)]
    assert [token.text for token in joined if not token.is_space] == expected


@pytest.mark.parametrize("text", [*tiny_words.ODD_TEXTS, "a \t b\r\n\u2028好"])
def test_the_doc_is_returned_if_every_character_is_a_word(text: str) -> None:
    doc = spacy.blank("zh").make_doc(text)
    batch = read_characters([doc])
    ends = np.ones(len(batch.codes), dtype=bool)
    assert make_doc_of_words(doc, *join_tokens(batch.tokens, ends)) is doc


@pytest.fixture
def doc() -> Doc:
    return spacy.blank("zh").make_doc("他在 北京大学学习")


WORDS = ["他", "在", "北京", "大学", "学习"]


def test_user_data_and_categories_are_copied(doc: Doc) -> None:
    doc.user_data["source"] = "letters"
    doc.cats = {"news": 0.25}
    joined = join(doc, *WORDS)
    assert [token.text for token in joined] == WORDS
    assert joined.text == doc.text
    assert joined.user_data["source"] == "letters"
    assert joined.cats == {"news": 0.25}


@pytest.fixture
def extensions() -> Iterator[None]:
    for kind in (Doc, Span, Token):
        kind.set_extension("remark", default=None)
    yield
    for kind in (Doc, Span, Token):
        kind.remove_extension("remark")


@pytest.mark.usefixtures("extensions")
def test_custom_attributes_are_copied(doc: Doc) -> None:
    doc._.remark = "doc"
    doc.char_span(3, 5)._.remark = "span"  # type: ignore[union-attr]
    doc[0]._.remark = "token"
    joined = join(doc, *WORDS)
    assert joined._.remark == "doc"
    assert joined[2:3]._.remark == "span"
    assert joined[0]._.remark == "token"
    assert joined[1]._.remark is None


def test_hooks_are_copied(doc: Doc) -> None:
    doc.user_hooks["vector"] = lambda doc: "doc"
    doc.user_span_hooks["vector"] = lambda span: "span"
    doc.user_token_hooks["vector"] = lambda token: "token"
    joined = join(doc, *WORDS)
    assert (joined.vector, joined[0:2].vector, joined[0].vector) == ("doc", "span", "token")


def test_entities_are_copied_with_all_attributes(doc: Doc) -> None:
    doc.ents = [Span(doc, 2, 6, label="ORG", kb_id="Q1", span_id="pku")]
    (entity,) = join(doc, *WORDS).ents
    assert (entity.text, entity.label_, entity.kb_id_, entity.id_) == (
        "北京大学", "ORG", "Q1", "pku",
    )  # fmt: skip
    assert entity.ent_id_ == doc.ents[0].ent_id_


def test_a_span_that_ends_inside_a_word_is_expanded(doc: Doc) -> None:
    doc.ents = [Span(doc, 2, 3, label="A"), Span(doc, 3, 4, label="B"), Span(doc, 5, 6, label="C")]
    doc.spans["some"] = [Span(doc, 3, 5)]
    joined = join(doc, *WORDS)
    # Two entities cannot share a word.
    assert [entity.text for entity in joined.ents] == ["北京", "大学"]
    assert [span.text for span in joined.spans["some"]] == ["北京大学"]


def test_span_groups_are_copied_with_scores_and_overlaps(doc: Doc) -> None:
    doc.spans["some"] = [Span(doc, 2, 6, label="A", span_id="x"), Span(doc, 4, 8, label="B")]
    doc.spans["some"].attrs["scores"] = [0.75, 0.5]
    doc.spans["none"] = []
    joined = join(doc, *WORDS)
    group = joined.spans["some"]
    assert [(span.text, span.label_) for span in group] == [("北京大学", "A"), ("大学学习", "B")]
    assert group[0].id_ == "x"
    assert group.attrs["scores"] == [0.75, 0.5]
    assert len(joined.spans["none"]) == 0
    assert all(span.doc is joined for span in group)
    assert [span.text for span in doc.spans["some"]] == ["北京大学", "大学学习"]
