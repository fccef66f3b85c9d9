"""Laws that each component must fulfil for any text, checked on many texts at once.

Texts that spaCy cannot process are first made readable, as by the commands.
"""

import random
from collections.abc import Sequence
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import tiny
from hostile_faults import Fault, Faults
from spacy.language import Language
from spacy.tokens import Doc

from spacy_sentid import load, make_pair, original_offset, original_span, strip_nsu
from spacy_sentid.batch.formats.records import readable_text
from spacy_sentid.components.pipelines import open_memory_zone
from spacy_sentid.paraphrase_tagger.nlg.evaluator import TextPair, check_texts, stream_scores
from spacy_sentid.rule_sentencizer import filters
from spacy_sentid.rule_sentencizer.filtered_tokenizer import FilteredTokenizer
from spacy_sentid.rule_sentencizer.segment import NEWLINES, segment
from spacy_sentid.sentence_identifier.settings import CHOICES
from spacy_sentid.text.language_data import list_languages
from spacy_sentid.text.long_texts import cut_text
from spacy_sentid.text.offsets import source_span

# Maximum difference of the scores of a text between batches.
TOLERANCE = 1e-5
# If two segmentations are equally good, as for "x-x-x-x-", the last digit decides. This many texts
# may have other units in another batch, if their probabilities are equal.
MAX_TIES = 3
# One of AGAIN texts is run again in other batches, and one of ALONE texts alone, which is slower.
AGAIN = 4
ALONE = 40


def sample(texts: Sequence[Any], step: int, rng: random.Random) -> list[int]:
    """Draw the numbers of about one text in `step`; a single text is always drawn."""
    return list(range(rng.randrange(step) if len(texts) > 1 else 0, len(texts), step))


def run_again(nlp: Language, texts: Sequence[str], rng: random.Random) -> dict[int, list[Doc]]:
    """Run some texts again in other batches, and some alone; return Docs by number of text."""
    again = sample(texts, AGAIN, rng)[::-1]
    docs = nlp.pipe([texts[n] for n in again], batch_size=rng.choice([7, 50, 500]))
    found = {n: [doc] for n, doc in zip(again, docs, strict=True)}
    for n in sample(texts, ALONE, rng):
        found.setdefault(n, []).append(nlp(texts[n]))
    return found


@cache
def load_once(name: str, component: str) -> Language:
    """Load a pipeline once per process."""
    return load(name, component)


def units_of(doc: Doc) -> list[tuple[int, int, str, float, float]]:
    """List the units of a Doc with their scores."""
    return [
        (span.start, span.end, span.label_, float(score), float(label_score))
        for group in (doc.spans["su"], doc.spans["nsu"])
        for span, score, label_score in zip(
            group, group.attrs["scores"], group.attrs["label_scores"], strict=True
        )
    ]


def probs_of(doc: Doc) -> np.ndarray:
    """Read P(BOS) and P(EOS) of the tokens of a Doc."""
    attrs = doc.spans["su"].attrs
    return np.concatenate([attrs["bos_prob"], attrs["eos_prob"]])


def are_alike(one: Any, other: Any) -> bool:
    """Compare nested sequences, whose numbers may differ by TOLERANCE."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) <= TOLERANCE
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(are_alike, one, other))
    return bool(one == other)


def check_units(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check `sentence_identifier`: units tile the text in any batch, and `strip_nsu` maps back."""
    nlp = load_once("en", "sentence_identifier")
    pipe = nlp.get_pipe("sentence_identifier")
    drawn = {key: rng.choice(choices) for key, choices in CHOICES.items()}
    drawn.update(max_length=rng.choice([None, None, 5]), nsu_kinds=rng.random() < 0.5)
    changes = rng.choice([{}, drawn])
    defaults = {key: pipe.cfg[key] for key in drawn}
    pipe.cfg.update(changes, store_probs=True)
    ties = []
    try:
        with open_memory_zone(nlp):
            texts = list(map(readable_text, texts))
            docs = list(nlp.pipe(texts, batch_size=rng.choice([64, 1000])))
            again = run_again(nlp, texts, rng)
            for n, (text, doc) in enumerate(zip(texts, docs, strict=True)):
                with faults.of(n):
                    tiny.assert_sane(doc, text)
                    assert "".join(sent.text_with_ws for sent in doc.sents) == text
                    check_stripped(doc, text)
                    for other in again.get(n, []):
                        difference = np.abs(probs_of(doc) - probs_of(other))
                        assert difference.max(initial=0) <= TOLERANCE
                        if not are_alike(units_of(doc), units_of(other)):
                            ties.append(Fault(n, "other units in another batch"))
    finally:
        pipe.cfg.update(defaults, store_probs=False)
    if len(ties) > MAX_TIES:
        faults += ties


def check_stripped(doc: Doc, text: str) -> None:
    """Check that a stripped Doc has only the SUs, and that its tokens map back to the text."""
    stripped = strip_nsu(doc)
    tokens = [token for span in doc.spans["su"] for token in span]
    for token, original in zip(stripped, tokens, strict=True):
        assert token.text == original.text
        assert original_offset(stripped, token.idx) == original.idx
    assert original_offset(stripped, len(stripped.text)) == (
        tokens[-1].idx + len(tokens[-1]) if tokens else 0
    )


def check_rules(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check `segment` and `rule_sentencizer`: sentences tile the text, and are equal."""
    lang, newline = rng.choice(list_languages()), rng.choice(NEWLINES)
    nlp = load_once("en", "rule_sentencizer")
    pipe = nlp.get_pipe("rule_sentencizer")
    pipe.cfg.update(lang=lang, newline=newline)
    for n, text in enumerate(texts):
        with faults.of(n):
            strategy = rng.choice(["best", "structure", "lexicon+abbreviations"])
            found = segment(text, lang, strategy=strategy, newline=newline)
            assert "".join(text[start:end] for start, end in found) == text
            assert all(start < end for start, end in found)
            assert all(end == start for (_, end), (start, _) in pairwise(found))
            assert found == segment(text, lang, strategy=strategy, newline=newline)
    with open_memory_zone(nlp):
        texts = list(map(readable_text, texts))
        for n, (text, doc) in enumerate(zip(texts, nlp.pipe(texts), strict=True)):
            with faults.of(n):
                assert doc.text == text
                sents = [sent.text_with_ws for sent in doc.sents]
                assert "".join(sents) == text
                assert all(sents)
                starts = {start for start, _ in segment(text, lang, newline=newline)}
                begins = {sent.start_char for sent in doc.sents} - {0}
                inside = {token.idx: token.idx + len(token) for token in doc}
                # A sentence that would start inside a token starts with the next token.
                moved = {end for at, end in inside.items() for start in starts if at < start < end}
                assert begins - starts <= moved | {end + 1 for end in moved}


def check_words(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check `word_segmenter`: in any batch, words tile the text and have no white space."""
    nlp = load_once("zh", "word_segmenter")
    with open_memory_zone(nlp):
        texts = list(map(readable_text, texts))
        docs = list(nlp.pipe(texts, batch_size=rng.choice([64, 1000])))
        again = run_again(nlp, texts, rng)
        for n, (text, doc) in enumerate(zip(texts, docs, strict=True)):
            with faults.of(n):
                assert doc.text == text
                words = [token.text for token in doc]
                assert all(word.isspace() or not any(map(str.isspace, word)) for word in words)
                for other in again.get(n, []):
                    assert words == [token.text for token in other]


def check_pairs(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check `stream_scores` and `make_pair` on pairs; only texts without words are refused."""
    nlp = load_once("en", "paraphrase_tagger")
    pairs = [(*pair, n) for n, pair in enumerate(zip(texts[::2], texts[1::2], strict=False))]
    aggregate = rng.choice(["max", "mean"])
    bad: dict[Any, str] = {}
    for pair in pairs:
        try:
            check_texts(TextPair(*pair), nlp.max_length)
        except ValueError as error:
            bad[pair[-1]] = str(error)
    good = [pair for pair in pairs if pair[-1] not in bad]
    score = partial(stream_scores, nlp, aggregate=aggregate, blend=True)
    with open_memory_zone(nlp):
        found = {one.pair.id: one for one in score(good)}
        other_pairs = [good[n] for n in sample(good, AGAIN, rng)][::-1]
        again = {one.pair.id: one for one in score(other_pairs, batch_size=rng.choice([7, 300]))}
        for hyp, ref, n in pairs:
            with faults.of(2 * n):
                has_words = [bool(text.strip()) for text in (hyp, ref)]
                assert (n in bad) == (not all(has_words))
                assert n not in bad or "must have words" in bad[n]
                if n % AGAIN == 0:
                    check_pair(nlp, readable_text(hyp), readable_text(ref))
                if n in found:
                    one, other = found[n], again.get(n, found[n])
                    assert are_alike((one.p, one.r, one.f), (other.p, other.r, other.f))
                    assert all(abs(value) < 1e6 for value in (one.p, one.r, one.f))
                    shares = (one.supported_p, one.supported_r, one.supported_f, one.rouge1_p)
                    assert all(0 <= value <= 1 for value in (*shares, one.chrf, one.blend))
                    for text, side in (
                        (hyp, one.comparisons[0].hyp),
                        (ref, one.comparisons[0].ref),
                    ):
                        words = [text[start:end] for start, end, _ in side.words]
                        assert "".join(words) == "".join("".join(words).split())
                        assert len("".join(words)) == len("".join(text.split()))


def check_pair(nlp: Language, text1: str, text2: str) -> None:
    """Check the text of the Doc of a pair, and that its tokens map back to the two texts."""
    if not (text1.strip() and text2.strip()):
        with pytest.raises(ValueError, match="must have words"):
            make_pair(nlp, text1, text2)
        return
    pair = make_pair(nlp, text1, text2)
    between = "" if nlp.make_doc(text1)[-1].whitespace_ else " "
    assert pair.text == text1 + between + text2
    for at in {0, len(pair) // 2, len(pair) - 1}:
        side, start, end = original_span(pair[at : at + 1])
        assert (text1, text2)[side - 1][start:end] == pair[at].text


def check_filters(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check the filters: the kept text is in the original, and each token maps back to it."""
    markup = rng.choice([filters.strip_markup, filters.make_strip_markup(" ")])
    chosen = [markup, filters.decode_entities, filters.join_hyphens]
    chosen = rng.sample(chosen, k=rng.randint(1, 3))
    clean = filters.chain(chosen)
    nlp = load_once("en", "rule_sentencizer")
    tokenizer = FilteredTokenizer(nlp.tokenizer, chosen)
    with open_memory_zone(nlp):
        for n, text in enumerate(map(readable_text, texts)):
            with faults.of(n):
                found = clean(text)
                found.offsets.check()
                for start, original, length in found.offsets.pieces:
                    kept = text[original : original + length]
                    assert found.text[start : start + length] == kept
                doc = tokenizer(text)
                assert doc.text == found.text
                spans = [source_span(token) for token in doc]
                assert all(0 <= start <= end <= len(text) for start, end in spans)
                assert all(start <= other for (start, _), (other, _) in pairwise(spans))
                assert source_span(doc) == (0, len(text))


def check_cuts(texts: Sequence[str], rng: random.Random, faults: Faults) -> None:
    """Check `cut_text`: pieces have a maximum length, and joined they equal the text."""
    for n, text in enumerate(texts):
        with faults.of(n):
            size = rng.choice([rng.randint(1, 9), 60, 500])
            pieces = list(cut_text(text, size))
            assert "".join(piece for _, piece in pieces) == text
            assert all(1 <= len(piece) <= size for _, piece in pieces)
            assert all(text.startswith(piece, start) for start, piece in pieces)
