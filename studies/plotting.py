"""matplotlib, where a figure is drawn: it is optional, and files are to be the same every time."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
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


@contextmanager
def use_own_settings(settings: Mapping[str, Any] = SVG_SETTINGS) -> Iterator[None]:
    """Draw with matplotlib's defaults and these settings, whatever the reader's matplotlibrc has.

    Raises ValueError without matplotlib.
    """
    matplotlib = import_matplotlib()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # all but what no figure shows, such as the backend
        matplotlib.rcParams.update(settings)
        yield
