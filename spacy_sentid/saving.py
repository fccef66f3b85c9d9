"""Components that are saved with their settings, and with what they learned beside the weights.

settings, state, weights -> "cfg" (JSON), "model" -> a folder or bytes, and back
weights that the setting `pretrained` names -> the component
"""

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from spacy import util
from spacy.pipeline import TrainablePipe

from .pretrained import AUTO, find_weights

Pipe = TypeVar("Pipe", bound="SavedPipe")


class SavedPipe(TrainablePipe):
    """A component whose settings may be changed at run time and are saved as they then are.

    cfg: Its settings. configured: What the config said they are.
    pretrained: What its weights are: "auto", a name, a folder, or None. lang: of "auto".
    """

    factory: ClassVar[str]
    train_config: ClassVar[str]  # the config of this package that trains it
    cfg: dict[str, Any]
    configured: dict[str, Any]
    pretrained: str | None
    lang: str
    # Told when weights are missed: a saved pipeline brings its own, and must load where the
    # folder that it started from is not.
    weights_error: str | None = None

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

    # Weights that it starts from

    def _try_pretrained(self) -> None:
        """Load the weights that `pretrained` names; keep what is wrong with them for later."""
        try:
            self._load_pretrained()
        except ValueError as error:
            self.weights_error = str(error)

    def _load_pretrained(self) -> bool:
        """Load the weights that `pretrained` names; False if it names none.

        Raises ValueError if they are not to be found, or are of another model.
        """
        if self.pretrained is None:
            return False
        folder = find_weights(self.pretrained, lang=self.lang, component=self.factory)
        if folder is None:
            return False
        data = (folder / "model").read_bytes()
        if self._model_fits(data):
            self._load_model(data)
            self._set_learned(json.loads((folder / "cfg").read_bytes()))
            return True
        if self.pretrained != AUTO:
            raise ValueError(
                f"The weights in {folder} do not fit the model of {self.name!r}. Expected the "
                f"[components.{self.factory}.model] block that they were trained with: copy it "
                "from the config.cfg beside them."
            )
        return False

    def _check_initialized(self) -> None:
        if not self.is_initialized:
            raise ValueError(
                self.weights_error
                or f"{self.name!r} has no weights: there are no embedded ones for language "
                f"{self.lang!r} with this model. Train it ('spacy train' with "
                f"configs/{self.train_config}), or name trained weights in the setting "
                "'pretrained'."
            )

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

    def _model_fits(self, data: bytes) -> bool:
        """Tell if `_load_model` can take these weights."""
        return self.model.can_from_bytes(data, strict=True)
