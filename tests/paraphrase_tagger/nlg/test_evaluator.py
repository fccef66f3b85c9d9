"""Scores of texts against references, with a stand-in tagger: known values and laws."""

import random

import numpy
import pytest
import spacy
from spacy.language import Language
from spacy.training import Example
from stand_in import PROB, make_stand_in

from spacy_sentid.files.fingerprint import fingerprint_weights
from spacy_sentid.paraphrase_tagger.corpus import SUPPORT, UNPARAPHRASED_KEY
from spacy_sentid.paraphrase_tagger.nlg.comparison import Word
from spacy_sentid.paraphrase_tagger.nlg.evaluator import (
    PairScore,
    TextPair,
    score_pairs,
    stream_scores,
)
from spacy_sentid.paraphrase_tagger.nlg.score_records import score_records
from spacy_sentid.paraphrase_tagger.pairs import make_pair


@pytest.fixture(scope="module")
def nlp() -> Language:
    return make_stand_in()


def score(nlp: Language, *pairs, **settings) -> list[PairScore]:
    return list(stream_scores(nlp, pairs, **settings))


def scores_of(found: PairScore) -> tuple[float | None, ...]:
    return found.p, found.r, found.f


def test_scores_are_means_of_the_support(nlp):
    # Supported: "Sales" and "." in both texts. Not supported: "rose", "fell" and "sharply".
    (found,) = score(nlp, ("Sales rose .", "Sales fell sharply ."))
    assert scores_of(found) == ((3 - 3 + 3) / 3, (3 - 3 - 3 + 3) / 4, (6 - 3 + 6 - 6) / 7)
    assert found.score == found.f


@pytest.mark.parametrize(
    ("hyp", "ref", "expected"),
    [
        # "Sales" and "rose" count in one text; "Sales", "fell" and "sharply" in the other.
        ("Sales rose .", "Sales fell sharply .", (1 / 2, 1 / 3, 2 / 5)),
        ("Sales rose .", "Sales rose .", (1, 1, 1)),
        # Function words and punctuation do not count.
        ("It is on the table .", "The dog slept on the rug .", (0, 0, 0)),
        # They count if there is nothing else. Negations and modals always count.
        ("It is .", "It was .", (1 / 2, 1 / 2, 1 / 2)),
        (". .", "! .", (1, 1 / 2, 2 / 3)),
        ("It will not .", "It will .", (1 / 2, 1, 2 / 3)),
    ],
)
def test_shares_of_supported_words(nlp, hyp, ref, expected):
    (found,) = score(nlp, (hyp, ref))
    assert (found.supported_p, found.supported_r, found.supported_f) == pytest.approx(expected)


def test_a_sentence_that_is_in_the_other_text_is_supported():
    nlp = make_stand_in()

    def doubt(doc):
        support = numpy.full(len(doc), -3.0)
        doc.spans[UNPARAPHRASED_KEY] = [doc[0:1], doc[3:4]]
        doc.spans[UNPARAPHRASED_KEY].attrs.update({SUPPORT: support, "scores": [PROB] * 2})
        return doc

    Language.component("doubt_all", func=doubt)
    nlp.add_pipe("doubt_all")
    (found,) = score(nlp, ("It rained .", "It rained ."), blend=True)
    assert (found.p, found.supported_f, found.blend) == (-3, 1, 1)
    assert found.comparisons[0].hyp.spans == []


def test_spans_have_kinds_and_the_most_severe_is_first(nlp):
    hyp = "The boats left quickly , Ann says , and might not sell 3 ."
    (found,) = score(nlp, (hyp, "The boats , says , and sell ."))
    spans = [(hyp[s.start_char : s.end_char], s.kind) for s in found.comparisons[0].hyp.spans]
    assert spans == [
        ("3", "number"), ("Ann", "name"), ("might not", "negation"), ("left quickly", "content")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("perspective", "expected"), [("p", (1, None, None)), ("r", (None, 0, None))]
)
def test_a_perspective_omits_the_other_side(nlp, perspective, expected):
    (found,) = score(nlp, ("Sales rose .", "Sales fell sharply ."), perspective=perspective)
    assert scores_of(found) == expected
    assert found.score == expected["pr".index(perspective)]
    shares = (found.supported_p, found.supported_r, found.supported_f)
    assert [value is None for value in shares] == [value is None for value in expected]
    assert (found.rouge1_p is None) == (perspective == "r")
    compared = [bool(side.words) for side in (found.comparisons[0].hyp, found.comparisons[0].ref)]
    assert compared == [value is not None for value in expected[:2]]


def test_words_and_spans_are_characters_of_the_texts(nlp):
    hyp = "  Sales\n rose  sharply. "
    (found,) = score(nlp, (hyp, "Sales fell."))
    side = found.comparisons[0].hyp
    assert side.words == [Word(2, 7, 3), Word(9, 13, -3), Word(15, 22, -3), Word(22, 23, 3)]
    assert [(hyp[s.start_char : s.end_char], s.score) for s in side.spans] == [
        ("rose  sharply", PROB)
    ]


def test_each_sentence_is_compared_with_its_matches(nlp):
    hyp = "Costs fell. Sales rose."
    ref = "It rained in Rome. Sales rose in May. Nobody knew why. Costs fell in June."
    (one,) = score(nlp, (hyp, ref), matches=1)
    assert one.p == 3
    # "Nobody knew why." shares only "." with any sentence, so it is compared with the first.
    texts = [ref[s.start_char : s.end_char] for s in one.comparisons[0].ref.spans]
    assert texts == ["in May", "in June", "It rained in Rome", "Nobody knew why"]


def test_spans_do_not_cross_sentences(nlp):
    (found,) = score(nlp, ("It rained\n\nall day ! Nobody knew", "Sales rose !"))
    hyp = found.pair.hyp
    spans = [hyp[s.start_char : s.end_char] for s in found.comparisons[0].hyp.spans]
    assert spans == ["Nobody knew", "It rained\n\nall day"]


def test_several_matches_support_what_no_single_one_does(nlp):
    hyp, ref = "Sales rose and costs fell", "Sales rose. Costs fell. It rained and rained."
    (one,) = score(nlp, (hyp, ref), matches=1, perspective="p")
    (three,) = score(nlp, (hyp, ref), matches=3, perspective="p")
    assert one.p < three.p == 3


def test_each_word_has_its_best_support():
    nlp = spacy.blank("en")
    seen = []

    def tag(doc):
        second = doc.text.split()[-2]
        seen.append(doc.text)
        values = {"b": [1.0, -2.0], "c": [-1.0, 5.0]}[second]
        doc.spans[UNPARAPHRASED_KEY] = [doc[0:1]] if second == "c" else [doc[1:2]]
        attrs = {SUPPORT: numpy.array([*values, 0.0, 0.0], "float32"), "scores": [0.9]}
        doc.spans[UNPARAPHRASED_KEY].attrs.update(attrs)
        return doc

    Language.component("tag_by_table", func=tag)
    nlp.add_pipe("tag_by_table")

    (found,) = stream_scores(nlp, [("x y", "b ! c !")], perspective="p", matches=2)
    assert seen == ["x y b !", "x y c !"]
    assert [word.support for word in found.comparisons[0].hyp.words] == [1, 5]
    # In the comparison that counts, neither word is in a span.
    assert found.comparisons[0].hyp.spans == []


def words(rng: random.Random, n: int) -> str:
    return " ".join(rng.choice(["a", "b", "c", "d", "e", ".", "f g h", "\n"]) for _ in range(n))


@pytest.fixture(scope="module")
def pairs() -> list[TextPair]:
    rng = random.Random(0)
    texts = [f"a {words(rng, rng.randint(1, 30))}" for _ in range(90)]
    return [TextPair(a, [b, c], i) for i, (a, b, c) in enumerate(zip(*[iter(texts)] * 3))]  # noqa: B905


@pytest.mark.parametrize("settings", [{"batch_size": 1}, {"batch_size": 7}, {"n_process": 2}])
def test_batches_and_processes_do_not_change_scores(nlp, pairs, settings):
    assert score(nlp, *pairs, **settings) == score(nlp, *pairs)


@pytest.mark.parametrize("perspective", ["p", "r"])
def test_one_perspective_has_the_same_score_as_both(nlp, pairs, perspective):
    both = score(nlp, *pairs, matches=2)
    alone = score(nlp, *pairs, matches=2, perspective=perspective)
    assert [getattr(x, perspective) for x in both] == [x.score for x in alone]


def test_identical_texts_are_supported(nlp, pairs):
    for found in score(nlp, *[(pair.hyp, pair.hyp) for pair in pairs], matches=1):
        assert scores_of(found) == (3, 3, 3)
        assert not found.comparisons[0].hyp.spans + found.comparisons[0].ref.spans


def test_swapped_sides_swap_precision_and_recall(nlp, pairs):
    there = score(nlp, *[(pair.hyp, pair.refs[0]) for pair in pairs])
    back = score(nlp, *[(pair.refs[0], pair.hyp) for pair in pairs])
    assert [(x.p, x.r) for x in there] == [(x.r, x.p) for x in back]
    assert [x.f for x in there] == pytest.approx([x.f for x in back])


@pytest.mark.parametrize(("aggregate", "take"), [("max", max), ("mean", numpy.mean)])
def test_references_are_aggregated(nlp, pairs, aggregate, take):
    for found in score(nlp, *pairs, aggregate=aggregate):
        each = [score(nlp, (found.pair.hyp, ref))[0] for ref in found.pair.refs]
        for name in "prf":
            assert getattr(found, name) == take([getattr(one, name) for one in each])
        assert [one.comparisons[0] for one in each] == found.comparisons
        assert each[found.best].f == max(one.f for one in each)


@pytest.mark.parametrize("aggregate", ["max", "mean"])
def test_order_of_references_does_not_matter(nlp, pairs, aggregate):
    turned = [pair._replace(refs=pair.refs[::-1]) for pair in pairs]
    before = [scores_of(x) for x in score(nlp, *pairs, aggregate=aggregate)]
    assert before == [scores_of(x) for x in score(nlp, *turned, aggregate=aggregate)]


def test_every_word_counts_once_and_is_in_the_text(nlp, pairs):
    for found in score(nlp, *pairs):
        for comparison, ref in zip(found.comparisons, found.pair.refs, strict=True):
            for side, text in ((comparison.hyp, found.pair.hyp), (comparison.ref, ref)):
                words_of_side = [text[word.start_char : word.end_char] for word in side.words]
                assert "".join(words_of_side) == "".join(text.split())
            support = [w.support for w in comparison.hyp.words + comparison.ref.words]
            assert comparison.f == pytest.approx(sum(support) / len(support))


BAD = [
    (TextPair("", "a", 7), r"7\b.*words"),
    (TextPair("a", ["b", " \n"], "x"), "'x'.*reference"),
    (TextPair("a", [], 1), r"1\b.*reference"),
    (TextPair("a" * 1_000_001, "a", 1), "1,000,001"),
    (TextPair("a nan", "a", 5), r"5\b.*support"),
]


@pytest.mark.parametrize(("pair", "message"), BAD)
def test_a_bad_pair_is_named(nlp, pair, message):
    with pytest.raises(ValueError, match=message):
        score(nlp, ("a", "a"), pair)


def test_bad_pairs_are_skipped_in_records(nlp):
    good = TextPair("a", "a", "good")
    pairs = [good, *(pair for pair, _ in BAD[:-1]), good, TextPair("a", "b")]
    found = score_records(nlp, pairs, allow_identical=True)
    assert [isinstance(one, ValueError) for one in found] == [False, *[True] * 4, False, False]
    found = score_records(nlp, pairs, allow_identical=False)
    assert [isinstance(one, ValueError) for one in found] == [*[True] * 6, False]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"perspective": "x"}, "perspective"),
        ({"aggregate": "min"}, "aggregate"),
        ({"matches": 0}, "matches"),
        ({"blend": True, "perspective": "p"}, "perspective"),
    ],
)
def test_wrong_settings_are_errors(nlp, settings, message):
    with pytest.raises(ValueError, match=message):
        score(nlp, ("a", "a"), **settings)


def test_a_pipeline_without_tagger_is_an_error():
    with pytest.raises(ValueError, match="paraphrase_tagger"):
        score(spacy.blank("en"), ("a", "a"))


def test_lists_of_texts_are_scored(nlp):
    hyps, refs = ["a b", "c"], ["a", ["d", "c"]]
    found = score_pairs(hyps, refs, nlp=nlp, perspective="p")
    assert found == score(
        nlp,
        *[TextPair(*pair, i) for i, pair in enumerate(zip(hyps, refs, strict=True))],
        perspective="p",
    )
    assert score_pairs([], [], nlp=nlp) == []


@pytest.mark.parametrize(
    ("hyps", "refs", "message"),
    [
        (["a"], ["b", "c"], "same length"),
        ("a", ["b"], "'hyps' and 'refs' must be lists"),
        (["a"], "b", "'hyps' and 'refs' must be lists"),
        ([1], ["b"], "Pair 0: the text must be a string, got 1"),
        (["a"], [[None]], "Pair 0: the reference must be a string, got None"),
        (["a"], [""], "Pair 0: the reference must have words"),
    ],
)
def test_lists_that_do_not_fit_are_errors(nlp, hyps, refs, message):
    with pytest.raises(ValueError, match=message):
        score_pairs(hyps, refs, nlp=nlp)


def test_a_language_without_weights_cannot_score():
    with pytest.raises(ValueError, match="'fi'"):
        score_pairs(["a"], ["b"], lang="fi")


def test_no_pairs_give_no_scores(nlp):
    assert score(nlp) == []


def test_pairs_are_read_as_they_are_needed(nlp):
    def endless():
        while True:
            yield "a b", "a"

    found = stream_scores(nlp, endless(), batch_size=2)
    assert [next(found).p for _ in range(5)] == [0] * 5


def test_a_lone_surrogate_is_a_character(nlp):
    (found,) = score(nlp, ("a \ud800 b", "a"))
    assert [word.start_char for word in found.comparisons[0].hyp.words] == [0, 2, 4]


def test_a_long_document_costs_few_short_pairs():
    seen = []

    def count(doc):
        seen.append(len(doc))
        return doc

    Language.component("count_docs", func=count)
    nlp = make_stand_in()
    nlp.add_pipe("count_docs")
    ref = " ".join(f"Word{i} stands here." for i in range(1000))
    hyp = "Word7 stands. Word500 stands. Word999 stands."
    (found,) = stream_scores(nlp, [(hyp, ref)], perspective="p", matches=2)
    assert found.p == 3
    assert (len(seen), max(seen)) == (6, 3 + 4)


def test_support_and_key_are_those_of_the_component():
    nlp = spacy.blank("en")
    model = {"features": {"lexicon": None}, "width": 8, "dilations": [1]}
    config = {"model": model, "pretrained": None, "key": "other"}
    nlp.add_pipe("paraphrase_tagger", config=config)
    doc = make_pair(nlp, "Sales rose .", "Sales fell sharply .")
    doc.spans["other"] = [doc[1:2]]
    nlp.initialize(lambda: [Example(doc.copy(), doc)])
    support = nlp(make_pair(nlp, "Sales rose .", "Sales fell sharply .")).spans["other"]
    support = support.attrs[SUPPORT].astype("float64")
    (found,) = score(nlp, ("Sales rose .", "Sales fell sharply ."))
    expected = (support[:3].mean(), support[3:].mean(), support.mean())
    assert scores_of(found) == pytest.approx(expected)


def test_fingerprints_distinguish_pipelines():
    nlp = make_stand_in()
    before = fingerprint_weights(nlp)
    assert before == fingerprint_weights(make_stand_in())
    nlp.add_pipe("sentencizer")
    assert fingerprint_weights(nlp) != before
