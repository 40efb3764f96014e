"""The experiments of the OpIndex paper, section 7."""

from __future__ import annotations

from typing import Final

from penstock.lab.experiment import AnyExperiment
from penstock.lab.experiments.opindex.construction import FIGURE_1, FIGURE_7, FIGURE_9A, FIGURE_9B
from penstock.lab.experiments.opindex.keywords import KEYWORD_EXPERIMENTS
from penstock.lab.experiments.opindex.matching import (
    FIGURE_10A,
    FIGURE_10B,
    FIGURE_10C,
    FIGURE_10D,
    FIGURE_10E,
    FIGURE_10F,
)
from penstock.lab.experiments.opindex.memory import FIGURE_8A, FIGURE_8B
from penstock.lab.experiments.opindex.normal_forms import NORMAL_FORM_EXPERIMENTS
from penstock.lab.experiments.opindex.prefixes import PREFIX_EXPERIMENTS
from penstock.lab.experiments.opindex.products import PRODUCT_EXPERIMENTS

SYNTHETIC_EXPERIMENTS: Final[tuple[AnyExperiment, ...]] = (
    FIGURE_1,
    FIGURE_7,
    FIGURE_8A,
    FIGURE_8B,
    FIGURE_9A,
    FIGURE_9B,
    FIGURE_10A,
    FIGURE_10B,
    FIGURE_10C,
    FIGURE_10D,
    FIGURE_10E,
    FIGURE_10F,
)

OPINDEX_EXPERIMENTS: Final[tuple[AnyExperiment, ...]] = (
    *SYNTHETIC_EXPERIMENTS,
    *KEYWORD_EXPERIMENTS,
    *PRODUCT_EXPERIMENTS,
    *NORMAL_FORM_EXPERIMENTS,
    *PREFIX_EXPERIMENTS,
)
