"""Generate strings that could become an element, an attribute, a script or a request on a page.

seed, index -> kind and string; each depends only on these two numbers, as in `hostile`.

Each script that runs sets `ran`, and each request loads URL, see `is_attacked`.

>>> make_injection(0, 3) == list(injections(4, seed=0))[-1]
True
"""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from hostile import BIDI, CONTROLS, ODD_POINTS, SURROGATES, ZERO_WIDTH

RUN, URL = "ran=1", "http://canary.invalid/x"
ELEMENTS = [
    f"<script>{RUN}</script>", f"<script src={URL}></script>", f"<img src=x onerror={RUN}>",
    f"<img src={URL}>", f"<svg onload={RUN}>", f"<svg><script>{RUN}</script></svg>",
    f"<svg><a xlink:href='javascript:{RUN}'><text>a</text></a>", f"<svg><use href='{URL}#a'/>",
    f"<svg><animate onbegin={RUN} attributeName=x dur=1s>",
    f"<svg><style><img src=x onerror={RUN}>",
    f"<math><mi//xlink:href='data:x,<script>{RUN}</script>'>",
    f"<math><mtext><table><mglyph><style><!--</style><img src=x onerror={RUN}>",
    f"<iframe srcdoc='<script>parent.{RUN}</script>'></iframe>", f"<iframe src={URL}>",
    f"<iframe src='javascript:parent.{RUN}'>", f"<object data={URL}>", f"<embed src={URL}>",
    f"<link rel=stylesheet href={URL}>", f"<link rel=prefetch href={URL}>",
    f"<meta http-equiv=refresh content='0;url={URL}'>", f"<base href={URL}>",
    f"<form action={URL}><input autofocus onfocus={RUN}></form>", f"<video><source onerror={RUN}>",
    f"<audio src={URL} onerror={RUN}>", f"<details open ontoggle={RUN}>a</details>",
    f"<style>@import '{URL}';</style>", f"<style>*{{background:url({URL})}}</style>",
    f"<body onload={RUN}>", f"<marquee onstart={RUN}>", f"<a href='javascript:{RUN}'>a</a>",
    f"<template><script>{RUN}</script></template>", "<plaintext>", "<xmp>", "<listing>", "<b>",
    "<textarea>", "<select><option>", "<table><tr><td>", "<frameset>", "<dialog open>", "<p>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>", "<br/>", "<html lang=xx>",
    f"<input type=image src={URL}>", "<main id=main data-hides=x>", "<custom-element is=x>",
    "<script type=application/json id=data>{}</script>", f"<picture><source srcset={URL}><img>",
]  # fmt: skip
CLOSERS = [
    "</script>", "</SCRIPT\n>", "</style>", "</title>", "</textarea>", "</select>", "</template>",
    "</noscript>", "</span></div></div>", "</bdi></h1>", "</h2></header></article>", "</main>",
    "</body></html>", "</table>", "-->", "--!>", "]]>", "?>", "%>", "*/", "</", "</ >", "</p>",
    "</mark>", "</option></select>", "</pre>", "/>", ">",
]  # fmt: skip
ATTRIBUTES = [
    f'" onmouseover="{RUN}" x="', f"' onfocus='{RUN}' autofocus tabindex=0 x='",
    f"` onclick=`{RUN}` x=`", f'"><script>{RUN}</script>', f"'><img src=x onerror={RUN}>",
    f" onpointerenter={RUN} ", f'" style="background:url({URL})"', '" class="u su" data-s="1',
    '" id="main', '" hidden x="', '" srcdoc="', f'" href="javascript:{RUN}', "=", "x=y", "/", '"',
    "'", "`", '"" ', "'' ", '\\"', "&quot;", "&#34;", "\n\"\n",
]  # fmt: skip
DECLARATIONS = [
    "<!--", "<!-->", "<!--->", "<!-- -- -->", "<!--[if IE]>", "<![CDATA[", "<?xml version='1.0'?>",
    "<!DOCTYPE html>", f"<!DOCTYPE a [<!ENTITY x SYSTEM '{URL}'>]>&x;", "<!", "<?", "<%= x %>",
    f"<!--><img src=x onerror={RUN}>-->", "<!--<script>", "<", "<<", "<>", "< script>",
]  # fmt: skip
ENTITIES = [
    "&lt;script&gt;", "&#60;b&#62;", "&#x3c", "&lt", "&amp;lt;b&amp;gt;", "&#0;", "&#xD800;",
    "&#x110000;", "&#128;", "&NewLine;", "&Tab;", "&notit;", "&", "&&", "&;", "&#;", "&#x;",
    "&nbsp", "&CounterClockwiseContourIntegral;", "&ThickSpace;", "&lt;!--", "&#13;",
    "&NotEqualTilde;",
]  # fmt: skip
TEMPLATES = [
    "{{ 7 * 7 }}", "{{ self.__init__.__globals__ }}", "{% raw %}", "{% endblock %}", "{#", "#}",
    f"${{{RUN}}}", f"{{{{constructor.constructor('{RUN}')()}}}}", "<%- x %>", "%s%n%(x)s", "{0}",
    "{title}", "[[x]]", "#{x}", "@(x)", "\\g<0>", "\\1", "$&", "$`", "$'", "**a**", "`a`",
    "5 ± 1 *",
]  # fmt: skip
SCRIPTS = [
    f'";{RUN};//', f"'-{RUN}-'", f"\\u003cscript\\u003e{RUN}", f"*/{RUN}/*", f"\\';{RUN};//",
    f"}}</style><script>{RUN}</script>", "__proto__", "constructor", "toString", "hasOwnProperty",
    f"expression({RUN})", f"@import url({URL});", "]}", '"}]', "\\", "\\\\", "NaN", "null",
    "undefined", "0", "-1", "1e999", "true", f"eval('{RUN}')", "$p^2$", "\\textbf{a}",
]  # fmt: skip
ADDRESSES = [
    f"javascript:{RUN}", f"JaVaScRiPt:{RUN}", f" java\tscript:{RUN}", f"java\nscript:{RUN}",
    f"\x01javascript:{RUN}", f"javascript&colon;{RUN}", f"data:text/html,<script>{RUN}</script>",
    f"vbscript:{RUN}", URL, "//canary.invalid/x", "\\\\canary.invalid\\x", "#main", "?x#",
    "../../x",
    "file:///etc/passwd", "blob:x", f"[a](javascript:{RUN})", f"[a]: {URL}", f"![a]({URL})",
]  # fmt: skip
TRICKS = [
    "＜script＞", "<scr\u200bipt>", "<\u0338script>", "\u2039script\u203a", "<scr\0ipt>", "<\0b>",
    f"<img\x0csrc=x\x0conerror={RUN}>", f"<img/src=x/onerror={RUN}>", "<ſcript>", "<İmg>",
    "\u202e<tpircs>\u202c", "\u2066</span>\u2069", "\u2028", "\u2029", "\ufeff", "\x85", "\x1b[31m",
    "\x7f", "\r", "\r\n", "\n", "\t", " ", "\xa0", "+ADw-script+AD4-", "\ud83d", "\udc00", "\uffff",
    "\u2060", "e\u0301", "\U000e0001", "😀", "\x1bP", "שלום", "مرحبا", "\b\b",
]  # fmt: skip
WORDS = ["Page 3", "I sleep.", "You too!", "a", "Where?", "你好。"]
TABLES = {
    "element": ELEMENTS, "closer": CLOSERS, "attribute": ATTRIBUTES, "declaration": DECLARATIONS,
    "entity": ENTITIES, "template": TEMPLATES, "script": SCRIPTS, "address": ADDRESSES,
    "trick": TRICKS,
}  # fmt: skip


class Injection(NamedTuple):
    """A string that must stay text, and its kind, a key of KINDS."""

    kind: str
    text: str


def draw_long(rng: random.Random) -> str:
    """Draw a long repetition, or deeply nested elements."""
    item = rng.choice(["<", "&", '"', "<b>", "<div>", "</div>", "<a x=y ", "a", "\0", "<!--", "&#"])
    return item * rng.choice([50, 500, 2000])


def draw_mutated(rng: random.Random) -> str:
    """Draw an element in mixed case, with unusual characters in it."""
    text = list(rng.choice(ELEMENTS + DECLARATIONS + ATTRIBUTES))
    for _ in range(rng.randint(1, 6)):
        place = rng.randrange(len(text))
        odd = rng.choice([*CONTROLS, *ZERO_WIDTH, *BIDI, *ODD_POINTS, chr(rng.choice(SURROGATES))])
        text[place] = rng.choice([text[place].swapcase(), odd, text[place] + odd, ""])
    return "".join(text)


def draw_mixed(rng: random.Random) -> str:
    """Draw items from all tables, with or without words between them."""
    tables = [*TABLES.values(), CLOSERS, WORDS]
    return "".join(rng.choice(rng.choice(tables)) for _ in range(rng.randint(2, 6)))


KINDS: dict[str, Callable[[random.Random], str]] = {
    **{kind: lambda rng, table=table: rng.choice(table) for kind, table in TABLES.items()},
    "long": draw_long,
    "mutated": draw_mutated,
    "mixed": draw_mixed,
    "escape": lambda rng: rng.choice(CLOSERS + ATTRIBUTES) + rng.choice(ELEMENTS),
}


def make_injection(seed: int, index: int) -> Injection:
    """Generate one string; the kinds take turns, and only every hundredth string is long."""
    kind = list(KINDS)[index % len(KINDS)]
    if kind == "long" and index // len(KINDS) % 8:
        kind = "mixed"
    rng = random.Random(f"markup {seed}/{index}")
    # Never empty or only white space, which a page may leave out.
    return Injection(kind, rng.choice(["", "", "a ", "\n"]) + KINDS[kind](rng) + rng.choice("xy."))


def injections(n: int, seed: int) -> Iterator[Injection]:
    """Generate `n` strings, with about the same number of each kind."""
    for index in range(n):
        yield make_injection(seed, index)


def is_attacked(driver: Any) -> list[str]:
    """List the scripts that ran, and the URLs that were requested, on the page in a browser."""
    return list(
        driver.execute_script(
            "const found = performance.getEntriesByType('resource').map((one) => one.name);"
            "if (globalThis.ran !== undefined) found.push('ran');"
            "if (frames.length) found.push('frames');"
            "return found"
        )
    )
