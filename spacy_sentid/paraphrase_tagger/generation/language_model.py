"""Queries to the user's language model, a command that reads a prompt and prints its continuation.

prompts -> command, one after another -> answers, and separately the failures
"""

import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ...files.records import BadLine, write_errors, write_records
from ...files.resume import BlockJob
from .prompts import Prompt

# After this many failures in a row, the command is assumed to fail always.
MAX_FAILURES = 5
N_SHOWN = 200


def ask_command(command: Sequence[str], prompt: str, *, timeout: float | None = None) -> str:
    """Run a command with a prompt on its standard input, and return its output.

    One final line end is removed, as most programs add one. An answer whose last pair is complete
    has a second one.

    timeout: Maximum seconds; None = no limit.

    Raises ValueError if the command fails or does not exist.

    >>> import sys
    >>> ask_command([sys.executable, "-c", "print(input().upper())"], "Premise: it rose.\\n")
    'PREMISE: IT ROSE.'
    """
    try:
        done = subprocess.run(
            command, input=prompt.encode("utf8"), capture_output=True, timeout=timeout
        )
        answer = done.stdout.decode("utf8")
    except OSError as error:
        raise ValueError(f"cannot run {command[0]!r} ({error.strerror}).") from error
    except subprocess.TimeoutExpired as error:
        raise ValueError(f"the command took more than {timeout:g} seconds.") from error
    except UnicodeDecodeError as error:
        raise ValueError("the command printed bytes that are not UTF-8.") from error
    if done.returncode:
        said = " ".join(done.stderr.decode("utf8", "replace").split())
        raise ValueError(
            f"the command ended with exit code {done.returncode}: {said[-N_SHOWN:] or 'no message'}"
        )
    return answer.removesuffix("\n").removesuffix("\r")


def collect_answers(
    prompts: Iterable[Prompt],
    ask: Callable[[str], str],
    job: BlockJob,
    *,
    on_answer: Callable[[], object] = lambda: None,
) -> list[BadLine]:
    """Send the prompts that have no entry yet, and write an entry for each answer or failure.

    RETURNS: The failures after the last answer. They get no entry, so the next run tries them
        again.

    Raises ValueError after `MAX_FAILURES` failures in a row, or if there is no answer at all.
    """
    n_before = job.n_done
    failures: list[BadLine] = []
    for number, prompt in enumerate(prompts):
        if number >= n_before:
            try:
                answer = ask(prompt.text)
            except ValueError as error:
                failures.append(BadLine(prompt.id, str(error)))
                if len(failures) == MAX_FAILURES:
                    break
                continue
            for failure in failures:
                job.add({"answers": [], "errors": [failure]})
                on_answer()
            failures.clear()
            record = {"id": prompt.id, "prompt": prompt.text, "output": answer}
            job.add({"answers": [record], "errors": []})
        on_answer()
    if failures and (len(failures) == MAX_FAILURES or not job.n_done):
        raise ValueError(
            "The command must print an answer on its standard output, got none for "
            f"{len(failures)} prompts in a row. The last error: {failures[-1].reason}"
        )
    return failures


def write_answers(
    output: Path,
    job: BlockJob,
    errors: Sequence[BadLine] = (),
    *,
    missing: Sequence[BadLine] = (),
) -> tuple[int, int]:
    """Write the answers, and a file of errors and failures next to them.

    missing: The failures that `collect_answers` returned. If there are any, ValueError is raised
        after writing, so that the job keeps its entries and can resume.
    RETURNS: The number of answers and the number of failures.
    """
    n_failures = write_errors(output, [*errors, *job.values("errors"), *missing])
    n_answers = write_records(output, job.values("answers"))
    if missing:
        reason = missing[-1].reason.removesuffix(".")
        raise ValueError(
            f"Every prompt must have an answer, got none for the last {len(missing)} prompts "
            f"({reason}). {output} has {n_answers} other answers. Run the same command again to "
            f"retry the missing ones, or delete {job.folder.path} to skip them."
        )
    return n_answers, n_failures
