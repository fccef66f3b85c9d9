"""Base class of components that validate, save and load their settings.

settings, learned values -> file "cfg" (JSON) of a folder or bytes, and back
"""

import json
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from spacy import util

from ..files.reading import name_file
from .settings import Settings, unchanged_keys

Part = TypeVar("Part", bound="SavedPart")


class SavedPart:
    """Mixin for spaCy's pipes with settings that can be changed at any time and are saved.

    cfg: The settings. Values that `check_settings` rejects raise ValueError, whether they come from
        a config, a saved component or `nlp.get_pipe(name).cfg["threshold"] = 2`.
    configured: The settings in the config.
    """

    factory: ClassVar[str]
    name: str
    configured: dict[str, Any]

    @staticmethod
    def check_settings(settings: dict[str, Any], *, name: str) -> None:
        """Raise ValueError for invalid settings."""

    @property
    def cfg(self) -> Settings:
        """The settings."""
        return self._settings

    @cfg.setter
    def cfg(self, settings: dict[str, Any]) -> None:
        self._settings = Settings(settings, partial(self.check_settings, name=self.name))

    def __repr__(self) -> str:
        settings = ", ".join(f"{key}={value!r}" for key, value in self.cfg.items())
        return f"{type(self).__name__}({settings})"

    def learned_to_dict(self) -> dict[str, Any]:
        """Return the learned values other than the weights, as JSON data."""
        return {}

    def learned_from_dict(self, state: dict[str, Any]) -> None:
        """Set the values that `learned_to_dict` returned; {} = nothing was learned."""

    # Use json, as srsly changes some floats in a round trip.

    def _cfg_to_bytes(self) -> bytes:
        settings = {"settings": self.cfg.to_dict(), "configured": self.configured}
        state = {"component": self.factory, **settings}
        return json.dumps({**state, **self.learned_to_dict()}, indent=2).encode()

    def _cfg_from_bytes(self, data: bytes) -> None:
        """Load a saved state, except settings that the config has changed since."""
        state = json.loads(data)
        if not isinstance(state, dict) or not all(
            isinstance(state.get(key), dict) for key in ("settings", "configured")
        ):
            raise ValueError("it must contain settings, got none")
        component = state.get("component", self.factory)  # earlier versions did not save it
        if component != self.factory:
            raise ValueError(f"it must be of a {self.factory!r}, got one of a {component!r}")
        saved = state["settings"].items()
        same = unchanged_keys(state["configured"], self.configured)
        self.cfg.update({key: value for key, value in saved if key in same})
        self.learned_from_dict(state)

    def _files(self) -> dict[str, tuple[Callable[[], bytes], Callable[[bytes], object]]]:
        """Return the saved files in the order of loading, each with a writer and a reader."""
        return {"cfg": (self._cfg_to_bytes, self._cfg_from_bytes)}

    def _on_vocab(self, method: str, exclude: Iterable[str]) -> dict[str, Callable]:
        """Return the function that saves or loads the vocab; {} for a component without a vocab."""
        vocab = getattr(self, "vocab", None)
        return {"vocab": partial(getattr(vocab, method), exclude=exclude)} if vocab else {}

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize the settings, the learned values, and any weights."""
        writers = {name: write for name, (write, _) in self._files().items()}
        return util.to_bytes({**writers, **self._on_vocab("to_bytes", exclude)}, exclude)

    def from_bytes(self: Part, data: bytes, *, exclude: Iterable[str] = ()) -> Part:
        """Load a component from `to_bytes`. Raises ValueError for invalid settings."""
        readers = {name: read for name, (_, read) in self._files().items()}
        util.from_bytes(data, {**readers, **self._on_vocab("from_bytes", exclude)}, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write a folder with the settings, the learned values, and any weights."""

        def write_file(write: Callable[[], bytes], file: Path) -> None:
            file.write_bytes(write())

        writers = {name: partial(write_file, write) for name, (write, _) in self._files().items()}
        util.to_disk(path, {**writers, **self._on_vocab("to_disk", exclude)}, exclude)

    def from_disk(self: Part, path: str | Path, *, exclude: Iterable[str] = ()) -> Part:
        """Load a component from `to_disk`. Raises ValueError for invalid settings."""

        def read_file(read: Callable[[bytes], object], file: Path) -> None:
            with name_file(file):
                read(file.read_bytes())

        readers = {name: partial(read_file, read) for name, (_, read) in self._files().items()}
        util.from_disk(path, {**readers, **self._on_vocab("from_disk", exclude)}, exclude)
        return self
