"""Agreement of scores with people, like the paper's Tables 4 to 6, for the available data.

tasks x systems -> scores of each text (saved in files) -> correlations -> tables

For each task, the tagger uses the score of the paper: PScore for SummEval (mean over the
references) and Q-CNN, RScore for REALSumm, FScore for data-to-text (best reference) and
translation. For Rank19, the paper says RScore in one place and FScore in another. There we use
PScore, as for the other tasks about factuality, and add a column with RScore.

SummEval is scored against the references and against the document. The paper follows the
instructions of BARTScore, which uses the document for coherence, factuality and fluency. Baselines
with precision and recall have two rows. One is scored by F, as in the paper (REALSumm: recall), and
the other by the same side as the tagger in each column.

The number of matches in texts of many sentences (`MATCHES`) was chosen only on REALSumm, before the
other results were seen. With 1, 2, 3, 5 and 9 matches, each compared separately, Spearman was .349,
.414, .433, .440 and .441. With matches joined into one text, it was .349, .402, .410, .423 and
.426, so that variant was removed (weights of an early run).
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy
from spacy.language import Language

from spacy_sentid.files.atomic import open_output
from spacy_sentid.files.fingerprint import fingerprint_weights
from spacy_sentid.paraphrase_tagger.nlg.evaluator import MATCHES, TextPair, stream_scores
from studies.text_scores.baselines import Metric, Scores
from studies.text_scores.meta_tasks import Task

if TYPE_CHECKING:
    from spacy_sentid.paraphrase_tagger.generation.seq2seq import Seq2Seq

TAGGER, LIKELIHOOD = "tagger", "likelihood"
# Rows of the tagger -> prefix of the fields of their scores.
TAGGER_ROWS = {
    TAGGER: "",
    f"{TAGGER}, supported words": "supported_",
    f"{TAGGER}, blend with chrF": "blend_",
}
SAME_SIDE = "{}, same side"


class System(NamedTuple):
    """A metric that scores the items of a task."""

    name: str
    settings: dict[str, Any]  # saved scores are only used with the same settings
    score: Callable[[Task], Iterator[Scores]]  # yields scores for each item


def make_tagger_system(
    nlp: Language,
    *,
    matches: int = MATCHES,
    batch_size: int | None = None,
    n_process: int = 1,
) -> System:
    """Make the system of a pipeline with a tagger. For the settings, see `stream_scores`."""
    kept = {"weights": fingerprint_weights(nlp), "matches": matches}

    def score(task: Task) -> Iterator[Scores]:
        pairs = [TextPair(item.hyp, item.refs, i) for i, item in enumerate(task.items)]
        for found in stream_scores(
            nlp,
            pairs,
            perspective=task.perspective,
            aggregate=task.aggregate,
            blend=task.perspective == "f",
            matches=matches,
            batch_size=batch_size,
            n_process=n_process,
        ):
            shares = found.supported_p, found.supported_r, found.supported_f
            yield Scores(found.p, found.r, found.f, *shares, found.blend)

    return System(TAGGER, kept, score)


def make_baseline_system(name: str, metric: Metric) -> System:
    """Make the system of a metric of two texts. Scores are aggregated over references."""

    def score(task: Task) -> Iterator[Scores]:
        pairs = ((item.hyp, ref) for item in task.items for ref in item.refs)
        found = metric(pairs)
        for item in task.items:
            values = numpy.array([next(found)[:3] for _ in item.refs])  # (n_refs, 3)
            best = values.max(axis=0) if task.aggregate == "max" else values.mean(axis=0)
            yield Scores(*map(float, best))

    return System(name, {}, score)


def make_likelihood_system(generator: "Seq2Seq", model: str, *, batch_size: int) -> System:
    """Make the system of a seq2seq model, which scores by likelihood.

    model: Fingerprint of the model.
    batch_size: Number of pairs of a text and a reference per forward pass.
    """
    from studies.text_scores.likelihood import score_likelihood

    def measure(pairs: Iterable[tuple[str, str]]) -> Iterator[Scores]:
        waiting = iter(pairs)
        while block := list(islice(waiting, batch_size)):
            found = score_likelihood(generator, block, batch_size=batch_size)
            yield from (Scores(*scores) for scores in found)

    return make_baseline_system(LIKELIHOOD, measure)._replace(settings={"model": model})


def score_task(
    system: System,
    task: Task,
    out: Path,
    *,
    watch: Callable[[Iterable[Scores]], Iterable[Scores]] = iter,
) -> list[Scores]:
    """Score the items of a task, or read the scores that an earlier run has saved.

    out: Folder with a file for each system and task. Scores of other texts or other weights are
        computed again.
    watch: Wraps the iterator of the scores, e.g. with a progress bar.
    """
    path = out / f"{system.name}-{task.name}.json"
    about = {"system": system.name, "task": task.name, "texts": task.digest(), **system.settings}
    if path.exists():
        kept = json.loads(path.read_text(encoding="utf8"))
        if kept["about"] == about:
            return [Scores(*values) for values in kept["scores"]]
    scores = list(watch(system.score(task)))
    with open_output(path) as file:
        json.dump({"about": about, "scores": scores}, file)
        file.write("\n")
    return scores


def measure_task(
    task: Task, scores: Sequence[Scores], *, same_side: bool, prefix: str = ""
) -> dict[str, float]:
    """Compute the columns of a task.

    same_side: Use precision, recall or F like the tagger, not like the paper's baselines.
    prefix: Prefix of the fields of the scores. Columns without such scores are omitted.
    """
    found = {}
    groups = [item.group for item in task.items]
    for column in task.columns:
        side = prefix + (column.perspective if same_side else column.paper_perspective)
        values: list[Any] = [getattr(score, side, None) for score in scores]
        human = [item.human[column.human] for item in task.items]
        value = None if None in values else column.measure(groups, human, values)
        if value is not None:
            found[column.name] = value
    return found


def measure_systems(
    tasks: Sequence[Task], scores: Mapping[tuple[str, str], Sequence[Scores]]
) -> dict[str, dict[str, float]]:
    """Compute the agreement of all systems.

    scores: Scores of each (system, task). A system without scores of a task has no such column.
    RETURNS: Row -> column -> value, in order.
    """
    rows: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(system for system, _ in scores):
        of_system = [
            (task, scores[name, task.name]) for task in tasks if (name, task.name) in scores
        ]
        one_number = all(one.p == one.r == one.f for _, found in of_system for one in found)
        if name == TAGGER:
            for label, prefix in TAGGER_ROWS.items():
                rows[label] = _measure(of_system, same_side=True, prefix=prefix)
        elif name == LIKELIHOOD:
            rows[name] = _measure(of_system, same_side=True)
        else:
            rows[name] = _measure(of_system, same_side=False)
            if not one_number:
                rows[SAME_SIDE.format(name)] = _measure(of_system, same_side=True)
    return rows


def _measure(
    of_system: Sequence[tuple[Task, Sequence[Scores]]], *, same_side: bool, prefix: str = ""
) -> dict[str, float]:
    found: dict[str, float] = {}
    for task, scores in of_system:
        found |= measure_task(task, scores, same_side=same_side, prefix=prefix)
    return found
