"""Measure the CPU time of commands on hostile texts, as a multiple of their time on prose.

shapes of text -> identify, view and serve, with reading and writing -> a table of ratios

The time to load a pipeline does not count. In a job, a text is one file or one record.
"""

import argparse
import json
import random
import re
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from spacy_sentid.batch.input.documents import Document, ReadSettings
from spacy_sentid.batch.input.readers import DocumentReader, make_batches
from spacy_sentid.batch.input.sources import find_sources
from spacy_sentid.batch.tasks import SCORES, SENTENCES, UNITS, WORDS
from spacy_sentid.batch.work.worker import Worker, WorkSettings
from spacy_sentid.view.demo.demo import answer, read_request
from spacy_sentid.view.demo.pipelines import DemoPipeline
from spacy_sentid.view.pages.documents import make_document_page
from spacy_sentid.view.text.reading import make_worker, view_documents

ROOT = Path(__file__).parents[1]
PROSE = "prose"
SHARD_SIZE = 4_000_000
# A text is given up if it takes this many times as long as prose.
GIVE_UP = 20
ALPHABET = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
MARKS = "([{<*_#\"'$%€=&|~)]}>,;:!?.-"


def read_prose() -> str:
    """Read the English texts of the project, without the marks of their units."""
    paths = sorted((ROOT / "assets" / "everyday").glob("*/*.txt"))
    text = "\n\n".join(path.read_text(encoding="utf8") for path in paths)
    text = re.sub(r"(?m)^=== .*\n", "", text)
    return re.sub(r"⟪[a-z]+\||[⟦⟧⟪⟫]", "", text)


def read_chinese() -> str:
    """Read the Chinese texts of the project, without the spaces between words."""
    paths = sorted((ROOT / "assets" / "sample" / "words").glob("t*.txt"))
    return "".join(path.read_text(encoding="utf8").replace(" ", "") for path in paths)


def make_shapes(prose: str) -> dict[str, str | Callable[[], str]]:
    """List the shapes: a string to repeat, or a function that returns the next part."""
    rng = random.Random(0)
    words = prose[:100_000].split()

    def draw(letters: str, n: int, end: str = "") -> Callable[[], str]:
        return lambda: "".join(rng.choices(letters, k=n)) + end

    return {
        "((((": "(",
        "====": "=",
        "____": "_",
        "€€€€": "€",
        "....": ".",
        '""""': '"',
        "([{": "([{",
        "'s's": "'s",
        ":):)": ":):",
        "random marks": draw(MARKS, 1000),
        "words of 7 marks": draw(MARKS, 7, " "),
        "words of 16 marks": draw(MARKS, 16, " "),
        "words of 17 marks": draw(MARKS, 17, " "),
        "words of 64 's": "'s" * 32 + " ",
        "lines of 80 =": "=" * 80 + "\n",
        "few lines of 80 =": lambda: " ".join(rng.choices(words, k=110)) + "\n" + "=" * 80 + "\n",
        "a(b(c": draw("abc", 1, "("),
        "a-b-c-d": "a-b-c-d-",
        "a.b.c": "a.b.c.",
        "a b c d": "a b c d ",
        ". . . .": ". ",
        "a. a.": "a. ",
        "a.\\n": "a.\n",
        "a\\n": "a\n",
        "1.\\n": "1.\n",
        "- \\n": "- \n",
        "x\\n\\n": "x\n\n",
        "one word": "a",
        "base64": draw(ALPHABET, 1000),
        "base64 lines": draw(ALPHABET, 76, "\n"),
        "hexadecimal": draw("0123456789abcdef", 1000),
        "digits": draw("0123456789", 1000),
        "random words": draw(ALPHABET[:26], 6, " "),
        "minified JSON": lambda: f'{{"id":{rng.randrange(99)},"v":[{rng.random():.3f},null]}},',
        "minified code": lambda: f"{rng.choice(ALPHABET)}=f({rng.choice(ALPHABET)},[0]);if(!b)",
        "URLs": lambda: f"https://a.b/{rng.choice(words)}?q={rng.randrange(999)}&r=%20%D0 ",
        "one URL": lambda: f"http://{rng.choice(words)}@",
        "HTML tags": "<b></i><p a='b'>",
        "&amp;": "&amp;&lt",
        "table": "| a | 1 | - |\n",
        "spaces": " ",
        "blank lines": "\n",
        "tabs": "\t",
        "CRLF": "\r\n",
        "U+2028": "\u2028a",
        "no-break spaces": "a\u00a0",
        "zero width": "\u200b",
        "joiners": "a\u200d",
        "combining": "a\u0301\u0316",
        "only combining": "\u0301",
        "emoji": "😀",
        "families": "👨\u200d👩\u200d👧",
        "right to left": "\u202eא ב",
        "Chinese": "他来了。我们走吧，",
        "Chinese marks": "。",
        "Thai": "ฉันไปโรงเรียน",
        "controls": "\x00\x01",
        "astral": "𝒜",
    }


def repeat(part: str | Callable[[], str], size: int) -> str:
    """Build a text of a given size from a shape."""
    if isinstance(part, str):
        return (part * (size // len(part) + 1))[:size]
    parts: list[str] = []
    n = 0
    while n < size:
        parts.append(part())
        n += len(parts[-1])
    return "".join(parts)[:size]


def _read(path: Path, task: str) -> Iterator[list[Document]]:
    settings = ReadSettings(pairs=task == SCORES)
    reader = DocumentReader(find_sources([str(path)]), settings)
    for batch in make_batches(reader, shard_size=SHARD_SIZE):
        yield batch.documents


def identify(text: str, folder: Path, *, worker: Worker, suffix: str) -> None:
    """Process one file as `identify` and `score` do."""
    task, path = worker.settings.task, folder / f"a{suffix}"
    half = len(text) // 2
    record = {"hyp": text[:half], "ref": text[half:] + "."} if task == SCORES else {"text": text}
    path.write_text(text if suffix == ".txt" else json.dumps(record) + "\n", encoding="utf8")
    for documents in _read(path, task):
        (folder / "out").write_bytes(worker(documents).data)


def view(text: str, folder: Path, *, worker: Worker) -> None:
    """Process one file as `view` does."""
    views = list(view_documents([Document("a", text, "a")], worker, on_bad=sys.exit))
    (folder / "a.html").write_text(make_document_page("a", views), encoding="utf8")


def serve(text: str, folder: Path, *, pipeline: DemoPipeline) -> None:
    """Answer one request as `serve` does."""
    body = json.dumps({"pipeline": pipeline.name, "text": text}).encode()
    json.dumps(answer(read_request(body, {pipeline.name: pipeline})))


def load_commands(names: list[str]) -> dict[str, Callable[[str, Path], None]]:
    """Load the commands with some names; all if there are no names."""
    commands: dict[str, Callable[[], Callable[[str, Path], None]]] = {}
    for task in (UNITS, SENTENCES, WORDS, SCORES):
        for suffix in (".txt", ".jsonl")[task == SCORES :]:
            commands[f"{task} {suffix}"] = partial(_load_task, task, suffix)
    commands["view"] = lambda: partial(view, worker=make_worker(WorkSettings(), with_probs=True))
    commands["serve"] = lambda: partial(serve, pipeline=DemoPipeline(UNITS, "en"))
    return {name: load() for name, load in commands.items() if not names or name in names}


def _load_task(task: str, suffix: str) -> Callable[[str, Path], None]:
    return partial(identify, worker=Worker(WorkSettings(task=task)), suffix=suffix)


def measure(work: Callable[[str, Path], None], text: str, limit: float | None = None) -> float:
    """Measure CPU seconds; return infinity if they exceed `limit`."""

    def stop(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, limit or 0)
    with tempfile.TemporaryDirectory() as folder:
        begin = time.process_time()
        try:
            work(text, Path(folder))
            return time.process_time() - begin
        except TimeoutError:
            return float("inf")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)


def main() -> None:
    """Print the table with the worst ratios first, and write it to a file if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--megabytes", type=float, default=1.0, help="million characters of each text"
    )
    parser.add_argument("--commands", nargs="*", default=[], help="commands, such as 'units .txt'")
    parser.add_argument("--shapes", nargs="*", default=[], help="names of shapes")
    parser.add_argument("--json", type=Path, help="write the figures here")
    args = parser.parse_args()
    size, prose = int(args.megabytes * 1_000_000), read_prose()
    shapes = make_shapes(prose)
    figures: dict[str, dict[str, float]] = {}
    for command, work in load_commands(args.commands).items():
        ordinary = read_chinese() if command.startswith(WORDS) else prose
        measure(work, ordinary[:10_000])
        # Two texts with different words, as far as the corpus is long enough.
        parts = [ordinary[n * size % len(ordinary) :] for n in range(2)]
        seconds = sum(measure(work, repeat(part, size)) for part in parts) / len(parts)
        found = figures[command] = {PROSE: round(seconds, 2)}
        for name, part in shapes.items():
            if not args.shapes or name in args.shapes:
                taken = measure(work, repeat(part, size), GIVE_UP * seconds)
                found[name] = round(taken / seconds, 2)
                print(f"{command:16} {name:20} {found[name]:6.2f}", file=sys.stderr, flush=True)
    names = sorted(
        args.shapes or shapes, key=lambda name: -max(found[name] for found in figures.values())
    )
    print(f"| shape | {' | '.join(figures)} |\n| --- |{' ---: |' * len(figures)}")
    print(f"| prose, s | {' | '.join(f'{found[PROSE]:.2f}' for found in figures.values())} |")
    for name in names:
        cells = " | ".join(f"{found[name]:.1f}" for found in figures.values())
        print(f"| {name} | {cells} |")
    if args.json:
        args.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False), encoding="utf8")


if __name__ == "__main__":
    main()
