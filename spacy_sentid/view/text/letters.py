"""Compare the letters of a text with the language of a pipeline.

text, language -> a sentence that warns of a wrong language, or none
"""

import re

# Chinese characters; kana and Hangul also show that a text is not in a European language.
HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
CHINESE = re.compile(f"[{HAN}]")
OTHERS = re.compile(r"[^\W\d_\u0000-\u024f\u1e00-\u1eff\u2100-\u214f]")
LETTERS = re.compile(r"[^\W\d_]")
# Languages of bundled weights that are written with Latin letters.
LATIN_LANGS = ("de", "en", "es", "fr", "it", "nl", "pt")
MAX_CHARS = 20_000  # the first characters, which decide
MIN_LETTERS = 4


def warn_of_letters(text: str, lang: str, language: str) -> str:
    """Warn if a text is written in the letters of another language than that of the pipeline.

    lang, language: Code and name of the language, such as "zh" and "Chinese".
    RETURNS: One or two sentences; "" if nothing looks wrong.

    >>> warn_of_letters("I like cats.", "zh", "Chinese")
    'This pipeline is for Chinese, but the text has hardly any Chinese characters.'
    >>> warn_of_letters("我们在学校学习。", "en", "English")
    'This pipeline is for English, but most of the text is in another script.'
    >>> warn_of_letters("Wir mögen Katzen.", "de", "German"), warn_of_letters("42", "zh", "Chinese")
    ('', '')
    """
    start = text[:MAX_CHARS]
    n_letters = len(LETTERS.findall(start))
    if n_letters < MIN_LETTERS:
        return ""
    if lang == "zh" and 5 * len(CHINESE.findall(start)) < n_letters:
        return f"This pipeline is for {language}, but the text has hardly any Chinese characters."
    if lang in LATIN_LANGS and 2 * len(OTHERS.findall(start)) > n_letters:
        return f"This pipeline is for {language}, but most of the text is in another script."
    return ""
