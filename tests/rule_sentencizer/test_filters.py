"""Filters: mark-up, entities, hyphens at line ends, chains, and filters of users."""

import pickle
import re
import subprocess
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spacy_sentid.rule_sentencizer.filters import (
    Filter,
    chain,
    decode_entities,
    join_hyphens,
    make_decode_entities,
    make_join_hyphens,
    make_strip_markup,
    replace_matches,
    strip_markup,
)
from spacy_sentid.text.offsets import MappedText, OffsetMap

WORDS = frozenset(
    ["small", "town", "journey", "go", "round", "pre", "the", "of", "art", "anti", "Saxon",
     "post-war"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("", ""),
        ("plain", "plain"),
        ("<p>One</p>", "One"),
        ("<s id='1'>One<br/>two</s>", "Onetwo"),
        ("<!DOCTYPE html><?xml version='1.0'?>x", "x"),
        ("<#>ICE <,> corpus<$A>", "ICE  corpus"),
        # A "<" that is not mark-up.
        ("a < b", "a < b"),
        ("a < b and c > d", "a < b and c > d"),
        ("p <0.05 and n >30", "p <0.05 and n >30"),
        ("x <- 1 -> y, a <= b => c", "x <- 1 -> y, a <= b => c"),
        ("I <3 you", "I <3 you"),
        ("a<b", "a<b"),
        ("<>", "<>"),
        ("<p\n>", "<p\n>"),
        ("<<p>>", "<>"),
        ("1 > 0 <b>", "1 > 0 "),
        # As in the paper, anything that has the form of mark-up.
        ("a<b and c>d", "ad"),
        ("Ann <ann@x.org> <mailto:ann@x.org>", "Ann <ann@x.org> <mailto:ann@x.org>"),
        ('<https://x.org/a?b=1><a href="ann@x.org">', "<https://x.org/a?b=1>"),
        # Comments.
        ("a<!-- b -->c", "ac"),
        ("a<!-- <b>\n -- > -->c", "ac"),
        ("a<!-->b<!--->c<!---->d", "abcd"),
        ("a<!-- b <i>c</i>", "a<!-- b c"),
        ("a<!-- b>c", "ac"),
        ("a<!-- b\nc", "a<!-- b\nc"),
    ],
)
def test_markup_is_stripped(text: str, stripped: str) -> None:
    assert strip_markup(text).text == stripped


def test_a_row_of_markup_is_replaced_once() -> None:
    filtered = strip_markup("<p><b>One.</b></p><!-- x --><p>Two.", replacement=" ")
    assert filtered.text == " One. Two."
    assert filtered.offsets.map_span(1, 5) == (6, 10)
    assert filtered.offsets.map_span(5, 6) == (10, 31)


@pytest.mark.parametrize(
    ("text", "decoded"),
    [
        ("AT&amp;T", "AT&T"),
        ("&lt;b&gt;&quot;&apos;&nbsp;", "<b>\"'\u00a0"),
        ("&eacute;&#233;&#xE9;&#XE9;&#x000000e9;", "ééééé"),
        ("&acE;", "∾̳"),  # one entity, two characters
        ("&#150;", "–"),  # as browsers read it
        ("&#0;&#xD800;&#x110000;", "\ufffd\ufffd\ufffd"),
        ("&#1;", ""),
        ("&amp;lt;", "&lt;"),
        # Strings that are not entities.
        ("AT&T; R&D &copy &unknown; &notit; &; &#; &#x; &amp", None),
        ("&#1234567890123;", None),
        ("&#٣٣;", None),
    ],
)
def test_entities_are_decoded(text: str, decoded: str | None) -> None:
    assert decode_entities(text).text == (text if decoded is None else decoded)


def test_an_entity_has_its_own_source() -> None:
    filtered = decode_entities("a&lt;&acE;b")
    assert [filtered.offsets.map_span(i, i + 1) for i in range(5)] == [
        (0, 1), (1, 5), (5, 10), (5, 10), (10, 11),
    ]  # fmt: skip


HYPHENATED = [
    # text, the paper's filter, with a lexicon
    ("jour-\nney", "journey", "journey"),
    ("jour- \t\n \tney", "journey", "journey"),
    ("jour-\r\nney", "journey", "journey"),
    ("jour‐\nney", "journey", "journey"),
    ("jour\u00ad\nney", "journey", "journey"),
    ("Jour-\nney", "Journey", "Journey"),
    ("small-\ntown", "smalltown", "small-town"),
    ("small-\n  town's", "smalltown's", "small-town's"),
    ("small‐\ntown", "smalltown", "small‐town"),
    ("small\u00ad\ntown", "smalltown", "smalltown"),
    ("Small-\ntown", "Smalltown", "Small-town"),
    ("merry-go-\nround", "merry-goround", "merry-go-round"),
    ("state-of-\nthe-art", "state-ofthe-art", "state-of-the-art"),
    ("post-\nwar", "postwar", "post-war"),  # known with its hyphen
    ("pre-\n1945", "pre1945", "pre-1945"),
    ("anti-\nSaxon", "antiSaxon", "anti-Saxon"),
    ("unknown-\nwords", "unknownwords", "unknownwords"),
    ("don'-\nt", "don'-\nt", "don'-\nt"),
    ("co-\noper-\nate", "cooperate", "cooperate"),
    ("a-\n* b", "a* b", "a-\n* b"),
    ("a-\n\nb", "a\nb", "a-\n\nb"),
    ("a-\n", "a", "a-\n"),
    ("étai-\nent cha\u0301-\nteau größ-\nten во-\nда", "étaient cha\u0301teau größten вода", None),
    # Strings that the filter does not change.
    ("A-\nB", "A-\nB", "A-\nB"),
    ("1-\n2", "1-\n2", "1-\n2"),
    ("so -\nand so--\nand", "so -\nand so--\nand", None),
    ("small-town\nsmall\n-town", "small-town\nsmall\n-town", None),
    ("-\na", "-\na", None),
    ("אב-\nג", "אב-\nג", None),
    ("", "", None),
]


@pytest.mark.parametrize(("text", "joined", "informed"), HYPHENATED)
def test_hyphens_at_line_ends_are_joined(text: str, joined: str, informed: str | None) -> None:
    assert join_hyphens(text).text == joined
    assert join_hyphens(text, lexicon=WORDS).text == (joined if informed is None else informed)


def test_ascii_text_is_joined_as_in_the_paper() -> None:
    text = "".join(row[0] for row in HYPHENATED if row[0].isascii() and "\r" not in row[0])
    assert join_hyphens(text).text == re.sub(r"([a-z])-[ \t]*\n[ \t]*", r"\1", text)


def test_the_letter_before_the_hyphen_is_kept() -> None:
    assert join_hyphens("ab-\ncd").offsets == OffsetMap.from_pieces([(0, 0, 2), (2, 4, 2)])


def test_replacements_equal_those_of_re() -> None:
    text = "ab1cd22"
    for pattern, new in [(r"(\d)", r"<\1>"), (r"\d*", ""), (re.compile("C", re.I), r"\g<0>\n")]:
        assert replace_matches(text, pattern, new).text == re.sub(pattern, new, text)
    assert replace_matches(text, r"\d+", lambda match: str(len(match[0]))).text == "ab1cd2"
    assert replace_matches(text, r"$", "x").text == text + "x"


def drop_notes(text: str) -> MappedText:
    return replace_matches(text, r"\[\d+\]", "")


def test_a_chain_maps_to_the_first_text() -> None:
    text = "<p>The jour-<br>\nney[3] &amp;lt; co&shy;\nop</p>"
    clean = chain([strip_markup, drop_notes, decode_entities, join_hyphens])
    filtered = clean(text)
    assert filtered.text == "The journey &lt; coop"
    start, end = filtered.offsets.map_span(4, 11)
    assert text[start:end] == "jour-<br>\nney"
    start, end = filtered.offsets.map_span(12, 13)
    assert text[start:end] == "&amp;"
    start, end = filtered.offsets.map_span(17, 21)
    assert text[start:end] == "co&shy;\nop"
    assert chain([chain([strip_markup, drop_notes]), clean])(text) == filtered


def test_an_empty_chain_changes_nothing() -> None:
    assert chain([])("a <b>") == MappedText("a <b>", OffsetMap.identity(5))


def gives_text(text: str) -> str:
    return text


def gives_pair(text: str) -> tuple[str, OffsetMap]:
    return text, OffsetMap.identity(len(text))


def gives_pieces(text: str) -> MappedText:
    return MappedText(text, [(0, 0, len(text))])  # type: ignore[arg-type]


def loses_length(text: str) -> MappedText:
    return MappedText(text[1:], OffsetMap.identity(len(text)))


def loses_original(text: str) -> MappedText:
    return MappedText(text[1:], OffsetMap.identity(len(text) - 1))


def changes_kept(text: str) -> MappedText:
    return MappedText(text.upper(), OffsetMap.identity(len(text)))


def breaks_map(text: str) -> MappedText:
    return MappedText(text, OffsetMap.from_pieces([(0, 0, 2), (1, 1, len(text) - 1)]))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (gives_text, "'gives_text' must return a MappedText, got str"),
        (gives_pair, "MappedText"),
        (gives_pieces, "MappedText"),
        (loses_length, "'loses_length' must return the offset map"),
        (loses_original, "the offset map"),
        (changes_kept, "the offset map"),
        (breaks_map, "at index 1"),
    ],
)
def test_filters_that_return_something_else_raise(bad: Callable, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chain([strip_markup, bad])("<p>abc")


def test_anything_but_a_filter_raises() -> None:
    with pytest.raises(ValueError, match="Filters must be functions"):
        chain(["strip_markup"])  # type: ignore[list-item]


FILTERS: dict[str, Filter] = {
    "strip_markup": make_strip_markup(),
    "strip_markup_to_space": make_strip_markup(" "),
    "join_hyphens": make_join_hyphens(),
    "join_hyphens_of_words": make_join_hyphens(sorted(WORDS)),
    "decode_entities": make_decode_entities(),
    "drop_notes": drop_notes,
}
FILTERS["all"] = chain(FILTERS.values())
FILTERS["all backwards"] = chain(list(FILTERS.values())[::-1])


@pytest.mark.parametrize("name", FILTERS)
def test_filters_pickle(name: str) -> None:
    text = HYPHENATED[0][0] + "<p>&amp;[1]"
    assert pickle.loads(pickle.dumps(FILTERS[name]))(text) == FILTERS[name](text)


likely_text = st.lists(
    st.sampled_from(
        ["<", ">", "<p>", "</p>", "<!--", "-->", "-", "--", "-\n", "\u00ad\n", " ", "\t", "\n",
         "\r\n", "small", "town", "A", "1", "é", "e\u0301", "&", "&amp;", "lt;", "#", "&#1;",
         "&acE;", ";", "[1]", "'", "\ud800"]
    ),
    max_size=40,
).map("".join)  # fmt: skip
any_text = likely_text | st.text(max_size=100)


@given(any_text, st.sampled_from(sorted(FILTERS)))
def test_kept_pieces_of_any_text_are_the_original(text: str, name: str) -> None:
    filtered, offsets = FILTERS[name](text)
    offsets.check()
    assert (offsets.n_chars, offsets.n_original) == (len(filtered), len(text))
    for start, original, length in offsets.pieces:
        assert filtered[start : start + length] == text[original : original + length]


@given(any_text, st.lists(st.sampled_from(sorted(FILTERS)), max_size=4))
def test_sources_ascend_and_hold_what_was_kept(text: str, names: list[str]) -> None:
    filtered, offsets = chain(FILTERS[name] for name in names)(text)
    before = (0, 0)
    for match in re.finditer(r"\S+", filtered):
        first, last = match.span()
        start, end = offsets.map_span(first, last)
        assert 0 <= start < end <= len(text)
        assert before[0] <= start
        assert before[1] <= end
        before = start, end
        if any(f <= first and last <= f + length for f, _, length in offsets.pieces):
            assert text[start:end] == match[0]
        # The kept characters of the word are in its source, in order.
        rest = iter(text[start:end])
        for f, _, length in offsets.pieces:
            kept = filtered[max(f, first) : min(f + length, last)] if f < last else ""
            assert all(char in rest for char in kept)


@given(any_text, st.lists(st.sampled_from(sorted(FILTERS)), max_size=4), st.integers(0, 4))
def test_a_chain_of_chains_is_the_chain(text: str, names: list[str], cut: int) -> None:
    filters = [FILTERS[name] for name in names]
    nested = chain([chain(filters[:cut]), chain(filters[cut:])])
    assert nested(text) == chain(filters)(text)


MILLION = 300_000
NASTY = {
    "<": "<" * MILLION,
    "<a": "<a" * MILLION,
    "open tag": "<" + "a" * MILLION,
    "open comments": "<!--" * MILLION,
    "open comment, tags": "<!-- a" + "<b>x" * (MILLION // 4),
    "comments": "<!-->x" * (MILLION // 4),
    "tags": "<b>" * MILLION,
    "tags with text": "<b>x" * (MILLION // 4),
    "&": "&" * MILLION,
    "&a": "&a" * MILLION,
    "long number": "&#" + "1" * MILLION + ";",
    "entities": "&amp;" * (MILLION // 4),
    "-": "-" * MILLION,
    "blanks": "a-" + " " * MILLION,
    "blanks and hyphens": "a- " * MILLION,
    "line ends": "a-\n" * (MILLION // 8),
    "marks": "a" + "\u0301" * MILLION + "-\nb",
    "compounds": "a-" * MILLION + "\n" + "a-" * MILLION,
    "long word": "a" * MILLION + "-\n" + "a" * MILLION,
}


@pytest.mark.parametrize("name", NASTY)
def test_a_million_characters_run_through(name: str) -> None:
    for function in (strip_markup, decode_entities, make_join_hyphens(["a"]), join_hyphens):
        filtered = function(NASTY[name])
        assert filtered.offsets.n_original == len(NASTY[name])


def test_filters_import_neither_spacy_nor_numpy() -> None:
    code = (
        "import sys, spacy_sentid.rule_sentencizer.filters\n"
        "assert not {'spacy', 'numpy', 'thinc', 'torch'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
