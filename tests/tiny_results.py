"""Small results of each kind that the report knows, as the commands write them."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LABELS = ("macro", "weighted", "b", "i", "o")


def unit_scores(f: float) -> dict[str, float]:
    keys = [f"bio_{label}_f" for label in LABELS]
    keys += [f"spans_{label}_{side}" for label in ("su", "nsu") for side in "prf"]
    return {prefix + key: f for prefix in ("", "char_") for key in keys}


def evaluation(
    f: float = 0.9, *, sd: float | None = None, model: str = "en", treebank: str = "EWT"
) -> dict[str, Any]:
    runs, summary = [], []
    for setting in ("0.5", "sentencizer"):
        seeds = (0, 1) if sd is not None else (0,)
        runs += [{"setting": setting, "seed": seed, "scores": unit_scores(f)} for seed in seeds]
        entry = {"setting": setting, "mean": unit_scores(f)}
        summary.append(entry | ({} if sd is None else {"sd": unit_scores(sd)}))
    settings = {"model": model, "treebank": treebank, "units": 1200, "layout": "space"}
    return {"settings": settings, "runs": runs, "summary": summary}


def study(f: float = 0.9) -> dict[str, Any]:
    rows = ["BOS&EOS (+UNI +AUG)"]
    rows += [f"{rows[0]}, lambda = {n / 10:g}" for n in range(11)]
    runs = [
        {
            "domain": "in-domain",
            "system": "uni-aug",
            "seed": seed,
            "scores": {
                "in-domain": {row: {"0.5": unit_scores(f + 0.02 * seed)} for row in rows},
            },
        }
        for seed in (0, 1)
    ]
    domains = {"in-domain": {"max_steps": 10, "settings": [[0.5, None]]}}
    about = {"version": "0", "layout": "space", "overrides": {}, "domains": domains}
    return {"study": about, "runs": runs}


def parser_study() -> dict[str, Any]:
    def run(p: float, seed: int) -> dict[str, Any]:
        shares = {"wrong_punct_rate": 0.1 - p / 10, "np_detection": 0.5, "propn_rate": 0.1}
        phrases = {name: {"n_phrases": 9, **shares} for name in ("units", "extracted")}
        scores = {"treebank": {"n_units": 7, "las_conll": 0.8 + seed / 100, "pos_acc": 0.9}}
        scores["noun_phrases"] = phrases
        return {"lang": "en", "remove_punct": p, "add_np": 0.0, "seed": seed, "scores": scores}

    runs = [run(p, seed) for p in (0.0, 0.2) for seed in (0, 1)]
    return {"study": {"treebanks": {"en": {}}, "grid": ["0/0", "0.2/0"]}, "runs": runs}


def downstream() -> dict[str, Any]:
    keys = ("upos", "las", "las_p", "las_r", "sents_r", "trees_r", "other")

    def run(seed: int) -> dict[str, Any]:
        names = ("whole", "senter", "identifier", "identifier-strip", "gold")
        ways = {
            name: dict.fromkeys(keys, 0.7 + n / 100 + seed / 50) for n, name in enumerate(names)
        }
        return {"seed": seed, "scores": dict.fromkeys(("paragraphs", "one line"), ways)}

    return {"study": {"configs": {"parser": "[nlp]"}}, "runs": [run(0), run(1)]}


def pause_study() -> dict[str, Any]:
    def run(system: str, seed: int, f: float) -> dict[str, Any]:
        scores = {"word_p": f, "word_r": f, "word_f": f, "oov_r": f, "single_rate": f}
        found: dict[str, Any] = {"system": system, "seed": seed, "simulated": None, "noise": None}
        found |= {"scores": {"zx": {"sentences": 3, **scores}}, "target": {}}
        if system == "base":
            shares = {"pause_bins": [0.5] * 4, "kept": 0.5, "noise": 3, "dropped": 0.9}
            found["filter"] = {"pauses": 5, **shares}
        else:
            names = ("sentences", "characters", "pauses", "boundaries", "changed")
            found["target"] = dict.fromkeys(names, 4)
        return found

    runs = [run(name, seed, f) for name, f in (("base", 0.8), ("p0.5", 0.82)) for seed in (0, 1)]
    variants = [{"system": name, "file": None, "noise": None} for name in ("p0.5", "base")]
    compared = {"test": "zx", "a": variants[0], "b": variants[1], "p": 0.01, "n_seeds": 2}
    about = {"steps": 8, "tune_steps": 4, "tune_rate": 0.1, "rate": 0.3, "noises": []}
    about |= {"systems": ["base", "p0.5"], "seeds": [0, 1], "tests": {"zx": "zx.txt"}}
    about["simulate"] = {}
    return {"study": about, "runs": runs, "comparisons": [{**compared, "difference": 0.02}]}


def ladder() -> dict[str, Any]:
    table = {"name": "rungs", "title": "Success of the rungs", "header": ["rung", "success"]}
    table |= {"rows": [["structure", 0.968], ["[a-z]\\.", 12]], "notes": ["Of Brown."]}
    rungs = {"structure": {"success": 0.968, "f1": 0.985}}
    first = {**table, "name": "corpus", "title": "The corpus", "notes": ["See the last table."]}
    return {"corpus": "b.jsonl", "tables": {"corpus": first, "rungs": table}, "rungs": rungs}


def pairs(f: float = 0.7) -> dict[str, Any]:
    def row(system: str, score: float, seeds: int) -> dict[str, Any]:
        keys = ("paraphrase_acc", "unparaphrased_p", "unparaphrased_r", "unparaphrased_f")
        scores = {key: {"mean": score, "sd": 0.01} for key in (*keys, "spans_unparaphrased_f")}
        tuned = scores if seeds > 1 else {}
        head = {"system": system, "pairs": "all", "seeds": seeds, "thresholds": [None]}
        return {**head, "fixed": scores, "tuned": tuned}

    rows = [row("overlap", 0.6, 1), row("tagger", f, 3)]
    return {"test": "test.jsonl", "threshold": 0.5, "rows": rows}


def nlg_meta() -> dict[str, Any]:
    rows: dict[str, Any] = {"chrF": {"SummEval COH": 0.19, "Q-CNN FAC": None}}
    rows |= {"tagger": {"SummEval COH": 0.25}, "ParaTag (paper)": {"SummEval COH": 0.253}}
    return {"settings": {}, "items": {"summeval": 1600}, "rows": rows}


def profile(name: str = "dev.conllu") -> dict[str, Any]:
    tally: dict[str, Any] = {"n_units": 4, "n_words": 9, "n_with_tree": 4, "n_npu": 1}
    tally |= {"npu_ratio": 0.25, "n_with_tag": 4, "n_pou": 1, "pou_ratio": 0.25}
    tally |= {"n_no_end_mark": 2, "no_end_mark_ratio": 0.5, "last_marks": {".": 3}}
    counts = ("su", "nsu", "word_b", "word_i", "word_o", "char_b", "char_i", "char_o")
    entry = {"file": name, "table_3": dict.fromkeys(counts, 3), **tally}
    entry |= {"genres_from": "ids", "genres": {"blog": tally}}
    return {"all_su": False, "su_relations": ["nsubj"], "files": [entry]}


def robustness() -> dict[str, Any]:
    shares = {"wrong_punct_rate": 0.01, "np_detection": 0.6, "propn_rate": 0.2}
    scores: dict[str, Any] = {"n_units": 10, "n_words": 200, "pos_acc": 0.9, "uas": 0.8}
    scores |= {"las": 0.75, "las_with_punct": 0.76, "las_conll": None}
    phrases = {"np.txt": {"n_phrases": 300, "n_cut": 4, **shares}}
    return {"settings": {"treebank": "t.conllu"}, "noun_phrases": phrases, "treebank": scores}


def sentiment() -> dict[str, Any]:
    counts = {"units": 2, "found": 0, "correct": 0, "precision": None, "recall": 0.0}
    return {"settings": {}, "scores": {"positive": counts}, "units": [{"text": "Good."}]}


def words(f: float = 0.9, *, model: str = "zh", file: str = "dev.txt") -> dict[str, Any]:
    entry: dict[str, Any] = {"file": file, "sentences": 3, "words": 20, "characters": 30}
    entry |= {"word_p": f, "word_r": f, "word_f": f, "oov_r": f, "oov_rate": 0.1}
    entry |= {"single_rate": 0.4, "gold_single_rate": 0.4}
    return {"model": model, "train": [], "files": [entry]}


def word_benchmark() -> dict[str, Any]:
    keys = ("word_p", "word_r", "word_f", "oov_r", "single_rate")
    scores = {"seeds": 1, **{key: {"mean": 0.8, "sd": None} for key in keys}}
    return {"models": {}, "sets": {"GSD": {"in_training": False, "systems": {"jieba": scores}}}}


def word_speed() -> dict[str, Any]:
    texts = {"GSD": {"characters": 9, "systems": {"jieba": 190_000.5, "ours": 46_000.0}}}
    return {"machine": "EPYC", "rounds": 5, "texts": texts}


def pause_statistics() -> dict[str, Any]:
    inside = {"[10, 50)": 0.25, "[50, 150)": 0.75}
    row = {"name": "1.0", "n": 4, "overall": 1.0, "internal": inside, "accuracy": None}
    return {"pauses": "p.jsonl", "model": "zh", "gold": None, "n_pauses": 4, "bins": [row]}


def abbreviations() -> dict[str, Any]:
    entry = {"word": "Co", "reasons": ["likely"], "n_with": 3, "n_without": 0}
    return {"words": 900, "abbreviations": [entry], "learned": {}, "files": ["a.txt"]}


def peers() -> dict[str, Any]:
    sets = {"Brown": {"boundaries": 9, "systems": {"segment": {"f1": 0.98}}}}
    speed = {"systems": {"segment": {"document": 6e7, "paragraphs": 3e7}}}
    return {"machine": "EPYC", "accuracy": sets, "speed": speed}


def score_units(f: float = 0.8, *, predictions: str = "p.jsonl") -> dict[str, Any]:
    return {"inputs": "in/clean.jsonl", "predictions": predictions, "scores": unit_scores(f)}


# Title of the section -> a result.
RESULTS = {
    "Evaluation of units": evaluation(),
    "Units of other systems": score_units(),
    "Study of the sentence identifier": study(),
    "Paraphrase tagger": pairs(),
    "Scores of texts against people": nlg_meta(),
    "Treebanks": profile(),
    "Parser study": parser_study(),
    "Downstream study": downstream(),
    "Parsers on noun phrases": robustness(),
    "Sentiment by trees": sentiment(),
    "Words": words(),
    "Words, beside others": word_benchmark(),
    "Speed of word segmenters": word_speed(),
    "Pause study": pause_study(),
    "Pauses": pause_statistics(),
    "Ladder of rules": ladder(),
    "Abbreviations": abbreviations(),
    "Sentence splitters": peers(),
    "Other results": {"f": 0.5, "by type": {"SU": {"p": 1.0}, "NSU": {"p": 0.5}}},
}


def write_results(folder: Path, results: Mapping[str, Any]) -> list[Path]:
    """Write each result into a file of its name."""
    paths = []
    for name, result in results.items():
        paths.append(folder / f"{name}.json")
        paths[-1].write_text(json.dumps(result), encoding="utf8")
    return paths
