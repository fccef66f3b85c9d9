"""The target data of the pause study, with sentences and their known boundaries.

PauseRecords -> training records, held-out records -> pauses used as boundaries -> words or chunks
segmented text -> a half with simulated pauses, a half to test on

The splits depend only on digests of the sentences. So they are the same every time, and no sentence
is in both parts.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language

from spacy_sentid.arrays import Floats1d
from spacy_sentid.files.atomic import open_output
from spacy_sentid.files.fingerprint import fingerprint_files
from spacy_sentid.files.records import format_record
from spacy_sentid.word_segmenter.boundary_probs import boundary_probs
from spacy_sentid.word_segmenter.characters import SYMBOL, fold, without_symbols
from spacy_sentid.word_segmenter.corpus import read_words
from spacy_sentid.word_segmenter.speech.completion import complete, cut_chunks
from spacy_sentid.word_segmenter.speech.pauses import PauseRecord, pause_gaps, read_pauses
from spacy_sentid.word_segmenter.speech.transcripts import clean_transcript
from studies.pauses.plans import Study
from studies.pauses.simulation import boundaries, simulate_pauses
from studies.pauses.systems import SYSTEMS, System, filter_gaps

HELD_OUT = "held-out"  # name of the test set of held-out pauses
HELD_OUT_SHARE = 0.15  # share of the sentences with pauses to hold out
HALF = 0.5  # share of a file that gets simulated pauses


class Records(NamedTuple):
    """Sentences with pauses, split into training and held-out records."""

    train: list[PauseRecord]
    held_out: list[PauseRecord]


class Simulation(NamedTuple):
    """The halves of a file of segmented text, in words."""

    train: list[list[str]]  # without punctuation, which is not spoken
    test: list[list[str]]  # unchanged


class Target(NamedTuple):
    """Records to complete, and the gaps between their gold words if they are known."""

    records: list[PauseRecord]
    gold_gaps: list[set[int]] | None = None


def draw_share(texts: Iterable[str], share: float) -> set[str]:
    """Draw a share of the different texts. The draw does not depend on their order.

    >>> sorted(draw_share(["a", "b", "b", "c", "d"], 0.5)) == sorted(draw_share("dcba", 0.5))
    True
    """
    different = sorted(set(texts), key=lambda text: sha256(text.encode("utf8")).digest())
    return set(different[: round(share * len(different))])


def read_records(path: Path) -> Records:
    """Read records and hold some out.

    Raises ValueError for a bad line, and if there are no pauses to train on or to hold out.
    """
    records = list(read_pauses(path))
    chosen = draw_share(("".join(record.chars) for record in records), HELD_OUT_SHARE)
    parts: tuple[list[PauseRecord], ...] = ([], [])
    for record in records:
        parts["".join(record.chars) in chosen].append(record)
    if not all(any(map(pause_gaps, part)) for part in parts):
        raise ValueError(
            f"{path} must have sentences with pauses to train on and to hold out "
            f"({100 * HELD_OUT_SHARE:g} %), got {len(records)} sentences. Add more."
        )
    return Records(*parts)


def read_simulation(path: Path) -> Simulation:
    """Split a file of segmented text into halves. Raise ValueError if one has no words.

    Sentences that differ only in punctuation are in the same half.
    """
    sentences = [(words, without_symbols(words)) for words in read_words(path)]
    chosen = draw_share(("".join(spoken) for _, spoken in sentences), HALF)
    train = [spoken for _, spoken in sentences if spoken and "".join(spoken) in chosen]
    test = [words for words, spoken in sentences if "".join(spoken) not in chosen]
    if not train or not test:
        raise ValueError(
            f"{path} must have at least two different sentences, got {len(sentences)} sentences. "
            "Add more, or omit it from --simulate."
        )
    return Simulation(train, test)


def check_data(study: Study) -> None:
    """Check the data of the study. Raise ValueError if data are missing, or both train and test."""
    if HELD_OUT in study.tests:
        raise ValueError(
            f"--test must not use the name {HELD_OUT!r}, which is that of the held-out pauses. "
            "Choose another name."
        )
    records = read_records(study.pauses)
    names = [name for name in study.systems if SYSTEMS[name].with_punctuation]
    if names and not any(record.text for record in records.train):
        raise ValueError(
            f"{study.pauses} must have 'text' with punctuation for {', '.join(names)}, got none. "
            "Omit these from --systems."
        )
    for path in (*study.source, study.source_dev, study.target_dev, *study.tests.values()):
        read_words(path)
    sources = {fingerprint_files([path]) for path in study.source}
    for path in study.tests.values():
        if fingerprint_files([path]) in sources:
            raise ValueError(
                f"--test must not have training data, got {path}, which is also in --source. "
                "Choose another file."
            )
    learned = sources | {fingerprint_files([path]) for path in (study.source_dev, study.target_dev)}
    for path in study.simulate.values():
        simulation = read_simulation(path)
        for noise, seed in product(study.noises, study.seeds):
            make_simulated_target(simulation, rate=study.rate, noise=noise, seed=seed)
        if fingerprint_files([path]) in learned:
            raise ValueError(
                f"--simulate must not have training or dev data, because half of it is test data, "
                f"got {path}. Choose another file."
            )


def punctuation_gaps(record: PauseRecord) -> list[int] | None:
    """List the gaps of a record that have punctuation in its text. Return None if it is not known.

    >>> punctuation_gaps(PauseRecord("a", list("好走吧"), [0, 0], text="好，走吧！"))
    [0]
    """
    text, offsets = record.text, record.offsets
    if text is None:
        return None
    if offsets is None:
        spoken = clean_transcript(text)
        if [found.char for found in spoken] != record.chars:
            return None
        offsets = [(found.start_char, found.end_char) for found in spoken]
    pairs = enumerate(pairwise(offsets))
    return [
        gap
        for gap, (before, after) in pairs
        if any(fold(char)[1] == SYMBOL for char in text[before[1] : after[0]])
    ]


def make_target(records: Records) -> Target:
    """Make the target from real pauses."""
    return Target(records.train)


def make_simulated_target(
    simulation: Simulation, *, rate: float, noise: float, seed: int
) -> Target:
    """Make the target from simulated pauses in the training half of the sentences."""
    sentences = simulation.train
    found = simulate_pauses(sentences, rate=rate, noise=noise, seed=seed)
    return Target(found, [set(boundaries(words)) for words in sentences])


def find_boundaries(system: System, record: PauseRecord, probs: Floats1d) -> list[int] | None:
    """List the gaps of a record that a system uses as boundaries.

    probs: p_B of each gap, shape (n_characters - 1,).
    RETURNS: Sorted gaps; None if the system does not use the record.
    """
    if system.only is not None and not filter_gaps(record, probs, system.only):
        return None
    gaps = set() if system.keep is None else set(filter_gaps(record, probs, system.keep))
    if system.with_punctuation:
        gaps |= set(punctuation_gaps(record) or ())
    return sorted(gaps)


def write_target(nlp: Language, system: System, target: Target, folder: Path) -> dict[str, Any]:
    """Write the target data of a system as target.txt, or as target.jsonl with chunks.

    nlp: The base, which computes p_B and the best words.
    RETURNS: The name of the `file`, and counts of sentences, of characters, of pauses, of
        boundaries used, and of sentences in which they change the words (0 for a partial CRF). If
        gold words are known, also counts of true pauses and of noise, and of those that are kept.
    """
    counts = {"sentences": 0, "characters": 0, "pauses": 0, "boundaries": 0, "changed": 0}
    if target.gold_gaps is not None:
        counts |= {"true": 0, "true_kept": 0, "noise": 0, "noise_kept": 0}
    chosen: list[tuple[PauseRecord, list[int]]] = []
    texts = ("".join(record.chars) for record in target.records)
    for number, probs in enumerate(boundary_probs(nlp, texts)):
        record = target.records[number]
        gaps = find_boundaries(system, record, probs)
        if gaps is None:
            continue
        chosen.append((record, gaps))
        pauses = pause_gaps(record)
        counts["sentences"] += 1
        counts["characters"] += len(record.chars)
        counts["pauses"] += len(pauses)
        counts["boundaries"] += len(gaps)
        if target.gold_gaps is not None:
            gold = target.gold_gaps[number]
            for gap in pauses:
                kind = "true" if gap in gold else "noise"
                counts[kind] += 1
                counts[f"{kind}_kept"] += gap in gaps
    name = "target.jsonl" if system.is_partial else "target.txt"
    with open_output(folder / name) as file:
        if system.is_partial:
            for record, gaps in chosen:
                file.write(format_record({"chunks": cut_chunks(record, gaps)}) + "\n")
        else:
            for words, alone in _complete_twice(nlp, chosen):
                counts["changed"] += words != alone
                file.write(" ".join(words) + "\n")
    return {"file": name, **counts}


def _complete_twice(
    nlp: Language, chosen: Sequence[tuple[PauseRecord, list[int]]]
) -> Iterator[tuple[list[str], list[str]]]:
    """Complete the words of each record with its boundaries, and without any (self-training)."""
    without: list[tuple[PauseRecord, list[int]]] = [(record, []) for record, _ in chosen]
    return zip(complete(nlp, chosen), complete(nlp, without), strict=True)
