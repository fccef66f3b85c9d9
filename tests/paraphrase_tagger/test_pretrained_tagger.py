"""The bundled weights of the paraphrase tagger: the example of the README, size, licence."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import spacy
import srsly
from spacy.language import Language

import spacy_sentid
from spacy_sentid.paraphrase_tagger.corpus import SUPPORT, read_pairs
from spacy_sentid.pretrained import FOLDER
from studies.weights.pair_evaluation import predict_pairs, score_at, tag_by_overlap

BUNDLED = FOLDER / "en_paratag_sm"
MAX_SIZE = 8 * 1024 * 1024
SAMPLE = Path(__file__).parents[2] / "assets" / "sample" / "paraphrase"


@pytest.fixture(scope="module")
def nlp() -> Language:
    nlp = spacy.blank("en")
    nlp.add_pipe("paraphrase_tagger")
    return nlp


def unparaphrased(nlp: Language, text1: str, text2: str) -> list[str]:
    doc = nlp(spacy_sentid.make_pair(nlp, text1, text2))
    return [span.text for span in doc.spans["unparaphrased"]]


def test_the_readme_example_works_at_once(nlp: Language) -> None:
    assert unparaphrased(nlp, "Sales rose in May.", "In May, sales fell.") == ["rose", "fell"]


@pytest.mark.parametrize(
    ("text1", "text2", "spans"),
    [
        ("The fund paid 2.5 billion dollars.", "The fund paid 1.6 billion dollars.",
         ["2.5", "1.6"]),
        ("He left on Monday.", "He left on Tuesday.", ["Monday", "Tuesday"]),
        ("The cat sat on the mat.", "The cat sat on the mat.", []),
        ("The report was published by the ministry.", "The ministry published the report.", []),
    ],
)  # fmt: skip
def test_plain_cases(nlp: Language, text1: str, text2: str, spans: list[str]) -> None:
    assert unparaphrased(nlp, text1, text2) == spans


def test_scores_of_texts_order_a_faithful_and_a_made_up_summary(nlp: Language) -> None:
    source = "The mayor opened the new bridge on Friday. It cost nine million euros."
    texts = ["The mayor opened the bridge.", "The queen closed the bridge."]
    faithful, made_up = spacy_sentid.score_pairs(texts, [source] * 2, nlp=nlp, perspective="p")
    assert faithful.p > made_up.p
    assert faithful.supported_p > made_up.supported_p


def test_they_are_better_than_overlap_on_our_own_test_pairs(nlp: Language) -> None:
    pairs = list(read_pairs(SAMPLE / "test.jsonl"))
    tagged = score_at(predict_pairs(nlp, pairs), 0.5)["unparaphrased_f"]
    for function_words in (True, False):
        overlap = [tag_by_overlap(pair, function_words=function_words) for pair in pairs]
        assert tagged > score_at(overlap, 0.5)["unparaphrased_f"]


def test_support_is_finite_for_odd_texts(nlp: Language) -> None:
    odd = "\u200b 😀 1e999 -5 ' '' … 日本語 " + "x" * 300
    doc = nlp(spacy_sentid.make_pair(nlp, odd, "a \n\n\t b " + odd))
    assert np.isfinite(doc.spans["unparaphrased"].attrs[SUPPORT]).all()


def test_the_weights_are_small_and_say_what_they_are() -> None:
    assert sum(file.stat().st_size for file in BUNDLED.iterdir()) <= MAX_SIZE
    meta = srsly.read_json(BUNDLED / "meta.json")
    assert "CC-BY-SA" in meta["license"]
    assert meta["command"]
    assert any("Edinburgh++" in source for source in meta["sources"])
    licence = (BUNDLED / "LICENSE").read_text(encoding="utf8")
    assert "WordNet 3.1 Copyright 2011 by Princeton University" in licence


def test_initialize_keeps_them() -> None:
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("paraphrase_tagger")
    before = pipe.model.to_bytes()
    doc = spacy_sentid.make_pair(nlp, "a b", "a c")
    doc.spans["unparaphrased"] = []
    nlp.initialize(lambda: [spacy.training.Example(doc.copy(), doc)])
    assert pipe.model.to_bytes() == before


def test_a_new_model_takes_over_their_lexicon() -> None:
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe("paraphrase_tagger", config={"pretrained": None})
    doc = spacy_sentid.make_pair(nlp, "a b", "a c")
    doc.spans["unparaphrased"] = []
    nlp.initialize(lambda: [spacy.training.Example(doc.copy(), doc)])
    assert len(pipe.model.get_ref("features").get_param("lexicon_forms")) > 30_000


def test_they_work_without_torch() -> None:
    code = """
import sys
for name in ("torch", "transformers", "spacy_transformers", "sacrebleu", "scipy"):
    sys.modules[name] = None
import catalogue
find = catalogue.Registry._get_entry_points
catalogue.Registry._get_entry_points = lambda self: [
    point for point in find(self) if point.value.startswith("spacy_sentid")
]
import spacy, spacy_sentid
nlp = spacy.blank("en")
nlp.add_pipe("paraphrase_tagger")
doc = nlp(spacy_sentid.make_pair(nlp, "Sales rose in May.", "In May, sales fell."))
assert len(doc.spans["unparaphrased"]) == 2
"""
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert result.returncode == 0, result.stderr
