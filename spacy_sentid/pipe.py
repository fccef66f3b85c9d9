"""The base of our components with a model: bundled weights, training, saving.

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

from .files.reading import name_file
from .pretrained import AUTO, DEFAULT_NAMES, default_name, find_weights
from .saving import SavedPart
from .weights import weights_from_bytes, weights_to_bytes


class TrainablePart(SavedPart, TrainablePipe):
    """A component with a model: what its weights start from, and how it is trained.

    pretrained: What its weights are: "auto", a name, a folder, or None. lang: of "auto".

    Raises ValueError for "auto" and a language without bundled weights.
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
        if pretrained == AUTO:
            self._check_language()
        try:
            self._load_pretrained()
        except ValueError as error:
            self.weights_error = str(error)

    def _check_language(self) -> None:
        """Raise ValueError for a language without bundled weights; warn where others stand in."""
        languages = DEFAULT_NAMES.get(self.factory, {})
        name = default_name(self.factory, self.lang)
        if name is None:
            raise ValueError(
                f"The language of {self.name!r} must be one with bundled weights "
                f"({', '.join(languages)}) unless 'pretrained' is set, got {self.lang!r}. Set that "
                f"to None (null in a config) to start without weights. {self._train_advice}"
            )
        if self.lang not in languages:
            warnings.warn(
                f"{self.name!r} has no weights for {self.lang!r}, so it uses {name!r}, which has "
                f"not seen that language (trained on: {', '.join(languages)}). Expect more errors, "
                "or fine-tune it on some documents (guide 'Your language in an afternoon'). Set "
                f"'pretrained' to {name!r} to hide this warning.",
                stacklevel=2,
            )

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
            other = "the bundled ones are of another model"
            reason = "the setting 'pretrained' is null" if self.pretrained is None else other
            raise ValueError(
                self.weights_error
                or f"{self.name!r} has no weights: {reason}. {self._train_advice}"
            )

    @property
    def _train_advice(self) -> str:
        return (
            f"Train it ('spacy train' with configs/{self.train_config} of the repository or the "
            "sdist), or name trained weights in the setting 'pretrained'."
        )

    def _load_pretrained(self) -> bool:
        """Load the weights that `pretrained` names; False if it names none.

        Raises ValueError if they are not to be found, or are of another model.
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
        """Serialize the model as it was built: without the dropout that `update` sets."""
        set_dropout_rate(self.model, 0.0)
        return weights_to_bytes(self.model.to_dict())

    def _model_from_bytes(self, data: bytes) -> None:
        self._load_weights(weights_from_bytes(data))

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
