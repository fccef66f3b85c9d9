"""Training configs: spaCy accepts each as it is, and what two of them share is the same."""

from configparser import ConfigParser
from pathlib import Path

import pytest
import spacy
from spacy.cli.init_config import fill_config
from spacy.schemas import ConfigSchemaTraining
from spacy.training.initialize import init_nlp
from spacy.util import load_config, load_model_from_config, registry

import studies.weights.languages  # noqa: F401, registers a reader and a batcher

ROOT = Path(__file__).parents[2]
FOLDERS = ("configs", "studies/configs", "studies/weights/configs")
PATHS = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.cfg"))]
TRF = "components.transformer nlp system"
STEPS = "training training.optimizer.learn_rate"
MODEL = "components.sentence_identifier.model"
WEIGHTS = "studies/weights/configs/identifier"
# Config, a similar one, and the blocks that differ, also those inside them. All others are equal.
PAIRS = [
    (
        "configs/identifier_bos_eos",
        "configs/identifier",
        f"components.sentence_identifier corpora.train {STEPS}",
    ),
    (
        "configs/identifier_clean",
        "configs/identifier",
        "components.sentence_identifier components.sentence_identifier.decode_weights corpora "
        f"{STEPS}",
    ),
    (
        "configs/identifier_finetune",
        "configs/identifier",
        f"components.sentence_identifier corpora paths {STEPS}",
    ),
    (
        "configs/identifier_language",
        "configs/identifier_finetune",
        f"components.sentence_identifier corpora.train {STEPS}",
    ),
    (
        "configs/identifier_trf",
        "configs/identifier_bos_eos",
        f"{MODEL} corpora.dev training.batcher training.optimizer {STEPS} {TRF}",
    ),
    (
        "configs/identifier_trf_segments",
        "configs/identifier",
        f"components.sentence_identifier corpora.train training.batcher {STEPS} {TRF}",
    ),
    (
        "configs/paraphrase_trf",
        "configs/paraphrase",
        f"components.paraphrase_tagger nlp training.batcher training.optimizer {STEPS}",
    ),
    (
        "configs/paraphrase_paper",
        "configs/paraphrase_trf",
        "components.paraphrase_tagger corpora.train training.batcher training.optimizer "
        f"training.score_weights {STEPS}",
    ),
    (
        "configs/words_trf",
        "configs/words",
        "components.word_segmenter.model initialize training.batcher training.optimizer "
        f"{STEPS} {TRF}",
    ),
    (
        "studies/configs/identifier_study",
        "configs/identifier",
        f"components.sentence_identifier.decode_weights corpora.train {STEPS}",
    ),
    (
        "studies/configs/downstream_parser",
        "configs/parser",
        f"corpora training.batcher training.optimizer {STEPS}",
    ),
    (
        f"{WEIGHTS}_documents",
        "configs/identifier",
        f"components.sentence_identifier.loss_weights {MODEL} corpora.train initialize paths "
        f"training.batcher {STEPS}",
    ),
    (
        f"{WEIGHTS}_languages",
        f"{WEIGHTS}_documents",
        f"components.sentence_identifier.loss_weights corpora nlp paths training.batcher {STEPS}",
    ),
    (
        f"{WEIGHTS}_trf_documents",
        f"{WEIGHTS}_documents",
        f"{MODEL} initialize training.batcher {STEPS} {TRF}",
    ),
]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_spacy_accepts_each_config_as_it_is(path: Path, tmp_path: Path) -> None:
    if "transformer" in path.read_text(encoding="utf8"):
        pytest.importorskip("spacy_transformers", reason="needs the extra 'transformers'")
    fill_config(tmp_path / "filled.cfg", path, silent=True)
    config = load_config(path, interpolate=False)
    # `spacy train` reads these two before it adds defaults.
    assert {"seed", "gpu_allocator"} <= config["training"].keys()
    paths = {key: "x" for key, value in config["paths"].items() if value is None}
    filled = load_config(tmp_path / "filled.cfg", interpolate=False)
    filled["paths"].update(paths)
    filled = filled.interpolate()
    registry.resolve(filled["training"], schema=ConfigSchemaTraining)
    schedule = filled["training"]["optimizer"]["learn_rate"]
    if isinstance(schedule, dict) and "total_steps" in schedule:
        assert schedule["total_steps"] == filled["training"]["max_steps"]


@pytest.mark.parametrize(("name", "other", "blocks"), PAIRS, ids=[pair[0] for pair in PAIRS])
def test_similar_configs_differ_only_in_some_blocks(name: str, other: str, blocks: str) -> None:
    first, second = (read_blocks(ROOT / f"{path}.cfg") for path in (name, other))
    differ = {block for block in {*first, *second} if first.get(block) != second.get(block)}
    top = tuple(blocks.split())
    assert {block for block in differ if not is_inside(block, top)} == set()
    assert {block for block in top if not any(is_inside(found, (block,)) for found in differ)} == (
        set()
    )


def read_blocks(path: Path) -> dict[str, dict[str, str]]:
    """Read the text of each setting of each block."""
    parser = ConfigParser(interpolation=None)
    parser.read(path, encoding="utf8")
    return {block: dict(parser[block]) for block in parser.sections()}


def is_inside(block: str, others: tuple[str, ...]) -> bool:
    """Check if a block is one of others or in one of them, other than in [training]."""
    return any(
        block == other or (other != "training" and block.startswith(f"{other}."))
        for other in others
    )


@pytest.mark.parametrize(
    ("lang", "tokens"), [("en", ["我爱你", "。"]), ("zh", ["我", "爱", "你", "。"])]
)
def test_a_config_gets_the_tokenizer_of_the_language(lang: str, tokens: list[str]) -> None:
    overrides = {"nlp.lang": lang, "paths.train": "x", "paths.dev": "x"}
    config = load_config(ROOT / "configs/identifier.cfg", overrides=overrides)
    nlp = load_model_from_config(config, auto_fill=True)
    assert [token.text for token in nlp.make_doc("我爱你。")] == tokens


def test_the_clean_config_inserts_nsus_of_the_package(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    doc = nlp.make_doc("I like these cats. You like the other dogs.")
    doc.spans["su"], doc.spans["nsu"] = [doc[:5], doc[5:]], []
    data = spacy.tokens.DocBin(docs=[doc] * 20)
    data.to_disk(tmp_path / "clean.spacy")
    path = str(tmp_path / "clean.spacy")
    overrides = {"paths.train": path, "paths.dev": path}
    config = load_config(ROOT / "configs/identifier_clean.cfg", overrides=overrides)
    nlp = init_nlp(config)
    read = registry.resolve(config.interpolate()["corpora"])["train"]
    nsus = [span.text for example in read(nlp) for span in example.reference.spans["nsu"]]
    assert len(set(nsus)) > 3
