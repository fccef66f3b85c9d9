"""Find prose that a colleague would not write: banned words, missing verbs, long sentences.

    python -m tests.prose                   all findings, with file and line
    python -m tests.prose docs/guides       those of some files or folders
    python -m tests.prose --counts          numbers by rule, and how much prose there is

Prose is docstrings, comments, messages and help texts in Python files, comments in configs, and
Markdown without its code, tables and quoted output.
"""

import argparse
import ast
import io
import re
import subprocess
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
# Words per sentence in the guides, which people read from start to end; elsewhere readers look up.
GUIDE_WORDS, OTHER_WORDS = 25, 45
GUIDES = ("README.md", "docs/guides/", "docs/start/", "docs/faq.md", "docs/index.md")
# Not written by us, made by a command, or a list of words on purpose.
SKIPPED = re.compile(
    r"^(tests/prose\.py|tests/test_prose\.py|LICENSE|studies/published/|spacy_sentid/pretrained/"
    r"|assets/|\.mkdocs/abbreviations\.md|docs/layout\.md|docs/licences\.md|CHANGELOG\.md)"
)
# Pattern -> what to write instead. Words that are right in some places have these excluded.
BANNED = {
    r"\bmend(?:s|ed|ing)?\b": "fix",
    r"\banew\b": "again",
    r"\bheed(?:s|ed)?\b": "respect, follow",
    r"\bbeside\b": "next to, with",
    r"\bwhoever\b": "you, or people who",
    r"\bwhatever (?:is|was|there|else|stands)\b": "name the thing",
    r"\b(?:stands|stood)\b|\bstand (?:at|in|on|before|after|there|where|for|inside)\b": "is, means",
    r"\btold\b|\btells? (?:of|that|if)\b": "reported, say",
    r"\bbehind\b(?! (?:a|the|your|our|its) (?:firewall|proxy|scenes|reverse))": "after",
    r"(?<!there )\b(?:is|are|was|were) (?-i:none)\b": "is not, there is no",
    r"\bnone of (?:its|their|our|your|one's) own\b": "no ... of its own",
    r"\bof (?:one's|its|their) kind alone\b": "only",
    r"\bhas? no say\b|\bof no effect\b": "does not affect, is ignored",
    r"\bas any other\b": "ordinary",
    r"\bgo(?:es|ne)? over\b|\bwent over\b": "is copied, crosses",
    r"\b(?:that|those) which\b": "name the thing",
    r"\bof (?:that|those|these) (?:alone|only)\b": "only",
    r"\b(?:hence|thereof|therein|thus|wherein|among them)\b": "a plain word",
    r"\bthe rest\b(?! of)": "everything else, the others",
    r"\bso many\b": "this many, the number of",
    r"\bforbids? to\b": "forbids ...ing",
    r"\blies? (?:at|in|on|there|next)\b(?! (?:the )?(?:range|interval))": "is",
    r"\bby (?:itself|themselves) alone\b": "alone",
    r"\b(?:there|it|they) (?:be|were) (?:it|they)\b": "if there is",
    r"\bdoes? (?:so )?no more\b": "no longer",
    r"\bno more than a\b": "only a",
    r"\bto (?:no|any) avail\b": "in vain",
}  # fmt: skip
BANNED_PATTERNS = {re.compile(pattern, re.IGNORECASE): say for pattern, say in BANNED.items()}
# "What is read." as a statement; questions are fine.
NOMINAL_WHAT = re.compile(r"^(?:What|How|Where|Why|Whether|If) (?:[^.?!]*)\.$")
OLD_ERROR = re.compile(r"\bexpected\b|^found\b", re.IGNORECASE)
# How the first line of a docstring does not begin.
NO_VERB = re.compile(
    r"^(?:Of|For|In|On|At|By|As|To|From|With|Without|That|What|Whether|How|Where|Which|So|Not|No|"
    r"Such|Is|Are|Same|Also)\b"
)
FENCE = re.compile(r"(?ms)^([ \t]*)(`{3,}|~{3,}).*?^\1\2[ \t]*$")
HTML = re.compile(r"(?s)<!--.*?-->|<[^>\n]+>")
LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!vs\.)(?<!cf\.)[\"')*]*\s+(?=[\"'(*`A-Z])"
)
WORD = re.compile(r"[^\W\d_][\w'’-]*")

# Verbs that a docstring of a function begins with. Not "tell", "give" and "say": write "report",
# "return" and "describe".
VERBS = set(
    re.findall(r"\S+", """
    add align answer append apply ask assemble attach augment average batch begin bind bound break
    bring build cache calibrate call capitalize carry change check choose clear clip close collect
    combine compare complete compose compress compute concatenate configure connect continue convert
    copy correlate count create cut damage decide decode deduplicate delete describe detect divide
    do download draw drop embed encode end enumerate escape estimate evaluate exchange exclude
    execute expand expect export extract feed fill filter find fine-tune fingerprint finish fit fix
    forget format forward freeze generate get go group guess hash hide highlight hold identify
    ignore import inflect initialise initialize insert install interleave interpolate interrupt
    invert iterate join judge keep kill label lay learn leave let limit list listen load log look
    lower-case make map mark match mean measure merge mix mock move multiply name negate normalise
    normalize number offer open order pack package pad pair parse pass patch pause perturb pick
    place plot pool predict prepare pretend print process put quote raise rank read rebuild receive
    recognise record reduce refuse register reject remember remove rename render reorder repeat
    replace report rescale reset resolve restore restrict resume retrain return reverse rewrite
    round run sample save scale score scramble search seed segment select send separate serialise
    serialize serve set shade share shift shorten show shrink shuffle simulate skip sort split stack
    start stop store stream strip stub subtract sum summarise summarize swap sweep tag take test
    tile time tokenise tokenize trace train transfer transform translate trim truncate try tune turn
    undo unpack unwrap update use validate verify wait walk warn watch weigh wrap write yield
    """)
)  # fmt: skip


class Passage(NamedTuple):
    """Some prose: a docstring, a paragraph, a message."""

    kind: str
    file: str
    line: int
    text: str


class Finding(NamedTuple):
    """A place to rewrite."""

    rule: str
    passage: Passage
    excerpt: str
    advice: str

    def __str__(self) -> str:
        place = f"{self.passage.file}:{self.passage.line}"
        return f"{place}: {self.rule}: {self.excerpt!r} ({self.advice})"


def list_files() -> list[str]:
    """List the files with prose that git knows."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard",
         "*.py", "*.md", "*.cfg", "*.yml"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    names = sorted(set(listed.stdout.split()))
    return [name for name in names if not SKIPPED.match(name) and (ROOT / name).is_file()]


def read_passages(name: str) -> Iterator[Passage]:
    """Read the passages of a file."""
    text = (ROOT / name).read_text(encoding="utf8")
    if name.endswith(".md"):
        yield from read_markdown(name, text)
    elif name.endswith(".py"):
        yield from read_python(name, text)
    else:
        yield from join_comments(name, enumerate(text.splitlines(), start=1))


def read_markdown(name: str, text: str) -> Iterator[Passage]:
    """Read the paragraphs and list items of a page."""
    for pattern in (FENCE, HTML):
        text = pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
    lines: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        is_item = re.match(r"\s*(?:[-*+]|\d+\.)\s", line)
        is_prose = line.strip() and not re.match(r"\s*(?:\||#|>|:?---)", line)
        if lines and (is_item or not is_prose):
            yield Passage("page", name, number - len(lines), clean_markdown(" ".join(lines)))
            lines = []
        if is_prose:
            lines.append(re.sub(r"^\s*(?:[-*+]|\d+\.)\s+", "", line).strip())


def clean_markdown(text: str) -> str:
    """Take the marks of links and emphasis away."""
    return re.sub(r"\*\*|__", "", LINK.sub(r"\1", text))


def read_python(name: str, text: str) -> Iterator[Passage]:
    """Read docstrings, comments, messages of errors and warnings, and help texts."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            docstring = ast.get_docstring(node)
            if docstring:
                is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
                kind = "function" if is_function else "docstring"
                if is_function and is_property(node):
                    kind = "docstring"
                yield Passage(kind, name, node.body[0].lineno, clean_docstring(docstring))
        elif isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            yield from read_strings("error", name, node.exc.args)
        elif isinstance(node, ast.Call):
            called = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if called in ("warn", "Exit"):
                yield from read_strings("warning", name, node.args[:1])
            helps = [keyword.value for keyword in node.keywords if keyword.arg == "help"]
            yield from read_strings("help", name, helps)
    comments = [
        (token.start[0], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT
    ]
    yield from join_comments(name, iter(comments))


def is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Check if a function is read as an attribute, or is a fixture."""
    return any(
        "property" in ast.unparse(decorator) or "fixture" in ast.unparse(decorator)
        for decorator in node.decorator_list
    )


def clean_docstring(text: str) -> str:
    """Take examples, usage lines and flow lines out of a docstring."""
    kept = [
        line
        for paragraph in re.split(r"\n\s*\n", text)
        if not re.match(r"\s*(?:>>>|\s{4,}\S)", paragraph)
        for line in [*paragraph.splitlines(), ""]
        if "->" not in line
    ]
    return "\n".join(kept).strip()


def read_strings(kind: str, name: str, nodes: list[ast.expr]) -> Iterator[Passage]:
    """Read the literal strings of expressions; what is filled in becomes X."""
    for node in nodes:
        text = read_string(node)
        if WORD.search(text):
            yield Passage(kind, name, node.lineno, text)


def read_string(node: ast.expr) -> str:
    """Read a string, an f-string, or a sum of them."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values
        )
    if isinstance(node, ast.BinOp):
        return read_string(node.left) + read_string(node.right)
    return ""


def join_comments(name: str, lines: Iterator[tuple[int, str]]) -> Iterator[Passage]:
    """Join comments on consecutive lines."""
    found: list[tuple[int, str]] = []
    for number, line in [*lines, (-1, "")]:
        line = line.strip()
        if found and (not line.startswith("#") or number != found[-1][0] + 1):
            yield Passage("comment", name, found[0][0], " ".join(text for _, text in found))
            found = []
        text = line.lstrip("#: ")
        if line.startswith("#") and not re.match(r"(?:fmt|type|noqa|pragma|!|-{3})", text):
            found.append((number, text))


def split_sentences(text: str) -> list[str]:
    """Split prose into sentences."""
    return [part.strip() for part in SENTENCE_END.split(" ".join(text.split())) if part.strip()]


def check_passage(passage: Passage) -> Iterator[Finding]:
    """Check one passage by all rules."""
    plain = re.sub(r"``?[^`]*``?", "X", passage.text)
    plain_quotes = re.sub(
        r"\"[^\"\n]{1,60}\"|“[^”]*”|(?<!\w)'[^'\n]{1,60}'(?!\w)|(?<!\w)\*[^*\n]+\*", "X", plain
    )
    for pattern, advice in BANNED_PATTERNS.items():
        for found in pattern.finditer(plain_quotes):
            start = max(found.start() - 30, 0)
            excerpt = " ".join(plain_quotes[start : found.end() + 30].split())
            yield Finding("word", passage, excerpt, f"write: {advice}")
    for sentence in split_sentences(plain):
        if NOMINAL_WHAT.match(sentence) and "," not in sentence and passage.kind != "page":
            yield Finding("what", passage, sentence[:80], "name the thing")
        limit = GUIDE_WORDS if passage.file.startswith(GUIDES) else OTHER_WORDS
        n_words = len(WORD.findall(sentence))
        if n_words > limit and passage.kind == "page":
            yield Finding("long", passage, f"{n_words} words: {sentence[:70]}", f"at most {limit}")
    first = plain.partition("\n")[0]
    if passage.kind in ("function", "help", "docstring") and NO_VERB.match(first):
        yield Finding("verb", passage, first[:80], "begin with the verb or the thing")
    if passage.kind == "function" and not begins_with_verb(first):
        yield Finding(
            "verb", passage, first[:80], "begin with a verb; add it to VERBS if it is one"
        )
    if passage.kind in ("error", "warning") and OLD_ERROR.search(passage.text):
        yield Finding("error", passage, passage.text[:80], "write: X must be ..., got ...")


def begins_with_verb(line: str) -> bool:
    """Check if a line begins with an imperative."""
    first = WORD.search(line)
    return not first or first[0].lower() in VERBS


def check_all(names: list[str] | None = None) -> list[Finding]:
    """Check all files."""
    return [
        finding
        for name in names or list_files()
        for passage in read_passages(name)
        for finding in check_passage(passage)
    ]


def main() -> None:
    """Print the findings, or their numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--counts", action="store_true")
    args = parser.parse_args()
    prefixes = tuple(path.removeprefix("./") for path in args.paths) or ("",)
    names = [name for name in list_files() if name.startswith(prefixes)]
    findings = check_all(names) if names else []
    if not args.counts:
        print(*findings, sep="\n")
        return
    print(*Counter(finding.rule for finding in findings).most_common(), sep="\n")
    passages = [passage for name in names for passage in read_passages(name)]
    for kind, n in Counter(passage.kind for passage in passages).most_common():
        texts = [passage.text for passage in passages if passage.kind == kind]
        sentences = [sentence for text in texts for sentence in split_sentences(text)]
        words = [len(WORD.findall(sentence)) for sentence in sentences]
        lines = sum(text.count("\n") + 1 for text in texts)
        print(f"{kind}: {n:,}; {lines:,} lines; {sum(words) / len(words):.1f} words a sentence")


if __name__ == "__main__":
    main()
