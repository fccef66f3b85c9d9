"""The tables and charts of the parser study, like the paper's Tables 4 to 7."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies.parser.splits import BASELINE, Cell
from studies.results import Column, Line, Results, Row, Table

ABOUT = [
    "Percent; mean±sd over the seeds, each with its own draw of the augmentation and its own "
    "training. For noun phrases: mean over the seeds, and its 95 % interval (Wilson) for the "
    "number of phrases.",
    "P: share of end punctuation that is removed from train and dev. N: number of noun phrases per "
    "unit that are added to them. The test split is unchanged. **+** better, **-** worse than the "
    "baseline 0/0 by more than its standard deviation, as in the paper. NPUs: the units of the "
    "test split that are noun phrases without final punctuation. NPs of the test: noun phrases "
    "drawn from its trees. LAS: as in CoNLL 2018, with gold words.",
]
# Name of a list of noun phrases -> its title, see `runs.measure_parser`.
LISTS = {"units": "test NPUs", "extracted": "NPs of the test"}
LANGUAGES = {"en": "English", "fr": "French", "de": "German", "es": "Spanish"}
NOUNS = "noun_rate"  # roots that are NOUN or PROPN


def list_columns(lists: Mapping[str, str]) -> list[Column]:
    """List the columns of a table.

    lists: Titles of the lists of noun phrases, by name.
    """
    columns = []
    for name, title in lists.items():
        place = {"phrases": name}
        columns += [
            Column(
                title=f"{title}: wrong punct ↓",
                metric="wrong_punct_rate",
                setting=place,
                higher_is_better=False,
                trials="n_phrases",
            ),
            *(
                Column(title=f"{title}: {tags}", metric=metric, setting=place, trials="n_phrases")
                for tags, metric in (("NOUN", "np_detection"), ("NOUN or PROPN", NOUNS))
            ),
        ]
    return [
        *columns,
        Column(title="UD: LAS", metric="las_conll", digits=2),
        Column(title="UD: UPOS", metric="pos_acc"),
        Column(title="sentiment: recall", metric="sentiment_recall"),
        Column(title="sentiment: precision", metric="sentiment_precision"),
    ]


# Title of a panel -> metric and list of noun phrases. The units that are noun phrases are too few
# in most languages, so they are only in the tables.
DRAWN = {
    "Noun phrases whose end is tagged as punctuation (less is better)": (
        "wrong_punct_rate", "extracted",
    ),
    "Noun phrases whose root is a noun or a name": (NOUNS, "extracted"),
    "Words with the right head and relation (LAS)": ("las_conll", None),
}  # fmt: skip


def make_results(settings: Mapping[str, Any], grid: Sequence[Cell], rows: Sequence[Row]) -> Results:
    """Make the results, with a chart and a table for each language.

    settings: See `harness.Plan.to_dict`.
    """
    results = Results(
        study="parser",
        title="Parser study",
        about=ABOUT,
        command="python -m studies parser",
        version=settings["version"],
        settings={**settings, "grid": [cell.name for cell in grid]},
        rows=[*rows, *_add_nouns(rows)],
    )
    langs = list(dict.fromkeys(str(row.setting["lang"]) for row in rows))
    found = dict.fromkeys(str(row.setting["phrases"]) for row in rows if "phrases" in row.setting)
    lists = {**LISTS, **{name: name for name in found if name not in LISTS}}
    tables = [_make_chart(results, lang, grid) for lang in langs]
    for lang in langs:
        table = _make_table(lang, grid, list_columns(lists))
        tables.append(table.model_copy(update={"notes": [describe_test(results, lang, lists)]}))
    return results.model_copy(update={"tables": tables})


def _add_nouns(rows: Sequence[Row]) -> list[Row]:
    """Add the share of phrases whose root is a NOUN or a PROPN."""
    proper = {_place(row): row.value for row in rows if row.metric == "propn_rate"}
    return [
        row._replace(metric=NOUNS, value=row.value + proper[_place(row)])
        for row in rows
        if row.metric == "np_detection"
    ]


def _place(row: Row) -> tuple[Any, ...]:
    return row.system, row.seed, *row.setting.values()


def _make_chart(results: Results, lang: str, grid: Sequence[Cell]) -> Table:
    n = next(iter(results.values(BASELINE.name, "n_phrases", _extracted(lang))), 0)
    return Table(
        title=f"What does a changed treebank do to a parser? {LANGUAGES.get(lang, lang)}",
        about=(
            f"{n:,} noun phrases of the test split. Bars: 95 % interval for so many phrases, and "
            "one standard deviation for LAS."
        ),
        heads=["training treebank"],
        lines=[
            Line(
                labels=[describe_cell(cell)],
                system=cell.name,
                setting={"lang": lang},
            )
            for cell in grid
        ],
        columns=[_draw_column(title, *place) for title, place in DRAWN.items()],
        baseline=list(grid).index(BASELINE),
        show="dots",
    )


def _extracted(lang: str) -> dict[str, str]:
    return {"lang": lang, "phrases": "extracted"}


def _draw_column(title: str, metric: str, phrases: str | None) -> Column:
    setting = {"phrases": phrases} if phrases else {}
    found = next(c for c in list_columns(LISTS) if (c.metric, dict(c.setting)) == (metric, setting))
    return found.model_copy(update={"title": title})


def describe_cell(cell: Cell) -> str:
    """Describe how a treebank was changed.

    >>> describe_cell(Cell(0.2, 0.0)), describe_cell(Cell(0.2, 0.1))
    ('20 % of end marks removed', '20 % of end marks removed, 10 % phrases added')
    """
    removed = f"{100 * cell.remove_punct:g} % of end marks removed" if cell.remove_punct else ""
    added = f"{100 * cell.add_np:g} % phrases added" if cell.add_np else ""
    return ", ".join(filter(None, (removed, added))) or "unchanged treebank"


def _make_table(lang: str, grid: Sequence[Cell], columns: list[Column]) -> Table:
    return Table(
        title=lang,
        heads=["P", "N"],
        lines=[
            Line(
                labels=[f"{100 * share:g}" for share in cell],
                system=cell.name,
                setting={"lang": lang},
            )
            for cell in grid
        ],
        columns=columns,
        baseline=list(grid).index(BASELINE),
    )


def describe_test(results: Results, lang: str, lists: Mapping[str, str]) -> str:
    """Describe the amount of evaluation data of a language.

    lists: See `list_columns`.
    """

    def count(metric: str, **setting: str) -> float | None:
        values = results.values(BASELINE.name, metric, {"lang": lang, **setting})
        return next(iter(values), None)

    counts = {title: count("n_phrases", phrases=name) for name, title in lists.items()}
    numbers = ", ".join(f"{title} {n:,}" for title, n in counts.items() if n is not None)
    reviews = count("sentiment_units")
    more = "" if reviews is None else f", {reviews:,} reviews"
    return f"{count('n_units') or 0:,} test units{more}; {numbers}."
