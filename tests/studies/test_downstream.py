"""The downstream study: scores on SUs, ways to split a text, trainings that are not repeated."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import spacy
from spacy.scorer import Scorer
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.util import load_config, load_model_from_config
from typer.testing import CliRunner

from spacy_sentid import strip_nsu
from studies import training
from studies.__main__ import app
from studies.downstream import corpora, runs, systems, tables
from studies.downstream.scores import Counts, Word, count_words, rate_counts, sum_counts
from studies.results import Row, list_cells

runner = CliRunner()

# "Page 3 I sleep.": an NSU of two words and an SU of three.
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


def test_removed_words_cost_recall_but_not_precision() -> None:
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
        (GOLD[2]._replace(head=0), (3, 3, 2, 2)),  # a head in an NSU
        (GOLD[2]._replace(head=2), (3, 3, 2, 2)),  # a root
        (GOLD[2]._replace(start_char=6), (2, 2, 2, 2)),  # another start of the word
    ],
)
def test_each_part_of_an_arc_is_compared(word: Word, right: tuple[int, ...]) -> None:
    counts = count([*GOLD[:2], word, *GOLD[3:]])
    assert (
        counts.same_words, counts.right_tags, counts.right_heads, counts.right_arcs
    ) == right  # fmt: skip


def test_a_word_across_a_boundary_counts_once() -> None:
    found = [Word(0, 8, 0, "root", "NOUN"), *(w._replace(head=1) for w in GOLD[3:])]
    counts = count(found)
    assert (counts.found_words, counts.other_words) == (3, 0)


def test_counts_add_up() -> None:
    one = count(GOLD)
    assert sum_counts([]) == Counts()
    assert sum_counts([one, one]) == Counts(*(2 * n for n in one))


@pytest.fixture(scope="module")
def nlp(tiny_pipeline: Path) -> spacy.Language:
    """A pipeline with a parser and two components that find sentences."""
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
def test_words_keep_their_characters_in_each_system(nlp: spacy.Language, name: str) -> None:
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
    tokens = [token for token in doc if not token.is_space]
    heads = [token.head.text for token in tokens if not token.head.is_space]
    found = [TEXT[slice(*words[word.head].bounds)] for word in words]
    assert found == heads
    assert all(word.upos for word in words)
    assert {bound for sent in systems.find_sents(doc) for bound in sent} <= {
        bound for word in words for bound in word.bounds
    }


def test_gold_units_become_sentences(nlp: spacy.Language) -> None:
    (doc,) = systems.parse_texts(nlp, systems.SYSTEMS["gold"], [TEXT], [STARTS])
    assert systems.find_sents(doc) == {(0, 6), (8, 16), (17, 25)}


@pytest.mark.parametrize(
    ("name", "ran"),
    [
        ("whole", set()),
        ("senter", {"senter"}),
        ("identifier", {"sentence_identifier"}),
        ("identifier-strip", {"sentence_identifier"}),
        ("gold", set()),
    ],
)
def test_only_one_component_finds_sentences(
    nlp: spacy.Language, monkeypatch: pytest.MonkeyPatch, name: str, ran: set[str]
) -> None:
    called = []
    for component in nlp.pipe_names:
        wrapped = Recorded(nlp.get_pipe(component), component, called)
        monkeypatch.setattr(
            nlp, "_components",
            [(n, wrapped if n == component else pipe) for n, pipe in nlp._components],
        )  # fmt: skip
    list(systems.parse_texts(nlp, systems.SYSTEMS[name], [TEXT], [STARTS]))
    assert set(called) - {"morphologizer", "parser"} == ran
    assert called.count("parser") == called.count("morphologizer") == 1


class Recorded:
    """A component that records its calls."""

    def __init__(self, pipe, name: str, called: list[str]) -> None:
        self.inner, self.name, self.called = pipe, name, called

    def __call__(self, doc):
        return self.inner(doc)

    def pipe(self, docs, **options):
        self.called.append(self.name)
        return self.inner.pipe(docs, **options)


def test_removed_units_do_not_shift_words(nlp: spacy.Language) -> None:
    doc = nlp.make_doc(TEXT)
    doc.spans["su"] = [doc[3:6]]  # between an NSU and an SU that is removed like one
    stripped = strip_nsu(doc)
    words = systems.find_words(nlp.get_pipe("parser")(stripped))
    assert [TEXT[slice(*word.bounds)] for word in words] == ["I", "sleep", "."]
    assert words[0].start_char == 8
    assert systems.find_sents(stripped) == {(8, 16)}


@pytest.fixture
def study(tmp_path: Path, sample: Path, root: Path) -> runs.Study:
    treebank = tmp_path / "treebank"
    treebank.mkdir()
    for split in ("train", "dev", "test"):
        text = (sample / f"{split}.conllu").read_text()
        (treebank / f"{split}.conllu").write_text("\n\n".join(text.split("\n\n")[:80]) + "\n\n")
    configs = {
        runs.PARSER: root / "studies/configs/downstream_parser.cfg",
        runs.SENTER: root / "studies/configs/downstream_senter.cfg",
        runs.IDENTIFIER: root / "configs/identifier.cfg",
    }
    return runs.Study(
        out=tmp_path / "study", treebank=treebank, configs=configs, seeds=(0,), max_steps=3
    )


def read_corpus(study: runs.Study, *, in_layouts: bool) -> list[Doc]:
    corpora.write_corpora(study.treebank, study.out, lang="en")
    path = corpora.corpus_path(study.out, "train", in_layouts=in_layouts)
    return list(DocBin().from_disk(path).get_docs(spacy.blank("en").vocab))


def test_roots_have_the_label_of_the_parser(study: runs.Study) -> None:
    docs = read_corpus(study, in_layouts=True)
    tokens = [token for doc in docs for token in doc if not token.is_space]
    assert {token.dep_ for token in tokens if token.head == token} == {"ROOT"}
    assert "root" not in {token.dep_ for token in tokens}


def test_spacys_scorer_accepts_gold_trees(study: runs.Study) -> None:
    # After white space without a relation, the scorer would skip words of later Docs.
    docs = read_corpus(study, in_layouts=False)
    assert len(docs) > 3
    assert any(token.is_space for doc in docs[:-1] for token in doc)
    examples = [Example(doc.copy(), doc) for doc in docs]
    scores = Scorer.score_deps(
        examples, "dep", getter=lambda token, _: token.dep_, ignore_labels=["dep"]
    )
    # A multiword token has no relation if its words do not spell it.
    unnamed = sum(not token.dep_ for doc in docs for token in doc)
    assert scores["dep_las"] > 0.99 if unnamed else scores["dep_las"] == 1.0


def test_parsers_learn_from_both_layouts(study: runs.Study) -> None:
    one, both = (read_corpus(study, in_layouts=in_layouts) for in_layouts in (False, True))
    added = both[len(one) :]
    assert [doc.text for doc in both[: len(one)]] == [doc.text for doc in one]
    assert added
    assert not any("\n" in doc.text for doc in added)
    with_lines = [doc.text for doc in one if "\n\n" in doc.text]
    assert [doc.text.split() for doc in added] == [text.split() for text in with_lines]


def test_a_study_accepts_more_seeds_but_not_other_data(study: runs.Study) -> None:
    settings = runs.make_plan(study).settings
    assert runs.make_plan(replace(study, seeds=(0, 1))).settings == settings
    assert runs.make_plan(replace(study, max_steps=4)).settings["max_steps"] == 4
    units = (study.treebank / "train.conllu").read_text().split("\n\n")
    (study.treebank / "train.conllu").write_text("\n\n".join(units[:70]) + "\n\n")
    before, after = settings["fingerprints"], runs.make_plan(study).settings["fingerprints"]
    assert [split for split in corpora.SPLITS if before[split] != after[split]] == ["train"]


class FakeTraining:
    """A stand-in for `spacy train` that saves pipelines with random weights."""

    def __init__(self) -> None:
        self.options: dict[str, dict[str, str]] = {}

    def __call__(self, command: list, log: Path, *, threads: int | None) -> None:
        config = load_config(command[1])
        found = dict(part[2:].split("=", 1) for part in map(str, command) if "=" in part)
        self.options[log.parent.name.split("-")[0]] = found
        for name in ("train", "dev"):
            config["paths"][name] = found[f"paths.{name}"]
        nlp = load_model_from_config(config, auto_fill=True)
        docs = list(DocBin().from_disk(config["paths"]["train"]).get_docs(nlp.vocab))
        nlp.initialize(lambda: [Example(nlp.make_doc(doc.text), doc) for doc in docs])
        for name in ("model-best", "model-last"):
            nlp.to_disk(command[3] / name)


@pytest.mark.slow
def test_a_seed_has_all_scores_and_is_not_trained_twice(
    study: runs.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = FakeTraining()
    monkeypatch.setattr(training, "run_spacy", fake)
    study = replace(study, seeds=(1,))
    corpora.write_corpora(study.treebank, study.out, lang="en")
    trainings, (measures,) = runs.list_stages(study)
    rows = [Row(*row) for job in trainings for row in runs.run_job(study, job)["rows"]]
    assert {row.system for row in rows} == set(runs.PARTS)
    assert all(path.exists() for job in trainings for path in job.leaves)
    monkeypatch.setattr(training, "run_spacy", None)
    for job in trainings:
        runs.run_job(study, job)
    assert {found["system.seed"] for found in fake.options.values()} == {"1"}
    assert {found["training.max_steps"] for found in fake.options.values()} == {"3"}
    assert {part: "layouts" in found["paths.train"] for part, found in fake.options.items()} == {
        "parser": True, "senter": True, "sentence_identifier": False,
    }  # fmt: skip

    rows = [Row(*row) for row in runs.run_job(study, measures)["rows"]]
    for layout in corpora.LAYOUTS:
        found = {(r.system, r.metric): r.value for r in rows if r.setting["layout"] == layout}
        assert list(dict.fromkeys(system for system, _ in found)) == list(systems.SYSTEMS)
        assert found["gold", "sents_r"] == 1.0
        assert found["whole", "words_r"] > 0.9
        assert all(0 <= v <= 1 for (_, metric), v in found.items() if metric != "las_gain")


def test_one_line_has_no_blank_lines(study: runs.Study) -> None:
    first, second = corpora.read_gold(study.treebank, spacy.blank("en")).values()
    assert any("\n" in entry.text for entry in first)
    assert not any("\n" in entry.text for entry in second)
    for one, other in zip(first, second, strict=True):
        assert one.text.split() == other.text.split()
        assert [w[2:] for w in one.words] == [w[2:] for w in other.words]


def test_a_treebank_without_paragraphs_has_one_layout(study: runs.Study) -> None:
    test = study.treebank / "test.conllu"
    lines = test.read_text().splitlines(keepends=True)
    test.write_text("".join(line for line in lines if not line.startswith("# newpar")))
    gold = corpora.read_gold(study.treebank, spacy.blank("en"))
    assert list(gold) == [corpora.ONE_LINE]


def result_rows(seed: int, las: float) -> list[Row]:
    keys = ("upos", "uas", "las", "las_p", "las_r", "words_r", "sents_r", "trees_r", "other")
    scores = {
        name: {**dict.fromkeys(keys, 0.5), "las": las + n / 100}
        for n, name in enumerate(systems.SYSTEMS)
    }
    return [row for layout in corpora.LAYOUTS for row in runs.list_scores(seed, layout, scores)]


def test_tables_have_the_gain_over_parsing_the_whole_text() -> None:
    rows = [*result_rows(0, 0.7), *result_rows(1, 0.72)]
    results = tables.make_results({"version": "1"}, rows)
    head, whole, senter, *_ = list_cells(results, results.tables[-1])
    assert head[:4] == ["parsed", "seeds", "LAS", "gain"]
    assert whole[:4] == ["parsed whole", "2", "71.0±1.4", ""]
    assert senter[:4] == ["after `senter`", "2", "72.0±1.4", "+1.0±0.0"]


def test_the_command_writes_tables_of_finished_runs(
    study: runs.Study, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent.parent.parent)
    command = ["downstream", str(study.treebank), "--out", str(study.out), "--only-tables"]
    found = runner.invoke(app, command)
    assert found.exit_code == 1
    assert "runs" in found.output
    for seed in (0, 1):
        path = study.out / "runs" / f"scores-{seed}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"measured_with": {}, "rows": result_rows(seed, 0.7)}))
    found = runner.invoke(app, [*command, "--max-steps", "3"])
    assert "max_steps" in found.output
    found = runner.invoke(app, command)
    assert found.exit_code == 0, found.output
    assert "| parsed whole | 2 | 70.0±0.0 |" in found.stdout
    written = json.loads(study.out.with_suffix(".json").read_text())
    assert written["settings"]["treebank"] == "treebank"
    assert study.out.with_suffix(".svg").exists()


def test_a_missing_config_is_named(study: runs.Study, tmp_path: Path) -> None:
    command = ["downstream", str(study.treebank), "--senter", str(tmp_path / "none.cfg")]
    found = runner.invoke(app, command)
    assert found.exit_code == 1
    assert "config" in found.output
