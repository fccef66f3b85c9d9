"""The pager of long output, in a pseudo-terminal."""

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import typer

from spacy_sentid.cli import app
from spacy_sentid.cli.terminal.pager import open_pager

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], str]:
    """Function that runs a function on a terminal, and returns what the terminal shows."""
    import fcntl
    import pty
    import struct
    import termios

    for name in ("NO_COLOR", "FORCE_COLOR", "PAGER", "LESS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")

    def run(function: Callable[[], object]) -> str:
        shown: list[bytes] = []
        reader, writer = pty.openpty()
        fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

        def read() -> None:
            with suppress(OSError):  # Linux reports the end of a terminal as an error
                while data := os.read(reader, 4096):
                    shown.append(data)

        thread = threading.Thread(target=read, daemon=True)
        thread.start()
        with monkeypatch.context() as patch:
            patch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((80, 24)))
            with (
                os.fdopen(writer, "w", encoding="utf8") as out,
                open(os.dup(writer), "w", encoding="utf8") as err,
            ):
                patch.setattr(sys, "stdout", out)
                patch.setattr(sys, "stderr", err)
                function()
        thread.join(10)
        os.close(reader)
        return b"".join(shown).decode().replace("\r\n", "\n")

    return run


def page(n: int) -> None:
    with open_pager(is_wanted=True) as file:
        for i in range(n):
            print(f"line {i}", file=file)


def test_output_goes_through_the_pager_only_if_wanted(show, monkeypatch, capfd):
    monkeypatch.setenv("PAGER", "sed 's/^/paged: /'")
    page(2)
    assert capfd.readouterr().out == "paged: line 0\npaged: line 1\n"

    def run() -> None:
        with open_pager(is_wanted=False) as file:
            print("line", file=file)

    assert show(run) == "line\n"


def test_quitting_the_pager_ends_the_program_silently(monkeypatch, capfd):
    monkeypatch.setenv("PAGER", "head -n 1")
    with pytest.raises(typer.Exit) as ended:
        page(1_000_000)
    assert ended.value.exit_code == 0
    assert capfd.readouterr().out == "line 0\n"


def test_the_pager_has_the_settings_of_git_unless_they_are_set(monkeypatch, capfd):
    monkeypatch.setenv("PAGER", "sh -c 'cat > /dev/null; echo $LESS'")
    monkeypatch.delenv("LESS", raising=False)
    page(30)
    monkeypatch.setenv("LESS", "S")
    page(30)
    assert capfd.readouterr().out == "FRX\nS\n"


@pytest.mark.parametrize("command", ["no-such-program", ""])
def test_output_is_printed_if_there_is_no_pager(show, monkeypatch, command):
    monkeypatch.setenv("PAGER", command)
    assert len(show(lambda: page(30)).splitlines()) == 30


def identify(*arguments: object) -> int:
    """Run the command in this process, and return its exit code."""
    try:
        app(["identify", *map(str, arguments)])
    except SystemExit as ended:
        return int(ended.code or 0)
    return 0


@pytest.fixture
def mail(tmp_path: Path) -> Path:
    path = tmp_path / "mail.txt"
    path.write_text("Page 3\n\nI like cats.\n\n" * 12)
    return path


def test_identify_shows_units_in_color_through_the_pager(show, tiny_pipeline, mail, monkeypatch):
    monkeypatch.setenv("PAGER", "sed s/^/paged:/")
    paged = show(lambda: identify(mail, "--model", tiny_pipeline)).splitlines()
    monkeypatch.setenv("PAGER", "cat")
    plain = show(lambda: identify(mail, "--model", tiny_pipeline)).splitlines()
    assert paged == [f"paged:{line}" for line in plain]
    assert "sentence" in plain[0]
    assert f"\x1b[1m{mail}\x1b[0m" in plain


def test_identify_ends_with_0_if_its_pager_is_quit(show, tiny_pipeline, mail, monkeypatch):
    monkeypatch.setenv("PAGER", "head -n 1")
    mail.write_text(mail.read_text() * 300)
    codes = []
    shown = show(lambda: codes.append(identify(mail, "--model", tiny_pipeline)))
    assert codes == [0]
    assert len(shown.splitlines()) == 1
