"""Formats of input files, and how names tell them."""

TEXT, LINES, JSONL, CSV, PARQUET = "text", "lines", "jsonl", "csv", "parquet"
FORMATS = (TEXT, LINES, JSONL, CSV, PARQUET)
# Their parts begin where a line does, and can be read by themselves.
LINE_FORMATS = (LINES, JSONL)
SUFFIXES = {
    ".txt": TEXT,
    ".text": TEXT,
    ".jsonl": JSONL,
    ".ndjson": JSONL,
    ".csv": CSV,
    ".parquet": PARQUET,
}
COMPRESSIONS = {".gz": "gz", ".zst": "zst"}


def find_format(path: str) -> tuple[str | None, str]:
    """Find (format, compression) by the name of a file; None for a name that tells no format.

    >>> find_format("mail.JSONL.gz"), find_format("mail.txt"), find_format("README.zst")
    (('jsonl', 'gz'), ('text', ''), (None, 'zst'))
    """
    name = path.casefold()
    compression = ""
    for suffix, found in COMPRESSIONS.items():
        if name.endswith(suffix):
            name, compression = name.removesuffix(suffix), found
            break
    for suffix, format_ in SUFFIXES.items():
        if name.endswith(suffix) and not (format_ == PARQUET and compression):
            return format_, compression
    return None, compression


def is_hidden(name: str) -> bool:
    """Tell whether a file or folder is left out when the folder around it is searched.

    >>> is_hidden(".git"), is_hidden("_SUCCESS"), is_hidden("mail.txt")
    (True, True, False)
    """
    return name.startswith((".", "_"))
