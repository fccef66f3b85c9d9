"""What the bundled weights of the identifier were trained on, and under which licence."""

from studies.weights.bundle import Origin

LICENSE_TEXT = """\
The files in this folder are licensed under the Creative Commons Attribution-ShareAlike 4.0
International License (https://creativecommons.org/licenses/by-sa/4.0/legalcode).

They are weights of a statistical model trained on the Universal Dependencies English Web Treebank
(UD English EWT r2.16, https://github.com/UniversalDependencies/UD_English-EWT), which is licensed
under the same terms. Attribution: Natalia Silveira, Timothy Dozat, Marie-Catherine de Marneffe,
Samuel Bowman, Miriam Connor, John Bauer, Christopher D. Manning (2014), A Gold Standard Dependency
Corpus for English, LREC 2014, and the contributors named in the treebank's README. The texts of the
treebank are not contained in this folder.

The code of spacy-sentid is licensed under the MIT License, see LICENSE at its root.
"""
ORIGIN = Origin(
    component="sentence_identifier",
    trained_on=[
        "Universal Dependencies English EWT r2.16, train (Natalia Silveira et al.; "
        "https://github.com/UniversalDependencies/UD_English-EWT); no other text"
    ],
    chosen_on="its dev split",
    license_name="CC-BY-SA-4.0",
    license_text=LICENSE_TEXT,
)
