"""Turn a trained pipeline into bundled weights of the package.

pipeline folder, metrics, origin -> model, cfg, config.cfg, meta.json, README.md, LICENSE
"""

import json
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spacy import util

from spacy_sentid.about import __version__
from spacy_sentid.components.weights import weights_from_bytes, weights_to_bytes

MAX_BYTES = 8_000_000
README_TEXT = """\
# {name}

The default weights of `{component}` for {language}, version {version}.

{trained_on}
- Chosen on: {chosen_on}. Licence: {license}, see LICENSE in this folder.
- Rebuild, from the root of the repository:

      {command}

- Scores on test data are in `meta.json` (`performance`, 0 to 1).
"""


class Origin(NamedTuple):
    """Sources, licence and model card of the weights of a component."""

    component: str
    trained_on: list[str]
    chosen_on: str
    license_name: str
    license_text: str
    language: str = "English"
    sources: Path | None = None  # list of sources, copied next to the weights
    card: Path | None = None  # Markdown at the end of the README


def bundle_weights(
    pipeline: Path, target: Path, origin: Origin, *, metrics: Path, command: str
) -> dict[str, Any]:
    """Write the weights of a component to a folder, with its config, licence and README.

    metrics: JSON file of scores. Local paths in its 'settings' are removed.
    command: The command that trained the pipeline.
    RETURNS: The content of meta.json.

    Raises ValueError if the pipeline lacks the component, `command` is empty, or the weights are
    too large to bundle.
    """
    source = pipeline / origin.component
    if not (source / "model").is_file():
        raise ValueError(
            f"{pipeline} must be the folder of a trained pipeline, but {origin.component}/model is "
            "missing. Train one with 'spacy project run'."
        )
    if not command.strip():
        raise ValueError("--command must be the command that rebuilds the weights, got nothing.")
    weights = _halve((source / "model").read_bytes())
    size = len(weights)
    if size > MAX_BYTES:
        raise ValueError(
            f"The weights must have at most {MAX_BYTES:,} bytes, got {size:,}. Reduce 'rows' or "
            "'width' of the encoder."
        )
    pipeline_meta = json.loads((pipeline / "meta.json").read_text(encoding="utf8"))
    meta = {
        "name": target.name,
        "lang": pipeline_meta["lang"],
        "version": __version__,
        "spacy_version": pipeline_meta["spacy_version"],
        "license": origin.license_name,
        "sources": origin.trained_on,
        "command": command,
        "bytes": size,
        "performance": _read_performance(metrics),
    }
    target.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source / "cfg", target / "cfg")
    (target / "model").write_bytes(weights)
    config = util.load_config(pipeline / "config.cfg")
    config["paths"] = dict.fromkeys(config.get("paths", {}))  # local paths of the training machine
    for corpus in config.get("corpora", {}).values():
        if not str(corpus.get("path", "$")).startswith("$"):
            corpus["path"] = None
    config["components"][origin.component]["pretrained"] = None  # local path of the initial weights
    features = config["components"][origin.component]["model"].get("features") or {}
    if "lexicon" in features:
        features["lexicon"] = "auto"  # the lexicon in these weights
    config.to_disk(target / "config.cfg")
    (target / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf8")
    (target / "LICENSE").write_text(origin.license_text, encoding="utf8")
    readme = README_TEXT.format(
        name=target.name,
        version=__version__,
        component=origin.component,
        language=origin.language,
        trained_on="\n".join(f"- Trained on: {source}." for source in origin.trained_on),
        chosen_on=origin.chosen_on,
        license=origin.license_name,
        command=command,
    )
    if origin.card is not None:
        readme += "\n" + origin.card.read_text(encoding="utf8")
    (target / "README.md").write_text(readme, encoding="utf8")
    if origin.sources is not None:
        shutil.copyfile(origin.sources, target / "SOURCES.txt")
    return meta


def _halve(weights: bytes) -> bytes:
    """Convert parameters from 32 to 16 bits; `weights_from_bytes` converts them back."""
    message = weights_from_bytes(weights)
    for params in message["params"]:
        floats = {k: v for k, v in params.items() if getattr(v, "dtype", None) == np.float32}
        params.update({k: v.astype("float16") for k, v in floats.items()})
    return weights_to_bytes(message)


def _read_performance(metrics: Path) -> dict[str, Any]:
    """Read scores and settings, and remove the local paths."""
    performance = json.loads(metrics.read_text(encoding="utf8"))
    for name in ("model", "treebank"):
        performance.get("settings", {}).pop(name, None)
    performance.pop("models", None)
    return performance
