from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from hakari.stats.exact import quantise, sums_of_squares

scores = arrays(np.float64, st.integers(1, 300), elements=st.floats(0, 1))


@settings(derandomize=True, deadline=None)
@given(scores, st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_the_order_of_queries(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    rounded = quantise(values)
    assert rounded.sum() == rounded[order].sum() == sum(rounded.tolist())
    assert sums_of_squares(values) == sums_of_squares(values[order])


@settings(derandomize=True, deadline=None)
@given(scores, st.integers(0, 2**32))
def test_weighted_sums_are_exact(values, seed):
    weights = np.random.default_rng(seed).integers(0, 1 << 12, size=len(values))
    rounded = quantise(values, weight_bits=12)
    unit = 2**52
    exact = sum(int(weight) * int(value * unit) for weight, value in zip(weights, rounded, strict=True))
    assert (weights.astype(np.float64) @ rounded) * unit == exact


@pytest.mark.parametrize("queries", [1, 50, 200, 10_000])
def test_scores_of_usual_tasks_keep_36_bits(queries):
    values = np.random.default_rng(1).random(queries)
    assert np.max(np.abs(quantise(values) - values)) <= 2.0**-37


def test_large_numerators_are_kept_whole():
    counts = np.arange(10_000, dtype=np.float64)
    assert np.array_equal(quantise(counts, weight_bits=12), counts)
