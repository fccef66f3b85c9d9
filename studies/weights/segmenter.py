"""Sources and licence of the bundled weights of the segmenter."""

from studies.weights.bundle import Origin

LICENSE_TEXT = """\
The files in this folder are licensed under the Creative Commons Attribution-ShareAlike 4.0
International License (https://creativecommons.org/licenses/by-sa/4.0/legalcode). They are weights
of a statistical model, with n-grams and words (as hashes) that the model knows. They were made of
the words of:

1. UD Chinese GSD (https://github.com/UniversalDependencies/UD_Chinese-GSD), train, CC BY-SA 4.0; a
   version older than the present one.
2. UD Chinese PUD (https://github.com/UniversalDependencies/UD_Chinese-PUD), CC BY-SA 3.0.
3. UD Chinese HK (https://github.com/UniversalDependencies/UD_Chinese-HK), CC BY-SA 4.0.
4. UD Chinese CFL (https://github.com/UniversalDependencies/UD_Chinese-CFL), CC BY-SA 4.0.
   Attribution of the four: their authors and contributors, as each treebank's README names them.
   The first three were converted to simplified characters with OpenCC.
5. Sentences written for this package (assets/words/train without n1.txt), CC0-1.0.
6. The dictionary of jieba (https://github.com/fxsjy/jieba), MIT License, copyright (c) 2013 Sun
   Junyi.

None of the texts is contained in this folder. The code of spacy-sentid is licensed under the MIT
License, see LICENSE at its root.

The MIT License of jieba's dictionary

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and
associated documentation files (the "Software"), to deal in the Software without restriction,
including without limitation the rights to use, copy, modify, merge, publish, distribute,
sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or
substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT
NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND
NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES
OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN
CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
"""
ORIGIN = Origin(
    component="word_segmenter",
    trained_on=[
        "words of UD Chinese GSD train, HK, CFL (CC BY-SA 4.0) and PUD (CC BY-SA 3.0; "
        "https://universaldependencies.org), in simplified characters",
        "sentences written for this package, assets/words/train without n1.txt (CC0-1.0)",
        "dictionary of jieba, words of 2 to 5 characters seen 3 times or more (MIT; "
        "https://github.com/fxsjy/jieba)",
    ],
    chosen_on="the dev sets of GSD, AISHELL2 and ZX",
    license_name="CC-BY-SA-4.0",
    license_text=LICENSE_TEXT,
    language="Chinese",
)
