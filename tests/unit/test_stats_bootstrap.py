from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from hakari.errors import InvalidInput
from hakari.stats import Resampling, mean_intervals, ratio_intervals

QUICK = Resampling(resamples=400)


@pytest.mark.parametrize("queries", [10, 50, 200])
def test_a_system_that_hits_everything_is_not_given_certainty(queries):
    low, high = mean_intervals(np.ones((1, queries)))
    assert high[0] == 1
    assert 1 - 4 / queries < low[0] < 1 - 1 / queries
    low, high = mean_intervals(np.zeros((1, queries)))
    assert low[0] == 0
    assert 1 / queries < high[0] < 4 / queries


@pytest.mark.parametrize("hits", [0, 1, 5, 100, 199])
def test_for_hits_it_is_jeffreys_interval(hits):
    from scipy.special import betaincinv

    low, high = mean_intervals(np.arange(200) < hits)
    assert low[0] == pytest.approx(betaincinv(hits + 0.5, 200 - hits + 0.5, 0.025) if hits else 0, abs=0.004)
    assert high[0] == pytest.approx(betaincinv(hits + 0.5, 200 - hits + 0.5, 0.975), abs=0.004)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=30), elements=st.floats(0, 1)))
def test_intervals_hold_the_mean_stay_in_range_and_ignore_company(values):
    low, high = mean_intervals(values, QUICK)
    means = values.mean(axis=1)
    assert np.all((low <= means + 1e-9) & (means - 1e-9 <= high))
    assert np.all((low >= 0) & (high <= 1))
    alone = mean_intervals(values[-1], QUICK)
    assert (alone[0][0], alone[1][0]) == (low[-1], high[-1])


def test_a_ratio_with_equal_denominators_is_a_mean():
    counts = np.random.default_rng(1).integers(0, 5, size=(3, 60))
    by_ratio = ratio_intervals(counts, np.full(60, 4))
    by_mean = mean_intervals(counts / 4)
    assert np.allclose(by_ratio, by_mean, atol=1e-9)


def test_queries_with_nothing_to_find_do_not_move_a_ratio():
    found, wanted = np.array([[3, 0, 2] * 20]), np.array([4, 0, 2] * 20)
    low, high = ratio_intervals(found, wanted)
    assert low[0] < 5 / 6 < high[0]


def test_intervals_shrink_with_the_root_of_the_number_of_queries():
    values = np.random.default_rng(2).random(800)
    wide, narrow = (np.subtract(*reversed(mean_intervals(values[:size]))) for size in (200, 800))
    assert wide[0] / narrow[0] == pytest.approx(2, rel=0.15)


def test_another_confidence_is_another_width():
    values = np.random.default_rng(2).random(100)
    widths = [
        np.subtract(*reversed(mean_intervals(values, Resampling(confidence=confidence))))[0]
        for confidence in (0.8, 0.95, 0.99)
    ]
    assert widths == sorted(widths)
    assert widths[2] / widths[1] == pytest.approx(2.626 / 1.984, rel=0.05)


def test_one_query_tells_nothing():
    low, high = mean_intervals([[0.5]])
    assert (low[0], high[0]) == (0, 1)


def test_memory_stays_bounded_with_many_queries():
    values = np.random.default_rng(0).random((2, 10_000))
    tracemalloc.start()
    try:
        mean_intervals(values, Resampling(resamples=2_000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 80e6  # all weights at once would be 160 MB


def test_every_fault_is_named():
    with pytest.raises(InvalidInput) as caught:
        mean_intervals([[0.5, 1.5, np.nan], [0, -1, 1]])
    assert len(caught.value.faults) == 3
    assert "system 0, query 1: 1.5" in str(caught.value)


@pytest.mark.parametrize(
    ("numerators", "denominators"),
    [([[1, 2]], [1, 1]), ([[0, 0]], [0, 0]), ([[1, 1]], [1]), ([[1, 1]], [1, -1]), (np.ones((1, 0)), [])],
)
def test_ratios_that_cannot_be_are_refused(numerators, denominators):
    with pytest.raises(InvalidInput):
        ratio_intervals(numerators, denominators)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [50, 200])
@pytest.mark.parametrize("rate", [0.02, 0.5, 0.9, 0.98])
def test_coverage_for_hits(queries, rate):
    hits = np.random.default_rng(3).random((2_000, queries)) < rate
    low, high = mean_intervals(hits, Resampling(resamples=2_000))
    assert np.mean((low <= rate) & (rate <= high)) > 0.93


@pytest.mark.slow
@pytest.mark.parametrize("queries", [50, 200])
def test_coverage_for_graded_scores_mostly_at_one(queries):
    rng = np.random.default_rng(4)
    values = np.where(rng.random((2_000, queries)) < 0.9, 1.0, rng.beta(1, 2, (2_000, queries)))
    low, high = mean_intervals(values, Resampling(resamples=2_000))
    truth = 0.9 + 0.1 / 3
    assert np.mean((low <= truth) & (truth <= high)) > 0.93
