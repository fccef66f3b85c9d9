"""Read the elements and the text of pages with a parser of HTML."""

import re
from html.parser import HTMLParser

# Strings that must stay text, and not become mark-up.
NASTY = (
    "<script>alert(1)</script>", "</script>", "</style>", "<img src=x onerror=alert(1)>", "<!--",
    "-->", "]]>", "<![CDATA[", "\"'`", "' onload='alert(1)", "\" onfocus=\"alert(1)", "&lt;b&gt;",
    "&amp;", "&", "<", ">", "\0", "\ud800", "\udfff", "\u202e abc \u2066", "\u2028\u2029", "\r\n",
    "\r", "\n", "\t", " ", "\ufeff", "\N{GRINNING FACE}", "{{x}}", "${x}", "\x1b[31m", "\x85",
    "javascript:alert(1)", "</bdi></span></div>", "\uffff",
)  # fmt: skip
VOID = {"meta", "input"}
HIDDEN = {"script", "style"}


def shown(text: str) -> str:
    """Return the text as a page can contain it, with one character for each character."""
    return re.sub("\r(?!\n)", "\n", re.sub("[\0\ud800-\udfff]", "\ufffd", text))


def plain(text: str) -> str:
    """Replace letters and marks, except those that layouts depend on, to get the same elements."""
    text = re.sub("[^\\w\\s.!?:;…>|#*•·–—+()\ufeff\u202a-\u202e\u2066-\u2069-]", "/", text)
    return re.sub("\\w", "x", text)


class Page(HTMLParser):
    """A parser that lists all elements of a page, and the text of some."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, dict[str, str | None]]] = []
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.texts: list[tuple[list[tuple[str, dict[str, str | None]]], str]] = []
        self.others: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, tuple(name for name, _ in attrs)))
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag not in VOID:
            self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.texts.append((list(self.open), data))

    def handle_comment(self, data):
        self.others.append(data)

    def handle_pi(self, data):
        self.others.append(data)

    def unknown_decl(self, data):
        self.others.append(data)

    def text_of(self, tag: str, css: str | None = None) -> list[str]:
        """Return the text of each element with a tag, and with a class if one is given.

        The texts of adjacent elements with the same attributes are joined.
        """
        found: dict[int, str] = {}
        for above, data in self.texts:
            for name, attrs in above:
                if name == tag and (css is None or css in (attrs.get("class") or "").split()):
                    found[id(attrs)] = found.get(id(attrs), "") + data
        return list(found.values())

    def values(self, name: str) -> list[str | None]:
        """Return the values of an attribute."""
        return [value for _, attribute, value in self.attributes if attribute == name]
