"""Damage folders of pipelines: delete, truncate, change or replace each of their files.

folder of a pipeline -> Damage(kind, file, new contents; None = deleted)

The given folder is not changed. `Damage.apply` damages a copy.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from hostile_conllu import HUGE

# JSON contents: for whole files, and for the values of keys.
JSON_FILES = ["{}", "[]", "null", "3", '"x"', '{"a": 1}', "{", '{"a": NaN}', "[" * 100_000, HUGE]
JSON_VALUES: list[Any] = [None, 3, -1.5, "x", [], {}, [[]], {"a": 1}, True, 1e400]


class Damage(NamedTuple):
    """A change to a file of a folder."""

    kind: str
    file: str  # path of the file in the folder
    data: bytes | None

    def apply(self, folder: Path) -> None:
        """Damage the file in a folder, which should be a copy."""
        if self.data is None:
            (folder / self.file).unlink()
        else:
            (folder / self.file).write_bytes(self.data)


def damage_files(
    folder: Path, others: dict[str, bytes], *, seed: int = 0, n_flips: int = 6
) -> Iterator[Damage]:
    """List each damage to each file of a folder.

    others: Contents of files of other components, by file name.
    n_flips: Number of single bytes to change in each file, one at a time.
    """
    rng = Random(f"models {seed}")
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name, raw = path.relative_to(folder).as_posix(), path.read_bytes()
        yield Damage("missing", name, None)
        contents = {
            "empty": b"",
            "one byte": raw[:1],
            "half": raw[: len(raw) // 2],
            "without its last byte": raw[:-1],
            "with a byte more": raw + b"\x00",
            "twice": raw * 2,
            "NULs": bytes(len(raw)),
            "random bytes": rng.randbytes(max(len(raw), 100)),
            "text": b"This is no model.\n",
            "BOM": b"\xef\xbb\xbf" + raw,
        }
        contents |= {f"JSON {text:.10}": text.encode() for text in JSON_FILES}
        for _ in range(n_flips if raw else 0):
            place = rng.randrange(len(raw))
            byte = bytes([raw[place] ^ (1 << rng.randrange(8))])
            contents[f"byte {place} flipped"] = raw[:place] + byte + raw[place + 1 :]
        if path.name in others:
            contents["of another component"] = others[path.name]
        contents |= _wrong_values(raw)
        for kind, data in contents.items():
            if data != raw:
                yield Damage(kind, name, data)


def _wrong_values(raw: bytes) -> dict[str, bytes]:
    """Replace each value of a JSON object, and each value of its inner objects."""
    try:
        whole = json.loads(raw)
    except ValueError:
        return {}
    found: dict[str, bytes] = {}
    for key, value in whole.items() if isinstance(whole, dict) else ():
        for wrong in JSON_VALUES:
            found[f"{key} = {wrong!r}"] = json.dumps({**whole, key: wrong}).encode()
        for inner in value if isinstance(value, dict) else ():
            for wrong in JSON_VALUES:
                changed = {**whole, key: {**value, inner: wrong}}
                found[f"{key}.{inner} = {wrong!r}"] = json.dumps(changed).encode()
        found[f"without {key}"] = json.dumps({k: v for k, v in whole.items() if k != key}).encode()
    return found
