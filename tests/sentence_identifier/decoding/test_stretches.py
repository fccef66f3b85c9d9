"""Scoring long documents in stretches, with the same result as for the whole document."""

import copy
import random
from functools import cache
from typing import Any

import numpy as np
import pytest
import tiny
from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier.decoding import stretches
from spacy_sentid.sentence_identifier.decoding.decode import Prediction
from spacy_sentid.sentence_identifier.decoding.stretches import (
    choose_cut,
    choose_end,
    find_sure_ends,
)
from spacy_sentid.sentence_identifier.network.tokens import BLANK, LINE_SHORT, SPACE

LINES = ["Page 3", "-- a list of tea --", "I sleep well. You wake up early and", "They sing.", ""]


def make_text() -> str:
    rng = random.Random(0)
    return "\n".join(rng.choice(LINES) for _ in range(150))


@cache
def trained() -> bytes:
    nlp = make()
    tiny.train(nlp, 20)
    return nlp.to_bytes()


def make(**settings: Any) -> Language:
    model = copy.deepcopy({**tiny.MODEL, "nsu_kinds": True})
    model["tok2vec"].update(line_features=True, abbreviations=True)
    return tiny.blank(model=model, **settings)


def predict(
    monkeypatch: pytest.MonkeyPatch, size: int, *, text: str | None = None, **settings: Any
) -> tuple[Doc, Prediction]:
    monkeypatch.setattr(stretches, "STRETCH_TOKENS", size)
    nlp = make(**settings).from_bytes(trained())
    doc = nlp.make_doc(make_text() if text is None else text)
    pipe = tiny.pipe_of(nlp)
    pipe.knows_kinds = True
    predictions = pipe.predict([doc])
    pipe.set_annotations([doc], predictions)
    return doc, predictions[0]


@pytest.mark.parametrize("size", [100, 300])
@pytest.mark.parametrize(
    "settings",
    [
        {"newline": "paragraph"},
        {"newline": "break", "nsu_span": "merged"},
        {"newline": "paragraph", "decoder": "bos_eos", "threshold": 0.1},
    ],
    ids=str,
)
def test_stretches_have_the_same_result_as_the_whole(
    monkeypatch: pytest.MonkeyPatch, size: int, settings: dict[str, Any]
) -> None:
    whole, expected = predict(monkeypatch, 10_000, **settings)
    doc, found = predict(monkeypatch, size, **settings)
    assert tiny.unit_texts(doc) == tiny.unit_texts(whole)
    assert len(set(found.units.is_su.tolist())) == 2
    for name in ("flags", "kinds"):
        a, b = getattr(found, name), getattr(expected, name)
        assert np.allclose(a, b, atol=1e-4)
    for key in ("su", "nsu"):
        for name, values in whole.spans[key].attrs.items():
            assert np.allclose(doc.spans[key].attrs[name], values, atol=1e-5), name


def test_stretches_end_at_ends_of_lines_and_regions() -> None:
    rng = np.random.default_rng(0)
    gaps = rng.choice([SPACE, SPACE, LINE_SHORT, BLANK], size=500)
    gaps[0] = 0
    starts = np.flatnonzero((gaps == BLANK) | (rng.random(500) < 0.1) | (gaps == 0))
    ends = find_sure_ends(gaps, np.diff(np.append(starts, 500)))
    start = 0
    while start < 500:
        end, is_sure = choose_end(ends, start, 60)
        assert is_sure
        assert start < end <= start + 60
        assert end == 500 or (gaps[end] >= LINE_SHORT and end in starts)
        start = end


@pytest.mark.parametrize(
    ("separator", "newline"), [(" ", "paragraph"), ("\n", "paragraph"), ("\n", "learned")]
)
def test_a_text_without_blank_lines_is_cut_where_a_unit_starts(
    monkeypatch: pytest.MonkeyPatch, separator: str, newline: str
) -> None:
    text = separator.join(line for line in make_text().splitlines() if line)
    whole, expected = predict(monkeypatch, 10_000, text=text, newline=newline)
    seen = []
    monkeypatch.setattr(
        stretches, "choose_cut", lambda *args: seen.append(choose_cut(*args)) or seen[-1]
    )
    doc, found = predict(monkeypatch, 250, text=text, newline=newline)
    assert len(seen) >= 2
    assert np.isin(seen, expected.units.starts).all()
    assert tiny.unit_texts(doc) == tiny.unit_texts(whole)
    for name in ("flags", "kinds"):
        assert np.allclose(getattr(found, name), getattr(expected, name), atol=1e-4)
    differences = [
        abs(doc.spans[key].attrs["scores"] - whole.spans[key].attrs["scores"])
        for key in ("su", "nsu")
    ]
    # Next to a cut, scores can differ with a model that has learned as little as this one.
    assert np.median(np.concatenate(differences)) < 1e-5


@pytest.mark.parametrize("size", [1, 2, 20])
def test_a_text_without_unit_starts_is_cut_anywhere(
    monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    doc, found = predict(monkeypatch, size, text="word " * 1000, newline="paragraph")
    assert len(found.flags) == len(doc) == 1000
    tiny.assert_sane(doc, doc.text)
