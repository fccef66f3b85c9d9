"""Make the pictures of the README and the docs with headless Chromium.

pages of the package -> screenshots, light and dark -> docs/images/*.webp, docs/images/pictures.json

    python -m tests.pictures [NAME ...]

`pictures.json` has a fingerprint of what each picture shows. `tests/docs/test_pictures.py` compares
it with what the package shows now, so no picture goes out of date. It needs no browser.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from base64 import b64decode
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from readme_page import MARGIN, WIDTH, render_readme  # noqa: E402

FOLDER = ROOT / "docs" / "images"
FINGERPRINTS = FOLDER / "pictures.json"
QUALITY = 75  # of WebP, 0 to 100
# Scores and sizes differ a little between processors, so fingerprints do not include numbers.
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
THEMES = ("light", "dark")
HERO = ROOT / "tests" / "hero.txt"
HERO_STYLE = """
.top, .skip { display: none }
main { max-width: none; margin: 0; padding: 12px }
.hero { display: grid; grid-template-columns: 21.5rem 1fr; gap: 14px; font-size: 14px }
.hero h2 { margin: 0; font-size: 16px }
.hero p { margin: 0 0 8px; color: var(--soft) }
.hero .doc { margin: 0; padding: 14px 16px }
.hero .part { font-size: 13.5px }
"""
N_TERMINAL_LINES = 33


class Picture(NamedTuple):
    """A page, and the part of it to show."""

    make: Callable[[], str]  # returns the HTML
    size: tuple[int, int]  # of the window, in CSS pixels
    selector: str = "body"  # the element to show
    max_height: int | None = None  # of the picture, in CSS pixels
    wait: str = "body"  # an element to wait for, made by a script
    is_served: bool = False  # the page needs its server
    scale: float = 1.5  # pixels of the picture for each CSS pixel


def make_fingerprint(picture: Picture) -> str:
    """Compute the fingerprint of what a picture shows, without its numbers."""
    html = picture.make().replace(ROOT.as_uri(), "")
    shown = NUMBER.sub("0", html) + repr(picture[1:])
    return sha256(shown.encode("utf8")).hexdigest()[:16]


def take(driver: Any, url: str, picture: Picture, theme: str) -> bytes:
    """Take a screenshot as WebP."""
    from browser import set_screen
    from selenium.webdriver.support.ui import WebDriverWait

    set_screen(driver, picture.size, scheme=theme)
    driver.get(url)
    find = "return document.querySelector(arguments[0])"
    WebDriverWait(driver, 20).until(lambda _: driver.execute_script(find, picture.wait))
    driver.execute_async_script(
        "const done = arguments[0];"
        "document.fonts.ready.then(() => requestAnimationFrame(() => setTimeout(done, 200)));"
    )
    box = driver.execute_script(
        "const box = document.querySelector(arguments[0]).getBoundingClientRect();"
        "return [box.x + scrollX, box.y + scrollY, box.width, box.height];",
        picture.selector,
    )
    height = min(box[3], picture.max_height or box[3])
    clip = dict(zip(("x", "y", "width", "height"), (*box[:3], height), strict=True))
    shot = driver.execute_cdp_cmd(
        "Page.captureScreenshot",
        {
            "format": "webp",
            "quality": QUALITY,
            "clip": {**clip, "scale": picture.scale},
            "captureBeyondViewport": True,
        },
    )
    return b64decode(shot["data"])


# The pages


@cache
def load_english() -> Any:
    """Load the default pipeline."""
    import spacy_sentid

    return spacy_sentid.load("en")


def show_gallery(name: str) -> str:
    """Make a page of the gallery of the docs."""
    from docs_pages import load_site_code

    gallery = load_site_code("gallery")
    return str(gallery.make_page(next(one for one in gallery.ENTRIES if one.name == name)))


@cache
def make_demo() -> Any:
    """Make the application of `spacy-sentid serve`, with one language."""
    from spacy_sentid.view.demo.pipelines import load_pipelines
    from spacy_sentid.view.demo.server import make_app

    return make_app(load_pipelines(["en"]), max_chars=20_000)


def show_demo() -> str:
    """Return the page of the server. Its script asks the server for the units."""
    return str(make_demo().test_client().get("/").text)


def serve_demo() -> str:
    """Start the server, and return the address of its page."""
    from queue import Queue
    from threading import Thread

    from spacy_sentid.view.demo.server import listen, run_server

    urls: Queue[str] = Queue()
    Thread(
        target=run_server,
        args=(make_demo(), listen(0)),
        kwargs={"on_ready": urls.put},
        daemon=True,
    ).start()
    return urls.get(timeout=30)


def make_hero() -> str:
    """Make the picture of the README: a mail, cut by a plain splitter and by this package."""
    import spacy

    from spacy_sentid import iter_units
    from spacy_sentid.text.units import SU, trim_span
    from spacy_sentid.view.text.kinds import name_kind
    from spacy_sentid.view.text.page import make_page
    from spacy_sentid.view.text.units import UnitView, render_text

    text = HERO.read_text(encoding="utf8").rstrip("\n")
    plain = spacy.blank("en")
    plain.add_pipe("sentencizer")
    spans = [trim_span(text, s.start_char, s.end_char) for s in plain(text).sents]
    ours = list(iter_units(load_english()(text)))
    units = [
        UnitView(unit.start_char, unit.end_char, unit.label, unit.score, kind=unit.kind or "")
        for unit in ours
    ]
    n_sentences = sum(unit.is_su for unit in ours)
    kinds = ", ".join(dict.fromkeys(name_kind(unit.kind or "") for unit in ours if unit.kind))
    sides = [
        (
            "spaCy’s sentencizer",
            f"{len(spans)} “sentences”",
            [UnitView(*s, SU, None) for s in spans],
        ),
        ("spacy-sentid", f"{n_sentences} sentences, and {kinds}", units),
    ]
    body = "".join(
        f"<section><h2>{title}</h2><p>{note}</p><div class='doc'>"
        f"{render_text(text, shown, lang='en')}</div></section>"
        for title, note, shown in sides
    )
    page = make_page("spacy-sentid", style=HERO_STYLE, scripts=[])
    return page.replace("</main>", f"<div class='hero'>{body}</div></main>")


def show_terminal() -> str:
    """Show what `spacy-sentid identify` prints on a terminal."""
    from ansi_html import STYLE, make_picture

    command = ["identify", "assets/sample/inbox.txt", "--show"]
    done = subprocess.run(
        [sys.executable, "-m", "spacy_sentid", *command],
        cwd=ROOT,
        env={**os.environ, "COLUMNS": "90", "FORCE_COLOR": "1", "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    shown = "\n".join(done.stdout.splitlines()[:N_TERMINAL_LINES])
    both = "".join(
        make_picture(f"$ spacy-sentid {' '.join(command[:2])}\n{shown}", is_dark=is_dark)
        for is_dark in (False, True)
    )
    style = (
        f"{STYLE} .terminal {{ border: 1px solid #8884; border-radius: 0 }}"
        ".dark { display: none }"
        "@media (prefers-color-scheme: dark) { .light { display: none } .dark { display: block } }"
        "body { margin: 0; width: max-content }"
    )
    return f"<!DOCTYPE html><meta charset='utf-8'><style>{style}</style><body>{both}</body>"


PICTURES = {
    "hero": Picture(make_hero, (832, 640), "main"),
    "terminal": Picture(show_terminal, (832, 900), "body"),
    "view": Picture(partial(show_gallery, "mail"), (900, 900), max_height=760),
    "errors": Picture(partial(show_gallery, "errors"), (1000, 900), max_height=760),
    "pairs": Picture(partial(show_gallery, "pairs"), (1000, 900), max_height=700),
    "readme": Picture(render_readme, (WIDTH + 2 * MARGIN, 900), scale=0.75),
    "serve": Picture(show_demo, (1200, 900), max_height=820, wait="#result .u", is_served=True),
}


def main() -> None:
    """Make the named pictures, or all of them."""
    from browser import open_browser

    names = sys.argv[1:] or list(PICTURES)
    FOLDER.mkdir(exist_ok=True)
    known = json.loads(FINGERPRINTS.read_text("utf8")) if FINGERPRINTS.exists() else {}
    with open_browser() as driver, tempfile.TemporaryDirectory() as folder:
        for name in names:
            picture = PICTURES[name]
            page = Path(folder) / f"{name}.html"
            page.write_text(picture.make(), encoding="utf8")
            url = serve_demo() if picture.is_served else page.as_uri()
            for theme in THEMES:
                file = FOLDER / f"{name}-{theme}.webp"
                file.write_bytes(take(driver, url, picture, theme))
                print(f"{file.relative_to(ROOT)}: {file.stat().st_size / 1000:.0f} kB")
            known[name] = make_fingerprint(picture)
    ordered = {name: known[name] for name in PICTURES if name in known}
    FINGERPRINTS.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf8")


if __name__ == "__main__":
    main()
