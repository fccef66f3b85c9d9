"""Robustness of taggers and parsers: Docs, noun phrase scores, treebank scores, the command."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training.converters import conllu_to_docs
from spacy.vocab import Vocab
from typer.testing import CliRunner, Result

from studies.__main__ import app
from studies.parser.phrases import (
    gold_noun_phrases,
    parse_phrases,
    read_parsing_docs,
    read_phrases,
    universal_tags,
)
from studies.parser.scores import (
    noun_phrase_rows,
    root_rows,
    score_noun_phrases,
    score_treebank,
    treebank_rows,
)

VOCAB = Vocab()

# Tags of words; other words are nouns. The head of each word is the first noun, by `dep`. The word
# "|" begins another tree.
LEXICON = {"old": "ADJ", "Paris": "PROPN", "go": "VERB", "end": "PUNCT", ".": "PUNCT"}


@Language.factory("test_robustness_parser", default_config={"sets": ["pos", "dep"]})
def make_test_parser(nlp: Language, name: str, sets: list[str]):
    def parse(doc: Doc) -> Doc:
        words = [token.text for token in doc]
        tags = [LEXICON.get(word, "NOUN") for word in words]
        root = next((i for i, tag in enumerate(tags) if tag in ("NOUN", "PROPN")), 0)
        heads = [i if word == "|" else root for i, word in enumerate(words)]
        return Doc(
            doc.vocab,
            words=words,
            spaces=[bool(token.whitespace_) for token in doc],
            pos=tags if "pos" in sets else None,
            tags=tags if "tag" in sets else [f"X{tag}" for tag in tags] if "xpos" in sets else None,
            heads=heads if "dep" in sets else None,
            deps=["ROOT" if i == head else "dep" for i, head in enumerate(heads)]
            if "dep" in sets
            else None,
        )

    return parse


def make_pipeline(*sets: str) -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("test_robustness_parser", config={"sets": list(sets)})
    return nlp


def make_doc(rows: str, *, pos: bool = True) -> Doc:
    """Build a Doc from rows "form TAG head relation", separated by commas.

    Heads count from 0. The form "_" is a line break.
    """
    words, tags, heads, deps = zip(*(row.split() for row in rows.split(",")), strict=True)
    return Doc(
        VOCAB,
        words=[word.replace("_", "\n") for word in words],
        pos=list(tags) if pos else None,
        tags=list(tags),
        heads=list(map(int, heads)),
        deps=list(deps),
    )


CONLLU = """\
# sent_id = a
# text = zum 10 000 Haus
1-2\tzum\t_\t_\t_\t_\t_\t_\t_\t_
1\tzu\tzu\tADP\tAPPR\t_\t4\tcase\t_\t_
2\tdem\tder\tDET\t_\tCase=Dat|Gender=Neut\t4\tdet\t_\t_
3\t10 000\t_\tNUM\tCARD\t_\t4\tnummod\t_\t_
4\tHaus\tHaus\tNOUN\tNN\t_\t0\troot\t_\tSpaceAfter=No

# sent_id = b
# text = Das Haus!
1\tDas\tder\tDET\tART\t_\t2\tdet\t_\t_
2\tHaus\tHaus\tNOUN\tNN\t_\t0\troot\t_\tSpaceAfter=No
3\t!\t!\tPUNCT\t$.\t_\t2\tpunct\t_\t_

"""


@pytest.fixture
def treebank(tmp_path: Path) -> Path:
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU, encoding="utf8")
    return path


def test_parsing_docs_have_the_syntactic_words(treebank):
    doc = next(read_parsing_docs(treebank, VOCAB))
    assert [token.text_with_ws for token in doc] == ["zu", "dem ", "10 000 ", "Haus"]
    assert [token.tag_ for token in doc] == ["APPR", "DET", "CARD", "NN"]
    assert [token.pos_ for token in doc] == ["ADP", "DET", "NUM", "NOUN"]
    assert [str(token.morph) for token in doc] == ["", "Case=Dat|Gender=Neut", "", ""]
    assert [token.lemma_ for token in doc] == ["zu", "der", "", "Haus"]
    assert [token.head.i for token in doc] == [3, 3, 3, 3]
    assert [token.dep_ for token in doc] == ["case", "det", "nummod", "ROOT"]
    assert len(list(doc.sents)) == 1


def annotation(doc: Doc) -> list[tuple]:
    return [
        (t.text_with_ws, t.tag_, t.pos_, str(t.morph), t.head.i, t.dep_, t.lemma_.strip("_"))
        for t in doc
    ]


def test_parsing_docs_are_those_of_spacy_convert(sample):
    path = sample / "train.conllu"
    found = list(read_parsing_docs(path, VOCAB))
    expected = list(conllu_to_docs(path.read_text("utf8"), n_sents=1, no_print=True))
    assert list(map(annotation, found)) == list(map(annotation, expected))


def test_parsing_docs_without_relations_have_no_tree(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("# text = Haus\n1\tHaus\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n")
    (doc,) = read_parsing_docs(path, VOCAB)
    assert (doc[0].pos_, doc.has_annotation("DEP")) == ("NOUN", False)
    assert list(gold_noun_phrases([doc])) == []


def test_malformed_treebank_names_the_line(tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text("# text = Haus\n1\tHaus\n\n")
    with pytest.raises(ValueError, match=r"a\.conllu:2"):
        list(read_parsing_docs(path, VOCAB))


@pytest.mark.parametrize(
    ("rows", "picked"),
    [
        ("old ADJ 1 amod,cats NOUN 1 ROOT", True),
        ("Paris PROPN 0 ROOT", True),
        ("cats NOUN 0 ROOT,. PUNCT 0 punct", False),
        ("cats NOUN 0 ROOT,) PUNCT 0 punct", False),
        ("is AUX 1 cop,cats NOUN 1 ROOT", False),
        ("go VERB 0 ROOT,cats NOUN 0 obj", False),
    ],
)
def test_gold_noun_phrases_have_no_final_punctuation(rows, picked):
    assert len(list(gold_noun_phrases([make_doc(rows)]))) == picked


@pytest.mark.parametrize(
    ("rows", "wrong", "n_cut", "roots"),
    [
        ("old ADJ 1 amod,cats NOUN 1 ROOT", False, 0, {"NOUN": 1}),
        ("old ADJ 1 amod,Paris PROPN 1 ROOT", False, 0, {"PROPN": 1}),
        ("old ADJ 0 ROOT,cats PUNCT 0 dep", True, 0, {"ADJ": 1}),
        ("old NOUN 0 ROOT,cats NOUN 0 punct", True, 0, {"NOUN": 1}),
        ("old NOUN 0 ROOT,cats NOUN 0 punct:x", True, 0, {"NOUN": 1}),
        ("old PUNCT 1 punct,cats NOUN 1 ROOT", False, 0, {"NOUN": 1}),
        ("old NOUN 0 ROOT,cats NOUN 1 ROOT", False, 1, {}),
        ("old NOUN 0 ROOT,cats PUNCT 1 ROOT", True, 1, {}),
        ("cats PUNCT 0 ROOT", True, 0, {"PUNCT": 1}),
    ],
)
def test_one_phrase_is_scored(rows, wrong, n_cut, roots):
    scores = score_noun_phrases([make_doc(rows)])
    assert bool(scores.wrong_punct) == wrong
    assert (len(scores.cut), scores.roots) == (n_cut, roots)


@pytest.mark.parametrize(
    ("rows", "wrong"),
    [
        ("cats NOUN 0 ROOT,_ SPACE 0 dep", False),
        ("cats PUNCT 0 ROOT,_ SPACE 0 dep", True),
        ("cats NOUN 0 ROOT,_ SPACE 1 ROOT", False),
        ("_ SPACE 0 ROOT,cats NOUN 0 dep", False),
    ],
)
def test_white_space_is_neither_a_word_nor_a_root(rows, wrong):
    scores = score_noun_phrases([make_doc(rows)])
    assert (bool(scores.wrong_punct), len(scores.cut)) == (wrong, 0)


def test_counts_add_up_and_tables_show_percent():
    rows = ["old NOUN 0 ROOT", "Paris PROPN 0 ROOT", "go VERB 0 ROOT,end PUNCT 0 punct"]
    rows += ["a NOUN 0 ROOT,b NOUN 1 ROOT"]
    scores = score_noun_phrases(map(make_doc, rows))
    assert scores.n_phrases == len(scores.cut) + sum(scores.roots.values()) == 4
    assert (scores.wrong_punct_rate, scores.np_detection, scores.propn_rate) == (0.25, 0.25, 0.25)
    assert scores.wrong_punct == ("go end",)
    assert scores.cut == ("a b",)
    assert " ".join(noun_phrase_rows({"x": scores})[1]) == "x 4 1 25.0 25.0 25.0 50.0 25.0"
    assert root_rows({"x": scores}) == [["other root", "x"], ["VERB", "1"]]
    json.dumps(scores.to_dict())


def test_no_phrases_is_an_error():
    with pytest.raises(ValueError, match="noun phrases"):
        score_noun_phrases([])


def test_phrase_without_words_is_an_error():
    with pytest.raises(ValueError, match=r"1\b"):
        score_noun_phrases([Doc(VOCAB, words=["\n"])])


def test_universal_tags_come_from_tag_if_nothing_sets_pos():
    rows = "old ADJ 1 amod,cats NOUN 1 ROOT"
    assert universal_tags(make_doc(rows, pos=False)) == ["ADJ", "NOUN"]
    assert score_noun_phrases([make_doc(rows, pos=False)]).roots == {"NOUN": 1}


@pytest.mark.parametrize(
    ("sets", "message"),
    [
        (["pos"], "parser"),
        (["dep"], "universal"),
        (["dep", "xpos"], "XNOUN"),
        ([], "parser"),
    ],
)
def test_pipeline_without_tags_or_trees_is_an_error(treebank, sets, message):
    nlp = make_pipeline(*sets)
    with pytest.raises(ValueError, match=message):
        score_noun_phrases(parse_phrases(nlp, ["old cats"]))
    with pytest.raises(ValueError, match=message):
        score_treebank(nlp, read_parsing_docs(treebank, nlp.vocab))


def test_strings_are_tokenized_and_gold_words_are_kept(treebank):
    nlp = make_pipeline("pos", "dep")
    gold = next(read_parsing_docs(treebank, nlp.vocab))
    text, words = parse_phrases(nlp, ["don't go", gold])
    assert [token.text for token in text] == ["do", "n't", "go"]
    assert [token.text_with_ws for token in words] == ["zu", "dem ", "10 000 ", "Haus"]
    assert words[1].pos_ == "NOUN"  # predicted by the pipeline
    assert gold[1].pos_ == "DET"


def test_treebank_scores_differ_in_punctuation_and_subtypes():
    gold = make_doc("a DET 1 det:x,cat NOUN 1 ROOT,old ADJ 1 amod,. PUNCT 1 punct")
    nlp = spacy.blank("en")

    @Language.component("test_robustness_answer")
    def answer(doc: Doc) -> Doc:
        found = make_doc("a NOUN 1 det,cat NOUN 1 ROOT,old ADJ 1 amod,. PUNCT 0 punct")
        return Doc(nlp.vocab).from_bytes(found.to_bytes())

    nlp.add_pipe("test_robustness_answer")
    scores = score_treebank(nlp, [gold])
    assert (scores.n_units, scores.n_words, scores.pos_acc) == (1, 4, 0.75)
    # The heads of "a", "cat" and "old" are correct, one subtype is wrong; so is the head of ".".
    assert scores.uas == 1
    assert scores.las == pytest.approx(2 / 3)
    assert scores.las_with_punct == pytest.approx(2 / 4)
    assert scores.las_conll == pytest.approx(3 / 4)
    assert " ".join(treebank_rows("x", scores)[1]) == "x 1 75.0 100.0 66.7 50.0 75.0"


def test_gold_against_itself_is_perfect(sample):
    nlp = spacy.blank("en")
    gold = list(read_parsing_docs(sample / "dev.conllu", nlp.vocab))
    by_text = {doc.text: doc for doc in gold}

    @Language.component("test_robustness_gold")
    def answer(doc: Doc) -> Doc:
        return by_text[doc.text].copy()

    nlp.add_pipe("test_robustness_gold")
    scores = score_treebank(nlp, gold)
    assert (scores.pos_acc, scores.uas, scores.las_with_punct, scores.las_conll) == (1, 1, 1, 1)


def test_tagger_alone_is_scored_by_its_universal_tags(treebank):
    nlp = make_pipeline("tag", "dep")
    scores = score_treebank(nlp, read_parsing_docs(treebank, nlp.vocab))
    assert scores.pos_acc == pytest.approx(2 / 7)  # the two nouns; "!" is not in LEXICON


def test_scores_are_those_of_spacy_evaluate(sample):
    from spacy.training import Example

    nlp = spacy.blank("en")
    gold = list(read_parsing_docs(sample / "dev.conllu", nlp.vocab))[:20]
    nlp.add_pipe("morphologizer", config={"model": small_model("spacy.Tagger.v2")})
    nlp.add_pipe("parser", config={"model": small_model("spacy.TransitionBasedParser.v2")})

    def pair(doc: Doc) -> Example:
        words, spaces = [t.text for t in doc], [bool(t.whitespace_) for t in doc]
        return Example(Doc(nlp.vocab, words=words, spaces=spaces), doc)

    optimizer = nlp.initialize(lambda: map(pair, gold))
    for _ in range(3):
        nlp.update(list(map(pair, gold)), sgd=optimizer)
    expected = nlp.evaluate(list(map(pair, gold)))
    scores = score_treebank(nlp, gold)
    assert (scores.pos_acc, scores.uas, scores.las) == (
        expected["pos_acc"],
        expected["dep_uas"],
        expected["dep_las"],
    )


def small_model(name: str) -> dict:
    encoder = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "pretrained_vectors": None,
        "width": 16,
        "depth": 1,
        "embed_size": 200,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": True,
    }
    parser = {
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": 16,
        "maxout_pieces": 1,
    }
    return {"@architectures": name, "tok2vec": encoder} | (parser if "Parser" in name else {})


@pytest.mark.parametrize("text", [None, "# text = Haus\n1\tHaus\t_\tNOUN\t_\t_\t_\t_\t_\t_\n\n"])
def test_treebank_without_gold_is_an_error(tmp_path, text):
    path = tmp_path / "a.conllu"
    path.write_text(text or "")
    nlp = make_pipeline("pos", "dep")
    with pytest.raises(ValueError, match="tree"):
        score_treebank(nlp, read_parsing_docs(path, nlp.vocab))


def test_phrases_are_read_line_by_line(tmp_path):
    path = tmp_path / "a.txt"
    path.write_bytes("\ufeffold cats\r\n\n  Paris \n".encode())
    assert read_phrases(path) == ["old cats", "Paris"]
    path.write_bytes(b"old cats\n\xff\n")
    with pytest.raises(ValueError, match=r"a\.txt:2: .*UTF-8"):
        read_phrases(path)
    path.write_text("\n")
    with pytest.raises(ValueError, match="phrases"):
        read_phrases(path)


def test_ewt_has_the_noun_phrases_of_the_raw_lines(find_corpus):
    path = find_corpus("ud/UD_English-EWT-r2.8/en_ewt-ud-test.conllu")
    expected = 0
    for block in path.read_text("utf8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if line[0].isdigit()]
        rows = [row for row in rows if row[0].isdigit()]
        root = next(row for row in rows if row[6] == "0")
        with_copula = any(row[6] == root[0] and row[7].split(":")[0] == "cop" for row in rows)
        is_noun = root[3] in ("NOUN", "PROPN") and not with_copula
        expected += is_noun and rows[-1][3] != "PUNCT"
    found = list(gold_noun_phrases(read_parsing_docs(path, VOCAB)))
    assert len(found) == expected
    assert 250 < expected < 400


def run(*arguments: object, code: int = 0) -> Result:
    result = CliRunner().invoke(app, ["parser-scores", *map(str, arguments)])
    assert result.exit_code == code, result.output
    return result


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("robustness") / "model"
    make_pipeline("pos", "dep").to_disk(folder)
    return folder


def test_command_scores_both_inputs(model, treebank, tmp_path):
    phrases, target = tmp_path / "list.txt", tmp_path / "new" / "out.json"
    phrases.write_text("old cats\nParis end\ngo\ncats | cats\n")
    found = run(model, "--phrases", phrases, "--treebank", treebank, "--json", target).stdout
    first, second, third = (block.splitlines() for block in found.strip().split("\n\n"))
    assert " ".join(first[1].split()) == "list.txt 4 1 25.0 25.0 25.0 50.0 25.0"
    assert " ".join(first[2].split()) == "a.conllu (gold) 1 0 0.0 100.0 0.0 100.0 0.0"
    assert second[1].split() == ["VERB", "1", "0"]
    assert third[1].split()[:2] == ["a.conllu", "2"]
    report = json.loads(target.read_text())
    assert report["noun_phrases"]["list.txt"]["wrong_punct"] == ["Paris end"]
    assert report["noun_phrases"]["list.txt"]["np_detection"] == 0.25
    assert report["noun_phrases"]["a.conllu (gold)"]["n_phrases"] == 1
    assert report["treebank"]["n_words"] == 7
    assert 0 <= report["treebank"]["las"] <= report["treebank"]["uas"] <= 1


def test_treebank_without_noun_phrases_still_gives_las(model, tmp_path):
    path = tmp_path / "a.conllu"
    path.write_text(CONLLU[CONLLU.index("# sent_id = b") :])
    result = run(model, "--treebank", path)
    assert result.stdout.startswith("treebank")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "--phrases"), (["--phrases", "list.txt"], "list.txt:2")],
)
def test_command_reports_errors(model, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    Path("list.txt").write_bytes(b"old cats\n\xff\n")
    result = run(model, *arguments, code=1)
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
