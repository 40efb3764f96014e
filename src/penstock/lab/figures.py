"""Draws results: one style, colours that colour-blind people can tell apart, a marker of its own for each series."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from math import ceil, floor, log10
from typing import TYPE_CHECKING, Any, Final

from penstock.errors import MissingExtraError
from penstock.lab.experiment import AnyExperiment, Axis, Panel, Series
from penstock.lab.results import Range, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# The palette of Okabe and Ito, without its yellow, which is too light for lines.
_COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X")

_MOST_TICKS: Final = 12
"""With more values of x, only each second, or third, is named."""

_STYLE: Final[Any] = {  # any, because matplotlib types the keys and mypy would have all of them spelled out
    "axes.axisbelow": True,
    "axes.edgecolor": "#666666",
    "axes.grid": True,
    "axes.labelcolor": "#222222",
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 11,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
    "svg.hashsalt": "penstock",  # the same results give the same file
    "xtick.color": "#444444",
    "ytick.color": "#444444",
}


def require_matplotlib() -> None:
    """Say what to install when matplotlib is not there."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise MissingExtraError(
            "penstock.lab draws with matplotlib, which is not installed; to install it: pip install 'penstock[lab]'"
        ) from error


def draw(experiment: AnyExperiment, panel: Panel, results: Results, form: str = "svg") -> bytes:
    """A panel of an experiment as the bytes of an image: ``svg``, ``png`` or ``pdf``."""
    require_matplotlib()
    with _styled():
        figure = _figure(experiment, panel, results)
        image = BytesIO()
        metadata = {"Date": None} if form == "svg" else None
        figure.savefig(image, format=form, dpi=160, bbox_inches="tight", metadata=metadata)
    return image.getvalue()


@contextmanager
def _styled() -> Iterator[None]:
    import matplotlib

    with matplotlib.rc_context(_STYLE):
        yield


def _figure(experiment: AnyExperiment, panel: Panel, results: Results) -> Figure:
    # Without pyplot there is no state that outlives the figure, and no window system is looked for.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.2, 4.0), layout="constrained")
    axes = figure.subplots()
    drawn = [_draw_series(axes, panel, series, results) for series in experiment.series]
    if experiment.x.logarithmic:
        axes.set_xscale("log", base=2)
    _scale_y(axes, panel.y)
    _label(axes, experiment.x, panel.y, _xs(experiment, panel, results))
    if any(drawn):
        figure.legend(loc="outside lower center", ncols=3, fontsize=10, handlelength=2.4, columnspacing=1.4)
    return figure


def _draw_series(axes: Axes, panel: Panel, series: Series, results: Results) -> bool:
    ranges = ranges_of(panel, series, results)
    if not ranges:
        return False
    factor = panel.y.factor
    xs = list(ranges)
    lows, medians, highs = ([value * factor for value in column] for column in zip(*ranges.values(), strict=True))
    colour = _COLOURS[series.colour % len(_COLOURS)]
    marker = _MARKERS[series.colour % len(_MARKERS)]
    computed = [results.is_computed(series.name, x, panel.measure) for x in xs]
    axes.plot(
        xs,
        medians,
        color=colour,
        marker=marker,
        linestyle="--" if series.dashed else "-",
        markerfacecolor="white" if series.dashed else colour,
        label=series.label,
    )
    axes.fill_between(xs, lows, highs, color=colour, alpha=0.15, linewidth=0)
    _mark_computed(axes, [(x, y) for x, y, each in zip(xs, medians, computed, strict=True) if each], colour)
    return True


def ranges_of(panel: Panel, series: Series, results: Results) -> dict[float, Range]:
    """What a panel shows of a series: its values, or how many times those of the panel's base they are."""
    ranges = results.ranges(series.name, panel.measure)
    if not panel.base:
        return ranges
    base = results.medians(panel.base, panel.measure)
    return {x: Range(value / base[x] for value in each) for x, each in ranges.items() if base.get(x)}


def _mark_computed(axes: Axes, points: list[tuple[float, float]], colour: str) -> None:
    """A ring around the points that were computed and not observed."""
    if points:
        xs, ys = zip(*points, strict=True)
        axes.scatter(xs, ys, s=140, facecolors="none", edgecolors=colour, linewidths=1)


def _xs(experiment: AnyExperiment, panel: Panel, results: Results) -> list[float]:
    return sorted({x for series in experiment.series for x in ranges_of(panel, series, results)})


def _scale_y(axes: Axes, y: Axis) -> None:
    from matplotlib.ticker import LogLocator

    low, high = axes.dataLim.minposy, axes.dataLim.intervaly[1]
    if not y.logarithmic or high <= 0:  # no logarithmic axis has a place for nothing but zeros
        axes.set_ylim(bottom=0)
        return
    axes.set_yscale("log", nonpositive="mask")
    # Ends that are ticks themselves, so that also a range within one power of ten has at least two.
    bottom, top = _round_tick(low, down=True), _round_tick(high, down=False)
    axes.set_ylim(bottom / 1.05, top * 1.05)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if top / bottom < 1000 else (1,)))


def _round_tick(value: float, *, down: bool) -> float:
    """The nearest of ..., 0.5, 1, 2, 5, 10, 20, ... that is not above, or not below, a positive value.

    >>> _round_tick(37.0, down=True), _round_tick(37.0, down=False)
    (20.0, 50.0)
    """
    power = 10.0 ** floor(log10(value))
    steps = [power * step for step in (1, 2, 5, 10)]
    return max(step for step in steps if step <= value) if down else min(step for step in steps if step >= value)


def _label(axes: Axes, x: Axis, y: Axis, xs: list[float]) -> None:
    axes.set_xlabel(x.title)
    axes.set_ylabel(y.title)
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.10g}")
    every = max(1, ceil(len(xs) / _MOST_TICKS))
    shown = xs[every - 1 :: every]
    axes.set_xticks(shown, [tick(x, value) for value in shown])
    axes.minorticks_off()


def tick(axis: Axis, value: float) -> str:
    """A value of an axis in as few characters as will do.

    >>> [tick(Axis("n"), each) for each in (8, 1000, 64_000, 1_024_000, 1500)]
    ['8', '1k', '64k', '1,024k', '1.5k']
    """
    if axis.names:
        return axis.names[int(value)]
    return f"{value / 1000:,g}k" if value >= 1000 else f"{value:g}"
