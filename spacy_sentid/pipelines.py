"""Pipelines by name, and the component of a kind in a pipeline.

language, bundled weights, folder or package -> pipeline -> component
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import spacy
from spacy import util
from spacy.language import Language

from .messages import shorten_line
from .pretrained import DEFAULT_NAMES, default_name
from .saving import check_files

# Docs at once of a sentence identifier. spaCy's 1,000 are hardly faster, and with them few
# documents would be too few batches for several processes.
IDENTIFIER_BATCH = 64
# Of the pipelines that we make ourselves: no text stalls it.
BOUNDED = {"@tokenizers": "spacy_sentid.BoundedTokenizer.v1"}


def list_factories(nlp: Language) -> list[str]:
    """List the kinds of the components of a pipeline."""
    return [nlp.get_pipe_meta(name).factory for name in nlp.pipe_names]


def find(nlp: Language, factory: str) -> Any:
    """Find the first component of a kind in a pipeline; ValueError if there is none."""
    factories = list_factories(nlp)
    if factory in factories:
        return nlp.get_pipe(nlp.pipe_names[factories.index(factory)])
    raise ValueError(
        f"The pipeline has no {factory!r} (found: {', '.join(nlp.pipe_names) or 'nothing'}). "
        "Add one with nlp.add_pipe, or name another pipeline."
    )


def load(name: str = "en", component: str = "sentence_identifier", **settings: Any) -> Language:
    """Load a pipeline by name.

    name: A language ("en"), which gives a pipeline of one component; the name of bundled weights
        ("zh_words_sm"); a folder with a pipeline; or an installed package.
    component: The factory of the component that a language is loaded with.
    settings: Settings of that component, such as `newline="break"`.

    Raises ValueError if there is no such pipeline.

    >>> load("en").pipe_names
    ['sentence_identifier']
    """
    lang = name
    for factory, names in DEFAULT_NAMES.items():
        if name in names.values():
            component, settings = factory, {"pretrained": name, **settings}
            lang = name.partition("_")[0]
    if has_weights(component, lang):
        nlp = spacy.blank(lang, config={"nlp": {"tokenizer": BOUNDED}})
        nlp.add_pipe(component, config=settings)
        if component == "sentence_identifier":
            nlp.batch_size = IDENTIFIER_BATCH
        return nlp
    if not Path(name, "config.cfg").is_file() and not util.is_package(name):
        known = ", ".join(DEFAULT_NAMES.get(component, ())) or "of spaCy"
        raise ValueError(
            f"There is no pipeline {name!r}. Name a folder with a config.cfg, a package, "
            f"or a language with bundled weights for {component!r} ({known})."
        )
    nlp = load_folder(name)
    if settings:
        find(nlp, component).cfg.update(settings)
    return nlp


def load_folder(name: str) -> Language:
    """Load a pipeline of a folder or package.

    Raises ValueError that names the file which cannot be read, where that is known.
    """
    try:
        return spacy.load(name)
    except MemoryError:
        raise
    except Exception as error:
        check_files(Path(name))
        if isinstance(error, OSError):
            raise
        if isinstance(error, ValueError) and name in str(error):
            raise  # of a component that has named its file
        reason = shorten_line(error if isinstance(error, ValueError) else repr(error))
        place = Path(name, "config.cfg") if Path(name).is_dir() else name
        raise ValueError(
            f"{place} must be of a pipeline that can be loaded here, got an error ({reason}). "
            "Install what it needs, or copy the folder again."
        ) from error


def has_weights(component: str, name: str) -> bool:
    """Check if a name is a language that a component works in at once.

    A component without weights works in all languages of spaCy. A folder or a package comes before
    a language that weights of other languages stand in for.
    """
    languages = DEFAULT_NAMES.get(component)
    if languages is None:
        return _is_language(name)
    if name in languages:
        return True
    is_own = Path(name).exists() or util.is_package(name)
    return not is_own and _is_language(name) and default_name(component, name) is not None


def _is_language(name: str) -> bool:
    try:
        util.get_lang_class(name)
    except ImportError:
        return False
    return True


@contextmanager
def open_memory_zone(nlp: Language) -> Iterator[None]:
    """Forget what the vocabulary takes up in here, also after an error.

    Up to spaCy 3.8.11 an error in `nlp.memory_zone` leaves the zone open, and the next one fails.
    """
    error: Exception | None = None
    with nlp.memory_zone():
        try:
            yield
        except Exception as found:
            error = found
    if error is not None:
        raise error
