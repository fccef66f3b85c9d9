"""Colours for spaCy's own viewer, displaCy: it finds them by the entry point, no options needed.

displacy.render(doc, style="span", options={"spans_key": "nsu"})
"""

from ..paraphrase_tagger.corpus import LABEL as UNPARAPHRASED
from ..units import NSU, SU

# displaCy writes labels in black on them, and draws lines of them on white or on a dark notebook:
# the colour-blind can distinguish all of them too.
COLORS = {SU: "#4f93d8", NSU: "#cf7a14", UNPARAPHRASED: "#e2605f"}


def make_label_colors() -> dict[str, str]:
    """Give the colour of each label that our components write.

    >>> sorted(make_label_colors())
    ['NSU', 'SU', 'UNPARAPHRASED']
    """
    return dict(COLORS)
