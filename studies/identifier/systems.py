"""The systems that the paper compares, and ours: how each is trained, and how it decodes.

system -> a config and what is changed in it -> a trained pipeline -> one or more rows of the tables
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from thinc.api import Config

COMPONENT = "sentence_identifier"
# Paths inside a config.
SETTINGS = f"components.{COMPONENT}"
CORPORA = ("corpora.train", "corpora.dev")
# p_DA and p_TR of the paper (section 6.1), and the pairs of its Table 9.
AUGMENT, TRUNCATE = 0.3, 0.1
RATES = ((0.15, 0.05), (AUGMENT, TRUNCATE), (0.45, 0.15))
# Lambda in Figure 3.
UNIDIRECTIONAL_WEIGHTS = tuple(n / 10 for n in range(11))
IN_DOMAIN, SEGMENTATION = "in-domain", "segmentation-only"
DOMAINS = (IN_DOMAIN, SEGMENTATION)


class System(NamedTuple):
    """A way to train an identifier."""

    eos_only: bool = False  # no BOS is learned
    uni: bool = False  # with the unidirectional model
    sweep: bool = False  # measured at each lambda of Figure 3
    augment: float = 0.0  # p_DA
    truncate: float = 0.0  # p_TR
    ours: bool = False  # our own config, not the paper's method
    rows: Mapping[str, Mapping[str, Any]] = MappingProxyType({})  # name -> settings to decode with
    in_study: bool = True  # else in Table 9 only


def _both(name: str, **options: Any) -> System:
    return System(rows={name: {"decoder": "bos_eos"}}, **options)


def _with_rates(augment: float, truncate: float) -> System:
    options = {"uni": True, "augment": augment, "truncate": truncate}
    return _both(f"p_DA = {augment}, p_TR = {truncate}", **options, in_study=False)


SYSTEMS: dict[str, System] = {
    "eos": System(
        eos_only=True,
        rows={
            "EOS-Only": {"decoder": "eos"},
            "EOS-Only (force last)": {"decoder": "eos_force_last"},
        },
    ),
    "eos-aug": System(
        eos_only=True,
        augment=AUGMENT,
        truncate=TRUNCATE,
        rows={
            "EOS-Only (+AUG)": {"decoder": "eos"},
            "EOS-Only (+AUG, force last)": {"decoder": "eos_force_last"},
        },
    ),
    "bos-eos": _both("BOS&EOS"),
    "uni": _both("BOS&EOS (+UNI)", uni=True),
    "uni-aug": _both(
        "BOS&EOS (+UNI +AUG)", uni=True, sweep=True, augment=AUGMENT, truncate=TRUNCATE
    ),
    "ours": System(ours=True, rows={"ours": {}}),
    **{
        f"uni-aug-{augment:g}": _with_rates(augment, truncate)
        for augment, truncate in RATES
        if augment != AUGMENT
    },
}


def training_overrides(system: System, config: Config) -> dict[str, Any]:
    """Say what a system changes in the config that it is trained with.

    config: The filled config; the unidirectional model is switched on in its encoder.
    """
    if system.ours:
        return {}
    overrides: dict[str, Any] = {}
    if system.eos_only:
        overrides |= {f"{SETTINGS}.loss_weights.bos": 0.0, f"{SETTINGS}.decoder": "eos"}
    if system.uni:
        overrides[f"{SETTINGS}.model.unidirectional"] = True
        overrides[f"{_encoder_path(config)}.unidirectional"] = True
    for corpus in CORPORA:
        if system.augment:
            overrides[f"{corpus}.p_augment"] = system.augment
        if system.truncate:
            overrides[f"{corpus}.p_truncate"] = system.truncate
    if system.augment or system.truncate:
        overrides["corpora.dev.redraw"] = True  # App. D: the same procedure for validation
    return overrides


def _encoder_path(config: Config) -> str:
    """Find the block of the encoder: the component's own, or a transformer that it listens to."""
    components = config["components"]
    path = (
        "components.transformer.model"
        if "transformer" in components
        else f"{SETTINGS}.model.tok2vec"
    )
    block: Any = config
    for name in path.split("."):
        block = block[name]
    if "unidirectional" not in block:
        raise ValueError(
            f"[{path}] is {block.get('@architectures')!r}, which has no setting 'unidirectional'; "
            "expected spacy_sentid.DilatedEncoder.v1 or spacy_sentid.UnitTransformer.v1. Choose "
            "another config, or leave the systems with +UNI out."
        )
    return path


def check_encoder(config: Config, encoder: str | None) -> None:
    """Raise ValueError if a pretrained encoder is named for a config that has none."""
    if encoder and "transformer" not in config["components"]:
        raise ValueError(
            f"--encoder is {encoder!r}, but the config has no transformer that it would be for. "
            "Give one that has: --config configs/identifier_trf.cfg"
        )


def config_path(system: System, *, paper: Path, ours: Path) -> Path:
    """Choose the config that a system is trained with."""
    return ours if system.ours else paper
