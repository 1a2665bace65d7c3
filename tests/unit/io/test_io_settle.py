from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from hakari.io.settle import keeps_order, ranks_as_scores, strictly_falling


def strictly_ordered(scores):
    """The rule, one score at a time."""
    out = np.asarray(scores, np.float32).copy()
    for i in range(1, len(out)):
        if not out[i] < out[i - 1]:
            out[i] = np.nextafter(out[i - 1], np.float32(-np.inf))
    return out


falling = st.lists(
    st.floats(width=32, allow_nan=False) | st.sampled_from([0.0, -0.0, 1.0, 1e-45, -1e-45]), max_size=12
).map(lambda values: sorted(values, reverse=True))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.lists(falling, min_size=1, max_size=5))
def test_scores_fall_strictly_and_change_only_where_they_must(rankings):
    offsets = np.concatenate([[0], np.cumsum([len(r) for r in rankings])]).astype(np.int64)
    scores = np.array([score for ranking in rankings for score in ranking], dtype=np.float32)
    settled = strictly_falling(scores, offsets)
    for start, end in pairwise(offsets):
        before, after = scores[start:end], settled[start:end]
        assert (after[1:] < after[:-1]).all()
        assert np.isfinite(after).all()
        if (before[1:] < before[:-1]).all() and np.isfinite(before).all():
            assert after.tobytes() == (before + np.float32(0)).tobytes()
        one_by_one = strictly_ordered(before)
        if np.isfinite(one_by_one).all():
            assert after.tolist() == one_by_one.tolist()


def test_ranks_as_scores_count_down_in_every_ranking():
    assert ranks_as_scores(np.array([0, 3, 3, 5])).tolist() == [3, 2, 1, 2, 1]


def test_keeping_order_is_about_ties_too():
    assert keeps_order(np.float32([2, 1, 1]), np.int32([0, 2, 1]))
    assert not keeps_order(np.float32([2, 1, 1]), np.int32([0, 1, 2]))
    assert not keeps_order(np.float32([1, 2]), np.int32([1, 0]))
