"""Write docs/licences.md, the licences of the packages that each extra installs.

python .mkdocs/licences.py REPORT    # from pip install --report; .ci/audit writes one
Prints the packages with their versions. `--extras` prints the names of all extras instead.
"""

import configparser
import json
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "licences.md"
NAME = "spacy-sentid"
# Classifiers and free texts of packages -> SPDX names.
SPDX = {
    "MIT License": "MIT", "The MIT License (MIT)": "MIT", "ISC License (ISCL)": "ISC",
    "BSD License": "BSD", "3-Clause BSD License": "BSD-3-Clause",
    "Apache Software License": "Apache-2.0", "Apache 2.0": "Apache-2.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0", "Zope Public License": "ZPL-2.1",
    "Mozilla Public License 1.1 (MPL 1.1)": "MPL-1.1", "PSFL": "PSF-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "GNU General Public License v2 or later (GPLv2+)": "GPL-2.0-or-later",
    "GNU Lesser General Public License v2 or later (LGPLv2+)": "LGPL-2.0-or-later",
    "NVIDIA Proprietary Software": "LicenseRef-NVIDIA-Proprietary",
}  # fmt: skip
# Licences from the files of packages whose metadata is missing or wrong.
REVIEWED = {
    "cuda-toolkit": "LicenseRef-NVIDIA-Proprietary",
    "docutils": "Public-Domain AND BSD-2-Clause AND BSD-3-Clause AND 0BSD",
    "locate": "MIT",
    "nvidia-nvtx": "Apache-2.0",
    "wordfreq": "Apache-2.0 AND CC-BY-SA-4.0",
}
# These only require to keep the copyright notice, and some of them to name changes.
PERMISSIVE = {
    "0BSD", "Apache-2.0", "BSD", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0", "CC0-1.0",
    "CNRI-Python", "ISC", "LLVM-exception", "MIT", "MIT-0", "MIT-CMU", "PSF-2.0", "Public-Domain",
    "Unlicense", "Zlib", "ZPL-2.1",
}  # fmt: skip
# Terms of the other licences in plain words.
NOTES = {
    "CC-BY-SA-4.0": "Data (lists of words), not code. Name the authors; pass on the data, or a "
    "changed version of it, under the same licence only. Programs that read it are not affected.",
    "GPL-2.0-or-later": "One of three licences of which you may choose one; choose the MPL 1.1 or "
    "the LGPL to use it from code that is not free.",
    "LicenseRef-NVIDIA-Proprietary": "Libraries for NVIDIA's graphics cards, under NVIDIA's own "
    "terms (free of charge, not free software; passing them on is limited). PyTorch for Linux "
    "requires them. PyTorch for CPUs, which its makers publish apart, does not: install that "
    "first and none of these is installed.",
    "MPL-2.0": "Copyleft for its own files only. Use is free; publish your changes if you pass on "
    "changed files of this package. Your own files are not affected.",
    "unknown": "The metadata does not say. Read the files of the package before you use it.",
}


class Package(NamedTuple):
    """A package of a report, with its licence as an SPDX expression and its requirements."""

    name: str
    version: str
    licence: str
    requires: list[Requirement]


def read_report(path: Path) -> tuple[dict[str, Package], dict[str, str]]:
    """Read a report of pip: packages by normalised name, and the environment of the report."""
    report = json.loads(path.read_text("utf8"))
    packages = {}
    for entry in report["install"]:
        found = entry["metadata"]
        name = canonicalize_name(found["name"])
        requires = [Requirement(text) for text in found.get("requires_dist", ())]
        packages[name] = Package(name, found["version"], find_licence(name, found), requires)
    return packages, report["environment"]


def find_licence(name: str, metadata: dict[str, Any]) -> str:
    """Find the licence in the metadata: its expression, or the classifiers, or the free text.

    >>> find_licence("a", {"classifier": ["License :: OSI Approved :: MIT License"]})
    'MIT'
    >>> find_licence("a", {"license": "Copyright 2020. All rights reserved."})
    'unknown'
    """
    if name in REVIEWED:
        return REVIEWED[name]
    if metadata.get("license_expression"):
        return metadata["license_expression"]
    classifiers = [
        text.rpartition(" :: ")[2]
        for text in metadata.get("classifier", ())
        if text.startswith("License :: ") and not text.endswith("Proprietary License")
    ]
    texts = classifiers or metadata.get("license", "").strip().splitlines()[:1]
    licence = " OR ".join(SPDX.get(text, text) for text in texts)
    return licence if all(map(is_known, split_licence(licence))) else "unknown"


def split_licence(expression: str) -> list[str]:
    """Split an SPDX expression into its names.

    >>> split_licence("MIT AND (MPL-2.0 OR BSD-3-Clause)")
    ['MIT', 'MPL-2.0', 'BSD-3-Clause']
    """
    return [name for name in re.split(r" (?:AND|OR|WITH) |[()]", expression) if name] or [""]


def is_known(name: str) -> bool:
    """Check if a name has the form of an SPDX name, and is not a sentence."""
    return bool(re.fullmatch(r"[\w.+-]+", name))


def find_brought(packages: dict[str, Package], extra: str, environment: dict[str, str]) -> set[str]:
    """Find the packages that an extra installs, with their requirements; "" = base install."""
    found: set[tuple[str, str]] = set()
    rest = [(NAME, extra)]
    while rest:
        name, wanted = rest.pop()
        for required in packages[name].requires:
            marker = required.marker
            if marker is None or marker.evaluate({**environment, "extra": wanted}):
                target = canonicalize_name(required.name)
                steps = {(target, inner) for inner in ("", *required.extras)} - found
                found |= steps
                rest += steps
    return {name for name, _ in found}


def format_page(packages: dict[str, Package], environment: dict[str, str]) -> str:
    """Format the page: the weights, the licences that need attention, all packages by extra."""
    groups = {"": find_brought(packages, "", environment)}
    for extra in list_extras():
        groups[extra] = find_brought(packages, extra, environment) - groups[""]
    lines = [INTRO, *list_weights(), "", "## Packages that ask for more than a notice", ""]
    lines += ["| licence | packages | brought by | what it asks |", "| --- | --- | --- | --- |"]
    flagged: dict[str, list[str]] = {}
    for name, package in sorted(packages.items()):
        odd = [part for part in split_licence(package.licence) if part not in PERMISSIVE]
        if odd and name != NAME:
            flagged.setdefault(odd[0], []).append(name)
    for licence, names in sorted(flagged.items()):
        by = [extra or "base" for extra, group in groups.items() if group & set(names)]
        note = NOTES.get(licence, "Not reviewed yet. Read the licence before you use it.")
        lines.append(f"| {licence} | {', '.join(names)} | {', '.join(by)} | {note} |")
    lines += ["", "## All packages", ""]
    for extra, group in groups.items():
        lines += [f"### {f'Extra {extra}' if extra else 'Base install'}", ""]
        lines += ["Next to the base install:", ""] if extra else []
        lines += [*list_by_licence(packages[name] for name in sorted(group)), ""]
    return "\n".join(lines).rstrip() + "\n"


def list_by_licence(packages: Iterable[Package]) -> Iterator[str]:
    """List packages, with one line for each licence."""
    names: dict[str, list[str]] = {}
    for package in packages:
        names.setdefault(package.licence, []).append(package.name)
    for licence, found in sorted(names.items()):
        yield f"- {licence}: {', '.join(found)}"
    if not names:
        yield "Nothing."


def list_extras() -> list[str]:
    """List the extras of setup.cfg."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf8")
    return sorted(config["options.extras_require"])


def list_weights() -> Iterator[str]:
    """List the bundled weights, with the sources and licences that their cards name."""
    names: dict[tuple[str, ...], list[str]] = {}
    for card in sorted((ROOT / "spacy_sentid" / "pretrained").glob("*/README.md")):
        found = re.findall(r"^- Trained on: (.*)$", card.read_text("utf8"), re.MULTILINE)
        names.setdefault(tuple(found), []).append(f"`{card.parent.name}`")
    for sources, cards in names.items():
        yield f"- {', '.join(cards)}:"
        yield from (f"    - {source}" for source in sources)


INTRO = """# Licences

The code of spacy-sentid is under the MIT licence; the bundled weights are under CC BY-SA 4.0. This
page lists the licences of all packages that `pip install spacy-sentid` and its extras bring, with
what these require, on Linux. It is made of the packages' own metadata, in the versions of
`constraints.txt`, by `.ci/audit`. It is no legal advice.

## Bundled weights and data

Each folder of `spacy_sentid/pretrained/` has a LICENSE with the attribution. CC BY-SA 4.0 asks you
to name the authors and to pass on the weights, and weights that you make by training them further,
under the same licence. It covers the weights, not what they find in your texts; none of the texts
that they were trained on is in them. The texts in `assets/` were written for this project
(CC0-1.0), and so were the sample texts of `serve` in `spacy_sentid/view/examples/`. What the
weights were trained on:
"""


if __name__ == "__main__":
    if sys.argv[1:] == ["--extras"]:
        print(",".join(list_extras()))
    else:
        found, place = read_report(Path(sys.argv[1]))
        PAGE.write_text(format_page(found, place), encoding="utf8")
        print(*(f"{p.name}=={p.version}" for p in found.values() if p.name != NAME), sep="\n")
