"""Settings that are validated whenever they change.

dict of settings, check -> Settings; invalid changes raise ValueError
"""

from collections.abc import Callable, Iterable
from functools import partial
from math import isclose
from typing import Any, TypeAlias

from ..messages import shorten

# A function that raises ValueError for invalid settings.
Check: TypeAlias = Callable[[dict[str, Any]], None]


class Settings(dict[str, Any]):
    """The settings of a component. An invalid change raises ValueError and is not made.

    The settings are also checked if a value in a nested block changes.

    >>> check = lambda settings: check_range("threshold", settings["threshold"], high=1)
    >>> settings = Settings({"threshold": 0.5}, check)
    >>> settings["threshold"] = 1.1
    Traceback (most recent call last):
    ValueError: 'threshold' must be in [0, 1], got 1.1.
    """

    def __init__(self, values: dict[str, Any], check: Check) -> None:
        check(values)
        self._check = check
        super().__init__({key: self._wrap(key, value) for key, value in values.items()})

    def _wrap(self, key: str, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return Settings(value, partial(self._check_block, key))

    def _check_block(self, key: str, block: dict[str, Any]) -> None:
        if key in self:  # otherwise __init__ has checked all settings
            self._check({**self, key: block})

    def __setitem__(self, key: str, value: Any) -> None:
        self.update({key: value})

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Change several settings at once. Raises ValueError and changes none if one is invalid."""
        changes = dict(*args, **kwargs)
        unknown = sorted(changes.keys() - self.keys())
        if unknown:
            raise ValueError(
                f"The setting must be one of {', '.join(map(repr, self))}, got {unknown[0]!r}."
            )
        self._check({**self, **changes})
        for key, value in changes.items():
            super().__setitem__(key, self._wrap(key, value))

    def __ior__(self, other: Any) -> "Settings":  # type: ignore[misc,override]
        self.update(other)
        return self

    def __reduce__(self) -> tuple[Any, ...]:  # copies and pickles are also checked
        return Settings, (self.to_dict(), self._check)

    def to_dict(self) -> dict[str, Any]:
        """Copy the settings to plain dicts, for JSON."""
        return {
            key: value.to_dict() if isinstance(value, Settings) else value
            for key, value in self.items()
        }


def unchanged_keys(before: dict[str, Any], now: dict[str, Any]) -> set[str]:
    """Find the settings that have the same value in two configs.

    >>> sorted(unchanged_keys({"level": 0.1, "lang": "en"}, {"level": 0.1, "lang": "de"}))
    ['level']
    """
    return {key for key in now if key in before and _is_same(before[key], now[key])}


def _is_same(before: Any, now: Any) -> bool:
    """Compare two settings; some versions of spaCy's config round numbers to ten digits."""
    if isinstance(before, dict) and isinstance(now, dict):
        return before.keys() == now.keys() == unchanged_keys(before, now)
    if isinstance(before, float) and isinstance(now, float):
        return isclose(before, now, rel_tol=1e-8)
    return before == now


def check_range(
    key: str,
    value: Any,
    *,
    low: float = 0,
    high: float | None = None,
    below: bool = False,
    optional: bool = False,
    whole: bool = False,
    name: str = "",
) -> None:
    """Raise ValueError if a setting is not a number in a range.

    low, high: Smallest and largest value; None = no upper limit.
    below: Exclude `high` itself.
    optional: Allow None.
    whole: Only allow whole numbers.
    name: Name of the component, for the message.
    """
    if value is None and optional:
        return
    is_number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    largest = float("inf") if high is None else high
    if is_number and low <= value <= largest and not (below and value == high):
        return
    if high is None:
        allowed = f"at least {low}"
    else:
        allowed = f"in [{low}, {high}{')' if below else ']'}"
    if whole:
        allowed = f"a whole number {allowed}"
    unless = " or null" if optional else ""
    raise ValueError(f"{_quote(key, name)} must be {allowed}{unless}, got {shorten(value)}.")


def check_choice(
    key: str, value: Any, choices: Iterable[str | bool | None], *, name: str = ""
) -> None:
    """Raise ValueError if a setting is not one of some values."""
    choices = list(choices)
    if (type(value), value) not in [(type(choice), choice) for choice in choices]:
        allowed = ", ".join(map(repr, choices))
        raise ValueError(f"{_quote(key, name)} must be one of {allowed}, got {shorten(value)}.")


def check_key(key: str, value: Any, *, name: str = "") -> None:
    """Raise ValueError if a setting is not the key of a span group, a string that is not empty."""
    if not isinstance(value, str) or not value:
        raise ValueError(f"{_quote(key, name)} must be a non-empty string, got {shorten(value)}.")


def check_strings(key: str, value: Any, *, name: str = "") -> None:
    """Raise ValueError if a setting is not a list of strings that are not empty."""
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise ValueError(
            f"{_quote(key, name)} must be a list of non-empty strings, got {shorten(value)}."
        )


def check_weights(key: str, value: Any, names: Iterable[str], *, name: str = "") -> None:
    """Raise ValueError if a setting is not an object with a number of at least 0 for each name."""
    if not isinstance(value, dict) or set(value) != set(names):
        found = ", ".join(sorted(value)) if isinstance(value, dict) else shorten(value)
        raise ValueError(
            f"{_quote(key, name)} must have the parts {', '.join(sorted(names))}, got {found}. "
            "Give each of them a number; 0 turns it off."
        )
    for part, number in value.items():
        check_range(f"{key}.{part}", number, name=name)


def _quote(key: str, name: str) -> str:
    return f"{key!r} of {name!r}" if name else repr(key)
