"""The entry for the spaCy Universe: its fields, its facts, and its code."""

import ast
import configparser
import json
import re
from pathlib import Path

from spacy_sentid.pretrained import DEFAULT_NAMES

ROOT = Path(__file__).parents[2]
[ENTRY] = json.loads((ROOT / ".ci/universe.json").read_text("utf8"))["resources"]
TEXTS = ("id", "title", "slogan", "description", "pip", "code_language", "author")
LISTS = ("code_example", "category", "tags")
# These need an account or a site. They are added at the release.
LATER = ("github", "url", "thumb", "image")
CATEGORIES = {
    "pipeline", "training", "conversational", "research", "scientific", "visualizers", "apis",
    "nonpython", "standalone", "models",
}  # fmt: skip


def test_the_entry_has_the_fields_of_the_universe() -> None:
    assert set(ENTRY) - set(LATER) == {*TEXTS, *LISTS, "author_links"}
    assert all(isinstance(ENTRY[name], str) and ENTRY[name] for name in TEXTS)
    assert all(isinstance(line, str) for name in LISTS for line in ENTRY[name])
    assert set(ENTRY["category"]) <= CATEGORIES
    assert set(ENTRY["author_links"]) <= {"github", "twitter", "website"}
    assert re.fullmatch(r"[\w.-]+/[\w.-]+", ENTRY.get("github", "a/b"))
    assert all(ENTRY.get(name, "https://").startswith("https://") for name in LATER[1:])


def test_the_entry_agrees_with_the_package() -> None:
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf8")
    assert ENTRY["pip"] == ENTRY["id"] == setup["metadata"]["name"]
    assert setup["metadata"]["description"].startswith(ENTRY["slogan"])
    assert ENTRY["author"] in (ROOT / "LICENSE").read_text("utf8")
    [languages] = re.findall(r"languages \((.*?)\)", ENTRY["description"])
    assert {*languages.split(", "), "xx"} == set(DEFAULT_NAMES["sentence_identifier"])


def test_the_code_prints_what_its_comments_say() -> None:
    code = "\n".join(ENTRY["code_example"])
    found = {}
    exec(compile(code, "universe.json", "exec"), found)
    shown = 0
    for line in code.splitlines():
        expression, _, comment = line.partition("  # ")
        if comment.startswith("["):
            assert eval(expression, found) == ast.literal_eval(comment)
            shown += 1
    assert shown == 2
    scores = found["doc"].spans["su"].attrs["scores"]
    assert len(scores) == 2
    assert all(0 <= score <= 1 for score in scores)
