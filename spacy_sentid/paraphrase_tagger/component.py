"""Tag the words of each text of a pair that have no paraphrase in the other text.

Doc of make_pair -> support of each word -> doc.spans["unparaphrased"]

Paper: Wang et al., ParaTag: A Dataset of Paraphrase Tagging for Fine-Grained Labels, NLG
Evaluation, and Data Augmentation.
"""

from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import numpy as np
from spacy.attrs import IS_SPACE
from spacy.language import Language
from spacy.tokens import Doc, Span, SpanGroup
from spacy.training import Example
from thinc.api import Config, Model

from ..arrays import Floats1d, Ints1d, sigmoid
from ..components.label_glossary import explain_labels
from ..components.pipe import TrainablePart
from ..components.settings import check_key, check_range
from ..pretrained import AUTO
from .corpus import LABEL, SUPPORT, UNPARAPHRASED_KEY
from .decode import find_spans
from .pairs import get_pair, pair_id
from .scorer import align_tags

DEFAULT_CONFIG = """
[model]
@architectures = "spacy_sentid.PairTagger.v1"
encoder = null
window = 128
width = 128
maxout_pieces = 2
dilations = [1, 2, 4]

[model.features]
@architectures = "spacy_sentid.PairFeatures.v1"
lexicon = "auto"
dropout = 0.1
"""
DEFAULT_MODEL = Config().from_str(DEFAULT_CONFIG)["model"]


@Language.factory(
    "paraphrase_tagger",
    assigns=["doc.spans"],
    default_config={
        "model": DEFAULT_MODEL,
        "pretrained": AUTO,
        "key": UNPARAPHRASED_KEY,
        # With the bundled weights, these values have the best F1 and accuracy on three dev sets.
        "threshold": 0.35,
        "extend": 0.3,
        "smoothing": 0.05,
        "scorer": {"@scorers": "spacy_sentid.paraphrase_scorer.v1"},
    },
    default_score_weights={"unparaphrased_f": 1.0, "paraphrase_acc": 0.0},
)
def make_paraphrase_tagger(
    nlp: Language,
    name: str,
    model: Model[list[Doc], list],
    pretrained: str | None,
    key: str,
    threshold: float,
    extend: float | None,
    smoothing: float,
    scorer: Callable | None,
) -> "ParaphraseTagger":
    """Build a paraphrase tagger. See ParaphraseTagger for the settings."""
    explain_labels({LABEL: "word or phrase without a paraphrase in the other text"})
    return ParaphraseTagger(
        nlp.vocab,
        model,
        name,
        lang=nlp.lang or "xx",
        pretrained=pretrained,
        key=key,
        threshold=threshold,
        extend=extend,
        smoothing=smoothing,
        scorer=scorer,
    )


class ParaphraseTagger(TrainablePart):
    """Find, in each text of a pair, the minimal spans that have no paraphrase in the other text.

    The component takes Docs of `make_pair` and raises ValueError for others. It always writes
    `doc.spans[key]`, with two attributes. `attrs["scores"]` is the mean probability, in [0, 1],
    that the words of each span are unparaphrased. `attrs["support"]`, (n_tokens,), is the logit
    that a token is paraphrased minus the logit that it is not (equation 4), 0 for white space. A
    span never crosses from one text to the other.

    pretrained: "auto" loads the bundled weights of the language, if there are any and the model is
        the default one. Other values are the name of bundled weights, a folder, or None.
        `initialize` keeps loaded weights.
    key: Key of the gold and predicted spans.
    threshold: Minimum probability of an unparaphrased word, in [0, 1].
    extend: Minimum probability of a word next to an unparaphrased one to join its span (see
        `decode.find_spans`); None = spans are not extended.
    smoothing: Assumed probability that a gold tag is wrong, in [0, 0.5), as annotators only agree
        with kappa 0.66. It keeps support between +-log((1 - s) / s). 0 gives equation 3.

    Weights are initialized, loaded and saved like those of the SentenceIdentifier.
    """

    factory = "paraphrase_tagger"
    train_config = "paraphrase"

    @staticmethod
    def check_settings(settings: dict[str, Any], *, name: str) -> None:
        """Validate the settings; ValueError for invalid ones."""
        check_key("key", settings["key"], name=name)
        check_range("threshold", settings["threshold"], high=1, name=name)
        check_range("extend", settings["extend"], high=1, optional=True, name=name)
        check_range("smoothing", settings["smoothing"], high=0.5, below=True, name=name)

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of the spans that the component writes, for `nlp.pipe_labels`."""
        return (LABEL,)

    # Prediction

    def predict(self, docs: Iterable[Doc]) -> list[Floats1d]:
        """Compute the support of each token of each Doc, (n_tokens,); 0 for white space.

        Raises ValueError with the pair's id if the model returns a value that is not finite.
        """
        docs = list(docs)
        self._check_initialized()
        if not docs:
            return []
        supports = self.model.predict(docs)
        if np.isfinite(np.concatenate(supports)).all():
            return supports
        for doc, support in zip(docs, supports, strict=True):
            if not np.isfinite(support).all():
                raise ValueError(
                    f"Scores must be finite, got NaN or infinity for pair {pair_id(doc)!r} "
                    f"({doc.text[:40]!r}). The weights are damaged, or the training diverged."
                )
        return supports

    def set_annotations(self, docs: Iterable[Doc], supports: list[Floats1d]) -> None:
        """Write the spans."""
        docs = list(docs)
        if not docs:
            return
        key, threshold, extend = (self.cfg[name] for name in ("key", "threshold", "extend"))
        probs = sigmoid(-np.concatenate(supports))
        is_space = np.concatenate([doc.to_array(IS_SPACE).reshape(-1) for doc in docs])
        probs[is_space == 1] = -1  # below any threshold
        rest = iter(probs.tolist())
        for doc, support in zip(docs, supports, strict=True):
            own = list(islice(rest, len(doc)))
            runs = [
                (text.start + start, text.start + end)
                for text in get_pair(doc)
                for start, end in find_spans(own[text.start : text.end], threshold, extend)
            ]
            spans = [Span(doc, start, end, label=LABEL) for start, end in runs]
            group = SpanGroup(doc, name=key, spans=spans)
            scores = [sum(own[start:end]) / (end - start) for start, end in runs]
            group.attrs["scores"] = np.asarray(scores, dtype="float32")
            group.attrs[SUPPORT] = np.asarray(support, dtype="float32")
            doc.spans[key] = group

    # Training

    def _sample(self, get_examples: Callable[[], Iterable[Example]]) -> list[Doc]:
        """Return the first 1000 Docs, which are enough to measure the scale of the features."""
        return [example.predicted for example in islice(get_examples(), 1000)]

    def _read(self, examples: list[Example]) -> tuple[list[Doc] | None, list[Ints1d]]:
        tags = [align_tags(example, key=self.cfg["key"]) for example in examples]
        return [example.predicted for example in examples] or None, tags

    def _loss(self, gold: list[Ints1d], scores: list[Floats1d]) -> tuple[float, list[Floats1d]]:
        """Compute the mean cross-entropy (equation 3) over the words of the batch.

        Words are ignored if gold and predicted tokens disagree, so that their gold tag is unknown.
        """
        smoothing = self.cfg["smoothing"]
        losses, gradients = [], []
        for tags, support in zip(gold, scores, strict=True):
            known = tags >= 0
            # Probability that a word is paraphrased.
            target = np.where(tags == 1, smoothing, 1 - smoothing)
            d_support = np.where(known, sigmoid(support) - target, 0)
            # -target * log(p) - (1 - target) * log(1 - p), for p = sigmoid(support)
            losses.append(((np.logaddexp(0, support) - target * support) * known).sum())
            gradients.append((d_support, known.sum()))
        n_words = max(sum(n for _, n in gradients), 1)
        scaled = [(d_support / n_words).astype("float32") for d_support, _ in gradients]
        return float(sum(losses) / n_words), scaled
