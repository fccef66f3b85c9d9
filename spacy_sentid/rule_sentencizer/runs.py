"""Runs of signs: end signs with the closing signs and the white space that follow them.

text -> RUN -> read_run -> what a run may be, and where the next sentence would start
"""

import re
from typing import NamedTuple

ENDS = ".!?…"
_WIDE_ENDS = "。！？｡"  # no white space follows these
_CLOSERS = "\"'“”‘’„‚«»‹›)]}」』）】"
# Those of them that open nothing, with the white space behind: what belongs to the sentence before.
_CLOSING = re.compile(r"[\"'”’»›)\]}」』）】]+\s*")
RUN = re.compile(rf"[{ENDS}{_WIDE_ENDS}\n][{ENDS}{_WIDE_ENDS}{re.escape(_CLOSERS)}\s]*")
_WIDE = re.compile(rf"[{_WIDE_ENDS}]+[”’»›)\]}}」』）】]*")

# What a run may be. LINE: a line end alone. BREAK: a sentence ends whatever follows. PLAIN: ". ".
NOTHING, LINE, BREAK, PLAIN, PERIOD, ELLIPSIS, STRONG = range(7)


class Run(NamedTuple):
    """End signs with the closing signs and the white space that follow."""

    kind: int
    cut: int  # the next sentence would start so many characters after the run's start
    closed: bool  # whether a closing sign stands before the white space
    quoted: bool  # whether a sign stands before the next word


def read_run(run: str, newline: str) -> Run:
    """Read a run of signs and white space that starts with an end sign or a line end.

    >>> read_run('." ', "ignore") == Run(PERIOD, 3, closed=True, quoted=False)
    True
    >>> read_run('. "', "ignore") == Run(PERIOD, 2, closed=False, quoted=True)
    True
    """
    if run == ". ":
        return Run(PLAIN, 2, closed=False, quoted=False)
    head = run.split(None, 1)[0] if not run[0].isspace() else ""
    rest = run[len(head) :].lstrip()
    cut = len(run) - len(rest)
    gap = run[len(head) : cut]
    kind = _read_head(head)
    if not gap:
        # "3.5", "e.g": only wide signs end a sentence without white space.
        own = _WIDE.match(run)
        if own is None:
            return Run(NOTHING, len(run), closed=False, quoted=False)
        return Run(STRONG, own.end(), closed=False, quoted=own.end() < len(run))
    if _is_break(gap, newline):
        return Run(BREAK, cut, closed=False, quoted=False)
    has_ends = any(sign in rest for sign in ENDS) and not rest.startswith(("..", "…"))
    closing = _CLOSING.match(rest) if rest[-1:].isspace() and not has_ends else None
    if closing is not None:
        # In ". » " the sign still belongs to the sentence.
        head, gap = head + closing[0].strip(), closing[0]
        cut, rest = cut + closing.end(), rest[closing.end() :]
    elif has_ends and rest[-1:].isspace():
        # ". . . " and "! ! " are one ellipsis, one end.
        kind = max(kind, ELLIPSIS) if head else kind
        head, rest = run.rstrip(), ""
        gap, cut = run[len(head) :], len(run)
    if _is_break(gap, newline):
        kind = BREAK
    return Run(kind, cut, closed=head[-1:] in _CLOSERS if head else False, quoted=bool(rest))


def _is_break(gap: str, newline: str) -> bool:
    return "\n" in gap if newline == "break" else newline == "blank-line" and gap.count("\n") > 1


def _read_head(head: str) -> int:
    if not head:
        return LINE
    ends = head.rstrip(_CLOSERS)
    if any(sign not in ".…" for sign in ends):
        return STRONG
    return PERIOD if ends == "." else ELLIPSIS
