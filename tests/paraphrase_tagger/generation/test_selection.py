"""Filters of candidate pairs, selection by highlighted words, and the job over files."""

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
from spacy.language import Language
from stand_in import make_stand_in

from spacy_sentid.files.records import Line
from spacy_sentid.paraphrase_tagger.corpus import (
    parse_pair,
)
from spacy_sentid.paraphrase_tagger.generation import candidates
from spacy_sentid.paraphrase_tagger.generation.candidates import (
    HIGH_BLEU,
    LENGTHS,
    LOW_BLEU,
    SHORT,
    highlighted_share,
    make_filter,
    parse_source,
    tag_pairs,
)
from spacy_sentid.paraphrase_tagger.generation.prompts import build_prompt
from spacy_sentid.paraphrase_tagger.generation.sentence_pairs import (
    SentencePair,
    parse_sentence_pair,
    text_from_words,
)

G1 = "It covers some of the same ground as Spotlight but has nothing new to add."
G2 = "It revisits the same topic as Spotlight, but does not say anything new."
G3 = "Heavy rainstorms have caused floods in the area every year since 2003."
G4 = "Since 2003, the area has been hit every year by heavy rainstorms and floods."
# A1 and A2 differ in the meaning of one word. The BLEU of each pair is between 5 and 20.
A1 = "The house on the hill was sold to a young couple from the city last week."
A2 = "Last week a young couple from town bought the old place on the hill ."

# BLEU and the filters


def test_examples_of_the_paper_pass() -> None:
    reason = make_filter()
    assert reason(G1, G2) is None
    assert reason(G3, G4) is None


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        (G1, G1, HIGH_BLEU),
        ("Dogs sleep", "Cars stop a lot", LOW_BLEU),  # 10 characters
        ("It is new", G2, SHORT),
        (G2, "It is new", SHORT),
        ("aaa bbb ccc ddd", "aaa bbb " * 5, LENGTHS),  # 4 and 10 words: 2.5
        ("aaa bbb ccc ddd", "eee fff " * 4 + "ggg", LOW_BLEU),  # 9 words
        (G1, G2.replace(" ", ""), LENGTHS),
        ("Birds sing in trees", "Cars stop at lights", LOW_BLEU),
        (G1, G1 + " Yes.", HIGH_BLEU),
    ],
)
def test_each_filter_names_its_reason(one: str, other: str, reason: str) -> None:
    assert make_filter()(one, other) == reason


def test_bleu_is_the_mean_of_both_directions(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = "the cat sat on the mat now", "the cat sat on a mat"
    # Of 7 and 6 words, 5 match ("the" once), 3 bigrams, 2 trigrams and one 4-gram.
    forth = math.prod([5 / 7, 3 / 6, 2 / 5, 1 / 4]) ** 0.25
    back = math.prod([5 / 6, 3 / 5, 2 / 4, 1 / 3]) ** 0.25 * math.exp(1 - 7 / 6)
    score = 100 * (forth + back) / 2
    for low, high, reason in (
        (score - 1e-9, score + 1e-9, None),
        (score + 1e-9, 100, LOW_BLEU),
        (0, score - 1e-9, HIGH_BLEU),
    ):
        monkeypatch.setattr(candidates, "MIN_BLEU", low)
        monkeypatch.setattr(candidates, "MAX_BLEU", high)
        assert make_filter()(one, other) == make_filter()(other, one) == reason


# Selection


@pytest.mark.parametrize(
    ("n_highlighted", "n_words", "theta", "chosen"),
    [
        (1, 20, 0.05, True),
        (1, 19, 0.05, False),
        (3, 60, 0.05, True),
        (7, 140, 0.05, True),
        (0, 5, 0, True),
        (1, 1000, 0, False),
        (5, 5, 1, True),
    ],
)
def test_theta_itself_is_allowed(
    n_highlighted: int, n_words: int, theta: float, chosen: bool
) -> None:
    tags = [1] * n_highlighted + [0] * (n_words - n_highlighted)
    for cut in (0, 2, n_words):
        assert (highlighted_share(tags[:cut], tags[cut:]) <= theta) is chosen


def test_pairs_without_tags_are_not_highlighted() -> None:
    assert highlighted_share(None, None) == 0


def test_shared_corpus_has_the_count_of_its_card(find_corpus: Callable[[str], Path]) -> None:
    # Its README counts the pairs without highlights: those that theta 0 selects.
    lines = find_corpus("paratag/train.jsonl").read_text(encoding="utf8").splitlines()
    pairs = [parse_pair(line, "train.jsonl") for line in lines]
    assert sum(highlighted_share(pair.tags1, pair.tags2) == 0 for pair in pairs) == 411


# Pairs as text and words


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("However , use of the 2.6.0 kernel .", "However, use of the 2.6.0 kernel."),
        ("It ca n't ( yet ) be done , they 've said !", "It can't (yet) be done, they've said!"),
        ("He said : `` Go . ''", 'He said: "Go."'),
        ('" Go , " he said .', '"Go," he said.'),
        ("he said so . ''", 'he said so."'),
        ("``", '"'),
        ("makers ' earnings", "makers' earnings"),
        ("he called ' it ' a day", "he called 'it' a day"),
        ("$ 2.5 billion -LRB- 12 % -RRB-", "$2.5 billion (12%)"),
        ("a - b -- c", "a - b -- c"),
        ("", ""),
    ],
)  # fmt: skip
def test_words_become_text_as_people_write_it(words: str, text: str) -> None:
    assert text_from_words(words.split()) == text


def test_given_texts_are_not_rebuilt_from_words() -> None:
    record = {"id": "x", "sent1": ["It", "rose"], "sent2": ["It", "grew"], "text1": "It  rose"}
    pair = parse_sentence_pair(Line("a:1", json.dumps(record)))
    assert pair.texts == ("It rose", "It grew")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("nonsense", "a:1: .*JSON"),
        ("[1]", "a:1: .*object"),
        ('{"text1": "x"}', "a:1: .*text1"),
        ('{"text1": "x", "text2": 3}', "a:1: .*text2"),
        ('{"text1": "x", "text2": " "}', "a:1: "),
        ('{"text1": "x", "text2": "\\ud800"}', "a:1: .*character"),
        ('{"sent1": ["x"], "sent2": "y"}', "'sent2'"),
        ('{"sent1": ["x"], "sent2": ["y"], "tags1": [0], "tags2": [2]}', "'tags2'"),
    ],
)
def test_bad_lines_are_errors(line: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_sentence_pair(Line("a:1", line))


def test_pairs_repeated_from_the_prompt_are_dropped() -> None:
    prompt = build_prompt([(G1, G2), (A1, A2)])
    output = prompt + f"Premise: {G4}\nParaphrase: {G3}\nPremise: cut"
    line = Line("a:1", json.dumps({"id": "p1", "prompt": prompt, "output": output}))
    assert [(pair.id, pair.texts) for pair in parse_source(line)] == [("p1.3", (G4, G3))]


# The tagger


@pytest.fixture(scope="module")
def nlp() -> Language:
    return make_stand_in()


def test_tagger_marks_the_words_that_the_other_text_lacks(nlp: Language) -> None:
    given = [
        SentencePair("1", "It rose.", "It grew."),
        SentencePair("2", "It rose", "it ROSE", ["It", "rose"], ["it", "ROSE"]),
        SentencePair("3", "a", "b", ["a"], ["b"], [0], [0]),  # keeps its tags
    ]
    first, second, third = tag_pairs(nlp, given)
    assert first == given[0]._replace(
        words1=["It", "rose", "."], words2=["It", "grew", "."], tags1=[0, 1, 0], tags2=[0, 1, 0]
    )
    assert second == given[1]._replace(tags1=[0, 0], tags2=[0, 0])
    assert third is given[2]


def test_a_pair_that_cannot_be_tagged_does_not_stop_the_others(nlp: Language) -> None:
    pairs = [SentencePair("1", "It rose.", "It grew."), SentencePair("2", "It rose", "")]
    good, bad = tag_pairs(nlp, pairs)
    assert isinstance(good, SentencePair)
    assert isinstance(bad, ValueError)
    assert "Text 2 of pair '2'" in str(bad)


# Files


def write_lines(path: Path, *records: object) -> Path:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf8")
    return path


def select(source: Path, output: Path, nlp: Language | None = None, **settings):
    return candidates.select_pairs(
        [source],
        output,
        nlp=nlp,
        tagger=None if nlp is None else "stand-in",
        **settings,
    )


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf8").splitlines()]


def test_answers_become_candidates(tmp_path: Path) -> None:
    answer = build_prompt([(G1, G2), ("It rose.", "It grew."), (G2, G1), (G3, G4)]) + "Premise: He"
    source = write_lines(tmp_path / "in.jsonl", {"id": "p1", "output": answer}, "nonsense", "")
    report = select(source, tmp_path / "out.jsonl")
    assert report == (2, {"too short": 1, "duplicate": 1}, 1)
    records = read(tmp_path / "out.jsonl")
    assert [record["id"] for record in records] == ["p1.1", "p1.4"]
    assert records[0]["text1"] == G1
    assert "tags1" not in records[0]
    (error,) = read(tmp_path / "out.jsonl.errors.jsonl")
    assert error["place"] == f"{source}:2"
    assert error["reason"].startswith("invalid JSON")


def test_preselection_keeps_pairs_without_highlights(tmp_path: Path, nlp: Language) -> None:
    same = {"id": "same", "text1": "it rose in the hall", "text2": "in the hall it rose"}
    source = write_lines(tmp_path / "in.jsonl", {"text1": G1, "text2": G2}, same)
    report = select(source, tmp_path / "out.jsonl", nlp, is_filtered=False, theta=0)
    assert report == (1, {"highlighted": 1}, 0)
    (record,) = read(tmp_path / "out.jsonl")
    parse_pair(json.dumps(record), "out.jsonl:1")  # as the tagger's corpus reads it
    assert (record["id"], record["tags1"], record["tags2"]) == ("same", [0] * 5, [0] * 5)


def test_tags_of_the_file_decide_and_need_no_filter(tmp_path: Path) -> None:
    words = ["w"] * 10
    records = [
        {
            "id": n,
            "sent1": words,
            "sent2": [f"v{n}"] * 10,
            "tags1": [1] * n + [0] * (10 - n),
            "tags2": [0] * 10,
        }
        for n in range(4)
    ]
    source = write_lines(tmp_path / "in.jsonl", *records)
    assert select(source, tmp_path / "out.jsonl") == (2, {"highlighted": 2}, 0)
    assert [record["id"] for record in read(tmp_path / "out.jsonl")] == ["0", "1"]
    assert select(source, tmp_path / "out.jsonl", theta=0.1).n_kept == 3


def test_lines_that_are_not_utf8_are_skipped(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    good = json.dumps({"text1": G1, "text2": G2}).encode()
    source.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n" + b'{"text1": "\xff"}\n')
    report = select(source, tmp_path / "out.jsonl")
    assert (report.n_kept, report.n_errors) == (1, 1)
    (error,) = read(tmp_path / "out.jsonl.errors.jsonl")
    assert error == {
        "place": f"{source}:2",
        "reason": "the line must be UTF-8 (invalid start byte). Save the file as UTF-8.",
    }


def test_errors_of_an_earlier_job_are_deleted(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", "nonsense")
    select(source, tmp_path / "out.jsonl")
    write_lines(source, {"text1": G1, "text2": G2})
    select(source, tmp_path / "out.jsonl")
    assert {path.name for path in tmp_path.iterdir()} == {"in.jsonl", "out.jsonl"}


def many_records() -> list[object]:
    """Make enough lines for three parts, some of them bad and some of them duplicates."""
    records: list[object] = []
    for n in range(2 * candidates.PART_LINES + 40):
        texts = {"text1": G1.replace("Spotlight", f"S{n % 280}"), "text2": f"{G2} {n % 280}"}
        records.append("nonsense" if n % 50 == 7 else texts)
    return records


@pytest.mark.parametrize("n_calls", [0, 1, 2])
def test_an_interrupted_selection_ends_in_the_same_bytes(
    tmp_path: Path, nlp: Language, n_calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_lines(tmp_path / "in.jsonl", *many_records())
    whole = select(source, tmp_path / "whole.jsonl", nlp, theta=1.0)
    assert whole.n_kept > candidates.PART_LINES
    assert whole.dropped["duplicate"]
    output = tmp_path / "out.jsonl"
    calls = 0

    def stop(nlp_: Language, pairs: list) -> list:
        nonlocal calls
        calls += 1
        if calls > n_calls:
            raise KeyboardInterrupt
        return tag_pairs(nlp_, pairs)

    with monkeypatch.context() as patch:
        patch.setattr(candidates, "tag_pairs", stop)
        with pytest.raises(KeyboardInterrupt):
            select(source, output, nlp, theta=1.0)
    assert not output.exists()
    job = tmp_path / "out.jsonl.job"
    assert job.exists() is (n_calls > 0)
    if n_calls:  # as if killed while it was writing
        (job / f"{n_calls:08}.json.77.partial").write_text('{"kept": [{"id')
    assert select(source, output, nlp, theta=1.0) == whole
    for suffix in ("", ".errors.jsonl"):
        ours, other = (tmp_path / f"{name}.jsonl{suffix}" for name in ("out", "whole"))
        assert ours.read_bytes() == other.read_bytes()
    assert not job.exists()


def test_entries_of_another_job_are_not_used(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "in.jsonl", {"text1": G1, "text2": G2})
    output = tmp_path / "out.jsonl"
    select(source, output)

    class Stop(Exception):
        pass

    def stop(n: int) -> None:
        raise Stop

    with pytest.raises(Stop):
        candidates.select_pairs([source], output, on_lines=stop)
    with pytest.raises(ValueError, match=r"theta 0.05"):
        select(source, output, theta=0.5)
    write_lines(source, {"text1": G3, "text2": G4})
    with pytest.raises(ValueError, match=r"out\.jsonl"):
        select(source, output)
