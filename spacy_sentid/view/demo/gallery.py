"""The examples of the demo page, and the kinds of text that they are examples of.

task, language -> examples; kind of text -> meaning of its line ends
"""

from functools import cache
from typing import NamedTuple

from ...batch.tasks import SCORES
from ..text.page import FOLDER

EXAMPLES = FOLDER / "examples"
PAIR = "pair"


class TextKind(NamedTuple):
    """A kind of text that people have."""

    title: str  # on the button of its example
    name: str  # completes "The text is ..."
    newline: str | None = None  # the setting that suits it; None = that of the pipeline
    note: str = ""  # what to expect


# In the order of the page. A file in `examples` is named LANGUAGE/KIND.txt. Only chats have a
# setting of their own: `docs/start/choose_settings.md` compares the settings by kind of text.
TEXT_KINDS = {
    "mail": TextKind("E-mail", "an e-mail or a letter"),
    "web": TextKind("Web page", "a web page"),
    "chat": TextKind("Chat", "a chat with one message per line", "break"),
    "minutes": TextKind("Minutes", "minutes or a report"),
    "pdf": TextKind("PDF page", "a page of a PDF or a scan"),
    "speech": TextKind(
        "Speech",
        "a transcript of speech",
        note="Without punctuation, expect only about every second sentence to be right.",
    ),
    "prose": TextKind("Prose", "clean prose"),
}
# Examples of other tasks. A file of a pair is named LANGUAGE/pair.NAME.txt.
OTHER_TITLES = {
    "number": "Wrong number",
    "paraphrase": "Paraphrase",
    "negation": "Negation",
    "diary": "Diary",
    "news": "News",
}


class Example(NamedTuple):
    """A text of the gallery."""

    title: str
    text: str
    ref: str = ""  # the text to compare with, of a pair
    kind: str = ""  # one of TEXT_KINDS; "" = another text


@cache
def list_examples(task: str, lang: str) -> tuple[Example, ...]:
    """List the examples for a task in a language; () without any.

    >>> [example.title for example in list_examples("scores", "en")]
    ['Wrong number', 'Paraphrase', 'Negation']
    >>> [example.kind for example in list_examples("units", "fr")], list_examples("words", "sv")
    (['mail', 'web'], ())
    """
    prefix = f"{PAIR}." if task == SCORES else ""
    titles = {kind: found.title for kind, found in TEXT_KINDS.items()} | OTHER_TITLES
    found = []
    for name, title in titles.items():
        path = EXAMPLES / lang / f"{prefix}{name}.txt"
        if path.is_file():
            text = path.read_text(encoding="utf8")
            # The text of a pair is on the first line, and its reference on the second.
            text, ref = text.splitlines() if task == SCORES else (text, "")
            found.append(Example(title, text, ref, name if name in TEXT_KINDS else ""))
    return tuple(found)
