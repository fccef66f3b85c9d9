"""Render a page of tagged pairs, with the words highlighted by a pipeline and by gold.

files of pairs -> TaggedPair -> pipeline -> words right, wrong and missed -> tagged_pairs.html
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from ...arrays import sigmoid
from ...batch.input.listing import JSONL
from ...batch.input.sources import Source
from ...files.records import BadLine, Line, parse_lines, parse_record, read_lines
from ...paraphrase_tagger.corpus import (
    SUPPORT,
    TaggedPair,
    find_key,
    pair_from_doc,
    parse_pair,
)
from ...paraphrase_tagger.pairs import get_pair, make_pair
from ...paraphrase_tagger.scorer import score_tags
from ..text.page import format_count, make_page
from ..text.units import TokenProb, UnitView, render_text
from .documents import FIXED, sort_by_score
from .documents import SUPPORT as SUPPORT_SWITCH

if TYPE_CHECKING:
    from spacy.language import Language

SUPPORTED, RIGHT, WRONG, MISSED = "supported", "right", "wrong", "missed"
# Kind -> (class in the style sheet, label in the details of a span).
KINDS = {
    SUPPORTED: ("supported", "supported"),
    RIGHT: ("unsupported", "unsupported"),
    WRONG: ("unsupported only-pred", "unsupported, gold: supported"),
    MISSED: ("unsupported only-gold", "supported, gold: unsupported"),
}
# The kind of a word by its tags in gold and in the prediction.
KIND_OF = {(0, 0): SUPPORTED, (0, 1): WRONG, (1, 0): MISSED, (1, 1): RIGHT}
COUNTED = (RIGHT, WRONG, MISSED)
SHOWN_SCORES = (
    ("Words, accuracy", "paraphrase_acc"),
    ("Unsupported words, F1", "unparaphrased_f"),
    ("Unsupported spans, F1", "spans_unparaphrased_f"),
)
F1 = "unparaphrased_f"
F1_LIMIT = 50  # pairs with a lower F1, in percent, are marked


class TaggedView(NamedTuple):
    """A pair with the words that a pipeline highlights, and those of gold."""

    name: str
    texts: list[str]
    words: list[list[TokenProb]]  # with the support of each word (equation 4)
    kinds: list[list[str]]  # of each word, see KINDS; without gold, a marked word counts as right
    golds: list[list[int]] | None  # tags of both texts; None = the pair has none
    preds: list[list[int]]

    @property
    def f1(self) -> float | None:
        """Score of the marks against gold, in [0, 1]; None = the pair has no gold."""
        return None if self.golds is None else score_tags(self.golds, self.preds)[F1]

    def count(self, kind: str) -> int:
        """Count the words of a kind."""
        return sum(side.count(kind) for side in self.kinds)


def find_tagged(sources: Sequence[Source]) -> list[Path]:
    """Find the files of tagged pairs among the sources; [] if no source is one.

    Raises ValueError if only some of the sources are files of tagged pairs.
    """
    tagged = [source.path for source in sources if _has_tagged_pairs(source)]
    others = [source.path for source in sources if source.path not in tagged]
    if tagged and others:
        raise ValueError(
            "INPUT must be files of pairs that all have 'sent1' and 'sent2', or all have 'hyp' and "
            f"'ref', got {tagged[0]} and {others[0]}. Show them on two pages."
        )
    return list(map(Path, tagged))


def _has_tagged_pairs(source: Source) -> bool:
    """Check if the first record of a file is a tagged pair."""
    path = Path(source.path)
    if source.format != JSONL or source.compression or not path.is_file():
        return False
    found = parse_lines(read_lines(path), parse_record)
    return "sent1" in next((one for one in found if not isinstance(one, BadLine)), {})


def read_tagged(paths: Sequence[Path]) -> Iterator[TaggedPair | BadLine]:
    """Read tagged pairs; invalid lines are yielded as BadLine."""
    for path in paths:
        yield from parse_lines(read_lines(path), _parse_line)


def _parse_line(line: Line) -> TaggedPair:
    return parse_pair(line.text, line.place, allow_identical=True)


def view_tagged(
    pairs: Sequence[TaggedPair], nlp: "Language", *, on_bad: Callable[[BadLine], object]
) -> Iterator[TaggedView]:
    """Yield pairs with the words that a pipeline with a paraphrase tagger highlights.

    on_bad: Called with each pair that the pipeline fails on.
    """
    key = find_key(nlp)
    for pair in pairs:
        try:
            doc = nlp(make_pair(nlp, pair.words1, pair.words2, pair_id=pair.id))
        except ValueError as error:
            on_bad(BadLine(pair.id, str(error)))
            continue
        found = pair_from_doc(doc, key=key)
        preds = [found.tags1 or [], found.tags2 or []]
        golds = None if pair.tags1 is None else [pair.tags1, pair.tags2 or []]
        support: Any = sigmoid(doc.spans[key].attrs[SUPPORT])
        kinds = [
            [
                (SUPPORTED, WRONG, MISSED, RIGHT)[2 * tag + guess]
                for tag, guess in zip(*tags, strict=True)
            ]
            for tags in zip(golds or preds, preds, strict=True)
        ]
        texts = get_pair(doc)
        words = [
            [
                TokenProb(token.idx - start, token.idx - start + len(token), support[token.i], 0.0)
                for token in text
            ]
            for text in texts
            for start in [text.start_char]
        ]
        yield TaggedView(pair.id, [text.text for text in texts], words, kinds, golds, preds)


def make_tagged_page(
    title: str, views: Sequence[TaggedView], *, lang: str = "", note: str = ""
) -> str:
    """Render the page of some tagged pairs, the one with the lowest F1 first.

    See `pages.make_document_page`.
    """
    views = sort_by_score(views, lambda view: view.f1)
    known = [view for view in views if view.golds is not None]
    golds = [side for view in known for side in view.golds or []]
    scores = score_tags(golds, [side for view in known for side in view.preds])
    rows = [_make_row(n, view, lang) for n, view in enumerate(views, start=1)]
    return make_page(
        title,
        template="tagged_pairs.html",
        pairs=rows,
        index_title=f"{format_count(len(views), 'pair')} · F1",
        note=note,
        limit=F1_LIMIT,
        scores=[(name, scores[key]) for name, key in SHOWN_SCORES] if golds else [],
        counts={kind: sum(view.count(kind) for view in known) for kind in COUNTED},
        toggles=[SUPPORT_SWITCH, FIXED],
    )


def _make_row(number: int, view: TaggedView, lang: str) -> dict[str, Any]:
    f1 = view.f1
    first, second = (
        render_tagged(*side, lang=lang)
        for side in zip(view.texts, view.words, view.kinds, strict=True)
    )
    return {
        "id": f"p{number}",
        "name": view.name,
        "score": None if f1 is None else 100 * f1,
        "note": "–" if f1 is None else f"{100 * f1:.0f} %",
        "counts": {} if f1 is None else {kind: view.count(kind) for kind in COUNTED},
        "hyp": first,
        "ref": second,
    }


def render_tagged(
    text: str, words: Sequence[TokenProb], kinds: Sequence[str], *, lang: str = ""
) -> Markup:
    """Render one text of a pair; consecutive words of the same kind form one span."""
    units = []
    for kind, group in groupby(zip(words, kinds, strict=True), key=lambda row: row[1]):
        run = [word for word, _ in group]
        mean = 1 - sum(word.bos_prob for word in run) / len(run)
        css, label = KINDS[kind]
        score = None if kind == SUPPORTED else mean
        units.append(UnitView(run[0].start_char, run[-1].end_char, label, score, css))
    return render_text(text, units, probs=words, lang=lang)
