"""Read documents from files whose text must be extracted: HTML and mail.

bytes -> text, and counts of skipped items -> Document with its Origin, or a BadLine
"""

from collections.abc import Iterator
from functools import partial

from ...files.records import SKIP_BYTES, BadLine
from .documents import Document, Origin, leave_out
from .html_text import decode_html, extract_html
from .listing import HTML
from .mail import extract_mail
from .sources import SourceFile


def read_extracted(
    file: SourceFile, path: str, format: str, max_bytes: int
) -> Iterator[Document | BadLine]:
    """Read an HTML file or a mail as one document of at most `max_bytes`.

    Raises ValueError if the compression is broken.
    """
    data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        n_bytes = len(data) + sum(map(len, iter(partial(file.read, SKIP_BYTES), b"")))
        yield leave_out(path, "file", n_bytes, max_bytes)
        return
    try:
        text, origin = _extract(data, format)
    except MemoryError:  # concerns the job, not one document
        raise
    except Exception as error:  # Python's parsers fail on broken files in many ways
        found = f"Python cannot parse the file ({type(error).__name__}: {error})."
        yield BadLine(path, str(error) if isinstance(error, ValueError) else found)
    else:
        yield Document(path, text, path, origin=origin)


def _extract(data: bytes, format: str) -> tuple[str, Origin]:
    if format == HTML:
        page = extract_html(decode_html(data))
        return page.text, Origin(page.offsets, page.left_out)
    mail = extract_mail(data)
    return mail.text, Origin(None, mail.left_out)
