"""Our statistics beside those of scipy, within Monte Carlo error."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hakari.stats import compare_pairs, mean_intervals, paired_randomisation, smallest_difference


def paired_scores(queries: int, shift: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    base = rng.beta(0.8, 0.8, queries)
    other = np.clip(base + rng.normal(shift, 0.2, queries), 0, 1)
    return np.stack([base, other])


@pytest.mark.parametrize("queries", [5, 9, 12])
def test_exact_p_values_are_scipys(queries):
    differences = np.diff(paired_scores(queries, 0.1, queries), axis=0)[0]
    expected = stats.permutation_test(
        (differences,), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    )
    assert paired_randomisation(differences)[0] == pytest.approx(expected.pvalue, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("shift", [0.0, 0.02, 0.04])
def test_drawn_p_values_are_scipys(shift):
    differences = np.diff(paired_scores(200, shift, 3), axis=0)[0]
    expected = stats.permutation_test(
        (differences,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", vectorized=True, rng=1
    )
    assert paired_randomisation(differences)[0] == pytest.approx(expected.pvalue, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("queries", [100, 400])
def test_intervals_of_scores_without_extremes_are_scipys(queries):
    values = paired_scores(queries, 0.0, 4)
    expected = stats.bootstrap((values[0],), np.mean, n_resamples=10_000, rng=1).confidence_interval
    low, high = mean_intervals(values)
    width = expected.high - expected.low
    assert low[0] == pytest.approx(expected.low, abs=0.06 * width)
    assert high[0] == pytest.approx(expected.high, abs=0.06 * width)


@pytest.mark.slow
def test_intervals_of_differences_are_scipys():
    values = paired_scores(300, 0.05, 5)
    expected = stats.bootstrap(
        (values[0] - values[1],), np.mean, n_resamples=10_000, rng=1
    ).confidence_interval
    macro = compare_pairs({"a": values}).macro
    width = expected.high - expected.low
    assert macro.low[0] == pytest.approx(expected.low, abs=0.06 * width)
    assert macro.high[0] == pytest.approx(expected.high, abs=0.06 * width)


@pytest.mark.parametrize("queries", [20, 200])
def test_smallest_difference_has_the_power_of_the_t_test(queries):
    differences = np.diff(paired_scores(queries, 0.0, 6), axis=0)
    smallest = smallest_difference(differences)[0]
    shift = smallest / (differences.std(ddof=1) / np.sqrt(queries))
    critical = stats.t.ppf(0.975, queries - 1)
    assert stats.nct.sf(critical, queries - 1, shift) == pytest.approx(0.8, abs=0.01)
