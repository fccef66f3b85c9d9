"""What the downstream study trains and measures, and whether the runs there are of the same study.

treebank -> train.spacy, dev.spacy -> Plan -> plan.json beside the runs
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import spacy
from spacy.tokens import Doc

from ..about import __version__
from ..output import open_output
from ..sentence_identifier.convert import convert_treebank, write_docs
from ..treebank import find_treebank_files

TRAINED = ("train", "dev")


@dataclass(frozen=True)
class Plan:
    """What the study trains, and where it puts it."""

    out: Path
    treebank: Path
    configs: Mapping[str, Path]  # what is trained ("parser", ...) -> its config
    seeds: tuple[int, ...]
    lang: str = "en"
    max_steps: int | None = None  # None = as the configs say
    gpu_id: int = -1
    threads: int | None = None  # of each training; None = as the libraries choose

    def corpus_path(self, split: str) -> Path:
        """Name the Docs of a split that is trained with."""
        return self.out / "corpus" / f"{split}.spacy"

    def test_paths(self) -> list[Path]:
        """List the files that are measured on."""
        return find_treebank_files(self.treebank, "test")


def prepare_corpus(plan: Plan) -> None:
    """Turn train and dev into Docs, one a document, if they are not there (after `check_plan`)."""
    nlp = spacy.blank(plan.lang)
    for split in TRAINED:
        path = plan.corpus_path(split)
        if not path.exists():
            files = find_treebank_files(plan.treebank, split)
            docs = (doc for file in files for doc in convert_treebank(file, nlp))
            write_docs(map(_name_relations, docs), path)


def check_plan(plan: Plan) -> None:
    """Note beside the runs what they are of; ValueError if those there are of another study.

    Seeds may be added.
    """
    description = describe_plan(plan)
    path = plan.out / "plan.json"
    if path.exists():
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
    digest = sha256()
    for split in (*TRAINED, "test"):
        for file in find_treebank_files(plan.treebank, split):
            digest.update(file.read_bytes())
    return {
        "version": __version__,
        "treebank": plan.treebank.resolve().name,
        "digest": digest.hexdigest()[:12],
        "lang": plan.lang,
        "max_steps": plan.max_steps,
        "configs": {name: path.read_text(encoding="utf8") for name, path in plan.configs.items()},
    }


def _name_relations(doc: Doc) -> Doc:
    """Name relations as spaCy's parser does: "ROOT", and "dep" of white space.

    Of white space without a relation spaCy's scorer of trees leaves out words of other Docs.
    """
    for token in doc:
        if token.dep_ == "root":
            token.dep_ = "ROOT"
        elif token.is_space:
            token.dep_ = "dep"
    return doc
