"""Ray, started or found, and quiet; and what all its workers have in common.

address -> a connected Ray; Dataset -> what its rows hold, as they come
"""

import logging
import os
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .local import THREAD_VARIABLES

# Of a Ray that is started here; only names of files and counts go through it.
OBJECT_STORE_BYTES = 150_000_000
# Actors compute with one thread each, as the processes of the local engine do.
ACTOR_ENV = {"env_vars": dict.fromkeys(THREAD_VARIABLES, "1")}


def import_ray() -> Any:
    """Import Ray and Ray Data; ValueError if they are missing."""
    try:
        import ray
        import ray.data
    except ImportError as error:
        raise ValueError(
            f"Found no Ray Data ({error}), which the engine Ray needs. Install it with: pip "
            "install 'spacy-sentid[ray]'"
        ) from error
    return ray


@contextmanager
def use_ray(address: str | None = None, *, n_cpus: int | None = None) -> Iterator[Any]:
    """Give Ray, connected; the one that runs in this process already stays as it is.

    n_cpus: Of a Ray that is started here; None = all.
    """
    ray = import_ray()
    with _quiet():
        if ray.is_initialized():
            yield ray
            return
        address = address or os.environ.get("RAY_ADDRESS")
        if address:
            _connect(ray, address=address)
        else:
            _connect(
                ray,
                address="local",
                num_cpus=n_cpus,
                include_dashboard=False,
                object_store_memory=OBJECT_STORE_BYTES,
            )
        try:
            yield ray
        finally:
            ray.shutdown()


def _connect(ray: Any, *, address: str, **settings: Any) -> None:
    # Nothing is reported to Ray's makers. Its core would warn of each pool of actors.
    quiet = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_BACKEND_LOG_LEVEL": "fatal"}
    added = {name: value for name, value in quiet.items() if name not in os.environ}
    os.environ.update(added)
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **settings)
    except ConnectionError as error:
        raise ConnectionError(
            f"Found no Ray cluster at {address} ({error}), expected the address of its head node. "
            "Check --ray-address, and set RAY_AUTH_MODE=token if the cluster asks for a token."
        ) from error
    finally:
        for name in added:
            os.environ.pop(name, None)


@contextmanager
def _quiet() -> Iterator[None]:
    """Let Ray Data tell of errors only."""
    logger = logging.getLogger("ray.data")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def actor_resources(num_gpus: float) -> dict[str, float]:
    """Name what Ray reserves for an actor."""
    return {"num_gpus": num_gpus} if num_gpus else {"num_cpus": 1}


def take_found(dataset: Any) -> Iterator[Any]:
    """Run a dataset and give what its rows hold as they come; raises the errors among it."""
    context = dataset.context
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    context.target_max_block_size = 1  # each row is told at once, not with the last of its task
    context.execution_no_progress_timeout_s = -1  # a shard may take long
    batches = dataset.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0)
    for batch in batches:
        for data in batch.column("found").to_pylist():
            found = pickle.loads(data)
            if isinstance(found, Exception):
                raise found
            yield found


def enter_folder(folder: str) -> None:
    """Let relative paths mean what they mean where the job was started."""
    if os.path.isdir(folder):
        os.chdir(folder)


def find_node() -> str:
    import ray

    return str(ray.util.get_node_ip_address())


def name_node(error: ValueError | OSError) -> ValueError | OSError:
    """Tell on which machine a file is missing: it may be there on others."""
    if isinstance(error, FileNotFoundError) and error.filename is not None:
        reason = f"{error.strerror} on the Ray node {find_node()}, expected it on all nodes"
        return FileNotFoundError(error.errno, reason, error.filename)
    return error
