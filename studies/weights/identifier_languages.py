"""Sources and licence of the multilingual weights of the identifier."""

from studies.weights.bundle import Origin
from studies.weights.identifier import CORPORA, FOLDER, TRAINED_ON

LICENSE_TEXT = f"""\
The files in this folder are licensed under the Creative Commons Attribution-ShareAlike 4.0
International License (https://creativecommons.org/licenses/by-sa/4.0/legalcode).

They are weights of a statistical model. The texts that it was trained on are not contained in this
folder. Attribution:

- Universal Dependencies treebanks under CC BY-SA (https://universaldependencies.org): German GSD
  and PUD, Spanish GSD and PUD, French GSD and PUD, Italian PUD, Dutch Alpino and LassySmall,
  Portuguese Bosque and PUD, by the contributors named in the README of each treebank. Parts of
  their dev splits, of PUD, and single documents were trained on, no test split.
{CORPORA}
The code of spacy-sentid is licensed under the MIT License, see LICENSE at its root.
"""
LANGUAGES = {
    "de": "German",
    "es": "Spanish",
    "fr": "French",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
    "xx": "Dutch, English, French, German, Italian, Portuguese and Spanish",
}
ORIGIN = Origin(
    component="sentence_identifier",
    trained_on=[
        "parts of Universal Dependencies treebanks, no test split (CC BY-SA): German GSD and PUD, "
        "Spanish GSD and PUD, French GSD and PUD, Italian PUD, Dutch Alpino and LassySmall, "
        "Portuguese Bosque and PUD; https://universaldependencies.org",
        "assets/everyday/LANG/train of this project for six languages (CC0)",
        *TRAINED_ON,
    ],
    chosen_on="the dev parts of the same corpora",
    license_name="CC-BY-SA-4.0",
    license_text=LICENSE_TEXT,
    language=LANGUAGES["xx"],
    sources=FOLDER / "everyday_real_sources.txt",
    card=FOLDER / "identifier_languages_card.md",
)
