"""Extract the visible text of HTML, with a map of its characters to the file.

bytes -> code points of the file -> words and line ends -> HtmlText

Tags of blocks become blank lines, tags of lines (`br`, `li`, `tr`) become line ends, and tags of
cells become tabs. All other tags are removed. As in a browser, entities become characters, and each
run of white space becomes one space. CSS is not read.
"""

import codecs
import html
import re
from collections import Counter
from typing import NamedTuple

from ...files.records import BYTE_ORDER_MARK
from ...text.offsets import Edit, OffsetMap, apply_edits
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
LINES = frozenset(["br", "dt", "li", "option", "select", "tr"])
CELLS = frozenset(["td", "th"])
PRE = frozenset(["pre", "textarea"])
# Elements that a browser does not show, with the names under which they are counted.
HIDDEN = {
    "script": "scripts", "style": "styles", "template": "templates", "noscript": "noscripts",
    "iframe": "frames", "video": "images", "audio": "images", "canvas": "images",
}  # fmt: skip
# Elements that contain no tags, with the patterns of their ends.
RAW = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in ("script", "style")}
IMAGES = frozenset(["img", "picture", "svg", "object", "embed"])
WHITE = " \t\n\r\f"
TOKEN = re.compile(
    # Words with single spaces between them are kept as they are.
    rf"(?P<words>[^{WHITE}<&]+(?: [^{WHITE}<&]+)*)|(?P<white>[{WHITE}]+)|(?P<mark><)"
    # html.unescape fails on numbers with thousands of digits.
    r"|(?P<reference>&(?:#\d{1,8};?|#[xX][\da-fA-F]{1,8};?|[a-zA-Z][a-zA-Z\d]{1,31};?)?)",
    re.ASCII,
)
TAG = re.compile(r"<(?P<slash>/?)(?P<name>[a-zA-Z][^\s/<>]*)")
# The start of a quoted value, or the end of the tag.
TAG_STOP = re.compile(r">|=\s*([\"'])")
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


class HtmlText(NamedTuple):
    """The text of an HTML file."""

    text: str
    offsets: OffsetMap
    left_out: dict[str, int]  # numbers of skipped tags, scripts, styles, comments ...


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


def extract_html(text: str) -> HtmlText:
    r"""Extract the visible text of HTML. This is a filter, see `rule_sentencizer.filters`.

    >>> found = extract_html("<h1>Mice</h1>\n<p>We saw\n<b>two</b> &lt;3<script>x</script>.")
    >>> found.text, found.left_out
    ('Mice\n\nWe saw two <3.', {'scripts': 1, 'tags': 7})
    >>> found.offsets.map_span(6, 16)
    (17, 30)
    """
    reader = _Reader(text)
    filtered = apply_edits(text, reader.read())
    return HtmlText(*filtered, {name: n for name, n in sorted(reader.left_out.items()) if n})


class _Reader:
    """A reader that finds the words of HTML, and replaces the tags between them by separators.

    It does not use html.parser, whose time grows with the square of the length of some broken
    files.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.edits: list[Edit] = []
        self.left_out: Counter[str] = Counter()
        self._end = 0  # end of the last word
        self._separator = NOTHING
        self._hidden: list[str] = []  # open hidden elements, all with the same name
        self._n_pre = 0  # number of open elements whose white space is kept
        self._has_ends = dict.fromkeys(("-->", ">", "quoted"), True)  # avoids repeated searches

    def read(self) -> list[Edit]:
        """Read the whole text, and return the edits; everything after the last word is deleted."""
        position = int(self.text.startswith(BYTE_ORDER_MARK))
        while match := TOKEN.match(self.text, position):
            start, position = match.span()
            if match.lastgroup == "mark":
                position = self._read_mark(start) or self._add(start, position)
            elif match.lastgroup == "reference":
                self._add_reference(start, position)
            elif match.lastgroup == "white" and not self._n_pre:
                self._separate(SPACE)
            else:
                self._add(start, position)
        return [*self.edits, (self._end, len(self.text), "")]

    def _add(self, start: int, end: int, new: str | None = None) -> int:
        """Add a word, or a replacement for characters of the file, and return its end."""
        if not self._hidden:
            separator = self._separator if self.edits or self._end else NOTHING
            self.edits.append((self._end, start, SEPARATORS[separator]))
            if new is not None:
                self.edits.append((start, end, new))
            self._end, self._separator = end, NOTHING
        return end

    def _add_reference(self, start: int, end: int) -> None:
        found = self.text[start:end]
        new = html.unescape(found)
        if new.strip(WHITE) or self._n_pre:
            self._add(start, end, new if new != found else None)
        else:
            self._separate(SPACE)

    def _separate(self, separator: int) -> None:
        if separator > self._separator and not self._hidden:
            self._separator = separator

    def _read_mark(self, start: int) -> int | None:
        """Read a tag or a comment, and return its end; None if "<" is an ordinary character."""
        if self.text.startswith("<!--", start):
            # "<!-->" is a comment.
            end = self._find_end("-->", start + 2)
            self.left_out["comments"] += end is not None
            return end
        if (match := TAG.match(self.text, start)) is None:
            is_other = self.text.startswith(("<!", "<?", "</"), start)  # a comment in browsers
            return self._find_end(">", start) if is_other else None
        end = self._find_tag_end(match.end())
        if end is None:
            return None
        self.left_out["tags"] += 1
        tag, is_closing = match["name"].lower(), bool(match["slash"])
        is_empty = self.text[end - 2] == "/"
        if is_closing:
            self._close(tag)
        else:
            end = self._open(tag, end, is_empty=is_empty)
        self._break_at(tag)
        return end

    def _find_end(self, mark: str, start: int) -> int | None:
        found = self.text.find(mark, start) if self._has_ends[mark] else -1
        self._has_ends[mark] = found >= 0
        return found + len(mark) if found >= 0 else None

    def _find_tag_end(self, position: int) -> int | None:
        """Find the end of a tag, skipping quoted values of attributes if their quotes close."""
        start = position
        while self._has_ends["quoted"] and (match := TAG_STOP.search(self.text, position)):
            if match[0] == ">":
                return match.end()
            position = self.text.find(match[1], match.end()) + 1
            if not position:
                break
        self._has_ends["quoted"] = False
        return self._find_end(">", start)

    def _open(self, tag: str, end: int, *, is_empty: bool) -> int:
        """Open an element, and return where to continue, which skips the content of scripts."""
        if not self._hidden and (tag in HIDDEN or tag in IMAGES):
            self.left_out[HIDDEN.get(tag, "images")] += 1
        if is_empty and tag in HIDDEN:
            return end
        if tag in RAW:
            closing = RAW[tag].search(self.text, end)
            return closing.start() if closing else len(self.text)
        if tag in HIDDEN and (not self._hidden or self._hidden[-1] == tag):
            self._hidden.append(tag)
        if tag in PRE and not self._hidden:
            self._n_pre += 1
            # Browsers do not show a line end at the start of <pre>.
            return next((end + len(x) for x in ("\r\n", "\n") if self.text.startswith(x, end)), end)
        return end

    def _close(self, tag: str) -> None:
        if self._hidden and self._hidden[-1] == tag:
            self._hidden.pop()
        elif tag in PRE and not self._hidden:
            self._n_pre = max(self._n_pre - 1, 0)

    def _break_at(self, tag: str) -> None:
        if tag in BLOCKS or (tag == "br" and self._separator == LINE):
            self._separate(BLOCK)
        elif tag in LINES:
            self._separate(LINE)
        elif tag in CELLS:
            self._separate(CELL)
