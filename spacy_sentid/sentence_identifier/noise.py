"""Noise for training texts: units that are changed, cut, marked or made up. No spaCy, no numpy.

units of a text -> list markers -> made-up NSUs between -> case and final marks -> cut ends

A corpus of clean sentences teaches what other text does not keep: that an SU has a capital and a
final mark, that a text begins and ends with an SU, and that nothing lies between SUs. `augment` and
`truncate` are the paper's answer (+AUG, section 6.1.1, Appendix D) to the first two; `insert` and
`marker` are ours to the third. Words are those of `units.word_spans`; made-up units take theirs at
white space. Nothing is drawn for a rate of 0.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import NamedTuple

from ..units import NSU, SU, count_words, word_spans
from .joining import draw_geometric

CASES = ("lower", "upper", "title")
# P and P_e of Appendix D, and what stands for them in other scripts.
END_MARKS = ".?!…。！？؟۔।"
CLOSING_MARKS = END_MARKS + '"”'


class NoiseRates(NamedTuple):
    """How often each kind of noise is drawn, in [0, 1]."""

    augment: float = 0.0  # of each unit: change case, remove the final mark, or both
    truncate: float = 0.0  # of the first and of the last unit of a text: cut it at a word
    insert: float = 0.0  # of each place between units, and of both ends: made-up NSUs
    marker: float = 0.0  # of each SU: put a list marker or the like in front


class NoisyUnit(NamedTuple):
    """A unit of a text with noise."""

    text: str
    label: str
    source: int | None  # which of the given units it was made of; None = made up
    # For each character of the given unit: where it is in `text`; -1 = gone.
    places: Sequence[int]


class Edit(NamedTuple):
    """A changed text, and where in it each character of the old text is; -1 = gone."""

    text: str
    places: Sequence[int]


def add_noise(
    units: Sequence[tuple[str, str]], rates: NoiseRates, *, corpus: Sequence[str], rng: Random
) -> list[NoisyUnit]:
    """Draw noise for the units of one text.

    units: (text, label) of each unit, with at least one word.
    corpus: Texts that made-up units take their words from.
    RETURNS: The given units in their order, each with at least one word, and made-up ones.
    """
    noisy = [NoisyUnit(text, label, n, range(len(text))) for n, (text, label) in enumerate(units)]
    noisy = [
        _edited(unit, add_marker(unit.text, draw_marker(rng)))
        if unit.label == SU and _happens(rates.marker, rng)
        else unit
        for unit in noisy
    ]
    if rates.insert:
        noisy = _insert_units(noisy, rates.insert, corpus, rng)
    noisy = [_augment(unit, rng) if _happens(rates.augment, rng) else unit for unit in noisy]
    if noisy and _happens(rates.truncate, rng):
        n_words = count_words(noisy[0].text)
        noisy[0] = _truncate(noisy[0], rng.randrange(n_words), n_words)
    if noisy and _happens(rates.truncate, rng):
        n_words = count_words(noisy[-1].text)
        noisy[-1] = _truncate(noisy[-1], 0, 1 + rng.randrange(n_words))
    return noisy


def _happens(rate: float, rng: Random) -> bool:
    return rate > 0 and rng.random() < rate


def _edited(unit: NoisyUnit, edit: Edit) -> NoisyUnit:
    places = [edit.places[place] if place >= 0 else -1 for place in unit.places]
    return unit._replace(text=edit.text, places=places)


def _augment(unit: NoisyUnit, rng: Random) -> NoisyUnit:
    rule = rng.choice(("case", "marks", "case and marks"))
    if rule != "marks":
        unit = _edited(unit, change_case(unit.text, rng.choice(CASES)))
    if rule != "case":
        unit = _edited(unit, remove_final_marks(unit.text))
    return unit


def _truncate(unit: NoisyUnit, start: int, end: int) -> NoisyUnit:
    """Keep words [start, end); what is left of a cut unit is an NSU (Table 4)."""
    edit = keep_words(unit.text, start, end)
    return _edited(unit, edit)._replace(label=unit.label if edit.text == unit.text else NSU)


def change_case(text: str, case: str) -> Edit:
    """Put all words into a case: "lower", "upper", or "title" (first letter upper, rest lower).

    >>> change_case("don't go to 3rd Straße", "title").text
    "Don't Go To 3rd Straße"
    >>> change_case("Maß 1", "upper")
    Edit(text='MASS 1', places=[0, 1, 2, 4, 5])
    """
    # Only in whole words does Python know a final sigma; its length is that of any other.
    whole = text.upper() if case == "upper" else text.lower()
    pieces, position = [], 0
    for char in text:
        end = position + len(char.upper() if case == "upper" else char.lower())
        pieces.append(whole[position:end])
        position = end
    if case == "title":
        for start, end in word_spans(text):
            first = next((i for i in range(start, end) if text[i].isalnum()), None)
            if first is not None:
                pieces[first] = text[first].title()
    places, position = [], 0
    for piece in pieces:
        places.append(position)
        position += len(piece)
    return Edit("".join(pieces), places)


def remove_final_marks(text: str) -> Edit:
    """Remove the longest ending of a sentence-ending mark and the marks after it.

    Text of marks alone is kept.

    >>> [remove_final_marks(text).text for text in ("Really?!", '"Go!"', "Go (on.)", "...")]
    ['Really', '"Go', 'Go (on.)', '...']
    """
    end = len(text.rstrip(CLOSING_MARKS))
    while end < len(text) and text[end] not in END_MARKS:
        end += 1
    rest = text[:end].rstrip()
    return _cut(text, 0, len(rest) if rest else len(text))


def keep_words(text: str, start: int, end: int) -> Edit:
    """Keep words [start, end) of a text, at least one.

    >>> keep_words("I go on.", 1, 3)
    Edit(text='go on.', places=[-1, -1, 0, 1, 2, 3, 4, 5])
    """
    words = word_spans(text)
    return _cut(text, words[start][0], words[end - 1][1])


def _cut(text: str, start: int, end: int) -> Edit:
    places = [i - start if start <= i < end else -1 for i in range(len(text))]
    return Edit(text[start:end], places)


def add_marker(text: str, marker: str) -> Edit:
    """Put a marker and a space in front of a text.

    >>> add_marker("Go.", "1)")
    Edit(text='1) Go.', places=range(3, 6))
    """
    prefix = marker + " "
    return Edit(prefix + text, range(len(prefix), len(prefix) + len(text)))


# ---- Made-up units. Words and shapes are those of EWT's training part, and so are the weights.

# After a made-up NSU, another follows with this probability: runs of NSUs are 1.8 long in EWT.
P_NEXT = 0.4
# Share of made-up NSUs that are all upper or all lower case, whatever their kind.
P_CASE = 0.08
TRIES = 8
# Of a text, at most this share of its words is taken, so that hardly any clause comes whole.
LARGEST_SHARE = 0.5

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
    """Make up an NSU of a kind drawn from KINDS; it has at least one word.

    corpus: Texts to take words from, each with at least one word.
    """
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    text = kind(corpus, rng)
    if rng.random() < P_CASE:
        text = change_case(text, rng.choice(("upper", "upper", "lower"))).text
    return text


def draw_marker(rng: Random) -> str:
    """Draw a list marker, or what else stands before a sentence and belongs to it."""
    if rng.random() < 0.5:
        return rng.choice(MARKERS)
    return rng.choice(NUMBERED).format(rng.choice((rng.randint(1, 20), rng.choice("abcdABCD"))))


def _insert_units(
    units: list[NoisyUnit], rate: float, corpus: Sequence[str], rng: Random
) -> list[NoisyUnit]:
    result: list[NoisyUnit] = []
    for n in range(len(units) + 1):
        if _happens(rate, rng):
            for _ in range(int(draw_geometric(1 - P_NEXT, rng))):
                result.append(NoisyUnit(make_unit(corpus, rng), NSU, None, ()))
        result += units[n : n + 1]
    return result


def _cut_words(corpus: Sequence[str], rng: Random, n_words: float) -> list[str]:
    """Take a run of at most `n_words` words out of some text, no marks between or around them."""
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
            run = _strip_marks(" ".join(words[start:end])).split()
            if run:
                return run
    # Text without spaces: a few characters.
    text = text.split()[0]
    length = max(1, int(min(n_words * 2, len(text) * LARGEST_SHARE)))
    start = rng.randrange(len(text) - length + 1)
    return [text[start : start + length]]


def _content_word(corpus: Sequence[str], rng: Random) -> str:
    """Take the longest of a few words: in most languages no mere function word."""
    return max(_cut_words(corpus, rng, 4), key=len).lower()


def _strip_marks(text: str) -> str:
    return text.strip(CLOSING_MARKS + " ,;:'`“‘’()[]{}-–—_")


def _name(corpus: Sequence[str], rng: Random) -> str:
    """Take one to three capitalised words in a row from inside some text."""
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
    """Take letters and digits for an address or a file name."""
    word = "".join(filter(str.isalnum, "".join(_cut_words(corpus, rng, rng.randint(1, 2)))))
    return word.lower() or _number("###", rng)


def _number(shape: str, rng: Random) -> str:
    """Fill in a digit for each # of a shape."""
    return "".join(str(rng.randrange(10)) if char == "#" else char for char in shape)


def _heading(corpus: Sequence[str], rng: Random) -> str:
    words = _cut_words(corpus, rng, rng.randint(2, 6))
    # A heading seldom begins or ends with a function word.
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


def _symbols(corpus: Sequence[str], rng: Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(LINES) * rng.randint(3, 60)
    return rng.choice(SIGNS)


def _address(corpus: Sequence[str], rng: Random) -> str:
    return rng.choice(rng.choice((GREETINGS, ADDRESSED, ADDRESSED))).format(_name(corpus, rng))


def _closing(corpus: Sequence[str], rng: Random) -> str:
    return rng.choice(CLOSINGS).format(_name(corpus, rng))


def _answer(corpus: Sequence[str], rng: Random) -> str:
    return rng.choice(ANSWERS)


def _exclamation(corpus: Sequence[str], rng: Random) -> str:
    text = f"{rng.choice(ADJECTIVES)} {_content_word(corpus, rng)}"
    if rng.random() < 0.3:
        text += f"{rng.choice((',', ' and', ' -'))} {rng.choice(ADJECTIVES)} "
        text += _content_word(corpus, rng)
    text = text[0].upper() + text[1:]
    return text + rng.choice(ENDINGS)


# The kinds of made-up NSUs and their weights.
KINDS: dict[Callable[[Sequence[str], Random], str], float] = {
    _name_line: 28,
    _address: 8,
    _closing: 8,
    _exclamation: 12,
    _answer: 4,
    _heading: 10,
    _fragment: 10,
    _date: 6,
    _contact: 7,
    _field: 4,
    _table_row: 3,
    _symbols: 3,
    _attachment: 1,
}
