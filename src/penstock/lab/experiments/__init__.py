"""The experiments by name. The command line, the report and the tests go through this table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from penstock.errors import UnknownExperimentError, did_you_mean
from penstock.lab.experiment import AnyExperiment
from penstock.lab.experiments.agile import AGILE_EXPERIMENTS
from penstock.lab.experiments.amkh import AMKH_EXPERIMENTS
from penstock.lab.experiments.opindex import OPINDEX_EXPERIMENTS
from penstock.lab.experiments.vci import VCI_EXPERIMENTS
from penstock.lab.experiments.vcr import VCR_EXPERIMENTS

EXPERIMENTS: Mapping[str, AnyExperiment] = MappingProxyType(
    {
        experiment.name: experiment
        for experiments in (VCI_EXPERIMENTS, VCR_EXPERIMENTS, OPINDEX_EXPERIMENTS, AMKH_EXPERIMENTS, AGILE_EXPERIMENTS)
        for experiment in experiments
    }
)


def find_experiments(names: Iterable[str]) -> list[AnyExperiment]:
    """The experiments of some names, in the order of the table, each once; ``all`` is all of them."""
    wanted = set(names)
    for name in wanted - EXPERIMENTS.keys() - {"all"}:
        hint = did_you_mean(name, EXPERIMENTS) or f"; known are all, {', '.join(EXPERIMENTS)}"
        raise UnknownExperimentError(f"there is no experiment {name!r}{hint}")
    return [each for name, each in EXPERIMENTS.items() if name in wanted or "all" in wanted]
