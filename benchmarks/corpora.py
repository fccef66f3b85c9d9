"""Find corpora that are not committed, by --data FOLDER or in the folder SENTID_DATA."""

import os
from argparse import ArgumentParser
from pathlib import Path


def add_data_option(parser: ArgumentParser, name: str, *, option: str = "--data") -> None:
    """Add an option for a file or folder, which is required if SENTID_DATA is not set.

    name: Its default path in the folder SENTID_DATA.
    """
    folder = os.environ.get("SENTID_DATA")
    parser.add_argument(
        option,
        type=Path,
        default=Path(folder, name) if folder else None,
        required=not folder,
        help=f"default: {name or 'itself'} in the folder SENTID_DATA",
    )
