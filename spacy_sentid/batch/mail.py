"""The text of a mail in a file of its own: its main headers and its body, decoded.

bytes -> message -> headers and parts with text -> MailText

Base64 and quoted-printable are decoded, so that offsets are of this text, not of the file.
"""

import re
from collections import Counter
from email import message_from_bytes
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from typing import Any, NamedTuple

from .html_text import decode_text, extract_html

# Those that a reader of mails sees.
HEADERS = ("from", "to", "cc", "date", "subject")
FOLD = re.compile(r"\r?\n[ \t]*")
PLAIN, HTML, ALTERNATIVE = "text/plain", "text/html", "multipart/alternative"


class MailText(NamedTuple):
    """The text of a mail."""

    text: str
    left_out: dict[str, int]  # how many attachments, HTML versions, headers, tags ...


def extract_mail(data: bytes) -> MailText:
    r"""Extract the headers From, To, Cc, Date and Subject, and the texts of the body.

    Of a text in several versions the plain one is taken; HTML is taken where it is all there is.
    Line ends are "\n".

    Raises ValueError for what is no mail, or if a text is not in the charset that it names.

    >>> extract_mail(b"Subject: =?utf8?q?Caf=C3=A9?=\r\nX-Id: 3\r\n\r\nI sleep.\r\n")
    MailText(text='Subject: Café\n\nI sleep.', left_out={'headers': 1})
    """
    message: Message[str, str] = message_from_bytes(data)
    if not message.keys():
        raise ValueError(
            "the file must be a mail, which begins with headers such as 'Subject: ...', got "
            f"{data[:40].decode('utf8', 'replace')!r}. Name files of plain text .txt."
        )
    left_out: Counter[str] = Counter()
    texts = [_format_headers(message, left_out)]
    texts += [_read_text(part, left_out) for part in _find_texts(message, left_out)]
    text = "\n\n".join(filter(None, (text.strip("\n") for text in texts)))
    return MailText(text, dict(sorted(left_out.items())))


def _format_headers(message: "Message[str, str]", left_out: Counter[str]) -> str:
    lines = []
    for name, value in message.raw_items():
        if name.lower() in HEADERS:
            lines.append(f"{name}: {_decode_header(str(value))}")
        else:
            left_out["headers"] += 1
    return "\n".join(lines)


def _decode_header(value: str) -> str:
    """Decode a header; bytes that are of no charset are replaced."""
    line = FOLD.sub(" ", value).encode("utf8", "surrogateescape").decode("utf8", "replace")
    try:
        return FOLD.sub(" ", str(make_header(decode_header(line))))
    except (MessageError, LookupError, ValueError):
        return line


def _find_texts(message: "Message[str, str]", left_out: Counter[str]) -> "list[Message[str, str]]":
    """Find the parts that are shown, in order; count the others."""
    kind = message.get_content_type()
    if message.is_multipart() and not kind.startswith("message/"):
        parts: list[Any] = list(message.get_payload())
        if kind != ALTERNATIVE:
            return [text for part in parts for text in _find_texts(part, left_out)]
        plain = [part for part in parts if part.get_content_type() == PLAIN]
        chosen = (plain or parts[-1:])[0:1]
        left_out["other versions"] += len(parts) - len(chosen)
        return [text for part in chosen for text in _find_texts(part, left_out)]
    is_broken = kind.startswith("multipart/")  # it has no boundary
    is_text = kind in (PLAIN, HTML) and message.get_content_disposition() != "attachment"
    if is_text or is_broken:
        return [message]
    left_out["attachments"] += 1
    return []


def _read_text(part: "Message[str, str]", left_out: Counter[str]) -> str:
    data: Any = part.get_payload(decode=True)
    text = decode_text(data or b"", part.get_content_charset() or None)
    if part.get_content_type() == HTML:
        found = extract_html(text)
        left_out.update(found.left_out)
        text = found.text
    return text.replace("\r\n", "\n")
