"""Documents of a batch job, and what is wrong with records that have none."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..files.records import BadLine

HYP, REF = "hyp", "ref"
NOT_UTF8 = (
    "the text must be UTF-8 ({reason}). Convert the file to UTF-8, for instance with "
    "'iconv -t UTF-8'."
)
MAX_SHOWN = 40


class Document(NamedTuple):
    """One text to work on."""

    id: str | int
    text: str
    place: str = ""  # "mail.jsonl:7", from 1: line, row of parquet; of a text its path
    refs: tuple[str, ...] | None = None  # of a pair: the texts that it is compared with
    part: int | None = None  # of a text that was cut into records: number, from 0
    start_char: int = 0  # of a part: where it starts in the whole text


class ReadSettings(NamedTuple):
    """What is read of records.

    text_key, id_key: Keys of JSON objects, names of columns.
    pairs: Records have "hyp" and "ref", a string or a list of strings, instead of a text.
    part_chars: A text file that is longer is several records, cut at safe places.
    """

    text_key: str = "text"
    id_key: str = "id"
    pairs: bool = False
    part_chars: int = 10_000_000

    def list_text_keys(self) -> tuple[str, ...]:
        """List the keys that a record must have."""
        return (HYP, REF) if self.pairs else (self.text_key,)


def make_document(
    record: Mapping[str, Any], settings: ReadSettings, place: str
) -> Document | BadLine:
    """Make a document of a record, named by its place if it has no id.

    >>> make_document({"text": "I sleep."}, ReadSettings(), "a.jsonl:1")
    Document(id='a.jsonl:1', text='I sleep.', place='a.jsonl:1', refs=None, part=None, start_char=0)
    >>> make_document({"body": "I sleep."}, ReadSettings(), "a.jsonl:1").reason
    'the record must have "text", a string, got the keys body. Fix the record.'
    """
    refs = None
    text = record.get(HYP if settings.pairs else settings.text_key)
    if settings.pairs:
        refs = read_refs(record.get(REF))
    if not isinstance(text, str) or (settings.pairs and refs is None):
        return BadLine(place, _format_record_error(record, settings))
    name = record.get(settings.id_key)
    if name is None:
        name = place
    elif not isinstance(name, str | int) or isinstance(name, bool):
        return BadLine(
            place,
            f'"{settings.id_key}" must be a string or a whole number, got {show(name)}. Fix the '
            "record.",
        )
    # Faster than Document(...), which counts for short records.
    return tuple.__new__(Document, (name, text, place, refs, None, 0))


def read_refs(value: Any) -> tuple[str, ...] | None:
    """Read a reference, or a list of them; None if it is neither."""
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not value:
        return None
    return tuple(value) if all(isinstance(ref, str) for ref in value) else None


def _format_record_error(record: Mapping[str, Any], settings: ReadSettings) -> str:
    keys = settings.list_text_keys()
    if all(key in record for key in keys):
        found = ", ".join(f'{show(record[key])} as "{key}"' for key in keys)
    elif record:
        found = f"the keys {shorten(', '.join(map(str, record)))}"
    else:
        found = "no keys"
    if settings.pairs:
        needed = f'"{HYP}", a string, and "{REF}", a string or a list of strings'
    else:
        needed = f'"{settings.text_key}", a string'
    return f"the record must have {needed}, got {found}. Fix the record."


def show(value: object) -> str:
    """Show a value of a record in a message; a list or an object, which may be deep, by its type.

    >>> show(None), show("x" * 50), show([["x"]])
    ('null', '"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...', 'a list')
    """
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "an object"
    value = value[:MAX_SHOWN] if isinstance(value, str) else value
    return shorten(json.dumps(value, ensure_ascii=False, default=str))


def shorten(shown: str) -> str:
    """Shorten what is shown in a message."""
    return shown if len(shown) <= MAX_SHOWN else shown[:MAX_SHOWN] + "..."
