"""The command `spacy-sentid` with workers that need no pipeline, for tests that kill many jobs.

Results are larger than the buffer of a pipe, and workers are often killed while they send one.
"""

import faulthandler
import json
import os
import time
from collections.abc import Sequence

from spacy_sentid.batch import resume
from spacy_sentid.batch.input.documents import Document
from spacy_sentid.batch.work import local
from spacy_sentid.batch.work.worker import Result, Worker

SECONDS = 30  # a job that takes longer prints its stack and ends
LOADING = "STUB_LOADING"  # variable with the seconds that a worker takes to load


class StubWorker(Worker):
    """A worker that returns a long record for each document."""

    def __init__(self, _settings: object) -> None:
        time.sleep(float(os.environ.get(LOADING, 0)))

    def __call__(self, documents: Sequence[Document]) -> Result:
        time.sleep(0.005)
        rows = [{"id": one.id, "units": [], "text": one.text * 100} for one in documents]
        lines = [json.dumps(row) + "\n" for row in rows]
        return Result("".join(lines).encode(), len(lines), [], [0, 0])


if __name__ in ("__main__", "__mp_main__"):  # the job and its workers
    local.load_worker = StubWorker
    resume.fingerprint_pipeline = lambda *_: "stub"
if __name__ == "__main__":
    faulthandler.dump_traceback_later(SECONDS, exit=True)
    from spacy_sentid.cli import main

    main()
