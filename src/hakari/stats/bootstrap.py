"""Intervals for means and pooled ratios by a weighted bootstrap with one unseen query.

Each resample weighs the queries at random (exponential weights, the Bayesian bootstrap) and adds one query
that nobody has seen, its score drawn from Jeffreys' arcsine prior. For hits this is Jeffreys' interval for a
proportion: a system that hits all of 200 queries is not given the interval [1, 1]. Deviations are widened
as Student's t asks for small samples. See design/statistics.md for why, with coverage as measured.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hakari.stats.draws import WEIGHT_BITS, Draws, Resampling
from hakari.stats.exact import FloatArray, quantise
from hakari.stats.scores import TaskInput, TaskScores, read_task


class Resamples:
    """Weighted sums of one task under every resample, from which scores and differences are read."""

    def __init__(self, task: TaskScores, draws: Draws, shuffled: bool) -> None:
        self.task = task
        columns = quantise(np.vstack([task.numerators, task.denominators]), WEIGHT_BITS).T
        sums = np.empty((columns.shape[1], draws.resamples))
        self.unseen = np.empty(draws.resamples)
        self.unseen_score = np.empty(draws.resamples)
        for block in draws.weights(task.queries):
            sums[:, block.rows] = (block.queries @ columns).T
            self.unseen[block.rows] = block.unseen
            self.unseen_score[block.rows] = block.unseen_score
        if shuffled:
            order = draws.shuffle("weights", task.name)
            sums, self.unseen, self.unseen_score = (
                sums[:, order],
                self.unseen[order],
                self.unseen_score[order],
            )
        self.sums, self.totals = sums[:-1], sums[-1]
        self.unseen *= task.total / task.queries
        # A resample of few queries may, if rarely, give all of them the weight 0.
        self.inverse_totals = 1.0 / np.maximum(self.totals + self.unseen, 2.0**-30)
        self.inflation = math.sqrt(task.queries / max(task.queries - 1, 1))

    def score_deviations(self) -> FloatArray:
        """(systems, resamples): resampled score less the observed one."""
        scores = (self.sums + self.unseen * self.unseen_score) * self.inverse_totals
        return (scores - self.task.estimates()[:, None]) * self.inflation

    def difference_deviations(self, pairs: npt.NDArray[np.int64], differences: FloatArray) -> FloatArray:
        """(pairs, resamples): resampled difference a - b less the observed one.

        The unseen query differs by at most as much as any that was seen, to either side: where no query
        changed, no change is invented.
        """
        total, size = self.task.total, self.task.queries
        # A pair and its reverse must mirror each other, so the side of the unseen query goes by the data.
        first = differences[np.arange(len(differences)), np.argmax(differences != 0, axis=1)]
        reach = np.copysign(np.max(np.abs(differences), axis=1), first) * (size / total)
        resampled = self.sums[pairs[:, 0]]
        resampled -= self.sums[pairs[:, 1]]
        resampled += reach[:, None] * (self.unseen * (2.0 * self.unseen_score - 1.0))
        resampled *= self.inverse_totals
        resampled -= (differences.sum(axis=1) / total)[:, None]
        resampled *= self.inflation
        return resampled

    def plain_means(self) -> FloatArray:
        """(systems, resamples): resampled scores without the unseen query, equal for equal systems."""
        return self.sums / np.maximum(self.totals, 2.0**-30)


def mean_intervals(
    values: npt.ArrayLike, resampling: Resampling | None = None
) -> tuple[FloatArray, FloatArray]:
    """Intervals (low, high) for the mean of each row of scores (systems, queries) between 0 and 1."""
    return _intervals_of(np.atleast_2d(np.asarray(values, dtype=np.float64)), resampling or Resampling())


def ratio_intervals(
    numerators: npt.ArrayLike, denominators: npt.ArrayLike, resampling: Resampling | None = None
) -> tuple[FloatArray, FloatArray]:
    """Intervals (low, high) for sums of numerators, by row, over the sum of denominators: pooled recall."""
    return _intervals_of((np.atleast_2d(np.asarray(numerators)), denominators), resampling or Resampling())


def _intervals_of(given: TaskInput, resampling: Resampling) -> tuple[FloatArray, FloatArray]:
    task = read_task("scores", given)
    resamples = Resamples(task, resampling.draws, shuffled=False)
    freedom = np.full(len(task.numerators), max(task.queries - 1, 1))
    low, high = interval(task.estimates(), resamples.score_deviations(), freedom, resampling.confidence)
    return np.maximum(low, 0.0), np.minimum(high, 1.0)


def interval(
    estimates: FloatArray, deviations: FloatArray, freedom: npt.ArrayLike, confidence: float
) -> tuple[FloatArray, FloatArray]:
    """Intervals around estimates (rows,) from deviations (rows, resamples), which are reordered in place.

    They are widened by Student's t at `freedom` degrees over the normal quantile, and hold the estimate.
    """
    from scipy.special import ndtri, stdtrit

    tail = (1.0 - confidence) / 2.0
    widening = stdtrit(np.asarray(freedom, dtype=np.float64), 1.0 - tail) / ndtri(1.0 - tail)
    rank = int(deviations.shape[1] * tail)
    ends = (rank, deviations.shape[1] - 1 - rank)
    deviations.partition(ends, axis=1)
    low = estimates + np.minimum(deviations[:, ends[0]] * widening, 0.0)
    high = estimates + np.maximum(deviations[:, ends[1]] * widening, 0.0)
    return low, high


def pooled_freedom(squared_errors: list[FloatArray], queries: list[int]) -> FloatArray:
    """Degrees of freedom of a mean over tasks (Welch and Satterthwaite), from each task's squared errors."""
    errors = np.array(squared_errors)
    each = np.maximum(np.array(queries, dtype=np.float64) - 1.0, 1.0)[:, None]
    spread = (np.square(errors) / each).sum(axis=0)
    known = spread > 0
    pooled = np.square(errors.sum(axis=0)) / np.where(known, spread, 1.0)
    return np.where(known, pooled, each.sum())
