"""The board's numbers in closed form: what the browser computes for selections that were not weighed beforehand.

The browser has, per task and system, the mean and the mean square of the scores, and per task and pair the mean
square of the differences. From these alone:

- An interval is that of a Beta distribution with the mean and the variance of the project's own resampling
  (weights drawn for the queries and for one more that nobody has seen, its score by Jeffreys' prior), widened as
  there. For 0/1 scores of one task it is the same interval.
- A difference is a Student interval of the paired differences; no change in any query is [0, 0].
- A rank range counts the systems that are surely above and surely below, each pair on its own at the same
  confidence. It is at least as wide as ranks that are resampled together.

`web/src/closed.ts` is the same, and a test holds one against the other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.stats import Summary

FloatArray = npt.NDArray[np.float64]
TAIL = 0.025
_UNSEEN_SQUARE = 0.5
"""What the unseen query adds to the sum of squares: its mean square and the spread of its score together."""


@dataclass(frozen=True, eq=False)
class Moments:
    """What is kept of the scores of some systems on some tasks."""

    means: FloatArray
    """(tasks, systems)"""
    squares: FloatArray
    """(tasks, systems): the mean of the squared scores."""
    queries: FloatArray
    """(tasks,)"""


def weights_of(queries: FloatArray, micro: bool) -> FloatArray:
    """The share of each task in the mean: by its queries, or the same for all."""
    return queries / queries.sum() if micro else np.full(len(queries), 1.0 / len(queries))


def intervals(moments: Moments, micro: bool) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Means with the ends of their intervals, one a system."""
    from scipy.special import betaincinv, ndtri

    share = weights_of(moments.queries, micro)[:, None]
    n = moments.queries[:, None]
    estimates = (share * moments.means).sum(axis=0)
    centres = (n * moments.means + 0.5) / (n + 1)
    spread = ((n * moments.squares + _UNSEEN_SQUARE) / (n + 1) - centres**2) / (n + 2)
    inflation = n / np.maximum(n - 1, 1)
    mean = (share * centres).sum(axis=0)
    variance = np.maximum((share**2 * spread).sum(axis=0), 1e-18)
    widening = np.sqrt((share**2 * spread * inflation).sum(axis=0) / variance)
    errors = share**2 * np.maximum(moments.squares - moments.means**2, 0.0) / np.maximum(n - 1, 1)
    widening *= student(_freedom(errors, n)) / ndtri(1 - TAIL)
    size = np.maximum(mean * (1 - mean) / variance - 1, 1e-6)
    ends = [betaincinv(mean * size, (1 - mean) * size, tail) for tail in (TAIL, 1 - TAIL)]
    low = estimates + np.minimum((ends[0] - estimates) * widening, 0.0)
    high = estimates + np.maximum((ends[1] - estimates) * widening, 0.0)
    return estimates, np.maximum(low, 0.0), np.minimum(high, 1.0)


def differences(
    means: tuple[FloatArray, FloatArray], mean_squares: FloatArray, queries: FloatArray, micro: bool
) -> tuple[FloatArray, FloatArray]:
    """Differences (pairs,) of the first less the second, and half the width of their intervals.

    `means` are (tasks, pairs) of each side, `mean_squares` (tasks, pairs) of the differences of single queries.
    """
    share = weights_of(queries, micro)[:, None]
    n = queries[:, None]
    gaps = means[0] - means[1]
    errors = share**2 * np.maximum(mean_squares - gaps**2, 0.0) / np.maximum(n - 1, 1)
    return (share * gaps).sum(axis=0), student(_freedom(errors, n)) * np.sqrt(errors.sum(axis=0))


def surely_ordered(gaps: FloatArray, reach: FloatArray) -> npt.NDArray[np.int64]:
    """1 where a difference is surely above 0, -1 where it is surely below, else 0."""
    return np.where(np.abs(gaps) > reach, np.sign(gaps), 0.0).astype(np.int64)


def rank_ranges(
    pairs: npt.NDArray[np.int64], order: npt.NDArray[np.int64], systems: int
) -> npt.NDArray[np.int64]:
    """(2, systems): the best and the worst rank, from who is surely above whom in `pairs` (pairs, 2)."""
    above, below = np.zeros(systems, dtype=np.int64), np.zeros(systems, dtype=np.int64)
    for winner, loser in (
        (pairs[order > 0, 0], pairs[order > 0, 1]),
        (pairs[order < 0, 1], pairs[order < 0, 0]),
    ):
        np.add.at(above, loser, 1)
        np.add.at(below, winner, 1)
    return np.array([above + 1, systems - below])


def summarise(
    moments: Moments, pairs: npt.NDArray[np.int64], mean_squares: FloatArray, micro: bool
) -> Summary:
    """Means, intervals and rank ranges of systems that are all paired with each other."""
    means, low, high = intervals(moments, micro)
    sides = moments.means[:, pairs[:, 0]], moments.means[:, pairs[:, 1]]
    gaps, reach = differences(sides, mean_squares, moments.queries, micro)
    best, worst = rank_ranges(pairs, surely_ordered(gaps, reach), len(means))
    return Summary(means, low, high, best, worst, int(moments.queries.sum()))


def student(freedom: FloatArray) -> FloatArray:
    """The upper quantile of Student's distribution."""
    from scipy.special import stdtrit

    return np.asarray(stdtrit(freedom, 1 - TAIL))


def _freedom(errors: FloatArray, queries: FloatArray) -> FloatArray:
    """Degrees of freedom of a sum over tasks (Welch and Satterthwaite)."""
    each = np.maximum(queries - 1, 1)
    spread = (errors**2 / each).sum(axis=0)
    known = spread > 0
    pooled = errors.sum(axis=0) ** 2 / np.where(known, spread, 1.0)
    return np.where(known, pooled, float(each.sum()))
