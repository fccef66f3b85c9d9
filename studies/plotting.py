"""Optional import of matplotlib, and settings that make its files reproducible."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

# A fixed salt and no date give the same bytes for the same figure. Text is not drawn as paths.
SVG_SETTINGS = {"svg.hashsalt": "spacy-sentid", "svg.fonttype": "none"}
SVG_METADATA = {"Date": None}


def import_matplotlib() -> Any:
    """Import matplotlib. Raise ValueError if it is not installed."""
    try:
        import matplotlib.figure
    except ImportError as error:
        raise ValueError(
            f"The figure needs matplotlib, which cannot be imported ({error}). Install it with "
            "pip install 'spacy-sentid[study]'."
        ) from error
    return matplotlib


@contextmanager
def use_own_settings(settings: Mapping[str, Any] = SVG_SETTINGS) -> Iterator[None]:
    """Draw with matplotlib's defaults and these settings, and ignore the user's matplotlibrc.

    Raises ValueError if matplotlib is not installed.
    """
    matplotlib = import_matplotlib()
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # except settings that do not change a figure, e.g. the backend
        matplotlib.rcParams.update(settings)
        yield
