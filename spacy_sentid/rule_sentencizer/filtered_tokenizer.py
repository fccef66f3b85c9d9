"""A tokenizer for filtered text, whose tokens map back to the original text.

text -> filters -> filtered text -> tokenizer -> Doc of the filtered text, with its offset map

In a config, filters run in the order of the list. Each "@misc" block has the name and the settings
of a filter:

    [nlp.tokenizer]
    @tokenizers = "spacy_sentid.FilteredTokenizer.v1"
    filters = [{"@misc":"spacy_sentid.strip_markup.v1"},{"@misc":"my_filter.v1","setting":1}]

    [nlp.tokenizer.tokenizer]
    @tokenizers = "spacy.Tokenizer.v1"

The inner block is optional. To use your own filter, register a function that returns it, with
`@spacy.registry.misc("my_filter.v1")`. In Python:

>>> import spacy
>>> from spacy_sentid.text.offsets import source_span
>>> config = {"@tokenizers": "spacy_sentid.FilteredTokenizer.v1",
...           "filters": [{"@misc": "spacy_sentid.strip_markup.v1"}]}
>>> nlp = spacy.blank("en", config={"nlp": {"tokenizer": config}})
>>> doc = nlp("<p>I <b>like</b> cats.")
>>> doc.text, source_span(doc[1])
('I like cats.', (8, 12))
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import registry

from ..text.bounded_tokenizer import make_inner
from ..text.offsets import OFFSETS
from .filters import Filter, chain


def make_filtered_tokenizer(
    filters: list, tokenizer: Callable[[Language], Callable[[str], Doc]] | None = None
) -> Callable[[Language], "FilteredTokenizer"]:
    """Build a tokenizer that filters texts first.

    filters: Functions text -> MappedText, or blocks {"@misc": name, ...} of such functions. They
        are applied in this order.
    tokenizer: Tokenizer for the filtered text. None = the tokenizer of the language.

    Raises ValueError if one of `filters` is neither a function nor a block.
    """
    # spaCy does not check the value if a single block is given instead of the list.
    if not isinstance(filters, list):
        raise ValueError(
            f"'filters' must be a list, got {type(filters).__name__}. Put the block into "
            'brackets: filters = [{"@misc":"spacy_sentid.strip_markup.v1"}].'
        )
    functions: list[Filter] = [
        registry.resolve({"filter": item})["filter"] if isinstance(item, dict) else item
        for item in filters
    ]
    chain(functions)  # raises errors now, before a pipeline is built

    def make(nlp: Language) -> FilteredTokenizer:
        return FilteredTokenizer(make_inner(nlp, tokenizer), functions)

    return make


class FilteredTokenizer:
    """A tokenizer that filters texts first.

    `source_span` and `original_offset` map its tokens back to the original text.

    tokenizer: Tokenizer for the filtered text. Its other methods (`explain`, `to_disk`) are
        available here too, so it is saved; the filters are in the config of the pipeline. Its
        settings must be changed on `nlp.tokenizer.tokenizer`.
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
        yield from map(self, texts)

    def __getattr__(self, name: str) -> Any:
        # spaCy looks for `initialize` and `memory_zone`, which only some inner tokenizers have.
        # While copy or pickle create the object, there is no inner tokenizer yet.
        if name.startswith("__") or name == "tokenizer":
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self.tokenizer, name)
