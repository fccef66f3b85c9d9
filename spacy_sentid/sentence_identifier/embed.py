"""Turn a trained pipeline into embedded weights of this package (for maintainers).

pipeline folder, metrics -> model, cfg, config.cfg, meta.json, README.md, LICENSE
"""

import json
import shutil
from pathlib import Path
from typing import Any

from spacy import util

from ..about import __version__

COMPONENT = "sentence_identifier"
MAX_BYTES = 8_000_000
TRAINED_ON = (
    "Universal Dependencies English EWT r2.16, train (Natalia Silveira et al.; "
    "https://github.com/UniversalDependencies/UD_English-EWT)"
)
LICENSE_NAME = "CC-BY-SA-4.0"
LICENSE_TEXT = """\
The files in this folder are licensed under the Creative Commons Attribution-ShareAlike 4.0
International License (https://creativecommons.org/licenses/by-sa/4.0/legalcode).

They are weights of a statistical model trained on the Universal Dependencies English Web Treebank
(UD English EWT r2.16, https://github.com/UniversalDependencies/UD_English-EWT), which is licensed
under the same terms. Attribution: Natalia Silveira, Timothy Dozat, Marie-Catherine de Marneffe,
Samuel Bowman, Miriam Connor, John Bauer, Christopher D. Manning (2014), A Gold Standard Dependency
Corpus for English, LREC 2014, and the contributors named in the treebank's README. The texts of the
treebank are not contained in this folder.

The code of spacy-sentid is licensed under the MIT License, see LICENSE at its root.
"""
README_TEXT = """\
# {name}

The default weights of `sentence_identifier` for English, version {version}.

- Trained on: {trained_on}. No other text.
- Chosen on: its dev split. Licence: {license}, see LICENSE in this folder.
- Rebuild, from the root of the repository (the folder holds the CoNLL-U files of the treebank):

      {command}

- Scores on its test split are in `meta.json` (`performance`, 0 to 1), measured by that command's
  step `evaluate-identifier`.
"""


def embed_weights(pipeline: Path, target: Path, *, metrics: Path, command: str) -> dict[str, Any]:
    """Fill a folder with the weights of a pipeline's identifier and what must go with them.

    metrics: JSON written by 'spacy-sentid evaluate'. command: How the pipeline was made.
    RETURNS: The meta data that were written.

    Raises ValueError if the pipeline has no identifier, or its weights are too large to embed.
    """
    source = pipeline / COMPONENT
    if not (source / "model").is_file():
        raise ValueError(
            f"Found no {COMPONENT}/model in {pipeline}, expected the folder of a trained pipeline. "
            "Train one with 'spacy project run all'."
        )
    if not command.strip():
        raise ValueError("The command that rebuilds the weights is empty. Give it with --command.")
    size = (source / "model").stat().st_size
    if size > MAX_BYTES:
        raise ValueError(
            f"The weights have {size:,} bytes, expected at most {MAX_BYTES:,}. Make 'rows' or "
            "'width' of the encoder smaller."
        )
    pipeline_meta = json.loads((pipeline / "meta.json").read_text(encoding="utf8"))
    meta = {
        "name": target.name,
        "lang": pipeline_meta["lang"],
        "version": __version__,
        "spacy_version": pipeline_meta["spacy_version"],
        "license": LICENSE_NAME,
        "sources": [TRAINED_ON],
        "command": command,
        "bytes": size,
        "performance": _read_performance(metrics),
    }
    target.mkdir(parents=True, exist_ok=True)
    for name in ("model", "cfg"):
        shutil.copyfile(source / name, target / name)
    config = util.load_config(pipeline / "config.cfg")
    config["paths"] = dict.fromkeys(config.get("paths", {}))  # those of the machine it was made on
    config.to_disk(target / "config.cfg")
    (target / "meta.json").write_text(json.dumps(meta, indent=1) + "\n", encoding="utf8")
    (target / "LICENSE").write_text(LICENSE_TEXT, encoding="utf8")
    readme = README_TEXT.format(
        name=target.name,
        version=__version__,
        trained_on=TRAINED_ON,
        license=LICENSE_NAME,
        command=command,
    )
    (target / "README.md").write_text(readme, encoding="utf8")
    return meta


def _read_performance(metrics: Path) -> dict[str, Any]:
    """Read scores and settings, without the paths of the machine they were measured on."""
    performance = json.loads(metrics.read_text(encoding="utf8"))
    for name in ("model", "treebank"):
        performance["settings"].pop(name, None)
    return performance
