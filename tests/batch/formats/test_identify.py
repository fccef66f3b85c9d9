"""Records that a worker makes from documents, with offsets in the original text."""

import json
import shutil
from pathlib import Path

import pytest
import spacy
from spacy.tokens import Span

from spacy_sentid import segment
from spacy_sentid.batch.formats.formats import encode_records
from spacy_sentid.batch.input.documents import Document
from spacy_sentid.batch.tasks import TASKS
from spacy_sentid.batch.work import worker as work
from spacy_sentid.batch.work.worker import Worker, WorkSettings
from spacy_sentid.files.records import BadLine
from spacy_sentid.sentence_identifier.data.records import list_units


@pytest.fixture(scope="module")
def worker(tiny_pipeline: Path) -> Worker:
    return Worker(WorkSettings(model=str(tiny_pipeline)))


def units_of(worker: Worker, text: str, **fields) -> list[dict]:
    [record] = worker.make_records([Document("a", text, **fields)])
    return list(record["units"])


def check_tiles(text: str, units: list[dict]) -> None:
    """Check that units are in order, are stripped, and cover all text except white space."""
    end = 0
    left = []
    for unit in units:
        span = text[unit["start_char"] : unit["end_char"]]
        assert span == span.strip() != ""
        assert 0 <= unit["score"] <= 1
        assert unit["label"] in ("SU", "NSU")
        left.append(text[end : unit["start_char"]])
        assert unit["start_char"] >= end
        end = unit["end_char"]
    assert not "".join([*left, text[end:]]).strip().strip("\ufeff")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n\t\r\n",
        "I sleep.\r\n\r\nPage 3\r\n",
        "\ufeffI sleep. Page 3",
        "lone \ud800 surrogate. And \x00 NUL.",
        "\N{GRINNING FACE} \N{GRINNING FACE}",
        "שלום עולם. مرحبا",
        "e\u0301 \N{MATHEMATICAL BOLD CAPITAL A} I sleep.",
        "x" * 100_000,
        "x" * (work.PART_CHARS + 7),
    ],
)
def test_units_tile_the_words_of_any_text(worker, text):
    check_tiles(text, units_of(worker, text))


def test_a_long_text_is_cut_and_offsets_refer_to_the_whole_text(worker, monkeypatch):
    text = "I sleep.\n\nPage 3\n\nYou read the draft.\n\n" * 8
    whole = units_of(worker, text)
    monkeypatch.setattr(work, "PART_CHARS", 60)
    cut = units_of(worker, text)
    check_tiles(text, cut)
    assert len(cut) == pytest.approx(len(whole), abs=6)


def test_offsets_of_a_part_refer_to_the_whole_text(worker):
    text = "I sleep. Page 3"
    units = units_of(worker, text)
    moved = units_of(worker, text, part=2, start_char=100)
    assert [unit["start_char"] - 100 for unit in moved] == [unit["start_char"] for unit in units]
    [record] = worker.make_records([Document("a", text, part=2, start_char=100)])
    assert record["part"] == 2


def test_a_text_above_the_limit_of_spacy_is_processed(worker, monkeypatch):
    monkeypatch.setattr(worker.nlp, "max_length", work.PART_CHARS)
    text = "I sleep. " * (work.PART_CHARS // 9 + 50)
    assert units_of(worker, text)[-1]["end_char"] == len(text) - 1


def test_documents_keep_their_order(worker):
    documents = [Document(i, "I sleep. " * (i % 5)) for i in range(50)]
    assert [record["id"] for record in worker.make_records(documents)] == list(range(50))


def test_lines_are_ascii_json_of_each_document(worker):
    result = worker([Document("\udce9.txt", "I sleep."), Document(7, "é")])
    rows = [json.loads(line) for line in result.data.splitlines()]
    assert [row["id"] for row in rows] == ["\udce9.txt", 7]
    assert (result.n_records, result.errors) == (2, [])


def test_words_of_many_documents_are_not_kept_in_the_vocabulary(worker):
    worker([Document(0, "Warm up."), Document(1, "Warm up again.")])
    worker([Document(2, "Warm up once more, with a second group.")])
    worker([Document(3, "xyzzyplugh quuxblargh.")])
    assert "xyzzyplugh" not in worker.nlp.vocab.strings


def unit_rows(worker, documents):
    """Find the units of documents, without probabilities, whose last digits vary with batches."""
    rows = [json.loads(line) for line in worker(documents).data.splitlines()]
    keys = ("start_char", "end_char", "label")
    return [(row["id"], [[unit[key] for key in keys] for unit in row["units"]]) for row in rows]


def test_a_vocabulary_with_many_words_is_reloaded(tiny_pipeline, monkeypatch):
    documents = [Document(i, f"I sleep in word{i}. Page {i}") for i in range(30)]
    expected = unit_rows(Worker(WorkSettings(model=str(tiny_pipeline))), documents)
    monkeypatch.setattr(Worker, "max_new_words", 20)
    monkeypatch.setattr(work, "PART_CHARS", 200)
    worker = Worker(WorkSettings(model=str(tiny_pipeline)))
    vocab = worker.nlp.vocab
    assert unit_rows(worker, documents) == expected
    assert worker.nlp.vocab is not vocab


def test_settings_are_kept_after_a_reload(tiny_pipeline, monkeypatch):
    text = "I sleep.\nPage 3\nThe draft is attached. You read it."
    monkeypatch.setattr(Worker, "max_new_words", -1)
    worker = Worker(WorkSettings(model=str(tiny_pipeline)))
    own = units_of(worker, text)
    chosen = {"threshold": 1.0, "newline": "ignore", "nsu_span": "merged", "max_length": 2}
    worker.choose(**chosen)
    settings = WorkSettings(model=str(tiny_pipeline), settings=chosen)
    assert units_of(worker, text) == units_of(Worker(settings), text) != own


def test_a_worker_continues_when_its_pipeline_is_back(tiny_pipeline, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(tiny_pipeline, tmp_path / "model"))
    worker = Worker(WorkSettings(model=str(folder), settings={"threshold": 0.1}))
    expected = units_of(worker, "I sleep. Page 3")
    monkeypatch.setattr(Worker, "max_new_words", -1)
    folder.rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(ValueError, match="pipeline"):
            units_of(worker, "I sleep. Page 3")
        worker.choose(threshold=0.1)
    Path(tmp_path, "away").rename(folder)
    assert units_of(worker, "I sleep. Page 3") == expected


def test_a_document_that_the_pipeline_fails_on_does_not_stop_the_others(worker, monkeypatch):
    extract = worker._extract

    def fail(doc):
        if "bad" in doc.text:
            raise IndexError("too bad")
        return extract(doc)

    monkeypatch.setattr(worker, "_extract", fail)
    documents = [Document(i, text, f"a:{i}") for i, text in enumerate(["One.", "bad", "Two."])]
    found = list(worker.make_records(documents))
    assert found[1] == BadLine("a:1", "the pipeline failed on it: IndexError: too bad")
    assert [record["id"] for record in (found[0], found[2])] == [0, 2]


def test_keep_su_writes_the_text_without_nsus_and_its_offsets(tiny_pipeline):
    keeper = Worker(WorkSettings(model=str(tiny_pipeline), keep="su"))
    plain = Worker(WorkSettings(model=str(tiny_pipeline)))
    text = "I sleep.\nPage 3\nThe draft is attached. You read it."
    [record] = keeper.make_records([Document("a", text, start_char=10)])
    sus = [unit for unit in units_of(plain, text) if unit["label"] == "SU"]
    pieces = [text[unit["start_char"] : unit["end_char"]] for unit in sus]
    assert record["text"] == " ".join(pieces)
    assert [original for _, original in record["offsets"]] == [
        unit["start_char"] + 10 for unit in sus
    ]
    for (start, original), piece in zip(record["offsets"], pieces, strict=True):
        assert record["text"][start : start + len(piece)] == piece
        assert text[original - 10 : original - 10 + len(piece)] == piece


def test_units_of_kinds_keep_their_label():
    worker = Worker(WorkSettings())
    doc = worker.nlp("Page 3\n\nI sleep.")
    doc.spans["nsu"] = [Span(doc, 0, 2, label="METADATA")]
    doc.spans["nsu"].attrs.update(scores=[0.5], label_scores=[0.75], kind_scores=[0.25])
    [nsu, su] = list_units(doc, ("su", "nsu"))
    scores = {"score": 0.5, "label_score": 0.75, "kind_score": 0.25}
    assert nsu == {"start_char": 0, "end_char": 6, "label": "NSU", "kind": "METADATA", **scores}
    assert su.keys() == {"start_char", "end_char", "label", "score", "label_score"}


@pytest.mark.parametrize("task", ["units", "sentences"])
def test_units_have_their_text_if_requested(task):
    worker = Worker(WorkSettings(task=task, with_text=True))
    document = Document("a", "I sleep. You read it.", part=1, start_char=5)
    [record] = worker.make_records([document])
    assert [row["text"] for row in record[task]] == ["I sleep.", "You read it."]


def test_lone_surrogates_are_replaced_in_the_texts_of_units():
    [record] = Worker(WorkSettings(with_text=True)).make_records([Document("a", "I sleep \ud800.")])
    assert [unit["text"] for unit in record["units"]] == ["I sleep \ufffd."]
    pytest.importorskip("pyarrow")
    [row] = encode_records([record], ".parquet", with_text=True).to_pylist()
    assert row["units"][0]["text"] == "I sleep \ufffd."


def test_records_of_extracted_texts_have_the_text_that_offsets_refer_to():
    document = Document("a", "You & I read the draft.", left_out={"tags": 2})
    [record] = Worker(WorkSettings()).make_records([document])
    assert record["text"] == document.text
    assert [(unit["start_char"], unit["end_char"]) for unit in record["units"]] == [(0, 23)]


def test_sentences_of_the_rules_are_those_of_segment():
    text = "  Dr. Wu paid $3.5 million. She left.\n\nHe stayed.  "
    rules = Worker(WorkSettings(task="sentences"))
    [record] = rules.make_records([Document("a", text)])
    found = [text[row["start_char"] : row["end_char"]] for row in record["sentences"]]
    assert found == [text[start:end].strip() for start, end in segment(text)]


def test_offsets_of_a_filtered_text_are_those_of_the_original(tmp_path):
    tokenizer = {
        "@tokenizers": "spacy_sentid.FilteredTokenizer.v1",
        "filters": [{"@misc": "spacy_sentid.strip_markup.v1"}],
    }
    nlp = spacy.blank("en", config={"nlp": {"tokenizer": tokenizer}})
    nlp.add_pipe("rule_sentencizer")
    nlp.to_disk(tmp_path / "filtered")
    text = "<p>I <b>like</b> cats. <i>You</i> sleep.</p>"
    worker = Worker(WorkSettings(task="sentences", model=str(tmp_path / "filtered")))
    [record] = worker.make_records([Document("a", text)])
    found = [text[row["start_char"] : row["end_char"]] for row in record["sentences"]]
    assert found == ["I <b>like</b> cats.", "You</i> sleep."]


def test_words_have_their_offsets():
    text = "我们 在学校。"
    [record] = Worker(WorkSettings(task="words")).make_records([Document("a", text)])
    assert [row["text"] for row in record["words"]] == ["我们", "在", "学校", "。"]
    assert all(text[row["start_char"] : row["end_char"]] == row["text"] for row in record["words"])


def test_pairs_are_scored():
    scorer = Worker(WorkSettings(task="scores"))
    pair = Document("a", "Sales rose in May.", "x:1", refs=("In May, sales fell.",))
    empty = Document("b", "", "x:2", refs=("",))
    found = list(scorer.make_records([pair, empty, pair]))
    assert found[0]["id"] == "a"
    assert {"p", "r", "f"} <= set(found[0])
    assert [span["text"] for span in found[0]["hyp_spans"]] == ["rose"]
    assert len(found) == 3


def test_a_text_that_is_its_own_reference_is_an_error():
    scorer = Worker(WorkSettings(task="scores"))
    [found] = scorer.make_records([Document("a", "Sales rose.", "x:1", refs=("Sales rose.",))])
    assert isinstance(found, BadLine)
    assert found.place == "x:1"
    assert "reference" in found.reason


def test_a_pipeline_that_fails_on_everything_ends_the_job(tiny_pipeline, monkeypatch):
    worker = Worker(WorkSettings(model=str(tiny_pipeline)))

    def fail(doc):
        raise IndexError("too bad")

    monkeypatch.setattr(worker, "_extract", fail)
    few = [Document(i, "One.", f"a:{i}") for i in range(work.MANY - 1)]
    assert all(isinstance(record, BadLine) for record in worker.make_records(few))
    with pytest.raises(ValueError, match="a:0: "):
        list(worker.make_records([*few, Document(9, "One.", "a:9")]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"task": "verbs"}, "verbs"),
        ({"task": "words", "keep": "su"}, "keep"),
        ({"task": "words", "with_text": True}, "with_text"),
        ({"keep": "su", "with_text": True}, "with_text"),
        ({"keep": "nsu"}, "nsu"),
    ],
)
def test_settings_that_exclude_each_other_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        WorkSettings(**settings)


def test_a_pipeline_that_cannot_do_a_task_is_an_error(tmp_path):
    nlp = spacy.blank("en")
    nlp.to_disk(tmp_path / "blank")
    for task, message in (
        ("units", "component 'sentence_identifier'"),
        ("sentences", "sentence starts"),
    ):
        with pytest.raises(ValueError, match=message):
            TASKS[task].load(str(tmp_path / "blank"))


@pytest.mark.parametrize(
    ("task", "settings", "message"),
    [
        ("units", {"treshold": 0.1}, "must be one of 'su_key'.* got 'treshold'"),
        ("units", {"threshold": "low"}, r"'threshold' .* must be in \[0, 1\], got 'low'"),
        ("sentences", {"strategy": "best guess"}, "'strategy' .* got 'best guess'"),
        ("words", {"threshold": 0.1}, "must be one of 'read_ahead', got 'threshold'"),
        ("scores", {"smoothing": -1}, "'smoothing' .* got -1"),
    ],
)
def test_the_component_validates_the_settings(task, settings, message):
    with pytest.raises(ValueError, match=message):
        Worker(WorkSettings(task=task, settings=settings))


@pytest.mark.parametrize("model", ["en", "folder"])
def test_every_setting_of_the_component_can_be_changed(tiny_pipeline, model):
    settings = {"max_length": 30, "decode_weights": None, "store_probs": True}
    name = str(tiny_pipeline) if model == "folder" else model
    cfg = Worker(WorkSettings(model=name, settings=settings)).nlp.components[-1][1].cfg
    assert {key: cfg[key] for key in settings} == settings
