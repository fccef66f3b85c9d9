"""Documents of files whose text must be extracted: HTML and mail.

bytes -> text, and what was left out -> Document with its Origin, or a BadLine
"""

from collections.abc import Iterator

from ..files.records import BadLine
from .documents import Document, Origin
from .html_text import decode_html, extract_html
from .listing import HTML
from .mail import extract_mail
from .sources import SourceFile


def read_extracted(file: SourceFile, path: str, format: str) -> Iterator[Document | BadLine]:
    """Read a file of HTML or a mail, which is one document.

    Raises ValueError for broken compression.
    """
    data = file.read()
    try:
        text, origin = _extract(data, format)
    except MemoryError:  # of the job, not of a document
        raise
    except Exception as error:  # the parsers of Python fail on broken files in many ways
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
