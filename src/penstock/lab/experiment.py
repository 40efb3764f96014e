"""What an experiment is: data that says what is varied, what is measured, and what its paper claims."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Generic, NamedTuple, Self, TypeVar, get_type_hints

from penstock.lab.claims import Claim


class Scale(StrEnum):
    """How large an experiment is run."""

    SMALL = "small"
    PAPER = "paper"


@dataclass(frozen=True, slots=True)
class Paper:
    """Where an experiment comes from."""

    name: str
    title: str


class Measure(NamedTuple):
    """Something that is measured, and in which unit it is kept (none for a plain number)."""

    name: str
    unit: str = ""

    @property
    def is_time(self) -> bool:
        return self.unit in ("µs", "ms", "s")


class Measurement(NamedTuple):
    """One value of a measure. A value that follows from a formula, without being observed, is ``computed``."""

    measure: Measure
    value: float
    computed: bool = False


Subject = Callable[[], Sequence[Measurement]]
"""What is measured, ready to be: each call is one repetition."""


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: what it shows, in which unit, and by how much a kept value is multiplied to be shown in it.

    ``names`` gives words to the values of an axis that has no numbers: the value ``i`` is shown as ``names[i]``.
    """

    label: str
    unit: str = ""
    logarithmic: bool = False
    factor: float = 1.0
    names: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        return f"{self.label} ({self.unit})" if self.unit else self.label


@dataclass(frozen=True, slots=True)
class Panel:
    """One plot of an experiment: a measure over the experiment's x axis, for all series.

    With a ``base``, the name of a series, values are shown as so many times those of that series.
    """

    measure: Measure
    y: Axis
    base: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """A line of the plots. Series of one ``colour`` (a number) belong together and differ by ``dashed``."""

    name: str
    label: str
    colour: int
    dashed: bool = False


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """The numbers of an experiment at one scale. The annotation of each says what it is to a reader."""

    xs: tuple[float, ...]
    repetitions: Annotated[int, "repetitions"] = 1
    seed: Annotated[int, "seed of the random numbers"] = 1

    def with_data(self, folder: Path) -> Self:
        """These parameters with the whole data sets of a folder, for experiments that otherwise take samples."""
        del folder
        return self

    def described(self) -> list[tuple[str, str]]:
        """What each parameter is, and its value, for people; what is not set is left out.

        >>> Parameters(xs=(1, 2), repetitions=3).described()
        [('repetitions', '3'), ('seed of the random numbers', '1')]
        """
        hints = get_type_hints(type(self), include_extras=True)
        described = []
        for field in fields(self):
            meaning = getattr(hints[field.name], "__metadata__", None)
            value = getattr(self, field.name)
            if meaning and value is not None and value != {}:
                described.append((str(meaning[0]), _shown(value)))
        return described


@dataclass(frozen=True, kw_only=True)
class VariedParameters(Parameters):
    """Parameters of which one, named by ``varied``, is the x axis."""

    varied: str

    def at(self, x: float) -> Self:
        """The parameters with the varied one as it is at x."""
        changed: dict[str, Any] = {
            "xs": (),
            self.varied: x if isinstance(getattr(self, self.varied), float) else int(x),
        }
        return replace(self, **changed)

    def described(self) -> list[tuple[str, str]]:
        varied = get_type_hints(type(self), include_extras=True)[self.varied].__metadata__[0]
        return [(meaning, value) for meaning, value in super().described() if meaning != varied]


def _shown(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(each)}" for key, each in value.items())
    if isinstance(value, tuple):
        return " x ".join(map(_shown, value))
    return f"{value:,}" if isinstance(value, int | float) else str(value)


P = TypeVar("P", bound=Parameters)
S = TypeVar("S", bound=Series)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment(Generic[P, S]):
    """A figure of a paper: its question, its parameters at each scale, its series, its axes and its claims.

    ``prepare`` builds what a series measures at one x, or returns nothing where the series is not run.
    """

    name: str
    paper: Paper
    figure: str
    title: str
    question: str
    scales: Mapping[Scale, P]
    series: tuple[S, ...]
    x: Axis
    panels: tuple[Panel, ...]
    claims: tuple[Claim, ...]
    prepare: Callable[[P, S, float], Subject | None]
    notes: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        return f"{self.paper.name} figure {self.figure}: {self.title}"

    @property
    def labels(self) -> dict[str, str]:
        return {series.name: series.label for series in self.series}


AnyExperiment = Experiment[Any, Any]
