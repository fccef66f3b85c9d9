"""A pause study with a handful of sentences."""

from pathlib import Path

from studies.pauses import plans

SMALL = ("base", "source-only", "self-training", "p0.5")


def make_study(folder: Path, root: Path) -> plans.Study:
    """Copy parts of the sample to a folder, and make a study that uses them."""
    words = root / "assets/sample/words"
    for name, n in (("train.txt", 30), ("dev.txt", 8), ("test.txt", 12), ("pauses.jsonl", 20)):
        lines = (words / name).read_text(encoding="utf8").splitlines(keepends=True)
        (folder / name).write_text("".join(lines[:n]), encoding="utf8")
    return plans.Study(
        out=folder / "study",
        pauses=folder / "pauses.jsonl",
        source=(folder / "train.txt",),
        source_dev=folder / "dev.txt",
        target_dev=folder / "dev.txt",
        tests={"zx-test": folder / "test.txt"},
        simulate={"some": folder / "test.txt"},
        systems=SMALL,
        seeds=(0,),
        config=root / "configs/words.cfg",
        steps=5,
        tune_steps=5,
        tune_rate=0.0005,
    )
