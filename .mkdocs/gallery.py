"""Make the pages of the gallery: what `spacy-sentid view` writes for texts of many kinds.

texts of the repository -> `spacy-sentid view` -> gallery/*.html, next to docs/gallery.md
"""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
EXAMPLES = "spacy_sentid/view/examples"


class Entry(NamedTuple):
    """A page of the gallery, and the arguments of the command that makes it."""

    name: str
    arguments: tuple[str, ...]
    command: str = "view"

    @property
    def path(self) -> str:
        """The path of the page in the docs."""
        return f"gallery/{self.name}.html"


ENTRIES = (
    Entry("mail", ("assets/sample/inbox.txt",)),
    Entry("web", (f"{EXAMPLES}/en/web.txt",)),
    Entry("minutes", (f"{EXAMPLES}/en/minutes.txt",)),
    Entry("pdf", (f"{EXAMPLES}/en/pdf.txt",)),
    Entry("chat", (f"{EXAMPLES}/en/chat.txt",)),
    Entry("speech", (f"{EXAMPLES}/en/speech.txt",)),
    Entry("errors", ("assets/sample/test.conllu",), "view-errors"),
    Entry("pairs", ("assets/sample/paraphrase/dev.jsonl",), "view-pairs"),
)


@cache
def make_page(entry: Entry) -> str:
    """Make a page as the command does. Raises RuntimeError if the command fails."""
    from typer.testing import CliRunner

    from spacy_sentid.cli import app

    paths = [str(ROOT / one) if "/" in one else one for one in entry.arguments]
    with TemporaryDirectory() as folder:
        page = Path(folder) / "page.html"
        done = CliRunner().invoke(app, [entry.command, *paths, "-o", str(page)])
        if done.exit_code:
            raise RuntimeError(f"{entry.command} {paths} must write a page, got: {done.output}")
        # The page names its documents by their paths.
        return page.read_text(encoding="utf8").replace(f"{ROOT}/", "")
