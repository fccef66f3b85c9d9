"""Extract the visible text of HTML.

bytes -> code points of the file -> words and the tags between them -> text

Tags of blocks become blank lines, tags of lines (`br`, `li`, `tr`) become line ends, and tags of
cells become tabs. All other tags are removed. As in a browser, entities become characters, and each
run of white space becomes one space. CSS is not read.

This does not use html.parser: in some versions of Python, its time grows with the square of the
length of broken files.
"""

import codecs
import html
import re
from collections import Counter
from itertools import chain

from ...files.records import BYTE_ORDER_MARK
from .documents import NOT_UTF8

# Separators between two words. If there are several, the last one in this order is used.
SEPARATORS = ("", " ", "\t", "\n", "\n\n")
NOTHING, SPACE, CELL, LINE, BLOCK = range(5)
BLOCKS = frozenset(
    ["address", "article", "aside", "blockquote", "body", "caption", "center", "dd",
     "details", "dialog", "div", "dl", "fieldset", "figcaption", "figure", "footer", "form",
     "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "iframe", "legend", "main",
     "menu", "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "textarea",
     "tfoot", "thead", "title", "ul"]
)  # fmt: skip
SEPARATES = {
    **dict.fromkeys(BLOCKS, BLOCK),
    **dict.fromkeys(("br", "dt", "li", "option", "select", "tr"), LINE),
    **dict.fromkeys(("td", "th"), CELL),
}
PRE = ("pre", "textarea")  # their white space is kept
# Elements that a browser does not show, with the names under which they are counted.
HIDDEN = {
    "script": "scripts", "style": "styles", "template": "templates", "noscript": "noscripts",
    "iframe": "frames", "video": "images", "audio": "images", "canvas": "images",
}  # fmt: skip
IMAGES = dict.fromkeys(("img", "picture", "svg", "object", "embed"), "images")
WHITE = re.compile(r"[ \t\n\r\f]+")
FIRST_END = re.compile(r"\r?\n|")  # browsers do not show a line end at the start of <pre>
# A comment, a hidden element with its content, a tag, or "<" and its mark. Quoted values of
# attributes may have ">". The alternatives begin with different characters, so that the time does
# not grow faster than the length.
MARK = re.compile(
    r"<!--.*?(?:-->|\Z)"
    rf"|<(?P<hidden>{'|'.join(HIDDEN)})(?:\s[^<>]*)?(?<!/)>.*?(?:</(?P=hidden)\s*>|\Z)"
    r"|<(?P<end>/?)(?P<name>[a-z][^\s/<>]*)"
    r"(?:(?:[^<>=]|=(?!\s*[\"'])|=\s*(?:\"[^\"]*\"|'[^']*'))*|[^<>]*)>"
    r"|<[!?/][^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"
}  # fmt: skip
# The charset is searched for in the first bytes, as browsers do.
CHARSET = re.compile(
    rb"<(?:meta[^>]*?charset|\?xml[^>]*?encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE
)
HEAD_BYTES = 4096
# Bytes that are defined in Latin-1, but not in Windows-1252.
NOT_WINDOWS = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")


def decode_html(data: bytes) -> str:
    """Decode HTML by its byte order mark, by the charset that it names, or as UTF-8.

    Raises ValueError if the bytes are invalid in that charset.
    """
    charset = next((name for mark, name in BYTE_ORDER_MARKS.items() if data.startswith(mark)), None)
    if charset is None and (named := CHARSET.search(data[:HEAD_BYTES])):
        charset = named[1].decode("ascii", "replace")
    return decode_text(data, charset, wide=True)


def decode_text(data: bytes, charset: str | None, *, wide: bool = False) -> str:
    """Decode text in a charset; None is UTF-8, and Latin-1 is read as Windows-1252.

    wide: Read ASCII as Windows-1252 too, as browsers do; otherwise it is read as UTF-8.

    Raises ValueError if the charset is unknown, or the bytes are invalid in it.
    """
    if charset is None:
        try:
            return data.decode("utf8")
        except UnicodeDecodeError as error:
            raise ValueError(NOT_UTF8.format(reason=error.reason)) from error
    try:
        name = codecs.lookup(charset).name
        if wide and name.startswith("utf-16") and not data.startswith(tuple(BYTE_ORDER_MARKS)):
            name = "utf-8"  # in UTF-16 the name of the charset could not have been read
        if name == "ascii":
            name = "iso8859-1" if wide else "utf-8"
        if name == "iso8859-1" and not NOT_WINDOWS.search(data):
            name = "cp1252"
        return data.decode(name)
    except (LookupError, ValueError) as error:
        raise ValueError(
            f"the text must be valid in the charset that it names, got {charset[:40]!r} ({error}). "
            "Convert it to UTF-8."
        ) from error


def extract_html(text: str) -> tuple[str, dict[str, int]]:
    r"""Extract the visible text of HTML, and count the skipped tags, scripts, comments and so on.

    >>> extract_html("<h1>Mice</h1>\n<p>We saw\n<b>two</b> &lt;3<script>x</script>.")
    ('Mice\n\nWe saw two <3.', {'scripts': 1, 'tags': 5})
    """
    words: list[str] = []
    left_out: Counter[str] = Counter()
    separator, start = NOTHING, int(text.startswith(BYTE_ORDER_MARK))
    is_pre = False
    for mark in chain(MARK.finditer(text), [None]):
        found = html.unescape(text[start : mark.start() if mark else len(text)])
        for n, word in enumerate([found] if is_pre else WHITE.split(found)):
            separator = max(separator, SPACE if n else NOTHING)
            if word:
                words += [SEPARATORS[separator] if words else "", word]
                separator = NOTHING
        if mark is None:
            break
        start = mark.end()
        name = (mark["hidden"] or mark["name"] or "").lower()
        if mark["hidden"]:
            left_out[HIDDEN[name]] += 1
        elif name:
            left_out[IMAGES.get(name, "tags") if not mark["end"] else "tags"] += 1
            if name in PRE:
                is_pre = not mark["end"]
                start = FIRST_END.match(text, start).end() if is_pre else start  # type: ignore
        else:
            left_out["comments"] += 1
        is_second_break = name == "br" and separator == LINE
        separator = max(separator, BLOCK if is_second_break else SEPARATES.get(name, NOTHING))
    return "".join(words), dict(sorted(left_out.items()))
