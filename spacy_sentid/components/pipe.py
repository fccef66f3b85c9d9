"""Base class of the components with a model: pretrained weights, training, saving.

weights that the setting `pretrained` names -> the model -> file "model" of a folder, and back
"""

import json
import warnings
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, ClassVar

from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate

from ..files.reading import name_file
from ..pretrained import AUTO, DEFAULT_NAMES, MULTILINGUAL, default_name, find_weights
from .saving import SavedPart
from .weights import weights_from_bytes, weights_to_bytes


class TrainablePart(SavedPart, TrainablePipe):
    """A component with a model, pretrained weights and training.

    lang: Language of the pipeline, for `pretrained="auto"`.
    pretrained: The initial weights: "auto" (bundled weights of the language), the name of bundled
        weights, a folder, or None.

    Raises ValueError for "auto" if the language has no bundled weights.
    """

    train_config: ClassVar[str]  # name of the config of this package that trains it
    # Name of the model's layer that shows if there are weights.
    output_layer: ClassVar[str] = "output"
    # Names of the layers whose sizes depend on the training data.
    data_layers: ClassVar[tuple[str, ...]] = ()
    # Message if the pretrained weights could not be loaded. It is raised when they are needed: a
    # saved pipeline has its own weights, and must load without the folder that it started from.
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
        if pretrained == AUTO:
            self._check_language()
        try:
            self._load_pretrained()
        except ValueError as error:
            self.weights_error = str(error)

    def _check_language(self) -> None:
        """Check if there are bundled weights for the language.

        Raises ValueError if not. Warns if weights of other languages are used instead.
        """
        languages = DEFAULT_NAMES.get(self.factory, {})
        name = default_name(self.factory, self.lang)
        if name is None:
            raise ValueError(
                f"The language of {self.name!r} must be one with bundled weights "
                f"({', '.join(languages)}), got {self.lang!r}. To start without weights, set "
                f"'pretrained' to None (null in a config). {self._train_advice}"
            )
        if self.lang not in languages:
            known = sorted(set(languages) - {MULTILINGUAL})
            warnings.warn(
                f"{self.name!r} has no weights for {self.lang!r}, so it uses {name!r}, which was "
                f"not trained on that language, but on {', '.join(known)}. Expect more errors, "
                "or fine-tune it on some documents (guide 'Your language in an afternoon'). Set "
                f"'pretrained' to {name!r} to hide this warning.",
                stacklevel=2,
            )

    # Training

    def initialize(
        self, get_examples: Callable[[], Iterable[Example]], *, nlp: Language | None = None
    ) -> None:
        """Reset the weights to those that `pretrained` names, or else to random ones.

        get_examples: Must return at least one Example; see `_sample` for their use.
        """
        validate_get_examples(get_examples, f"{type(self).__name__}.initialize")
        self._start(get_examples)

    def _start(self, get_examples: Callable[[], Iterable[Example]]) -> Any:
        """Reset the weights as `initialize` does; return the sample for random ones, or None."""
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
        """Update the model with a batch. Raises ValueError if no Example has gold."""
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
        """Return the sample to initialize the model with, and set other values from the data."""
        raise NotImplementedError

    def _read(self, examples: list[Example]) -> tuple[Any, Any]:
        """Return the inputs of the model, None if there are none, and the gold for the loss."""
        raise NotImplementedError

    def _loss(self, gold: Any, scores: Any) -> tuple[float, Any]:
        """Compute the loss and its gradient."""
        raise NotImplementedError

    def get_loss(self, examples: Iterable[Example], scores: Any) -> tuple[float, Any]:
        """Compute the loss of the scores of Examples, and its gradient."""
        inputs, gold = self._read(list(examples))
        return (0.0, scores) if inputs is None else self._loss(gold, scores)

    # Weights

    @property
    def is_initialized(self) -> bool:
        """True if there are weights, loaded or trained."""
        layers = self.model.get_ref(self.output_layer).walk()
        return any(layer.has_param("W") is True for layer in layers)

    def _check_initialized(self) -> None:
        if not self.is_initialized:
            other = "the bundled ones do not fit its model"
            reason = "the setting 'pretrained' is null" if self.pretrained is None else other
            raise ValueError(
                self.weights_error
                or f"{self.name!r} has no weights: {reason}. {self._train_advice}"
            )

    @property
    def _train_advice(self) -> str:
        return (
            f"Train it with the config that 'spacy-sentid train init-config {self.train_config}' "
            "writes, or set 'pretrained' to trained weights."
        )

    def _load_pretrained(self) -> bool:
        """Load the weights that `pretrained` names.

        RETURNS: True if weights were loaded. With "auto", weights that do not fit are not loaded.

        Raises ValueError if the weights are missing or damaged, or if named ones do not fit.
        """
        if self.pretrained is None:
            return False
        folder = find_weights(self.pretrained, lang=self.lang, component=self.factory)
        with name_file(folder / "model"):
            weights = weights_from_bytes((folder / "model").read_bytes())
            fits = self._fits(weights)
            if fits:
                self._load_weights(weights)
        if fits:
            with name_file(folder / "cfg"):
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
        """Serialize the model without the dropout that `update` sets."""
        set_dropout_rate(self.model, 0.0)
        return weights_to_bytes(self.model.to_dict())

    def _model_from_bytes(self, data: bytes) -> None:
        self._load_weights(weights_from_bytes(data))

    def _fits(self, weights: dict[str, Any]) -> bool:
        """Check if weights fit this model; sizes that depend on the data may differ."""
        nodes, params = list(weights["nodes"]), list(weights["params"])
        places = self._data_places()
        if places and len(nodes) > max(places):
            for place in places:
                nodes[place] = {**nodes[place], "dims": {}}
                params[place] = {}
        return self.model.can_from_dict({**weights, "nodes": nodes, "params": params})

    def _load_weights(self, weights: dict[str, Any]) -> None:
        """Load weights; layers whose sizes depend on the data get the sizes of the weights."""
        layers = list(self.model.walk())
        for place in self._data_places():
            set_sizes(layers[place], weights["nodes"][place]["dims"])
        self.model.from_dict(weights)

    def _data_places(self) -> list[int]:
        layers = [self.model.get_ref(n) for n in self.data_layers if self.model.has_ref(n)]
        return [place for place, node in enumerate(self.model.walk()) if node in layers]


def set_sizes(layer: Any, sizes: dict[str, int]) -> None:
    """Set dimensions of a layer, and remove its weights, which may have other sizes."""
    for name in layer.param_names:
        layer.set_param(name, None)
    for dim, size in sizes.items():
        layer.set_dim(dim, size, force=True)
