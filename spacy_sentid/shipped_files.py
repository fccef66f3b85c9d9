"""Folders that the wheel has inside the package, and that a clone has elsewhere.

setup.py puts them into the wheel.
"""

from pathlib import Path

CONFIGS, EVERYDAY = "config_files", "everyday"
# The place of each folder in the repository.
FOLDERS = {CONFIGS: "configs", EVERYDAY: "assets/everyday/train"}


def find_shipped(name: str) -> Path:
    """Find a folder in the installed package, or in the clone that the package is part of.

    >>> (find_shipped("config_files") / "identifier.cfg").is_file()
    True
    """
    package = Path(__file__).parent
    installed = package / name
    return installed if installed.is_dir() else package.parent / FOLDERS[name]
