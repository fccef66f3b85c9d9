"""Find the sentences in real text, and what is not a sentence, with spaCy.

load(lang)                     the default pipeline
iter_units(doc)                the units of a Doc in text order, with kinds and scores
chunk(doc, max_tokens)         whole sentences under their headings, for retrieval
to_dataframe(docs)             a table of the units, for pandas
show(docs)                     texts with their units marked, in a notebook
strip_nsu(doc)                 a Doc with only the SUs
original_offset(doc, char)     from a stripped Doc back to the original text
make_pair(nlp, text1, text2)   a Doc of two texts, for the paraphrase tagger
original_span(span)            from a pair back to the original texts
score_pairs(hyps, refs)        scores of texts against references
segment(text, lang)            sentences of a text by rules, without spaCy

Names are imported when they are first used, so importing the package is fast.
"""

from typing import TYPE_CHECKING, Any

from .about import __version__

if TYPE_CHECKING:
    from .components.pipelines import load
    from .paraphrase_tagger.nlg.evaluator import score_pairs
    from .paraphrase_tagger.pairs import make_pair, original_span
    from .rule_sentencizer.segment import segment
    from .sentence_identifier.access.stripped_doc import strip_nsu
    from .sentence_identifier.access.units import iter_units, to_dataframe
    from .sentence_identifier.chunking.chunks import chunk
    from .text.offsets import original_offset
    from .view.pages.show import show

__all__ = [
    "__version__",
    "chunk",
    "iter_units",
    "load",
    "make_pair",
    "original_offset",
    "original_span",
    "score_pairs",
    "segment",
    "show",
    "strip_nsu",
    "to_dataframe",
]

_HOMES = {
    "chunk": "sentence_identifier.chunking.chunks",
    "iter_units": "sentence_identifier.access.units",
    "load": "components.pipelines",
    "make_pair": "paraphrase_tagger.pairs",
    "original_offset": "text.offsets",
    "original_span": "paraphrase_tagger.pairs",
    "score_pairs": "paraphrase_tagger.nlg.evaluator",
    "segment": "rule_sentencizer.segment",
    "show": "view.pages.show",
    "strip_nsu": "sentence_identifier.access.stripped_doc",
    "to_dataframe": "sentence_identifier.access.units",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f".{_HOMES[name]}", __name__), name)


def __dir__() -> list[str]:
    return __all__
