"""Bundled weights: 16-bit parameters, word vectors, and the other files."""

from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from spacy.strings import get_string_id

from spacy_sentid.sentence_identifier.network.word_vectors import get_word_vectors
from studies.weights.bundle import bundle_weights
from studies.weights.identifier import ORIGIN
from tests import tiny


def test_bundled_weights_predict_nearly_the_same(tmp_path: Path) -> None:
    keys = np.sort(np.asarray([get_string_id(word) for word in ("cats", "sleep")], dtype="uint64"))
    np.savez(tmp_path / "v.npz", keys=keys, rows=np.asarray([[90, -5], [3, 80]], dtype="int8"))
    model = deepcopy(tiny.MODEL)
    model["tok2vec"]["vector_width"] = 2
    nlp = tiny.blank(model=model)
    pipe = tiny.pipe_of(nlp)
    pipe.initialize(lambda: tiny.examples(nlp), nlp=nlp, word_vectors=tmp_path / "v.npz")
    nlp.to_disk(tmp_path / "pipeline")
    (tmp_path / "metrics.json").write_text("{}", encoding="utf8")
    target = tmp_path / "weights"
    meta = bundle_weights(
        tmp_path / "pipeline", target, ORIGIN, metrics=tmp_path / "metrics.json", command="train"
    )
    assert meta["bytes"] < (tmp_path / "pipeline/sentence_identifier/model").stat().st_size
    assert {"LICENSE", "README.md", "SOURCES.txt", "cfg", "config.cfg", "meta.json", "model"} == {
        file.name for file in target.iterdir()
    }
    loaded = tiny.blank(model=model, pretrained=str(target))
    before, after = (
        part.pipeline[0][1].model.predict(part.pipeline[0][1]._read(tiny.examples(part))[0])
        for part in (nlp, loaded)
    )
    assert after.flags.dtype == np.float32
    assert after.flags == pytest.approx(before.flags, abs=0.02)
    assert get_word_vectors(tiny.pipe_of(loaded).model.get_ref("tok2vec")).rows.any()
