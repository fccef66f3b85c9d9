"""Extract the text of a mail file: its main headers and its body, decoded.

bytes -> message -> headers and parts with text -> text

Base64 and quoted-printable are decoded, so offsets refer to this text, not to the file.
"""

import codecs
import re
from collections import Counter
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.policy import Compat32
from typing import Any

from ...files.records import BYTE_ORDER_MARK
from .html_text import decode_html, decode_text, extract_html

# Headers that mail programs show.
HEADERS = ("from", "to", "cc", "date", "subject")
FOLD = re.compile(r"\r?\n[ \t]*")
# Encoded words of RFC 2047, and the spaces between them, which are not shown. The time that
# email.header takes grows with the square of their number.
ENCODED_WORD = r"=\?[!->@-~]+\?[bBqQ]\?[ ->@-~]*\?="
ENCODED_WORDS = re.compile(rf"{ENCODED_WORD}(?:\s*{ENCODED_WORD}){{0,99}}")
# The time that Python takes for a Content-* header grows with the square of its length.
MAX_CONTENT_CHARS = 4_000
PLAIN, HTML, ALTERNATIVE = "text/plain", "text/html", "multipart/alternative"


class _Policy(Compat32):  # type: ignore[misc]
    """Python's default policy, with a limit on the length of Content-* headers."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        if name.lower().startswith("content-") and len(value) > MAX_CONTENT_CHARS:
            raise ValueError(
                f"the header {name!r} must have at most {MAX_CONTENT_CHARS:,} characters, got "
                f"{len(value):,}."
            )
        return name, value


def extract_mail(data: bytes) -> tuple[str, dict[str, int]]:
    r"""Extract the headers From, To, Cc, Date and Subject, and the texts of the body.

    Also count the skipped attachments, HTML versions, headers, tags and so on.

    If a text has several versions, the plain one is used, and HTML only if there is no other.
    Line ends become "\n".

    Raises ValueError if the file is not a mail, or a text is not in the charset that it names.

    >>> extract_mail(b"Subject: =?utf8?q?Caf=C3=A9?=\r\nX-Id: 3\r\n\r\nI sleep.\r\n")
    ('Subject: Café\n\nI sleep.', {'headers': 1})
    """
    data = data.removeprefix(codecs.BOM_UTF8)
    message: Message[str, str] = message_from_bytes(data, policy=_Policy())
    if not message.keys():
        raise ValueError(
            "the file must be a mail, which begins with headers such as 'Subject: ...', got "
            f"{data[:40].decode('utf8', 'replace')!r}. Use the suffix .txt for plain text."
        )
    left_out: Counter[str] = Counter()
    texts = [_format_headers(message, left_out)]
    texts += [_read_text(part, left_out) for part in _find_texts(message, left_out)]
    text = "\n\n".join(filter(None, (text.strip("\n") for text in texts)))
    return text, dict(sorted(left_out.items()))


def _format_headers(message: "Message[str, str]", left_out: Counter[str]) -> str:
    lines = []
    for name, value in message.raw_items():
        if name.lower() in HEADERS:
            lines.append(f"{name}: {_decode_header(str(value))}")
        else:
            left_out["headers"] += 1
    return "\n".join(lines)


def _decode_header(value: str) -> str:
    """Decode a header; replace bytes that its charset cannot decode."""
    line = FOLD.sub(" ", value).encode("utf8", "surrogateescape").decode("utf8", "replace")
    return " ".join(ENCODED_WORDS.sub(_decode_words, line).splitlines())


def _decode_words(words: re.Match[str]) -> str:
    """Decode encoded words of RFC 2047; keep those in an unknown charset as they are."""
    try:
        found = decode_header(words[0])
        return "".join(data.decode(charset, "replace") for data, charset in found)
    except (MessageError, LookupError, ValueError):
        return words[0]


def _find_texts(message: "Message[str, str]", left_out: Counter[str]) -> "list[Message[str, str]]":
    """Find the parts that are shown, in order; count the others."""
    kind = message.get_content_type()
    if message.is_multipart() and not kind.startswith("message/"):
        parts: list[Any] = list(message.get_payload())
        if kind != ALTERNATIVE:
            return [text for part in parts for text in _find_texts(part, left_out)]
        plain = [part for part in parts if part.get_content_type() == PLAIN and _has_text(part)]
        rich = [part for part in parts if part.is_multipart() or part.get_content_type() == HTML]
        chosen = (plain or rich[-1:] or parts)[:1]
        left_out["other versions"] += len(parts) - len(chosen)
        return [text for part in chosen for text in _find_texts(part, left_out)]
    is_broken = kind.startswith("multipart/")  # it has no boundary
    is_text = kind in (PLAIN, HTML) and message.get_content_disposition() != "attachment"
    if is_text or is_broken:
        return [message]
    left_out["attachments"] += 1
    return []


def _has_text(part: "Message[str, str]") -> bool:
    data: Any = part.get_payload(decode=True)
    return bool(data and data.strip())


def _read_text(part: "Message[str, str]", left_out: Counter[str]) -> str:
    data: Any = part.get_payload(decode=True) or b""
    charset, is_html = part.get_content_charset() or None, part.get_content_type() == HTML
    text = decode_text(data, charset) if charset or not is_html else decode_html(data)
    if is_html:
        text, found = extract_html(text)
        left_out.update(found)
    return text.removeprefix(BYTE_ORDER_MARK).replace("\r\n", "\n")
