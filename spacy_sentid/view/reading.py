"""Documents to show: the user's files, or gold, with the results of a pipeline.

inputs -> documents -> pipeline -> views, in order; bad documents are reported
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from ..batch.documents import Document
from ..batch.tasks import SCORES, WORDS, Rows, make_extractor, set_identifier
from ..batch.worker import Worker, WorkSettings
from ..files.records import BadLine
from ..units import SU, Unit
from .units import TokenProb, UnitView

if TYPE_CHECKING:
    from spacy.tokens import Doc

Item = TypeVar("Item")
TOKEN = "token"
GOLD_SUFFIXES = (".conllu", ".spacy")


class DocumentView(NamedTuple):
    """One document with its results."""

    name: str
    text: str
    units: list[UnitView]
    probs: list[TokenProb] | None = None
    gold: list[Unit] | None = None  # in characters


class SideView(NamedTuple):
    """One text of a pair: the spans that the other does not support, and the support of words."""

    text: str
    spans: list[tuple[int, int, float]]  # characters, probability
    words: list[tuple[int, int, float]]  # characters, logit


class PairView(NamedTuple):
    """A text and the reference that supports it best."""

    name: str
    scores: dict[str, float | None]  # "p", "r", "f"
    hyp: SideView
    ref: SideView


class UnitWorker(Worker):
    """A worker whose records have P(BOS) and P(EOS) of the tokens among the units."""

    def _load(self) -> None:
        from ..sentence_identifier.spans import find_span_keys

        super()._load()
        set_identifier(self.nlp, {"store_probs": True})
        list_units: Any = self._extract
        su_key = find_span_keys(self.nlp)[0]
        # Both lists are mapped back if the tokenizer has filtered the text.
        list_words = make_extractor(self.nlp, WORDS)

        def list_probs(doc: "Doc") -> Rows:
            attrs = doc.spans[su_key].attrs
            probs = [
                {"label": TOKEN, "bos_prob": float(bos), "eos_prob": float(eos)}
                for token, bos, eos in zip(doc, attrs["bos_prob"], attrs["eos_prob"], strict=True)
                if not token.is_space
            ]
            return [{**word, **prob} for word, prob in zip(list_words(doc), probs, strict=True)]

        self._extract = lambda doc: list_units(doc) + list_probs(doc)


def read_gold(path: Path, *, lang: str = "en", **settings: Any) -> Iterator[DocumentView]:
    """Read the gold documents of a .conllu file or of a .spacy file with both span groups.

    lang: Language of the vocabulary.
    settings: Arguments of `convert_treebank`.

    Raises ValueError for any other file.
    """
    import spacy
    from spacy.tokens import DocBin

    from ..sentence_identifier.convert import NEWDOC, NSU_KEY, SU_KEY, convert_treebank
    from ..sentence_identifier.spans import read_units

    if path.suffix not in GOLD_SUFFIXES:
        raise ValueError(
            f"The gold file must be a {' or '.join(GOLD_SUFFIXES)} file, got {path}. Make one with "
            "'spacy-sentid treebank convert'."
        )
    nlp = spacy.blank(lang)
    docs: Iterable[Doc]
    if path.suffix == ".spacy":
        docs = DocBin(store_user_data=True).from_disk(path).get_docs(nlp.vocab)
    else:
        docs = convert_treebank(path, nlp, **settings)
    for n, doc in enumerate(docs, start=1):
        missing = [key for key in (SU_KEY, NSU_KEY) if key not in doc.spans]
        if missing:
            raise ValueError(
                f"{path}: document {n} must have spans[{missing[0]!r}], got "
                f"{', '.join(doc.spans) or 'none'}. Use 'spacy-sentid treebank convert'."
            )
        name = doc.user_data.get(NEWDOC) or f"{path.stem}-{n}"
        yield DocumentView(str(name), doc.text, [], gold=read_units(doc))


def view_documents(
    documents: Sequence[Document], worker: Worker, *, on_bad: Callable[[BadLine], object]
) -> Iterator[DocumentView]:
    """Yield what the pipeline finds in documents; those that it fails on are passed to `on_bad`.

    Sentences are SUs and words have no label; neither have scores.
    """
    task = worker.settings.task
    label, kind = ("", "word") if task == WORDS else (SU, "")
    for document, record in _work(documents, worker, on_bad):
        start = document.start_char
        units, probs = [], []
        for row in record[task]:
            span = row["start_char"] - start, row["end_char"] - start
            if row.get("label") == TOKEN:
                probs.append(TokenProb(*span, row["bos_prob"], row["eos_prob"]))
            else:
                units.append(UnitView(*span, row.get("label", label), row.get("score"), kind))
        name = str(document.id)
        if document.part is not None:
            name += f", part {document.part + 1}"
        yield DocumentView(name, document.text, units, probs or None)


def view_gold(
    golds: Sequence[DocumentView], worker: Worker, *, on_bad: Callable[[BadLine], object]
) -> Iterator[DocumentView]:
    """Yield what the pipeline finds in gold documents, together with their gold."""
    # The id is a number, as names may be repeated.
    numbered = [Document(n, gold.text, gold.name) for n, gold in enumerate(golds)]
    for view in view_documents(numbered, worker, on_bad=on_bad):
        gold = golds[int(view.name)]
        yield view._replace(name=gold.name, gold=gold.gold)


def view_pairs(
    documents: Sequence[Document], worker: Worker, *, on_bad: Callable[[BadLine], object]
) -> Iterator[PairView]:
    """Yield which words of a text its reference does not support, and vice versa."""
    for document, record in _work(documents, worker, on_bad):
        sides = [document.text, (document.refs or ("",))[record.get("best", 0)]]
        hyp, ref = (
            SideView(
                text,
                [(s["start_char"], s["end_char"], s["score"]) for s in record[f"{name}_spans"]],
                [(start, end, support) for _, start, end, support in record[f"{name}_words"]],
            )
            for name, text in zip(("hyp", "ref"), sides, strict=True)
        )
        scores = {name: record[name] for name in ("p", "r", "f")}
        yield PairView(str(document.id), scores, hyp, ref)


def make_worker(settings: WorkSettings, *, with_probs: bool) -> Worker:
    """Load the pipeline of a page."""
    return UnitWorker(settings) if with_probs and settings.task != SCORES else Worker(settings)


def take(
    items: Iterable[Item | BadLine], limit: int, *, on_bad: Callable[[BadLine], object]
) -> tuple[list[Item], bool]:
    """Return the first good items, and whether there are more; bad ones are passed to `on_bad`.

    >>> take(["a", BadLine("x:2", "why"), "b", "c"], 2, on_bad=print)
    BadLine(place='x:2', reason='why')
    (['a', 'b'], True)
    """
    found: list[Item] = []
    for item in items:
        if isinstance(item, BadLine):
            on_bad(item)
        elif len(found) == limit:
            return found, True
        else:
            found.append(item)
    return found, False


def _work(
    documents: Sequence[Document], worker: Worker, on_bad: Callable[[BadLine], object]
) -> Iterator[tuple[Document, dict[str, Any]]]:
    """Yield each document with its record, whose offsets are of the document's text."""
    documents = [document._replace(origin=None) for document in documents]
    for document, record in zip(documents, worker.make_records(documents), strict=True):
        if isinstance(record, BadLine):
            on_bad(record)
        else:
            yield document, record
