"""Processes that are started to be interrupted."""

import signal


def heed_ctrl_c() -> None:
    """Take back that a shell lets what it starts in the background ignore Ctrl-C: a preexec_fn."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
