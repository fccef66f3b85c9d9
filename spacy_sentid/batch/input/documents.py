"""Documents of a batch job, and errors of records that cannot be read."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ...files.records import MAX_RECORD_BYTES, BadLine, too_long
from ...messages import shorten

HYP, REF = "hyp", "ref"
NOT_UTF8 = (
    "the text must be UTF-8 ({reason}). Convert the file to UTF-8, for instance with "
    "'iconv -t UTF-8'."
)


class Document(NamedTuple):
    """One text to process."""

    id: str | int
    text: str
    place: str = ""  # "mail.jsonl:7": line or Parquet row, from 1; the path of a text file
    refs: tuple[str, ...] | None = None  # the texts that the text of a pair is compared with
    part: int | None = None  # number of a part, from 0, if the text was cut into records
    start_char: int = 0  # where a part starts in the whole text
    # For HTML and mail only, whose records include the text: counts of skipped items, such as
    # {"attachments": 1}.
    left_out: dict[str, int] | None = None

    @property
    def name(self) -> str:
        """Its id; a part of a long text also has its number."""
        return str(self.id) if self.part is None else f"{self.id}, part {self.part + 1}"

    @property
    def n_chars(self) -> int:
        """Number of characters; the total of all its texts for a pair."""
        return len(self.text) + sum(map(len, self.refs or ()))


class ReadSettings(NamedTuple):
    """Settings for reading records.

    text_key, id_key: Keys of JSON objects, or names of columns.
    pairs: Records have "hyp", a string, and "ref", a string or a list of strings, not a text.
    part_chars: A longer text file is cut at safe places into several records.
    max_record_bytes: Longer lines, rows, HTML files and mails are left out.
    """

    text_key: str = "text"
    id_key: str = "id"
    pairs: bool = False
    part_chars: int = 10_000_000
    max_record_bytes: int = MAX_RECORD_BYTES

    def list_text_keys(self) -> tuple[str, ...]:
        """List the keys that a record must have."""
        return (HYP, REF) if self.pairs else (self.text_key,)


def make_document(
    record: Mapping[str, Any], settings: ReadSettings, place: str
) -> Document | BadLine:
    """Build a document from a record. Without an id, the place becomes the id.

    >>> make_document({"text": "I sleep."}, ReadSettings(), "a.jsonl:1")
    ... # doctest: +ELLIPSIS
    Document(id='a.jsonl:1', text='I sleep.', place='a.jsonl:1', refs=None, ...)
    >>> make_document({"body": "I sleep."}, ReadSettings(), "a.jsonl:1").reason
    "the record must have 'text', a string, got {'body': 'I sleep.'}. Fix the record."
    """
    refs = None
    text = record.get(HYP if settings.pairs else settings.text_key)
    if settings.pairs:
        refs = _read_refs(record.get(REF))
    if not isinstance(text, str) or (settings.pairs and refs is None):
        needed = f"{settings.text_key!r}, a string"
        if settings.pairs:
            needed = f"{HYP!r}, a string, and {REF!r}, a string or a list of strings"
        reason = f"the record must have {needed}, got {shorten(record)}. Fix the record."
        return BadLine(place, reason)
    name = record.get(settings.id_key)
    if name is None:
        name = place
    elif not isinstance(name, str | int) or isinstance(name, bool):
        needed = f"{settings.id_key!r} must be a string or a whole number"
        return BadLine(place, f"{needed}, got {shorten(name)}. Fix the record.")
    # Faster than Document(...). This matters for short records.
    return tuple.__new__(Document, (name, text, place, refs, None, 0, None))


def add_counts(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Add up counts of skipped items; names are sorted.

    >>> add_counts([{"tags": 3}, {"scripts": 1, "tags": 1}])
    {'scripts': 1, 'tags': 4}
    """
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return dict(sorted(total.items()))


def count_left_out(documents: Iterable[Document]) -> dict[str, int]:
    """Count the items that were skipped when texts were extracted from files."""
    return add_counts(one.left_out or {} for one in documents)


def format_places(documents: Sequence[Document]) -> str:
    """Format the places of documents for a message.

    >>> format_places([Document(1, "I sleep.", "a.jsonl:1"), Document(2, "", "a.jsonl:2")])
    'a.jsonl:1 to a.jsonl:2'
    """
    return " to ".join(dict.fromkeys(one.place for one in (*documents[:1], *documents[-1:])))


def leave_out(place: str, what: str, n_bytes: int, max_bytes: int) -> BadLine:
    """Leave out a line, row or file that is too long to be held in memory."""
    reason = too_long(what, n_bytes, max_bytes)
    return BadLine(place, f"{reason} Split it, or raise the limit with --max-record-bytes.")


def _read_refs(value: Any) -> tuple[str, ...] | None:
    """Read a reference, or a list of them; return None if it is neither."""
    refs = [value] if isinstance(value, str) else value
    if not isinstance(refs, list) or not refs or not all(isinstance(ref, str) for ref in refs):
        return None
    return tuple(refs)
