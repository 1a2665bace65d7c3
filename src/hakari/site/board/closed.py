"""The board's numbers in closed form: what the browser computes for selections that were not weighed beforehand.

The browser has, per task and system, the mean and the mean square of the scores, and per task and pair the mean
square and the largest of the differences. From these alone:

- An interval is that of a Beta distribution with the mean and the variance of the project's own resampling
  (weights drawn for the queries and for one more that nobody has seen, its score by Jeffreys' prior), widened as
  there. For 0/1 scores of one task it is the same interval.
- A difference has a normal interval with the mean and variance of that resampling, in which the unseen query
  differs by at most as much as any seen; widened in the same way. No change in any query is [0, 0].
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


@dataclass(frozen=True, eq=False)
class Gaps:
    """What is kept of the differences of single queries, for some pairs on some tasks."""

    squares: FloatArray
    """(tasks, pairs): the mean square."""
    largest: FloatArray
    """(tasks, pairs): the largest, without its sign."""


def differences(
    sides: tuple[FloatArray, FloatArray], gaps: Gaps, queries: FloatArray, micro: bool
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences (pairs,) of the first less the second with the ends of their intervals.

    `sides` are the means (tasks, pairs) of each. The unseen query differs by at most as much as any seen, to
    either side, so its spread is known and its mean is 0.
    """
    from scipy.special import ndtri

    share = weights_of(queries, micro)[:, None]
    n = queries[:, None]
    means = sides[0] - sides[1]
    centres = n * means / (n + 1)
    spread = np.maximum((n * gaps.squares + gaps.largest**2) / (n + 1) - centres**2, 0.0) / (n + 2)
    inflation = n / np.maximum(n - 1, 1)
    errors = share**2 * np.maximum(gaps.squares - means**2, 0.0) / np.maximum(n - 1, 1)
    widening = student(_freedom(errors, n)) / ndtri(1 - TAIL)
    gap = (share * means).sum(axis=0)
    shift = (share * (centres - means) * np.sqrt(inflation)).sum(axis=0)
    reach = ndtri(1 - TAIL) * np.sqrt((share**2 * spread * inflation).sum(axis=0))
    low = gap + np.minimum((shift - reach) * widening, 0.0)
    high = gap + np.maximum((shift + reach) * widening, 0.0)
    return gap, np.maximum(low, -1.0), np.minimum(high, 1.0)


def surely_ordered(low: FloatArray, high: FloatArray) -> npt.NDArray[np.int64]:
    """1 where an interval lies above 0, -1 where it lies below, else 0."""
    return (low > 0).astype(np.int64) - (high < 0).astype(np.int64)


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


def summarise(moments: Moments, pairs: npt.NDArray[np.int64], gaps: Gaps, micro: bool) -> Summary:
    """Means, intervals and rank ranges of systems that are all paired with each other."""
    means, low, high = intervals(moments, micro)
    sides = moments.means[:, pairs[:, 0]], moments.means[:, pairs[:, 1]]
    _, below, above = differences(sides, gaps, moments.queries, micro)
    best, worst = rank_ranges(pairs, surely_ordered(below, above), len(means))
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
