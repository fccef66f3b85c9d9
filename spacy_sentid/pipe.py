"""The base of our components: settings, saving, bundled weights, training.

settings, what was learned, weights -> files "cfg" (JSON) and "model" of a folder or bytes, and back
weights that the setting `pretrained` names -> the model
"""

import json
from collections.abc import Callable, Iterable
from copy import deepcopy
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import srsly
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate

from .pretrained import AUTO, find_weights
from .settings import Settings, unchanged_keys

Part = TypeVar("Part", bound="SavedPart")


class SavedPart:
    """A component whose settings may be changed at any time, and are saved as they then are.

    cfg: Its settings. A change that `check_settings` refuses raises ValueError, whether it comes
        from a config, from a saved component or from `nlp.get_pipe(name).cfg["threshold"] = 2`.
    configured: What the config said they are.

    Mixed into a class of spaCy's pipes.
    """

    factory: ClassVar[str]
    name: str
    configured: dict[str, Any]

    @staticmethod
    def check_settings(settings: dict[str, Any], *, name: str) -> None:
        """Raise ValueError for settings that cannot be."""

    @property
    def cfg(self) -> Settings:
        """The settings."""
        return self._settings

    @cfg.setter
    def cfg(self, settings: dict[str, Any]) -> None:
        self._settings = Settings(settings, partial(self.check_settings, name=self.name))

    def learned_to_dict(self) -> dict[str, Any]:
        """Return the learned values other than the weights, as JSON data."""
        return {}

    def learned_from_dict(self, state: dict[str, Any]) -> None:
        """Take over what `learned_to_dict` returned; {} = nothing was learned."""

    # Written with json, as srsly's floats do not all survive a round trip.

    def _cfg_to_bytes(self) -> bytes:
        state = {"settings": self.cfg.to_dict(), "configured": self.configured}
        return json.dumps({**state, **self.learned_to_dict()}, indent=2).encode()

    def _cfg_from_bytes(self, data: bytes) -> None:
        """Take over a saved state, but not settings that the config has changed since."""
        state = json.loads(data)
        saved = state["settings"].items()
        same = unchanged_keys(state["configured"], self.configured)
        self.cfg.update({key: value for key, value in saved if key in same})
        self.learned_from_dict(state)

    def _files(self) -> dict[str, tuple[Callable[[], bytes], Callable[[bytes], object]]]:
        """List the files that are saved, in the order of loading: how to make and to read them."""
        return {"cfg": (self._cfg_to_bytes, self._cfg_from_bytes)}

    def _on_vocab(self, method: str, exclude: Iterable[str]) -> dict[str, Callable]:
        """Make what saves or loads the vocab, by spaCy's name of it; {} for a component without."""
        vocab = getattr(self, "vocab", None)
        return {"vocab": partial(getattr(vocab, method), exclude=exclude)} if vocab else {}

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize settings, what was learned, and weights if there are any."""
        writers = {name: write for name, (write, _) in self._files().items()}
        return util.to_bytes({**writers, **self._on_vocab("to_bytes", exclude)}, exclude)

    def from_bytes(self: Part, data: bytes, *, exclude: Iterable[str] = ()) -> Part:
        """Load what `to_bytes` made. Raises ValueError for settings that cannot be."""
        readers = {name: read for name, (_, read) in self._files().items()}
        util.from_bytes(data, {**readers, **self._on_vocab("from_bytes", exclude)}, exclude)
        return self

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Write a folder with settings, what was learned, and weights if there are any."""

        def write_file(write: Callable[[], bytes], file: Path) -> None:
            file.write_bytes(write())

        writers = {name: partial(write_file, write) for name, (write, _) in self._files().items()}
        util.to_disk(path, {**writers, **self._on_vocab("to_disk", exclude)}, exclude)

    def from_disk(self: Part, path: str | Path, *, exclude: Iterable[str] = ()) -> Part:
        """Load what `to_disk` wrote. Raises ValueError for settings that cannot be."""

        def read_file(read: Callable[[bytes], object], file: Path) -> None:
            read(file.read_bytes())

        readers = {name: partial(read_file, read) for name, (_, read) in self._files().items()}
        util.from_disk(path, {**readers, **self._on_vocab("from_disk", exclude)}, exclude)
        return self


class TrainablePart(SavedPart, TrainablePipe):
    """A component with a model: what its weights start from, and how it is trained.

    pretrained: What its weights are: "auto", a name, a folder, or None. lang: of "auto".
    """

    train_config: ClassVar[str]  # the config of this package that trains it
    # Names of the model's layers that tell if there are weights, and of those whose sizes come
    # from the training data.
    output_layer: ClassVar[str] = "output"
    data_layers: ClassVar[tuple[str, ...]] = ()
    # Raised when weights are missed: a saved pipeline brings its own, and must load where the
    # folder that it started from is not.
    weights_error: str | None = None

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "",
        *,
        lang: str = "xx",
        pretrained: str | None = None,
        scorer: Callable | None = None,
        **settings: Any,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name or self.factory
        self.scorer = scorer
        self.lang = lang
        self.cfg = settings  # type: ignore[assignment]
        self.configured = deepcopy(settings)
        self.pretrained = pretrained
        self.learned_from_dict({})
        try:
            self._load_pretrained()
        except ValueError as error:
            self.weights_error = str(error)

    # Training

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None
    ) -> None:
        """Go back to the start: the weights that `pretrained` names, else random ones.

        get_examples: Must give at least one Example; what is taken of them, see `_sample`.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._start(get_examples)

    def _start(self, get_examples: Callable[[], Iterable[Example]]) -> Any:
        """Set the weights as `initialize` says; returns the sample that random ones came from."""
        if self._load_pretrained():
            return None
        self.learned_from_dict({})
        sample = self._sample(get_examples)
        self.model.initialize(X=sample)
        return sample

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch. Raises ValueError if there is nothing gold to learn from."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, f"{type(self).__name__}.update")
        inputs, gold = self._read(examples)
        if inputs is None:
            return losses
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update(inputs)
        loss, gradient = self._loss(gold, scores)
        backprop(gradient)
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def _sample(self, get_examples: Callable[[], Iterable[Example]]) -> Any:
        """Read what the model is initialised with, and learn what else there is to learn."""
        raise NotImplementedError

    def _read(self, examples: list[Example]) -> tuple[Any, Any]:
        """Read what the model gets, and what the loss is computed with."""
        return self._inputs(examples), examples

    def _loss(self, gold: Any, scores: Any) -> tuple[float, Any]:
        return self.get_loss(gold, scores)

    def _inputs(self, examples: list[Example]) -> Any:
        """Read what the model learns from; None = nothing."""
        return [example.predicted for example in examples] or None

    # Weights

    @property
    def is_initialized(self) -> bool:
        """Whether there are weights, loaded or trained."""
        layers = self.model.get_ref(self.output_layer).walk()
        return any(layer.has_param("W") is True for layer in layers)

    def _check_initialized(self) -> None:
        if not self.is_initialized:
            raise ValueError(
                self.weights_error
                or f"{self.name!r} has no weights: there are no bundled ones for language "
                f"{self.lang!r} with this model. Train it ('spacy train' with "
                f"configs/{self.train_config}), or name trained weights in the setting "
                "'pretrained'."
            )

    def _load_pretrained(self) -> bool:
        """Load the weights that `pretrained` names; False if it names none.

        Raises ValueError if they are not to be found, or are of another model.
        """
        if self.pretrained is None:
            return False
        folder = find_weights(self.pretrained, lang=self.lang, component=self.factory)
        if folder is None:
            return False
        weights = srsly.msgpack_loads((folder / "model").read_bytes())
        if self._fits(weights):
            self._load_weights(weights)
            self.learned_from_dict(json.loads((folder / "cfg").read_bytes()))
            return True
        if self.pretrained != AUTO:
            raise ValueError(
                f"The weights in {folder} must fit the model of {self.name!r}. Copy the block "
                f"[components.{self.factory}.model] from the config.cfg next to them."
            )
        return False

    def _files(self) -> dict[str, tuple[Callable[[], bytes], Callable[[bytes], object]]]:
        return {**super()._files(), "model": (self._model_to_bytes, self._model_from_bytes)}

    def _model_to_bytes(self) -> bytes:
        """Serialize the model as it was built: without the dropout that `update` sets."""
        set_dropout_rate(self.model, 0.0)
        return self.model.to_bytes()

    def _model_from_bytes(self, data: bytes) -> None:
        self._load_weights(srsly.msgpack_loads(data))

    def _fits(self, weights: dict[str, Any]) -> bool:
        """Tell if weights are of this model, whatever data it learned from."""
        nodes, params = list(weights["nodes"]), list(weights["params"])
        places = self._data_places()
        if places and len(nodes) > max(places):
            for place in places:
                nodes[place] = {**nodes[place], "dims": {}}
                params[place] = {}
        return self.model.can_from_dict({**weights, "nodes": nodes, "params": params})

    def _load_weights(self, weights: dict[str, Any]) -> None:
        """Load weights; layers whose sizes come from data take those of the weights."""
        for params in weights["params"]:  # bundled weights have 16 bits
            halves = {k: v for k, v in params.items() if getattr(v, "dtype", None) == np.float16}
            params.update({k: v.astype("float32") for k, v in halves.items()})
        layers = list(self.model.walk())
        for place in self._data_places():
            set_sizes(layers[place], weights["nodes"][place]["dims"])
        self.model.from_dict(weights)

    def _data_places(self) -> list[int]:
        layers = [self.model.get_ref(n) for n in self.data_layers if self.model.has_ref(n)]
        return [place for place, node in enumerate(self.model.walk()) if node in layers]


def set_sizes(layer: Any, sizes: dict[str, int]) -> None:
    """Set dimensions of a layer that may have weights of other sizes; these are taken out."""
    for name in layer.param_names:
        layer.set_param(name, None)
    for dim, size in sizes.items():
        layer.set_dim(dim, size, force=True)
