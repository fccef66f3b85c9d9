"""matplotlib, where a figure is drawn: it is optional, and files are to be the same every time."""

from typing import Any

# The same bytes for the same figure; text stays text. Metadata without the date.
SVG_SETTINGS = {"svg.hashsalt": "spacy-sentid", "svg.fonttype": "none"}
SVG_METADATA = {"Date": None}


def import_matplotlib() -> Any:
    """Import matplotlib; ValueError without it."""
    try:
        import matplotlib.figure
    except ImportError as error:
        raise ValueError(
            f"matplotlib cannot be imported ({error}), expected it for the figure. Install it: "
            "pip install 'spacy-sentid[study]'."
        ) from error
    return matplotlib
