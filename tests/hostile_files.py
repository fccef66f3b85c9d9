"""Spoil the contents of a file: empty, truncated, other encodings, line ends or formats.

bytes of a good file -> (kind, bytes)
"""

from collections.abc import Iterator
from random import Random

from hostile_conllu import HUGE

CONTENTS = {
    "empty": b"",
    "a blank line": b"\n",
    "blank lines": b"\r\n \n\t\n\n",
    "a BOM only": b"\xef\xbb\xbf",
    "NULs": b"\x00" * 3000,
    "0xFF": b"\xff" * 3000,
    "all bytes": bytes(range(256)) * 9,
    "gzip": b"\x1f\x8b\x08\x00" + b"\x00" * 99,
    "zip": b"PK\x03\x04" + b"\x00" * 99,
    "a pickle": b"cos\nsystem\n(S'true'\ntR.",
    "HTML": b"<!doctype html><p>Hi</p>\n",
    "a long line": b"x" * 300_000,
    "brackets": b"[" * 100_000 + b"\n",
    "braces": b'{"a":' * 100_000 + b"\n",
    "a huge number": f'{{"id": {HUGE}}}\n'.encode(),
    "NaN": b'{"id": NaN, "text": Infinity}\n',
    "null": b"null\n",
    "a number": b"3\n",
    "a string": b'"x"\n',
    "a list": b"[]\n",
    "a list of numbers": b"[1, 2]\n",
    "an object": b"{}\n",
    "another object": b'{"a": 1}\n',
    "objects": b'{"a": 1}\n' * 3,
    "a lone surrogate": b'{"id": "\\ud800", "text": "\\ud800"}\n',
    "commas": b"," * 3000 + b"\n",
    "tabs": b"\t" * 3000 + b"\n",
    "quotes": b'"' * 3001 + b"\n",
    "heads": b"=== a\n=== a\n=== \n",
}


def spoil_file(raw: bytes, *, seed: int = 0) -> Iterator[tuple[str, bytes]]:
    """Yield spoiled variants of `raw`, the contents of a good file."""
    yield from CONTENTS.items()
    yield "BOM", b"\xef\xbb\xbf" + raw
    yield "two BOMs", b"\xef\xbb\xbf" * 2 + raw
    yield "CR", raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r")
    yield "CRLF", raw.replace(b"\n", b"\r\n")
    yield "twice", raw + raw
    yield "NUL after", raw + b"\x00"
    yield "a line of NUL after", raw + b"\x00\n"
    yield "no line end", raw.rstrip(b"\n")
    for code in ("utf-16", "utf-16-le", "utf-32", "latin-1"):
        yield code, raw.decode("utf8", "replace").encode(code, "replace")
    rng = Random(f"files {seed}")
    for n in range(10):
        yield f"cut {n}", raw[: rng.randrange(len(raw))]
        place = rng.randrange(len(raw))
        for kind, byte in {"NUL": b"\x00", "0xFF": b"\xff", "quote": b'"', "CR": b"\r"}.items():
            yield f"{kind} for a byte {n}", raw[:place] + byte + raw[place + 1 :]
        yield f"random byte {n}", raw[:place] + rng.randbytes(1) + raw[place + 1 :]
