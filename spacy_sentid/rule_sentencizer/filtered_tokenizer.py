"""A tokenizer that works on the filtered text, and knows where each token stood in the original.

text -> filters -> filtered text -> tokenizer -> Doc of the filtered text, with its offset map

In a config, filters run in the order of the list; a block "@misc" names a filter and its settings:

    [nlp.tokenizer]
    @tokenizers = "spacy_sentid.FilteredTokenizer.v1"
    filters = [{"@misc":"spacy_sentid.strip_markup.v1"},{"@misc":"my_filter.v1","setting":1}]

    [nlp.tokenizer.tokenizer]
    @tokenizers = "spacy.Tokenizer.v1"

The inner block may be left out. A filter of one's own is registered as a function that makes it:
`@spacy.registry.misc("my_filter.v1")`. In Python:

>>> import spacy
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
from spacy.tokens import Doc, Span, Token
from spacy.util import registry

from .filters import Filter, chain
from .offset_map import OffsetMap

# Where a Doc keeps its map: `doc.user_data[OFFSETS]`, the pieces as lists (see `offset_map`).
OFFSETS = "spacy_sentid.offset_map"


def make_filtered_tokenizer(
    filters: list, tokenizer: Callable[[Language], Callable[[str], Doc]] | None = None
) -> Callable[[Language], "FilteredTokenizer"]:
    """Build a tokenizer that filters texts first.

    filters: Functions text -> Filtered, or blocks {"@misc": name, ...} that make them, in order.
    tokenizer: For the filtered text; without one, that of the language.

    Raises ValueError if one of `filters` is neither.
    """
    # spaCy does not check what a block in the place of the list makes.
    if not isinstance(filters, list):
        raise ValueError(
            f"Found {type(filters).__name__} as filters, expected a list. Put the block into "
            'brackets: filters = [{"@misc":"spacy_sentid.strip_markup.v1"}].'
        )
    functions: list[Filter] = [
        registry.resolve({"filter": item})["filter"] if isinstance(item, dict) else item
        for item in filters
    ]
    chain(functions)  # raises here, not when the pipeline is made

    def make(nlp: Language) -> FilteredTokenizer:
        block = {"tokenizer": nlp.default_config["nlp"]["tokenizer"]}
        make_inner = tokenizer or registry.resolve(block)["tokenizer"]
        return FilteredTokenizer(make_inner(nlp), functions)

    return make


class FilteredTokenizer:
    """Tokenize what the filters leave of a text; `source_span` tells where it stood.

    tokenizer: For the filtered text. What it can do besides is found here too (`explain`,
        `add_special_case`); settings are changed on it, `nlp.tokenizer.tokenizer`.
    """

    def __init__(self, tokenizer: Callable[[str], Doc], filters: Iterable[Filter]) -> None:
        self.tokenizer = tokenizer
        self.filter = chain(filters)

    def __call__(self, text: str) -> Doc:
        filtered = self.filter(text)
        doc = self.tokenizer(filtered.text)
        doc.user_data[OFFSETS] = filtered.offsets.to_json()
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


def source_span(found: Doc | Span | Token) -> tuple[int, int]:
    """Find the original characters of what a Doc of filtered text holds: half-open.

    RETURNS: Offsets in the text that the tokenizer was given; for a Doc, all of that text; for an
        empty span, an empty span (see `OffsetMap.map_span`). Cheap for each of many tokens.

    Raises ValueError if the Doc has no map, or one of another text: parts of a Doc and joined Docs
    have none.
    """
    doc = found if isinstance(found, Doc) else found.doc
    length = doc[-1].idx + len(doc[-1].text_with_ws) if len(doc) else 0
    # Not OffsetMap.from_json, which reads every piece.
    offsets = OffsetMap(doc.user_data.get(OFFSETS, ()))
    if not offsets.pieces or offsets.n_filtered != length:
        has = f"a map to {offsets.n_filtered}" if offsets.pieces else "no offset map"
        raise ValueError(
            f"Found a Doc of {length} characters with {has}, expected one of the tokenizer "
            "'spacy_sentid.FilteredTokenizer.v1' as it was made. Set that tokenizer in the config, "
            "and ask the Doc that the pipeline returned."
        )
    if isinstance(found, Doc):
        return 0, offsets.n_original
    if isinstance(found, Token):
        return offsets.map_span(found.idx, found.idx + len(found))
    return offsets.map_span(found.start_char, found.end_char)
