"""Sentences by rules: a table of cases, laws for any text, and running time."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import spacy_sentid
from spacy_sentid.rule_sentencizer.segment import NEWLINES, Segmenter, segment
from spacy_sentid.rule_sentencizer.strategies import STRATEGIES, Learned
from spacy_sentid.text.language_data import list_languages, load_rules

LEARNED = Learned(likely=frozenset(["abbr"]), titles=frozenset(["Bgm"]))


def cut(text: str, lang: str = "en", **settings: str) -> list[str]:
    """Split a text into sentences, without the white space at their ends."""
    return [text[start:end].strip() for start, end in segment(text, lang, **settings)]


# A sentence ends at each "|".
CASES = [
    # ends
    ("en", "It rained.| We left.| Why?| Because!| So it goes…| Fine."),
    ("en", "What?!| No way!!!| OK."),
    ("en", "He came.| 12 people left."),
    # abbreviations
    ("en", "Mr. and Mrs. Li met Dr. A. Wu, Ph.D., in St. Louis.| They spoke."),
    ("en", "Acme Inc. was sold to Wu Corp. in Jan. 2020 for $3.5 million.| It had been cheap."),
    ("en", "It is 5 p.m. now.| He came at 5 p.m.| The train left."),
    ("en", "See Fig. 3 and No. 7, pp. 4-5, i.e. the last ones, e.g. Smith et al. (1990).| Good."),
    ("en", "He moved to the U.S. in May.| She left the U.S.| They met in the U.S. Senate."),
    ("en", "Ask the ex-Gov. Smith.| No.| I won't."),
    ("en", "It costs approx. Ten dollars."),
    # initials
    ("en", "J. R. R. Tolkien and C. S. Lewis met T.S. Eliot.| He smiled."),
    ("en", "So do I.| The rest is plan B.| He knew."),
    # numbers
    ("en", "Version 2.0.1 costs 3.50.| Version 3 is free."),
    ("en", "In 1990.| Then it grew by .5 percent."),
    # addresses
    ("en", "Write to a.b@c.org or see http://www.x.org/a.html?b=c.| Thanks."),
    # quotes and brackets
    ("en", '"Go."| He went.| "Why?" she asked.| (It was late.)| Then he left.'),
    ("en", 'He said: "I know."| "You do?"| "Yes."'),
    ("en", "“Stop!” he cried.| ‘No.’| We ran."),
    ("en", "It ended (see p. 3).| Good."),
    # ellipses
    ("en", "Well ... maybe.| I mean . . . no.| Wait...| Now go."),
    # list items
    ("en", "1. Open the lid.| 2. Pour.| 3. Close it."),
    ("en", "We need:|\n- milk|\n- bread|\n* eggs"),
    ("en", "(a) The buyer pays.| (b) The seller ships."),
    ("en", "a) first thing|\nb) second thing"),
    # line ends
    ("en", "A Title|\n\nThe text goes\non here.| End."),
    # informal
    ("en", "i like it.| it works great!| you should try it :)"),
    ("en", "Great place! :)| We loved it."),
    ("en", "It is 5 p.m.| Don’t go."),
    ("en", "Will you come?| No.| Maria stays."),
    ("en", "MR. LI MET DR. WU.| HE LEFT."),
    ("en", "This book was written by\nA. Smith in 1990.| Good."),
    ("en", "It was in World War\nII.| It is over."),
    ("en", "He came late\n- as always - and left."),
    ("en", "***|\n\nText here."),
    ("en", "One.|\n\n***|\n\nTwo."),
    # other languages
    ("de", "Im 5. Jahrhundert v. Chr. war er da, d. h. Peter auch.| Er kam am 3. 10. 1990 an."),
    ("de", "Am 24. Dez. kam der 1. Mann.| Das war u. a. Peter.| Er blieb."),
    ("fr", "Voir l’art. 3 du code, etc.| C’est tout."),
    ("fr", "« Bonjour.| Ça va ? »| « Oui. »| Fin."),
    ("fr", "— Viens ! dit-il.| Il partit."),
    ("es", "—¡Ven! —gritó Juan.| ¿Vienes?| No.| Vamos a casa."),
    ("it", "Vedi l’art. 3 e l’avv. Rossi.| Poi parti."),
    ("nl", "Hij leefde in 50 v. Chr. en Jan v. d. Berg niet.| Dat is zo."),
    ("de", "Das ist z. B. am 3. Oktober 1990 passiert.| Dr. Meyer u. a. waren da.| Er ging."),
    ("de", "Er wohnt in der Str. 5, bzw. nebenan.| Im 19. Jahrhundert war das anders."),
    ("de", "„Gehst du?“| „Nein.“| Er blieb."),
    ("fr", "M. Dupont et Mme. Durand sont arrivés à 5 h.| Ils ont dit : « Oui. »| C'est tout."),
    ("fr", "Voir p. ex. l'art. 3 du code.| L'affaire est close."),
    ("es", "El Sr. López y la Sra. Ruiz viven en EE. UU. desde 1990.| ¿Por qué?| ¡No sé!"),
    ("it", "Il dott. Rossi ha visto il sig. Bianchi, cfr. pag. 3.| Poi è partito."),
    ("pt", "O Sr. Silva e a Dra. Costa moram na Av. Brasil.| Eles sabem."),
    ("nl", "De heer dr. Jansen kwam o.a. om 5 uur aan, bijv. met de trein.| Hij bleef."),
]


@pytest.mark.parametrize(("lang", "marked"), CASES, ids=[marked[:40] for _, marked in CASES])
def test_sentences_end_where_they_should(lang: str, marked: str) -> None:
    expected = [part.strip() for part in marked.split("|")]
    assert cut(marked.replace("|", ""), lang) == expected


def test_a_strategy_reads_words_as_its_tables_do() -> None:
    text = "(Most have pools). Some do not."
    assert len(segment(text, strategy="structure")) == 2
    text = 'It was over. "yes," he said.'
    assert len(segment(text, strategy="lexicon+abbreviations")) == 2


def test_data_of_the_user_is_added() -> None:
    text = "Burgm. Wu spoke. He left."
    assert len(segment(text)) == 3
    assert len(segment(text, extra={"titles": ["Burgm"]})) == 2


@pytest.mark.parametrize(
    ("newline", "expected"),
    [
        ("ignore", ["A title\n\nof two\nlines.", "End."]),
        ("break", ["A title", "of two", "lines.", "End."]),
        ("blank-line", ["A title", "of two\nlines.", "End."]),
    ],
)
def test_line_ends_are_read_as_asked(newline: str, expected: list[str]) -> None:
    assert cut("A title\n\nof two\nlines. End.", newline=newline) == expected


@pytest.mark.parametrize(
    ("strategy", "text", "expected"),
    [
        ("structure", "Mr. Wu etc. left. U.S. aid.", ["Mr. Wu etc.", "left.", "U.S. aid."]),
        ("corpus", "Mr. Wu abbr. A. Bgm. B left.", ["Mr.", "Wu abbr. A. Bgm. B left."]),
        ("lexicon+abbreviations", "Mr. Wu etc. The end.", ["Mr. Wu etc. The end."]),
        ("best", "Mr. Wu etc. The end. Bgm. Wu.", ["Mr. Wu etc.", "The end.", "Bgm. Wu."]),
    ],
)
def test_each_strategy_has_its_own_ends(strategy: str, text: str, expected: list[str]) -> None:
    found = segment(text, strategy=strategy, learned=LEARNED)
    assert [text[start:end].strip() for start, end in found] == expected


TEXTS = st.one_of(
    st.text(max_size=60),
    st.text(alphabet="aAbB1 .!?…\n\t\"'“”()[]«»-:;)。é", max_size=80),
)


@given(TEXTS, st.sampled_from(NEWLINES), st.sampled_from(["best", *STRATEGIES]))
def test_sentences_tile_any_text(text: str, newline: str, strategy: str) -> None:
    found = segment(text, newline=newline, strategy=strategy, learned=LEARNED)
    assert "".join(text[start:end] for start, end in found) == text
    assert all(start < end for start, end in found)


@given(TEXTS, st.sampled_from(list_languages()))
def test_no_sentence_but_the_first_starts_with_white_space(text: str, lang: str) -> None:
    assert not any(text[start].isspace() for start, _ in segment(text, lang)[1:])


@given(st.lists(TEXTS, max_size=5))
def test_the_cache_of_a_segmenter_changes_nothing(texts: list[str]) -> None:
    kept = Segmenter(load_rules("en"))
    assert [kept(text) for text in texts] == [segment(text) for text in texts]


# A quadratic loop would take minutes for these.
NASTY = [
    "1",
    ".",
    "(",
    '"',
    "'",
    "<",
    "A. ",
    ". ",
    ".\n",
    "\n",
    "- ",
    "a.",
    "! ",
    " ",
    ". (",
    "1. ",
]


@pytest.mark.parametrize("piece", NASTY)
def test_long_runs_of_signs_are_read_in_linear_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    assert sum(end - start for start, end in segment(text)) == len(text)


def test_an_empty_text_has_no_sentences() -> None:
    assert segment("") == []
    assert segment(" \n\n ") == [(0, 4)]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"lang": "tlh"}, "de, en, es, fr, it, nl, pt"),
        ({"strategy": "rules"}, "best.*structure.*corpus.*lexicon"),
        ({"newline": "keep"}, "ignore.*break.*blank-line"),
        ({"strategy": "corpus"}, "corpus"),
    ],
)
def test_a_wrong_setting_is_named_with_the_valid_ones(
    settings: dict[str, str], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        segment("One. Two.", **settings)


def test_segment_imports_neither_spacy_nor_numpy() -> None:
    code = "import sys, spacy_sentid; spacy_sentid.segment('A. B.'); print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"spacy", "numpy", "thinc", "torch"} & set(run.stdout.split())


def test_the_package_offers_it() -> None:
    assert spacy_sentid.segment("One. Two.") == [(0, 5), (5, 9)]
