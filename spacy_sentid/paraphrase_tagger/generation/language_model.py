"""The user's language model: a command that reads a prompt and prints what comes after it.

prompts -> command, one after another -> answers; what failed is kept apart
"""

import subprocess
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ...files.atomic import open_output
from ...files.records import BadLine, format_record, write_errors
from ...files.resume import BlockJob
from .prompts import Prompt

# A command that fails so many times in a row will fail always.
MAX_FAILURES = 5
N_SHOWN = 200


class NoProgramError(ValueError):
    """A command that cannot be run at all, whatever the prompt."""


def ask_command(command: Sequence[str], prompt: str, *, timeout: float | None = None) -> str:
    """Run a command with a prompt on its standard input; gives what it prints.

    One line end at the end is taken off, as most programs print one of their own: an answer whose
    last pair is whole ends in a second.
    timeout: Seconds. None = no limit.

    Raises ValueError if it fails, NoProgramError if there is no such command.

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
        raise NoProgramError(
            f"Cannot run {command[0]!r} ({error.strerror}), expected a program. Check the command."
        ) from error
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
    on_answer: Callable[[], object] | None = None,
) -> list[BadLine]:
    """Ask for what has no entry yet; an entry is an answer or a failure.

    RETURNS: The failures after the last answer. They get no entry, and are asked again next time.

    Raises ValueError after `MAX_FAILURES` in a row, if nothing was answered, and at once if there
    is no such command.
    """
    n_before = job.n_done
    failures: list[BadLine] = []
    for number, prompt in enumerate(prompts):
        if number >= n_before:
            try:
                answer = ask(prompt.text)
            except NoProgramError:
                raise
            except ValueError as error:
                failures.append(BadLine(prompt.id, str(error)))
                if len(failures) == MAX_FAILURES:
                    raise ValueError(
                        f"The command failed {MAX_FAILURES} times in a row, at last: {error} "
                        "Expected an answer on its standard output. Check the command."
                    ) from error
                continue
            for failure in failures:
                job.add({"error": failure})
                _call(on_answer)
            failures.clear()
            job.add({"id": prompt.id, "prompt": prompt.text, "output": answer})
        _call(on_answer)
    if failures and not job.n_done:
        raise ValueError(
            f"The command failed for all {len(failures)} prompts, at last: {failures[-1].reason} "
            "Expected an answer on its standard output. Check the command."
        )
    return failures


def _call(function: Callable[[], object] | None) -> None:
    if function is not None:
        function()


def write_answers(
    output: Path,
    job: BlockJob,
    errors: Sequence[BadLine] = (),
    *,
    missing: Sequence[BadLine] = (),
) -> tuple[int, int]:
    """Write the answers, and beside them the failures after other errors; gives their numbers.

    missing: What `collect_answers` gave back. Raises ValueError when all is written if there is
        any, so that the entries stay.
    """
    failures = (entry["error"] for entry in job.entries() if "error" in entry)
    n_failures = write_errors(output, [*errors, *failures, *missing])
    n_answers = 0
    with open_output(output) as file:
        for entry in job.entries():
            if "error" not in entry:
                file.write(format_record(entry) + "\n")
                n_answers += 1
    if missing:
        reason = missing[-1].reason.removesuffix(".")
        raise ValueError(
            f"Found no answer to the last {len(missing)} prompts ({reason}), expected "
            f"one to each. {output} has {n_answers} of the others: start again in the same way to "
            f"ask for the missing ones, or delete {job.folder.path} to do without."
        )
    return n_answers, n_failures
