"""Which result a JSON is: by what it holds, not by what it is called.

sources -> sources by kind -> sections
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from studies.report import identifier, other, pairs, parsing, sentences, words
from studies.report.drawing import has_marks
from studies.report.parts import Part, Section, Source, Table


class Kind(NamedTuple):
    """A kind of result."""

    title: str
    about: str  # what was measured
    made_by: str  # a command, or a script
    fits: Callable[[Any], bool]
    lay_out: Callable[[Sequence[Source]], list[Part]]


# In the order of the page.
KINDS = (
    Kind(
        "Evaluation of units",
        "Units found in texts that are assembled from a treebank.",
        "spacy-sentid evaluate units",
        identifier.is_evaluation,
        identifier.lay_out_evaluations,
    ),
    Kind(
        "Units of other systems",
        "Predictions of any system on assembled texts.",
        "spacy-sentid evaluate units --predictions",
        identifier.is_scored_units,
        identifier.lay_out_scored_units,
    ),
    Kind(
        "Study of the sentence identifier",
        "The paper's systems and ours, each trained with several seeds.",
        "python -m studies identifier",
        identifier.is_study,
        identifier.lay_out_studies,
    ),
    Kind(
        "Paraphrase tagger",
        "Words of a sentence that another does not support.",
        "spacy-sentid evaluate pairs",
        pairs.is_pairs,
        pairs.lay_out_pairs,
    ),
    Kind(
        "Scores of texts against people",
        "How well metrics agree with people.",
        "python -m studies text-scores",
        pairs.is_nlg_meta,
        pairs.lay_out_nlg_meta,
    ),
    Kind(
        "Treebanks",
        "What units treebanks have.",
        "spacy-sentid treebank profile",
        parsing.is_profile,
        parsing.lay_out_profiles,
    ),
    Kind(
        "Parser study",
        "Parsers trained on augmented treebanks.",
        "python -m studies parser",
        parsing.is_parser_study,
        parsing.lay_out_parser_studies,
    ),
    Kind(
        "Downstream study",
        "Raw documents parsed whole, and after their sentences were found.",
        "python -m studies downstream",
        parsing.is_downstream,
        parsing.lay_out_downstream,
    ),
    Kind(
        "Parsers on noun phrases",
        "Whether noun phrases are taken for what they are.",
        "spacy-sentid evaluate parser",
        parsing.is_robustness,
        parsing.lay_out_robustness,
    ),
    Kind(
        "Sentiment by trees",
        "Polarities found by the trees of a parser.",
        "python -m studies sentiment",
        parsing.is_sentiment,
        parsing.lay_out_sentiment,
    ),
    Kind(
        "Words",
        "Words found in Chinese text.",
        "spacy-sentid evaluate words",
        words.is_words,
        words.lay_out_words,
    ),
    Kind(
        "Words, beside others",
        "Words found in Chinese text.",
        "benchmarks/words.py",
        words.is_word_benchmark,
        words.lay_out_word_benchmarks,
    ),
    Kind(
        "Speed of word segmenters",
        "Characters a second.",
        "benchmarks/words_speed.py",
        words.is_word_speed,
        words.lay_out_word_speed,
    ),
    Kind(
        "Pause study",
        "Pauses in speech as word boundaries.",
        "python -m studies pauses",
        words.is_pause_study,
        words.lay_out_pause_studies,
    ),
    Kind(
        "Pauses",
        "Pauses by boundary probability and length.",
        "spacy-sentid speech statistics",
        words.is_pause_statistics,
        words.lay_out_pause_statistics,
    ),
    Kind(
        "Ladder of rules",
        "The 1994 ways to find abbreviations.",
        "python -m studies strategies",
        sentences.is_ladder,
        sentences.lay_out_ladders,
    ),
    Kind(
        "Abbreviations",
        "What raw text shows by itself.",
        "spacy-sentid train abbreviations",
        sentences.is_abbreviations,
        sentences.lay_out_abbreviations,
    ),
    Kind(
        "Sentence splitters",
        "Boundaries and speed.",
        "benchmarks/sentence_peers.py",
        sentences.is_peers,
        sentences.lay_out_peers,
    ),
)
OTHERS = Kind(
    "Other results",
    "JSON that the report does not know, as it is.",
    "",
    lambda data: True,
    other.lay_out_others,
)
MAX_NESTING = 2


def find_kind(data: Any) -> Kind | None:
    """Find the kind of a JSON; None for one that is not known.

    >>> find_kind({"inputs": "a.jsonl", "predictions": "b.jsonl", "scores": {}}).title
    'Units of other systems'
    >>> find_kind({"f": 0.5}) is None
    True
    """
    return next((kind for kind in KINDS if kind.fits(data)), None)


def make_sections(sources: Sequence[Source]) -> list[Section]:
    """Sort sources by their kind, and lay each kind out; unknown ones come last.

    A JSON of a known kind that cannot be laid out, perhaps of another version, or that has nothing
    to show, is shown as an unknown one is.
    """
    by_kind: dict[str, list[Source]] = {}
    for source in sources:
        for part in _open(source):
            kind = find_kind(part.data) or OTHERS
            by_kind.setdefault(kind.title, []).append(part)
    unknown = by_kind.pop(OTHERS.title, [])
    sections = []
    for kind in KINDS:
        good: list[Source] = []
        for source in by_kind.get(kind.title, []):
            fits = _has_parts(kind, [source]) and _has_parts(kind, [*good, source])
            (good if fits else unknown).append(source)
        if good:
            sections.append(_make_section(kind, good))
    return [*sections, *([_make_section(OTHERS, unknown)] if unknown else [])]


def _make_section(kind: Kind, sources: Sequence[Source]) -> Section:
    """Lay out sources of one kind."""
    names = [source.file or source.name for source in sources]
    about = f"{kind.about} Made by {kind.made_by}." if kind.made_by else kind.about
    return Section(kind.title, about, names, _list_parts(kind, sources))


def _list_parts(kind: Kind, sources: Sequence[Source]) -> list[Part]:
    """List the tables with rows and the charts with marks."""
    return [
        part
        for part in kind.lay_out(sources)
        if (len(part.rows) > 1 if isinstance(part, Table) else has_marks(part))
    ]


def _has_parts(kind: Kind, sources: Sequence[Source]) -> bool:
    """Try it: files may be of another version, or edited."""
    try:
        return bool(_list_parts(kind, sources))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return False


def _open(source: Source, depth: int = 0) -> list[Source]:
    """List the results in a JSON: itself, or the known ones in it, and what is left as one."""
    data = source.data
    if not isinstance(data, Mapping | list) or find_kind(data) is not None or depth == MAX_NESTING:
        return [source]
    items = dict(enumerate(data, start=1)) if isinstance(data, list) else data
    file = source.file or source.name
    known: list[Source] = []
    left = {}
    for name, value in items.items():
        opened = _open(Source(f"{source.name}, {name}", value, file), depth + 1)
        if any(find_kind(part.data) is not None for part in opened):
            known += opened
        else:
            left[name] = value
    if not known:
        return [source]
    return [*known, Source(source.name, left, file)] if left else known
