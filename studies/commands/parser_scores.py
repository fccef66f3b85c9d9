"""`python -m studies parser-scores`: score a tagger and parser on noun phrases and a treebank."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from spacy_sentid.cli.terminal.printing import format_table


def parser_scores(
    model: Annotated[
        str, typer.Argument(help="Folder or package of a pipeline with a tagger and a parser.")
    ],
    phrases: Annotated[
        Path | None,
        typer.Option(
            metavar="LIST.txt", exists=True, dir_okay=False, help="Noun phrases, one per line."
        ),
    ] = None,
    treebank: Annotated[
        Path | None,
        typer.Option(
            metavar="TEST.conllu",
            exists=True,
            dir_okay=False,
            help="Treebank for UAS, LAS and POS. Its noun phrases without final punctuation are "
            "scored like those of LIST.",
        ),
    ] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write the scores (0-1).")
    ] = None,
) -> None:
    """Score a tagger and parser on noun phrases, in percent.

    'wrong punct': the last word is tagged PUNCT or has the relation 'punct'. 'NOUN', 'PROPN': the
    phrase is a single tree with this root. 'cut': the phrase is several trees. The first LAS
    ignores 'punct', as in spaCy, and the second counts it. Both compare subtypes of relations, and
    the LAS of CoNLL ignores subtypes. The words of the treebank are kept.

    Example: python -m studies parser-scores en_core_web_sm --treebank test.conllu
    """
    from spacy_sentid.components.pipelines import load
    from spacy_sentid.files.atomic import open_output
    from studies.parser import scores as scoring
    from studies.parser.phrases import (
        gold_noun_phrases,
        parse_phrases,
        read_parsing_docs,
        read_phrases,
    )

    if phrases is None and treebank is None:
        raise ValueError("--phrases, --treebank or both must be given, got neither.")
    nlp = load(model)
    lists: dict[str, list[Any]] = {}
    if phrases is not None:
        lists[phrases.name] = read_phrases(phrases)
    gold = list(read_parsing_docs(treebank, nlp.vocab)) if treebank is not None else []
    if treebank is not None:
        lists[f"{treebank.name} (gold)"] = list(gold_noun_phrases(gold))
    found = {
        name: scoring.score_noun_phrases(parse_phrases(nlp, units))
        for name, units in lists.items()
        if units
    }
    tables = [scoring.noun_phrase_rows(found), scoring.root_rows(found)]
    report: dict[str, Any] = {"noun_phrases": {name: one.to_dict() for name, one in found.items()}}
    if treebank is not None:
        scores = scoring.score_treebank(nlp, gold)
        tables.append(scoring.treebank_rows(treebank.name, scores))
        report["treebank"] = scores._asdict()
    typer.echo("\n\n".join(format_table(rows) for rows in tables if len(rows) > 1))
    if json_path is not None:
        with open_output(json_path) as file:
            json.dump({"model": model, **report}, file, indent=2)
            file.write("\n")
