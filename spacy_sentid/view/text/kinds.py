"""The kinds of NSU in plain words, and the score of an unsure unit, for all views."""

from ...text.kinds import KINDS

# A unit with a lower score is shown as unsure.
UNSURE = 0.5


def format_short_score(score: float) -> str:
    """Format a score with two digits. A score below UNSURE is not rounded up to it.

    >>> format_short_score(0.4972), format_short_score(0.5), format_short_score(0.996)
    ('0.49', '0.50', '1.00')
    """
    return f"{min(score, UNSURE - 0.01) if score < UNSURE else score:.2f}"


def name_kind(label: str) -> str:
    """Name a kind in plain words; other labels are returned unchanged.

    >>> name_kind("LIST_ITEM"), name_kind("NSU")
    ('list item', 'NSU')
    """
    return KINDS[label].name if label in KINDS else label
