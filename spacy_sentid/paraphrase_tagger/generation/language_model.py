"""Queries to the user's language model, a command that reads a prompt and prints its continuation.

prompts -> command, one after another -> answers
"""

import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...files.resume import write_job
from ...messages import shorten_line


def ask_command(command: Sequence[str], prompt: str) -> str:
    """Run a command with a prompt on its standard input, and return its output.

    One final line end is removed, as most programs add one.

    Raises ValueError if the command fails or does not exist.

    >>> import sys
    >>> ask_command([sys.executable, "-c", "print(input().upper())"], "Premise: it rose.\\n")
    'PREMISE: IT ROSE.'
    """
    try:
        done = subprocess.run(
            command, input=prompt, capture_output=True, encoding="utf8", errors="replace"
        )
    except OSError as error:
        raise ValueError(f"cannot run {command[0]!r} ({error.strerror}).") from error
    if done.returncode:
        said = shorten_line(done.stderr) or "no message"
        raise ValueError(f"the command ended with exit code {done.returncode}: {said}")
    return done.stdout.removesuffix("\n")


def write_answers(
    prompts: Iterable[dict[str, str]],
    ask: Callable[[str], str],
    output: Path,
    *,
    settings: Mapping[str, Any],
    on_answers: Callable[[int], object] | None = None,
) -> int:
    """Write the answer to each prompt, and return their number. An interrupted job is resumed.

    prompts: See `draw_prompts`.
    ask: Function from a prompt to its answer.
    settings: Everything that the prompts and answers depend on, as JSON data.

    Raises ValueError for the first prompt without an answer. The next run begins with it.
    """

    def work(some: list[dict[str, str]]) -> dict[str, Any]:
        (prompt,) = some
        try:
            answer = ask(prompt["prompt"])
        except ValueError as error:
            reason = f"{prompt['id']} must have an answer: {error} Run the command again to resume."
            raise ValueError(reason) from error
        return {"records": [{**prompt, "output": answer}], "n_kept": 1}

    return write_job(output, settings, prompts, work, size=1, on_items=on_answers).n_kept
