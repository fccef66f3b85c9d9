"""`spacy-sentid evaluate`: score pipelines, or any other system, against gold."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

from . import evaluate_documents
from . import options as opt
from .terminal.help import CommandGroup
from .terminal.printing import format_table, progress, write_json

DEFAULT_P_CCS = (0.5, 0.0)

app = CommandGroup(
    help="Score a pipeline, or the output of any system, against gold.",
    examples=[
        "evaluate documents texts/ --by-kind",
        "evaluate units treebank/ --split test --json scores.json",
        "evaluate words test.txt",
    ],
)
app.command()(evaluate_documents.documents)


@app.command()
def units(
    source: opt.Treebank,
    model: opt.AnyModel = None,
    p_cc: Annotated[
        list[float] | None,
        Option(
            "--p-cc",
            min=0,
            max=1,
            help="Parameter of the geometric distribution of the number of units per text. 0 makes "
            "texts of up to 400 words. Repeatable. Default: 0.5 and 0; with --texts, 0.5.",
        ),
    ] = None,
    seed: Annotated[
        list[int] | None,
        Option(
            "--seed", help="Random seed. Repeatable, for mean and standard deviation. Default: 0."
        ),
    ] = None,
    layout: Annotated[opt.Separator, Option(help="Separator between units.")] = "space",
    lang: opt.Lang = "en",
    split: opt.Split = None,
    all_su: opt.AllSu = False,
    su_relations: opt.SuRelations = None,
    ignore_list_marks: opt.IgnoreListMarks = False,
    texts: Annotated[
        Path | None,
        opt.out_option(
            metavar="OUT.jsonl",
            help="Only write the texts and their gold units, for 'evaluate documents'.",
        ),
    ] = None,
    json_path: opt.JsonPath = None,
) -> None:
    """Score SUs and NSUs on texts made of treebank units, in percent.

    The texts are concatenations of units, as in the paper (section 6.2). To score another system,
    write the texts with --texts, and run the system on OUT.jsonl. Then score its output with
    'evaluate documents OUT.jsonl --predictions'.

    Example: spacy-sentid evaluate units treebank/ --split test --json scores.json
    """
    from ..components.pipelines import load
    from ..sentence_identifier.data.documents import write_documents
    from ..sentence_identifier.evaluation import joined as evaluation

    rule = opt.make_rule(all_su, su_relations, ignore_list_marks)
    labelled = evaluation.read_labelled(source, split=split, **rule)
    if not labelled:
        raise ValueError(f"{source} must have at least one unit, got none.")
    opt.warn_without_nsu({label for _, label in labelled}, source)
    seeds = seed or [0]
    p_ccs = p_cc or list(DEFAULT_P_CCS if texts is None else DEFAULT_P_CCS[:1])
    if texts is not None:
        opt.refuse_options({"--model": model, "--json": json_path}, "with --texts")
        if len(p_ccs) > 1 or len(seeds) > 1 or texts.suffix != ".jsonl":
            raise ValueError(
                "--texts must be a .jsonl file, with one --p-cc and one --seed, got "
                f"{texts}, {len(p_ccs)} and {len(seeds)}."
            )
        found = list(
            evaluation.assemble_texts(
                labelled, p_cc=p_ccs[0], seed=seeds[0], layout=layout, lang=lang
            )
        )
        write_documents(found, texts)
        n_units = sum(len(text.units) for text in found)
        typer.echo(f"{texts}: {len(found):,} texts, {n_units:,} units")
        return

    nlp = load(model or "en")
    report = evaluation.evaluate_settings(
        nlp,
        labelled,
        p_ccs=p_ccs,
        seeds=seeds,
        layout=layout,
        watch=lambda runs: progress(runs, desc="evaluate", unit="run"),
    )
    typer.echo(format_table(evaluation.tabulate_scores(report["summary"]), n_keys=2))
    report["settings"] |= {"model": model or "en", "treebank": str(source), "split": split, **rule}
    write_json(json_path, report)


@app.command()
def words(
    files: Annotated[
        list[Path],
        opt.in_file(
            metavar="FILE...",
            help="Segmented text: .txt (one sentence per line, words separated by spaces), .jsonl "
            "or .conllu.",
        ),
    ],
    model: opt.Model = "zh",
    train: Annotated[
        list[Path] | None,
        opt.in_option(
            metavar="FILE",
            help="Segmented text with the known words; repeatable. Default: the words that the "
            "model was trained on, if they were saved with it.",
        ),
    ] = None,
    json_path: opt.JsonPath = None,
) -> None:
    """Score the words of a Chinese segmenter, in percent.

    P, R and F1 count words with exact boundaries. OOV is the share of unknown words, OOV R their
    recall. S is the share of the characters that are words by themselves.

    Example: spacy-sentid evaluate words test.txt
    """
    from ..components.pipelines import find, load
    from ..word_segmenter.boundary_probs import segment_texts
    from ..word_segmenter.corpus import read_vocabulary, read_words
    from ..word_segmenter.scorer import evaluate_sentences, tabulate_scores

    opt.check_outputs([json_path], [*files, *(train or [])])
    golds = {str(path): read_words(path) for path in files}
    nlp = load(model, "word_segmenter")
    segmenter = find(nlp, "word_segmenter")
    known = read_vocabulary(train) if train else segmenter.in_vocabulary
    with progress(total=sum(map(len, golds.values())), desc="evaluate", unit="sentence") as bar:

        def segment(texts: Iterable[str]) -> Iterator[list[str]]:
            for words in segment_texts(nlp, texts):
                bar.update()
                yield words

        report = [
            {"file": name, **evaluate_sentences(segment, gold, in_vocabulary=known)}
            for name, gold in golds.items()
        ]
    typer.echo(format_table(tabulate_scores(report)))
    write_json(json_path, {"model": model, "train": list(map(str, train or [])), "files": report})


@app.command()
def pairs(
    test: Annotated[
        Path, opt.in_file(metavar="TEST.jsonl", help="Tagged pairs, one JSON object per line.")
    ],
    model: opt.Model = "en",
    threshold: Annotated[
        float | None,
        Option(min=0, max=1, help="Threshold of the tagger. Default: that of the pipeline."),
    ] = None,
    json_path: opt.JsonPath = None,
) -> None:
    """Score the highlights of a paraphrase tagger, in percent.

    Prints word accuracy, and precision, recall and F1 of the highlighted words and of exact spans.
    The best threshold is the one with the highest F1 of words on these pairs.

    Example: spacy-sentid evaluate pairs dev.jsonl
    """
    from ..components.pipelines import find, load
    from ..paraphrase_tagger.corpus import read_tagged_pairs
    from ..paraphrase_tagger.scorer import score_tagger

    opt.check_outputs([json_path], [test])
    found = read_tagged_pairs(test, allow_identical=True)
    nlp = load(model, "paraphrase_tagger")
    settings = find(nlp, "paraphrase_tagger").cfg
    if threshold is not None:
        settings["threshold"] = threshold
    scores = score_tagger(nlp, progress(found, desc="evaluate", unit="pair"))
    rows = [["", "P", "R", "F1"]]
    for title, name in (("words", "unparaphrased"), ("exact spans", "spans_unparaphrased")):
        rows.append([title, *(f"{100 * scores[f'{name}_{kind}']:.1f}" for kind in "prf")])
    typer.echo(format_table(rows))
    best, at = (scores[f"unparaphrased_best_{name}"] for name in ("f", "threshold"))
    typer.echo(
        f"Accuracy of words: {100 * scores['paraphrase_acc']:.1f}. Best threshold: {at:.3f}, with "
        f"F1 {100 * best:.1f}."
    )
    report = {"model": model, "test": test.name, "threshold": settings["threshold"]}
    write_json(json_path, {**report, "scores": scores})
