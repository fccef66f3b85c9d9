"""Generate hostile texts from a seed, as in mails, on web pages and by attackers.

seed, index -> kind and text; each text depends only on these two numbers, so that failures can be
reproduced

>>> make_text(0, 11) == list(hostile_texts(12, seed=0))[-1]
True
"""

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

SURROGATES = range(0xD800, 0xE000)
CONTROLS = [
    *map(chr, range(0x20)), *map(chr, range(0x7F, 0xA0)),
]  # fmt: skip
LINE_ENDS = [
    "\n", "\n", "\r\n", "\r", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029",
    "\n\n", "\r\n\r\n", "\r\r", "\n\r", "\r\n\n",
]  # fmt: skip
SPACES = [
    " ", "  ", "\t", "\xa0", "\u1680", *map(chr, range(0x2000, 0x200B)), "\u202f", "\u205f",
    "\u3000", " \t ", " " * 9, "\n", "\x1f",
]  # fmt: skip
ZERO_WIDTH = [
    "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\xad", "\u034f", "\u180e", "\ufe0f",
]  # fmt: skip
BIDI = [
    "\u200e", "\u200f", "\u061c", *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x206A)),
]  # fmt: skip
COMBINING = [
    *map(chr, range(0x300, 0x370)), "\u0489", "\u05b0", "\u064b", "\u093c", "\u0e31", "\u20dd",
    "\u302a", "\u3099", "\ufe20", "\U0001d165",
]  # fmt: skip
EMOJI = [
    "😀", "👍🏽", "👨‍👩‍👧‍👦", "🏳️‍🌈", "🇨🇳", "🇨", "1️⃣", "❤️", "❤", "👩🏿‍🚀", "\u200d", "🏽",
    "\ufe0f", "\u20e3", "🏴\U000e0067\U000e0062\U000e007f", "😀.", "!😀", ":-)", ";)", "<3",
    "^_^",
]  # fmt: skip
MARKS = list("""!"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~""") + list(
    "…—–•·«»‹›“”„‘’‚。！？，、；：（）《》「」¿¡§€£°′″‽⁂"
)
SCRIPTS = [
    "Straße", "ſchön", "ŉ", "İstanbul", "ıI", "ﬁn", "ǅ", "Ωmega", "Привет", "мир.", "שלום",
    "עולם.", "مرحبا", "العالم؟", "नमस्ते", "दुनिया।", "สวัสดีชาวโลก", "გამარჯობა", "Բարեւ։",
    "ሰላም።", "한국어", "안녕하세요.", "日本語です。", "ᚠᚢᚦ", "𐎠𐎡𐎢", "𝕳𝖊𝖑𝖑𝖔", "ｆｕｌｌ", "Tiếng",
    "ꙮ", "١٢٣", "Ⅷ", "½",
]  # fmt: skip
CJK = [
    "我们", "在", "学校", "。", "，", "！", "？", "“", "”", "你好", "一二三", "2024年", "㐀",
    "𠀀", "\U00030000", "ＡＢＣ", "１２", "は", "ｶﾞ", "、", "…", "\u3000", "《", "》", "的", "OK",
    " ",
]  # fmt: skip
WORDS = [
    "I", "you", "the", "The", "draft", "sleep", "sent", "Page", "don't", "3", "of", "and", "NASA",
    "cats", "it", "It's", "we", "was", "a", "Tuesday",
]  # fmt: skip
ABBREVIATIONS = [
    "Dr.", "Mr.", "e.g.", "i.e.", "U.S.", "U.S.A.", "p.m.", "etc.", "No.", "vs.", "Inc.", "J.",
    "Ph.D.", "St.", "cf.", "Fig.", "pp.", "Jan.", "z.B.", "a.", "I.", "..", "A.B.C.",
]  # fmt: skip
SENTENCES = [
    "The gardener waters the roses every evening.", "Where did you leave the ladder?",
    "Nobody had told Mrs. Ames about it!", "“It rained,” he said, “and we stayed.”",
    "Please send the invoice (no. 14) by Friday, 5 p.m.", "We paid $3.50 for two tickets.",
    "When the bridge was closed, the bus took the long way round.",
]  # fmt: skip
MAIL = [
    "From: Ann Lee <ann@example.org>\n", "Subject: Re: Re: Fwd: minutes\n", "> ", ">> ", "-- \n",
    "On 3 May, Bo wrote:\n", "Content-Type: text/plain; charset=utf-8\n", "\n", "Thanks,\nAnn\n",
    "=20\n", "=C3=A9", "-----Original Message-----\n", "Sent from my phone\n",
]  # fmt: skip
HTML = [
    "<p>", "</p>", "<br/>", "<b", ">", "</", "<!--", "-->", "<![CDATA[", "]]>", "&amp;", "&#0;",
    "&#x110000;", "&nbsp", "&lt;", "<script>alert(1)</script>", "<a href='x'>", "<td>",
    "&#xD800;", "<img src=x onerror=alert(1)>", "<?php", "\n", " ",
]  # fmt: skip
MARKDOWN = [
    "# ", "## Title\n", "* ", "- [ ] ", "1. ", "**", "__", "`", "```\n", "[a](b)", "![", "|",
    "---\n", "> ", "\n", "\n\n", "~~", "\\", "^1^", "$$x$$",
]  # fmt: skip
CODE = [
    "def f(x):\n", "    return x[0]\n", "if (a && b) {", "}\n", ";", "x = {'a': [1, 2]}", "/* ",
    " */", "// no", "\t", "->", "::", "$(ls)", "'; DROP TABLE a; --", "%s%n", "{{7*7}}", "\\x00",
    "\\u0000", "0xFF", "#!/bin/sh\n", "==", "lambda: 0",
]  # fmt: skip
TABLE = [
    "a", "|", " | ", "\t", ",", '"', '""', ";", "\n", "\r\n", "+---+---+\n", "1.5", "-", "n/a",
    "=1+1",
]  # fmt: skip
NUMBERS = [
    "3.14", "1,000,000.00", "1e-9", "-5", "+49 30 1234", "12:30", "2024-02-30", "€5", "5%", "3.",
    ".5", "1.", "2)", "(3)", "IV.", "٣", "½", "10^6", "1/2", "9" * 40, "0x1F", "NaN", "5 p.m.",
]  # fmt: skip
URLS = [
    "http://x.org", "https://example.org/a?b=c&d=%20#e.", "www.a.b.", "ftp://[::1]:21/", "a@b.co",
    "mailto:a.b@c.d.", "file:///etc/passwd", "C:\\a\\b.txt", "/usr/bin/x", "x.y.z", "http://",
    "@me", "//", "a.b@", "http://例え.jp/。", "data:text/html,<b>", "#tag", "http://x.org).",
]  # fmt: skip
SHAPES = [
    "ﬀ", "ﷺ", "ß", "ẞ", "İ", "ŉ", "ΐ", "㎏", "①", "ｗ", "é", "e\u0301", "Å", "가", "\u1100\u1161",
    "𝟘", "⒈", "ⅳ", "ℌ", "ʰ", "⁴", "ǰ", "K", "\u1e9b\u0323",
]  # fmt: skip
ODD_POINTS = [
    "\ufffe", "\uffff", "\U0010ffff", "\U0001fffe", "\ue000", "\U000f0000", "\U000e0041",
    "\U000e0100", "\ufdd0", "\ufffd", "\u0378", "\ufff9", "\ufffb", "a", " ", ".",
]  # fmt: skip


class HostileText(NamedTuple):
    """A text and its kind, a key of KINDS."""

    kind: str
    text: str


def draw_size(rng: random.Random) -> int:
    """Draw the number of items of a text: mostly about a dozen, rarely 120 or more."""
    if rng.random() < 0.002:
        return rng.randint(120, 1000)
    return min(int(rng.expovariate(1 / 12)), 119)


def mix(*tables: Sequence[str], between: Sequence[str] = ("",)) -> Callable[[random.Random], str]:
    """Build a function that draws items, each from one of the tables, and their separators."""

    def draw(rng: random.Random) -> str:
        n = draw_size(rng)
        return "".join(
            part for _ in range(n) for part in (rng.choice(rng.choice(tables)), rng.choice(between))
        )

    return draw


def draw_planes(rng: random.Random) -> str:
    """Draw code points of all planes, assigned or not."""
    n = draw_size(rng)
    points = [rng.randrange(rng.choice((0x250, 0x3000, sys.maxunicode + 1))) for _ in range(n)]
    return "".join(chr(point) for point in points if point not in SURROGATES)


def draw_surrogates(rng: random.Random) -> str:
    """Draw words with lone surrogates in and between them."""
    parts = [[chr(rng.choice(SURROGATES)), *rng.choices(WORDS, k=2)] for _ in range(draw_size(rng))]
    return "".join(word + rng.choice(["", " "]) for part in parts for word in part)


def draw_runs(rng: random.Random) -> str:
    """Draw long runs of the same mark, with a word now and then."""
    runs = [
        rng.choice(MARKS) * rng.randint(1, draw_size(rng) + 1) for _ in range(rng.randint(1, 5))
    ]
    return "".join(run + rng.choice(["", " ", "\n", "word", "A "]) for run in runs)


def draw_long_word(rng: random.Random) -> str:
    """Draw words of up to a few thousand characters."""
    n = rng.randint(1, 3)
    return " ".join(
        rng.choice(["ab", "é", "我", "a.", "x-", "A"]) * draw_size(rng) for _ in range(n)
    )


def draw_tiny(rng: random.Random) -> str:
    """Draw a text of at most two characters."""
    point = rng.choice([rng.randrange(0x80), rng.randrange(0x3000), rng.randrange(0x110000)])
    char = "." if point in SURROGATES else chr(point)
    return rng.choice(["", char, char, char * 2, char + rng.choice(LINE_ENDS), rng.choice(SPACES)])


def draw_repeated(rng: random.Random) -> str:
    """Draw a sentence, repeated many times with the same separator."""
    return (rng.choice(SENTENCES) + rng.choice(["", " ", "\n", "\n\n"])) * (1 + draw_size(rng) // 8)


def draw_truncated(rng: random.Random) -> str:
    """Draw sentences, and cut the text at both ends."""
    text = " ".join(rng.choices(SENTENCES, k=1 + draw_size(rng) // 8))
    return text[rng.randrange(len(text)) :][: rng.randrange(1, len(text) + 1)]


def draw_nested(rng: random.Random) -> str:
    """Draw brackets and quotes that open and close at random."""
    n = draw_size(rng)
    return "".join(rng.choice([*"()[]{}“”'\"«»", "He said ", "no. ", "Why? "]) for _ in range(n))


def draw_jumble(rng: random.Random) -> str:
    """Join texts of other kinds."""
    draws = [draw for draw in KINDS.values() if draw not in (draw_jumble, draw_surrogates)]
    return "".join(rng.choice(draws)(rng) for _ in range(rng.randint(2, 4)))


# Kinds by name. New kinds must be added at the end.
KINDS: dict[str, Callable[[random.Random], str]] = {
    "planes": draw_planes,
    "surrogates": draw_surrogates,
    "combining": mix(COMBINING, COMBINING, WORDS, [" ", "."]),
    "zero width": mix(ZERO_WIDTH, WORDS, MARKS, [" "]),
    "bidi": mix(BIDI, SCRIPTS, WORDS, [" ", ". "]),
    "controls": mix(CONTROLS, WORDS, [" ", ". "]),
    "line ends": mix(LINE_ENDS, WORDS, ABBREVIATIONS, between=["", " "]),
    "white space": mix(SPACES, SPACES, WORDS, [".", "? "]),
    "emoji": mix(EMOJI, WORDS, between=["", "", " "]),
    "marks": mix(MARKS, MARKS, MARKS, WORDS, [" "]),
    "runs of marks": draw_runs,
    "mail": mix(MAIL, SENTENCES, WORDS, between=["", " ", "\n"]),
    "html": mix(HTML, HTML, WORDS),
    "markdown": mix(MARKDOWN, WORDS, between=["", " "]),
    "code": mix(CODE, WORDS, between=["", " ", "\n"]),
    "table": mix(TABLE, TABLE, WORDS),
    "numbers": mix(NUMBERS, WORDS, between=["", " ", " ", "\n"]),
    "urls": mix(URLS, WORDS, between=["", " ", " "]),
    "long words": draw_long_word,
    "scripts": mix(SCRIPTS, between=["", " ", " "]),
    "cjk": mix(CJK),
    "tiny": draw_tiny,
    "repeated": draw_repeated,
    "truncated": draw_truncated,
    "abbreviations": mix(ABBREVIATIONS, ABBREVIATIONS, WORDS, between=["", " ", " ", "\n"]),
    "nested": draw_nested,
    "letters": mix(["a", "B", "é", ".", "1"], between=["", " ", "\n"]),
    "shapes": mix(SHAPES, WORDS, between=["", " ", "."]),
    "odd points": mix(ODD_POINTS, ODD_POINTS, WORDS),
    "jumble": draw_jumble,
}


def make_text(seed: int, index: int) -> HostileText:
    """Generate one text; the kinds take turns."""
    kind = list(KINDS)[index % len(KINDS)]
    return HostileText(kind, KINDS[kind](random.Random(f"{seed}/{index}")))


def hostile_texts(n: int, seed: int) -> Iterator[HostileText]:
    """Generate `n` texts, with the same number of each kind."""
    for index in range(n):
        yield make_text(seed, index)
