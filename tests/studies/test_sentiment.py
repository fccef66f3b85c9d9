"""Polarity of units from their trees: which words count, negation, scores, files, the command."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab
from typer.testing import CliRunner, Result

from studies.__main__ import app
from studies.parser.reviews import (
    Review,
    read_lexicon,
    read_reviews,
    score_polarities,
    tabulate_scores,
)
from studies.parser.sentiment import (
    NEGATORS,
    check_relations,
    detect_polarities,
    find_polarity,
    tree_from_doc,
)

VOCAB = Vocab()
LEXICON = {
    "good": 1, "clean": 1, "like": 1, "recommend": 1, "well": 1, "soigné": 1, "agréable": 1,
    "bueno": 1, "gut": 1, "volver": 1, "bad": -1, "fail": -1, "problem": -1, "rude": -1,
    "rostfleck": -1, "mauvais": -1,
}  # fmt: skip


def doc_of(rows: str) -> Doc:
    """Make a Doc of words "form[=lemma][/TAG]|relation[>head]"; heads count from 1."""
    words, lemmas, tags, deps, heads = [], [], [], [], []
    for i, row in enumerate(rows.split()):
        word, _, arc = row.rpartition("|")
        word, _, tag = word.partition("/")
        form, _, lemma = word.partition("=")
        dep, _, head = arc.partition(">")
        words.append(form)
        lemmas.append(lemma or form)
        tags.append(tag)
        deps.append(dep)
        heads.append(int(head) - 1 if head else i)
    return Doc(VOCAB, words=words, lemmas=lemmas, pos=tags, deps=deps, heads=heads)


def polarity(rows: str, lang: str = "en") -> int:
    return find_polarity(tree_from_doc(doc_of(rows), NEGATORS[lang].split()), LEXICON)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("", 0),
        ("Rooms|nsubj>3 are|cop>3 clean|root", 1),
        ("We|nsubj>2 left|root", 0),
        # the form, in any case, and the lemma
        ("GOOD|root", 1),
        ("Recommended=recommend|root", 1),
        ("They|nsubj>2 failed=fail|root to|mark>4 recommend|xcomp>2", -1),
        # predicative complement, also below another
        ("It|nsubj>2 tastes|root good|xcomp>2", 1),
        ("It|nsubj>2 seems|root to|mark>4 taste|xcomp>2 bad|xcomp>4", -1),
        # modifiers of the root, the first one if they are coordinated
        ("A|det>4 very|advmod>3 good|amod>4 hotel/NOUN|root", 1),
        ("Knives|nsubj>2 cut|root well|advmod>2", 1),
        ("A|det>5 big|amod>5 and|cc>4 clean|conj>2 hotel/NOUN|root", 1),
        ("A|det>5 clean|amod>5 and|cc>4 bad|conj>2 hotel/NOUN|root", 1),
        # a modifier of a modifier does not count
        ("A|det>4 well|advmod>3 known|amod>4 hotel/NOUN|root", 0),
        # core arguments and their attributes
        ("We|nsubj>2 had|root a|det>4 problem/NOUN|obj>2", -1),
        ("We|nsubj>2 had|root a|det>5 bad|amod>5 dinner/NOUN|obj>2", -1),
        ("Good|amod>2 soup/NOUN|nsubj>3 came|root", 1),
        ("We|nsubj>2 had|root soup/NOUN|obj>2 and|cc>6 bad|amod>6 pasta/NOUN|conj>3", -1),
        # noun modifiers of a noun, after its adjectives
        ("Restaurant/NOUN|root au|case>3 décor/NOUN|nmod>1 soigné|amod>3", 1),
        ("Bad|amod>2 restaurant/NOUN|root with|case>5 good|amod>5 food/NOUN|nmod>2", -1),
        ("Rostflecken=rostfleck/NOUN|root nach|case>3 Wäsche/NOUN|nmod>1", -1),
        # outside the clause: adverbial clause, oblique, apposition, relative clause of an argument
        ("We|nsubj>2 left|root because|mark>6 it|nsubj>6 was|cop>6 bad|advcl>2", 0),
        ("We|nsubj>2 sat|root at|case>6 a|det>6 bad|amod>6 table/NOUN|obl>2", 0),
        ("Rosa/PROPN|root a|det>4 good|amod>4 bar/NOUN|appos>1", 0),
        ("We|nsubj>2 saw|root rooms/NOUN|obj>2 that|nsubj>5 are|cop>6 bad|acl:relcl>3", 0),
        # linked clauses
        ("I|nsubj>2 think|root it|nsubj>5 is|cop>5 good|ccomp>2 as|mark>8 is|cop>8 bad|advcl>5", 1),
        ("Big|root and|cc>3 clean|conj>1", 1),
        ("Good|root but|cc>3 bad|conj>1", 1),
        ("It|nsubj>2 closed|root it|nsubj>5 was|cop>5 bad|parataxis>2", -1),
        ("Hotel/NOUN|root that|obj>4 I|nsubj>4 like|acl:relcl>1", 1),
        # nearer clauses first
        ("Left|root say|ccomp>1 it|nsubj>4 bad|ccomp>2 and|cc>6 good|conj>1", 1),
        # the first of several roots with a polarity
        ("Hi|root Good|root bad|root", 1),
    ],
)  # fmt: skip
def test_the_first_polar_word_from_the_root_down_decides(rows: str, expected: int) -> None:
    assert polarity(rows) == expected


@pytest.mark.parametrize(
    ("lang", "rows", "expected"),
    [
        ("en", "It|nsubj>4 is|cop>4 not|advmod>4 good|root", -1),
        ("en", "I|nsubj>4 do|aux>4 n't|advmod>4 recommend|root it|obj>4", -1),
        ("en", "It|nsubj>6 is|cop>6 not|advmod>6 a|det>6 good|amod>6 hotel/NOUN|root", -1),
        ("en", "A|det>4 not|advmod>3 good|amod>4 hotel/NOUN|root", -1),
        ("en", "No|det>2 problem/NOUN|root", 1),
        ("en", "No|det>3 good|amod>3 word/NOUN|root", -1),
        ("en", "We|nsubj>3 never|advmod>3 had|root a|det>5 problem/NOUN|obj>3", 1),
        # Negation may be on an argument.
        ("en", "No|det>2 waiter/NOUN|nsubj>4 was|cop>4 rude|root", 1),
        ("en", "Nobody/PRON|nsubj>3 was|cop>3 rude|root", 1),
        ("en", "We|nsubj>2 had|root no|det>4 problem/NOUN|obj>2", 1),
        ("en", "Nothing/PRON|root good|amod>1", -1),
        # Negation reaches complements, and conjuncts after "or" that have no subject.
        ("en", "I|nsubj>4 do|aux>4 not|advmod>4 think|root it|nsubj>7 is|cop>7 good|ccomp>4", -1),
        ("en", "It|nsubj>4 does|aux>4 not|advmod>4 taste|root good|xcomp>4", -1),
        ("en", "It|nsubj>4 is|cop>4 not|advmod>4 big|root or|cc>6 clean|conj>4", -1),
        ("en", "It|nsubj>4 is|cop>4 not|advmod>4 big|root but|cc>6 clean|conj>4", 1),
        ("en", "It|nsubj>4 is|cop>4 not|advmod>4 big|root or|cc>7 it|nsubj>7 bad|conj>4", -1),
        # Negation does not leave a complement.
        ("en", "I|nsubj>2 like|root not|advmod>5 to|mark>5 cook|xcomp>2", 1),
        ("en", "Good|root not|advmod>3 big|conj>1", 1),
        # Negation does not leave a noun modifier.
        ("en", "Hotel/NOUN|root without|case>3 problem/NOUN|nmod>1", 1),
        ("en", "Good|amod>2 hotel/NOUN|root without|case>4 noise/NOUN|nmod>2", 1),
        ("fr", "Ce|nsubj>5 n’|advmod>5 est|cop>5 pas|advmod>5 agréable|root", -1),
        ("fr", "Ce|nsubj>5 n'|advmod>5 est|cop>5 jamais|advmod>5 mauvais|root", 1),
        ("fr", "Aucune=aucun|det>2 table/NOUN|nsubj>5 n'|advmod>5 est|cop>5 agréable|root", -1),
        ("fr", "Une|det>2 personne/NOUN|nsubj>4 est|cop>4 agréable|root", 1),
        ("fr", "Rien/PRON|root de|case>3 mauvais|amod>1", 1),
        ("de", "Es|nsubj>4 ist|cop>4 nicht|advmod>4 gut|root", -1),
        ("de", "Kein|det>2 Rostfleck/NOUN|root", 1),
        ("es", "No|advmod>3 es|cop>3 bueno|root nada|obj>3", -1),
        ("es", "Bar/NOUN|root al|case>3 que|obl>6 no|advmod>5 pienso|acl>1 volver|xcomp>5", -1),
    ],
)  # fmt: skip
def test_negation_flips_once(lang: str, rows: str, expected: int) -> None:
    assert polarity(rows, lang) == expected


def test_two_negations_on_the_path_flip_once() -> None:
    rows = "I|nsubj>4 do|aux>4 not|advmod>4 think|root it|nsubj>8 is|cop>8 not|advmod>8 bad|ccomp>4"
    assert polarity(rows) == 1


def test_polarity_neg_and_the_relation_neg_negate_in_any_language() -> None:
    doc = doc_of("Ei|advmod>3 ole|cop>3 good|root")
    assert find_polarity(tree_from_doc(doc, []), LEXICON) == 1
    doc[0].set_morph("Polarity=Neg")
    assert find_polarity(tree_from_doc(doc, []), LEXICON) == -1
    doc = doc_of("Xx|neg>2 good|root")
    assert find_polarity(tree_from_doc(doc, []), LEXICON) == -1


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ("The|det>2 room|nsubj>3 was|ROOT clean|acomp>3", 1),
        ("The|det>2 room|nsubj>3 was|ROOT n't|neg>3 clean|acomp>3", -1),
        ("It|nsubj>2 was|ROOT a|det>5 good|amod>5 hotel/NOUN|attr>2", 1),
        ("Bad|amod>2 soup/NOUN|nsubj>3 was|ROOT good|acomp>3", 1),
        ("We|nsubj>2 had|ROOT no|det>4 problem/NOUN|dobj>2", 1),
        ("Bad|amod>2 soup/NOUN|nsubjpass>4 was|auxpass>4 served|ROOT", -1),
        ("Hotel/NOUN|ROOT with|prep>1 a|det>5 good|amod>5 view/NOUN|pobj>2", 1),
        ("Good|amod>2 hotel/NOUN|ROOT without|prep>2 problems=problem/NOUN|pobj>3", 1),
        ("Hotel/NOUN|ROOT without|prep>1 problems=problem/NOUN|pobj>2", 1),
        ("We|nsubj>2 sat/VERB|ROOT at|prep>2 a|det>6 bad|amod>6 table/NOUN|pobj>3", 0),
        ("Bar/NOUN|ROOT I|nsubj>4 do|aux>4 like/VERB|relcl>1", 1),
        ("It|nsubj>2 was|ROOT n't|neg>2 big|acomp>2 or|cc>4 clean|conj>4", -1),
        ("They|nsubj>2 like/VERB|ROOT it|dobj>2 without|prep>2 paying/VERB|pcomp>4", 1),
        ("With|ROOT good|amod>3 food/NOUN|pobj>1", 1),
    ],
)
def test_relations_of_clearnlp_are_translated(rows: str, expected: int) -> None:
    assert polarity(rows) == expected


def test_every_relation_results_in_a_tree() -> None:
    doc = doc_of("a|prep>2 b|ROOT c|prep>1 d/NOUN|pobj>3 e/NOUN|pobj>3 f|prep>5 g/NOUN|pobj>6")
    heads = list(tree_from_doc(doc, []).heads)
    for word in range(len(doc)):
        for _ in doc:
            word = heads[word]
        assert word == 1


def test_scores_cover_each_polarity_and_all() -> None:
    gold = ["positive", "positive", "positive", "negative", "negative"]
    pred = ["positive", "negative", None, "negative", None]
    assert score_polarities(gold, pred) == {
        "positive": {"units": 3, "found": 1, "correct": 1, "precision": 1.0, "recall": 1 / 3},
        "negative": {"units": 2, "found": 2, "correct": 1, "precision": 0.5, "recall": 0.5},
        "all": {"units": 5, "found": 3, "correct": 2, "precision": 2 / 3, "recall": 2 / 5},
    }


def test_scores_without_units_are_undefined() -> None:
    scores = score_polarities(["positive"], [None])
    assert scores["negative"]["recall"] is scores["all"]["precision"] is None
    assert scores["all"]["recall"] == 0
    assert tabulate_scores(scores)[2] == ["negative", "0", "0", "0", "-", "-"]


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_units_are_read_from_both_formats(tmp_path: Path) -> None:
    expected = [Review("Très bon", "positive"), Review("Bad", "negative")]
    tsv = write(tmp_path / "a.tsv", "\ufeffTrès bon\tpositive\r\n\n Bad \tnegative")
    rows = '{"id": 1, "text": "Très bon", "polarity": "positive"}\n'
    jsonl = write(tmp_path / "a.jsonl", rows + '{"text": "Bad", "polarity": "negative"}\n')
    assert read_reviews(tsv) == read_reviews(jsonl) == expected


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", "Good\tpositive\n", r"a\.txt|\.tsv or \.jsonl"),
        ("a.tsv", "\n", "a.tsv"),
        ("a.tsv", "Good\tpositive\nGood\n", "a.tsv:2:? .*columns"),
        ("a.tsv", "Good\tfood\tpositive\n", "a.tsv:1:? .*columns"),
        ("a.tsv", "Good\tneutral\n", "a.tsv:1:? .*neutral"),
        ("a.tsv", " \tpositive\n", "a.tsv:1:? .*text"),
        ("a.tsv", b"x\tpositive\n\xe9\tpositive\n", "a.tsv:2:? .*UTF-8"),
        ("a.jsonl", "Good\n", "a.jsonl:1"),
        ("a.jsonl", "[1]\n", "a.jsonl:1:? .*object"),
        ("a.jsonl", '{"text": 1, "polarity": "positive"}\n', "text"),
        ("a.jsonl", '{"text": "Good"}\n', "a.jsonl:1:? .*polarity"),
        ("a.jsonl", '{"text": "Good", "polarity": ["positive"]}\n', "polarity"),
    ],
)
def test_bad_units_are_named_by_file_and_line(
    tmp_path: Path, name: str, content: str | bytes, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read_reviews(write(tmp_path / name, content))


def test_lexicon_entries_are_composed_in_lower_case(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "Good\t+1\nsoigne\u0301\tpositive\nbad\t-1\nbad\tnegative\n")
    assert read_lexicon(path) == {"good": 1, "soigné": 1, "bad": -1}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "entries"),
        ("good\n", "a.tsv:1:? "),
        ("bad\t-1\nvery good\t1\n", "a.tsv:2:? .*very good"),
        ("\t1\n", "a.tsv:1:? "),
        ("good\t2\n", "a.tsv:1:? .*polarity"),
        ("good\t1\nGood\t-1\n", "a.tsv:2:? .*'good'"),
    ],
)
def test_bad_lexicon_entries_are_named_by_file_and_line(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        read_lexicon(write(tmp_path / "a.tsv", content))


@pytest.mark.parametrize(
    ("lang", "n_units", "n_words"), [("en", 40, 81), ("fr", 20, 41), ("de", 20, 40), ("es", 20, 40)]
)
def test_the_sample_has_the_counts_of_its_readme(
    sample: Path, lang: str, n_units: int, n_words: int
) -> None:
    reviews = read_reviews(sample / "sentiment" / f"reviews.{lang}.tsv")
    assert len(read_lexicon(sample / "sentiment" / f"lexicon.{lang}.tsv")) == n_words
    assert len(reviews) == len(set(reviews)) == n_units
    assert sum(review.polarity == "positive" for review in reviews) == n_units / 2


@Language.component("test_sentiment_parser")
def parse_flat(doc: Doc) -> Doc:
    """Attach all words to the last one: "not" as advmod, others as amod."""
    for token in doc:
        token.head = doc[len(doc) - 1]
        token.dep_ = "advmod" if token.text == "not" else "amod"
    if len(doc):
        doc[len(doc) - 1].dep_ = "root"
    return doc


@pytest.fixture
def flat_pipeline(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("test_sentiment_parser")
    nlp.to_disk(tmp_path / "flat")
    return tmp_path / "flat"


def test_polarities_are_detected_in_batches_and_in_order() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("test_sentiment_parser")
    found = detect_polarities(nlp, ["good hotel", "", "not good hotel", "hotel"] * 300, LEXICON)
    assert list(found) == ["positive", None, "negative", None] * 300


def test_parser_with_other_relations_is_an_error() -> None:
    nlp = spacy.blank("de")
    parser = nlp.add_pipe("parser")
    check_relations(nlp)  # accepted: an untrained parser raises its own error later
    for label in ("sb", "oa", "nk"):
        parser.add_label(label)  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="Universal Dependencies"):
        check_relations(nlp)
    parser.add_label("nsubj:pass")  # type: ignore[attr-defined]
    check_relations(nlp)


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(map(str, arguments)))
    assert result.exit_code == code, result.output
    return result


def test_command_prints_percent_and_writes_scores(flat_pipeline: Path, tmp_path: Path) -> None:
    data = write(tmp_path / "a.tsv", "good hotel\tpositive\nhotel\tpositive\nnot good\tpositive\n")
    lexicon = write(tmp_path / "lexicon.tsv", "good\t+1\n")
    target = tmp_path / "new" / "scores.json"
    arguments = ["sentiment", flat_pipeline, data, "--lexicon", lexicon, "--json", target]
    assert [line.split() for line in run(*arguments).stdout.splitlines()] == [
        ["polarity", "units", "found", "correct", "precision", "recall"],
        ["positive", "3", "1", "1", "100.0", "33.3"],
        ["negative", "0", "1", "0", "0.0", "-"],
        ["all", "3", "2", "1", "50.0", "33.3"],
    ]
    report = json.loads(target.read_text())
    assert report["scores"]["all"]["recall"] == pytest.approx(1 / 3)
    assert report["scores"]["negative"]["recall"] is None
    assert report["settings"] == {
        "model": str(flat_pipeline), "data": str(data), "lexicon": str(lexicon)
    }  # fmt: skip
    assert report["units"][2] == {"text": "not good", "polarity": "positive", "found": "negative"}


def test_command_runs_on_the_sample(flat_pipeline: Path, sample: Path) -> None:
    folder = sample / "sentiment"
    options = ["--lexicon", folder / "lexicon.en.tsv"]
    output = run("sentiment", flat_pipeline, folder / "reviews.en.tsv", *options).stdout
    assert output.splitlines()[-1].split()[:2] == ["all", "40"]


@pytest.mark.parametrize(
    ("data", "lexicon", "message"),
    [
        ("good\tpositive\n", "good\n", "lexicon.tsv:1"),
        ("good\n", "good\t1\n", "a.tsv:1"),
        ("good\tpositive\n", "good\t1\n", "trees"),
    ],
)
def test_bad_input_prints_one_error_line_and_writes_nothing(
    tmp_path: Path, data: str, lexicon: str, message: str
) -> None:
    spacy.blank("en").to_disk(tmp_path / "blank")
    write(tmp_path / "a.tsv", data)
    write(tmp_path / "lexicon.tsv", lexicon)
    options = ["--lexicon", tmp_path / "lexicon.tsv", "--json", tmp_path / "scores.json"]
    done = run("sentiment", tmp_path / "blank", tmp_path / "a.tsv", *options, code=1)
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert message in done.stderr
    assert not (tmp_path / "scores.json").exists()


def test_the_error_for_a_missing_parser_says_what_to_do(tmp_path: Path, sample: Path) -> None:
    folder = sample / "sentiment"
    options = ["--lexicon", folder / "lexicon.en.tsv"]
    done = run("sentiment", "en", folder / "reviews.en.tsv", *options, code=1)
    assert "sentence_identifier" in done.stderr
