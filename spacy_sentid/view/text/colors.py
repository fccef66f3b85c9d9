"""Colours of our labels for displaCy, spaCy's viewer, which finds them by an entry point.

displacy.render(doc, style="span", options={"spans_key": "nsu"})
"""

from ...paraphrase_tagger.corpus import LABEL as UNPARAPHRASED
from ...text.units import NSU, SU

# displaCy writes black labels on these colours, and draws lines with them on white or on the dark
# background of a notebook. Colour-blind readers can distinguish them, too.
COLORS = {
    SU: "#4f93d8",
    NSU: "#cf7a14",
    "HEADING": "#b07fe0",
    "LIST_ITEM": "#2ba08a",
    "METADATA": "#8a93a3",
    "SALUTATION": "#de6fa5",
    "REFERENCE": "#2f93bb",
    "CODE": "#7c9426",
    "FRAGMENT": "#b78a55",
    UNPARAPHRASED: "#e2605f",
}


def make_label_colors() -> dict[str, str]:
    """Return the colour of each label that our components write.

    >>> sorted(make_label_colors())[:4]
    ['CODE', 'FRAGMENT', 'HEADING', 'LIST_ITEM']
    """
    return dict(COLORS)
