"""Comparison of word segmenters, jieba and THULAC on the same sets of segmented text.

gold words -> text -> every system -> P, R, F1, OOV recall, S-rate -> rows
"""

import logging
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from spacy_sentid.components.pipelines import find, load
from spacy_sentid.word_segmenter.boundary_probs import segment_texts
from spacy_sentid.word_segmenter.corpus import read_vocabulary, read_words
from spacy_sentid.word_segmenter.scorer import evaluate_sentences
from studies.results import Column, Line, Results, Row, Table, list_rows

BUNDLED = "bundled"
READ_AHEAD = 1000
TRAIN = "source_gsd/train.txt"


class GoldSet(NamedTuple):
    """A file of segmented text."""

    title: str
    path: str
    in_training: bool = False  # the bundled weights were trained on it

    @property
    def place(self) -> dict[str, Any]:
        """The setting of the rows of this set."""
        return {"set": self.title}


SETS = (
    GoldSet("GSD test", "source_gsd/test.txt"),
    GoldSet("GSD test, no punctuation", "source_gsd_nopunct/test.txt"),
    GoldSet("AISHELL2 dev", "aishell2/dev.txt"),
    GoldSet("ZX dev", "zx/dev.txt"),
    GoldSet("ZX test", "zx/test.txt"),
    GoldSet("FR", "fr/test.txt"),
    GoldSet("DM", "dm/test.txt"),
    GoldSet("PT", "pt/test.txt"),
    GoldSet("Beginner", "ud_extra/beginner_grammar_examples.txt"),
    GoldSet("CFL", "ud_extra/cfl_learner_essays.txt", in_training=True),
    GoldSet("PUD", "ud_extra/pud_news_wiki.txt", in_training=True),
    GoldSet("HK", "ud_extra/hk_spoken.txt", in_training=True),
)
SCORES = {
    "word_p": "P",
    "word_r": "R",
    "word_f": "F1",
    "oov_r": "OOV recall",
    "single_rate": "S-rate",
}
# Metrics of a set that do not depend on the segmenter.
FACTS = ("sentences", "words", "characters", "oov_rate", "gold_single_rate")
Segment = Callable[[Iterable[str]], Iterable[Sequence[str]]]


def compare_systems(
    data: Path, models: Mapping[str, Sequence[str]], read_ahead: Sequence[str]
) -> Results:
    """Score every system on every set.

    models: Name -> pipelines with different seeds.
    read_ahead: Names of models to score a second time, with `read_ahead`.
    """
    known = read_vocabulary([data / TRAIN])
    golds = {row.title: read_words(data / row.path) for row in SETS}
    scores: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for name, segment in make_systems(models, read_ahead):
        for title, gold in golds.items():
            found = evaluate_sentences(segment, gold, in_vocabulary=known)
            scores.setdefault((name, title), []).append(found)
    rows = [
        row
        for (name, title), runs in scores.items()
        for seed, run in enumerate(runs)
        for row in list_rows(name, None if name in PEERS else seed, {"set": title}, run)
    ]
    packages = ["spacy", "spacy-sentid", *(name for name in PEERS if find_spec(name))]
    settings = {
        "python": platform.python_version(),
        "versions": {package: version(package) for package in packages},
        "models": dict(models),
    }
    return make_results(settings, rows)


def make_systems(
    models: Mapping[str, Sequence[str]], read_ahead: Sequence[str]
) -> Iterator[tuple[str, Segment]]:
    """Yield the installed peers, and then each pipeline.

    read_ahead: Names of models to yield a second time, with `read_ahead`.
    """
    for name, load_peer in PEERS.items():
        if find_spec(name) is not None:
            yield name, partial(map, load_peer())
    for name, paths in models.items():
        for path in paths:
            nlp = load(path, "word_segmenter")
            yield name, partial(segment_texts, nlp)
            if name in read_ahead:
                find(nlp, "word_segmenter").cfg["read_ahead"] = READ_AHEAD
                yield f"{name} + read ahead", partial(_pipe, nlp)


def _pipe(nlp: Language, texts: Iterable[str]) -> Iterator[list[str]]:
    return ([token.text for token in doc if not token.is_space] for doc in nlp.pipe(texts))


def load_jieba() -> Callable[[str], list[str]]:
    """Load jieba's precise mode with its HMM."""
    import jieba

    jieba.setLogLevel(logging.ERROR)
    jieba.initialize()
    return lambda text: jieba.lcut(text, cut_all=False, HMM=True)


def load_thulac() -> Callable[[str], list[str]]:
    """Load THULAC with the model of its package, for words without tags."""
    import thulac

    with redirect_stdout(StringIO()):  # THULAC prints a message
        segmenter = thulac.thulac(seg_only=True)
    return lambda text: segmenter.cut(text, text=True).split()


# Name of the package -> loader.
PEERS = {"jieba": load_jieba, "thulac": load_thulac}


def make_results(settings: Mapping[str, Any], rows: Sequence[Row]) -> Results:
    """Make the results, with a table of all F1 scores, and then a table for each set.

    rows: Rows with their set in the setting.
    """
    systems = list(dict.fromkeys(row.system for row in rows))
    versions = ", ".join(f"{name} {number}" for name, number in settings["versions"].items())
    results = Results(
        study="words",
        title="Words of Chinese",
        about=[
            f"In one run. Python {settings['python']}; {versions}.",
            *(
                f"{name} is not installed, so it is not evaluated."
                for name in PEERS
                if name not in systems
            ),
            "All numbers are in percent; with several seeds, mean±standard deviation (n - 1). F1 "
            "is over words with exact spans. OOV: words that are not in GSD train. S-rate: the "
            "share of characters that are words of one character. \\*: in the training data of the "
            f"bundled weights. + read ahead: with `read_ahead` = {READ_AHEAD:,}.",
        ],
        command="python -m studies words",
        version=settings["versions"]["spacy-sentid"],
        settings=dict(settings),
        rows=list(rows),
    )
    overall = Table(
        title="F1",
        heads=["set"],
        lines=[
            Line(
                labels=[row.title + (" \\*" if row.in_training else "")], setting={"set": row.title}
            )
            for row in SETS
        ],
        columns=[Column(title=name, metric="word_f", system=name) for name in systems],
    )
    tables = [overall, *(make_table(results, row, systems) for row in SETS)]
    return results.model_copy(update={"tables": tables})


def make_table(results: Results, row: GoldSet, systems: Sequence[str]) -> Table:
    """Make the table of a set."""
    facts = {key: next(iter(results.values(systems[0], key, row.place)), 0.0) for key in FACTS}
    note = (
        f"{facts['sentences']:,} sentences, {facts['words']:,} words, "
        f"{facts['characters']:,} characters; OOV rate {100 * facts['oov_rate']:.1f}, S-rate "
        f"of the gold words {100 * facts['gold_single_rate']:.1f}."
    )
    if row.in_training:
        note += " In the training data of the bundled weights."
    return Table(
        title=row.title,
        heads=["system"],
        lines=[Line(labels=[name], system=name, setting=row.place) for name in systems],
        columns=[Column(title=title, metric=key) for key, title in SCORES.items()],
        notes=[note],
    )
