"""A tokenizer that works on the filtered text and maps each token to the original.

text -> filters -> filtered text -> tokenizer -> Doc of the filtered text, with its offset map

In a config, filters run in the order of the list; a block "@misc" names a filter and its settings:

    [nlp.tokenizer]
    @tokenizers = "spacy_sentid.FilteredTokenizer.v1"
    filters = [{"@misc":"spacy_sentid.strip_markup.v1"},{"@misc":"my_filter.v1","setting":1}]

    [nlp.tokenizer.tokenizer]
    @tokenizers = "spacy.Tokenizer.v1"

The inner block is optional. A filter of one's own is registered as a function that makes it:
`@spacy.registry.misc("my_filter.v1")`. In Python:

>>> import spacy
>>> from spacy_sentid.offsets import source_span
>>> config = {"@tokenizers": "spacy_sentid.FilteredTokenizer.v1",
...           "filters": [{"@misc": "spacy_sentid.strip_markup.v1"}]}
>>> nlp = spacy.blank("en", config={"nlp": {"tokenizer": config}})
>>> doc = nlp("<p>I <b>like</b> cats.")
>>> doc.text, source_span(doc[1])
('I like cats.', (8, 12))
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry

from ..bounded_tokenizer import make_inner
from ..offsets import OFFSETS
from .filters import Filter, chain


def make_filtered_tokenizer(
    filters: list, tokenizer: Callable[[Language], Callable[[str], Doc]] | None = None
) -> Callable[[Language], "FilteredTokenizer"]:
    """Build a tokenizer that filters texts first.

    filters: Functions text -> MappedText, or blocks {"@misc": name, ...} that make them, in order.
    tokenizer: For the filtered text; without one, that of the language.

    Raises ValueError if one of `filters` is neither.
    """
    # spaCy does not check what a block in the place of the list makes.
    if not isinstance(filters, list):
        raise ValueError(
            f"'filters' must be a list, got {type(filters).__name__}. Put the block into "
            'brackets: filters = [{"@misc":"spacy_sentid.strip_markup.v1"}].'
        )
    functions: list[Filter] = [
        registry.resolve({"filter": item})["filter"] if isinstance(item, dict) else item
        for item in filters
    ]
    chain(functions)  # raises here, not when the pipeline is made

    def make(nlp: Language) -> FilteredTokenizer:
        return FilteredTokenizer(make_inner(nlp, tokenizer), functions)

    return make


class FilteredTokenizer:
    """Tokenize the filtered text; `source_span` and `original_offset` map back to the original.

    tokenizer: For the filtered text. What it can do besides is found here too (`explain`,
        `add_special_case`); settings are changed on it, `nlp.tokenizer.tokenizer`.
    """

    def __init__(self, tokenizer: Callable[[str], Doc], filters: Iterable[Filter]) -> None:
        self.tokenizer = tokenizer
        self.filter = chain(filters)

    def __call__(self, text: str) -> Doc:
        filtered = self.filter(text)
        doc = self.tokenizer(filtered.text)
        doc.user_data[OFFSETS] = filtered.offsets.to_bytes()
        return doc

    def pipe(self, texts: Iterable[str], batch_size: int = 1000) -> Iterator[Doc]:
        """Tokenize texts one after the other."""
        for text in texts:
            yield self(text)

    # Filters are in the config of the pipeline; what is saved is the inner tokenizer.
    def to_disk(self, path: str | Path, **kwargs: Any) -> None:
        """Save the inner tokenizer, if it can be saved."""
        if hasattr(self.tokenizer, "to_disk"):
            self.tokenizer.to_disk(path, **kwargs)

    def from_disk(self, path: str | Path, **kwargs: Any) -> "FilteredTokenizer":
        """Load the inner tokenizer."""
        if hasattr(self.tokenizer, "from_disk"):
            self.tokenizer.from_disk(path, **kwargs)
        return self

    def to_bytes(self, **kwargs: Any) -> bytes:
        """Save the inner tokenizer, if it can be saved; else no bytes."""
        return self.tokenizer.to_bytes(**kwargs) if hasattr(self.tokenizer, "to_bytes") else b""

    def from_bytes(self, data: bytes, **kwargs: Any) -> "FilteredTokenizer":
        """Load the inner tokenizer."""
        if hasattr(self.tokenizer, "from_bytes"):
            self.tokenizer.from_bytes(data, **kwargs)
        return self

    def __getattr__(self, name: str) -> Any:
        # spaCy asks a tokenizer whether it has `initialize` or `memory_zone`: as the inner one has.
        # Not while copy or pickle make the object, when there is no inner one yet.
        if name.startswith("__") or name == "tokenizer":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.tokenizer, name)
