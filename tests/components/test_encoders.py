"""The cache of srsly's encoders, also with encoders that are registered later."""

import catalogue
import numpy as np
import pytest
import srsly
import tiny
from spacy.tokens import Doc, DocBin

from spacy_sentid.components.encoders import RememberedList, remember_encoders


@pytest.fixture
def n_listings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Registries for which catalogue has listed all functions, one item for each time."""
    found: list[str] = []

    class CountingRegistry(catalogue.Registry):
        def get_all(self) -> dict[str, object]:
            found.append(self.namespace[-1])
            return super().get_all()

    for name in ("msgpack_encoders", "msgpack_decoders"):
        registry = CountingRegistry(("srsly", name), entry_points=True)
        monkeypatch.setattr(srsly, name, registry)
        monkeypatch.setattr(srsly.msgpack, name, registry)
    return found


def test_encoders_are_listed_once_for_many_docs(n_listings: list[str]) -> None:
    nlp = tiny.trained()
    Doc(nlp.vocab).from_bytes(nlp(tiny.TEXT).to_bytes())
    assert set(n_listings) == {"msgpack_decoders", "msgpack_encoders"}
    n_listings.clear()
    for _ in range(3):
        remember_encoders()
        Doc(nlp.vocab).from_bytes(nlp(tiny.TEXT).to_bytes())
    assert not n_listings


def test_building_the_component_caches_encoders(n_listings: list[str]) -> None:
    tiny.blank()
    assert isinstance(srsly.msgpack_encoders.get_all, RememberedList)
    assert isinstance(srsly.msgpack_decoders.get_all, RememberedList)


def test_encoders_that_are_registered_later_are_used(n_listings: list[str]) -> None:
    remember_encoders()
    assert srsly.msgpack_loads(srsly.msgpack_dumps([1])) == [1]

    class Point:
        """A value that msgpack does not support."""

    key = "srsly", "msgpack_encoders", "point"
    with pytest.raises(TypeError, match="Point"):
        srsly.msgpack_dumps(Point())

    def encode(obj: object, chain: object = None) -> object:
        return "a point" if isinstance(obj, Point) else chain(obj)  # type: ignore[operator]

    srsly.msgpack_encoders("point", func=encode)
    try:
        assert srsly.msgpack_loads(srsly.msgpack_dumps(Point())) == "a point"
        catalogue.REGISTRY[key] = lambda obj, chain=None: "another"
        assert srsly.msgpack_loads(srsly.msgpack_dumps(Point())) == "another"
    finally:
        del catalogue.REGISTRY[key]
    with pytest.raises(TypeError, match="Point"):
        srsly.msgpack_dumps(Point())


def test_scores_are_the_same_arrays_after_bytes_and_docbin() -> None:
    nlp = tiny.trained()
    doc = nlp(tiny.TEXT)
    copies = [Doc(nlp.vocab).from_bytes(doc.to_bytes())]
    copies += DocBin().from_bytes(DocBin(docs=[doc]).to_bytes()).get_docs(nlp.vocab)
    for copy in copies:
        for key in ("su", "nsu"):
            old, new = doc.spans[key], copy.spans[key]
            assert [span.text for span in new] == [span.text for span in old]
            assert list(new.attrs) == list(old.attrs)
            for name, values in old.attrs.items():
                assert len(new.attrs[name]) == len(new)
                assert np.array_equal(new.attrs[name], values)
                assert new.attrs[name].dtype == values.dtype
