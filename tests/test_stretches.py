"""Long documents are scored in stretches; what comes out is what the whole document gives."""

import copy
import random
from functools import cache
from typing import Any

import numpy as np
import pytest
import tiny
from spacy.tokens import Doc

from spacy_sentid.sentence_identifier import stretches
from spacy_sentid.sentence_identifier.decode import Prediction
from spacy_sentid.sentence_identifier.features import BLANK, LINE_SHORT, SPACE
from spacy_sentid.sentence_identifier.stretches import find_stretches

LINES = ["Page 3", "-- a list of tea --", "I sleep well. You wake up early and", "They sing.", ""]


def make_text() -> str:
    rng = random.Random(0)
    return "\n".join(rng.choice(LINES) for _ in range(150))


@cache
def trained(unidirectional: bool) -> bytes:
    return make(unidirectional)[1].to_bytes()


def make(unidirectional: bool, **settings: Any) -> Any:
    model = copy.deepcopy({**tiny.MODEL, "nsu_kinds": True, "unidirectional": unidirectional})
    lines = {"line_features": not unidirectional, "abbreviations": True}
    model["tok2vec"].update(unidirectional=unidirectional, **lines)
    nlp = tiny.blank(model=model, **settings)
    if settings:
        return nlp.from_bytes(trained(unidirectional))
    tiny.train(nlp, 20)
    return tiny.pipe_of(nlp), nlp


def predict(
    monkeypatch: pytest.MonkeyPatch, size: int, unidirectional: bool = False, **settings: Any
) -> tuple[Doc, Prediction]:
    monkeypatch.setattr(stretches, "STRETCH_TOKENS", size)
    nlp = make(unidirectional, **settings)
    doc = nlp.make_doc(make_text())
    pipe = tiny.pipe_of(nlp)
    pipe.knows_kinds = True
    predictions = pipe.predict([doc])
    pipe.set_annotations([doc], predictions)
    return doc, predictions[0]


@pytest.mark.parametrize("size", [1, 20, 100])
@pytest.mark.parametrize(
    "settings",
    [
        {"newline": "paragraph"},
        {"newline": "break", "nsu_span": "merged"},
        {"newline": "paragraph", "decoder": "bos_eos", "threshold": 0.1},
        {"newline": "paragraph", "unidirectional": True},
    ],
    ids=str,
)
def test_stretches_give_what_the_whole_gives(
    monkeypatch: pytest.MonkeyPatch, size: int, settings: dict[str, Any]
) -> None:
    whole, expected = predict(monkeypatch, 10_000, **settings)
    doc, found = predict(monkeypatch, size, **settings)
    assert tiny.unit_texts(doc) == tiny.unit_texts(whole)
    assert len(set(found.tiles.is_su.tolist())) == 2
    for name in ("flags", "kinds"):
        a, b = getattr(found, name), getattr(expected, name)
        assert np.allclose(a, b, atol=1e-4)
    for key in ("su", "nsu"):
        for name, values in whole.spans[key].attrs.items():
            assert np.allclose(doc.spans[key].attrs[name], values, atol=1e-5), name


def test_stretches_tile_the_tokens_and_end_where_blocks_do() -> None:
    rng = np.random.default_rng(0)
    gaps = rng.choice([SPACE, SPACE, LINE_SHORT, BLANK], size=500)
    gaps[0] = 0
    starts = np.flatnonzero((gaps == BLANK) | (rng.random(500) < 0.1) | (gaps == 0))
    blocks = np.diff(np.append(starts, 500))
    found = list(find_stretches(gaps, blocks, 60))
    assert [start for start, _ in found] == [0, *(end for _, end in found[:-1])]
    assert found[-1][1] == 500
    assert all(gaps[start] >= LINE_SHORT and start in starts for start, _ in found[1:])
    assert max(end - start for start, end in found) <= 60


def test_a_text_without_blank_lines_is_one_stretch() -> None:
    assert list(find_stretches(np.full(50, SPACE), np.asarray([50]), 10)) == [(0, 50)]
    assert list(find_stretches(np.zeros(0, "int64"), np.zeros(0, "int64"), 10)) == [(0, 0)]
