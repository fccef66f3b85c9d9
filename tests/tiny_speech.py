"""Alignments, a dictionary and a stand-in for `mfa`, for the tests of speech."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

# 行 has only one of its readings here; the only reading of 航 is another one of 行.
DICTIONARY = """\
<eps>\tsil
<unk>\tspn
有\tj ou˨˩˦
人\tʐ ə˧˥ n
在\tts ai˥˩
细\tɕ i˥˩
听\ttʰ i˥˥ ŋ
行\t0.99\t0.3\t1.0\t1.1\tɕ i˧˥ ŋ
航\t1.0\t0.3\t1.0\t1.1\tx a˧˥ ŋ
航\t0.2\t0.3\t1.0\t1.1\tx a˧˥ n
航州\tx a˧˥ ŋ ʈʂ ou˥˥
"""

# Gives each character 0.2 s, with a silence of 0.23 s after the second. Skips texts with 坏.
STAND_IN = """\
#!{python}
import json, os, sys
from pathlib import Path
with open({log!r}, "a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
step, corpus, dictionary, model, adapted = sys.argv[1:6]
output = sys.argv[sys.argv.index("--output_directory") + 1]
if os.environ.get("MFA_FAILS") == step:
    sys.exit(3)
Path(adapted).write_text("adapted")
sys.path.insert(0, {tests!r})
from tiny_speech import make_textgrid
for lab in Path(corpus).rglob("*.lab"):
    assert lab.with_suffix(".wav").is_file()
    tokens = lab.read_text(encoding="utf8").split()
    if "坏" in tokens:
        continue
    time, words = 0.1, [(0, 0.1, "")]
    for n, token in enumerate(tokens, start=1):
        words.append((time, time + 0.2, token))
        time += 0.2
        if n == 2:
            words.append((time, time + 0.23, ""))
            time += 0.23
    path = Path(output, lab.relative_to(corpus)).with_suffix(".TextGrid")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(make_textgrid({{"words": words, "phones": []}}), encoding="utf8")
"""


def make_textgrid(tiers: Mapping[str, Sequence[tuple[float, float, str]]]) -> str:
    """Write a TextGrid as MFA does, in the long form."""
    end = max([1, *(row[1] for rows in tiers.values() for row in rows)])
    lines = ['File type = "ooTextFile"', 'Object class = "TextGrid"', ""]
    lines += ["xmin = 0", f"xmax = {end}", "tiers? <exists>", f"size = {len(tiers)}", "item []:"]
    for n, (name, rows) in enumerate(tiers.items(), start=1):
        lines += [f"    item [{n}]:", '        class = "IntervalTier"', f'        name = "{name}"']
        lines += [
            "        xmin = 0",
            f"        xmax = {end}",
            f"        intervals: size = {len(rows)}",
        ]
        for k, (start, stop, label) in enumerate(rows, start=1):
            lines += [f"        intervals [{k}]:", f"            xmin = {start}"]
            lines += [f"            xmax = {stop}", f'            text = "{label}"']
    return "\n".join(lines) + "\n"


def write_textgrid(path: Path, **tiers: Sequence[tuple[float, float, str]]) -> Path:
    path.write_text(make_textgrid(tiers), encoding="utf8")
    return path


def write_mfa(folder: Path, log: Path) -> None:
    """Write the stand-in to a folder that goes on PATH."""
    folder.mkdir()
    program = folder / "mfa"
    tests = str(Path(__file__).parent)
    program.write_text(STAND_IN.format(python=sys.executable, log=str(log), tests=tests))
    program.chmod(0o755)
