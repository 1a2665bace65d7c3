"""Scores for rankings whose order is settled already, so that every tool that sorts again keeps it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hakari.rankings import order_keys

LARGEST = np.finfo(np.float32).max


def strictly_falling(
    scores: npt.NDArray[np.float32], offsets: npt.NDArray[np.int64]
) -> npt.NDArray[np.float32]:
    """Scores that never rise within a ranking, lowered where they tie by as little as float32 allows.

    float32 values sort like integers, and in integers "below the one before" is a running minimum. Rankings
    with infinite scores, which leave no room, get scores by rank.
    """
    steps = _as_integers(scores)
    positions = np.arange(len(scores), dtype=np.int64) - np.repeat(offsets[:-1], np.diff(offsets))
    query = np.repeat(np.arange(len(offsets) - 1, dtype=np.int64), np.diff(offsets))
    # Every query starts a whole range of float32 below the one before, so one pass serves all of them.
    span = np.int64(1) << 34
    falling = np.minimum.accumulate(steps + positions - query * span) - positions + query * span
    settled = _as_floats(falling)
    crowded = np.zeros(len(offsets) - 1, dtype=bool)
    crowded[query[~(np.abs(settled) <= LARGEST)]] = True
    by_rank = crowded[query]
    settled[by_rank] = ranks_as_scores(offsets)[by_rank]
    return settled


def ranks_as_scores(offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    """The length of the ranking for the first document, one less for each that follows."""
    lengths = np.diff(offsets)
    ends = np.repeat(offsets[1:], lengths)
    return (ends - np.arange(len(ends))).astype(np.float32)


def keeps_order(scores: npt.NDArray[np.float32], documents: npt.NDArray[np.int32]) -> bool:
    """Whether sorting one ranking by score and id, both descending, leaves it as it is."""
    return bool((np.diff(order_keys(scores, documents)) < 0).all())


def _as_integers(scores: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Integers in the order of the scores, neighbours one apart; both zeros are 0."""
    bits = np.asarray(scores, np.float32).view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)


def _as_floats(steps: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
    magnitude = np.minimum(np.abs(steps), 0x7F800000).astype(np.int32).view(np.float32)
    return np.where(steps < 0, -magnitude, magnitude)
