"""Score a tagger and parser on noun phrases and on a treebank (section 6.1).

phrases -> any pipeline -> Docs -> wrong punctuation, NP detection
gold Docs -> any pipeline -> Docs -> POS accuracy, UAS, LAS

Scores are 0 to 1; `noun_phrase_rows`, `root_rows` and `treebank_rows` give percent.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.parts_of_speech import IDS
from spacy.scorer import Scorer
from spacy.tokens import Doc, Token
from spacy.training import Example

from .noun_phrases import base_relation

UPOS = frozenset(IDS) - {"", "CONJ", "EOL", "SPACE"}  # spaCy has more than the 17 of UD
BATCH_SIZE = 128
IGNORED = ("p", "punct")  # relations that spaCy's own LAS leaves out


@dataclass(frozen=True)
class NounPhraseScores:
    """Counts over parsed noun phrases. Each is cut into several trees or has one root.

    wrong_punct: The phrases whose last word is tagged PUNCT or is a `punct`.
    cut: The phrases that are several trees. They are not detected, whatever their roots are.
    roots: Number of the other phrases by UPOS of their root, the most frequent first.
    """

    n_phrases: int
    wrong_punct: tuple[str, ...]
    cut: tuple[str, ...]
    roots: dict[str, int]

    @property
    def wrong_punct_rate(self) -> float:
        """Share of the phrases that end in wrong punctuation; lower is better."""
        return len(self.wrong_punct) / self.n_phrases

    @property
    def np_detection(self) -> float:
        """Share of the phrases whose single root is a NOUN, as in the paper."""
        return self.roots.get("NOUN", 0) / self.n_phrases

    @property
    def propn_rate(self) -> float:
        """Share of the phrases whose single root is a PROPN."""
        return self.roots.get("PROPN", 0) / self.n_phrases

    def to_json(self) -> dict[str, Any]:
        """Give counts, rates (0-1) and the phrases that went wrong."""
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


@dataclass(frozen=True)
class TreebankScores:
    """Scores on a treebank, 0 to 1; None where the treebank lacks the annotation.

    uas, las: As spaCy has them: relations as annotated ("nsubj:pass" is not "nsubj"), without
        words whose relation is `punct`.
    las_with_punct: The same over all words.
    las_conll: Over all words, subtypes cut off ("nsubj:pass" is "nsubj"): LAS of CoNLL 2018.
    """

    n_units: int
    n_words: int
    pos_acc: float | None
    uas: float | None
    las: float | None
    las_with_punct: float | None
    las_conll: float | None

    def to_json(self) -> dict[str, Any]:
        """Give the scores by name."""
        return asdict(self)


def read_phrases(path: Path) -> list[str]:
    """Read phrases, one a line, without white space around them; empty lines are passed over."""
    phrases = []
    with path.open("rb") as file:
        for number, raw in enumerate(file, start=1):
            try:
                phrase = raw.decode("utf8").removeprefix("\ufeff").strip()
            except UnicodeDecodeError as error:
                raise ValueError(
                    f"{path.name}:{number}: found bytes that are not UTF-8 ({error.reason}), "
                    "expected a phrase in UTF-8. Convert the file."
                ) from error
            if phrase:
                phrases.append(phrase)
    if not phrases:
        raise ValueError(f"Found no phrases in {path}, expected one a line. Check the file.")
    return phrases


def parse_phrases(
    nlp: Language, phrases: Iterable[str | Doc], *, batch_size: int = BATCH_SIZE
) -> Iterator[Doc]:
    """Run a pipeline on phrases, in order. Of a Doc its words and spaces are kept, nothing else."""
    inputs = (
        phrase
        if isinstance(phrase, str)
        else Doc(
            nlp.vocab,
            words=[token.text for token in phrase],
            spaces=[bool(token.whitespace_) for token in phrase],
        )
        for phrase in phrases
    )
    yield from nlp.pipe(inputs, batch_size=batch_size)


def score_noun_phrases(docs: Iterable[Doc]) -> NounPhraseScores:
    """Score parsed Docs each of which is one noun phrase without final punctuation.

    White-space tokens are passed over. Raises ValueError if there is no Doc, or one without words,
    universal tags or a tree.
    """
    wrong_punct, cut, n_phrases = [], [], 0
    roots: Counter[str] = Counter()
    for n_phrases, doc in enumerate(docs, start=1):
        words = [token for token in doc if not token.text.isspace()]
        if not words:
            raise ValueError(
                f"Phrase {n_phrases} is {doc.text!r}, expected words. Leave empty phrases out."
            )
        _check_tree(doc)
        upos = universal_tags(doc)
        last = words[-1]
        if upos[last.i] == "PUNCT" or base_relation(last.dep_) == "punct":
            wrong_punct.append(doc.text.strip())
        # A parser may hang words on white space, which is a root of its own.
        tops = [word for word in words if word.head.i == word.i or word.head.text.isspace()]
        if len(tops) > 1:
            cut.append(doc.text.strip())
        else:
            roots[upos[tops[0].i]] += 1
    if not n_phrases:
        raise ValueError("Found no noun phrases to score, expected at least one. Check the input.")
    return NounPhraseScores(n_phrases, tuple(wrong_punct), tuple(cut), dict(roots.most_common()))


def score_treebank(
    nlp: Language,
    docs: Iterable[Doc],
    *,
    gold_words: bool = True,
    batch_size: int = BATCH_SIZE,
    on_unit: Callable[[Doc], object] | None = None,
) -> TreebankScores:
    """Parse the units of a treebank and compare them with gold.

    docs: One unit each, with gold UPOS and tree.
    gold_words: Keep their words; else the pipeline cuts their text, and F1 is over the words that
        both have. That text has the words of a multiword token, not what is written.
    on_unit: Called with each parsed Doc.
    Raises ValueError if there is no gold, or the pipeline gives no tags or trees.
    """
    gold = list(docs)
    if not gold or not all(doc.has_annotation("DEP") for doc in gold):
        without = sum(not doc.has_annotation("DEP") for doc in gold)
        raise ValueError(
            f"Found {len(gold)} gold units, {without} of them without a tree, expected HEAD and "
            "DEPREL throughout. Choose another treebank."
        )
    phrases: Iterable[str | Doc] = gold if gold_words else [doc.text for doc in gold]
    examples = []
    parsed = parse_phrases(nlp, phrases, batch_size=batch_size)
    for predicted, reference in zip(parsed, gold, strict=True):
        _check_tree(predicted)
        tags = universal_tags(predicted)
        if not predicted.has_annotation("POS"):
            for token, tag in zip(predicted, tags, strict=True):
                token.pos_ = tag
        examples.append(Example(predicted, reference))
        if on_unit is not None:
            on_unit(predicted)
    spacy_scores = Scorer.score_deps(
        examples, "dep", getter=_get_relation, ignore_labels=list(IGNORED)
    )
    with_punct = Scorer.score_deps(examples, "dep", getter=_get_relation)
    conll = Scorer.score_deps(examples, "dep", getter=_get_base_relation)
    return TreebankScores(
        n_units=len(gold),
        n_words=sum(map(len, gold)),
        pos_acc=Scorer.score_token_attr(examples, "pos")["pos_acc"],
        uas=spacy_scores["dep_uas"],
        las=spacy_scores["dep_las"],
        las_with_punct=with_punct["dep_las"],
        las_conll=conll["dep_las"],
    )


def universal_tags(doc: Doc) -> list[str]:
    """Read UPOS of all tokens: `pos_`, or `tag_` if nothing set `pos_` and all tags are universal.

    White space counts as a tag "SPACE" or none. Raises ValueError without universal tags.
    """
    if doc.has_annotation("POS"):
        return [token.pos_ for token in doc]
    unknown = {token.tag_ for token in doc if not token.text.isspace()} - UPOS
    if unknown:
        found = ", ".join(sorted(tag or "none" for tag in unknown)[:5])
        raise ValueError(
            f"Found tags that are not universal ({found}) and no pos_ in {doc.text[:40]!r}, "
            "expected UPOS such as NOUN and PUNCT. Choose a pipeline with a morphologizer, or with "
            "a tagger trained on UPOS."
        )
    return ["SPACE" if token.text.isspace() else token.tag_ for token in doc]


def noun_phrase_rows(scores: Mapping[str, NounPhraseScores]) -> list[list[str]]:
    """Make the table of wrong punctuation and NP detection in percent, a row for each list."""
    heading = ["noun phrases", "number", "wrong punct", "%", "NOUN", "PROPN", "either", "cut"]
    rows = [heading]
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
    """Count the roots that are no noun: a row for each tag, a column for each list.

    RETURNS: The heading, then the tags, the most frequent first.
    """
    total: Counter[str] = Counter()
    for entry in scores.values():
        total.update(entry.roots)
    rows = [["other root", *scores]]
    for tag, _ in total.most_common():
        if tag not in ("NOUN", "PROPN"):
            rows.append(
                [tag or "none", *(f"{entry.roots.get(tag, 0):,}" for entry in scores.values())]
            )
    return rows


def treebank_rows(name: str, scores: TreebankScores) -> list[list[str]]:
    """Make the table of one treebank in percent."""
    heading = ["treebank", "units", "POS", "UAS", "LAS", "LAS with punct", "LAS of CoNLL"]
    values = [scores.pos_acc, scores.uas, scores.las, scores.las_with_punct, scores.las_conll]
    return [heading, [name, f"{scores.n_units:,}", *map(_percent, values)]]


def _check_tree(doc: Doc) -> None:
    if not doc.has_annotation("DEP"):
        raise ValueError(
            f"Found no relations in {doc.text[:40]!r} after parsing, expected a tree. Choose a "
            "pipeline with a parser."
        )


def _get_relation(token: Token, attr: str) -> str:
    # spaCy's own parser scorer ignores case, which makes "root" and "ROOT" one.
    relation: str = getattr(token, f"{attr}_")
    return relation.lower()


def _get_base_relation(token: Token, attr: str) -> str:
    return base_relation(_get_relation(token, attr))


def _percent(score: float | None) -> str:
    return "-" if score is None else f"{100 * score:.1f}"
