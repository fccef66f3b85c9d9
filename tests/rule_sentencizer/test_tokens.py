"""Tokens of texts: kinds, clitics, names, coverage of any text, and running time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.rule_sentencizer.tokens import Token, TokenFinder, find_tokens
from spacy_sentid.text.language_data import Rules, list_languages, load_rules


def tokens_of(text: str, lang: str = "en", **changes: str) -> list[tuple[str, str]]:
    tokens = find_tokens(text, load_rules(lang), **changes)
    return [(text[start:end], kind) for start, end, kind in tokens]


def words_of(text: str, lang: str = "en", **changes: str) -> list[str]:
    return [word for word, _ in tokens_of(text, lang, **changes)]


# Each string is one token of this kind in any context.
ENGLISH = {
    "number": [
        "123,456.78", "12,45.678", "5", ".5", "-5", "+3.2", "−4", "10:30", "3½", "1.2.3",
        "192.168.0.1", "1,000,000",
    ],
    "date": ["02/02/94", "2/2/1994", "12/3", "1/2", "1994-02-02", "02-02-94"],
    "percent": ["5.5 %", "5.5%", "+3%", "-2.5%", "3‰", "1,000%", "5.%", "5\u00a0%"],
    "money": ["$4.50", "$1,234,567", "€5", "£ 3", "$.50", "-$5", "$-5", "$3m", "$5bn", "50¢", "¥5"],
    "acronym": ["AT&T", "R&D", "A&P", "AT&T's"],
    "reference": [
        "T-1-AB.1.2", "B12", "F-16", "ISO-8859-1", "24-hr", "1990s", "20th", "5kg", "H2O", "m²",
        "draft_v3.docx", "file.doc", "42-degrees-F", "25-year-old", "1,500-lb",
    ],
    "abbreviation": [
        "U.S.", "m.p.h.", "i.e.", "U.S", "U.N.F.P.", "Mr.", "Inc.", "etc.", "Jan.", "Ph.D.", "Ph.D",
        "ex-Gov.", "24-hr.", "15,500-lb.", "pro-U.N.", "Presbyterian-St.", "Assn.",
    ],
    "word": [
        "governor", "governor's", "it's", "don't", "rock'n'roll", "O'Brien", "small-town",
        "rendez-vous", "naïve", "cafe\u0301s", "co\xadop", "हिन्दी", "snake_case", "U.S.-led",
        "it’s", "re\u2010use",
    ],
    "url": [
        "http://x.org", "https://x.org/a_(b)?q=1,2#c", "www.x.org", "x.org/a", "foo.co.uk", "ftp://a.b",
        "http://localhost:8000/", "x.org:80",
    ],
    "email": ["a@x.org", "bob.smith+tag@mail.x-y.co.uk"],
    "ellipsis": ["...", "…", "....", ". . .", "……"],
    "punctuation": ["(", "?!", ":-)", "--", "***", '"', "&", "😀", "👍🏽", "👨‍👩‍👧", "''"],
}  # fmt: skip
FRENCH = {
    "number": ["123 456,78", "123\u00a0456,78", "1\u202f234\u202f567", "5,5", "1994"],
    "date": ["02/02/94", "02.02.94", "02.02.1994"],
    "percent": ["5,5 %", "12 345,6\u202f%"],
    "money": ["4,50 €", "3 500 €", "1\u202f234,50\u00a0€"],
    "word": [
        "l'addition", "m'appelle", "donne-le", "va-t-il", "c'est-à-dire", "presque-île",
        "tape-à-l'oeil", "d'abord", "aujourd'hui", "rendez-vous",
    ],
    "abbreviation": ["MM.", "etc.", "c.-à-d."],
}  # fmt: skip
KINDS = [
    (lang, kind, text)
    for lang, table in (("en", ENGLISH), ("fr", FRENCH))
    for kind, texts in table.items()
    for text in texts
]


@pytest.mark.parametrize(("lang", "kind", "text"), KINDS)
def test_each_class_is_one_token(lang: str, kind: str, text: str) -> None:
    assert tokens_of(text, lang) == [(text, kind)]
    assert tokens_of(f"he {text}, then", lang)[1] == (text, kind)


@pytest.mark.parametrize(
    ("lang", "text", "words"),
    [
        ("en", "", ""),
        ("en", " \n\t ", ""),
        ("en", "He paid $3.50.", "He|paid|$3.50|."),
        ("en", "3.5.", "3.5|."),
        ("en", "1994-95", "1994|-|95"),
        ("en", "5-10%", "5|-|10%"),
        ("en", "$5,000-$6,000", "$5,000|-|$6,000"),
        ("en", "item 5 $6", "item|5|$6"),
        ("en", "123 456,78", "123|456,78"),
        ("en", "1.2.34", "1.2.34"),
        ("en", "and/or", "and|/|or"),
        ("en", "Johnson&Johnson", "Johnson|&|Johnson"),
        ("en", "word--word", "word|--|word"),
        ("en", "_word_ a__b", "_|word|_|a|__|b"),
        ("en", "'hello' dogs' 'tis", "'|hello|'|dogs|'|'|tis"),
        ("en", "(see http://a.b/c).", "(|see|http://a.b/c|)|."),
        ("en", "Go to www.x.org, or x.org.", "Go|to|www.x.org|,|or|x.org|."),
        ("en", "Ask a@x.org.", "Ask|a@x.org|."),
        ("en", "mailto:a@x.org", "mailto|:|a@x.org"),
        ("en", "Wait... Why? [...] no….", "Wait|...|Why|?|[|...|]|no|…|."),
        ("en", "The end. . . .", "The|end|.|. . ."),
        ("en", "U.S.'s Inc.'s \"Tom\"'s", "U.S.|'s|Inc.|'s|\"|Tom|\"|'s"),
        ("en", "as here:) :)", "as|here|:|)|:)"),
        ("en", "((a))", "(|(|a|)|)"),
        ("en", "<b>bold</b>", "<|b|>|bold|<|/|b|>"),
        ("fr", "en 1994 250 personnes", "en|1994|250|personnes"),
        ("fr", "111 111 1111", "111 111|1111"),
        ("fr", "Elle dit : « Non. »", "Elle|dit|:|«|Non|.|»"),
        ("fr", "L'« art » et d'\"or\"", "L'|«|art|»|et|d'|\"|or|\""),
        ("de", "Am 3. Oktober und 4. war es 5.", "Am|3.|Oktober|und|4.|war|es|5|."),
        ("de", "1.234,56 am 02.02.94", "1.234,56|am|02.02.94"),
        ("es", "El 1.º de mayo", "El|1.º|de|mayo"),
    ],
)
def test_texts_are_split_into_words(lang: str, text: str, words: str) -> None:
    assert "|".join(words_of(text, lang)) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It is the end.", "It|is|the|end|."),
        ("end.Next", "end|.|Next"),
        ("e.g.this", "e.g.|this"),
        ("See Fig. 3 and No. 5.", "See|Fig.|3|and|No.|5|."),
        ("He said no.", "He|said|no|."),
        ("He said no. Then he left.", "He|said|no|.|Then|he|left|."),
        ("J. F. Kennedy, J.Smith", "J.|F.|Kennedy|,|J.|Smith"),
        ("J.-P. Sartre", "J.-P.|Sartre"),
        ("It was vitamin C.", "It|was|vitamin|C|."),
        ("vitamin C. The end", "vitamin|C|.|The|end"),
        ("It was I. He left.", "It|was|I|.|He|left|."),
        ("a xyz., b", "a|xyz.|,|b"),
        ("in 1994., b", "in|1994|.|,|b"),
        ("(Smith Inc.)", "(|Smith|Inc.|)"),
        ("A. Introduction", "A.|Introduction"),
        ("etc...", "etc|..."),
    ],
)
def test_a_period_ends_a_sentence_or_an_abbreviation(text: str, words: str) -> None:
    assert "|".join(words_of(text)) == words


@pytest.mark.parametrize(
    ("lang", "text", "pieces"),
    [
        ("en", "governor's", "governor|'s"),
        ("en", "it’s", "it|’s"),
        ("en", "don't", "do|n't"),
        ("en", "CAN'T", "CA|N'T"),
        ("en", "he'd've", "he|'d|'ve"),
        ("en", "who's", "who|'s"),
        ("en", "O'Brien", "O'Brien"),
        ("en", "don't.", "do|n't|."),
        ("en", "small-town", "small-town"),
        ("en", "İ's", "İ's"),
        ("fr", "l'addition", "l'|addition"),
        ("fr", "L’addition", "L’|addition"),
        ("fr", "m'appelle", "m'|appelle"),
        ("fr", "donne-le", "donne|-le"),
        ("fr", "va-t-il", "va|-t-il"),
        ("fr", "c'est-à-dire", "c'|est-à-dire"),
        ("fr", "presque-île", "presque-île"),
        ("fr", "tape-à-l'oeil", "tape-à-l'oeil"),
        ("fr", "d'abord", "d'|abord"),
        ("fr", "qu'est-ce", "qu'|est|-ce"),
        ("fr", "aujourd'hui", "aujourd'hui"),
        ("fr", "rendez-vous", "rendez|-vous"),
        ("fr", "d'etc.", "d'|etc."),
    ],
)
def test_clitics_are_split(lang: str, text: str, pieces: str) -> None:
    tokens = tokens_of(text, lang, clitics="split")
    assert "|".join(word for word, _ in tokens) == pieces
    for word, kind in tokens:
        assert (kind == "clitic") == (word[0] in "'’-" or word[-1] in "'’" or word.lower() == "n't")


def test_the_stem_has_the_kind() -> None:
    assert tokens_of("AT&T's 1990's", clitics="split") == [
        ("AT&T", "acronym"), ("'s", "clitic"), ("1990", "number"), ("'s", "clitic")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Yesterday Mary Ann Lee met Bo.", ["Mary Ann Lee"]),
        ("Mary Ann Lee met Bo.", ["Ann Lee"]),  # the first word has a capital anyway
        ("They saw New York. Old Bo Li left.", ["New York", "Bo Li"]),
        ("They met Dr. John F. Kennedy Jr. at AT&T Bell Labs.",
         ["Dr. John F. Kennedy Jr.", "AT&T Bell Labs"]),
        ("They met Bo  Li, Bo\nLi and Bo, Li.", []),  # single spaces only
        ("They saw George Bush's White House.", ["George Bush's", "White House"]),
        ("He said, \"The Man is Bill Gates.\"", ["Bill Gates"]),
        ("\"No,\" John Smith said.", ["John Smith"]),
        ("Did Bo and I Robot?", []),
        ("A line\n\nOld South Church", ["South Church"]),
        ("They saw the city hall.", []),
    ],
)  # fmt: skip
def test_names_are_joined(text: str, names: list[str]) -> None:
    joined = tokens_of(text, names="join")
    assert [word for word, kind in joined if kind == "name"] == names
    assert all(kind != "name" for _, kind in tokens_of(text))


def test_a_split_clitic_ends_a_name() -> None:
    words = words_of("They saw Al Bo's White House", clitics="split", names="join")
    assert words == ["They", "saw", "Al Bo", "'s", "White House"]


def test_abbreviations_of_a_user() -> None:
    rules = load_rules("en", extra={"others": ["Bgm", "a.Bc"]})
    assert find_tokens("Bgm. Li", rules)[0] == Token(0, 4, "abbreviation")
    assert find_tokens("a.Bc. Li", rules)[0] == Token(0, 5, "abbreviation")


def test_rules_without_words_work() -> None:
    none: frozenset[str] = frozenset()
    rules = Rules("xx", *[none] * 6, False, none, none, "'", ".", (), ())
    assert find_tokens("1'000.5", rules) == [Token(0, 7, "number")]
    assert len(find_tokens("Mr. it's", rules, clitics="split", names="join")) == 2


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"clitics": "cut"}, "clitics"),
        ({"names": "split"}, "names"),
    ],
)
def test_unknown_settings_list_the_valid_ones(changes: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        find_tokens("", load_rules("en"), **changes)


any_text = st.text(max_size=200)
likely_text = st.lists(
    st.sampled_from(
        ["Mr", "U.S", "don't", "l'", "AT&T", "a@b.co", "http://x", "www.", "1", "1,5", "%", "$",
         ".", ",", "...", ". . .", " ", "  ", "\n", "-", "--", "'", "’s", "(", ")", "«", "I", "New",
         "York", "\u00a0", "_", "&", "/", ":", "\u0301", "😀", "\u200d", "\xad", "T-1", "º", "İ",
         "\x00"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(
    any_text | likely_text,
    st.sampled_from(list_languages()),
    st.sampled_from(["keep", "split"]),
    st.sampled_from(["keep", "join"]),
)
def test_tokens_cover_all_but_white_space(text: str, lang: str, clitics: str, names: str) -> None:
    position = 0
    for start, end, kind in find_tokens(text, load_rules(lang), clitics=clitics, names=names):
        assert position <= start < end <= len(text)
        assert not text[position:start].strip()
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        assert kind
        position = end
    assert not text[position:].strip()


@given(any_text | likely_text, st.sampled_from(list_languages()))
def test_split_clitics_are_inside_the_kept_tokens(text: str, lang: str) -> None:
    whole = {start for start, _, _ in find_tokens(text, load_rules(lang))}
    split = {start for start, _, _ in find_tokens(text, load_rules(lang), clitics="split")}
    assert whole <= split


NASTY = [
    "1", ".", "(", ")", "[", '"', "'", "<", "-", "&", "/", "%", "$", "@", ":", "_", "a", "A", " ",
    "\n", "…", "?", "\u0301", "\u200d", "\xad", "😀\u200d", "1,", "1.", "1/", "1-", "1:", "111 ",
    "1 ", "a.", "A.", "AA.", "Aa.", "a.1", "a-", "a'", "'s", "A&", "a@", "a@b.", "a@B1.", "a.b@",
    "a_", "1a", "111a.", "$1", "+1", "- ", ". ", "Mr. ", "No. ", "I. ", "l'", "d'«", ".'s", "-le",
    "(a", "[a", "http://", "http://(", "http://a(b", "www.", "www.a,", "a.com/", "a.com.", "a://",
    "1%", "1 %", "€ 5", "Mary ", "Ph.D", "U.S.-", "J.-P.", "e.g.t", "1. ", "1.º", "0-0-00",
    "1.1.11", "İ'",
]  # fmt: skip


@pytest.mark.parametrize("lang", ["en", "fr"])
@pytest.mark.parametrize("pattern", NASTY)
def test_hard_texts_run_through(pattern: str, lang: str) -> None:
    finder = TokenFinder(load_rules(lang), clitics="split", names="keep")
    # Quadratic time would be minutes.
    for text in (pattern * (10_000 // len(pattern)), "http://x(a@" + pattern * 10_000):
        text = text[:10_000] + "1aZ"
        found = "".join(text[start:end] for start, end, _ in finder(text))
        assert "".join(found.split()) == "".join(text.split())


@pytest.mark.parametrize("pattern", ["1", ".", "(", '"', "<", "-", "a-", "'s"])
def test_many_signs_run_through(pattern: str) -> None:
    # Quadratic time would be minutes.
    text = pattern * (200_000 // len(pattern))
    tokens = find_tokens(text, load_rules("en"), clitics="split")
    assert sum(end - start for start, end, _ in tokens) == len(text)
