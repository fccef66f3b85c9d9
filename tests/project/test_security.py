"""The statements of SECURITY.md: the package runs no code from its input, and uses no network."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "spacy_sentid").rglob("*.py"))
if not FILES:
    pytest.skip("looks at the sources", allow_module_level=True)
TREES = {file.relative_to(ROOT).as_posix(): ast.parse(file.read_text("utf8")) for file in FILES}

# Modules that can run code from their input, and modules of the network.
RISKY = {
    "pickle", "cloudpickle", "dill", "joblib", "shelve", "yaml", "code", "runpy", "pty",
    "urllib.request", "http", "requests", "httpx", "urllib3", "ftplib", "smtplib", "xmlrpc",
    "xml", "lxml",
}  # fmt: skip
# The few modules that may start a program, open a port, or load what they wrote.
MAY_IMPORT = {
    "subprocess": {
        "spacy_sentid/cli/terminal/pager.py",
        "spacy_sentid/paraphrase_tagger/generation/language_model.py",
        "spacy_sentid/word_segmenter/speech/aligner.py",
    },
    # Only for its own rows, in memory.
    "socket": {
        "spacy_sentid/view/demo/server.py",
        "spacy_sentid/batch/work/processes.py",  # a pair inside one process, without a port
    },
}
BUILTINS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
CALLS = {"os.system", "os.popen", "srsly.pickle_loads", "srsly.pickle_dumps", "tempfile.mktemp"}
# Arguments that a call must have.
MUST_SAY = {"torch.load": ("weights_only", True), "np.load": ("allow_pickle", False)}


def find_faults(tree: ast.Module, name: str) -> list[str]:
    """Find forbidden imports and calls, and describe each in one line."""
    faults = []
    for node in ast.walk(tree):
        modules = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        for module in modules:
            top = module.partition(".")[0]
            if {module, top} & RISKY or name not in MAY_IMPORT.get(top, {name}):
                faults.append(f"{name}:{node.lineno} imports {module}")
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            said = {word.arg: ast.unparse(word.value) for word in node.keywords}
            must, value = MUST_SAY.get(called, (None, None))
            if called in BUILTINS | CALLS or (must and said.get(must) != str(value)):
                faults.append(f"{name}:{node.lineno} calls {called}")
            if "shell" in said or "trust_remote_code" in said:
                faults.append(f"{name}:{node.lineno} passes shell or trust_remote_code")
        if isinstance(node, ast.Constant) and node.value == "trust_remote_code":
            faults.append(f"{name}:{node.lineno} names trust_remote_code")
    return faults


def test_no_module_runs_code_from_its_input() -> None:
    assert [fault for name, tree in TREES.items() for fault in find_faults(tree, name)] == []


@pytest.mark.parametrize(
    "code",
    [
        "import pickle", "from pickle import loads", "import os.path, yaml", "import xml.sax",
        "from urllib.request import urlopen", "from urllib import request", "import subprocess",
        "from socket import create_server", "eval('1')", "exec(text)", "os.system('ls')",
        "torch.load(file)", "torch.load(file, weights_only=False)", "np.load(path)",
        "np.load(path, allow_pickle=True)", "run(command, shell=True)",
        "load(name, trust_remote_code=True)", "load(name, **{'trust_remote_code': True})",
    ],
)  # fmt: skip
def test_the_search_finds_each_violation(code: str) -> None:
    assert find_faults(ast.parse(code), "spacy_sentid/some.py")


# An audit hook sees what any package does, down to C; it cannot be taken off again, so it gets a
# process of its own. Imports are over when it begins.
WATCHED = """
import json, pathlib, sys
import spacy
from spacy_sentid import make_pair, segment
from spacy_sentid.cli import main

EVENTS = {
    "socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "os.system", "os.exec",
    "os.posix_spawn", "os.fork", "subprocess.Popen", "pickle.find_class", "urllib.Request",
}
seen = []
sys.addaudithook(lambda event, args: seen.append([event, str(args)]) if event in EVENTS else None)

folder = pathlib.Path(sys.argv[1])
en, pairs, zh = spacy.blank("en"), spacy.blank("en"), spacy.blank("zh")
en.add_pipe("sentence_identifier")
pairs.add_pipe("paraphrase_tagger")
zh.add_pipe("word_segmenter")
for nlp in (en, pairs, zh):
    nlp.to_disk(folder / nlp.pipe_names[0])
    again = spacy.load(folder / nlp.pipe_names[0])
    again(make_pair(again, "I have seen it.", "I saw it.") if nlp is pairs else "I have seen it.")
assert len(segment("It works. It does.", lang="en")) == 2
(folder / "a.txt").write_text("I have seen it.", encoding="utf8")
sys.argv = ["spacy-sentid", "identify", str(folder / "a.txt"), "-o", str(folder / "out.jsonl")]
try:
    main()
except SystemExit as end:
    assert not end.code
print(json.dumps(seen))
import pickle
pickle.loads(pickle.dumps(len))  # the hook does see it
print(*(event for event, _ in seen))
"""


def test_pipelines_and_identify_open_no_connection_no_pickle_and_no_program(
    light_env: dict[str, str], tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, str(tmp_path)],
        capture_output=True, text=True, env=light_env, timeout=240, check=False, encoding="utf8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-2:] == ["[]", "pickle.find_class"]
    assert (tmp_path / "out.jsonl").is_file()


def test_the_page_links_existing_files() -> None:
    page = (ROOT / "SECURITY.md").read_text("utf8")
    for name in (
        "docs/robustness.md",
        "docs/licences.md",
        "tests/project/test_security.py",
        ".ci/audit",
    ):
        assert name in page
        assert (ROOT / name).is_file()


def test_the_extra_has_a_torch_that_reads_weights_only() -> None:
    """Check the version of torch, as spacy-transformers and thinc call torch.load without it."""
    setup = (ROOT / "setup.cfg").read_text("utf8")
    required = setup.partition("transformers =")[2].partition("study =")[0]
    assert "torch>=2.6\n" in required
