"""How well scores of texts agree with people: the paper's Tables 4 to 6, as far as data allow.

tasks x systems -> scores of each text (kept in files) -> correlations -> tables

The tagger takes the score that the paper takes for each task: PScore for SummEval (mean over the
references) and Q-CNN, RScore for REALSumm, FScore for data-to-text (best reference) and
translation. On Rank19, where the paper says RScore in one place and FScore in another, PScore
serves, as for the other tasks about factuality, and RScore is a column next to it. SummEval stands
there against the references and against the document: BARTScore, whose instructions the paper
follows, takes the document for coherence, factuality and fluency. Of the baselines with a precision
and a recall there are two rows: by F, as in the paper (REALSumm: recall), and by the tagger's side
of each column.

What the evaluator does with texts of many sentences (`MATCHES`) was chosen on REALSumm alone,
before the other columns were read: Spearman .349, .414, .433, .440, .441 with 1, 2, 3, 5, 9
matches, each compared apart. Joined into one text they gave .349, .402, .410, .423, .426, so that
variant was deleted (weights of an early run).
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
# The rows of the tagger, and the fields of its scores without the side.
TAGGER_ROWS = {
    TAGGER: "",
    f"{TAGGER}, supported words": "supported_",
    f"{TAGGER}, blend with chrF": "blend_",
}
SAME_SIDE = "{}, same side"


class System(NamedTuple):
    """What scores the items of a task."""

    name: str
    settings: dict[str, Any]  # scores are kept for these
    score: Callable[[Task], Iterator[Scores]]  # one for each item


def make_tagger_system(
    nlp: Language,
    *,
    matches: int = MATCHES,
    batch_size: int | None = None,
    n_process: int = 1,
) -> System:
    """Make the system of a pipeline with a tagger; the settings are those of `stream_scores`."""
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
    """Make the system of a metric of two texts: scores over references are aggregated."""

    def score(task: Task) -> Iterator[Scores]:
        pairs = ((item.hyp, ref) for item in task.items for ref in item.refs)
        found = metric(pairs)
        for item in task.items:
            values = numpy.array([next(found)[:3] for _ in item.refs])  # (n_refs, 3)
            best = values.max(axis=0) if task.aggregate == "max" else values.mean(axis=0)
            yield Scores(*map(float, best))

    return System(name, {}, score)


def make_likelihood_system(generator: "Seq2Seq", model: str, *, batch_size: int) -> System:
    """Make the system of a seq2seq model: generation to score.

    model: Its fingerprint. batch_size: Pairs of a text and a reference in a forward pass.
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
    """Score the items of a task, or read the scores that an earlier run has left in a file.

    out: Folder with a file for each system and task. Scores of other texts, or of other weights,
        are made again.
    watch: Wraps the scores while they are made: a progress bar.
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

    same_side: By precision, recall or F as the tagger is; else as the paper's baselines are.
    prefix: Of the fields of the scores. Columns that they do not have are left out.
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

    scores: Of each (system, task); a system without scores of a task has no such column.
    RETURNS: Column -> value, in order, of each row.
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
