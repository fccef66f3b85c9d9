"""Sources and licence of the bundled weights of the tagger."""

from studies.weights.bundle import Origin

LICENSE_TEXT = """\
The files in this folder are licensed under the Creative Commons Attribution-ShareAlike 4.0
International License (https://creativecommons.org/licenses/by-sa/4.0/legalcode). They are weights
of a statistical model, and a lexicon that the model reads. They were made of:

1. Edinburgh++ (Trevor Cohn, Chris Callison-Burch, Mirella Lapata, Constructing Corpora for the
   Development and Evaluation of Paraphrase Systems, 2008, with the corrections and tokens of
   Xuchen Yao, https://github.com/xuchen/jacana), Apache License 2.0
   (https://www.apache.org/licenses/LICENSE-2.0).
2. Pairs made by known edits of sentences of the Universal Dependencies English Web Treebank
   (UD English EWT r2.16, https://github.com/UniversalDependencies/UD_English-EWT), CC BY-SA 4.0.
   Attribution: Natalia Silveira, Timothy Dozat, Marie-Catherine de Marneffe, Samuel Bowman, Miriam
   Connor, John Bauer, Christopher D. Manning (2014), A Gold Standard Dependency Corpus for English,
   LREC 2014, and the contributors named in the treebank's README.
3. Pairs written for this package (assets/sample/paraphrase, assets/paraphrase/train), CC0-1.0.
4. WordNet 3.1 (the lexicon; its licence is below).
5. Word frequencies of the package wordfreq (Robyn Speer), data under CC BY-SA 4.0.
6. all-MiniLM-L6-v2 (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2), Apache License
   2.0: the vectors of the lexicon are principal components of its input embeddings and of its
   states, averaged over texts of UD English EWT (train, see 2) and of the openly licensed genres
   of the train split of the GUM corpus (annotations CC BY 4.0, texts CC BY, CC BY-SA and public
   domain; https://github.com/amir-zeldes/gum): Amir Zeldes (2017), The GUM Corpus: Creating
   Multilayer Resources in the Classroom, Language Resources and Evaluation 51(3).

None of the texts is contained in this folder. The code of spacy-sentid is licensed under the MIT
License, see LICENSE at its root.

WordNet License

 This software and database is being provided to you, the LICENSEE, by
 Princeton University under the following license.  By obtaining, using
 and/or copying this software and database, you agree that you have
 read, understood, and will comply with these terms and conditions.:

 Permission to use, copy, modify and distribute this software and
 database and its documentation for any purpose and without fee or
 royalty is hereby granted, provided that you agree to comply with
 the following copyright notice and statements, including the disclaimer,
and that the same appear on ALL copies of the software, database and
documentation, including modifications that you make for internal
use or for distribution.

WordNet 3.1 Copyright 2011 by Princeton University.  All rights reserved.

THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES, EXPRESS OR
IMPLIED.  BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON
UNIVERSITY MAKES NO REPRESENTATIONS OR WARRANTIES OF MERCHANT-
ABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE
OF THE LICENSED SOFTWARE, DATABASE OR DOCUMENTATION WILL NOT
INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR
OTHER RIGHTS.

The name of Princeton University or Princeton may not be used in
advertising or publicity pertaining to distribution of the software
and/or database.  Title to copyright in this software, database and
any associated documentation shall at all times remain with
Princeton University and LICENSEE agrees to preserve same.
"""
ORIGIN = Origin(
    component="paraphrase_tagger",
    trained_on=[
        "Edinburgh++, train (Apache-2.0; https://github.com/xuchen/jacana), words without an "
        "alignment as unparaphrased",
        "pairs made by known edits of UD English EWT r2.16, train (CC BY-SA 4.0; "
        "https://github.com/UniversalDependencies/UD_English-EWT)",
        "pairs written for this package, assets/sample/paraphrase and assets/paraphrase/train "
        "(CC0-1.0)",
        "lexicon: WordNet 3.1 (WordNet License), frequencies of wordfreq (CC BY-SA 4.0), vectors "
        "out of all-MiniLM-L6-v2 (Apache-2.0) over the texts of EWT and of the open part of GUM, "
        "train",
    ],
    chosen_on="the dev pairs rebuilt after ParaTag, 80 contrasts and assets/paraphrase/dev",
    license_name="CC-BY-SA-4.0",
    license_text=LICENSE_TEXT,
)
