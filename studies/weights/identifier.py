"""Sources and licence of the bundled weights of the identifier."""

from pathlib import Path

from studies.weights.bundle import Origin

FOLDER = Path(__file__).parent
# The English texts. The weights of several languages were trained on them too.
CORPORA = """\
- Universal Dependencies English Web Treebank (UD English EWT r2.16, CC BY-SA 4.0,
  https://github.com/UniversalDependencies/UD_English-EWT): Natalia Silveira, Timothy Dozat,
  Marie-Catherine de Marneffe, Samuel Bowman, Miriam Connor, John Bauer, Christopher D. Manning
  (2014), A Gold Standard Dependency Corpus for English, LREC 2014, and the contributors named in
  the treebank's README.
- The openly licensed genres of the train split of the GUM corpus (annotations CC BY 4.0,
  https://github.com/amir-zeldes/gum): Amir Zeldes (2017), The GUM Corpus: Creating Multilayer
  Resources in the Classroom, Language Resources and Evaluation 51(3). Texts: academic and court
  (CC BY 4.0), Wikipedia and Wikivoyage (CC BY-SA 3.0), Wikinews (CC BY 2.5), OpenStax textbooks
  (CC BY), YouTube vlogs (CC BY), speeches (public domain), the Santa Barbara Corpus of Spoken
  American English (Creative Commons attribution).
- assets/everyday of this project (CC0 1.0).
- Excerpts of 136 of the freely licensed texts that SOURCES.txt names, each with its licence.
"""
LICENSE_TEXT = f"""\
The files in this folder are licensed under the Creative Commons Attribution-ShareAlike 4.0
International License (https://creativecommons.org/licenses/by-sa/4.0/legalcode).

They are weights of a statistical model. The texts that it was trained on are not contained in this
folder. Attribution:

{CORPORA}- Word vectors computed with all-MiniLM-L6-v2 (Apache-2.0,
  https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2) for the frequent words that the
  package wordfreq lists (Robyn Speer, data CC BY-SA 4.0).

The code of spacy-sentid is licensed under the MIT License, see LICENSE at its root.
"""
TRAINED_ON = [
    "Universal Dependencies English EWT r2.16, train (Natalia Silveira et al.; CC BY-SA 4.0; "
    "https://github.com/UniversalDependencies/UD_English-EWT)",
    "the openly licensed genres of GUM's train split (Amir Zeldes et al.; CC BY 4.0, texts CC "
    "BY, CC BY-SA and public domain; https://github.com/amir-zeldes/gum)",
    "assets/everyday/train of this project (CC0)",
    "136 excerpts of freely licensed real texts, each named with its licence in SOURCES.txt",
]
ORIGIN = Origin(
    component="sentence_identifier",
    trained_on=[
        *TRAINED_ON,
        "word vectors computed with all-MiniLM-L6-v2 (Apache-2.0) for the frequent words of "
        "wordfreq (CC BY-SA 4.0); no other text",
    ],
    chosen_on="the dev parts of EWT, assets/everyday and the real texts",
    license_name="CC-BY-SA-4.0",
    license_text=LICENSE_TEXT,
    sources=FOLDER / "everyday_real_sources.txt",
    card=FOLDER / "identifier_card.md",
)
