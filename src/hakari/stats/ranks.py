"""Ranks that resampling leaves open, and who is not distinguished from the best."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from hakari.stats.exact import FloatArray

IntArray = npt.NDArray[np.int64]


def rank_ranges(resampled: FloatArray, confidence: float = 0.95) -> tuple[IntArray, IntArray]:
    """The best and the worst rank, from 1, of each row of resampled means (systems, resamples).

    Equal means share all their ranks, so two equal systems both range over two ranks.
    """
    systems, resamples = resampled.shape
    tail = int(resamples * (1.0 - confidence) / 2.0)
    best, worst = np.empty(systems, dtype=np.int64), np.empty(systems, dtype=np.int64)
    for system in range(systems):
        above = np.count_nonzero(resampled > resampled[system], axis=0)
        not_below = np.count_nonzero(resampled >= resampled[system], axis=0)
        best[system] = _in_order(above, tail) + 1
        worst[system] = _in_order(not_below, resamples - 1 - tail)
    return best, worst


def _in_order(counts: IntArray, place: int) -> int:
    """What stands at a place, from 0, once counts are sorted; they are small, so to count them is quicker."""
    return int(np.searchsorted(np.cumsum(np.bincount(counts)), place, side="right"))


def not_distinguished_from_best(
    means: npt.ArrayLike, pairs: npt.ArrayLike, adjusted_p: npt.ArrayLike, alpha: float = 0.05
) -> npt.NDArray[np.bool_]:
    """Which systems do not differ significantly from the one with the highest mean, itself included.

    `pairs` are rows of two system numbers, `adjusted_p` their p-values after Holm. A system that was not
    compared with the best is not distinguished from it. Of equal means the first counts as the best.
    """
    scores = np.asarray(means, dtype=np.float64)
    couples = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    significant = couples[np.asarray(adjusted_p, dtype=np.float64) <= alpha]
    best = int(np.argmax(scores))
    among = np.ones(len(scores), dtype=np.bool_)
    among[significant[significant[:, 0] == best, 1]] = False
    among[significant[significant[:, 1] == best, 0]] = False
    return among
