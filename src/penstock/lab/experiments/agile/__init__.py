"""The experiments of the AGILE paper, section 6."""

from __future__ import annotations

from typing import Final

from penstock.lab.experiment import AnyExperiment
from penstock.lab.experiments.agile.bursts import FIGURE_14, FIGURE_15
from penstock.lab.experiments.agile.steady import FIGURE_11, FIGURE_12, FIGURE_13

AGILE_EXPERIMENTS: Final[tuple[AnyExperiment, ...]] = (FIGURE_11, FIGURE_12, FIGURE_13, FIGURE_14, FIGURE_15)
