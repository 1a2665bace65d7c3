from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hakari.errors import InvalidInput, UsageError
from hakari.stats import Resampling, holm, paired_randomisation, resamples_needed, smallest_difference

QUICK = Resampling(resamples=500)
rows = st.integers(1, 40).flatmap(
    lambda queries: arrays(
        np.float64, (2, queries), elements=st.sampled_from([-1, -0.5, -0.25, 0, 0, 0.25, 1])
    )
)


def by_hand(differences: list[int]) -> float:
    observed = abs(sum(differences))
    flips = list(product([-1, 1], repeat=len(differences)))
    extreme = [
        abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed for signs in flips
    ]
    return sum(extreme) / len(flips)


@pytest.mark.parametrize(
    "differences",
    [[1], [1, 1], [1, -1, 1], [1, 2, 3, 4, 5], [0, 0, 3, -1], [1] * 13, [5, -4, 3, 3, 2, 0, 1, 1, -2]],
)
def test_few_queries_are_enumerated(differences):
    assert paired_randomisation(np.array(differences) / 8)[0] == by_hand(differences)


def test_drawn_flips_agree_with_enumeration():
    rng = np.random.default_rng(0)
    eighths = rng.integers(-3, 5, size=(4, 12))
    padded = np.hstack([eighths, np.zeros((4, 30))]) / 8
    assert np.allclose(paired_randomisation(padded), [by_hand(row.tolist()) for row in eighths], atol=0.02)


def test_identical_systems_have_p_one_and_none_has_p_zero():
    rng = np.random.default_rng(0)
    p = paired_randomisation(np.vstack([np.zeros(200), np.full(200, 0.3), rng.normal(0, 0.1, 200)]))
    assert p[0] == 1
    assert p[1] == 1 / 10_001
    assert 0 < p[2] < 1


def test_ties_with_the_data_count():
    differences = np.zeros(50)
    differences[:3] = 0.1
    assert paired_randomisation(differences)[0] == pytest.approx(0.25, abs=0.02)
    assert paired_randomisation(differences * 3)[0] == paired_randomisation(differences)[0]


@settings(derandomize=True, deadline=None, max_examples=60)
@given(rows, st.sampled_from([0.5, 0.25, 2.0]))
def test_p_is_a_probability_symmetric_and_free_of_scale(differences, scale):
    p = paired_randomisation(differences, QUICK)
    assert np.all((p > 0) & (p <= 1))
    assert np.array_equal(p, paired_randomisation(-differences, QUICK))
    assert np.array_equal(p, paired_randomisation(differences * scale, QUICK))
    assert p[0] == paired_randomisation(differences[0], QUICK)[0]


@pytest.mark.slow
def test_null_hypotheses_are_rejected_as_often_as_promised():
    rng = np.random.default_rng(8)
    differences = rng.choice([-1, 1], (4_000, 60)) * rng.beta(0.6, 2, (4_000, 60))
    p = paired_randomisation(differences, Resampling(resamples=2_000))
    for level in (0.01, 0.05, 0.2):
        assert np.mean(p <= level) == pytest.approx(level, abs=3.5 * np.sqrt(level / 4_000))


def test_holm_steps_down():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([[0.9], [0.8]]).tolist() == [[1.0], [1.0]]
    assert holm([]).size == 0


@settings(derandomize=True, deadline=None)
@given(arrays(np.float64, st.integers(1, 30), elements=st.floats(1e-6, 1)))
def test_holm_keeps_order_and_lies_between_p_and_bonferroni(p):
    adjusted = holm(p)
    assert np.all(adjusted >= p)
    assert np.all(adjusted <= np.minimum(p * len(p) * (1 + 1e-12), 1))
    order = np.argsort(p)
    assert np.all(np.diff(adjusted[order]) >= 0)
    assert np.array_equal(holm(p[::-1]), adjusted[::-1])


def test_enough_resamples_for_holm():
    assert resamples_needed(190) == 10_000
    count = resamples_needed(2_000)
    assert 2_000 / (1 + count) < 0.05


def test_smallest_difference_follows_spread_and_size():
    rng = np.random.default_rng(5)
    differences = rng.normal(0, 0.1, (1, 400))
    whole, quarter = smallest_difference(differences)[0], smallest_difference(differences[:, :100])[0]
    assert whole == pytest.approx(2.81 * 0.1 / 20, rel=0.1)
    assert quarter / whole == pytest.approx(2, rel=0.2)
    assert smallest_difference(differences * 2)[0] == pytest.approx(2 * whole, rel=1e-6)
    assert smallest_difference(differences, power=0.9)[0] > whole
    assert smallest_difference(differences, alpha=0.01)[0] > whole


def test_smallest_difference_is_unknown_without_spread():
    assert np.isnan(smallest_difference(np.zeros(50))[0])
    assert np.isnan(smallest_difference([0.5])[0])


@pytest.mark.slow
@pytest.mark.parametrize("queries", [50, 200])
def test_smallest_difference_is_found_as_often_as_promised(queries):
    rng = np.random.default_rng(6)
    noise = rng.choice([-1, 1], (2_000, queries)) * rng.beta(0.7, 1.5, (2_000, queries))
    truth = float(smallest_difference(rng.choice([-1, 1], 10**6) * rng.beta(0.7, 1.5, 10**6))[0])
    shifted = noise + truth * np.sqrt(10**6 / queries)
    assert np.mean(paired_randomisation(shifted, Resampling(resamples=2_000)) <= 0.05) == pytest.approx(
        0.8, abs=0.04
    )


def test_few_changed_queries_show_only_what_enough_of_them_would():
    differences = np.zeros(200)
    differences[:2] = -0.5
    # 7.91 is the mean at which a Poisson count is 6 or more, the least that gives p <= 0.05, 8 times in 10.
    assert smallest_difference(differences)[0] == pytest.approx(7.906 * 0.5 / 200, rel=1e-3)
    assert smallest_difference(np.full(5, 0.7))[0] > 1


@pytest.mark.slow
@pytest.mark.parametrize("queries", [50, 200])
def test_gained_hits_are_found_as_often_as_promised(queries):
    few = np.zeros(queries)
    few[0] = 1
    gained = np.random.default_rng(7).random((4_000, queries)) < smallest_difference(few)[0]
    found = paired_randomisation(gained, Resampling(resamples=2_000)) <= 0.05
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


@pytest.mark.parametrize("wrong", [{"power": 0}, {"power": 1}, {"alpha": 0}, {"alpha": 2}])
def test_impossible_error_rates_are_refused(wrong):
    with pytest.raises(UsageError):
        smallest_difference([0.1, 0.2], **wrong)


@pytest.mark.parametrize("wrong", [[[np.nan, 1]], [[np.inf, 1]], np.ones((2, 0)), np.ones((1, 1, 1))])
def test_differences_that_are_none_are_refused(wrong):
    with pytest.raises(InvalidInput):
        paired_randomisation(wrong)
