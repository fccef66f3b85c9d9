"""Language data of the rules: abbreviations by kind, sentence starters, numbers and clitics.

languages/<lang>.json, a user's own file -> Rules
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from ..files.reading import name_file
from ..messages import shorten

FOLDER = Path(__file__).parent / "languages"


class Rules(NamedTuple):
    """The data of a language. Abbreviations have no final period, and case matters."""

    lang: str
    titles: frozenset[str]  # abbreviations before a name: "Mr", "Dr"
    numbered: frozenset[str]  # abbreviations before a number: "No", "Fig", "p"
    inner: frozenset[str]  # abbreviations that never end a sentence: "e.g", "vs"
    months: frozenset[str]  # abbreviations of months: "Jan"
    others: frozenset[str]  # abbreviations that may end a sentence: "Inc", "etc"
    starters: frozenset[str]  # words that begin sentences, with a capital: "The", "He"
    ordinals: bool  # digits and a period may be an ordinal: "3. Oktober"
    ordinal_nouns: frozenset[str]  # words after an ordinal: "Oktober", "Jahrhundert"
    ordinal_heads: frozenset[str]  # words before an ordinal: "der", "am"
    group: str  # thousands separator
    decimal: str  # decimal separator
    prefixes: tuple[str, ...]  # clitics before a word: "l'"
    suffixes: tuple[str, ...]  # clitics after a word: "'s", "n't"

    def to_dict(self) -> dict[str, Any]:
        """Return the data as JSON data."""
        return {
            name: sorted(value) if isinstance(value, frozenset) else value
            for name, value in self._asdict().items()
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Rules":
        """Create rules from `to_dict` data; other versions may have more or fewer fields."""
        rules = load_rules(data["lang"], extra={})
        given = {name: value for name, value in data.items() if name in cls._fields[1:]}
        built = _build_rules(rules.lang, given)
        return rules._replace(**{name: getattr(built, name) for name in given})


KINDS = ("titles", "numbered", "inner", "months", "others")
_WORDS = ("starters", "ordinal_nouns", "ordinal_heads")
_SETS = (*KINDS, *_WORDS)
_TUPLES = ("prefixes", "suffixes")


def list_languages() -> list[str]:
    """List the languages with data."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def load_rules(
    lang: str, *, extra: list[str] | Mapping[str, Any] | str | Path | None = None
) -> Rules:
    """Load the data of a language.

    extra: Data of the user, with the field names of `Rules`, or a JSON file with it. Lists of words
        are added to those of the language, and other values replace those of the language. A list
        contains more abbreviations ("others"). With a file or mapping, `lang` may be a language
        without data.

    Raises ValueError for a language without data, and for wrong names or types.

    >>> "Mr" in load_rules("en").titles
    True
    >>> "Bros" in load_rules("en", extra={"titles": ["Bros"]}).others  # it only has the new kind
    False
    """
    if extra is None:
        return _load_language(lang)
    if isinstance(extra, list):
        rules, given = _load_language(lang), {"others": extra}
    else:
        given = dict(extra) if isinstance(extra, Mapping) else _read_rules(lang, Path(extra))[1]
        rules = _load_language(lang) if lang in list_languages() else _build_rules(lang, {})
    added = _build_rules(lang, given)
    sorted_again = frozenset().union(*(getattr(added, kind) for kind in KINDS))
    values: dict[str, Any] = {name: getattr(added, name) for name in given}
    for name in KINDS:
        values[name] = (getattr(rules, name) - sorted_again) | getattr(added, name)
    for name in _WORDS:
        values[name] = getattr(rules, name) | getattr(added, name)
    for name in _TUPLES:
        values[name] = getattr(rules, name) + getattr(added, name)
    return rules._replace(**values)


@cache
def _load_language(lang: str) -> Rules:
    if lang not in list_languages():
        raise ValueError(
            f"The language must be one of {', '.join(list_languages())}, got {lang!r}. Choose one "
            "of these, or pass your own data."
        )
    return _read_rules(lang, FOLDER / f"{lang}.json")[0]


def _read_rules(lang: str, path: Path) -> tuple[Rules, dict[str, Any]]:
    """Read rules from a JSON file.

    RETURNS: The rules, and the data of the file.
    """
    with name_file(path, expected="JSON like languages/en.json", advice="Fix the file."):
        data = json.loads(path.read_text(encoding="utf-8-sig"))
        if not isinstance(data, dict):
            raise ValueError(f"a {type(data).__name__}")
        return _build_rules(lang, data), data


def _build_rules(lang: str, data: Mapping[str, Any]) -> Rules:
    """Build rules from JSON data, where a string is a list of words separated by spaces."""
    wrong = sorted(set(data) - set(Rules._fields))
    if wrong:
        raise ValueError(
            f"Names in the rules of {lang!r} must be among {', '.join(Rules._fields[1:])}, got "
            f"{shorten(wrong[0])}."
        )
    values: dict[str, Any] = {"lang": lang, "ordinals": False, "group": ",", "decimal": "."}
    for name in Rules._fields[1:]:
        value = data.get(name)
        if name in _SETS:
            values[name] = frozenset(_words(lang, name, value))
        elif name in _TUPLES:
            values[name] = tuple(_words(lang, name, value))
        elif value is not None:
            if not isinstance(value, bool if name == "ordinals" else str):
                raise _wrong_type(lang, name, value)
            values[name] = value
    return Rules(**values)


def _words(lang: str, name: str, value: Any) -> list[str]:
    value = [] if value is None else value
    lines = [value] if isinstance(value, str) else value
    if not isinstance(lines, (list, tuple, set, frozenset)):
        raise _wrong_type(lang, name, value)
    for line in lines:
        if not isinstance(line, str):
            raise _wrong_type(lang, name, line)
    words = [word for line in lines for word in line.split()]
    return [word.removesuffix(".") for word in words] if name in KINDS else words


def _wrong_type(lang: str, name: str, value: object) -> ValueError:
    strings = dict.fromkeys(("lang", "group", "decimal"), "a string")
    expected = {"ordinals": "true or false", **strings}
    return ValueError(
        f"{name!r} in the rules of {lang!r} must be {expected.get(name, 'a list of words')}, got "
        f"{shorten(value)}."
    )
