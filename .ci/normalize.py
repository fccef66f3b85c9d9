"""Give an sdist the same bytes whenever and wherever it is built: `normalize.py FILE.tar.gz`.

setuptools writes the time and the user into the archive; the time here is SOURCE_DATE_EPOCH.
"""

import gzip
import os
import sys
import tarfile
from pathlib import Path


def normalize(path: Path, *, time: int) -> None:
    """Write an archive again: members sorted by name, with one time, no owner, plain modes."""
    with tarfile.open(path) as old:
        members = [(member, old.extractfile(member)) for member in old.getmembers()]
        partial = path.with_suffix(".partial")
        with (
            partial.open("wb") as raw,
            gzip.GzipFile("", "wb", mtime=time, fileobj=raw) as packed,
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as new,
        ):
            for member, file in sorted(members, key=lambda pair: pair[0].name):
                plain = tarfile.TarInfo(member.name)
                plain.type, plain.size, plain.mtime = member.type, member.size, time
                plain.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
                new.addfile(plain, file)
    partial.replace(path)


if __name__ == "__main__":
    normalize(Path(sys.argv[1]), time=int(os.environ["SOURCE_DATE_EPOCH"]))
