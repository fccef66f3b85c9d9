"""Write Python code that repeats what the demo page did.

task, model, texts, settings -> lines of Python
"""

from pprint import pformat

from ...batch.formats.records import readable_text
from ...batch.tasks import SCORES, SENTENCES, TASKS, UNITS, WORDS

WIDTH = 88  # of the lines of a text
NAMES = {UNITS: "iter_units, load", SCORES: "load, score_pairs"}
SHOW = {
    UNITS: """\
for unit in iter_units(nlp(text)):
    print(f"{unit.score:.2f} {unit.kind or unit.label:10} {unit.text!r}")
""",
    SENTENCES: """\
for sentence in nlp(text).sents:
    if not sentence.text.isspace():
        print(repr(sentence.text.strip()))
""",
    WORDS: """\
print([token.text for token in nlp(text) if not token.is_space])
""",
    SCORES: """\
[score] = score_pairs([text], [reference], nlp=nlp)
print(f"{score.supported_p:.0%} of the text is supported by the reference,")
print(f"{score.supported_r:.0%} of the reference is supported by the text.")
best = score.comparisons[score.best]
for side, spans in ((text, best.hyp.spans), (reference, best.ref.spans)):
    print([side[span.start_char : span.end_char] for span in spans])
""",
}


def write_snippet(task: str, model: str, text: str, *, ref: str = "", **settings: object) -> str:
    """Write the code of a result. Each line of the text has its own line in the code.

    Characters that spaCy cannot process are replaced, as on the page, so offsets stay valid.

    ref: The text to compare with, of a pair.
    settings: Settings of the component.

    >>> print(write_snippet("sentences", "en", "I sleep.\\nIt rains."))
    from spacy_sentid import load
    <BLANKLINE>
    text = 'I sleep.\\nIt rains.'
    nlp = load('en', 'rule_sentencizer')
    for sentence in nlp(text).sents:
        if not sentence.text.isspace():
            print(repr(sentence.text.strip()))
    <BLANKLINE>
    """
    # The name of a language alone loads the identifier.
    component = [] if task == UNITS else [repr(TASKS[task].component)]
    given = [repr(model), *component, *(f"{name}={value!r}" for name, value in settings.items())]
    texts = {"text": text} | ({"reference": ref} if TASKS[task].is_of_pairs else {})
    lines = [
        f"from spacy_sentid import {NAMES.get(task, 'load')}\n",
        *(f"{name} = {pformat(readable_text(one), width=WIDTH)}" for name, one in texts.items()),
        f"nlp = load({', '.join(given)})",
        SHOW[task],
    ]
    return "\n".join(lines)
