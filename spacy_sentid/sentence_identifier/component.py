"""Mark sentential units (SU) and non-sentential units (NSU).

tokens -> P(BOS), P(EOS), segment scores -> best units -> doc.spans["su"], doc.spans["nsu"]

Paper: Udagawa, Kanayama & Yoshida, Sentence Identification with BOS and EOS Label Combinations.
"""

import json
import warnings
from collections.abc import Callable, Iterable, Iterator
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from spacy import util
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.vocab import Vocab
from thinc.api import Config, Model, Optimizer, set_dropout_rate

from ..arrays import Floats2d
from ..pretrained import AUTO, find_weights
from .alignment import align_gold, token_characters
from .annotate import write_sentence_starts, write_span_groups
from .losses import build_targets, flag_loss, gold_lattice, sigmoid
from .model import BOS, EOS, UNIT_START, TokenScores
from .prediction import (
    Borders,
    block_lengths,
    candidate_cuts,
    decode_segments,
    decode_tokens,
    find_borders,
    finish_units,
)
from .segment_scorer import SegmentInput
from .semi_markov import Lattice, build_lattice, path_loss
from .syntax import ALL_KINDS, collect_labels, syntax_labels, syntax_loss, syntax_targets

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_sentid.UnitTagger.v1"
segment_hidden = 96
segment_dropout = 0.1

[model.tok2vec]
@architectures = "spacy_sentid.DilatedEncoder.v1"
width = 96
rows = [5000, 1000, 2500, 2500]
dilations = [1, 1, 2, 4, 8]
maxout_pieces = 3
word_dropout = 0.1
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]
# Weight of each part of the training loss.
DEFAULT_LOSS_WEIGHTS = {
    "borders": 1.0,  # BOS and EOS
    "context": 0.3,  # inside an SU, start of any unit
    "segments": 0.5,  # the gold path among all segmentations
    "tag": 0.3,  # the rest: syntax, see there
    "pos": 0.3,
    "feats": 0.2,
    "dep": 0.3,
    "head": 0.4,
    "head_dep": 0.2,
    "arcs": 0.3,
    "children": 0.3,
}


# What the semi-Markov decoder maximises; tuned on EWT dev.
DEFAULT_GAINS = {"span_weight": 3.0, "span_cost": 0.3, "nsu_weight": 1.7}


# Tokens that are worked on together: enough for distinct types to pay, and no more memory.
PART_TOKENS = 30_000


@Language.factory(
    "sentence_identifier",
    assigns=["doc.spans", "doc.sents", "token.is_sent_start"],
    default_config={
        "model": DEFAULT_MODEL,
        "pretrained": AUTO,
        "su_key": "su",
        "nsu_key": "nsu",
        "decoder": "semi_markov",
        "threshold": 0.02,
        "max_length": None,
        "max_atoms": 6,
        "gains": DEFAULT_GAINS,
        "newline": "learned",
        "split_nsu": "run",
        "set_sents": True,
        "overwrite": False,
        "store_probs": False,
        "loss_weights": DEFAULT_LOSS_WEIGHTS,
        "scorer": {"@scorers": "spacy_sentid.unit_scorer.v1"},
    },
    default_score_weights={
        "spans_su_f": 0.5,
        "bio_macro_f": 0.5,
        "bio_weighted_f": 0.0,
        "spans_nsu_f": 0.0,
    },
)
def make_sentence_identifier(
    nlp: Language,
    name: str,
    model: Model[list[Doc], NamedTuple],
    pretrained: str | None,
    su_key: str,
    nsu_key: str,
    decoder: Literal["semi_markov", "bos_eos", "eos", "eos_force_last"],
    threshold: float,
    max_length: int | None,
    max_atoms: int,
    gains: dict[str, float] | None,
    newline: Literal["learned", "break", "ignore"],
    split_nsu: Literal["run", "line"],
    set_sents: bool,
    overwrite: bool,
    store_probs: bool,
    loss_weights: dict[str, float],
    scorer: Callable | None,
) -> "SentenceIdentifier":
    """Build a sentence identifier. See SentenceIdentifier for the settings."""
    return SentenceIdentifier(
        nlp.vocab,
        model,
        name,
        lang=nlp.lang or "xx",
        pretrained=pretrained,
        su_key=su_key,
        nsu_key=nsu_key,
        decoder=decoder,
        threshold=threshold,
        max_length=max_length,
        max_atoms=max_atoms,
        gains=gains,
        newline=newline,
        split_nsu=split_nsu,
        set_sents=set_sents,
        overwrite=overwrite,
        store_probs=store_probs,
        loss_weights=loss_weights,
        scorer=scorer,
    )


class Prediction(NamedTuple):
    """What `predict` hands to `set_annotations` for some documents of a batch."""

    n_docs: int
    scores: TokenScores
    borders: Borders
    lattice: Lattice | None  # None: the decoder does not need it
    segment_scores: Floats2d


class SentenceIdentifier(TrainablePipe):
    """Find the units of a Doc: SUs, and NSUs for all that lies between them.

    Writes `doc.spans[su_key]` and `doc.spans[nsu_key]`, both always, each with `attrs["scores"]`:
    for each span the probability that it is right, in [0, 1]. Units tile the tokens that are not
    white space.

    pretrained: "auto": embedded weights by language, if there are any and the model is the default
        one; else a name, a folder, or None. With weights, `initialize` keeps them.
    decoder: "semi_markov"; "bos_eos", the paper's; "eos" and "eos_force_last", its baselines.
    threshold: Least probability of a candidate border, in [0, 1].
    max_length: Longest SU in tokens; None = no limit. The baselines do not heed it.
    max_atoms: Semi-Markov: most stretches between neighbouring candidates that one unit spans.
    gains: Semi-Markov: what a right token and a right span count (see
        `semi_markov.expected_gains`); None = take the most probable path instead.
    newline: "learned": line ends are evidence; "break": no SU goes over a line end (for NSUs see
        `split_nsu`); "ignore": line ends are spaces.
    split_nsu: "run": one NSU span between two SUs; "line": one for each of its lines.
    set_sents: Each unit starts a sentence, in Docs without a parse.
    overwrite: Also rewrite starts that were set before, and those of a parsed Doc.
    store_probs: Store P(BOS), P(EOS) of each token as `doc.spans[su_key].attrs["bos_prob"]` and
        `["eos_prob"]`, (n_tokens,) each; they survive DocBin.
    loss_weights: Weight of each part of the training loss.

    What happens to the weights: `nlp.initialize` and `spacy train` go back to those that
    `pretrained` names, or draw random ones if it names none; `nlp.resume_training` keeps what is
    there; a component taken over by `source=` brings its own; `spacy.load` restores those that
    were saved, with the settings as they were, unless the config given to it says otherwise. A
    `pretrained` that is not to be found raises when weights are first needed.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model,
        name: str = "sentence_identifier",
        *,
        lang: str = "xx",
        pretrained: str | None = None,
        scorer: Callable | None = None,
        **settings: Any,
    ) -> None:
        _check_settings(settings, name)
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.lang = lang
        # Settings may be changed at run time; `configured` is what the config said.
        self.cfg: dict[str, Any] = dict(settings)
        self.configured: dict[str, Any] = deepcopy(settings)
        # Learned beside the weights: syntax labels, calibration of the scores.
        self.labels_: dict[str, list[str]] = {kind: [] for kind in ALL_KINDS}
        self.calibration: dict[str, list[float]] = {"su": [1.0, 0.0], "nsu": [1.0, 0.0]}
        self.pretrained = pretrained
        # Why `pretrained` gave no weights. It is told when they are missed: a saved pipeline brings
        # its own, and must load where the folder that it started from is not.
        self.weights_error: str | None = None
        try:
            self._load_pretrained()
        except ValueError as error:
            self.weights_error = str(error)

    # Using it

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Score tokens and candidate segments of a batch, without changing the Docs.

        Long batches are worked on in parts, so that memory does not grow with them.
        """
        self._check_initialized()
        self._show_newlines(self.cfg["newline"])
        return [self._predict_part(part) for part in _split_batch(docs)]

    def _predict_part(self, docs: list[Doc]) -> Prediction:
        scores = self.model.predict(docs)
        borders = find_borders(
            docs,
            scores.token_indices,
            break_lines=self.cfg["newline"] == "break",
            need_lines=self.cfg["split_nsu"] == "line",
            use_starts=not self.cfg["overwrite"],
        )
        if self.cfg["decoder"] != "semi_markov":
            return Prediction(len(docs), scores, borders, None, scores.flags[:0])
        is_cut = candidate_cuts(
            scores.flags, borders, threshold=self.cfg["threshold"], max_atoms=self.cfg["max_atoms"]
        )
        lattice = build_lattice(is_cut, block_lengths(borders.forced), self.cfg["max_atoms"])
        segment_scores = self._segment_scorer().predict(_segment_input(scores, lattice))
        return Prediction(len(docs), scores, borders, lattice, segment_scores)

    def set_annotations(self, docs: Iterable[Doc], predictions: list[Prediction]) -> None:
        """Decode and write span groups and sentence starts."""
        stream = iter(docs)
        for prediction in predictions:
            self._annotate_part(list(islice(stream, prediction.n_docs)), prediction)

    def _annotate_part(self, docs: list[Doc], prediction: Prediction) -> None:
        _, scores, borders, lattice, segment_scores = prediction
        if lattice is None:
            decoded = decode_tokens(
                scores,
                borders,
                decoder=self.cfg["decoder"],
                threshold=self.cfg["threshold"],
                max_length=self.cfg["max_length"],
            )
        else:
            decoded = decode_segments(
                lattice,
                segment_scores,
                scores.lengths,
                gains=self.cfg["gains"],
                max_length=self.cfg["max_length"],
            )
        offset = 0
        for doc, tokens, found in zip(docs, scores.token_indices, decoded, strict=True):
            rows = slice(offset, offset + len(tokens))
            offset += len(tokens)
            found = finish_units(
                found, borders.line_start[rows], split_lines=self.cfg["split_nsu"] == "line"
            )
            write_span_groups(
                doc,
                _on_doc_tokens(found.units, tokens),
                self._calibrate(found),
                su_key=self.cfg["su_key"],
                nsu_key=self.cfg["nsu_key"],
            )
            if self.cfg["store_probs"]:
                self._store_probs(doc, tokens, scores.flags[rows])
            if self.cfg["set_sents"]:
                starts = tokens[[unit.start for unit in found.units]]
                write_sentence_starts(doc, starts, overwrite=self.cfg["overwrite"])

    # Training it

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
    ) -> None:
        """Go back to the start: the weights that `pretrained` names, else random ones.

        get_examples: Must give at least one Example; the first 100 show the syntax labels.
        """
        validate_get_examples(get_examples, "SentenceIdentifier.initialize")
        examples = list(islice(get_examples(), 100))
        if not any(self.cfg["su_key"] in example.reference.spans for example in examples):
            warnings.warn(self._no_gold_message(examples), stacklevel=2)
        if self._load_pretrained():
            return
        self.calibration = {"su": [1.0, 0.0], "nsu": [1.0, 0.0]}
        self.labels_ = collect_labels(example.reference for example in examples)
        self._clear_syntax(sum(len(labels) for labels in self.labels_.values()))
        self.model.initialize(X=[example.predicted for example in examples[:10]])

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from a batch. Raises ValueError if no Example has gold units."""
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "SentenceIdentifier.update")
        if not any(len(token_characters(example.predicted)[0]) for example in examples):
            return losses
        self._show_newlines(self.cfg["newline"])
        set_dropout_rate(self.model, drop)
        scores, backprop = self.model.begin_update([eg.predicted for eg in examples])
        loss, gradients = self.get_loss(examples, scores)
        backprop(gradients)
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += loss
        return losses

    def get_loss(
        self, examples: Iterable[Example], scores: TokenScores
    ) -> tuple[float, tuple[Floats2d, Floats2d, Floats2d]]:
        """Compute the loss and its gradient for flags, syntax and vectors of the tokens.

        The segment scorer runs inside; its own parameters get their gradient here.
        """
        examples = list(examples)
        ops, weights = self.model.ops, self.cfg["loss_weights"]
        su_key, nsu_key = self.cfg["su_key"], self.cfg["nsu_key"]
        golds = [align_gold(eg, su_key=su_key, nsu_key=nsu_key) for eg in examples]
        if all(gold is None for gold in golds):
            raise ValueError(self._no_gold_message(examples))
        targets = build_targets(golds, scores.lengths)
        flags = ops.to_numpy(scores.flags)
        loss, d_flags = flag_loss(flags, targets, weights)
        labels = [
            syntax_labels(example.reference, token_characters(example.predicted)[0])
            for example in examples
        ]
        syntax = ops.to_numpy(scores.syntax)
        label_loss, d_syntax = syntax_loss(
            syntax, syntax_targets(labels, self.labels_), self.labels_, weights
        )
        loss += label_loss
        d_vectors = ops.alloc2f(*scores.vectors.shape)
        if self.model.has_ref("segment_scorer") and weights["segments"]:
            n_units = sum(len(path) for path in targets.paths if path is not None)
            nothing = np.zeros(len(flags), dtype=bool)
            is_cut = candidate_cuts(
                flags,
                Borders(nothing, nothing, nothing),
                threshold=self.cfg["threshold"],
                max_atoms=self.cfg["max_atoms"],
            )
            lattice, allowed = gold_lattice(targets, is_cut, scores.lengths, self.cfg["max_atoms"])
            if n_units:
                scorer = self._segment_scorer()
                segment_scores, backprop_segments = scorer.begin_update(
                    _segment_input(scores, lattice)
                )
                path_losses, d_segments = path_loss(lattice, ops.to_numpy(segment_scores), allowed)
                scale = weights["segments"] / n_units
                loss += scale * float(path_losses.sum())
                d_vectors, d_borders = backprop_segments(ops.asarray2f(d_segments * scale))
                for column, d_column in zip((BOS, EOS, UNIT_START), d_borders, strict=True):
                    d_flags[:, column] += d_column
        return loss, (ops.asarray2f(d_flags), ops.asarray2f(d_syntax), d_vectors)

    # What it has learned, saved and loaded

    @property
    def is_initialized(self) -> bool:
        """Whether there are weights, loaded or trained."""
        return self.model.get_ref("flags").has_param("W") is True

    # Settings are written with json, as srsly's floats do not all survive a round trip.

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Serialize weights, settings and what was learned beside the weights."""
        writers: dict[str, Callable] = {
            "cfg": lambda: json.dumps(self._state()).encode(),
            "model": self._model_bytes,
            "vocab": lambda: self.vocab.to_bytes(exclude=exclude),
        }
        return util.to_bytes(writers, exclude)

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "SentenceIdentifier":
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

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> "SentenceIdentifier":
        """Load what `to_disk` wrote."""
        readers: dict[str, Callable] = {
            "cfg": lambda file: self._set_state(json.loads(file.read_bytes())),
            "model": lambda file: self._load_model(file.read_bytes()),
            "vocab": lambda folder: self.vocab.from_disk(folder, exclude=exclude),
        }
        util.from_disk(path, readers, exclude)
        return self

    def _model_bytes(self) -> bytes:
        """Serialize the model as it was built: what update and predict set in it is taken back.

        Else the same model, fresh, would not be recognised as fitting these weights.
        """
        set_dropout_rate(self.model, 0.0)
        self._show_newlines("learned")
        return self.model.to_bytes()

    def _state(self) -> dict[str, Any]:
        return {
            "settings": self.cfg,
            "configured": self.configured,
            "labels": self.labels_,
            "calibration": self.calibration,
        }

    def _set_state(self, state: dict[str, Any]) -> None:
        """Take over a saved state, but not settings that the config has changed since."""
        for key, value in state["settings"].items():
            if state["configured"].get(key) == self.configured.get(key):
                self.cfg[key] = value
        self.labels_ = state["labels"]
        self.calibration = state["calibration"]

    def _load_pretrained(self) -> bool:
        """Load the weights that `pretrained` names; False if it names none.

        Raises ValueError if they are not to be found, or are of another model.
        """
        if self.pretrained is None:
            return False
        folder = find_weights(self.pretrained, lang=self.lang, component="sentence_identifier")
        if folder is None:
            return False
        data = (folder / "model").read_bytes()
        self._clear_syntax(None)
        if self.model.can_from_bytes(data, strict=True):
            self.model.from_bytes(data)
            state = json.loads((folder / "cfg").read_bytes())
            self.labels_, self.calibration = state["labels"], state["calibration"]
            return True
        if self.pretrained != AUTO:
            raise ValueError(
                f"The weights in {folder} do not fit the model of {self.name!r}. Expected the "
                "[components.sentence_identifier.model] block that they were trained with: copy it "
                "from the config.cfg beside them."
            )
        return False

    def _load_model(self, data: bytes) -> None:
        self._clear_syntax(None)
        self.model.from_bytes(data)

    def _clear_syntax(self, n_labels: int | None) -> None:
        """Take the weights out of the syntax head; its width is that of the labels, if known."""
        layer: Any = self.model.get_ref("syntax")
        for name in layer.param_names:
            layer.set_param(name, None)
        layer.set_dim("nO", n_labels, force=True)

    # Private helpers

    def _check_initialized(self) -> None:
        if not self.is_initialized:
            raise ValueError(
                self.weights_error
                or f"{self.name!r} has no weights: there are no embedded ones for language "
                f"{self.lang!r} with this model. Train it ('spacy project run train' or 'spacy "
                "train' with configs/identifier_cnn.cfg), or name trained weights in the setting "
                "'pretrained'."
            )

    def _show_newlines(self, policy: str) -> None:
        """Pass the newline policy on to the encoder."""
        shown = "ignore" if policy == "ignore" else "learned"
        for node in self.model.walk():
            if "newline" in node.attrs:
                node.attrs["newline"] = shown

    def _segment_scorer(self) -> Model:
        if not self.model.has_ref("segment_scorer"):
            raise ValueError(
                "The decoder 'semi_markov' needs a segment scorer, and the model has none "
                "(segment_hidden = null). Choose the decoder 'bos_eos', or give it a scorer."
            )
        return self.model.get_ref("segment_scorer")

    def _calibrate(self, found: Any) -> np.ndarray:
        slopes = np.asarray([self.calibration[unit.label.lower()] for unit in found.units])
        slopes = slopes.reshape(-1, 2)
        return sigmoid(slopes[:, 0] * np.clip(found.confidence, -30, 30) + slopes[:, 1])

    def _store_probs(self, doc: Doc, tokens: np.ndarray, flags: Floats2d) -> None:
        prob = sigmoid(self.model.ops.to_numpy(flags))
        for name, column in (("bos_prob", BOS), ("eos_prob", EOS)):
            values = np.zeros(len(doc), dtype="float32")
            values[tokens] = prob[:, column]
            doc.spans[self.cfg["su_key"]].attrs[name] = values

    def _no_gold_message(self, examples: list[Example]) -> str:
        found = sorted({key for example in examples for key in example.reference.spans})
        return (
            f"No Doc has spans[{self.cfg['su_key']!r}] to learn from (found keys: "
            f"{', '.join(found) or 'none'}). Convert the corpus with 'spacy-sentid convert', or "
            f"set 'su_key' of {self.name!r} to the key that holds the SUs."
        )


def _check_settings(settings: dict[str, Any], name: str) -> None:
    if not 0 <= settings["threshold"] <= 1:
        raise ValueError(
            f"'threshold' is {settings['threshold']}, expected a probability in [0, 1]. Mend "
            f"the config of {name!r}."
        )
    for key in ("max_atoms", "max_length"):
        if settings[key] is not None and settings[key] < 1:
            raise ValueError(
                f"'{key}' is {settings[key]}, expected at least 1. Mend the config of {name!r}."
            )
    if settings["su_key"] == settings["nsu_key"]:
        raise ValueError(
            f"'su_key' and 'nsu_key' are both {settings['su_key']!r}, expected two keys. Mend the "
            f"config of {name!r}."
        )
    for key, defaults in (("loss_weights", DEFAULT_LOSS_WEIGHTS), ("gains", DEFAULT_GAINS)):
        found = set(defaults if settings[key] is None else settings[key])
        if found != set(defaults):
            raise ValueError(
                f"{key!r} has the parts {', '.join(sorted(found))}, expected "
                f"{', '.join(sorted(defaults))}. Give each of them a number; 0 is none."
            )


def _split_batch(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Cut a batch into parts of about PART_TOKENS; a longer Doc is a part of its own."""
    part: list[Doc] = []
    n_tokens = 0
    for doc in docs:
        if part and n_tokens + len(doc) > PART_TOKENS:
            yield part
            part, n_tokens = [], 0
        part.append(doc)
        n_tokens += len(doc)
    if part:
        yield part


def _segment_input(scores: TokenScores, lattice: Lattice) -> SegmentInput:
    flags = scores.flags
    return SegmentInput(scores.vectors, flags[:, BOS], flags[:, EOS], flags[:, UNIT_START], lattice)


def _on_doc_tokens(units: list[Any], tokens: np.ndarray) -> list[Any]:
    """Turn positions among the tokens that are not white space into tokens of the Doc."""
    return [
        unit._replace(start=int(tokens[unit.start]), end=int(tokens[unit.end - 1]) + 1)
        for unit in units
    ]
