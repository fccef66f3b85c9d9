"""The unit corpus: passes, gold, white space without clues, and clear errors."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.training.loop import create_train_batches
from spacy.util import minibatch, registry

from spacy_sentid.sentence_identifier.corpora.units import UnitCorpus
from spacy_sentid.sentence_identifier.data.convert import convert_treebank, write_docs
from spacy_sentid.sentence_identifier.network.tokens import read_tokens

SETTINGS: dict[str, Any] = {
    "p_cc": [0.3, 0],
    "max_words": 12,
    "layouts": {"space": 1.0, "mixed": 1.0, "line": 1.0, "paragraph": 1.0},
    "p_wrap": 0.5,
    "p_quote": 0.5,
    "p_no_space": 0.2,
    "redraw": True,
    "shuffle": [2, 5],
    "seed": 0,
}
PLAIN: dict[str, Any] = {
    "p_cc": [0], "layouts": {"space": 1.0}, "p_wrap": 0.0, "p_quote": 0.0, "p_no_space": 0.0,
    "shuffle": [],
}  # fmt: skip
NOISE = {"p_augment": 0.5, "p_truncate": 0.5, "p_synthetic_nsu": 0.5, "p_list_marker": 0.5}
UNITS = [f"Unit number {i} is so long." if i % 3 else f"--- Page {i} ---" for i in range(30)]


def conllu(n: int, text: str) -> str:
    """Format a unit whose words all have the first as head; every third unit is an NSU."""
    relation = "dep" if n % 3 == 0 else "nsubj"
    rows = []
    words = text.replace(".", " .").split()
    for i, word in enumerate(words, start=1):
        head, name = ("0", "root") if i == 1 else ("1", relation)
        misc = "SpaceAfter=No" if i < len(words) and words[i] == "." else "_"
        rows.append("\t".join([str(i), word, word, "X", "XX", "_", head, name, "_", misc]))
    return "\n".join([f"# text = {text}", *rows, ""])


@pytest.fixture(scope="module")
def nlp() -> Language:
    return spacy.blank("en")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, nlp: Language) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    source = folder / "tiny.conllu"
    source.write_text("\n".join(conllu(n, text) for n, text in enumerate(UNITS)))
    write_docs(convert_treebank(source, nlp), folder / "tiny.spacy")
    return folder / "tiny.spacy"


@pytest.fixture(params=[{}, NOISE], ids=["clean", "noisy"])
def noise(request: pytest.FixtureRequest) -> dict[str, float]:
    return request.param


def corpus(path: Path, **settings: Any) -> Callable[[Language], Iterator[Example]]:
    return UnitCorpus(path, **{**SETTINGS, **settings})


def gold_units(egs: list[Example]) -> list[tuple[str, str]]:
    """List (text without spacing and quotes, label) of all gold units."""
    units = []
    for eg in egs:
        spans = [*eg.reference.spans["su"], *eg.reference.spans["nsu"]]
        for span in sorted(spans, key=lambda span: span.start):
            words = [word for word in span.text.split() if word.strip(">|")]
            units.append((" ".join(words), span.label_))
    return units


def test_every_pass_yields_every_unit_once_with_its_text_and_label(
    nlp: Language, path: Path
) -> None:
    expected = sorted((text, "NSU" if n % 3 == 0 else "SU") for n, text in enumerate(UNITS))
    read = corpus(path)
    for _ in range(3):
        assert sorted(gold_units(list(read(nlp)))) == expected


def test_gold_units_tile_the_tokens_of_every_example(
    nlp: Language, path: Path, noise: dict
) -> None:
    read = corpus(path, **noise)
    for _ in range(5):
        for eg in read(nlp):
            spans = [*eg.reference.spans["su"], *eg.reference.spans["nsu"]]
            covered = sorted(i for span in spans for i in range(span.start, span.end))
            tokens = [token.i for token in eg.reference if not token.is_space]
            assert sorted(set(covered)) == covered
            assert set(tokens) <= set(covered)


def test_tokens_do_not_show_where_units_were_cut(nlp: Language, path: Path, noise: dict) -> None:
    # If units are tokenized alone, their `SpaceAfter` improves the scores by 6 points, wrongly.
    for eg in corpus(path, **noise)(nlp):
        whole, shown = (read_tokens([doc]) for doc in (nlp.make_doc(eg.text), eg.predicted))
        assert (shown.gaps == whole.gaps).all()
        assert (shown.attrs == whole.attrs).all()
        assert [bool(token.whitespace_) for token in eg.predicted] == [
            bool(token.whitespace_) for token in nlp.make_doc(eg.reference.text)
        ]


def test_the_predicted_side_has_no_annotation(nlp: Language, path: Path, noise: dict) -> None:
    for eg in corpus(path, **noise)(nlp):
        assert not eg.predicted.spans
        assert not any(eg.predicted.has_annotation(name) for name in ("DEP", "TAG", "POS"))


def test_sentence_starts_of_the_gold_are_unit_starts(
    nlp: Language, path: Path, noise: dict
) -> None:
    for eg in corpus(path, **noise)(nlp):
        spans = [*eg.reference.spans["su"], *eg.reference.spans["nsu"]]
        starts = sorted(span.start for span in spans)
        assert [sent.start for sent in eg.reference.sents] == starts


def test_trees_have_no_cycle(nlp: Language, path: Path, noise: dict) -> None:
    for eg in corpus(path, **noise)(nlp):
        for token in eg.reference:
            assert token not in list(token.ancestors)


def test_tags_and_relations_are_those_of_the_treebank(nlp: Language, path: Path) -> None:
    (eg, *_) = corpus(path, p_cc=[0], shuffle=[], layouts={"space": 1.0})(nlp)
    assert {token.tag_ for token in eg.reference} == {"XX"}
    assert {token.dep_ for token in eg.reference} <= {"root", "dep", "nsubj"}
    assert {token.head.dep_ for token in eg.reference} == {"root"}


def test_a_corpus_that_redraws_differs_from_pass_to_pass(nlp: Language, path: Path) -> None:
    read = corpus(path)
    assert [eg.text for eg in read(nlp)] != [eg.text for eg in read(nlp)]


def test_a_fixed_corpus_is_the_same_in_every_pass(nlp: Language, path: Path) -> None:
    read = corpus(path, redraw=False)
    assert [eg.text for eg in read(nlp)] == [eg.text for eg in read(nlp)]


def test_the_same_seed_gives_the_same_corpus(nlp: Language, path: Path) -> None:
    texts = [[eg.text for eg in corpus(path, seed=seed)(nlp)] for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_examples_do_not_exceed_max_words(nlp: Language, path: Path) -> None:
    for eg in corpus(path, p_cc=[0], p_quote=0.0, p_no_space=0.0)(nlp):
        assert len(eg.text.split()) <= SETTINGS["max_words"]


def test_a_folder_of_files_is_read(nlp: Language, path: Path) -> None:
    assert len(list(corpus(path.parent)(nlp))) == len(list(corpus(path)(nlp)))


def test_a_corpus_without_trees_has_sentence_starts(nlp: Language, tmp_path: Path) -> None:
    doc = nlp.make_doc("Hi Bo. Page 3")
    doc.spans["su"], doc.spans["nsu"] = [doc[:3]], [doc[3:]]
    DocBin(docs=[doc]).to_disk(tmp_path / "plain.spacy")
    (eg,) = corpus(tmp_path / "plain.spacy", p_cc=[0], layouts={"line": 1.0}, p_quote=0.0)(nlp)
    assert not eg.reference.has_annotation("DEP")
    assert [sent.text.strip() for sent in eg.reference.sents] == ["Hi Bo.", "Page 3"]


def test_the_error_for_a_missing_key_lists_the_keys(nlp: Language, tmp_path: Path) -> None:
    doc = Doc(nlp.vocab, words=["Hi"])
    doc.spans["other"] = [doc[:]]
    DocBin(docs=[doc]).to_disk(tmp_path / "x.spacy")
    with pytest.raises(ValueError, match=r"'su'.*other"):
        list(corpus(tmp_path / "x.spacy")(nlp))


@pytest.mark.parametrize("name", ["missing.spacy", "."])
def test_a_path_without_corpus_raises(nlp: Language, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="corpus"):
        list(corpus(tmp_path / name)(nlp))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"p_cc": [0.5, 1.5]}, r"'p_cc'.*1\.5"),
        ({"p_cc": [-0.1]}, r"'p_cc'.*-0\.1"),
        ({"p_cc": []}, "must not be empty"),
        ({"p_wrap": 2.0}, "'p_wrap'"),
        ({"p_quote": -1.0}, "'p_quote'"),
        ({"p_no_space": 1.1}, "'p_no_space'"),
        ({"p_augment": 1.1}, "'p_augment'"),
        ({"p_truncate": -0.1}, "'p_truncate'"),
        ({"p_synthetic_nsu": 2.0}, "'p_synthetic_nsu'"),
        ({"p_list_marker": -1.0}, "'p_list_marker'"),
        ({"layouts": {}}, "must not be empty"),
        ({"layouts": {"spcae": 1.0}}, "space.*line"),
    ],
)
def test_invalid_settings_raise_when_the_reader_is_created(
    path: Path, settings: dict, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        corpus(path, **settings)


def test_spacy_reads_the_corpus_again_in_every_epoch(nlp: Language, path: Path) -> None:
    block = {"@readers": "spacy_sentid.UnitCorpus.v1", "path": str(path), **SETTINGS}
    read = registry.resolve({"corpus": block})["corpus"]
    epochs: dict[int, list[str]] = {0: [], 1: []}
    for epoch, batch in create_train_batches(nlp, read, partial(minibatch, size=4), -1):
        if epoch not in epochs:
            break
        epochs[epoch] += [eg.text for eg in batch]
    assert len(epochs[0]) > 4
    assert epochs[0] != epochs[1]


def test_without_shuffling_units_keep_their_neighbours(nlp: Language, path: Path) -> None:
    for eg in corpus(path, shuffle=[], p_no_space=0.0)(nlp):
        numbers = [int(word) for word in eg.text.split() if word.isdigit()]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))


def test_shuffling_gives_units_new_neighbours(nlp: Language, path: Path) -> None:
    read = corpus(path, shuffle=[1], p_cc=[0], p_no_space=0.0)
    numbers = [[int(word) for word in eg.text.split() if word.isdigit()] for eg in read(nlp)]
    assert any(row != list(range(row[0], row[0] + len(row))) for row in numbers)


# ---- Scripts without spaces


def touching(nlp: Language, folder: Path, units: list[str]) -> Path:
    """Write a corpus of one document without separators; every third unit is an NSU."""
    text = "".join(units)
    doc = nlp.make_doc(text)
    position, groups = 0, {"su": [], "nsu": []}  # type: ignore[var-annotated]
    for n, unit in enumerate(units):
        span = doc.char_span(position, position + len(unit), label="NSU" if n % 3 == 0 else "SU")
        groups["nsu" if n % 3 == 0 else "su"].append(span)
        position += len(unit)
    doc.spans["su"], doc.spans["nsu"] = groups["su"], groups["nsu"]
    DocBin(docs=[doc]).to_disk(folder / "x.spacy")
    return folder / "x.spacy"


@pytest.mark.parametrize(
    "rates", [{}, {"p_truncate": 0.5, "p_augment": 0.5}], ids=["clean", "noisy"]
)
@pytest.mark.parametrize("layout", ["none", "space"])
def test_units_of_a_script_without_spaces_touch(tmp_path: Path, rates: dict, layout: str) -> None:
    chinese = spacy.blank("zh")
    units = [f"第{n}页" if n % 3 == 0 else f"我们走{n}次。" for n in range(9)]
    path = touching(chinese, tmp_path, units)
    found = set()
    settings = {**PLAIN, "layouts": {layout: 1.0}, "max_words": 40, **rates}
    for eg in corpus(path, **settings)(chinese):
        assert not any(char.isspace() for char in eg.text)
        assert sum(len(text) for text, _ in gold_units([eg])) == len(eg.text)
        assert len(eg.text) <= 40
        found |= set(gold_units([eg]))
    if not rates:
        assert found == {(text, "NSU" if n % 3 == 0 else "SU") for n, text in enumerate(units)}


def test_a_cut_in_a_script_without_spaces_is_at_any_character(tmp_path: Path) -> None:
    chinese = spacy.blank("zh")
    path = touching(chinese, tmp_path, ["三", "我们都喜欢猫。"])
    read = corpus(path, **{**PLAIN, "layouts": {"none": 1.0}}, p_truncate=1.0)
    assert len({len(eg.text) for _ in range(30) for eg in read(chinese)}) > 4


def test_a_token_is_cut_where_a_unit_ends_inside_it(nlp: Language, tmp_path: Path) -> None:
    doc = nlp.make_doc("Page 3 4 dogs bark.")
    doc.spans["su"], doc.spans["nsu"] = [doc[2:]], [doc[:2]]
    DocBin(docs=[doc]).to_disk(tmp_path / "x.spacy")
    (eg,) = corpus(tmp_path / "x.spacy", **{**PLAIN, "layouts": {"none": 1.0}})(nlp)
    assert "34" in [token.text for token in eg.predicted]
    assert gold_units([eg]) == [("Page 3", "NSU"), ("4 dogs bark.", "SU")]


# ---- Noise


def shown(egs: Iterator[Example]) -> list[tuple]:
    """List the text, units and syntax of Examples."""
    return [
        (eg.text, gold_units([eg]), [(t.tag_, t.dep_, t.head.i) for t in eg.reference])
        for eg in egs
    ]


def test_rates_of_zero_use_no_random_numbers(nlp: Language, path: Path) -> None:
    zero = corpus(path, **dict.fromkeys(NOISE, 0.0))
    assert shown(corpus(path)(nlp)) == shown(zero(nlp))


def test_noise_depends_on_the_seed_and_the_pass(nlp: Language, path: Path) -> None:
    first, second = (corpus(path, **NOISE) for _ in range(2))
    passes = [shown(read(nlp)) for read in (first, second, first)]
    assert passes[0] == passes[1] != passes[2]


def test_a_fixed_corpus_has_the_same_noise_in_every_pass(nlp: Language, path: Path) -> None:
    read = corpus(path, **NOISE, redraw=False)
    assert shown(read(nlp)) == shown(read(nlp))


def tree(nlp: Language, folder: Path, words: list[str], heads: list[int]) -> Path:
    """Write a corpus of one SU, where the tag of each token is its text in lower case."""
    spaces = [word not in {"go", "Maß"} for word in words]
    deps = ["ROOT" if i == head else "nsubj" for i, head in enumerate(heads)]
    tags = [word.lower() for word in words]
    doc = Doc(nlp.vocab, words=words, spaces=spaces, tags=tags, heads=heads, deps=deps)
    doc.spans["su"] = [doc[:]]
    DocBin(docs=[doc], attrs=["ORTH", "SPACY", "TAG", "HEAD", "DEP"]).to_disk(folder / "x.spacy")
    return folder / "x.spacy"


def test_syntax_follows_case_and_lost_marks(nlp: Language, tmp_path: Path) -> None:
    path = tree(nlp, tmp_path, ["We", "see", "Maß", ",", "then", "go", "."], [1, 1, 1, 2, 5, 1, 1])
    read = corpus(path, **PLAIN, p_augment=1.0)
    texts = set()
    for _ in range(40):
        (eg,) = read(nlp)
        doc = eg.reference
        texts.add(doc.text)
        assert [token.tag_ for token in doc] == ["we", "see", "maß", ",", "then", "go", "."][
            : len(doc)
        ]
        assert [token.head.i for token in doc] == [1, 1, 1, 2, 5, 1, 1][: len(doc)]
        assert doc[0].dep_ == "nsubj"
    assert {"WE SEE MASS, THEN GO.", "We see Maß, then go", "we see maß, then go"} <= texts


def test_syntax_follows_cut_ends(nlp: Language, tmp_path: Path) -> None:
    words, heads = ["We", "see", "them", "now", "go", "."], [1, 1, 1, 4, 1, 1]
    read = corpus(tree(nlp, tmp_path, words, heads), **PLAIN, p_truncate=1.0)
    lengths = set()
    for _ in range(60):
        (eg,) = read(nlp)
        doc = eg.reference
        start = next(i for i in range(6) if words[i] == doc[0].text)
        lengths.add(len(doc))
        cut = len(doc) < len(words)
        assert gold_units([eg]) == [(doc.text, "NSU" if cut else "SU")]
        for i, token in enumerate(doc, start=start):
            has_head = start <= heads[i] < start + len(doc)
            assert token.tag_ == words[i].lower()
            assert token.head.i == (heads[i] if has_head else i) - start
            assert bool(token.dep_) == has_head
    assert len(lengths) > 3


def test_inserted_units_and_markers_keep_the_syntax_of_others(
    nlp: Language, tmp_path: Path
) -> None:
    path = tree(nlp, tmp_path, ["We", "see", "them", "now", "go", "."], [1, 1, 1, 4, 1, 1])
    read = corpus(path, **PLAIN, p_synthetic_nsu=1.0, p_list_marker=1.0)
    for _ in range(20):
        (eg,) = read(nlp)
        (su,) = eg.reference.spans["su"]
        doc = eg.reference
        assert len(doc.spans["nsu"]) >= 2
        tokens = [token for token in doc if token.tag_]
        assert [token.text for token in tokens] == ["We", "see", "them", "now", "go", "."]
        assert tokens[0].head == tokens[1] == tokens[4].head
        assert {token.i for token in tokens} < set(range(su.start, su.end))
        assert all(token.head == token and not token.dep_ for token in doc if not token.tag_)


def test_a_head_outside_its_unit_is_unknown(nlp: Language, tmp_path: Path) -> None:
    doc = Doc(nlp.vocab, words=["Hi", "go"], heads=[1, 1], deps=["dep", "ROOT"])
    doc.spans["su"] = [doc[:1], doc[1:]]
    DocBin(docs=[doc], attrs=["ORTH", "SPACY", "HEAD", "DEP"]).to_disk(tmp_path / "x.spacy")
    egs = list(corpus(tmp_path / "x.spacy", **{**PLAIN, "p_cc": [1.0]})(nlp))
    assert sorted((eg.reference[0].text, eg.reference[0].dep_) for eg in egs) == [
        ("Hi", ""), ("go", "ROOT"),
    ]  # fmt: skip


def test_units_are_inserted_in_a_corpus_without_trees(nlp: Language, tmp_path: Path) -> None:
    doc = nlp.make_doc("We see them. They go.")
    doc.spans["su"] = [doc[:4], doc[4:]]
    DocBin(docs=[doc]).to_disk(tmp_path / "plain.spacy")
    (eg,) = corpus(tmp_path / "plain.spacy", **PLAIN, p_synthetic_nsu=1.0)(nlp)
    assert [span.text for span in eg.reference.spans["su"]] == ["We see them.", "They go."]
    assert len(eg.reference.spans["nsu"]) >= 3
    assert not eg.reference.has_annotation("DEP")


@pytest.mark.parametrize("change", ["p_wrap", "p_quote"])
def test_syntax_follows_the_layout(nlp: Language, tmp_path: Path, change: str) -> None:
    words = ["We", "see", "them", "now", "go", "."] * 20
    path = tree(nlp, tmp_path, words, [i - i % 6 + [1, 1, 1, 4, 1, 1][i % 6] for i in range(120)])
    settings = {**PLAIN, "layouts": {"line": 1.0}, change: 1.0}
    for seed in range(9):
        (eg,) = corpus(path, **settings, seed=seed)(nlp)
        tagged = [token for token in eg.reference if token.tag_]
        assert [token.tag_ for token in tagged] == [word.lower() for word in words]
        assert {(token.text, token.head.text) for token in tagged} == {
            ("We", "see"), ("see", "see"), ("them", "see"), ("now", "go"), ("go", "see"),
            (".", "see"),
        }  # fmt: skip
        assert (change == "p_wrap") == ("\n" in eg.text)
        assert (change == "p_quote") == (not eg.text.startswith("We"))


def test_nsus_are_taken_from_documents(nlp: Language, tmp_path: Path) -> None:
    documents = tmp_path / "documents.txt"
    documents.write_text("=== a | chat: x\n⟪meta|10:15\nBo⟫ ⟦I am in.⟧ ⟪head|Plan⟫\n")
    doc = nlp.make_doc("We see them. They go.")
    doc.spans["su"] = [doc[:4], doc[4:]]
    DocBin(docs=[doc]).to_disk(tmp_path / "plain.spacy")
    settings = {**PLAIN, "p_synthetic_nsu": 1.0, "nsu_documents": str(documents)}
    (eg,) = corpus(tmp_path / "plain.spacy", **settings)(nlp)
    nsus = [span.text for span in eg.reference.spans["nsu"]]
    assert len(nsus) >= 3
    assert set(nsus) <= {"10:15 Bo", "Plan"}


def test_documents_without_nsus_raise(nlp: Language, tmp_path: Path) -> None:
    documents = tmp_path / "documents.txt"
    documents.write_text("=== a | chat: x\n⟦I am in.⟧\n")
    doc = nlp.make_doc("They go.")
    doc.spans["su"] = [doc[:]]
    DocBin(docs=[doc]).to_disk(tmp_path / "plain.spacy")
    settings = {**PLAIN, "p_synthetic_nsu": 1.0, "nsu_documents": str(documents)}
    read = corpus(tmp_path / "plain.spacy", **settings)
    with pytest.raises(ValueError, match="must have NSUs"):
        next(read(nlp))
