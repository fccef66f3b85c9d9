"""The small default weights that come with the package, and where others are looked for."""

from pathlib import Path

import spacy.util

from ..text.units import UNSPACED_LANGS

FOLDER = Path(__file__).parent
# The weights that `pretrained = "auto"` takes, by component and language.
DEFAULT_NAMES = {
    "sentence_identifier": {
        **{lang: f"{lang}_sentid_sm" for lang in ("en", "de", "fr", "pt")},
        # Weights of one of these languages alone scored no better on dev.
        **dict.fromkeys(("es", "it", "nl", "xx"), "xx_sentid_sm"),
    },
    "paraphrase_tagger": {"en": "en_paratag_sm"},
    "word_segmenter": {"zh": "zh_words_sm"},
}
AUTO = "auto"
# The code of weights that are for several languages.
MULTILINGUAL = "xx"


def default_name(component: str, lang: str) -> str | None:
    """Return the name of the weights that `pretrained = "auto"` takes for a language.

    A language without bundled weights takes those of several languages, if the component has them
    and the language has spaces between words. RETURNS: None if there are no weights.

    >>> default_name("sentence_identifier", "sv"), default_name("word_segmenter", "sv")
    ('xx_sentid_sm', None)
    """
    names = DEFAULT_NAMES.get(component, {})
    if lang not in names and lang not in UNSPACED_LANGS:
        lang = MULTILINGUAL
    return names.get(lang)


def find_weights(name: str, *, lang: str, component: str) -> Path:
    """Find the folder with the files `model` and `cfg` of a trained component.

    name: "auto" (by language), the name of bundled weights, a folder (of a pipeline or of the
        component itself), or an installed pipeline package.

    Raises ValueError if `name` is none of these, or "auto" for a language without bundled weights.
    """
    names = DEFAULT_NAMES.get(component, {})
    if name == AUTO:
        name = default_name(component, lang) or AUTO
    roots = [FOLDER / name, Path(name)]
    if spacy.util.is_package(name):
        roots.append(spacy.util.get_package_path(name))
        roots += list(roots[-1].glob(f"{name}-*"))
    for root in roots:
        for folder in (root, root / component):
            if (folder / "model").is_file():
                return folder
    raise ValueError(
        f"There are no weights {name!r}, neither bundled ({', '.join(names.values()) or 'none'}) "
        f"nor as a folder with '{component}/model' nor as an installed pipeline. Check the setting "
        "'pretrained'; null starts without weights."
    )
