"""`spacy-sentid robustness`: score a tagger and parser on noun phrases (paper, section 6.1)."""

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .table import format_table


def robustness(
    model: Annotated[
        str, typer.Argument(help="Folder or package of a pipeline with a tagger and a parser.")
    ],
    phrases: Annotated[
        Path | None,
        typer.Option(
            metavar="LIST.txt",
            exists=True,
            dir_okay=False,
            help="Noun phrases, one a line, without punctuation at the end.",
        ),
    ] = None,
    treebank: Annotated[
        Path | None,
        typer.Option(
            metavar="TEST.conllu",
            exists=True,
            dir_okay=False,
            help="For UAS, LAS and "
            "POS; its noun phrases without punctuation at the end are scored as LIST is.",
        ),
    ] = None,
    gold_words: Annotated[
        bool,
        typer.Option(
            "--gold-words/--raw",
            help="Keep the words of the treebank, or cut its text with the tokenizer of MODEL.",
        ),
    ] = True,
    gpu_id: Annotated[int, typer.Option(help="GPU to run on; -1 = CPU.")] = -1,
    batch_size: Annotated[
        int | None, typer.Option(min=1, help="Phrases that MODEL gets at once.")
    ] = None,
    json_path: Annotated[
        Path | None, typer.Option("--json", metavar="OUT", help="Write scores (0-1) and settings.")
    ] = None,
) -> None:
    """Score how often MODEL takes noun phrases for what they are; the tables are in percent.

    Wrong punct: the last word is tagged PUNCT or is a `punct`. NOUN, PROPN: one tree with such a
    root. Cut: several trees. LAS leaves out `punct` as spaCy does, the next counts it; relations
    are compared with their subtypes, for LAS of CoNLL without.

    Example: spacy-sentid robustness training/parser/model-last --treebank test.conllu
    """
    import spacy
    from tqdm import tqdm

    from ..corpus_augmenter import robustness as part
    from ..corpus_augmenter.parsing import gold_noun_phrases, read_parsing_docs
    from ..files.atomic import open_output
    from ..pipelines import load

    if phrases is None and treebank is None:
        raise ValueError("Found nothing to score, expected inputs. Give --phrases or --treebank.")
    lists: dict[str, list[Any]] = {}
    if phrases is not None:
        lists[phrases.name] = part.read_phrases(phrases)
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    nlp = load(model)
    size = part.BATCH_SIZE if batch_size is None else batch_size
    gold = [] if treebank is None else list(read_parsing_docs(treebank, nlp.vocab))
    if treebank is not None:
        units = list(gold_noun_phrases(gold))
        if units:
            lists[f"{treebank.name} (gold)"] = units if gold_words else [doc.text for doc in units]
        else:
            typer.secho(
                f"Warning: no noun phrase without punctuation at the end in {treebank}.",
                fg=typer.colors.YELLOW,
                err=True,
            )
    total = sum(map(len, lists.values())) + len(gold)
    with tqdm(total=total, desc="robustness", unit="unit", disable=None) as bar:

        def parse(units: list[Any]) -> Any:
            for doc in part.parse_phrases(nlp, units, batch_size=size):
                bar.update()
                yield doc

        scores = {name: part.score_noun_phrases(parse(units)) for name, units in lists.items()}
        on_treebank = None
        if treebank is not None:
            on_treebank = part.score_treebank(
                nlp,
                gold,
                gold_words=gold_words,
                batch_size=size,
                on_unit=lambda _: bar.update(),
            )
    tables = []
    if scores:
        tables += [part.noun_phrase_rows(scores), part.root_rows(scores)]
    if treebank is not None and on_treebank is not None:
        tables.append(part.treebank_rows(treebank.name, on_treebank))
    typer.echo("\n\n".join(format_table(rows) for rows in tables if len(rows) > 1))
    if json_path is not None:
        report = {
            "settings": {
                "model": model,
                "phrases": None if phrases is None else str(phrases),
                "treebank": None if treebank is None else str(treebank),
                "gold_words": gold_words,
                "gpu_id": gpu_id,
                "batch_size": size,
            },
            "noun_phrases": {name: entry.to_json() for name, entry in scores.items()},
            "treebank": None if on_treebank is None else on_treebank.to_json(),
        }
        with open_output(json_path) as file:
            json.dump(report, file, indent=2, ensure_ascii=False)
            file.write("\n")
