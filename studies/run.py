"""Run `python -m studies` in the root of the repository, for the commands of project.yml.

A spaCy project runs its commands in its own folder, but paths here are relative to the root.
"""

import os
import runpy
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    os.chdir(ROOT)
    sys.path[0] = str(ROOT)
    runpy.run_module("studies", run_name="__main__", alter_sys=True)
