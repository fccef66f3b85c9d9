"""Training texts of documents, and mixtures of corpora."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.training import Example

from spacy_sentid.sentence_identifier.corpora.documents import (
    DocumentCorpus,
    MixedCorpus,
)
from spacy_sentid.text.units import count_words

NLP = spacy.blank("en")
MARKED = "=== a | mail\n" + "\n".join(
    f"⟪head|Title {n}⟫\n⟦I sleep in bed {n}.⟧ ⟦You wake up.⟧\n⟪frag|Yes.⟫" for n in range(40)
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "a.txt"
    file.write_text(MARKED, encoding="utf8")
    return file


def corpus(path: Path, **settings: Any) -> Any:
    defaults: dict[str, Any] = {
        "max_words": 50, "p_excerpt": 0.0, "p_layout": {}, "redraw": True, "seed": 0,
    }  # fmt: skip
    return DocumentCorpus(path, **{**defaults, **settings})


def texts(examples: Iterator[Example]) -> list[str]:
    return [example.text for example in examples]


def test_list_marks_of_treebanks_can_be_ignored(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    rows = ["1\t2.\t_\tX\t_\t_\t2\tdiscourse\t_\t_", "2\tTEA\t_\tNOUN\t_\t_\t0\troot\t_\t_"]
    file.write_text("\n".join(rows) + "\n\n")
    for ignored, n in ((False, 1), (True, 0)):
        (example,) = corpus(file, ignore_list_marks=ignored)(NLP)
        assert len(example.reference.spans["su"]) == n


def test_tokens_are_cut_where_units_end_inside_them(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("=== a | chat\n⟪meta|12:05⟫⟦i'm late⟧", encoding="utf8")
    (example,) = corpus(file)(NLP)
    assert example.predicted[0].text != "12:05"
    assert [span.text for span in example.reference.spans["su"]] == ["i'm late"]
    assert [span.text for span in example.reference.spans["nsu"]] == ["12:05"]


def test_examples_have_the_units_of_the_document(path: Path) -> None:
    examples = list(corpus(path)(NLP))
    sus = [span.text for example in examples for span in example.reference.spans["su"]]
    labels = [span.label_ for example in examples for span in example.reference.spans["nsu"]]
    assert len(sus) == 80
    assert sorted(sus)[0] == "I sleep in bed 0."
    assert labels.count("HEADING") == labels.count("FRAGMENT") == 40
    assert all(not example.predicted.spans for example in examples)


def test_long_documents_are_cut_between_units(path: Path) -> None:
    assert all(count_words(text) <= 50 for text in texts(corpus(path)(NLP)))


def test_passes_differ_with_redraw(path: Path) -> None:
    again, same = corpus(path, p_layout={"wrap": 0.5}), corpus(path, redraw=False)
    assert texts(again(NLP)) != texts(again(NLP))
    assert texts(same(NLP)) == texts(same(NLP))
    assert texts(corpus(path)(NLP)) == texts(corpus(path)(NLP))


def test_excerpts_are_short(path: Path) -> None:
    examples = list(corpus(path, p_excerpt=1.0)(NLP))
    assert len(examples) > 20
    assert {len(text.split()) for text in texts(iter(examples))} != {50}
    assert not any(example.text[0].isspace() for example in examples)


@pytest.mark.parametrize(
    "settings", [{"p_layout": {"turn": 0.5}}, {"p_layout": {"wrap": 2}}, {"p_excerpt": -1}]
)
def test_invalid_settings_raise(path: Path, settings: dict) -> None:
    with pytest.raises(ValueError, match="p_"):
        corpus(path, **settings)


class Fixed:
    """A corpus that repeats one text and counts how often it is read."""

    def __init__(self, text: str, n: int) -> None:
        self.text, self.n, self.n_passes = text, n, 0

    def __call__(self, nlp: Any) -> Iterator[Example]:
        self.n_passes += 1
        for _ in range(self.n):
            doc = nlp.make_doc(self.text)
            yield Example(doc, doc.copy())


def test_a_mixture_has_the_shares_of_words() -> None:
    short, long = Fixed("a b", 100), Fixed("a b c d", 3)
    found = texts(MixedCorpus({"a": short, "b": long}, {"a": 0.5, "b": 0.5})(NLP))
    n_short, n_long = found.count("a b"), found.count("a b c d")
    assert n_short == 100
    assert abs(2 * n_short - 4 * n_long) <= 4
    assert (short.n_passes, long.n_passes) == (1, 17)


def test_corpora_without_a_share_are_not_read() -> None:
    short, long = Fixed("a b", 2), Fixed("a b c d", 3)
    assert texts(MixedCorpus({"a": short, "b": long}, {"a": 1, "b": 0})(NLP)) == ["a b"] * 2
    assert long.n_passes == 0


@pytest.mark.parametrize(
    "shares", [{"a": 1}, {"a": 0, "b": 0}, {"a": 1, "c": 1}, {"a": 1, "b": -1}]
)
def test_shares_must_have_the_names_of_the_corpora(shares: dict) -> None:
    corpora = {"a": Fixed("a", 1), "b": Fixed("b", 1)}
    with pytest.raises(ValueError, match="shares"):
        MixedCorpus(corpora, shares)


@pytest.mark.parametrize("empty", ["a", "b"])
def test_an_empty_corpus_of_a_mixture_raises(empty: str) -> None:
    corpora = {name: Fixed(name, 0 if name == empty else 5) for name in "ab"}
    with pytest.raises(ValueError, match=f"'{empty}'"):
        list(MixedCorpus(corpora, {"a": 1, "b": 1})(NLP))
