"""`spacy-sentid view` and `serve`: pages with the output of pipelines, and a demo page."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from . import options as opt
from .long_jobs import echo_left_out
from .terminal.printing import warn

if TYPE_CHECKING:
    from ..files.records import BadLine

Output = Annotated[
    Path,
    opt.output_option(
        "--output", "-o", dir_okay=False, metavar="PAGE.html", help="Write the page here."
    ),
]
Limit = Annotated[
    int, opt.output_option(min=1, help="Maximum number of documents or pairs to show.")
]
PAGE = Path("page.html")
LIMIT = 1000


def view(
    inputs: Annotated[list[str] | None, opt.Inputs] = None,
    output: Output = PAGE,
    units: Annotated[
        Path | None,
        opt.input_option(
            exists=True,
            dir_okay=False,
            metavar="FILE",
            help="Show these units, without a pipeline: the output of 'identify' for INPUT "
            "(.jsonl), or, without INPUT, documents with marked units: .conllu, .spacy, marked "
            "text, JSON lines.",
        ),
    ] = None,
    model: opt.Model = "en",
    limit: Limit = LIMIT,
    format_: opt.InputFormat = None,
    text_key: opt.TextKey = "text",
    id_key: opt.IdKey = "id",
    settings: opt.Settings = None,
) -> None:
    """Write a page that shows texts with their sentences.

    The page is a single file that needs no internet. With --units, it shows existing units.

    Example: spacy-sentid view mail/*.txt -o mail.html
    """
    import spacy

    from ..batch.input.documents import ReadSettings, count_left_out
    from ..batch.input.readers import DocumentReader
    from ..batch.input.sources import find_sources
    from ..batch.work.work_settings import WorkSettings
    from ..sentence_identifier.data.documents import read_documents
    from ..view.pages.documents import make_document_page
    from ..view.text import reading

    if units is not None:
        opt.refuse_options({"--setting": settings}, "with --units")
    elif not inputs:
        raise ValueError("The command must have INPUT... or --units, got neither.")
    opt.check_outputs([output], [units])
    worker: Any = None
    if units is None:
        work = WorkSettings(model=model, settings=opt.parse_settings(settings))
        worker = reading.make_worker(work)
    found: Any
    marked: Any = units  # a file, if there is no worker or there are no inputs
    if inputs:
        sources = find_sources(inputs, format=format_, exclude=[str(output)])
        found = DocumentReader(sources, ReadSettings(text_key=text_key, id_key=id_key))
    else:
        found = read_documents(marked, spacy.blank("xx"))
    documents, more = reading.take(found, limit, on_bad=_warn_of)
    views: Any
    if worker is not None:
        views = reading.view_documents(documents, worker, on_bad=_warn_of)
    elif inputs:
        views = reading.view_records(documents, marked, on_bad=_warn_of)
    else:
        views = reading.view_marked(documents)
    title = _make_title(inputs or [str(units)])
    lang = "" if worker is None else worker.nlp.lang or ""
    _write_page(output, title, views, make_document_page, lang=lang, limit=more and limit)
    echo_left_out(count_left_out(documents) if inputs else {})


def view_pairs(
    inputs: Annotated[list[str], opt.Inputs],
    output: Output = PAGE,
    model: opt.Model = "en",
    limit: Limit = LIMIT,
) -> None:
    """Write a page of pairs of texts, with the words without support.

    The page shows both texts side by side, and marks the words of each text that the other text
    does not support. Inputs are JSON lines of pairs {"id", "hyp", "ref"}, where "ref" may be a
    list, or of tagged pairs {"sent1", "sent2", "tags1", "tags2"}. For tagged pairs, it also shows
    which marks are correct, wrong or missed.

    Example: spacy-sentid view-pairs pairs.jsonl -o pairs.html
    """
    from ..batch.input.documents import ReadSettings
    from ..batch.input.readers import DocumentReader
    from ..batch.input.sources import find_sources
    from ..batch.work.work_settings import WorkSettings
    from ..view.pages import pairs as tagged_pairs
    from ..view.pages.documents import make_pair_page
    from ..view.text import reading

    worker = reading.make_worker(WorkSettings(task="scores", model=model))
    sources = find_sources(inputs, default="jsonl", exclude=[str(output)])
    tagged = tagged_pairs.find_tagged(sources)
    opt.check_outputs([output], tagged)
    found: Any = DocumentReader(sources, ReadSettings(pairs=True))
    found = tagged_pairs.read_tagged(tagged) if tagged else found
    pairs, more = reading.take(found, limit, on_bad=_warn_of)
    views: Any
    make: Any = make_pair_page
    if tagged:
        views = tagged_pairs.view_tagged(pairs, worker.nlp, on_bad=_warn_of)
        make = tagged_pairs.make_tagged_page
    else:
        views = reading.view_pairs(pairs, worker, on_bad=_warn_of)
    title, lang = _make_title(inputs), worker.nlp.lang or ""
    _write_page(output, title, views, make, lang=lang, limit=more and limit, noun="pair")


def view_errors(
    gold: Annotated[
        Path,
        opt.in_file(
            metavar="GOLD",
            help="Documents with gold units: .conllu, .spacy, marked text, JSON lines.",
        ),
    ],
    output: Output = PAGE,
    model: opt.Model = "en",
    limit: Limit = LIMIT,
    settings: opt.Settings = None,
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
) -> None:
    """Write a page with the errors of a pipeline in gold documents.

    The page shows the errors by kind, with links to the worst documents.

    Example: spacy-sentid view-errors test.conllu --model training/model-best -o errors.html
    """
    import spacy

    from ..batch.work.work_settings import WorkSettings
    from ..sentence_identifier.data.documents import read_documents
    from ..view.pages.errors import make_error_page
    from ..view.text import reading

    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    opt.check_outputs([output], [gold])
    work = WorkSettings(model=model, settings=opt.parse_settings(settings))
    worker = reading.make_worker(work)
    lang = worker.nlp.lang or "xx"
    found = read_documents(gold, spacy.blank(lang), **rule)
    golds, more = reading.take(found, limit, on_bad=_warn_of)
    views = reading.view_gold(golds, worker, on_bad=_warn_of)
    title = f"{gold.name}: gold and prediction"
    _write_page(output, title, views, make_error_page, lang=lang, limit=more and limit)


def _write_page(
    output: Path,
    title: str,
    views: Iterable[Any],
    make: Callable[..., str],
    *,
    lang: str,
    limit: int,
    noun: str = "document",
) -> None:
    """Write a page, and report its size. limit: The number of views, if there are more; else 0."""
    from ..files.atomic import open_output
    from ..view.text.page import format_count

    shown = list(views)
    if not shown:
        raise ValueError(f"There must be {noun}s to show, got none. {output} was not written.")
    page = make(title, shown, lang=lang, note=f"Only the first {limit:,} are shown." * bool(limit))
    with open_output(output) as file:
        file.write(page)
    first = f", the first {limit:,} (--limit)" * bool(limit)
    size = len(page.encode()) / 1e6
    typer.echo(f"{output}: {format_count(len(shown), noun)}{first}, {size:.2f} MB", err=True)


def _warn_of(bad: "BadLine") -> None:
    warn(f"excluded {bad.place}: {bad.reason}")


def _make_title(inputs: list[str]) -> str:
    """Name a page by its input.

    >>> _make_title(["a/b.txt"]), _make_title(["a", "b"]), _make_title(["-"])
    ('b.txt', 'a and 1 more', 'Standard input')
    """
    first = "Standard input" if inputs[0] == "-" else Path(inputs[0]).name or inputs[0]
    return first if len(inputs) == 1 else f"{first} and {len(inputs) - 1} more"


def serve(
    model: Annotated[
        list[str] | None,
        Option(
            "--model",
            metavar="NAME",
            help="Folder or package of a pipeline, or a language. Repeatable. TASK:NAME does "
            "another task than units: sentences, words, or scores (of a text against a "
            "reference). Default: units in all seven languages, sentences:en, words:zh, scores:en.",
        ),
    ] = None,
    port: Annotated[
        int, Option(min=0, max=65535, help="Port to listen on; 0 uses any free port.")
    ] = 8000,
    max_chars: Annotated[
        int, Option(min=1, help="Maximum length of a text, in characters.")
    ] = 100_000,
    no_browser: Annotated[
        bool, Option("--no-browser", help="Print the address of the page without opening it.")
    ] = False,
) -> None:
    """Open a page to try the pipelines on your own text.

    The page runs until you press Ctrl+C, and only this computer can reach it. It needs no internet
    and stores nothing that you type.

    Limits: A text may have up to --max-chars characters. Two compared texts may have up to 5,000
    in total, or a twentieth of --max-chars if that is more. Each pipeline processes one text at a
    time.

    Example: spacy-sentid serve --model en --model sentences:de --model training/model-best
    """
    from ..view.demo.server import check_packages, listen, make_app, run_server

    check_packages()

    def show_url(url: str) -> None:
        typer.echo(f"Try it at {url} (stop with Ctrl+C)", err=True)
        if not no_browser:
            _open_browser(url)

    with listen(port) as place:  # before loading, which takes a while
        typer.echo("Loading the pipelines ...", err=True)
        from ..view.demo.pipelines import load_pipelines

        app = make_app(load_pipelines(model or ()), max_chars=max_chars)
        run_server(app, place, on_ready=show_url)


def _open_browser(url: str) -> None:
    """Open a page, without waiting for a browser that runs in the terminal or fails."""
    import webbrowser
    from threading import Thread

    Thread(target=webbrowser.open, args=(url,), daemon=True).start()
