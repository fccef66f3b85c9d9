"""Synthetic NSUs, like those between the sentences of mail, reviews and web pages.

words of clean sentences -> a random kind of KINDS -> text of an NSU

Shapes, kinds and their weights follow the NSUs in the training part of EWT. Words are split at
white space. No spaCy, no numpy.
"""

from collections.abc import Callable, Sequence
from random import Random

from .concatenation import draw_geometric
from .edits import CLOSING_MARKS, change_case

# Share of synthetic NSUs of any kind that are all in upper or lower case.
P_CASE = 0.08
TRIES = 8
# At most this share of the words of a text is taken, so that complete clauses are rare.
LARGEST_SHARE = 0.5

MARKS = CLOSING_MARKS + " ,;:'`“‘’()[]{}-–—_"
MARKERS = ("-", "-", "--", "*", "•", ">", "PS", "PS -", "P.S.", "Q:", "A:", "NOTE:", "Re:")
NUMBERED = ("{}.", "{})", "({})", "{}:")
GREETINGS = ("Hi {},", "Hello {},", "Hey {}!", "Dear {},", "Dear Mr. {}:", "Dear Ms. {}:")
ADDRESSED = ("{},", "{},", "{},", "{}:", "{} -", "All,", "Dear All,", "Hi,", "Hello,", "Ladies,")
CLOSINGS = (
    "Thanks", "Thanks,", "Thanks,", "Thanks.", "Thanks!", "Thanks again,", "Thank You,",
    "Many thanks,", "Regards,", "Best regards,", "Kind Regards,", "Best,", "Sincerely,", "Cheers,",
    "Love,", "Good luck!", "FYI", "FYI...", "Thanks {}",
)  # fmt: skip
ANSWERS = (
    "Yes", "No", "Yes.", "No.", "no", "OK", "Ok.", "Sure", "Wow!", "Oh", "Lol", "Hmm", "Nope",
    "Done!", "Why?", "What?", "Really?", "Congrats", "Sorry", "Well", "Awesome!", "HORRIBLE!",
)  # fmt: skip
ADJECTIVES = (
    "great", "good", "nice", "best", "excellent", "awesome", "amazing", "wonderful", "friendly",
    "delicious", "cheap", "terrible", "horrible", "worst", "bad", "poor", "rude", "fast", "lovely",
)  # fmt: skip
ENDINGS = ("", "", "", "", "", "", ".", ".", ".", ".", "!", "!", "!!!", "...", " :)", "?")
FIELDS = ("Subject: {}", "Subject: Re: {}", "Subject: FW: {}", "RE: {}", "WHAT: {}", "Topic: {}")
PERSON_FIELDS = ("From: {}", "To: {}", "cc: {}", "CC: {}", "By {}", "by {}", "Sent by: {}")
DATE_FIELDS = ("Sent: {}", "Date: {}", "WHEN: {}", "Posted {}", "Updated: {}", "on {}")
FILES = ("- {0} << File: {0} >>", "<< File: {0} >>", "(See attached file: {0})", "<<{0}>>", "{0}")
SUFFIXES = ("doc", "xls", "htm", "pdf", "ppt", "txt", "jpg", "zip")
HOSTS = ("com", "com", "net", "org", "edu", "co.uk", "de", "info")
STREETS = ("Street", "St.", "Avenue", "Ave", "Road", "Rd", "Drive", "Suite", "Blvd", "Box")
PHONES = ("{}", "Phone: {}", "Tel: {}", "Fax: {}", "Cell {}", "({})")
DAYS = ("Mon", "Tue", "Wed", "Thursday", "Friday", "Sat.", "Sunday")
MONTHS = ("Jan", "Feb.", "March", "April", "May", "June", "July", "Aug", "Sept.", "October", "Nov")
LINES = "-=*_~#."
SIGNS = ("* * *", ". . .", ":)", ":-)", ";)", "--", "---", "...", "***", "< >", "[...]", "____")


def make_unit(corpus: Sequence[str], rng: Random) -> str:
    """Create a synthetic NSU of a random kind, with at least one word.

    corpus: Texts to take words from, each with at least one word.
    """
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    text = kind(corpus, rng)
    if rng.random() < P_CASE:
        text = change_case(text, rng.choice(("upper", "upper", "lower"))).text
    return text


def draw_marker(rng: Random) -> str:
    """Draw a list marker, or another label before a sentence that belongs to it."""
    if rng.random() < 0.5:
        return rng.choice(MARKERS)
    return rng.choice(NUMBERED).format(rng.choice((rng.randint(1, 20), rng.choice("abcdABCD"))))


def _cut_words(corpus: Sequence[str], rng: Random, n_words: float) -> list[str]:
    """Take at most `n_words` consecutive words from a text, without marks between or around."""
    text = ""
    for _ in range(TRIES):
        text = rng.choice(corpus)
        words = text.split()
        length = int(min(n_words, len(words) * LARGEST_SHARE))
        if length:
            start = rng.randrange(len(words) - length + 1)
            end = start + 1
            while end < start + length and words[end - 1][-1].isalnum():
                end += 1
            run = " ".join(words[start:end]).strip(MARKS).split()
            if run:
                return run
    # If the text has no spaces, take a few characters.
    text = text.split()[0]
    length = max(1, int(min(n_words * 2, len(text) * LARGEST_SHARE)))
    start = rng.randrange(len(text) - length + 1)
    return [text[start : start + length]]


def _content_word(corpus: Sequence[str], rng: Random) -> str:
    """Take the longest of a few words, which is rarely a function word."""
    return max(_cut_words(corpus, rng, 4), key=len).lower()


def _name(corpus: Sequence[str], rng: Random) -> str:
    """Take one to three consecutive capitalised words from inside a text."""
    wanted = rng.choice((1, 1, 1, 2, 2, 3))
    for _ in range(TRIES):
        words = rng.choice(corpus).split()
        starts = [i for i, word in enumerate(words) if i and _is_name(word.rstrip(",;:"))]
        if starts:
            start = end = rng.choice(starts)
            while end < len(words) and end - start < wanted and _is_name(words[end]):
                end += 1
            return " ".join(words[start : max(end, start + 1)]).rstrip(",;:")
    return change_case(" ".join(_cut_words(corpus, rng, wanted)), "title").text


def _is_name(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word.replace("-", "").isalpha()


def _slug(corpus: Sequence[str], rng: Random) -> str:
    """Draw letters and digits for an address or a file name."""
    word = "".join(filter(str.isalnum, "".join(_cut_words(corpus, rng, rng.randint(1, 2)))))
    return word.lower() or _number("###", rng)


def _number(shape: str, rng: Random) -> str:
    """Replace each # of a shape by a random digit."""
    return "".join(str(rng.randrange(10)) if char == "#" else char for char in shape)


def _heading(corpus: Sequence[str], rng: Random) -> str:
    words = _cut_words(corpus, rng, rng.randint(2, 6))
    # A heading rarely begins or ends with a function word.
    content = [i for i, word in enumerate(words) if len(word) > 3] or range(len(words))
    text = " ".join(words[content[0] : content[-1] + 1])
    case = rng.choice(("title", "title", "upper", "first", "first", ""))
    if case == "first":
        text = text[:1].upper() + text[1:]
    elif case:
        text = change_case(text, case).text
    return text + rng.choice(("", "", "", "", ":", " -"))


def _fragment(corpus: Sequence[str], rng: Random) -> str:
    text = " ".join(_cut_words(corpus, rng, min(8, draw_geometric(0.35, rng))))
    if rng.random() < 0.7:
        text = text[:1].upper() + text[1:]
    return text + rng.choice(ENDINGS)


def _name_line(corpus: Sequence[str], rng: Random) -> str:
    name = _name(corpus, rng)
    ending = rng.choices(("", "phone", "date", "company", "role"), (16, 1, 1, 2, 1))[0]
    if ending == "phone":
        return f"{name} {_number(rng.choice(('x#-####', '###-###-####', 'x#####')), rng)}"
    if ending == "date":
        return f"{name} {_date(corpus, rng)}"
    if ending == "company":
        return f"{name}{rng.choice(('@', ' / ', ', ', '/'))}{_name(corpus, rng).upper()}"
    if ending == "role":
        return f"{name} {_heading(corpus, rng)}"
    return name


def _contact(corpus: Sequence[str], rng: Random) -> str:
    host = f"{_slug(corpus, rng)}.{rng.choice(HOSTS)}"
    kind = rng.choice(("phone", "mail", "url", "url", "url", "street", "sender"))
    if kind == "phone":
        shape = rng.choice(("(###) ###-####", "###-###-####", "###.###.####", "+## ## ### ####"))
        return rng.choice(PHONES).format(_number(shape, rng))
    if kind == "url":
        path = rng.choice(("", "/", f"/{_slug(corpus, rng)}.html", f"/{_slug(corpus, rng)}/"))
        return rng.choice(("http://www.", "http://", "https://", "www.")) + host + path
    if kind == "street":
        return f"{_number('###', rng)} {_name(corpus, rng)} {rng.choice(STREETS)}"
    mail = f"{_slug(corpus, rng)}@{host}"
    if kind == "sender":
        return rng.choice(('"{}" <{}>', "{} <{}>", "{} [mailto:{}]")).format(
            _name(corpus, rng), mail
        )
    return rng.choice(("", "", "E-mail: ", "Email: ")) + mail


def _date(corpus: Sequence[str], rng: Random) -> str:
    month, day, year = rng.randint(1, 12), rng.randint(1, 28), rng.randint(1990, 2025)
    hour, minute = rng.randint(1, 12), rng.randint(0, 59)
    clock = f"{hour}:{minute:02}{rng.choice(('', ' AM', ' PM', 'pm', ' am'))}"
    return rng.choice(
        (
            f"{month:02}/{day:02}/{year} {hour:02}:{minute:02} {rng.choice(('AM', 'PM'))}",
            f"{month:02}/{day:02}/{year} {hour:02}:{minute:02} {rng.choice(('AM', 'PM'))}",
            f"{month}/{day}/{year % 100:02}",
            f"{year}-{month:02}-{day:02} {hour:02}:{minute:02}",
            f"{rng.choice(DAYS)}, {rng.choice(MONTHS)} {day}",
            f"{rng.choice(DAYS)}, {rng.choice(MONTHS)} {day:02}, {year}",
            f"{rng.choice(MONTHS)} {day}, {year} {clock}",
            f"{day} {rng.choice(MONTHS)} {year}",
            clock,
        )
    )


def _field(corpus: Sequence[str], rng: Random) -> str:
    value, fields = rng.choice(
        ((_heading, FIELDS), (_heading, FIELDS), (_name, PERSON_FIELDS), (_date, DATE_FIELDS))
    )
    return rng.choice(fields).format(value(corpus, rng))


def _attachment(corpus: Sequence[str], rng: Random) -> str:
    name = f"{_slug(corpus, rng)}.{rng.choice(SUFFIXES)}"
    return rng.choice(FILES).format(rng.choice((name, name.upper(), name.capitalize())))


def _table_row(corpus: Sequence[str], rng: Random) -> str:
    shapes = ("#", "##", "####", "#.##", "##%", "$##", "$#,###.##", "##,###", "-", "x", "n/a")
    cells = [_number(rng.choice(shapes), rng) for _ in range(rng.randint(1, 5))]
    if rng.random() < 0.7:
        cells[:0] = _cut_words(corpus, rng, rng.randint(1, 2))
    return rng.choice((" ", " ", "  ", " | ")).join(cells)


def _exclamation(corpus: Sequence[str], rng: Random) -> str:
    text = f"{rng.choice(ADJECTIVES)} {_content_word(corpus, rng)}"
    if rng.random() < 0.3:
        text += f"{rng.choice((',', ' and', ' -'))} {rng.choice(ADJECTIVES)} "
        text += _content_word(corpus, rng)
    text = text[0].upper() + text[1:]
    return text + rng.choice(ENDINGS)


# Kinds of synthetic NSUs and their weights. The lambdas draw greetings, closings, answers, and
# lines or signs.
KINDS: dict[Callable[[Sequence[str], Random], str], float] = {
    _name_line: 28,
    lambda corpus, rng: rng.choice(rng.choice((GREETINGS, ADDRESSED, ADDRESSED))).format(
        _name(corpus, rng)
    ): 8,
    lambda corpus, rng: rng.choice(CLOSINGS).format(_name(corpus, rng)): 8,
    _exclamation: 12,
    lambda _, rng: rng.choice(ANSWERS): 4,
    _heading: 10,
    _fragment: 10,
    _date: 6,
    _contact: 7,
    _field: 4,
    _table_row: 3,
    lambda _, rng: (
        rng.choice(LINES) * rng.randint(3, 60) if rng.random() < 0.5 else rng.choice(SIGNS)
    ): 3,
    _attachment: 1,
}
