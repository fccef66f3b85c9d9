"""Compare the marks of two annotators in the same documents."""

from collections.abc import Sequence

from spacy_sentid.scores import summarise_scores
from spacy_sentid.sentence_identifier.data.gold_document import GoldDocument
from spacy_sentid.sentence_identifier.evaluation.documents import (
    AS_IS,
    nsu_kind_rows,
    tabulate_scores,
)
from spacy_sentid.sentence_identifier.evaluation.scorer import score_documents


def compare_marks(
    gold: Sequence[GoldDocument], second: Sequence[GoldDocument]
) -> tuple[list[list[str]], list[list[str]]]:
    """Score the documents of `second` like predictions, against those of `gold` with the same id.

    RETURNS: Rows of `tabulate_scores` and `nsu_kind_rows`.
    Raises ValueError if a document of `second` is not in `gold`, or has a different text there.
    """
    by_id = {document.id: document for document in gold}
    marked = []
    for document in second:
        if document.id not in by_id or by_id[document.id].text != document.text:
            raise ValueError(
                f"Both annotations must have the same documents, but {document.id!r} of the second "
                "is not in the first or has another text there."
            )
        marked.append(by_id[document.id])
    scores = score_documents(marked, [document.units for document in second])
    summary = summarise_scores([{AS_IS: scores}])
    return tabulate_scores(summary), nsu_kind_rows(summary)
