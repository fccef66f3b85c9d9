"""Run a study: many runs, each a small JSON, and none is made twice.

Plan (what all runs depend on) -> Jobs -> processes -> runs/NAME.json -> the study's results

A study that was interrupted continues with the runs that have no JSON yet. What is written takes
its name when it is complete. A folder with runs of another study is refused.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import typer

from spacy_sentid import configs
from spacy_sentid.about import __version__
from spacy_sentid.files.atomic import open_output
from spacy_sentid.files.fingerprint import fingerprint_files
from studies.results import Results, Row, format_markdown, write_results

PARTIAL = ".partial"  # ends the name of a folder that is not complete

Result: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """What the runs of a study depend on, and where they are."""

    out: Path
    # Texts of configs, fingerprints of inputs, settings: as JSON. They may not change.
    settings: Mapping[str, Any]
    # The same by name, such as languages: names may be added to a study, but may not change.
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return all that the runs depend on."""
        return {"version": __version__, **self.settings, **self.parts}


class Job(NamedTuple):
    """One run of a study."""

    name: str  # of its files
    seed: int
    spec: Any  # the study's own description of the run; it can be pickled
    # Fingerprints of what is measured with beyond the plan: a run of others is made again.
    measured_with: Mapping[str, str] = {}
    leaves: tuple[Path, ...] = ()  # what a finished run leaves besides its JSON


def run_study(
    plan: Plan,
    run: Callable[[Job], Result],
    stages: Sequence[Sequence[Job]],
    *,
    processes: int = 1,
    only_tables: bool = False,
) -> list[Row]:
    """Make the runs that are not there yet, and read the rows of all.

    run: A function that can be pickled. It returns the "rows" of a run, and what else is worth
        keeping, for JSON.
    stages: Jobs of a stage may need those of the stages before.
    only_tables: Make no runs.
    RETURNS: The rows of the runs that are done, in the order of the jobs.
    Raises ValueError if the folder has runs of another study, or if no run is done.
    """
    check_plan(plan)
    if not only_tables:
        make_runs(plan, run, stages, processes=processes)
    found = read_runs(plan, [job for stage in stages for job in stage])
    if not found:
        raise ValueError(f"{plan.out} has no finished runs. Omit --only-tables to make them.")
    return [Row(*row) for _, result in found for row in result["rows"]]


def show_results(results: Results, out: Path) -> None:
    """Write results next to the folder of their runs, and print their tables."""
    write_results(results, out)
    typer.echo(format_markdown(results))


def check_plan(plan: Plan) -> None:
    """Write plan.json; ValueError if the folder has runs of another study."""
    path = plan.out / "plan.json"
    settings = plan.to_dict()
    if _has_runs(plan.out):
        if not path.exists():
            raise ValueError(
                f"{plan.out} has runs but no plan.json, which says what they are of. Choose "
                "another --out, or remove the folder."
            )
        found = json.loads(path.read_text(encoding="utf8"))
        differ = [
            name
            for name in {**found, **settings}
            if name not in plan.parts and found.get(name) != settings.get(name)
        ]
        for name, parts in plan.parts.items():
            known = found.get(name, {})
            differ += [f"{name} {key}" for key in parts if known.get(key, parts[key]) != parts[key]]
            settings[name] = {**known, **parts}
        if differ:
            raise ValueError(
                f"{plan.out} has runs of another study: it differs in {', '.join(differ)}. Choose "
                "another --out, or remove the folder."
            )
    with open_output(path) as file:
        json.dump(settings, file, indent=1)


def _has_runs(out: Path) -> bool:
    trained = (path for path in (out / "training").glob("*") if path.suffix != PARTIAL)
    return any((out / "runs").glob("*.json")) or any(trained)


def make_runs(
    plan: Plan,
    run: Callable[[Job], Result],
    stages: Sequence[Sequence[Job]],
    *,
    processes: int,
) -> None:
    """Make the runs that are not there, with a progress bar."""
    from tqdm import tqdm

    from studies.processes import run_parallel

    total = sum(map(len, stages))
    n_done = sum(is_done(plan, job) for stage in stages for job in stage)
    with tqdm(total=total, initial=n_done, unit="run", desc=plan.out.name, disable=None) as bar:
        for stage in stages:
            todo = [job for job in stage if not is_done(plan, job)]
            for job in run_parallel(partial(_make_run, plan, run), todo, processes=processes):
                bar.set_postfix_str(job.name)
                bar.update()


def _make_run(plan: Plan, run: Callable[[Job], Result], job: Job) -> None:
    result = {"measured_with": dict(job.measured_with), **run(job)}
    with open_output(run_path(plan, job)) as file:
        json.dump(result, file, indent=1)
        file.write("\n")


def run_path(plan: Plan, job: Job) -> Path:
    """Name the file that a finished run leaves."""
    return plan.out / "runs" / f"{job.name}.json"


def is_done(plan: Plan, job: Job) -> bool:
    """Tell whether a run is there, and was measured with the same files."""
    path = run_path(plan, job)
    if not path.exists() or not all(left.exists() for left in job.leaves):
        return False
    found = json.loads(path.read_text(encoding="utf8"))
    return job.measured_with.items() <= found["measured_with"].items()


def read_runs(plan: Plan, jobs: Sequence[Job]) -> list[tuple[Job, Result]]:
    """Read the runs that are done, in the order of the jobs."""
    paths = [(job, run_path(plan, job)) for job in jobs]
    return [
        (job, json.loads(path.read_text(encoding="utf8"))) for job, path in paths if path.exists()
    ]


def train_once(folder: Path, train: Callable[[Path], Mapping[str, Any]]) -> dict[str, Any]:
    """Train into a folder, unless that is done.

    train: Gets an empty folder; what it returns is kept in training.json.
    RETURNS: That, and the "training_seconds".
    """
    if not folder.exists():
        started = time.monotonic()
        with open_new_folder(folder) as new:
            found = train(new)
            seconds = round(time.monotonic() - started)
            with open_output(new / "training.json") as file:
                json.dump({**found, "training_seconds": seconds}, file, indent=1)
    found = json.loads((folder / "training.json").read_text(encoding="utf8"))
    return dict(found)


@contextmanager
def open_new_folder(path: Path) -> Iterator[Path]:
    """Make a folder that takes its name when the block ends without an error."""
    partial_folder = path.with_name(path.name + PARTIAL)
    for old in (path, partial_folder):
        shutil.rmtree(old, ignore_errors=True)
    partial_folder.mkdir(parents=True)
    yield partial_folder
    partial_folder.rename(path)


def find_corpus(name: str | Path) -> Path:
    """Find a file or folder of a corpus: as it is named, or in the folder $SENTID_DATA.

    Raises ValueError if it is in neither.
    """
    path = Path(name)
    data = os.environ.get("SENTID_DATA")
    if path.exists():
        return path
    if data and (Path(data) / path).exists():
        return Path(data) / path
    where = f"nor in {data} (SENTID_DATA)" if data else "and SENTID_DATA is not set"
    raise ValueError(
        f"{name} must be a file or folder of a corpus, but it does not exist here, {where}. Name "
        "one, or set SENTID_DATA to your folder of corpora."
    )


def read_config(path: Path, option: str) -> str:
    """Read a config with what it extends, as text; ValueError if it is not there."""
    if not path.is_file():
        raise ValueError(
            f"{option} must be a config, but {path} does not exist. Start in a clone of the "
            f"repository, which has configs/, or give {option}."
        )
    return configs.read_config(path).to_str()


def fingerprint_inputs(inputs: Mapping[str, Sequence[Path]]) -> dict[str, str]:
    """Fingerprint the files of each input by name."""
    return {name: fingerprint_files(paths) for name, paths in inputs.items()}
