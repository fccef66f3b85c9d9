"""The bundled weights: the example in the README, size, licence, and finding weights."""

import warnings
from pathlib import Path

import pytest
import spacy
import srsly
import tiny

import spacy_sentid
from spacy_sentid.pretrained import DEFAULT_NAMES, FOLDER, find_weights

BUNDLED = FOLDER / "en_sentid_sm"
MAX_SIZE = 8 * 1024 * 1024
TEXT = (
    "The revised draft is attached.\n--- draft_v3.docx (48 KB) ---\nPlease send comments by Friday."
)
SUS = ["The revised draft is attached.", "Please send comments by Friday."]


# Tests with the bundled weights


def test_the_readme_example_works_without_training() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_identifier")
    doc = nlp(TEXT)
    assert [span.text for span in doc.spans["nsu"]] == ["--- draft_v3.docx (48 KB) ---"]
    assert [span.text for span in doc.spans["su"]] == SUS
    assert len(doc.spans["su"].attrs["scores"]) == 2
    tiny.assert_sane(doc, TEXT)


def test_load_returns_that_pipeline_in_one_call() -> None:
    nlp = spacy_sentid.load("en")
    doc = nlp(TEXT)
    assert nlp.pipe_names == ["sentence_identifier"]
    assert nlp.batch_size < 100  # so that few documents are several batches
    assert [span.text for span in doc.spans["su"]] == SUS


def test_load_takes_settings() -> None:
    nlp = spacy_sentid.load("en", newline="break")
    assert tiny.pipe_of(nlp).cfg["newline"] == "break"


def test_the_readme_example_does_not_need_line_ends() -> None:
    # On one line, the dashes can belong to either unit, but the file name is not in a sentence.
    doc = spacy_sentid.load("en")(TEXT.replace("\n", " "))
    assert [span.text.strip("- ") for span in doc.spans["su"]] == SUS
    assert [span.text.strip("- ") for span in doc.spans["nsu"]] == ["draft_v3.docx (48 KB)"]


def test_the_first_example_of_the_paper_is_identified() -> None:
    su = "Can you pass this along to Elizabeth to ensure Sanders is on board as well?"
    doc = spacy_sentid.load("en")(f"06/04/2001 05:54 PM {su}")
    assert [span.text for span in doc.spans["su"]] == [su]


def test_initialize_keeps_the_bundled_weights() -> None:
    nlp = spacy_sentid.load("en")
    before = tiny.unit_texts(nlp(TEXT))
    nlp.initialize(lambda: tiny.examples(nlp))
    assert tiny.unit_texts(nlp(TEXT)) == before


def test_the_bundled_weights_are_small() -> None:
    size = sum(file.stat().st_size for file in BUNDLED.rglob("*") if file.is_file())
    assert 0 < size <= MAX_SIZE


def test_the_bundled_weights_have_a_model_card() -> None:
    meta = srsly.read_json(BUNDLED / "meta.json")
    assert meta["lang"] == "en"
    assert "CC BY-SA" in meta["license"].replace("-", " ").replace("BY SA", "BY-SA")
    assert "EWT" in str(meta) or "English Web Treebank" in str(meta)


def test_the_bundled_weights_have_their_licence() -> None:
    text = (BUNDLED / "LICENSE").read_text()
    assert "Attribution-ShareAlike" in text or "CC BY-SA 4.0" in text


@pytest.mark.parametrize("name", ["Dogs bark.", "", "Page 3", "שלום", "x" * 100_000])
def test_the_bundled_weights_accept_odd_texts(name: str) -> None:
    tiny.assert_sane(spacy_sentid.load("en")(name), name)


# Tests without the bundled weights


def test_load_of_a_language_without_weights_lists_the_languages() -> None:
    with pytest.raises(ValueError, match="'zh'"):
        spacy_sentid.load("zh")


@pytest.mark.parametrize(
    ("component", "lang"),
    [("sentence_identifier", "zh"), ("paraphrase_tagger", "sv"), ("word_segmenter", "sv")],
)
def test_a_language_without_weights_raises_at_once(component: str, lang: str) -> None:
    nlp = spacy.blank(lang)
    known = ", ".join(DEFAULT_NAMES[component])
    with pytest.raises(
        ValueError, match=rf"\({known}\).*got '{lang}'.*None.*Train it .*init-config"
    ):
        nlp.add_pipe(component)
    assert nlp.pipe_names == []
    nlp.add_pipe(component, config={"pretrained": None})
    with pytest.raises(ValueError, match="'auto'"):
        find_weights("auto", lang=lang, component=component)


SWEDISH = (
    "Hej Åsa,\n\nmötet på tisdag är flyttat till klockan 10. Kan du ta med rapporten?\n"
    "Vi ses i rummet på tredje våningen.\n\nHälsningar\nBjörn\n"
)


def test_weights_of_several_languages_work_in_an_unknown_one_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="no weights for 'sv'.*'xx_sentid_sm'.*de, en, "):
        nlp = spacy_sentid.load("sv")
    doc = nlp(SWEDISH)
    assert [span.text for span in doc.spans["su"]] == [
        "mötet på tisdag är flyttat till klockan 10.",
        "Kan du ta med rapporten?",
        "Vi ses i rummet på tredje våningen.",
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spacy.blank("sv").add_pipe("sentence_identifier", config={"pretrained": "xx_sentid_sm"})


def test_a_folder_has_priority_over_a_language_without_its_own_weights(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.to_disk("sv")
    assert spacy_sentid.load("sv").pipe_names == ["sentencizer"]


@pytest.mark.parametrize(
    ("lang", "text"),
    [
        ("de", "Hallo Frau Kern,\n\nIhr Paket kommt am 3. Mai. Bitte halten Sie z.B. Geld bereit."),
        ("es", "Hola:\n\nTe escribo por lo del Sr. Ruiz. Nos vemos el lunes."),
        ("fr", "Menu\n\nNous voyons M. Dupont à 14 h. Il arrive demain."),
        ("it", "12:05\n\nCi vediamo domani. Porta la torta!"),
        ("nl", "Beste Jan,\n\nHet pakket komt morgen. Bel mij a.u.b. even."),
        ("pt", "Olá, João!\n\nSegue o relatório. O Sr. Silva chega amanhã."),
        ("xx", "12:05\n\nAnna is in Paris. We meet her."),
    ],
)
def test_the_identifier_works_in_several_languages_without_training(lang: str, text: str) -> None:
    nlp = spacy.blank(lang)
    nlp.add_pipe("sentence_identifier")
    doc = nlp(text)
    first, _, rest = text.partition("\n\n")
    assert [span.text for span in doc.spans["nsu"]] == [first]
    assert len(doc.spans["su"]) == 2
    assert " ".join(span.text for span in doc.spans["su"]) == rest


def test_multilingual_weights_are_loaded_by_name() -> None:
    assert spacy_sentid.load("xx_sentid_sm").lang == "xx"
    assert spacy_sentid.load("it").lang == "it"


def test_every_default_name_is_bundled() -> None:
    names = [name for languages in DEFAULT_NAMES.values() for name in languages.values()]
    assert all((FOLDER / name / "model").is_file() for name in names)


def test_weights_are_found_in_a_pipeline_and_in_a_component(tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    (tmp_path / "pipe" / "model").touch()
    for path in (tmp_path, tmp_path / "pipe"):
        assert find_weights(str(path), lang="en", component="pipe") == tmp_path / "pipe"


@pytest.mark.parametrize("name", ["en_sentid_xl", "/no/such/folder"])
def test_missing_weights_raise(name: str) -> None:
    with pytest.raises(ValueError, match="weights"):
        find_weights(name, lang="en", component="x")


def test_a_folder_without_a_model_raises(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="weights"):
        find_weights(str(tmp_path), lang="en", component="x")


def test_a_model_that_does_not_fit_starts_without_the_bundled_weights() -> None:
    assert not tiny.pipe_of(tiny.blank(pretrained="auto")).is_initialized


@pytest.mark.parametrize(
    ("pretrained", "reason"),
    [
        (None, "the setting 'pretrained' is null"),
        ("auto", "the bundled ones do not fit its model"),
    ],
)
def test_the_error_of_a_model_without_weights_has_the_reason(
    pretrained: str | None, reason: str
) -> None:
    nlp = tiny.blank(pretrained=pretrained)
    with pytest.raises(ValueError, match=f"has no weights: {reason}. Train it .* init-config"):
        nlp("I sleep.")
