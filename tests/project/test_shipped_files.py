"""Files that pip installs: configs and texts in the package; messages name no others."""

import ast
import re
from pathlib import Path

import pytest
import spacy
from spacy.util import load_config
from typer.testing import CliRunner

from spacy_sentid.cli import app, list_commands
from spacy_sentid.files.configs import list_configs
from spacy_sentid.sentence_identifier.corpora.documents import DocumentCorpus, find_documents
from spacy_sentid.shipped_files import CONFIGS, EVERYDAY, FOLDERS, find_shipped

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "spacy_sentid"


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["train", *arguments])
    assert done.exit_code == code, done.output
    return done.stderr if code else done.stdout


# The wheel


def test_setup_py_puts_the_folders_into_the_package() -> None:
    for node in ast.parse((ROOT / "setup.py").read_text("utf8")).body:
        if isinstance(node, ast.Assign):
            shipped = ast.literal_eval(node.value)
    assert shipped == {f"spacy_sentid.{name}": place for name, place in FOLDERS.items()}


def test_the_wheel_has_the_files_of_the_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    core = pytest.importorskip("setuptools").distutils.core
    monkeypatch.chdir(ROOT)
    command = core.run_setup("setup.py", stop_after="config").get_command_obj("build_py")
    command.ensure_finalized()
    found = {package: set(names) for package, _, _, names in command.data_files}
    for name, place in FOLDERS.items():
        files = {path.name for path in (ROOT / place).iterdir() if path.suffix != ".json"}
        assert files
        assert found[f"spacy_sentid.{name}"] == files
    packages = {f"spacy_sentid.{name}" for name in ("batch", "cli", "layers", "view")}
    assert packages < set(command.packages)


def test_an_installed_folder_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_shipped(EVERYDAY) == ROOT / "assets/everyday/train"
    monkeypatch.setattr("spacy_sentid.shipped_files.__file__", str(tmp_path / "shipped_files.py"))
    (tmp_path / EVERYDAY).mkdir()
    assert find_shipped(EVERYDAY) == tmp_path / EVERYDAY


def test_everyday_means_the_shipped_texts_unless_there_is_such_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    settings = {"max_words": 9, "p_excerpt": 0.0, "p_layout": {}, "redraw": False, "seed": 0}
    assert find_documents(EVERYDAY) == find_shipped(EVERYDAY)
    (tmp_path / EVERYDAY).mkdir()
    (tmp_path / EVERYDAY / "a.txt").write_text("=== a | note\n⟦I sleep.⟧\n", encoding="utf8")
    own = DocumentCorpus(Path(EVERYDAY), **settings)
    assert [example.text for example in own(spacy.blank("en"))] == ["I sleep."]


# Configs by their names


def test_the_list_has_each_config() -> None:
    assert all(text.endswith(".") for text in list_configs().values())
    lines = run("init-config", "--list").splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == sorted(list_configs())
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("name", "options", "lang"),
    [("words", [], "zh"), ("identifier_language", ["--lang", "sv"], "sv")],
)
def test_a_config_is_written_by_its_name(
    name: str, options: list[str], lang: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.cfg"
    run("init-config", name, str(path), *options)
    expected = load_config(find_shipped(CONFIGS) / f"{name}.cfg", overrides={"nlp.lang": lang})
    assert load_config(path) == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["init-config", "identfier", "x.cfg"], ["'identfier'", "identifier_finetune"]),
        (["init-config", "words"], ["only words", "--list"]),
        (["init-config"], ["neither"]),
        (["init-config", "../words", "x.cfg"], ["'../words'", "words_trf"]),
    ],
)
def test_wrong_names_are_refused(arguments: list[str], words: list[str]) -> None:
    message = run(*arguments, code=1)
    assert all(word in message for word in words)


# Messages


# Files and commands that only a clone has.
ONLY_IN_A_CLONE = re.compile(
    r"\b(?:configs|assets|docs|studies|benchmarks|tests)/|project\.yml|\bspacy project\b"
    r"|python -m studies|\bclone\b|\bsdist\b"
)
COMMAND = re.compile(r"spacy-sentid\s+([a-z][a-z-]*)(?:\s+([a-z][a-z-]*))?(?:\s+(\w+))?")
COMMANDS = list_commands()
NAMES = {*COMMANDS, *(name.split()[0] for name in COMMANDS)}
# The module that knows where a clone has its files.
EXCEPT = "shipped_files.py"


def list_texts() -> list[tuple[str, str]]:
    """List the strings of the package: messages, help, docstrings, its pages and its configs."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        for node in ast.walk(ast.parse(path.read_text("utf8"))):
            if isinstance(node, ast.JoinedStr):
                parts = [p.value if isinstance(p, ast.Constant) else "{}" for p in node.values]
                found.append((place, "".join(map(str, parts))))
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append((place, node.value))
    pages = [path for suffix in ("html", "js") for path in PACKAGE.rglob(f"*.{suffix}")]
    configs = find_shipped(CONFIGS).glob("*.cfg")
    return found + [(path.name, path.read_text("utf8")) for path in (*pages, *configs)]


TEXTS = list_texts()


def test_messages_name_no_file_that_only_a_clone_has() -> None:
    found = [
        (place, match[0])
        for place, text in TEXTS
        if place != EXCEPT and (match := ONLY_IN_A_CLONE.search(text))
    ]
    assert not found


def test_messages_name_commands_that_exist() -> None:
    n_found = 0
    for place, text in TEXTS:
        if not place.endswith(".py"):  # there, the name of the package may be part of a sentence
            continue
        for command, sub, argument in COMMAND.findall(text):
            assert command in NAMES, place
            assert command in COMMANDS or not sub or f"{command} {sub}" in COMMANDS, place
            if sub == "init-config" and argument:
                assert argument in list_configs()
            n_found += 1
    assert n_found > 30


@pytest.mark.parametrize("factory", ["sentence_identifier", "paraphrase_tagger", "word_segmenter"])
def test_the_advice_without_weights_names_a_config_of_the_package(factory: str) -> None:
    nlp = spacy.blank("zh" if factory == "word_segmenter" else "en")
    pipe = nlp.add_pipe(factory, config={"pretrained": None})
    with pytest.raises(ValueError, match="has no weights") as error:
        pipe._check_initialized()
    [name] = re.findall(r"train init-config (\w+)'", str(error.value))
    assert name in list_configs()
