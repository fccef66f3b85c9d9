"""What the component learns of, and what it saves.

examples, JSON file, lexicon -> `Learned`; `Rules`, `Learned` <-> JSON
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from spacy.training import Example, validate_get_examples
from spacy.vocab import Vocab

from .language import Rules, load_rules
from .segment import BEST
from .strategies import Learned
from .text_files import read_blocks

# The text of the Doc that spaCy makes up for `nlp.initialize()` without examples.
_DUMMY = "x y z"
# What a strategy takes of what was learned; the others take nothing.
_TAKEN = {
    BEST: ("likely", "titles"),
    "corpus": ("likely", "titles"),
    "lexicon": ("known", "names", "frequent", "lexicon"),
}


def keep_taken(learned: Learned, strategy: str) -> Learned | None:
    """Keep what a strategy takes of what was learned; None if it takes nothing."""
    if strategy not in _TAKEN:
        return None
    return Learned(**{name: getattr(learned, name) for name in _TAKEN[strategy]})


def give_state(rules: Rules, learned: Learned | None) -> dict[str, Any]:
    """Give what `json` can write, of both."""
    data = {
        name: sorted(value) if isinstance(value, frozenset) else value
        for name, value in rules._asdict().items()
    }
    lists = None
    if learned is not None:
        lists = {name: words for name, words in learned.to_json().items() if words}
    return {"rules": data, "learned": lists}


def take_state(state: dict[str, Any]) -> tuple[Rules, Learned | None]:
    """Read what `give_state` gave."""
    saved, lists = state["rules"], state["learned"]
    # Rules that were saved by another version may lack a field, or have one more.
    rules = load_rules(saved["lang"], extra={})
    known = {
        name: type(value)(saved[name]) for name, value in rules._asdict().items() if name in saved
    }
    return rules._replace(**known), None if lists is None else Learned.from_json(lists)


def read_example_texts(get_examples: Callable[[], Iterable[Example]], name: str) -> Iterator[str]:
    """Read the texts of training examples.

    name: Of the component, for messages.

    Raises ValueError for the examples that spaCy makes up if there are none.
    """
    validate_get_examples(get_examples, "RuleSentencizer.initialize")
    first = [example.reference.text.strip() for example in islice(get_examples(), 2)]
    if first == [_DUMMY]:
        raise ValueError(
            f"{name}: found no training examples, expected texts to learn of. "
            f"Set 'corpus', a text file, in the block [initialize.components.{name}]."
        )
    return (example.reference.text for example in get_examples())


def read_learned(path: Path) -> Learned:
    """Read the JSON file of `spacy-sentid abbreviations --json`.

    Raises ValueError for a file that is not one.
    """
    try:
        data = json.loads(path.read_text(encoding="utf8"))
    except (OSError, ValueError) as error:
        raise _wrong_learned(path, str(error)) from None
    if not isinstance(data, dict) or not isinstance(data.get("learned"), dict):
        raise _wrong_learned(path, "found no mapping 'learned' in it")
    return Learned.from_json(data["learned"])


def _wrong_learned(path: Path, found: str) -> ValueError:
    return ValueError(
        f"Cannot read what was learned in {path}: {found}. Expected the JSON file of "
        "'spacy-sentid abbreviations'. Make it with --json."
    )


def read_lexicon(source: str, vocab: Vocab, learned: Learned) -> frozenset[str]:
    """Read words for the rung `lexicon`.

    source: The name of one of `vocab.lookups`, or else a text file with a word a line. A table
        has only hashes of its words: those are found that the vocab or the corpus has.
    learned: Of the corpus.

    Raises ValueError if there are no words, or neither table nor file.
    """
    if vocab.lookups.has_table(source):
        table = vocab.lookups.get_table(source)
        seen = chain(learned.lexicon, learned.likely, learned.known, vocab.strings)
        words = frozenset(word for word in seen if word in table)
    elif Path(source).is_file():
        lines = "".join(read_blocks(Path(source))).splitlines()
        words = frozenset(line.strip() for line in lines) - {""}
    else:
        raise ValueError(
            f"Found the lexicon {source!r}, expected a text file or one of the lookups tables "
            f"{vocab.lookups.tables}. Give one of these."
        )
    if not words:
        raise ValueError(
            f"Found no words in the lexicon {source!r}, expected a word a line, or a table of "
            "words that the vocab or the corpus has. Give a text file with words."
        )
    return words
