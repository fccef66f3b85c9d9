"""Scores of taggers on tagged pairs, and of word overlap, for Table 3.

pairs, pipelines -> P(unparaphrased) of each word -> scores at a fixed and a tuned threshold -> rows

Scores are 0 to 1.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from spacy.language import Language

from spacy_sentid.arrays import Floats1d, sigmoid
from spacy_sentid.components.pipelines import find
from spacy_sentid.paraphrase_tagger.corpus import SUPPORT, TaggedPair
from spacy_sentid.paraphrase_tagger.decode import find_spans
from spacy_sentid.paraphrase_tagger.matching.words import FUNCTION_WORDS, describe_word
from spacy_sentid.paraphrase_tagger.pairs import make_pair
from spacy_sentid.paraphrase_tagger.scorer import score_tags
from spacy_sentid.scores import summarise_scores
from studies.paraphrase_data.annotations import gold_tags

# Candidate thresholds for tuning.
THRESHOLDS = np.linspace(0.01, 0.99, 99)


class PairProbs(NamedTuple):
    """A tagged pair with P(unparaphrased) of its words, text 1 first."""

    pair: TaggedPair
    probs: Floats1d
    extend: float | None = None  # the setting of the tagger


def predict_pairs(nlp: Language, pairs: Sequence[TaggedPair]) -> list[PairProbs]:
    """Run a pipeline with a paraphrase tagger over pairs."""
    settings = find(nlp, "paraphrase_tagger").cfg
    docs = nlp.pipe(make_pair(nlp, p.words1, p.words2, pair_id=p.id) for p in pairs)
    return [
        PairProbs(pair, sigmoid(-doc.spans[settings["key"]].attrs[SUPPORT]), settings["extend"])
        for pair, doc in zip(pairs, docs, strict=True)
    ]


def tune_on(found: Sequence[PairProbs]) -> float:
    """Find the threshold, of THRESHOLDS, with the highest F1; the lowest of several."""
    scores = [score_at(found, float(t))["unparaphrased_f"] for t in THRESHOLDS]
    return float(THRESHOLDS[int(np.argmax(scores))])


def score_at(found: Sequence[PairProbs], threshold: float) -> dict[str, float]:
    """Score predictions at a threshold (see `scorer.score_tags`)."""
    golds, preds = [], []
    for pair, probs, extend in found:
        cut = len(pair.words1)
        gold = gold_tags([pair])
        golds += [gold[:cut], gold[cut:]]
        for part in (probs[:cut], probs[cut:]):
            pred = np.zeros(len(part), dtype="int64")
            for start, end in find_spans(part.tolist(), threshold, extend):
                pred[start:end] = 1
            preds.append(pred)
    return score_tags(golds, preds)


def tag_by_overlap(pair: TaggedPair, *, function_words: bool) -> PairProbs:
    """Tag words by overlap: 1 if no word of the other text has the same core.

    function_words: Also tag function words and punctuation; otherwise they are always 0.
    """
    sides = [[describe_word(word) for word in words] for words in (pair.words1, pair.words2)]
    tags = []
    for own, other in (sides, sides[::-1]):
        cores = {word.core for word in other}
        for word in own:
            is_bare = word.core in FUNCTION_WORDS or not any(map(str.isalnum, word.core))
            tags.append(word.core not in cores and (function_words or not is_bare))
    return PairProbs(pair, np.asarray(tags, dtype="float32"))


def evaluate_taggers(
    nlps: Iterable[Language],
    pairs: Sequence[TaggedPair],
    *,
    dev: Sequence[TaggedPair],
    by_source: bool = False,
) -> dict[str, Any]:
    """Score the pipelines of one recipe (its seeds), and word overlap for comparison.

    nlps: At least one pipeline, each with a paraphrase tagger.
    dev: Pairs to tune the threshold of each pipeline on.
    by_source: Also score the pairs of each source separately.
    RETURNS: "threshold", the setting of the first pipeline, and "rows". A row has "system", "pairs"
        ("all" or a source), "seeds" (their number), "thresholds" (tuned, or None), and the scores
        "fixed" and "tuned", 0 to 1 (see `summarise_scores`; {} = not tuned).
    """
    runs: dict[str, list[tuple[list[PairProbs], float | None]]] = {
        name: [([tag_by_overlap(pair, function_words=function_words) for pair in pairs], None)]
        for name, function_words in (("overlap", True), ("overlap, content words", False))
    }
    runs["tagger"] = []
    thresholds = []
    for nlp in nlps:
        thresholds.append(find(nlp, "paraphrase_tagger").cfg["threshold"])
        runs["tagger"].append((predict_pairs(nlp, pairs), tune_on(predict_pairs(nlp, dev))))
    # Sources in order of first appearance; None = all pairs.
    sources = [None, *dict.fromkeys(pair.source for pair in pairs if by_source)]
    rows = []
    for system, results in runs.items():
        for source in sources:
            fixed, at_tuned = [], []
            for found, tuned in results:
                chosen = [row for row in found if source in (None, row.pair.source)]
                fixed.append(score_at(chosen, thresholds[0]))
                if tuned is not None:
                    at_tuned.append(score_at(chosen, tuned))
            row: dict[str, Any] = {"system": system, "pairs": "all" if source is None else source}
            row |= {"seeds": len(results), "thresholds": [tuned for _, tuned in results]}
            row["fixed"] = summarise_scores(fixed)
            row["tuned"] = summarise_scores(at_tuned) if at_tuned else {}
            rows.append(row)
    return {"threshold": thresholds[0], "rows": rows}
