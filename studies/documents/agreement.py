"""Compare the marks of two annotators in the same documents."""

from collections.abc import Sequence

from spacy_sentid.sentence_identifier.data.marked_text import MarkedDocument
from spacy_sentid.sentence_identifier.evaluation.document_scores import score_documents
from spacy_sentid.sentence_identifier.evaluation.documents import (
    AS_IS,
    nsu_kind_rows,
    score_rows,
    summarise_reports,
)


def compare_marks(
    gold: Sequence[MarkedDocument], second: Sequence[MarkedDocument]
) -> tuple[list[list[str]], list[list[str]]]:
    """Score the documents of `second` like predictions, against those of `gold` with the same id.

    RETURNS: Rows of `document_evaluation.score_rows` and `nsu_kind_rows`.
    Raises ValueError if a document of `second` is not in `gold`, or has a different text there.
    """
    by_id = {document.id: document for document in gold}
    scored = []
    for document in second:
        if document.id not in by_id or by_id[document.id].text != document.text:
            raise ValueError(
                f"Both annotations must have the same documents, but {document.id!r} of the second "
                "is not in the first or has another text there."
            )
        starts = [unit.start for unit in document.units]
        scored.append((by_id[document.id], document.units, starts))
    summary = summarise_reports([{AS_IS: score_documents(scored)}])
    return score_rows(summary), nsu_kind_rows(summary)
