"""`python -m studies theta`: the pairs that `paraphrase generate --tagger` accepts and rejects."""

from pathlib import Path
from typing import Annotated

import typer

from spacy_sentid.cli.options import in_file
from spacy_sentid.cli.terminal.printing import format_table

THETAS = (0.0, 0.02, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3)


def theta(
    paths: Annotated[
        list[Path], in_file(metavar="PAIRS.jsonl...", help="Pairs with gold tags, one per line.")
    ],
    model: Annotated[
        str, typer.Option(help="Pipeline with a paraphrase tagger, or a language.")
    ] = "en",
) -> None:
    """Count the true paraphrases that are accepted and the other pairs that are rejected, by theta.

    A pair is a true paraphrase if it has no gold highlight. It is rejected if the tagger highlights
    a larger share of the words than theta, in either text.

    Example: python -m studies theta studies/paraphrase_data/contrast_dev.jsonl
    """
    from spacy_sentid.components.pipelines import load
    from spacy_sentid.paraphrase_tagger.corpus import read_pairs
    from spacy_sentid.paraphrase_tagger.generation.candidates import highlighted_share, tag_pairs
    from spacy_sentid.paraphrase_tagger.generation.sentence_pairs import SentencePair

    nlp = load(model, "paraphrase_tagger")
    rows = [["file", "pairs", "number", *(f"{theta:g}" for theta in THETAS)]]
    for path in paths:
        pairs = list(read_pairs(path, allow_identical=True))
        untagged = [SentencePair(p.id, "", "", p.words1, p.words2) for p in pairs]
        shares: dict[bool, list[float]] = {True: [], False: []}
        for gold, found in zip(pairs, tag_pairs(nlp, untagged), strict=True):
            if isinstance(found, ValueError):
                raise found
            share = max(highlighted_share(found.tags1), highlighted_share(found.tags2))
            shares[not highlighted_share(gold.tags1, gold.tags2)].append(share)
        for is_paraphrase, name in ((True, "paraphrases kept"), (False, "others refused")):
            some = shares[is_paraphrase]
            counts = (sum((share <= theta) is is_paraphrase for share in some) for theta in THETAS)
            rows.append([path.name, name, f"{len(some):,}", *map(str, counts)])
    typer.echo(format_table(rows, n_left=2))
