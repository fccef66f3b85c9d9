"""Mark sentential units (SU) and non-sentential units (NSU).

tokens -> P(BOS), P(EOS), segment scores -> best units -> doc.spans["su"], doc.spans["nsu"]

Paper: Udagawa, Kanayama & Yoshida, Sentence Identification with BOS and EOS Label Combinations.
"""

import warnings
from collections.abc import Callable, Iterable
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, validate_get_examples
from thinc.api import Model

from ..components.label_glossary import UNIT_LABELS, explain_labels
from ..components.pipe import TrainablePart, set_sizes
from ..components.sentence_starts import find_starting_pipes, warn_of_starts, write_sentence_starts
from ..text.units import NSU, NSU_KINDS, SU
from .access.extensions import set_extensions
from .access.units import Keys
from .access.write import write_probs, write_span_groups
from .decoding.decode import Prediction, decode_units, not_calibrated
from .decoding.predict import predict_units
from .learning.gold import has_kinds, no_gold_message, read_golds
from .learning.losses import Targets, build_targets, unit_loss
from .learning.syntax import ALL_KINDS, SyntaxTargets, collect_labels, syntax_targets
from .network.boundaries import Candidates, find_boundaries, open_boundaries
from .network.tagger import UnitInput, UnitScores
from .network.tokens import BatchTokens, hide_line_ends, read_tokens, split_batch
from .network.word_vectors import has_word_vectors, read_word_vectors, set_word_vectors
from .settings import DEFAULT_SETTINGS, DEFAULT_THRESHOLD, check_learned, check_settings

# The gold of a batch: for the units, and for the syntax that the encoder learns.
Gold: TypeAlias = tuple[Targets, SyntaxTargets]


@Language.factory(
    "sentence_identifier",
    assigns=["doc.spans", "doc.sents", "token.is_sent_start"],
    default_config=DEFAULT_SETTINGS,
    default_score_weights={
        "spans_su_f": 0.5,
        "bio_macro_f": 0.5,
        "bio_weighted_f": 0.0,
        "spans_nsu_f": 0.0,
        "spans_nsu_kind_acc": 0.0,
        "spans_nsu_per_type": None,
    },
)
def make_sentence_identifier(
    nlp: Language,
    name: str,
    model: Model,
    pretrained: str | None,
    su_key: str,
    nsu_key: str,
    decoder: Literal["semi_markov", "bos_eos"],
    threshold: float,
    max_length: int | None,
    never_split: list[str],
    abbreviations: list[str],
    decode_weights: dict[str, float] | None,
    newline: Literal["paragraph", "learned", "break", "ignore"],
    nsu_span: Literal["element", "line", "merged"],
    nsu_kinds: bool,
    overwrite: bool,
    store_probs: bool,
    loss_weights: dict[str, float],
    scorer: Callable | None,
) -> "SentenceIdentifier":
    """Build a sentence identifier. See SentenceIdentifier for the settings."""
    set_extensions()
    explain_labels(UNIT_LABELS)
    identifier = SentenceIdentifier(
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
        never_split=never_split,
        abbreviations=abbreviations,
        decode_weights=decode_weights,
        newline=newline,
        nsu_span=nsu_span,
        nsu_kinds=nsu_kinds,
        overwrite=overwrite,
        store_probs=store_probs,
        loss_weights=loss_weights,
        scorer=scorer,
    )
    identifier.starts_of = find_starting_pipes(nlp)
    return identifier


class SentenceIdentifier(TrainablePart):
    """Component that finds the units of a Doc: SUs, and NSUs for everything between them.

    It always writes both `doc.spans[su_key]` and `doc.spans[nsu_key]`. Each group has
    `attrs["scores"]`, the probability in [0, 1] that each span is right. Units tile the tokens that
    are not white space.

    pretrained: "auto" loads the bundled weights of the language, if there are any and the model is
        the default one. Other values are the name of bundled weights, a folder, or None.
        `initialize` keeps loaded weights.
    decoder: "semi_markov", or "bos_eos", the method of the paper.
    threshold: Minimum probability of a candidate boundary, in [0, 1].
    max_length: Maximum length of an SU in tokens. A longer one is cut, at the best boundary in the
        second half of each part. None = no limit.
    never_split: Strings inside which no unit starts, such as "Yahoo! Inc.".
    abbreviations: Words after whose period no unit starts, such as "approx.".
    decode_weights: Semi-Markov: weights of minimum Bayes risk decoding (see
        `semi_markov.minimum_bayes_risk_scores`). None = take the most probable path instead.
    newline: "paragraph": no SU crosses a blank line, or a line with nothing but the quote marks of
        a mail (`>`), which is a unit of its own. Single line breaks are evidence, but NSU elements
        end at a row of a table that follows another row. "learned": all line breaks are evidence.
        "break": no SU crosses a line break. "ignore": line breaks count as spaces (only with the
        CPU encoder of this package).
    nsu_span: "element": one NSU span for each heading, table row, line of a signature and so on, as
        the model has learned them. "line": one for each line. "merged": one between two SUs, as in
        the paper.
    nsu_kinds: Label each NSU span with its kind, such as "HEADING" (see `units.NSU_KINDS`), if the
        model has learned kinds. Otherwise the label is "NSU".
    overwrite: Also overwrite sentence starts that are already set, and those of a parsed Doc.
    store_probs: Store P(BOS) and P(EOS) of each token as `doc.spans[su_key].attrs["bos_prob"]` and
        `["eos_prob"]`, (n_tokens,) each. DocBin keeps them.
    loss_weights: Weight of each part of the training loss.

    `nlp.initialize` and `spacy train` reset the weights to those that `pretrained` names, or else
    to random ones. `nlp.resume_training` keeps the current weights. A component that is added with
    `source=` keeps its own. `spacy.load` restores the saved weights and settings, unless the config
    passed to it changes a setting. If the weights that `pretrained` names are missing, the error is
    raised when weights are first needed.
    """

    factory = "sentence_identifier"
    train_config = "identifier"
    output_layer = "flags"
    data_layers = ("syntax",)
    check_settings = staticmethod(check_settings)

    # Names of the earlier components that set sentence starts; () after the warning about them.
    starts_of: tuple[str, ...] = ()
    # Learned with the weights: syntax labels, calibration of scores, and whether NSUs had kinds.
    labels_: dict[str, list[str]]
    calibration: dict[str, list[float]]
    knows_kinds: bool

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the spans that the component writes, for `nlp.pipe_labels`."""
        return (SU, *NSU_KINDS) if self._writes_kinds else (SU, NSU)

    # Prediction

    def predict(self, docs: Iterable[Doc]) -> list[Prediction]:
        """Predict the units of a batch, without changing the Docs.

        Large batches are processed in parts, so that memory does not grow with their size.
        """
        self._check_initialized()
        return [self._predict_part(part) for part in split_batch(docs)]

    def _predict_part(self, docs: list[Doc]) -> Prediction:
        settings = self.cfg
        tokens = read_tokens(docs)
        use_starts = not settings["overwrite"]
        if use_starts and warn_of_starts(docs, self.starts_of, self.name):
            self.starts_of = ()
        given = tokens._replace(docs=docs)  # with their sentence starts
        boundaries = find_boundaries(
            given,
            newline=settings["newline"],
            use_starts=use_starts,
            never_split=settings["never_split"],
            abbreviations=settings["abbreviations"],
        )
        prediction = predict_units(self.model, self._visible(tokens), boundaries, settings)
        return prediction._replace(tokens=tokens)

    def set_annotations(self, docs: Iterable[Doc], predictions: list[Prediction]) -> None:
        """Decode the units, and write span groups and sentence starts."""
        settings = {**self.cfg, "nsu_kinds": self._writes_kinds}
        stream = iter(docs)
        for prediction in predictions:
            decoded = decode_units(prediction, settings, self.calibration)
            part = list(islice(stream, len(decoded)))
            for doc, found in zip(part, decoded, strict=True):
                write_span_groups(doc, found, self.keys)
                starts = [unit.start for unit in found.units]
                write_sentence_starts(doc, starts, overwrite=settings["overwrite"])
            if settings["store_probs"]:
                write_probs(part, prediction.tokens, prediction.flags, self.keys.su)

    # Training

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        word_vectors: str | Path | None = None,
    ) -> None:
        """Reset the weights to those that `pretrained` names, or else to random ones.

        get_examples: Must return at least one Example. The first 100 determine the syntax labels,
            and whether NSUs have kinds.
        word_vectors: For an encoder with a "vector_width": an .npz file (see `word_vectors`), or
            weights with word vectors, such as "en_sentid_sm". None = no word has a vector. Ignored
            if `pretrained` names weights with vectors of their own.
        """
        validate_get_examples(get_examples, "SentenceIdentifier.initialize")
        examples = list(islice(get_examples(), 100))
        if not any(self.keys.su in example.reference.spans for example in examples):
            warnings.warn(no_gold_message(examples, self.keys.su, self.name), stacklevel=2)
        super().initialize(lambda: examples, nlp=nlp)
        encoder = self.model.get_ref("tok2vec")
        if word_vectors is not None and not has_word_vectors(encoder):
            set_word_vectors(encoder, read_word_vectors(word_vectors))
        self.knows_kinds |= has_kinds(examples, self.keys.nsu)

    def _sample(self, get_examples: Callable[[], Iterable[Example]]) -> list[Doc]:
        examples = list(get_examples())
        self.labels_ = collect_labels(example.reference for example in examples)
        n_labels = sum(len(labels) for labels in self.labels_.values())
        set_sizes(self.model.get_ref("syntax"), {"nO": n_labels})
        return [example.predicted for example in examples[:10]]

    def _read(self, examples: list[Example]) -> tuple[UnitInput | None, Gold | None]:
        tokens = read_tokens([example.predicted for example in examples])
        if not len(tokens.gaps):
            return None, None
        golds = read_golds(examples, self.keys, name=self.name)
        targets = build_targets(golds)
        pairs = [(eg.reference, gold.tokens) for eg, gold in zip(examples, golds, strict=True)]
        gold = targets, syntax_targets(pairs, self.labels_)
        units = [unit[:2] for path in targets.paths if path is not None for unit in path]
        candidates = None
        settings = self.cfg
        if units and settings["loss_weights"]["segments"] and self.model.has_ref("segment_scorer"):
            # Train on more candidates than a high threshold selects in decoding.
            threshold = min(settings["threshold"], DEFAULT_THRESHOLD)
            candidates = Candidates(open_boundaries(tokens), threshold, units)
        return UnitInput(self._visible(tokens), candidates), gold

    def _loss(self, gold: Gold, scores: UnitScores) -> tuple[float, UnitScores]:
        return unit_loss(scores, *gold, self.labels_, self.cfg["loss_weights"])

    def _visible(self, tokens: BatchTokens) -> BatchTokens:
        """Hide line breaks from the encoder if the setting "newline" is "ignore"."""
        return hide_line_ends(tokens) if self.cfg["newline"] == "ignore" else tokens

    # Saving and loading

    def learned_to_dict(self) -> dict[str, Any]:
        """Return the syntax labels, the calibration, and whether the model has learned kinds."""
        learned = {"labels": self.labels_, "calibration": self.calibration}
        return {**learned, "knows_kinds": self.knows_kinds}

    def learned_from_dict(self, state: dict[str, Any]) -> None:
        """Set the values that `learned_to_dict` returned; {} resets them."""
        labels = state.get("labels", {kind: [] for kind in ALL_KINDS})
        calibration = {**not_calibrated(), **state.get("calibration", {})}
        knows_kinds = state.get("knows_kinds", False)
        check_learned(labels, calibration, knows_kinds)
        self.labels_, self.calibration, self.knows_kinds = labels, calibration, knows_kinds

    @property
    def _writes_kinds(self) -> bool:
        return self.cfg["nsu_kinds"] and self.knows_kinds

    @property
    def keys(self) -> Keys:
        """Keys of the span groups that the component writes and learns from."""
        return Keys(self.cfg["su_key"], self.cfg["nsu_key"])
