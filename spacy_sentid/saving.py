"""Components that are saved with their settings, and with what they learned beside the weights.

settings, state, weights -> "cfg" (JSON), "model" -> a folder or bytes, and back
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from spacy import util
from spacy.pipeline import TrainablePipe

Pipe = TypeVar("Pipe", bound="SavedPipe")


class SavedPipe(TrainablePipe):
    """A component whose settings may be changed at run time and are saved as they then are.

    cfg: Its settings. configured: What the config said they are.
    """

    cfg: dict[str, Any]
    configured: dict[str, Any]

    # Settings are written with json, as srsly's floats do not all survive a round trip.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize weights, settings and what was learned beside the weights."""
        writers: dict[str, Callable] = {
            "cfg": lambda: json.dumps(self._state()).encode(),
            "model": self._model_bytes,
            "vocab": lambda: self.vocab.to_bytes(exclude=exclude),
        }
        return util.to_bytes(writers, exclude)

    def from_bytes(self: Pipe, data: bytes, *, exclude: Iterable[str] = ()) -> Pipe:
        """Load what `to_bytes` made."""
        readers: dict[str, Callable] = {
            "cfg": lambda part: self._set_state(json.loads(part)),
            "model": self._load_model,
            "vocab": lambda part: self.vocab.from_bytes(part, exclude=exclude),
        }
        util.from_bytes(data, readers, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write a folder with weights, settings and what was learned beside the weights."""
        writers: dict[str, Callable] = {
            "cfg": lambda file: file.write_text(json.dumps(self._state(), indent=2)),
            "model": lambda file: file.write_bytes(self._model_bytes()),
            "vocab": lambda folder: self.vocab.to_disk(folder, exclude=exclude),
        }
        util.to_disk(path, writers, exclude)

    def from_disk(self: Pipe, path: str | Path, *, exclude: Iterable[str] = ()) -> Pipe:
        """Load what `to_disk` wrote."""
        readers: dict[str, Callable] = {
            "cfg": lambda file: self._set_state(json.loads(file.read_bytes())),
            "model": lambda file: self._load_model(file.read_bytes()),
            "vocab": lambda folder: self.vocab.from_disk(folder, exclude=exclude),
        }
        util.from_disk(path, readers, exclude)
        return self

    def _state(self) -> dict[str, Any]:
        return {"settings": self.cfg, "configured": self.configured, **self._learned()}

    def _set_state(self, state: dict[str, Any]) -> None:
        """Take over a saved state, but not settings that the config has changed since."""
        for key, value in state["settings"].items():
            if state["configured"].get(key) == self.configured.get(key):
                self.cfg[key] = value
        self._set_learned(state)

    # What a component has of its own

    def _learned(self) -> dict[str, Any]:
        """Give what was learned beside the weights, for JSON."""
        raise NotImplementedError

    def _set_learned(self, state: dict[str, Any]) -> None:
        """Take over what `_learned` gave."""
        raise NotImplementedError

    def _model_bytes(self) -> bytes:
        """Serialize the weights."""
        raise NotImplementedError

    def _load_model(self, data: bytes) -> None:
        """Load what `_model_bytes` gave."""
        raise NotImplementedError
