"""What stands above the texts of a page: search, filters, counts; and the list of documents.

`page.js` finds the controls by their ids; without scripts they are not to be seen.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from .escaping import escape_text, isolate


class Slider(NamedTuple):
    """The filter by score."""

    label: str  # such as "Score below"
    low: float = 0.0
    high: float = 1.0


class Toggle(NamedTuple):
    """A switch; while it is on, the page's main part has its name as a class."""

    name: str
    label: str
    on: bool = False


class IndexEntry(NamedTuple):
    """One line of the list of documents."""

    target: str  # id of the element
    name: str
    note: str  # such as "12"


PROBS = Toggle("probs-on", "Probabilities")
FIXED = Toggle("fixed-on", "Fixed width")
HIDE_NSU = Toggle("nsu-off", "Hide NSUs")
Legend: TypeAlias = Sequence[tuple[str, str]]  # class, what it stands for
PROB_LEGEND: Legend = (("bos", "P(BOS), at the left of a token"), ("eos", "P(EOS), at its right"))
NOTHING = "<p>There is nothing to show.</p>"
LOW_CHOICES = (("mark", "mark them"), ("hide", "hide them"), ("only", "show only them"))


def write_controls(
    *,
    slider: Slider | None,
    toggles: Sequence[Toggle],
    jump: str = "",
    things: str = "units",
    legend: Legend = PROB_LEGEND,
) -> str:
    """Write the controls.

    jump: Name of what buttons go to, one after the other, such as "error"; "" = no buttons.
    things: What the slider filters, as the counts call it.
    legend: What the bars below tokens are.
    """
    parts = [
        f'<form class="tools" id="tools" aria-label="Search and filter" data-things="{things}" '
        "hidden>",
        '<div class="tool search"><label for="query">Search</label>'
        '<input type="search" id="query" placeholder="Search" autocomplete="off" '
        'spellcheck="false">'
        '<button type="button" id="back" aria-label="Previous match">↑</button>'
        '<button type="button" id="next" aria-label="Next match">↓</button>'
        '<output id="matches" for="query"></output></div>',
    ]
    if slider is not None:
        parts.append(
            f'<div class="tool"><label for="score">{escape_text(slider.label)}</label>'
            f'<input type="range" id="score" min="{slider.low:g}" max="{slider.high:g}" '
            f'step="0.01" value="{slider.low:g}"><output id="limit" for="score"></output>'
            '<select id="low" aria-label="What happens to them">'
        )
        parts += [f'<option value="{value}">{label}</option>' for value, label in LOW_CHOICES]
        parts.append("</select></div>")
    parts.append('<div class="tool toggles">')
    for toggle in toggles:
        checked = " checked" if toggle.on else ""
        parts.append(
            f'<label class="toggle"><input type="checkbox" data-class="{toggle.name}"{checked}> '
            f"{escape_text(toggle.label)}</label>"
        )
    parts.append("</div>")
    if jump:
        parts.append(
            f'<div class="tool"><button type="button" id="mark-back">Previous {jump}</button>'
            f'<button type="button" id="mark-next">Next {jump}</button></div>'
        )
    parts.append('<p class="counts" id="counts" role="status"></p>')
    keys = "".join(f'<span><i class="{kind}"></i> {told}</span>' for kind, told in legend)
    parts.append(f'<p class="legend">{keys}</p></form>')
    return "".join(parts)


def write_index(entries: Sequence[IndexEntry], *, title: str) -> str:
    """Write a list of links; it can be folded."""
    items = [
        f'<li><a href="#{entry.target}">{isolate(entry.name)}'
        f'<span class="note">{escape_text(entry.note)}</span></a></li>'
        for entry in entries
    ]
    return (
        f'<nav class="index" aria-label="{escape_text(title)}"><details open>'
        f"<summary>{escape_text(title)}</summary><ol>{''.join(items)}</ol></details></nav>"
    )


def write_table(
    heading: Sequence[str], rows: Sequence[Sequence[str]], *, caption: str, n_left: int = 1
) -> str:
    """Write a table; the cells are HTML, the first of each row its heading."""
    kind = [' class="left"' if n < n_left else "" for n in range(len(heading))]
    head = "".join(
        f'<th scope="col"{css}>{cell}</th>' for cell, css in zip(heading, kind, strict=True)
    )
    lines = [
        '<div class="wide" tabindex="0" role="region" '
        f'aria-label="{escape_text(caption)}"><table><caption>{escape_text(caption)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>"
    ]
    for name, *cells in rows:
        data = "".join(f"<td{css}>{cell}</td>" for cell, css in zip(cells, kind[1:], strict=True))
        lines.append(f'<tr><th scope="row">{name}</th>{data}</tr>')
    return "".join([*lines, "</tbody></table></div>"])
