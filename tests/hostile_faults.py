"""Check laws on many texts, and report which text broke which law.

texts, seed -> law -> Faults; a text that breaks a law -> a shorter one

A law draws its settings from the seed, so that the same call finds the same faults.
"""

import random
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Fault(NamedTuple):
    """A text that broke a law."""

    number: int  # of the text among the checked texts
    reason: str


class Faults(list[Fault]):
    """The texts that broke a law."""

    @contextmanager
    def of(self, number: int) -> Iterator[None]:
        """Record a failed assertion, or any other error, as a fault of a text."""
        try:
            yield
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(frame.filename).name}:{frame.lineno}: {frame.line}"
            self.append(Fault(number, f"{type(error).__name__}: {str(error)[:300]} ({place})"))


Law = Callable[[Sequence[str], random.Random, Faults], None]


def find_faults(law: Law, texts: Sequence[str], seed: str) -> Faults:
    """Check a law on some texts; if the whole batch fails, check each text alone."""
    faults = Faults()
    try:
        law(texts, random.Random(seed), faults)
    except Exception as error:
        for number, text in enumerate(texts):
            with faults.of(number):
                law([text], random.Random(seed), alone := Faults())
                faults += [Fault(number, fault.reason) for fault in alone]
        if not faults:
            faults.append(Fault(0, f"all texts together: {type(error).__name__}: {error}"))
    return faults


def shrink(law: Law, text: str, seed: str) -> str:
    """Shorten a text as long as it breaks a law."""
    size = len(text) // 2
    while size:
        for start in range(0, len(text), size):
            shorter = text[:start] + text[start + size :]
            if find_faults(law, [shorter], seed):
                text = shorter
                break
        else:
            size //= 2
    return text
