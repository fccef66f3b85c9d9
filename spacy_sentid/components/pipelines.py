"""Load pipelines by name, and find components in a pipeline by their factory.

language, bundled weights, folder or package -> pipeline -> component
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import spacy
from spacy import util
from spacy.language import Language

from ..messages import shorten, shorten_line
from ..pretrained import DEFAULT_NAMES, default_name
from .settings import Settings

# Number of Docs per batch for a sentence identifier. spaCy's 1,000 are hardly faster, and few
# documents would then not be enough batches for several processes.
IDENTIFIER_BATCH = 64
# Tokenizer of the pipelines that `load` creates. No text makes it slow.
BOUNDED = {"@tokenizers": "spacy_sentid.BoundedTokenizer.v1"}


def list_factories(nlp: Language) -> list[str]:
    """List the factories of the components of a pipeline."""
    return [nlp.get_pipe_meta(name).factory for name in nlp.pipe_names]


def find(nlp: Language, factory: str) -> Any:
    """Find the first component of a factory in a pipeline. Raises ValueError if it is missing."""
    factories = list_factories(nlp)
    if factory in factories:
        return nlp.get_pipe(nlp.pipe_names[factories.index(factory)])
    raise ValueError(
        f"The pipeline must have a component {factory!r}, got "
        f"{', '.join(nlp.pipe_names) or 'no components'}. Add it with nlp.add_pipe, or use another "
        "pipeline."
    )


def load(name: str = "en", component: str = "sentence_identifier", **settings: Any) -> Language:
    """Load a pipeline by name.

    name: A language ("en") for a pipeline with one component, the name of bundled weights
        ("zh_words_sm"), a folder with a pipeline, or an installed package.
    component: Factory of the component in the pipeline of a language.
    settings: Settings of that component, such as `newline="break"`.

    Raises ValueError if there is no such pipeline, if it cannot be loaded, or if the component
    refuses a setting.

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
        made = {key: settings.pop(key) for key in [*settings] if key in ("model", "pretrained")}
        change(nlp.add_pipe(component, config=made), settings)
        if component == "sentence_identifier":
            nlp.batch_size = IDENTIFIER_BATCH
        return nlp
    if not Path(name, "config.cfg").is_file() and not util.is_package(name):
        known = ", ".join(DEFAULT_NAMES.get(component, ())) or "of spaCy"
        raise ValueError(
            f"The pipeline must be a folder with a config.cfg, an installed package, or a language "
            f"with bundled weights for {component!r} ({known}), got {name!r}."
        )
    try:
        nlp = spacy.load(name)
    except Exception as error:
        if isinstance(error, ValueError) and name in str(error):
            raise  # the error of one of our components, which names its file
        reason = shorten_line(error if isinstance(error, ValueError) else repr(error))
        raise ValueError(
            f"Cannot load {name} ({reason}). Install the packages that it needs, or copy the "
            "folder again."
        ) from error
    if settings:
        change(find(nlp, component), settings)
    return nlp


def change(component: Any, settings: dict[str, Any]) -> None:
    """Change settings of one of our components.

    Raises ValueError and changes none if one is invalid.
    """
    if settings and not isinstance(getattr(component, "cfg", None), Settings):
        raise ValueError(f"{component} must have settings to change, got {shorten(settings)}.")
    if settings:
        component.cfg.update(settings)


def has_weights(component: str, name: str) -> bool:
    """Check if a name is a language in which a component works without training.

    A component without weights works in all languages of spaCy. A folder or package with the name
    of a language is preferred to weights that were trained on other languages.
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
    """Open a memory zone of spaCy that is also closed after an error.

    Up to spaCy 3.8.11, an error inside `nlp.memory_zone` leaves the zone open, and the next one
    fails.
    """
    error: Exception | None = None
    with nlp.memory_zone():
        try:
            yield
        except Exception as found:
            error = found
    if error is not None:
        raise error
