"""Run a study as many runs, each saved as a small JSON file.

Plan (what all runs depend on) -> Jobs -> processes -> runs/NAME.json -> the study's results

An interrupted study resumes with the runs that have no JSON file yet. Files and folders are renamed
when they are complete. A folder with runs of another study raises an error.
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
from spacy.util import load_config

from spacy_sentid.about import __version__
from spacy_sentid.files.atomic import open_output
from spacy_sentid.files.fingerprint import fingerprint_files
from studies.results import Results, Row, format_markdown, write_results

PARTIAL = ".partial"  # suffix of a folder that is not complete

Result: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class Plan:
    """The folder of a study and everything that its runs depend on."""

    out: Path
    # Configs as text, fingerprints of inputs, and settings, as JSON data. They must not change.
    settings: Mapping[str, Any]
    # Parts by name, e.g. one for each language. Parts may be added, but must not change.
    parts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything that the runs depend on, as JSON data."""
        return {"version": __version__, **self.settings, **self.parts}


class Job(NamedTuple):
    """One run of a study."""

    name: str  # stem of its files
    seed: int
    spec: Any  # the study's own description of the run; it can be pickled
    # Fingerprints of inputs that are not in the plan. If they change, the run is repeated.
    measured_with: Mapping[str, str] = {}
    leaves: tuple[Path, ...] = ()  # other outputs of a finished run, besides its JSON file


def run_study(
    plan: Plan,
    run: Callable[[Job], Result],
    stages: Sequence[Sequence[Job]],
    *,
    processes: int = 1,
    only_tables: bool = False,
) -> list[Row]:
    """Do the missing runs, and read the rows of all runs.

    run: A function that can be pickled. It returns JSON data: the "rows" of a run, and anything
        else to save.
    stages: The jobs of a stage may need the outputs of earlier stages.
    only_tables: Only read the finished runs.
    RETURNS: The rows of the finished runs, in the order of the jobs.
    Raises ValueError if the folder has runs of another study, or if no run is finished.
    """
    check_plan(plan)
    if not only_tables:
        make_runs(plan, run, stages, processes=processes)
    found = read_runs(plan, [job for stage in stages for job in stage])
    if not found:
        raise ValueError(f"{plan.out} has no finished runs. Omit --only-tables to do them.")
    return [Row(*row) for _, result in found for row in result["rows"]]


def show_results(results: Results, out: Path) -> None:
    """Write the results next to the folder of their runs, and print their tables."""
    write_results(results, out)
    typer.echo(format_markdown(results))


def check_plan(plan: Plan) -> None:
    """Write plan.json. Raise ValueError if the folder has runs of another study."""
    path = plan.out / "plan.json"
    settings = plan.to_dict()
    if _has_runs(plan.out):
        if not path.exists():
            raise ValueError(
                f"{plan.out} has runs but no plan.json, so their settings are unknown. Choose "
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
    """Do the missing runs, with a progress bar."""
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
    """Return the path of the JSON file of a run."""
    return plan.out / "runs" / f"{job.name}.json"


def is_done(plan: Plan, job: Job) -> bool:
    """Check if a run is finished and was measured with the same files."""
    path = run_path(plan, job)
    if not path.exists() or not all(left.exists() for left in job.leaves):
        return False
    found = json.loads(path.read_text(encoding="utf8"))
    return job.measured_with.items() <= found["measured_with"].items()


def read_runs(plan: Plan, jobs: Sequence[Job]) -> list[tuple[Job, Result]]:
    """Read the finished runs, in the order of the jobs."""
    paths = [(job, run_path(plan, job)) for job in jobs]
    return [
        (job, json.loads(path.read_text(encoding="utf8"))) for job, path in paths if path.exists()
    ]


def train_once(folder: Path, train: Callable[[Path], Mapping[str, Any]]) -> dict[str, Any]:
    """Train into a folder, unless the folder exists.

    train: Called with an empty folder. Its result is saved in training.json.
    RETURNS: The result of `train`, with the "training_seconds".
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
    """Make a folder that is renamed to `path` when the block ends without an error."""
    partial_folder = path.with_name(path.name + PARTIAL)
    for old in (path, partial_folder):
        shutil.rmtree(old, ignore_errors=True)
    partial_folder.mkdir(parents=True)
    yield partial_folder
    partial_folder.rename(path)


def find_corpus(name: str | Path) -> Path:
    """Find a file or folder of a corpus at its path, or else in the folder $SENTID_DATA.

    Raises ValueError if it is in neither place.
    """
    path = Path(name)
    data = os.environ.get("SENTID_DATA")
    if path.exists():
        return path
    if data and (Path(data) / path).exists():
        return Path(data) / path
    where = f"nor in {data} (SENTID_DATA)" if data else "and SENTID_DATA is not set"
    raise ValueError(
        f"{name} must be a file or folder of a corpus, but it does not exist here, {where}. "
        "Correct the path, or set SENTID_DATA to your folder of corpora."
    )


def read_config(path: Path, option: str) -> str:
    """Read a config as text.

    Raises ValueError if the file does not exist.
    """
    if not path.is_file():
        raise ValueError(
            f"{option} must be a config, but {path} does not exist. Run the study in a clone of "
            f"the repository, which has configs/, or use {option}."
        )
    return load_config(path).to_str()


def fingerprint_inputs(inputs: Mapping[str, Sequence[Path]]) -> dict[str, str]:
    """Compute a fingerprint for the files of each named input."""
    return {name: fingerprint_files(paths) for name, paths in inputs.items()}
