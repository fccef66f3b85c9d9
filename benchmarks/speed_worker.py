"""Run the sentence identifier of an environment in a separate process.

python speed_worker.py MODEL: lines {"texts", "alone"} -> lines {"seconds", "digests"}
python speed_worker.py MODEL memory < text -> {"before", "tokenized", "peak", "seconds"}

speed.py may start this file with the Python of another environment, which may have another commit.
It therefore uses only functions that every version of the package has, and imports no other module
of the benchmarks.
"""

import gc
import hashlib
import json
import resource
import sys
import time
from pathlib import Path

import spacy_sentid


def main():
    """Answer requests, or measure one text."""
    model = sys.argv[1]
    nlp = spacy_sentid.load(model)
    nlp("Warm up. It takes a moment.")
    if sys.argv[2:] == ["memory"]:
        print(json.dumps(measure_memory(nlp, sys.stdin.read())))
        return
    gc.freeze()
    for line in sys.stdin:
        print(json.dumps(answer(nlp, **json.loads(line))), flush=True)


def answer(nlp, texts, alone):
    """Time texts as a stream or one at a time, and return digests of their spans."""
    nlp.max_length = max(nlp.max_length, *map(len, texts))
    gc.collect()
    start = time.process_time()
    docs = [nlp(text) for text in texts] if alone else list(nlp.pipe(texts))
    seconds = time.process_time() - start
    return {"seconds": seconds, "digests": [make_digest(doc) for doc in docs]}


def make_digest(doc):
    """Compute a short digest of the spans of a Doc."""
    spans = [[(span.start_char, span.end_char) for span in doc.spans[key]] for key in ("su", "nsu")]
    return hashlib.md5(json.dumps(spans).encode(), usedforsecurity=False).hexdigest()[:12]


def measure_memory(nlp, text):
    """Measure the peak memory before and after the tokenizer, and after the whole pipeline.

    RETURNS: Peaks in megabytes, and the CPU seconds of the pipeline.
    """
    nlp.max_length = max(nlp.max_length, len(text))
    before = find_peak_megabytes()
    nlp.make_doc(text)
    tokenized = find_peak_megabytes()
    start = time.process_time()
    nlp(text)
    seconds = time.process_time() - start
    peak = find_peak_megabytes()
    return {"before": before, "tokenized": tokenized, "peak": peak, "seconds": seconds}


def find_peak_megabytes():
    """Find the peak memory of this process so far, in megabytes.

    On Linux, the value of getrusage includes memory of the parent process. VmHWM does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        lines = status.read_text("utf8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()
