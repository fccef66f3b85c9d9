"""Builder of a lexicon, which has word forms with their frequencies, keys and vectors.

core -> frequency, names of keys of each kind, vector -> arrays in the format of the tagger
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from spacy_sentid.arrays import Floats2d
from spacy_sentid.paraphrase_tagger.matching.lexicon import (
    EMPTY,
    LEMMA,
    OPPOSITE,
    VECTOR_SCALE,
    WIDTH,
    Lexicon,
)
from spacy_sentid.paraphrase_tagger.matching.words import hash_core


def build_lexicon(
    entries: Mapping[str, tuple[float, Sequence[Iterable[str]]]],
    vectors: Floats2d | None = None,
    groups: Floats2d | None = None,
) -> Lexicon:
    """Build a lexicon from entries.

    entries: Core -> frequency, and names of keys for each of the 4 kinds. Lemmas and opposites are
        named by lemmas, and senses are named by any strings.
    vectors: Vectors of size 1, in the order of the entries, shape (n_entries, WIDTH). Without them,
        all words have the vector 0.
    groups: Matrix from letter groups to vectors, shape (N_BINS, WIDTH).

    >>> lexicon = build_lexicon({
    ...     "rose": (5.1, (["rise"], ["rise.v"], [], ["fall"])),
    ...     "fell": (5.0, (["fall"], ["fall.v"], [], ["rise"])),
    ... })
    >>> rows = lexicon.find(np.array([hash_core("rose"), hash_core("fell"), hash_core("cat")]))
    >>> opposites, lemmas = lexicon.find_keys(rows, OPPOSITE), lexicon.find_keys(rows, LEMMA)
    >>> opposites[0].tolist(), opposites[1].tolist() == lemmas[1].tolist()[::-1]
    ([0, 1], True)
    """
    by_hash = {hash_core(core): entry for core, entry in entries.items()}
    places = {hash_core(core): place for place, core in enumerate(entries)}
    forms = sorted(by_hash)
    numbers: dict[tuple[str, str], int] = {}
    keys: list[int] = []
    starts = [0]
    for form in forms:
        for kind, names in enumerate(by_hash[form][1]):
            space = "lemma" if kind in (LEMMA, OPPOSITE) else "sense"
            found = [numbers.setdefault((space, name), len(numbers)) for name in names]
            keys += sorted(set(found))
            starts.append(len(keys))
    rows = np.zeros((len(forms), WIDTH), dtype="int8")
    if vectors is not None:
        ordered = vectors[[places[form] for form in forms]]
        rows = np.round(ordered * VECTOR_SCALE).clip(-VECTOR_SCALE, VECTOR_SCALE).astype("int8")
    return Lexicon(
        np.asarray(forms, dtype="uint32"),
        np.asarray([by_hash[form][0] for form in forms], dtype="float32"),
        np.asarray(starts, dtype="int32"),
        np.asarray(keys, dtype="int32"),
        rows,
        EMPTY.groups if groups is None else groups.astype("float16"),
    )
