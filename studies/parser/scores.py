"""Score a pipeline's tagger and parser on noun phrases and on a treebank (section 6.1).

phrases -> Docs -> wrong punctuation, NP detection; gold Docs -> Docs -> POS accuracy, UAS, LAS

Scores are 0 to 1; tables are in percent.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.scorer import Scorer
from spacy.tokens import Doc
from spacy.training import Example

from spacy_sentid.corpus_augmenter.noun_phrases import base_relation
from studies.parser.phrases import parse_phrases, universal_tags

IGNORED = ["p", "punct"]  # relations that spaCy's own LAS ignores


@dataclass(frozen=True)
class NounPhraseScores:
    """Counts over parsed noun phrases.

    wrong_punct: The phrases whose last word has the tag PUNCT or the relation `punct`.
    cut: The phrases that were split into several trees. They count as not detected.
    roots: Number of the other phrases by UPOS of their single root, the most frequent first.
    """

    n_phrases: int
    wrong_punct: tuple[str, ...]
    cut: tuple[str, ...]
    roots: dict[str, int]

    @property
    def wrong_punct_rate(self) -> float:
        """Share of the phrases that wrongly end in punctuation; lower is better."""
        return len(self.wrong_punct) / self.n_phrases

    @property
    def np_detection(self) -> float:
        """Share of the phrases whose single root is a NOUN, as in the paper."""
        return self.roots.get("NOUN", 0) / self.n_phrases

    @property
    def propn_rate(self) -> float:
        """Share of the phrases whose single root is a PROPN."""
        return self.roots.get("PROPN", 0) / self.n_phrases

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, the rates (0 to 1) and the wrong phrases as JSON data."""
        return {
            "n_phrases": self.n_phrases,
            "n_wrong_punct": len(self.wrong_punct),
            "wrong_punct_rate": self.wrong_punct_rate,
            "np_detection": self.np_detection,
            "propn_rate": self.propn_rate,
            "n_cut": len(self.cut),
            "roots": self.roots,
            "wrong_punct": list(self.wrong_punct),
            "cut": list(self.cut),
        }


class TreebankScores(NamedTuple):
    """Scores on a treebank, 0 to 1, or None if the treebank lacks the annotation.

    uas, las: Scores as computed by spaCy. Subtypes count ("nsubj:pass" is not "nsubj"), and words
        with the relation `punct` are ignored.
    las_with_punct: The same LAS over all words.
    las_conll: LAS of CoNLL 2018, over all words and without subtypes ("nsubj:pass" is "nsubj").
    """

    n_units: int
    n_words: int
    pos_acc: float | None
    uas: float | None
    las: float | None
    las_with_punct: float | None
    las_conll: float | None


def score_noun_phrases(docs: Iterable[Doc]) -> NounPhraseScores:
    """Score parsed Docs, each of one noun phrase without final punctuation.

    White-space tokens are ignored. Raises ValueError if there are no Docs, or if a Doc has no
    words, universal tags or tree.
    """
    wrong_punct, cut, n_phrases = [], [], 0
    roots: Counter[str] = Counter()
    for n_phrases, doc in enumerate(docs, start=1):
        words = [token for token in doc if not token.text.isspace()]
        if not words:
            raise ValueError(
                f"Phrase {n_phrases} must have words, got {doc.text!r}. Exclude empty phrases."
            )
        upos = universal_tags(doc)
        last = words[-1]
        if upos[last.i] == "PUNCT" or base_relation(last.dep_) == "punct":
            wrong_punct.append(doc.text.strip())
        # A parser may attach words to white space, which then counts as a separate root.
        tops = [word for word in words if word.head.i == word.i or word.head.text.isspace()]
        if len(tops) > 1:
            cut.append(doc.text.strip())
        else:
            roots[upos[tops[0].i]] += 1
    if not n_phrases:
        raise ValueError("There must be noun phrases to score, got none. Check the input.")
    return NounPhraseScores(n_phrases, tuple(wrong_punct), tuple(cut), dict(roots.most_common()))


def score_treebank(nlp: Language, docs: Iterable[Doc]) -> TreebankScores:
    """Parse the units of a treebank and compare them with gold.

    docs: Docs of one unit each, with gold UPOS and tree. The pipeline keeps their words.

    Raises ValueError if there are no gold trees, or the pipeline sets no tags or trees.
    """
    gold = list(docs)
    without = sum(not doc.has_annotation("DEP") for doc in gold)
    if not gold or without:
        raise ValueError(
            f"Gold units must have HEAD and DEPREL, got {without} of {len(gold)} units without a "
            "tree. Choose another treebank."
        )
    examples = []
    for predicted, reference in zip(parse_phrases(nlp, gold), gold, strict=True):
        tags = universal_tags(predicted)
        if not predicted.has_annotation("POS"):
            for token, tag in zip(predicted, tags, strict=True):
                token.pos_ = tag
        examples.append(Example(predicted, reference))

    def score_deps(ignored: list[str], *, base: bool = False) -> dict[str, Any]:
        # Lower case makes "root" and "ROOT" equal, as in spaCy's own scorer of parsers.
        def get_relation(token: Any, attr: str) -> str:
            return base_relation(token.dep_.lower()) if base else token.dep_.lower()

        return Scorer.score_deps(examples, "dep", getter=get_relation, ignore_labels=ignored)

    scores = score_deps(IGNORED)
    return TreebankScores(
        n_units=len(gold),
        n_words=sum(map(len, gold)),
        pos_acc=Scorer.score_token_attr(examples, "pos")["pos_acc"],
        uas=scores["dep_uas"],
        las=scores["dep_las"],
        las_with_punct=score_deps([])["dep_las"],
        las_conll=score_deps([], base=True)["dep_las"],
    )


def noun_phrase_rows(scores: Mapping[str, NounPhraseScores]) -> list[list[str]]:
    """Make the table of wrong punctuation and NP detection in percent, with a row per list."""
    rows = [["noun phrases", "number", "wrong punct", "%", "NOUN", "PROPN", "either", "cut"]]
    for name, entry in scores.items():
        rates = [
            entry.wrong_punct_rate,
            entry.np_detection,
            entry.propn_rate,
            entry.np_detection + entry.propn_rate,
            len(entry.cut) / entry.n_phrases,
        ]
        counts = [f"{entry.n_phrases:,}", f"{len(entry.wrong_punct):,}"]
        rows.append([name, *counts, *map(_percent, rates)])
    return rows


def root_rows(scores: Mapping[str, NounPhraseScores]) -> list[list[str]]:
    """Make the table of roots that are not nouns, with a row per tag and a column per list.

    RETURNS: The heading, then the tags, the most frequent first.
    """
    total: Counter[str] = Counter()
    for entry in scores.values():
        total.update(entry.roots)
    tags = [tag for tag, _ in total.most_common() if tag not in ("NOUN", "PROPN")]
    return [["other root", *scores]] + [
        [tag or "none", *(f"{entry.roots.get(tag, 0):,}" for entry in scores.values())]
        for tag in tags
    ]


def treebank_rows(name: str, scores: TreebankScores) -> list[list[str]]:
    """Make the table of scores of one treebank in percent."""
    heading = ["treebank", "units", "POS", "UAS", "LAS", "LAS with punct", "LAS of CoNLL"]
    return [heading, [name, f"{scores.n_units:,}", *map(_percent, scores[2:])]]


def _percent(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.1f}"
