from __future__ import annotations

import numpy as np

from hakari.stats import not_distinguished_from_best, rank_ranges


def test_separate_systems_have_one_rank_each():
    noise = np.random.default_rng(0).normal(0, 0.01, (3, 1000))
    best, worst = rank_ranges(np.array([[0.2], [0.9], [0.5]]) + noise)
    assert best.tolist() == worst.tolist() == [3, 1, 2]


def test_equal_systems_share_their_ranks():
    resampled = np.random.default_rng(0).random(1000)
    best, worst = rank_ranges(np.stack([resampled, resampled, resampled - 1]))
    assert best.tolist() == [1, 1, 3]
    assert worst.tolist() == [2, 2, 3]


def test_rare_ranks_are_left_out():
    resampled = np.vstack([np.zeros(1000), np.full(1000, 1.0)])
    resampled[0, :20] = 2  # in 2 % of resamples the first system is ahead
    assert [ranks.tolist() for ranks in rank_ranges(resampled)] == [[2, 1], [2, 1]]
    assert [ranks.tolist() for ranks in rank_ranges(resampled, confidence=0.99)] == [[1, 1], [2, 2]]


def test_ranks_are_quantiles_over_resamples():
    resampled = np.random.default_rng(3).integers(0, 6, (5, 400)) / 5.0
    best, worst = rank_ranges(resampled, confidence=0.9)
    for system in range(5):
        above = np.sort((resampled > resampled[system]).sum(axis=0))
        not_below = np.sort((resampled >= resampled[system]).sum(axis=0))
        assert (best[system], worst[system]) == (above[19] + 1, not_below[380])


def test_who_is_not_distinguished_from_the_best():
    means = [0.3, 0.8, 0.75, 0.5]
    pairs = [(0, 1), (1, 2), (3, 1), (0, 2)]
    assert not_distinguished_from_best(means, pairs, [0.01, 0.4, 0.05, 0.6]).tolist() == [
        False,
        True,
        True,
        False,
    ]
    assert not_distinguished_from_best(means, pairs, [0.01, 0.4, 0.051, 0.001]).tolist() == [
        False,
        True,
        True,
        True,
    ]
    assert not_distinguished_from_best([0.5], [], []).tolist() == [True]
