"""What a study trains and measures, and whether the runs that are there are of the same study.

treebanks -> Domains: converted train and dev, read test -> Plan -> plan.json beside the runs
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import spacy

from spacy_sentid.about import __version__
from spacy_sentid.files.atomic import open_output
from spacy_sentid.sentence_identifier.convert import convert_treebank, write_docs
from spacy_sentid.sentence_identifier.evaluation import (
    LabelledDocument,
    Setting,
    read_labelled_documents,
)
from spacy_sentid.sentence_identifier.segmenters import make_segmenter
from spacy_sentid.treebank import find_treebank_files


class Domain(NamedTuple):
    """A corpus to train on, and what is measured on its test split."""

    name: str
    folder: Path  # with train.spacy and dev.spacy, made by the study
    max_steps: int | None  # of the paper's systems; None = as their config says. Ours has its own
    ours: Path  # our config for it
    test: list[LabelledDocument]
    settings: tuple[Setting, ...]
    digest: str = ""  # of the files of the treebank


@dataclass(frozen=True)
class Plan:
    """What a study trains, and where it puts it."""

    out: Path
    domains: tuple[Domain, ...]
    paper_config: Path
    systems: tuple[str, ...]
    seeds: tuple[int, ...]
    lang: str = "en"
    # Between the units of evaluation texts; if not "space", also of the texts to train on.
    layout: str = "space"
    gpu_id: int = -1
    # Of every config that has such a block.
    overrides: Mapping[str, Any] = field(default_factory=dict)
    threads: int | None = None  # of each run; None = as the libraries choose


def prepare_domain(
    out: Path,
    name: str,
    folder: Path,
    *,
    all_su: bool,
    max_steps: int | None,
    ours: Path,
    lang: str,
    segmenter: str,
) -> Domain:
    """Convert the splits of a treebank that are trained with, and read its test split.

    all_su: All units are sentences: it is measured as in Table 13, without postprocessing.
    segmenter: See `make_segmenter`; ValueError here, not after the trainings, if there is none.
    """
    make_segmenter(segmenter, lang=lang)
    files = {split: find_treebank_files(folder, split) for split in ("train", "dev", "test")}
    digest = sha256(lang.encode("utf8"))
    for path in (path for paths in files.values() for path in paths):
        digest.update(path.read_bytes())
    # What was converted from other files is not taken for it.
    corpus = out / "corpus" / f"{name}-{digest.hexdigest()[:12]}"
    nlp = spacy.blank(lang)
    for split in ("train", "dev"):
        converted = corpus / f"{split}.spacy"
        if not converted.exists():
            docs = (
                doc for path in files[split] for doc in convert_treebank(path, nlp, all_su=all_su)
            )
            write_docs(docs, converted)
    test = read_labelled_documents(files["test"], all_su=all_su)
    settings = [Setting(p_cc=0.5), Setting(p_cc=0.0)]
    if not all_su:
        settings.append(Setting(segmenter=segmenter))
    return Domain(name, corpus, max_steps, ours, test, tuple(settings), digest.hexdigest())


def check_plan(plan: Plan) -> None:
    """Note beside the runs what they are of; ValueError if those there are of another study.

    Systems and seeds may differ: a study can be extended.
    """
    description = describe_plan(plan)
    path = plan.out / "plan.json"
    done = sorted((plan.out / "runs").glob("*.json"))
    if done and not path.exists():
        raise ValueError(
            f"{plan.out} has runs but no plan.json, which says what they are of. Choose another "
            "--out, or remove the folder."
        )
    if done:
        found = json.loads(path.read_text(encoding="utf8"))
        differ = [key for key, value in description.items() if found.get(key) != value]
        if differ:
            raise ValueError(
                f"{plan.out} has runs of a study that differs in {', '.join(differ)}, expected "
                "those of this one. Choose another --out, or remove the folder."
            )
    with open_output(path) as file:
        json.dump(description, file, indent=1)


def describe_plan(plan: Plan) -> dict[str, Any]:
    """Say all that the results depend on, as it is written beside them."""
    return {
        "version": __version__,
        "paper_config": plan.paper_config.read_text(encoding="utf8"),
        "lang": plan.lang,
        "layout": plan.layout,
        "overrides": {name: _describe(value) for name, value in plan.overrides.items()},
        "domains": {
            domain.name: {
                "digest": domain.digest,
                "max_steps": domain.max_steps,
                "ours": domain.ours.read_text(encoding="utf8"),
                "settings": [[setting.p_cc, setting.segmenter] for setting in domain.settings],
            }
            for domain in plan.domains
        },
    }


def _describe(value: Any) -> Any:
    """Describe a local folder by its last names and what is in it, anything else by itself."""
    folder = Path(value) if isinstance(value, str) else None
    if folder is None or not folder.is_dir():
        return value
    digest = sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    return f"{'/'.join(folder.absolute().parts[-2:])} ({digest.hexdigest()[:12]})"
