"""Three passes of a pretrained encoder, for +UNI of the study."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
import tiny

pytest.importorskip("spacy_transformers")

import torch
from tiny_encoders import HIDDEN, save_bert, save_roberta
from transformers import (
    AutoModel,
    DistilBertConfig,
    DistilBertModel,
)

from spacy_sentid.layers.word_case import N_CASE_CLASSES, find_cases
from studies.identifier import unidirectional
from studies.identifier.directed_passes import (
    DirectedEncoder,
    DirectedOptions,
    check_masks,
    directed_masks,
    without_gaps,
)

torch.set_num_threads(1)
IDS = [0, 11, 12, 13, 14, 15, 16, 2]


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    torch.manual_seed(0)
    made = tmp_path_factory.mktemp(request.param)
    (save_bert if request.param == "bert" else save_roberta)(made)
    return made


def make_encoder(folder: Path, *, cases: bool = False) -> DirectedEncoder:
    options = DirectedOptions({"cases": N_CASE_CLASSES} if cases else {}, 0.005, False)
    return DirectedEncoder(AutoModel.from_pretrained(folder), options).eval()


def states_of(encoder: Any, ids: list[list[int]], **inputs: torch.Tensor) -> np.ndarray:
    tensor = torch.tensor(ids)
    inputs.setdefault("attention_mask", torch.ones(tensor.shape))
    with torch.no_grad():
        return encoder(input_ids=tensor, **inputs).last_hidden_state.numpy()


@pytest.mark.parametrize("k", [0, 3, 7])
def test_no_state_of_one_direction_sees_the_other(folder: Path, k: int) -> None:
    encoder = make_encoder(folder)
    other = list(IDS)
    other[k] = 30
    before, after = states_of(encoder, [IDS])[0], states_of(encoder, [other])[0]
    same = (before == after).reshape(len(IDS), 3, HIDDEN).all(axis=2)
    assert not same[:, 0].any()
    assert same[:, 1].tolist() == [i < k for i in range(len(IDS))]
    assert same[:, 2].tolist() == [i > k for i in range(len(IDS))]


def test_padding_changes_no_state_and_the_first_pass_is_the_plain_encoder(folder: Path) -> None:
    encoder = make_encoder(folder)
    pad = encoder.config.pad_token_id
    mask = torch.ones(2, len(IDS) + 5)
    mask[0, len(IDS) :] = 0
    batch = [IDS + [pad] * 5, [0, *range(10, 21), 2]]
    found = states_of(encoder, batch, attention_mask=mask)
    alone = states_of(encoder, [IDS])[0]
    assert np.isfinite(found).all()
    assert np.allclose(found[0, : len(IDS)], alone, atol=1e-5)
    plain = AutoModel.from_pretrained(folder).eval()
    assert np.allclose(alone[:, :HIDDEN], states_of(plain, [IDS])[0], atol=1e-5)


def test_masks_of_the_three_passes() -> None:
    masks = directed_masks(torch.tensor([[1.0, 1.0, 0.0]]))
    assert masks.int().tolist() == [
        [[1, 1, 0], [1, 1, 0], [1, 1, 0]],
        [[1, 0, 0], [1, 1, 0], [1, 1, 1]],
        [[1, 1, 0], [0, 1, 0], [0, 0, 1]],
    ]


def test_white_space_after_a_word_is_not_seen_in_the_pass_up_to_it(folder: Path) -> None:
    encoder = make_encoder(folder, cases=True)
    torch.nn.init.normal_(encoder.extra.cases.weight)
    at_spaces, at_line_ends = (
        torch.tensor([[0, 1, 5, 2, *map(int, find_cases(f"Us{gap}go", [[0, 2], [3, 5]])), 1, 0]])
        for gap in (" ", "\n")
    )
    k = 4  # the word before the gap
    assert torch.nonzero(at_spaces != at_line_ends).tolist() == [[0, k]]
    assert torch.equal(without_gaps(at_spaces), without_gaps(at_line_ends))
    before, after = (states_of(encoder, [IDS], cases=ids)[0] for ids in (at_spaces, at_line_ends))
    same = (before == after).reshape(len(IDS), 3, HIDDEN).all(axis=2)
    assert same[:, 1].all()
    assert same[:, 2].tolist() == [i > k for i in range(len(IDS))]


def test_an_encoder_without_3d_masks_is_an_error() -> None:
    config = DistilBertConfig(vocab_size=40, dim=16, n_layers=1, n_heads=2, hidden_dim=64)
    encoder = DirectedEncoder(DistilBertModel(config), DirectedOptions({}, 0.005, False))
    with pytest.raises(ValueError, match="direction"):
        check_masks(encoder, "distilbert")


def test_a_pipeline_with_three_passes_learns_and_is_saved(folder: Path) -> None:
    def blank() -> spacy.Language:
        nlp = spacy.blank("en")
        encoder = {
            "@architectures": "studies.DirectedTransformer.v1",
            "name": str(folder),
            "case_features": True,
            "freeze_embeddings": False,
            "tokenizer_config": {"use_fast": True},
            "transformer_config": {},
            "get_spans": {
                "@span_getters": "spacy-transformers.strided_spans.v1", "window": 16, "stride": 12,
            },
        }  # fmt: skip
        nlp.add_pipe("transformer", config={"model": encoder})
        listener = {
            "@architectures": "spacy-transformers.TransformerListener.v1",
            "grad_factor": 1.0,
            "pooling": {"@layers": "reduce_mean.v1"},
        }
        model = {
            "@architectures": "studies.UnidirectionalTagger.v1",
            "unidirectional_weight": 0.5,
            "segment_hidden": None,
            "segment_dropout": 0.0,
            "flags_hidden": 16,
            "tok2vec": listener,
        }
        nlp.add_pipe(unidirectional.NAME, name=tiny.NAME, config={"model": model})
        return nlp

    nlp = blank()
    egs = tiny.examples(nlp)
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: egs)
    optimizer.learn_rate = 0.005
    losses = [nlp.update(egs, sgd=optimizer)[tiny.NAME] for _ in range(20)]
    assert losses[-1] < losses[0] * 0.8
    loaded = blank().from_bytes(nlp.to_bytes())
    assert tiny.unit_texts(loaded(tiny.TEXT)) == tiny.unit_texts(nlp(tiny.TEXT))
    tiny.assert_sane(loaded(""), "")
