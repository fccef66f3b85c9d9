"""The pager of long output, in a pseudo-terminal."""

import os
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
import typer

from spacy_sentid.cli import app
from spacy_sentid.cli.terminal.pager import find_pager, open_pager

MAX_SHOWN = "spacy_sentid.cli.long_jobs.MAX_SHOWN"

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")


@pytest.fixture
def show(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], str]:
    """Function that runs a function on a terminal, and returns what the terminal shows."""
    import fcntl
    import pty
    import struct
    import termios

    for name in ("NO_COLOR", "FORCE_COLOR", "PAGER", "SPACY_SENTID_PAGER", "LESS", "LV"):
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


def page(n: int, command: list[str], environ: dict[str, str] | None = None) -> None:
    with open_pager(command, n_rows=24, environ=environ or dict(os.environ)) as write:
        for i in range(n):
            write(f"line {i}")


PREFIX = ["sed", "s/^/paged: /"]


@pytest.mark.parametrize(
    ("n", "command", "prefix"),
    [(23, PREFIX, ""), (24, PREFIX, "paged: "), (50, PREFIX, "paged: "), (50, [], "")],
)
def test_only_output_that_fills_the_screen_is_paged(show, n, command, prefix):
    assert show(lambda: page(n, command)).splitlines() == [f"{prefix}line {i}" for i in range(n)]


def test_the_pager_gets_lines_as_they_arrive(show, tmp_path):
    path = tmp_path / "seen.txt"

    def run() -> None:
        with open_pager(["tee", str(path)], n_rows=2, environ=os.environ) as write:
            for i in range(3):
                write(f"line {i}")
            for _ in range(500):
                if path.exists() and path.read_text().count("\n") == 3:
                    break
                time.sleep(0.01)
            assert path.read_text().splitlines()[-1] == "line 2"

    show(run)


def test_quitting_the_pager_ends_the_program_silently(show):
    def run() -> None:
        with pytest.raises(typer.Exit) as ended:
            page(1_000_000, ["head", "-n", "1"])
        assert ended.value.exit_code == 0

    assert show(run) == "line 0\n"


def test_the_pager_has_the_settings_of_git_unless_they_are_set(show):
    command = ["sh", "-c", "cat > /dev/null; echo $LESS $LV"]
    assert show(lambda: page(30, command)) == "FRX -c\n"
    assert show(lambda: page(30, command, {**os.environ, "LESS": "S"})) == "S -c\n"


def test_messages_appear_in_the_pager_while_it_runs(show):
    def run() -> None:
        with open_pager(PREFIX, n_rows=1, environ=os.environ) as write:
            write("line")
            typer.echo("message", err=True)
        typer.echo("later", err=True)

    assert show(run).splitlines() == ["paged: line", "paged: message", "later"]


def test_output_is_printed_if_the_pager_does_not_start(show, tmp_path):
    assert len(show(lambda: page(30, [str(tmp_path / "nowhere")])).splitlines()) == 30


def test_output_that_was_held_back_is_printed_before_an_error(show):
    def fail() -> None:
        with open_pager(PREFIX, n_rows=9, environ=os.environ) as write:
            write("line")
            raise ValueError("late")

    def run() -> None:
        with pytest.raises(ValueError, match="late"):
            fail()

    assert show(run) == "line\n"


@pytest.mark.parametrize(
    ("environ", "command"),
    [
        ({"PAGER": "sed -n p"}, ["sed", "-n", "p"]),
        ({"PAGER": "sed", "SPACY_SENTID_PAGER": "head -n 'a b'"}, ["head", "-n", "a b"]),
        ({"PAGER": "sed", "SPACY_SENTID_PAGER": ""}, []),
        ({"PAGER": "cat"}, []),
        ({"PAGER": "no-such-program"}, []),
        ({"PAGER": "sed 'x"}, []),
        ({"PAGER": "sed", "TERM": "dumb"}, []),
    ],
)
def test_the_pager_is_found_in_the_environment(environ, command):
    assert find_pager(environ) == command


def test_less_is_the_default_if_it_is_installed(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_pager({}) == []
    (tmp_path / "less").touch(mode=0o755)
    assert find_pager({}) == ["less"]


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
    monkeypatch.setattr(MAX_SHOWN, 1_000)
    paged = show(lambda: identify(mail, "--model", tiny_pipeline)).splitlines()
    monkeypatch.setenv("PAGER", "cat")
    plain = show(lambda: identify(mail, "--model", tiny_pipeline)).splitlines()
    assert paged == [f"paged:{line}" for line in plain]
    assert "sentence" in plain[0]
    assert f"\x1b[1m{mail}\x1b[0m" in plain
    hint = f"To see a page: spacy-sentid view {mail} --model {tiny_pipeline} -o page.html"
    assert plain[-1] == hint


def test_identify_ends_with_0_if_its_pager_is_quit(show, tiny_pipeline, mail, monkeypatch):
    monkeypatch.setenv("PAGER", "head -n 1")
    mail.write_text(mail.read_text() * 300)
    codes = []
    shown = show(lambda: codes.append(identify(mail, "--model", tiny_pipeline)))
    assert codes == [0]
    assert len(shown.splitlines()) == 1
