"""Evaluate a pipeline as in the paper, on texts assembled from a treebank's units (section 6.2).

CoNLL-U -> labelled units -> texts in one of three settings -> pipeline -> scores

Two settings concatenate random numbers of units, with p_CC = 0.5 or 0 (as many as possible). In the
setting "postprocess", a sentence segmenter cuts the raw text of each document, without gold units.
"""

import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import spacy
from spacy.language import Language

from ...about import __version__
from ...components.pipelines import find
from ...components.settings import check_range
from ...conllu.treebank import read_treebank
from ...scores import summarise_scores
from ...text.units import UNSPACED_LANGS, Unit, count_words
from ..access.spans import FACTORY, find_span_keys, read_units
from ..corpora.concatenation import AssembledText, assemble_text, group_units
from ..data.convert import group_documents, label_units
from .scorer import score_units
from .segmenters import Segmenter, make_segmenter, split_by_segments

MAX_WORDS = 400
LEVELS = {"word": "", "character": "char_"}
POSTPROCESS = "postprocess"

# (text, label) of each unit of a document.
LabelledDocument: TypeAlias = list[tuple[str, str]]


@dataclass(frozen=True)
class Setting:
    """A way to assemble evaluation texts: with `p_cc`, or with a segmenter.

    >>> Setting(p_cc=0.5).name, Setting(p_cc=0.0).name, Setting(segmenter="sentencizer").name
    ('0.5', '0', 'postprocess')
    """

    p_cc: float | None = None  # see `assemble_texts`
    segmenter: str | None = None  # see `segmenters.make_segmenter`

    def __post_init__(self) -> None:
        """Validate the values."""
        if (self.p_cc is None) == (self.segmenter is None):
            raise ValueError(
                f"Exactly one of 'p_cc' and 'segmenter' must be set, got {self.p_cc} and "
                f"{self.segmenter!r}."
            )
        if self.p_cc is not None:
            check_range("p_cc", self.p_cc, high=1)

    @property
    def name(self) -> str:
        """Name of the setting in tables."""
        return POSTPROCESS if self.p_cc is None else f"{self.p_cc:g}"


def assemble_setting(
    documents: Sequence[LabelledDocument],
    setting: Setting,
    *,
    seed: int = 0,
    layout: str = "space",
    lang: str = "en",
    segmenter: Segmenter | None = None,
) -> list[AssembledText]:
    """Assemble the evaluation texts of a setting.

    seed: Random seed for p_CC; a segmenter does not use it.
    layout: Separator of units, also in raw text (see `assemble_texts`). "space" means "none" in
        languages written without spaces.
    lang: Language of the texts, and of a segmenter that is a component.
    segmenter: Replaces the segmenter that the setting names.
    """
    if layout == "space" and lang in UNSPACED_LANGS:
        layout = "none"
    if setting.p_cc is not None:
        labelled = [unit for document in documents for unit in document]
        return list(assemble_texts(labelled, p_cc=setting.p_cc, seed=seed, layout=layout))
    segmenter = segmenter or make_segmenter(setting.segmenter or "", lang=lang)
    return list(segment_documents(documents, segmenter, layout=layout))


def assemble_texts(
    labelled: Sequence[tuple[str, str]],
    *,
    p_cc: float,
    seed: int,
    layout: str = "space",
    max_words: int = MAX_WORDS,
) -> Iterator[AssembledText]:
    """Join consecutive units into evaluation texts, across documents.

    labelled: (text, label) of each unit.
    p_cc: Parameter of the geometric distribution of the number of units. 0 = as many as fit in
        `max_words` words (see `units.word_spans`).
    layout: Separator of units: "space", "line", "paragraph" or "none" (see `concatenation`).
    """
    check_range("p_cc", p_cc, high=1)
    rng = Random(seed)
    labelled = _with_words(labelled)
    lengths = [count_words(text) for text, _ in labelled]
    for group in group_units(lengths, p_cc=[p_cc], max_length=max_words, rng=rng):
        yield assemble_text([labelled[i] for i in group], layout=layout, rng=rng)


def segment_documents(
    documents: Iterable[LabelledDocument], segmenter: Segmenter, *, layout: str = "space"
) -> Iterator[AssembledText]:
    """Cut the raw text of each document with a segmenter; see `split_by_segments`."""
    rng = Random(0)  # for the layout "mixed"
    wholes = [assemble_text(_with_words(doc), layout=layout, rng=rng) for doc in documents]
    found = segmenter(whole.text for whole in wholes)
    for whole, segments in zip(wholes, found, strict=True):
        yield from split_by_segments(whole.text, whole.units, segments)


def read_labelled_documents(paths: Iterable[Path], **rule: Any) -> list[LabelledDocument]:
    """Read the (text, label) of each unit of each document in CoNLL-U files.

    rule: Arguments of `label_units`.

    Documents start at `newdoc`. A file without it is cut into documents of equal length, as by
    `treebank convert`.
    """
    documents: list[LabelledDocument] = []
    for path in paths:
        labelled = label_units(read_treebank(path), **rule)
        documents += [
            [(unit.text, label) for unit, label in document]
            for document in group_documents(labelled)
        ]
    return documents


def evaluate_pipeline(
    nlp: Language,
    texts: Sequence[AssembledText],
    *,
    su_key: str = "su",
    nsu_key: str = "nsu",
    on_text: Callable[[str], object] | None = None,
) -> dict[str, float]:
    """Run a pipeline on assembled texts and score its span groups; see `scorer.score_units`.

    on_text: Called with each finished text, for progress.
    """
    docs = nlp.pipe(text.text for text in texts)

    def documents() -> Iterator[tuple[str, list[Unit], list[Unit]]]:
        for gold, doc in zip(texts, docs, strict=True):
            yield gold.text, gold.units, read_units(doc, su_key=su_key, nsu_key=nsu_key)
            if on_text is not None:
                on_text(gold.text)

    return score_units(documents())


def evaluate_settings(
    nlp: Language,
    documents: Sequence[LabelledDocument],
    *,
    settings: Sequence[Setting],
    seeds: Sequence[int],
    layout: str,
    on_text: Callable[[str], object] | None = None,
) -> dict[str, Any]:
    """Score a pipeline once for each setting and seed.

    documents: (text, label) of each unit of each document, in text order.
    seeds: Random seeds, one run each. With p_cc = 0 there is nothing random, so all runs are the
        same. A segmenter has one run, with the seed None.
    on_text: Called with each finished text, for progress (see `count_characters`).
    RETURNS: "settings"; "runs", each with "setting" (its name), "p_cc", "segmenter", "seed",
        "texts" (their number) and "scores"; "summary", for each setting the "mean" and, for two
        runs or more, the sample "sd" of each score. Scores are 0 to 1. Their names are those of
        `scorer.score_units` with the keys "su" and "nsu".

    Raises ValueError if there are no units, or if the pipeline has no sentence identifier.
    """
    n_units = sum(map(len, documents))
    if not n_units:
        raise ValueError("The corpus must have units, got none. Check the file.")
    su_key, nsu_key = find_span_keys(nlp)
    runs, summary = [], []
    for setting in settings:
        head = {"setting": setting.name, "p_cc": setting.p_cc, "segmenter": setting.segmenter}
        scores = []
        for seed in _seeds_of(setting, seeds):
            texts = assemble_setting(
                documents, setting, seed=seed or 0, layout=layout, lang=nlp.lang or "xx"
            )
            scores.append(
                evaluate_pipeline(nlp, texts, su_key=su_key, nsu_key=nsu_key, on_text=on_text)
            )
            runs.append({**head, "seed": seed, "texts": len(texts), "scores": scores[-1]})
        summary.append({**head, **summarise_scores(scores)})
    described = {
        "layout": layout,
        "max_words": MAX_WORDS,
        "units": n_units,
        "component": find(nlp, FACTORY).cfg,
        "pipeline": {name: nlp.meta.get(name) for name in ("lang", "name", "version")},
        "versions": {
            "spacy_sentid": __version__,
            "spacy": spacy.__version__,
            "python": platform.python_version(),
        },
    }
    return {"settings": described, "runs": runs, "summary": summary}


def count_characters(
    documents: Sequence[LabelledDocument], *, settings: Sequence[Setting], seeds: Sequence[int]
) -> int:
    """Count the characters, without white space, of all texts that `evaluate_settings` scores.

    >>> count_characters([[("Hi Bo.", "NSU")]], settings=[Setting(p_cc=0.5)], seeds=[0, 1])
    10
    """
    once = sum(len("".join(text.split())) for document in documents for text, _ in document)
    return once * sum(len(_seeds_of(setting, seeds)) for setting in settings)


def score_rows(summary: Sequence[dict[str, Any]], *, heading: str = "p_CC") -> list[list[str]]:
    """Format a summary as rows of a table, in percent, with the heading first.

    heading: Heading of the column with the names of the settings.
    RETURNS: For each level and setting, a row of means, and a row of deviations if there are any.
    """
    names = {
        "macro": "bio_macro_f",
        "weighted": "bio_weighted_f",
        **{label: f"bio_{label.lower()}_f" for label in "BIO"},
        **{f"SU {x.upper()}": f"spans_su_{x}" for x in "prf"},
        **{f"NSU {x.upper()}": f"spans_nsu_{x}" for x in "prf"},
    }
    n_segmenters = sum(entry.get("segmenter") is not None for entry in summary)
    rows = [["level", heading, *names]]
    for level, prefix in LEVELS.items():
        for entry in summary:
            name = entry["setting"]
            if n_segmenters > 1 and entry["segmenter"] is not None:
                name += f" ({entry['segmenter']})"
            for kind in ("mean", "sd"):
                if kind in entry:
                    head = [level, name] if kind == "mean" else ["", "sd"]
                    scores = [100 * entry[kind][prefix + name] for name in names.values()]
                    rows.append(head + [f"{score:.1f}" for score in scores])
    return rows


def _seeds_of(setting: Setting, seeds: Sequence[int]) -> Sequence[int | None]:
    return [None] if setting.segmenter is not None else seeds


def _with_words(labelled: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(text, label) for text, label in labelled if text.strip()]
