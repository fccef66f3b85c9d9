"""The downstream study: scores on SUs, ways to cut a text, trainings that are not made twice."""

import json
from pathlib import Path

import pytest
import spacy
from spacy.scorer import Scorer
from spacy.tokens import DocBin
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from spacy_sentid import training
from spacy_sentid.cli import app
from spacy_sentid.downstream import plans, runs, systems, tables
from spacy_sentid.downstream.scores import Counts, Word, count_words, rate_counts, sum_counts

runner = CliRunner()

# "Page 3 I sleep ." : an NSU of two words and an SU of three.
GOLD = [
    Word(0, 4, 0, "root", "NOUN"),
    Word(5, 6, 0, "nummod", "NUM"),
    Word(7, 8, 3, "nsubj", "PRON"),
    Word(9, 14, 3, "root", "VERB"),
    Word(14, 15, 3, "punct", "PUNCT"),
]
SUS = [(7, 15)]


def count(found: list[Word], sents: set[tuple[int, int]] = frozenset()) -> Counts:
    return count_words(GOLD, found, SUS, sents=sents)


def test_gold_scores_one_and_nsus_do_not_count() -> None:
    counts = count(GOLD, {(0, 6), (7, 15)})
    assert counts == Counts(3, 3, 2, 3, 3, 3, 3, 1, 1, 1)
    rates = rate_counts(counts)
    assert rates.pop("other") == pytest.approx(2 / 5)
    assert set(rates.values()) == {1.0}


def test_what_is_cut_out_costs_recall_and_no_precision() -> None:
    rates = rate_counts(count([]))
    assert set(rates.values()) == {0.0}
    without = [GOLD[2]._replace(head=1), GOLD[3]._replace(head=1)]
    rates = rate_counts(count(without, {(7, 14)}))
    assert (rates["las_p"], rates["las_r"], rates["las"]) == (1.0, 2 / 3, 0.8)
    assert (rates["sents_r"], rates["trees_r"], rates["other"]) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("word", "right"),
    [
        (GOLD[2], (3, 3, 3, 3)),
        (GOLD[2]._replace(upos="NOUN"), (3, 2, 3, 3)),
        (GOLD[2]._replace(relation="obj"), (3, 3, 3, 2)),
        (GOLD[2]._replace(head=0), (3, 3, 2, 2)),  # in an NSU
        (GOLD[2]._replace(head=2), (3, 3, 2, 2)),  # a root
        (GOLD[2]._replace(start_char=6), (2, 2, 2, 2)),  # cut otherwise
    ],
)
def test_each_part_of_an_arc_is_compared(word: Word, right: tuple[int, ...]) -> None:
    counts = count([*GOLD[:2], word, *GOLD[3:]])
    assert (
        counts.same_words, counts.right_tags, counts.right_heads, counts.right_arcs
    ) == right  # fmt: skip


def test_a_word_across_a_border_counts_once() -> None:
    found = [Word(0, 8, 0, "root", "NOUN"), *(w._replace(head=1) for w in GOLD[3:])]
    counts = count(found)
    assert (counts.found_words, counts.other_words) == (3, 0)


def test_counts_add_up() -> None:
    one = count(GOLD)
    assert sum_counts([]) == Counts()
    assert sum_counts([one, one]) == Counts(*(2 * n for n in one))


@pytest.fixture(scope="module")
def nlp(tiny_pipeline: Path) -> spacy.Language:
    """A pipeline of all parts: a parser of random weights, and two that find sentences."""
    nlp = spacy.blank("en")
    nlp.add_pipe("senter")
    nlp.add_pipe("morphologizer")
    parser = nlp.add_pipe("parser")
    words, heads = ["I", "sleep", ".", "I", "sleep"], [1, 1, 1, 4, 4]
    doc = spacy.tokens.Doc(
        nlp.vocab, words=words, heads=heads, pos=["PRON", "VERB", "PUNCT", "PRON", "VERB"],
        deps=["nsubj", "ROOT", "punct", "nsubj", "ROOT"],
    )  # fmt: skip
    parser.add_label("nsubj")
    examples = [Example(nlp.make_doc(doc.text), doc)]
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(20):
        nlp.update(examples, sgd=optimizer)
    identifier = spacy.load(tiny_pipeline)
    nlp.add_pipe("sentence_identifier", source=identifier, first=True)
    return nlp


TEXT = "Page 3\n\nI sleep. I sleep."
STARTS = [0, 8, 17]


@pytest.mark.parametrize("name", ["whole", "senter", "identifier", "identifier-strip", "gold"])
def test_words_keep_their_characters_in_each_way(nlp: spacy.Language, name: str) -> None:
    (doc,) = systems.parse_texts(nlp, systems.SYSTEMS[name], [TEXT], [STARTS])
    words = systems.find_words(doc)
    cut = [TEXT[word.start_char : word.end_char] for word in words]
    assert all(text.strip() == text and text for text in cut)
    assert [word.start_char for word in words] == sorted({word.start_char for word in words})
    if name == "identifier-strip":
        whole = nlp(TEXT)
        kept = [token for span in whole.spans["su"] for token in span if not token.is_space]
        assert cut == [token.text for token in kept]
    else:
        assert "".join(cut) == "".join(TEXT.split())
    assert all(0 <= word.head < len(words) and word.upos for word in words)
    assert {bound for sent in systems.find_sents(doc) for bound in sent} <= {
        bound for word in words for bound in word.bounds
    }


def test_the_gold_units_are_the_sentences(nlp: spacy.Language) -> None:
    (doc,) = systems.parse_texts(nlp, systems.SYSTEMS["gold"], [TEXT], [STARTS])
    assert systems.find_sents(doc) == {(0, 6), (8, 16), (17, 25)}


def test_one_component_finds_sentences_at_a_time(nlp: spacy.Language) -> None:
    for name in ("whole", "senter"):
        (doc,) = systems.parse_texts(nlp, systems.SYSTEMS[name], [TEXT], [STARTS])
        assert not doc.spans
    assert nlp.pipe_names == ["sentence_identifier", "senter", "morphologizer", "parser"]


@pytest.fixture
def plan(tmp_path: Path, sample: Path, root: Path) -> plans.Plan:
    treebank = tmp_path / "treebank"
    treebank.mkdir()
    for split in ("train", "dev", "test"):
        text = (sample / f"{split}.conllu").read_text()
        (treebank / f"{split}.conllu").write_text("\n\n".join(text.split("\n\n")[:12]) + "\n\n")
    configs = {
        runs.PARSER: root / "configs/downstream_parser.cfg",
        runs.SENTER: root / "configs/downstream_senter.cfg",
        runs.IDENTIFIER: root / "configs/identifier_cnn.cfg",
    }
    return plans.Plan(
        out=tmp_path / "study", treebank=treebank, configs=configs, seeds=(0,), max_steps=3
    )


def test_roots_are_named_as_the_parser_names_them(plan: plans.Plan) -> None:
    plans.prepare_corpus(plan)
    docs = DocBin().from_disk(plan.corpus_path("train")).get_docs(spacy.blank("en").vocab)
    tokens = [token for doc in docs for token in doc if not token.is_space]
    assert {token.dep_ for token in tokens if token.head == token} == {"ROOT"}
    assert "root" not in {token.dep_ for token in tokens}


def test_spacys_scorer_finds_gold_trees_right(plan: plans.Plan) -> None:
    # Of white space without a relation it leaves out words of the Docs behind.
    plans.prepare_corpus(plan)
    docs = list(DocBin().from_disk(plan.corpus_path("train")).get_docs(spacy.blank("en").vocab))
    assert any(token.is_space for doc in docs for token in doc)
    examples = [Example(doc.copy(), doc) for doc in docs]
    scores = Scorer.score_deps(
        examples, "dep", getter=lambda token, _: token.dep_, ignore_labels=["dep"]
    )
    assert scores["dep_las"] == 1.0


def test_a_study_cannot_be_changed_but_has_more_seeds(plan: plans.Plan) -> None:
    from dataclasses import replace

    plans.check_plan(plan)
    plans.check_plan(replace(plan, seeds=(0, 1)))
    with pytest.raises(ValueError, match="differs in max_steps"):
        plans.check_plan(replace(plan, max_steps=4))
    (plan.treebank / "test.conllu").write_text((plan.treebank / "dev.conllu").read_text())
    with pytest.raises(ValueError, match="differs in digest"):
        plans.check_plan(plan)


def fake_train(command: list, log: Path, *, threads: int | None) -> None:
    """Save a pipeline of random weights where `spacy train` would save the best."""
    config = load_config(command[1])
    options = dict(part[2:].split("=", 1) for part in map(str, command) if part.startswith("--p"))
    for name in ("train", "dev"):
        config["paths"][name] = options[f"paths.{name}"]
    nlp = load_model_from_config(config, auto_fill=True)
    docs = list(
        DocBin(store_user_data=True).from_disk(config["paths"]["train"]).get_docs(nlp.vocab)
    )
    nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
    for name in ("model-best", "model-last"):
        nlp.to_disk(command[3] / name)


def test_a_run_has_all_scores_and_is_not_made_twice(
    plan: plans.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "run_spacy", fake_train)
    plans.prepare_corpus(plan)
    for entry in runs.list_trainings(plan):
        runs.train_part(plan, entry)
        assert not list(runs.model_path(plan, entry).parent.glob("model-last"))
    runs.measure_seed(plan, 0)
    (result,) = runs.read_results(plan)
    assert set(result["scores"]) == set(runs.PARSERS)
    for found in (result["scores"][p][layout] for p in runs.PARSERS for layout in runs.LAYOUTS):
        assert list(found) == list(systems.SYSTEMS)
        assert found["gold"]["sents_r"] == 1.0
        assert all(0 <= rate <= 1 for rates in found.values() for rate in rates.values())
        assert found["whole"]["words_r"] > 0.9
    assert list(runs.train_parts(plan, jobs=1)) == []
    monkeypatch.setattr(runs, "assemble_pipeline", None)
    runs.measure_seed(plan, 0)


def test_one_line_has_no_blank_lines(plan: plans.Plan) -> None:
    first, second = (
        runs.read_gold(plan, spacy.blank("en"), layout=layout) for layout in runs.LAYOUTS
    )
    assert any("\n" in entry.text for entry in first)
    assert not any("\n" in entry.text for entry in second)
    for one, other in zip(first, second, strict=True):
        assert one.text.split() == other.text.split()
        assert [w[2:] for w in one.words] == [w[2:] for w in other.words]


def result(seed: int, las: float) -> dict:
    keys = ("upos", "uas", "las", "las_p", "las_r", "words_r", "sents_r", "trees_r", "other")
    scores = {
        name: {**dict.fromkeys(keys, 0.5), "las": las + n / 100}
        for n, name in enumerate(systems.SYSTEMS)
        if not name.startswith("shipped")
    }
    layouts = dict.fromkeys(runs.LAYOUTS, scores)
    return {"seed": seed, "scores": dict.fromkeys(runs.PARSERS, layouts)}


def test_tables_have_the_gain_over_the_whole_text() -> None:
    results = [result(0, 0.7), result(1, 0.72)]
    head, whole, senter, *_ = tables.table_rows(results, "units", runs.LAYOUTS[0])
    assert head[:4] == ["parsed", "seeds", "LAS", "gain"]
    assert whole[:4] == ["parsed whole", "2", "71.0±1.4", ""]
    assert senter[:4] == ["after `senter`", "2", "72.0±1.4", "+1.0±0.0"]
    text = tables.study_tables([result(0, 0.7)])
    assert text.count("| after `sentence_identifier` | 1 | 72.0 | +2.0 |") == 4
    assert "embedded" not in text


def test_the_figure_is_the_same_every_time(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for name in ("a.svg", "b.svg"):
        tables.draw_study([result(0, 0.7), result(1, 0.72)], tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert "after senter" in (tmp_path / "a.svg").read_text()


def test_the_command_writes_tables_of_what_is_done(
    plan: plans.Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent)
    command = ["downstream", str(plan.treebank), "--out", str(plan.out), "--only-tables"]
    found = runner.invoke(app, command)
    assert found.exit_code == 1
    assert "Found no runs" in found.output
    for seed in (0, 1):
        path = runs.result_path(plan, seed)
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(result(seed, 0.7)))
    found = runner.invoke(app, command)
    assert found.exit_code == 0
    assert "| parsed whole | 2 | 70.0±0.0 |" in found.stdout
    assert json.loads(plan.out.with_suffix(".json").read_text())["study"]["treebank"] == "treebank"
    assert plan.out.with_suffix(".svg").exists()


def test_a_missing_config_is_named(plan: plans.Plan, tmp_path: Path) -> None:
    command = ["downstream", str(plan.treebank), "--senter", str(tmp_path / "none.cfg")]
    found = runner.invoke(app, command)
    assert found.exit_code == 1
    assert "Found no config" in found.output
