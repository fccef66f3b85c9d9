"""`spacy-sentid view`: a page of texts with their units, of pairs, of gold against prediction."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from .options import (
    AllSu,
    IdKey,
    InputFormat,
    Lines,
    NewlineSetting,
    SuRelations,
    TextKey,
    Threshold,
    parse_su_relations,
)

if TYPE_CHECKING:
    from ..batch.reading import ReadSettings
    from ..batch.work import WorkSettings
    from ..files.records import BadLine


def view(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[INPUT...]",
            help="Files, folders and globs of .txt, .jsonl, .csv (all also .gz, .zst) and "
            ".parquet; - is standard input.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="PAGE.html", dir_okay=False, help="Write the page here."
        ),
    ] = Path("page.html"),
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs", help="The inputs are pairs {'id', 'hyp', 'ref'}; 'ref' may be a list."
        ),
    ] = False,
    gold: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            exists=True,
            dir_okay=False,
            help="Instead of inputs: gold documents, .conllu or .spacy, against the prediction.",
        ),
    ] = None,
    model: Annotated[
        str, typer.Option(help="Folder or package of a pipeline, or a language.")
    ] = "en",
    title: Annotated[str | None, typer.Option(help="Of the page.")] = None,
    limit: Annotated[
        int, typer.Option(min=1, help="Most documents or pairs on the page; the first are taken.")
    ] = 1000,
    probs: Annotated[
        bool, typer.Option(help="Put P(BOS) and P(EOS) of all tokens into the page.")
    ] = True,
    format_: InputFormat = None,
    lines: Lines = False,
    text_key: TextKey = "text",
    id_key: IdKey = "id",
    newline: NewlineSetting = None,
    threshold: Threshold = None,
    all_su: AllSu = False,
    su_relations: SuRelations = None,
) -> None:
    """Write a page that shows texts with their SUs and NSUs; one file, which loads nothing.

    With --pairs, two columns with the words that the other text does not support. With --gold,
    the errors by kind, and links to the worst documents.

    Example: spacy-sentid view mail/*.txt -o mail.html
    """
    from ..batch.reading import ReadSettings
    from ..batch.work import WorkSettings

    _check_inputs(inputs or [], pairs=pairs, gold=gold)
    rule = {"--all-su": all_su, "--su-relations": su_relations is not None}
    reading = {"--format": format_, "--lines": lines}
    reading |= {"--text-key": text_key != "text", "--id-key": id_key != "id"}
    _refuse_options(reading if gold else rule, "with --gold" if gold else "without --gold")
    _refuse_options({"--no-probs": pairs and not probs}, "with --pairs")
    settings = WorkSettings(
        task="scores" if pairs else "units",
        model=model,
        newline=newline.value if newline else None,
        threshold=threshold,
    )
    wanted = Wanted(output, title, limit, probs)
    if gold is not None:
        relations = parse_su_relations(su_relations)
        _write_gold(gold, settings, wanted, all_su=all_su, su_relations=relations)
        return
    keys = ReadSettings(text_key=text_key, id_key=id_key, pairs=pairs)
    sources = {"format": format_.value if format_ else None, "lines": lines}
    _write_inputs(inputs or [], settings, wanted, keys=keys, sources=sources)


class Wanted(NamedTuple):
    """What page is to be written."""

    output: Path
    title: str | None
    limit: int
    probs: bool


def _check_inputs(inputs: list[str], *, pairs: bool, gold: Path | None) -> None:
    if bool(inputs) == (gold is not None) or (pairs and gold is not None):
        found = "both" if inputs else "--pairs and --gold" if pairs and gold else "neither"
        raise ValueError(
            f"Found {found}, expected either files to view or gold documents. Name INPUT..., with "
            "--pairs for pairs, or give --gold FILE."
        )


def _refuse_options(given: dict[str, Any], where: str) -> None:
    """Raise ValueError if there are options that have no effect here."""
    found = [name for name, is_given in given.items() if is_given]
    if found:
        raise ValueError(
            f"Found {', '.join(found)} {where}, expected options that have an effect there. Leave "
            "it out."
        )


def _write_gold(path: Path, settings: "WorkSettings", wanted: Wanted, **rule: Any) -> None:
    """Write the page of gold against prediction."""
    from ..view.error_page import make_error_page
    from ..view.reading import make_worker, read_gold, take, view_gold

    if wanted.output.resolve() == path.resolve():
        raise ValueError(f"Found {path} as input and output. Name another with --output.")
    worker = make_worker(settings, with_probs=wanted.probs)
    lang = worker.nlp.lang or ""
    documents, more = take(read_gold(path, lang=lang or "xx", **rule), wanted.limit)
    views = list(view_gold(documents, worker, on_bad=_warn))
    title = wanted.title or f"{path.name}: gold and prediction"
    page = make_error_page(title, views, lang=lang, note=_tell_limit(wanted, more))
    _write(page, wanted, _count(len(views), "document"), more=more)


def _write_inputs(
    inputs: list[str],
    settings: "WorkSettings",
    wanted: Wanted,
    *,
    keys: "ReadSettings",
    sources: dict[str, Any],
) -> None:
    """Write the page of documents or of pairs."""
    from ..view.pages import make_document_page, make_pair_page
    from ..view.reading import make_worker, read_documents, take, view_documents, view_pairs

    found = read_documents(inputs, keys, leave_out=[str(wanted.output)], **sources)
    documents, more = take(found, wanted.limit)
    worker = make_worker(settings, with_probs=wanted.probs)
    lang, note = worker.nlp.lang or "", _tell_limit(wanted, more)
    title = wanted.title or _make_title(inputs)
    if keys.pairs:
        pairs = list(view_pairs(documents, worker, on_bad=_warn))
        page = make_pair_page(title, pairs, lang=lang, note=note)
        _write(page, wanted, _count(len(pairs), "pair"), more=more)
    else:
        views = list(view_documents(documents, worker, on_bad=_warn))
        page = make_document_page(title, views, lang=lang, note=note)
        _write(page, wanted, _count(len(views), "document"), more=more)


def _make_title(inputs: list[str]) -> str:
    """Name a page by its input.

    >>> _make_title(["a/b.txt"]), _make_title(["a", "b"]), _make_title(["-"])
    ('b.txt', 'a and 1 more', 'Standard input')
    """
    first = "Standard input" if inputs[0] == "-" else Path(inputs[0]).name or inputs[0]
    return first if len(inputs) == 1 else f"{first} and {len(inputs) - 1} more"


def _count(n: int, thing: str) -> str:
    """Count in words.

    >>> _count(1, "pair"), _count(2000, "pair")
    ('1 pair', '2,000 pairs')
    """
    return f"{n:,} {thing}{'s' * (n != 1)}"


def _tell_limit(wanted: Wanted, more: bool) -> str:
    return f"These are the first {wanted.limit:,}; there are more." if more else ""


def _warn(bad: "BadLine") -> None:
    told = _escape_controls(f"Left out {bad.place}: {bad.reason}")
    typer.secho(told, fg=typer.colors.YELLOW, err=True)


def _escape_controls(text: str) -> str:
    """Escape what could disturb a terminal, such as in the name of a file.

    >>> print(_escape_controls("é\\x1b[31m"))
    é\\x1b[31m
    """
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def _write(page: str, wanted: Wanted, what: str, *, more: bool) -> None:
    from ..files.atomic import open_output

    n_bytes = len(page.encode("utf8"))
    with open_output(wanted.output) as file:
        file.write(page)
    first = f", the first {wanted.limit:,} (--limit)" if more else ""
    typer.echo(f"{wanted.output}: {what}{first}, {n_bytes / 1e6:.2f} MB", err=True)
