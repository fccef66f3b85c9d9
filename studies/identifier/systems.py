"""The systems of the paper, and ours, with their training and decoding settings.

system -> a config and its overrides -> a trained pipeline -> one or more rows of the tables
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from thinc.api import Config

from studies.identifier.baselines import COMPONENT, EOS, EOS_FORCE_LAST

# Paths inside a config.
SETTINGS = f"components.{COMPONENT}"
CORPORA = ("corpora.train", "corpora.dev")
# The paper's p_DA and p_TR (section 6.1), and the pairs in its Table 9.
AUGMENT, TRUNCATE = 0.3, 0.1
RATES = ((0.15, 0.05), (AUGMENT, TRUNCATE), (0.45, 0.15))
# The values of lambda in Figure 3.
UNIDIRECTIONAL_WEIGHTS = tuple(n / 10 for n in range(11))
IN_DOMAIN, SEGMENTATION = "in-domain", "segmentation-only"
DOMAINS = (IN_DOMAIN, SEGMENTATION)


class System(NamedTuple):
    """A way to train an identifier."""

    eos_only: bool = False  # train without BOS
    uni: bool = False  # use the unidirectional model
    sweep: bool = False  # evaluate at each lambda of Figure 3
    augment: float = 0.0  # p_DA
    truncate: float = 0.0  # p_TR
    ours: bool = False  # use our config instead of the paper's method
    changes: Mapping[str, Any] = MappingProxyType({})  # overrides of our config
    augmented: bool = False  # train on the augmented treebank
    rows: Mapping[str, Mapping[str, Any]] = MappingProxyType({})  # name -> decoding settings
    domains: tuple[str, ...] = DOMAINS  # the corpora to train on
    in_tables: bool = True  # show in Tables 5, 7, 8 and 13, not only in a separate table


def _both(name: str, **options: Any) -> System:
    return System(rows={name: {"decoder": "bos_eos"}}, **options)


def _with_rates(augment: float, truncate: float) -> System:
    options = {"uni": True, "augment": augment, "truncate": truncate}
    name = f"p_DA = {augment}, p_TR = {truncate}"
    return _both(name, **options, domains=(SEGMENTATION,), in_tables=False)


def _step(rows: Mapping[str, Mapping[str, Any]], *changes: Mapping[str, Any]) -> System:
    """Make a system between ours and BOS&EOS, which is ours with some changes."""
    merged = {name: value for change in changes for name, value in change.items()}
    return System(ours=True, changes=merged, rows=rows, domains=(IN_DOMAIN,), in_tables=False)


PAPER_DECODER = {"decoder": "bos_eos", "threshold": 0.1}
UPDATES = {"training.max_steps": 1000}
NO_SEGMENTS = {
    f"{SETTINGS}.model.segment_hidden": None,
    f"{SETTINGS}.loss_weights.segments": 0.0,
    **{f"{SETTINGS}.{name}": value for name, value in PAPER_DECODER.items()},
}
NO_SYNTAX = {
    f"{SETTINGS}.loss_weights.{name}": 0.0
    for name in ("context", "tag", "pos", "feats", "dep", "head", "head_dep", "arcs", "children")
}
IN_ORDER = {"corpora.train.p_cc": [0.5], "corpora.train.shuffle": []}
# Steps from ours to BOS&EOS, each with one more change. The last step differs from BOS&EOS only in
# the line features.
STEPS = {
    "step-updates": _step({"- 1,000 updates": {}, "- the paper's decoder": PAPER_DECODER}, UPDATES),
    "step-segments": _step({"- no scores of segments": {}}, UPDATES, NO_SEGMENTS),
    "step-syntax": _step({"- no syntax to learn": {}}, UPDATES, NO_SEGMENTS, NO_SYNTAX),
    "step-order": _step(
        {"- p_CC = .5 alone, units in order": {}}, UPDATES, NO_SEGMENTS, NO_SYNTAX, IN_ORDER
    ),
}
SYSTEMS: dict[str, System] = {
    "eos": System(
        eos_only=True,
        rows={
            "EOS-Only": {"decoder": EOS},
            "EOS-Only (force last)": {"decoder": EOS_FORCE_LAST},
        },
    ),
    "eos-aug": System(
        eos_only=True,
        augment=AUGMENT,
        truncate=TRUNCATE,
        rows={
            "EOS-Only (+AUG)": {"decoder": EOS},
            "EOS-Only (+AUG, force last)": {"decoder": EOS_FORCE_LAST},
        },
    ),
    "bos-eos": _both("BOS&EOS"),
    "uni": _both("BOS&EOS (+UNI)", uni=True),
    "uni-aug": _both(
        "BOS&EOS (+UNI +AUG)", uni=True, sweep=True, augment=AUGMENT, truncate=TRUNCATE
    ),
    "ours": System(ours=True, rows={"ours": {}}),
    "ours-no-ewt": System(
        ours=True,
        changes={"corpora.dev.nsu_documents": "assets/everyday/dev"},
        rows={"ours, nothing of EWT": {}},
        domains=(SEGMENTATION,),
    ),
    # For treebanks that have hardly any NSUs.
    "ours-augmented": System(
        ours=True,
        augmented=True,
        rows={"ours, augmented treebank": {}},
        domains=(IN_DOMAIN,),
        in_tables=False,
    ),
    **{
        f"uni-aug-{augment:g}": _with_rates(augment, truncate)
        for augment, truncate in RATES
        if augment != AUGMENT
    },
    **STEPS,
}


def training_overrides(system: System) -> dict[str, Any]:
    """List the config overrides of a system."""
    if system.ours:
        return dict(system.changes)
    overrides: dict[str, Any] = {}
    if system.eos_only:
        overrides[f"{SETTINGS}.loss_weights.bos"] = 0.0
        overrides[f"{SETTINGS}.store_probs"] = True
        overrides[f"{SETTINGS}.scorer.@scorers"] = "studies.eos_scorer.v1"
    for corpus in CORPORA:
        if system.augment:
            overrides[f"{corpus}.p_augment"] = system.augment
        if system.truncate:
            overrides[f"{corpus}.p_truncate"] = system.truncate
    if system.augment or system.truncate:
        overrides["corpora.dev.redraw"] = True  # validation uses the same procedure (App. D)
    return overrides


def check_encoder(config: Config, encoder: str | None) -> None:
    """Check if a config can use --encoder. Raise ValueError if it has no transformer."""
    if encoder and "transformer" not in config["components"]:
        raise ValueError(
            f"--encoder {encoder!r} needs a config with a transformer. Use --config "
            "configs/identifier_trf.cfg, or omit --encoder."
        )
