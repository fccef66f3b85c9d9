"""Train the senters that speed.py scores, in the size of en_core_web_sm and in the default size.

EWT train in many layouts, as in `python -m studies documents` -> FOLDER/w16-d2, FOLDER/w96-d4
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from corpora import add_data_option
from speed_systems import SENTERS, find_maxout_pieces
from thinc.api import Config

from studies.documents.senter import train_senter

CONFIG = Path(__file__).parents[1] / "studies" / "configs" / "downstream_senter.cfg"


def main() -> None:
    """Train both senters, which takes about a quarter of an hour on one core."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_data_option(parser, "ud/UD_English-EWT")
    parser.add_argument("folder", type=Path, help="folder to write the senters to")
    parser.add_argument("--max-steps", type=int, default=1500, help="default: as in the study")
    args = parser.parse_args()
    for name, (width, depth) in SENTERS.items():
        folder = args.folder / "-".join(name.split()[1:])
        folder.mkdir(parents=True, exist_ok=True)
        config = Config().from_disk(CONFIG, interpolate=False)
        encoder = config["components"]["senter"]["model"]["tok2vec"]
        encoder |= {"width": width, "depth": depth}
        encoder["maxout_pieces"] = find_maxout_pieces(width)
        config.to_disk(folder / "senter.cfg")
        train_senter(
            args.data, folder / "senter.cfg", folder, seed=0, max_steps=args.max_steps, threads=1
        )
        print(f"--senter {folder / 'model-best'}")


if __name__ == "__main__":
    main()
