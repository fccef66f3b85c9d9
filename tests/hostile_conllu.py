"""Generate malformed CoNLL-U of more than 250 kinds: one of three units is spoiled, or the file.

seed -> Case(kind, bytes of the file, the lines that an error may name)

Readers must read each file, or raise a ValueError of one line that names the path and a line of the
spoiled unit. `malformed_conllu(seed)` draws the random kinds by the seed; the others are always the
same.
"""

import gzip
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import NamedTuple

# ID, FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, DEPS and MISC of each word.
BEFORE = """\
# newdoc id = doc-1
# sent_id = a-1
# text = She saw dogs.
1	She	she	PRON	PRP	Case=Nom	2	nsubj	2:nsubj	_
2	saw	see	VERB	VBD	_	0	root	0:root	_
3	dogs	dog	NOUN	NNS	_	2	obj	2:obj	SpaceAfter=No
4	.	.	PUNCT	.	_	2	punct	2:punct	_
"""
SPOILED = """\
# newpar
# sent_id = a-2
# text = Don't sell the old red house, she said.
1-2	Don't	_	_	_	_	_	_	_	_
1	Do	do	AUX	VB	_	3	aux	3:aux	_
2	n't	not	PART	RB	_	3	advmod	3:advmod	_
3	sell	sell	VERB	VB	Mood=Imp	0	root	0:root	_
3.1	it	it	PRON	_	_	_	_	3:obj	_
4	the	the	DET	DT	_	7	det	7:det	_
5	old	old	ADJ	JJ	_	7	amod	7:amod	_
6	red	red	ADJ	JJ	_	7	amod	7:amod	_
7	house	house	NOUN	NN	Number=Sing	3	obj	3:obj	SpaceAfter=No
8	,	,	PUNCT	,	_	10	punct	10:punct	_
9	she	she	PRON	PRP	_	10	nsubj	10:nsubj	_
10	said	say	VERB	VBD	_	3	parataxis	3:parataxis	SpaceAfter=No
11	.	.	PUNCT	.	_	3	punct	3:punct	_
"""
AFTER = """\
# sent_id = a-3
# text = The end
1	The	the	DET	DT	_	2	det	2:det	_
2	end	end	NOUN	NN	_	0	root	0:root	_
"""
WHOLE = "\n".join([BEFORE, SPOILED, AFTER, ""])
FIRST = BEFORE.count("\n") + 2
COLUMNS = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"]
ROW = 13  # the line "9 she" of the spoiled unit, from 0
HUGE = "9" * 5000
VALUES = {
    "empty": "",
    "a space": " ",
    "no-break space": "\u00a0",
    "zero-width": "\u200b\u200d",
    "NUL": "\x00",
    "ESC": "\x1b[31m",
    "CR": "\r",
    "line separator": "\u2028",
    "next line": "\u0085",
    "form feed": "\x0c",
    "BOM": "\ufeff",
    "bidi": "\u202e\u2066",
    "minus one": "-1",
    "bars": "|||==|",
    "a tab more": "\t",
    "two tabs more": "x\t\ty",
    "no value": "_",
    "two of them": "__",
    "full-width digit": "９",
    "Arabic digit": "٩",
    "superscript": "⁹",
    "Roman": "Ⅸ",
    "float": "9.5",
    "exponent": "9e0",
    "huge": HUGE,
    "long": "x" * 300_000,
    "astral": "\U0001f469\u200d\U0001f680",
    "combining": "\u0301",
    "hash": "#",
    "quotes": "\"'`",
    "braces": "{}{0}%s%d",
    "markup": "<script>alert(1)</script>",
}
IDS = {
    "repeated": {9: "8"}, "left out": {9: "10"}, "zero": {9: "0"}, "negative": {9: "-9"},
    "leading zero": {9: "09"}, "plus": {9: "+9"}, "space before": {9: " 9"},
    "space after": {9: "9 "}, "underscore inside": {9: "0_9"}, "letters": {9: "nine"},
    "empty node, wrong word": {9: "4.1"}, "empty node, wrong number": {9: "8.2"},
    "empty node of zero": {9: "8.0"}, "empty node of three parts": {9: "8.1.1"},
    "empty node without number": {9: "8."}, "empty node without word": {9: ".1"},
    "range without end": {9: "9-"}, "range without start": {9: "-9"}, "range of one": {9: "9-9"},
    "range backwards": {9: "9-8"}, "range too long": {9: "9-99"}, "range of three": {9: "9-10-11"},
    "range of empty nodes": {9: "8.1-8.2"}, "range in a range": {1: "1-3"},
    "huge range": {9: f"9-{HUGE}"}, "huge both": {9: f"{HUGE}-{HUGE}"}, "huge id": {9: HUGE},
    "backwards": {8: "9", 9: "8"}, "from zero": {n: str(n - 1) for n in range(1, 12)},
}  # fmt: skip
HEADS = {
    "itself": {9: "9"}, "too large": {9: "12"}, "far too large": {9: "999999999999"},
    "huge": {9: HUGE}, "negative": {9: "-1"}, "a word": {9: "said"}, "an empty node": {9: "3.1"},
    "a range": {9: "1-2"}, "float": {9: "10.0"}, "none": {9: "_"},
    "none of all but one": dict.fromkeys(range(1, 11), "_"),
    "none of all": dict.fromkeys(range(1, 12), "_"),
    "circle of two": {9: "10", 10: "9"}, "circle of three": {8: "9", 9: "10", 10: "8"},
    "circle of all": {n: str(n % 11 + 1) for n in range(1, 12)}, "no root": {3: "10"},
    "two roots": {9: "0"}, "roots only": dict.fromkeys(range(1, 12), "0"),
    "leading zero": {9: "010"}, "plus": {9: "+10"}, "spaces": {9: " 10 "},
}  # fmt: skip
DEPS = [
    "9:nsubj", "99:nsubj", "3.1:nsubj", "3.2:nsubj", "nsubj", ":nsubj", "10:", "10", "|", "10:x|",
    "10:a|10:a", "10:b|3:a", "_:nsubj", "0:nsubj", "-1:nsubj", "10:nsubj:a:b:c", "10 :nsubj",
    f"{HUGE}:nsubj", "1-2:nsubj", "10:nsubj||3:obj",
]  # fmt: skip
TEXT = "Don't sell the old red house, she said."
TEXTS = {
    "empty": "", "a space": " ", "another": "Nothing of this.", "too short": TEXT[:18],
    "too long": f"{TEXT} Really.", "in capitals": TEXT.upper(), "with a BOM": f"\ufeff{TEXT}",
    "without spaces": TEXT.replace(" ", ""), "with tabs": TEXT.replace(" ", "\t"),
    "with NUL": TEXT.replace("t ", "t\x00 "),
    "with a line separator": TEXT.replace(" ", "\u2028"),
    "with a zero-width space": TEXT.replace("t ", "t\u200b "),
    "with another quote": TEXT.replace("'", "\u2019"),
    "long": "Don't sell " + "the " * 100_000,
    "an equals sign": "= = =",
}  # fmt: skip
COMMENTS = [
    "#", "# ", "##", "#\t", "# sent_id", "# sent_id =", "# sent_id = ", "# sent_id = a-1",
    "# sent_id = a-2", "# sent_id = " + "i" * 300_000, "# sent_id = a\tb", "# sent_id = \x1b[31m",
    "# sent_id = a/2", "# text", "# text =", "# newdoc", "# newdoc id", "# newdoc id =",
    "# newpar id = \x00", "# newpar_block = |||", "# newpar_block = " + "list | " * 20_000,
    "# genre =", "# genre = " + "g" * 300_000, "# speaker = ", "# speaker = \u2028",
    "# = value", "# ===", "# global.columns = ID FORM", "# global.columns = " + " ".join(COLUMNS),
    "# " + "k" * 100_000 + " = v", "#text=Don't", "#\x00", "# \ufeff",
]  # fmt: skip
HEADERS = {
    "three columns": "ID FORM UPOS", "eleven columns": " ".join([*COLUMNS, "EXTRA"]),
    "the usual columns": " ".join(COLUMNS), "another order": " ".join(COLUMNS[::-1]),
    "nothing": "", "unknown columns": "A B C D E F G H I J",
}  # fmt: skip


STRAYS = {
    "a tab": "\t", "a space": " ", "a CR": "\r", "two CRs": "\r\r", "a vertical tab": "\v",
    "text": "Hello.",
}  # fmt: skip


class Case(NamedTuple):
    """A malformed file. An error names a line in [first, last], or no line for (0, 0)."""

    kind: str
    raw: bytes
    first: int = 0
    last: int = 0


def malformed_conllu(seed: int = 0) -> Iterator[Case]:
    """Generate a file of each kind. The seed determines the random ones."""
    yield from _spoiled_units()
    yield from _spoiled_files()
    rng = Random(f"conllu {seed}")
    for n in range(20):
        yield _random_unit(f"a random byte {n}", rng, lambda rng, raw: bytes([rng.randrange(256)]))
        yield _random_unit(f"bytes left out {n}", rng, lambda rng, raw: b"")
        yield _random_unit(f"bytes repeated {n}", rng, lambda rng, raw: raw * rng.randint(2, 9))
    for n in range(20):
        yield Case(f"cut at a random place {n}", WHOLE.encode()[: rng.randrange(1, len(WHOLE))])


def _unit(kind: str, lines: list[str]) -> Case:
    """Replace the second unit by some lines."""
    body = "\n".join(lines)
    raw = "\n".join([BEFORE, body, "", AFTER, ""]).encode("utf8", "surrogatepass")
    return Case(kind, raw, FIRST, FIRST + max(body.count("\n"), 0))


def _with_values(kind: str, column: int, values: dict[int, str]) -> Case:
    """Replace a column of some words."""
    lines = SPOILED.splitlines()
    for n, line in enumerate(lines):
        cells = line.split("\t")
        if cells[0].isdecimal() and int(cells[0]) in values:
            cells[column] = values[int(cells[0])]
            lines[n] = "\t".join(cells)
    return _unit(kind, lines)


def _spoiled_units() -> Iterator[Case]:
    for column, name in enumerate(COLUMNS):
        for value_name, value in VALUES.items():
            yield _with_values(f"{name}: {value_name}", column, {9: value})
        yield _with_values(f"{name}: lone surrogate", column, {9: "\ud800"})
    for name, values in IDS.items():
        yield _with_values(f"ID {name}", 0, values)
    for name, values in HEADS.items():
        yield _with_values(f"HEAD {name}", 6, values)
    for n, value in enumerate(DEPS):
        yield _with_values(f"DEPS {n}: {value:.20}", 8, {9: value})
    lines = SPOILED.splitlines()
    for name, text in TEXTS.items():
        yield _unit(f"text {name}", [*lines[:2], f"# text = {text}", *lines[3:]])
    for n, comment in enumerate(COMMENTS):
        yield _unit(f"comment {n}: {comment:.20}", [comment, *lines])
        yield _unit(f"comment {n} after rows: {comment:.20}", [*lines[:8], comment, *lines[8:]])
    for n, line in enumerate(lines):
        yield _unit(f"without line {n}", lines[:n] + lines[n + 1 :])
        yield _unit(f"line {n} twice", [*lines[: n + 1], *lines[n:]])
        yield _unit(f"line {n} last", [*lines[:n], *lines[n + 1 :], line])
    for mark in (" ", ",", "|", "\t\t"):
        yield _unit(f"{mark!r} for tabs", [line.replace("\t", mark) for line in lines])
        one = lines[ROW].replace("\t", mark)
        yield _unit(f"{mark!r} for the tabs of a line", [*lines[:ROW], one, *lines[ROW + 1 :]])
    for name, text in STRAYS.items():
        yield _unit(f"a line of {name}", [*lines[:8], text, *lines[8:]])
        yield _unit(f"{name} at the end of a line", [*lines[:8], lines[8] + text, *lines[9:]])
        yield _unit(f"{name} at the start of a line", [*lines[:8], text + lines[8], *lines[9:]])
        yield _unit(f"{name} at the end of each line", [line + text for line in lines])
    yield _unit("comments only", lines[:3])
    yield _unit("nothing", [])
    yield _unit("no comments", lines[3:])
    yield _unit("a range only", lines[:4])
    yield _unit("an empty node only", ["0.1" + lines[7][3:]])
    yield _unit("3,000 comments", [*lines[:3], *["# more = yes"] * 3000, *lines[3:]])
    nodes = [f"3.{n}\tx\t_\t_\t_\t_\t_\t_\t3:obj\t_" for n in range(2, 3002)]
    yield _unit("3,000 empty nodes", [*lines[:8], *nodes, *lines[8:]])
    chain = [f"{n}\tw\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_" for n in range(1, 3001)]
    yield _unit("a chain of 3,000 words", chain)
    yield _unit("a circle of 3,000 words", [chain[0].replace("\t0\t", "\t3000\t"), *chain[1:]])


def _spoiled_files() -> Iterator[Case]:
    raw = WHOLE.encode()
    units = b"# newdoc\n1\tx\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    bom = b"\xef\xbb\xbf"
    files: dict[str, bytes] = {
        "empty": b"",
        "blank lines": b"\n\n \n\t\n",
        "comments only": b"# a\n# b = c\n\n# d\n",
        "a BOM only": bom,
        "a BOM": bom + raw,
        "two BOMs": bom + bom + raw,
        "CRLF": raw.replace(b"\n", b"\r\n"),
        "CR": raw.replace(b"\n", b"\r"),
        "CR and BOM": bom + raw.replace(b"\n", b"\r"),
        "LFCR": raw.replace(b"\n", b"\n\r"),
        "CRCRLF": raw.replace(b"\n", b"\r\r\n"),
        "CR in the second unit": f"{BEFORE}\n{SPOILED.replace(chr(10), chr(13))}".encode(),
        "mixed line ends": raw.replace(b"\n", b"\r\n", 7),
        "no line end": raw.rstrip(b"\n"),
        "no blank lines": raw.replace(b"\n\n", b"\n"),
        "five blank lines": raw.replace(b"\n\n", b"\n" * 6),
        "blank lines first": b"\n\n" + raw,
        "blank lines with spaces": raw.replace(b"\n\n", b"\n \t \n"),
        "line separators": WHOLE.replace("\n", "\u2028").encode(),
        "UTF-16": WHOLE.encode("utf-16"),
        "UTF-16 without BOM": WHOLE.encode("utf-16-le"),
        "UTF-32": WHOLE.encode("utf-32"),
        "UTF-7": WHOLE.encode("utf-7"),
        "EBCDIC": WHOLE.encode("cp500"),
        "Latin-1": WHOLE.replace("She", "Zoë").encode("latin-1"),
        "gzip": gzip.compress(raw, 1, mtime=0),
        "NULs": b"\x00" * 5000,
        "NULs after": raw + b"\x00" * 99,
        "0xFF": b"\xff" * 5000,
        "a zip": b"PK\x03\x04" + bytes(range(256)),
        "JSON": b'{"a": 1}\n',
        "JSON lines": b'{"id": 1, "text": "x"}\n' * 9,
        "CSV": b"id,text\n1,x\n",
        "XML": b"<?xml version='1.0'?><a/>\n",
        "HTML": b"<!doctype html><p>Hi</p>",
        "text": b"Dear singers,\nThe church is cold.\n",
        "one long line": b"x" * 1_000_000,
        "tabs": b"\t" * 1_000_000,
        "nine tabs": b"\t" * 9 + b"\n",
        "hashes": b"#" * 1_000_000,
        "twice": raw + raw,
        "units in reverse": "\n".join([AFTER, SPOILED, BEFORE, ""]).encode(),
        "1,000 documents": units * 1000,
        "CoNLL-U Plus": b"# global.columns = ID FORM UPOS\n1\tHi\tINTJ\n\n",
        "nine columns": re.sub(b"\t[^\t\n]*\n", b"\n", raw),
    }
    for name, header in HEADERS.items():
        files[f"header of {name}"] = f"# global.columns = {header}\n{WHOLE}".encode()
        files[f"header alone of {name}"] = f"# global.columns = {header}\n\n{WHOLE}".encode()
    for name, data in files.items():
        yield Case(f"file: {name}", data)


def _random_unit(kind: str, rng: Random, change: Callable[[Random, bytes], bytes]) -> Case:
    """Replace some bytes of the second unit, except its last line end."""
    raw = SPOILED.encode()
    start = rng.randrange(len(raw) - 1)
    end = min(start + rng.randint(1, 12), len(raw) - 1)
    raw = raw[:start] + change(rng, raw[start:end]) + raw[end:]
    # If the unit now ends early, the third unit is spoiled too.
    data = b"\n".join([BEFORE.encode(), raw, AFTER.encode(), b""])
    return Case(kind, data, FIRST, FIRST + raw.count(b"\n"))
