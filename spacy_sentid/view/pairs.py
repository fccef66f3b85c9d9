"""A page of pairs of texts: two columns, with the words marked that the other does not support.

views -> articles of two texts -> page
"""

from collections.abc import Sequence
from math import ceil, exp, floor

from .controls import FIXED, NOTHING, IndexEntry, Slider, Toggle, write_controls, write_index
from .escaping import escape_text, isolate
from .page import make_page
from .reading import PairView, SideView
from .units import TokenProb, UnitView, format_score, render_text

SUPPORT = Toggle("probs-on", "Support of each word")
LEGEND = (("bos", "support of the word, 0 to 1"),)
SIDES = (("hyp", "Text"), ("ref", "Reference"))
SCORE_NAMES = {"p": "P", "r": "R", "f": "F"}


def make_pair_page(title: str, pairs: Sequence[PairView], *, lang: str = "", note: str = "") -> str:
    """Write the page of some pairs; see `documents.make_document_page`."""
    found = [pair.scores["f"] or 0.0 for pair in pairs]
    slider = Slider("F below", floor(min(found, default=0)), ceil(max(found, default=1)))
    parts = [
        write_controls(
            slider=slider,
            toggles=[SUPPORT, FIXED],
            jump="marked span",
            things="pairs",
            legend=LEGEND,
        ),
        '<p class="lead">Marked words have no support in the other text. P is the mean support of '
        "the words of the text, R that of the reference, F that of both: above 0, rather "
        f"supported. {escape_text(note)}</p>",
    ]
    articles = "".join(write_pair(pair, n, lang=lang) for n, pair in enumerate(pairs, start=1))
    if len(pairs) > 1:
        entries = [
            IndexEntry(f"p{n}", pair.name, _tell_score(pair, "f"))
            for n, pair in enumerate(pairs, start=1)
        ]
        index = write_index(entries, title=f"{len(pairs):,} pairs · F")
        articles = f'<div class="beside">{index}<div class="docs">{articles}</div></div>'
    parts.append(articles if pairs else NOTHING)
    return make_page(title, f'<div class="pairs" id="pairs">{"".join(parts)}</div>')


def write_pair(pair: PairView, number: int, *, lang: str = "") -> str:
    """Write one pair."""
    scores = "".join(
        f"<div><dt>{label}</dt><dd>{_tell_score(pair, key)}</dd></div>"
        for key, label in SCORE_NAMES.items()
    )
    score = pair.scores["f"]
    parts = [
        f'<article class="doc pair" id="p{number}" aria-labelledby="p{number}-name"',
        "" if score is None else f' data-s="{format_score(score)}"',
        f'><header><h2 id="p{number}-name">{isolate(pair.name)}</h2><dl>{scores}</dl></header>',
        '<div class="columns">',
    ]
    for key, label in SIDES:
        side: SideView = getattr(pair, key)
        parts.append(f"<section><h3>{label}</h3>{write_side(side, lang=lang)}</section>")
    return "".join([*parts, "</div></article>"])


def write_side(side: SideView, *, lang: str = "") -> str:
    """Write one text of a pair: its unsupported spans, and what lies between them, as units."""
    units = []
    position = 0
    for start, end, score in sorted(side.spans):
        units += _between(side, position, start)
        units.append(UnitView(start, end, "unsupported", score, "unsupported"))
        position = end
    units += _between(side, position, len(side.text))
    probs = [TokenProb(start, end, _prob(logit), 0.0) for start, end, logit in side.words]
    return render_text(side.text, units, probs=probs, lang=lang)


def _between(side: SideView, start: int, end: int) -> list[UnitView]:
    piece = side.text[start:end]
    if not piece.strip():
        return []
    start += len(piece) - len(piece.lstrip())
    end -= len(piece) - len(piece.rstrip())
    return [UnitView(start, end, "supported", None, "supported")]


def _prob(logit: float) -> float:
    return 1 / (1 + exp(-max(-60.0, min(60.0, logit))))


def _tell_score(pair: PairView, key: str) -> str:
    score = pair.scores[key]
    return "–" if score is None else f"{score:.2f}"
