"""`spacy-sentid view` and `serve`: pages with the output of pipelines, and a demo page."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Option

from . import options as opt
from .long_jobs import echo_left_out
from .terminal.help import INPUT, OUTPUT
from .terminal.printing import warn

if TYPE_CHECKING:
    from ..files.records import BadLine


def view(
    inputs: Annotated[list[str] | None, opt.Inputs] = None,
    output: Annotated[
        Path,
        opt.out_option(
            "--output",
            "-o",
            metavar="PAGE.html",
            help="Write the page here.",
            rich_help_panel=OUTPUT,
        ),
    ] = Path("page.html"),
    pairs: Annotated[
        bool,
        Option(
            "--pairs",
            help="Inputs are pairs {'id', 'hyp', 'ref'}, where 'ref' may be a list, or tagged "
            "pairs {'sent1', 'sent2', 'tags1', 'tags2'}.",
            rich_help_panel=INPUT,
        ),
    ] = False,
    gold: Annotated[
        Path | None,
        opt.in_option(
            metavar="FILE",
            help="Gold documents to compare with the prediction, instead of INPUT: .conllu, "
            ".spacy, marked text, JSON lines.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    units: Annotated[
        Path | None,
        opt.in_option(
            metavar="FILE",
            help="Show these units, without a pipeline: the output of 'identify' for INPUT "
            "(.jsonl), or documents with marked units (as for --gold) instead of INPUT.",
            rich_help_panel=INPUT,
        ),
    ] = None,
    model: opt.Model = "en",
    title: Annotated[str | None, Option(help="Title of the page.", rich_help_panel=OUTPUT)] = None,
    limit: Annotated[
        int,
        Option(
            min=1, help="Maximum number of documents or pairs on the page.", rich_help_panel=OUTPUT
        ),
    ] = 1000,
    probs: Annotated[
        bool, Option(help="Include P(BOS) and P(EOS) of all tokens.", rich_help_panel=OUTPUT)
    ] = True,
    format_: opt.InputFormat = None,
    lines: opt.Lines = False,
    text_key: opt.TextKey = "text",
    id_key: opt.IdKey = "id",
    newline: opt.NewlineSetting = None,
    settings: opt.Settings = None,
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
) -> None:
    """Write a page that shows texts with their sentences.

    The page is a single file that needs no internet. With --pairs, it shows two texts side by side
    and marks the words that the other text does not support. For tagged pairs, it also shows which
    marks are correct, wrong or missed. With --gold, it shows the errors by kind, with links to the
    worst documents. With --units, it shows existing units.

    Example: spacy-sentid view mail/*.txt -o mail.html
    """
    import spacy

    from ..batch.input.documents import ReadSettings, count_left_out
    from ..batch.input.readers import DocumentReader
    from ..batch.input.sources import find_sources
    from ..batch.work.work_settings import WorkSettings
    from ..files.atomic import open_output
    from ..sentence_identifier.data.documents import read_documents
    from ..view.pages import pairs as tagged_pairs
    from ..view.pages.documents import make_document_page, make_pair_page
    from ..view.pages.errors import make_error_page
    from ..view.text import reading
    from ..view.text.page import format_count

    marked = gold or (None if inputs else units)
    if bool(inputs) == (marked is not None) or sum(map(bool, (gold, pairs, units))) > 1:
        raise ValueError(
            "The input must be exactly one of INPUT..., --pairs with INPUT..., --gold, --units, or "
            "--units with INPUT...."
        )
    rule = {
        "--all-su": all_su,
        "--su-relations": su_relations,
        "--ignore-list-marks": ignore_list_marks,
    }
    named = {"--text-key": text_key != "text", "--id-key": id_key != "id"}
    given = {"--format": format_, "--lines": lines, **named} if marked else rule
    opt.refuse_options(given, "without INPUT" if marked else "with INPUT")
    if marked is not None and marked.suffix != ".conllu":
        opt.refuse_options(rule, "without a treebank")
    opt.refuse_options({"--no-probs": pairs and not probs}, "with --pairs")
    if units is not None:
        of_model = {
            "--newline": newline,
            "--setting": settings,
            "--no-probs": not probs,
        }
        opt.refuse_options(of_model, "with --units")
    opt.check_outputs([output], [marked, units])
    worker: Any = None
    if units is None:
        work = WorkSettings(
            task="scores" if pairs else "units",
            model=model,
            **opt.parse_settings(settings, newline),
        )
        worker = reading.make_worker(work, with_probs=probs)
    lang = "" if worker is None else worker.nlp.lang or ""
    found: Any
    tagged: list[Path] = []
    if marked is not None:
        labels = opt.make_rule(all_su, su_relations, ignore_list_marks)
        found = read_documents(marked, spacy.blank(lang or "xx"), **labels)
        title = title or (f"{marked.name}: gold and prediction" if gold else marked.name)
    else:
        sources = find_sources(inputs or [], format=format_, lines=lines, exclude=[str(output)])
        keys = ReadSettings(text_key=text_key, id_key=id_key, pairs=pairs)
        tagged = tagged_pairs.find_tagged(sources) if pairs else []
        found = tagged_pairs.read_tagged(tagged) if tagged else DocumentReader(sources, keys)
        title = title or _make_title(inputs or [])
    documents, more = reading.take(found, limit, on_bad=_warn_of)
    left_out = {} if marked or tagged else count_left_out(documents)
    shown: Any
    make: Any = make_error_page if gold else make_pair_page if pairs else make_document_page
    if tagged:
        shown = tagged_pairs.view_tagged(documents, worker.nlp, on_bad=_warn_of)
        make = tagged_pairs.make_tagged_page
    elif gold is not None:
        shown = reading.view_gold(documents, worker, on_bad=_warn_of)
    elif units is not None:
        shown = (
            reading.view_records(documents, units, on_bad=_warn_of)
            if marked is None
            else reading.view_marked(documents)
        )
    else:
        show: Any = reading.view_pairs if pairs else reading.view_documents
        shown = show(documents, worker, on_bad=_warn_of)
    views = list(shown)
    if not views:
        thing = "pairs" if pairs else "documents"
        raise ValueError(f"There must be {thing} to show, got none. {output} was not written.")
    note = f"Only the first {limit:,} are shown." if more else ""
    page = make(title, views, lang=lang, note=note)
    with open_output(output) as file:
        file.write(page)
    things = format_count(len(views), "pair" if pairs else "document")
    first = f", the first {limit:,} (--limit)" if more else ""
    typer.echo(f"{output}: {things}{first}, {len(page.encode()) / 1e6:.2f} MB", err=True)
    echo_left_out(left_out)


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
            help="Folder or package of a pipeline, or a language. Repeatable. TASK:NAME also names "
            "the task: units, sentences, words, or scores (of a text against a reference). "
            "Default: units in all seven languages, sentences:en, words:zh, scores:en.",
        ),
    ] = None,
    port: Annotated[
        int, Option(min=0, max=65535, help="Port to listen on; 0 uses any free port.")
    ] = 8000,
    host: Annotated[
        str, Option(help="Address to listen on. Only this computer can reach 127.0.0.1.")
    ] = "127.0.0.1",
    max_chars: Annotated[
        int, Option(min=1, help="Maximum length of a text, in characters.")
    ] = 100_000,
    no_browser: Annotated[
        bool, Option("--no-browser", help="Print the address of the page without opening it.")
    ] = False,
) -> None:
    """Open a page to try the pipelines on your own text.

    The page runs on this computer until you press Ctrl+C. It needs no internet and stores nothing
    that you type.

    Limits: A text may have up to --max-chars characters. Two compared texts may have up to 5,000
    in total, or a twentieth of --max-chars if that is more. Each pipeline accepts 4 texts at once,
    and refuses more with 503. A request must arrive within 60 seconds. Its header must arrive
    within 10 seconds, with at most 65,536 bytes, and its answer must be read within 60 seconds.
    With more than 50 connections, the server closes the one that has kept it waiting longest.

    Example: spacy-sentid serve --model en --model sentences:de --model training/model-best
    """
    from ..view.demo.server import check_packages, is_local, listen, make_app, run_server

    check_packages()
    if not is_local(host):
        warn(
            f"the page listens on {host}, without a password or encryption: everyone who can reach "
            "this computer can use it. Without --host, only you can."
        )

    def show_url(url: str) -> None:
        typer.echo(f"Try it at {url} (stop with Ctrl+C)", err=True)
        if not no_browser:
            _open_browser(url)

    with listen(host, port) as place:  # before loading, which takes a while
        typer.echo("Loading the pipelines ...", err=True)
        from ..view.demo.pipelines import load_pipelines

        app = make_app(load_pipelines(model or ()), max_chars=max_chars, host=host)
        run_server(app, place, on_ready=show_url)


def _open_browser(url: str) -> None:
    """Open a page, without waiting for a browser that runs in the terminal or fails."""
    import webbrowser
    from threading import Thread

    Thread(target=webbrowser.open, args=(url,), daemon=True).start()
