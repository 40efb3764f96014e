"""AMKH's figure 1: x is the largest value of a predicate, and what is examined in vain is what the index counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.indexes import new_index
from penstock.lab.amkh_workload import alert_events, alert_subscriptions
from penstock.lab.boolean_workloads import event_dictionaries
from penstock.lab.experiment import Scale
from penstock.lab.experiments.amkh import AMKH_0, AMKH_1, AMKH_1_2, MKH, UNMATCHED, HashingSeries

FEW = replace(AMKH_1.scales[Scale.SMALL], count=400, events=40, batch=15)


def test_x_goes_from_15_to_95() -> None:
    for parameters in AMKH_1.scales.values():
        assert (parameters.xs[0], parameters.xs[-1]) == (15, 95)


@pytest.mark.parametrize("series", [AMKH_1_2, MKH, AMKH_0], ids=lambda each: each.name)
def test_what_is_examined_in_vain_is_counted_by_the_index(series: HashingSeries) -> None:
    subject = AMKH_1.prepare(FEW, series, 35.0)
    assert subject is not None
    measured = {each.measure: each.value for each in subject()}
    index = new_index(series.index, buckets=FEW.buckets, **series.options)
    index.insert_many(range(400), alert_subscriptions(400, highest=35, seed=FEW.seed))  # type: ignore[attr-defined]
    for event in event_dictionaries(alert_events(40, seed=FEW.seed)):
        index.match(event)
    assert measured[UNMATCHED] == index.work.unmatched / 40  # type: ignore[attr-defined]
