"""Count the operations of the identifier, and compare its speed with the peak of the core.

shapes of its weights, rows of each layer -> operations per token; sgemm -> peak of the core
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import spacy
from spacy.tokens import Doc
from speed_rounds import find_cpu_seconds, time_rounds
from speed_texts import Rounds
from thinc.api import Model

from spacy_sentid.components.pipelines import find, load
from spacy_sentid.sentence_identifier.access.units import FACTORY

SIZE = 2048  # rows and columns of the matrices that measure the peak


def measure_flops(model: str, rounds: Rounds) -> dict[str, Any]:
    """Measure only the component and the peak of the core in each round.

    RETURNS: Operations per token by kind of layer. For each round, tokens per second of `predict`,
        operations per second of the peak, and the share of the time in `set_annotations`.
    """
    # Two pipelines, because each may cache the words that it has read.
    pipes = [find(load(model), FACTORY) for _ in range(2)]
    nlp = spacy.blank("en")
    square = np.random.default_rng(0).random((SIZE, SIZE), dtype="float32")
    decoding: list[float] = []

    def annotate(docs: list[Doc]) -> None:
        prediction = pipes[1].predict(docs)
        decoding.append(find_cpu_seconds(partial(pipes[1].set_annotations, docs), prediction))

    runs: dict[str, Callable[[Any], object]] = {
        "predict": pipes[0].predict,
        "annotate": annotate,
        "peak": lambda _: square @ square,
    }
    batches = [[nlp.make_doc(text) for text in texts] for texts in (rounds.warm_up, *rounds.texts)]
    time_rounds(runs, batches[:1])
    decoding.clear()
    flops = count_flops(pipes[0], batches[1])
    seconds = time_rounds(runs, batches[2:])
    tokens = list(map(count_tokens, batches[2:]))
    return {
        "flops_per_token": flops,
        "tokens_per_second": [n / s for n, s in zip(tokens, seconds["predict"], strict=True)],
        "peak": [2 * SIZE**3 / s for s in seconds["peak"]],
        "decoding": [a / b for a, b in zip(decoding, seconds["annotate"], strict=True)],
    }


def count_tokens(docs: Sequence[Doc]) -> int:
    """Count the tokens that are not white space, which the component skips."""
    return sum(not token.is_space for doc in docs for token in doc)


def count_flops(pipe: Any, docs: Sequence[Doc]) -> dict[str, float]:
    """Count the multiplications and additions per token: twice the weights for each row of a layer.

    docs: Docs that the component has not read before, as it may cache the vectors of words.

    Rows are tokens in some layers, and distinct words or segments in others, so the rows of each
    layer are counted. Faster code may read the weights of a layer without calling it. Such a layer
    gets the rows of the layer after it. Lookups in tables do not count.
    """
    n_tokens = count_tokens(docs)
    nodes = {node.id: node for node in pipe.model.walk()}
    after = {a.id: b.id for node in nodes.values() for a, b in pairwise(node.layers)}
    with watch_rows(nodes.values()) as rows:
        pipe.predict(docs)
    flops: Counter[str] = Counter()
    for key, node in nodes.items():
        n_rows = rows.get(key, rows.get(after.get(key, 0), 0))
        flops[node.name] += 2 * _count_weights(node) * n_rows / n_tokens
    return {name: number for name, number in flops.items() if number}


def _count_weights(node: Model) -> int:
    """Count the weights that each row is multiplied by."""
    has_matrix = "W" in node.param_names and node.has_param("W")
    return node.get_param("W").size if has_matrix else 0


@contextmanager
def watch_rows(nodes: Any) -> Iterator[dict[int, int]]:
    """Count the rows that layers process in the block: id of the layer -> rows."""
    rows: Counter[int] = Counter()
    kept = [(node, node._func) for node in nodes]

    def watch(node: Model, forward: Callable) -> None:
        def watched(model: Model, X: Any, is_train: bool) -> Any:
            rows[node.id] += len(getattr(X, "rows", X))
            return forward(model, X, is_train)

        node._func = watched

    for node, forward in kept:
        watch(node, forward)
    try:
        yield rows
    finally:
        for node, forward in kept:
            node._func = forward
