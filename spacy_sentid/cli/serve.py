"""`spacy-sentid serve`: a page to try the pipelines on one's own text."""

from typing import Annotated

import typer


def serve(
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            help="Folder or package of a pipeline, or a language; may be repeated. TASK:NAME says "
            "what it is for: units, sentences, words, or scores (of a text against a reference). "
            "Default: units:en, sentences:en, words:zh, scores:en.",
        ),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8000,
    host: Annotated[
        str, typer.Option(help="Where to listen. 127.0.0.1: for this computer only.")
    ] = "127.0.0.1",
    max_chars: Annotated[
        int, typer.Option(min=1, help="Longest text that can be tried.")
    ] = 100_000,
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Only tell the address, do not open it.")
    ] = False,
) -> None:
    """Open a page to try the pipelines on text of your own.

    It runs on this computer until it is stopped with Ctrl+C, needs no internet, and keeps nothing
    of what is typed.

    Example: spacy-sentid serve --model en --model sentences:de --model training/model-best
    """
    from ..view.server import check_packages, is_local, listen, make_app, run_server

    check_packages()
    if not is_local(host):
        typer.secho(
            f"Warning: the page listens at {host}, without a password or encryption: whoever can "
            "reach this computer can use it. Leave --host out to keep it to yourself.",
            fg=typer.colors.YELLOW,
            err=True,
        )

    def tell(url: str) -> None:
        typer.echo(f"Try it at {url} (stop with Ctrl+C)", err=True)
        if not no_browser:
            _open_browser(url)

    with listen(host, port) as place:  # first, as loading takes a while
        typer.echo("Loading the pipelines ...", err=True)
        from ..view.demo_pipelines import load_pipelines

        app = make_app(load_pipelines(model or ()), max_chars=max_chars, host=host)
        run_server(app, place, on_ready=tell)


def _open_browser(url: str) -> None:
    """Open a page, without waiting for a browser that runs in the terminal or fails."""
    import webbrowser
    from threading import Thread

    Thread(target=webbrowser.open, args=(url,), daemon=True).start()
