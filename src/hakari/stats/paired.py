"""Paired tests: randomisation by sign flips, Holm's correction, and what a task could have shown."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hakari.errors import Fault, InvalidInput, UsageError
from hakari.stats.draws import Draws, Resampling, all_signs
from hakari.stats.exact import FloatArray, quantise, sums_of_squares

EXACT_QUERIES = 13
"""Up to this many queries every one of the 2**n sign flips is tried: fewer than 10,000."""


def paired_randomisation(differences: npt.ArrayLike, resampling: Resampling | None = None) -> FloatArray:
    """Two-sided p-values of the sign-flip test for each row of differences (pairs, queries).

    Under the null hypothesis either sign of a query's difference is as likely. Up to 13 queries p is exact,
    beyond that it is (1 + count) / (1 + resamples), so it is never 0. Rows that are all 0 have p = 1.
    """
    plan = resampling or Resampling()
    rows = quantise(_finite(differences))
    sums, complete = flip_sums(rows, plan.draws)
    observed = np.abs(rows.sum(axis=1))[:, None]
    return p_value(np.count_nonzero(np.abs(sums) >= observed, axis=1), sums.shape[1], complete)


def flip_sums(rows: FloatArray, draws: Draws) -> tuple[FloatArray, bool]:
    """Sums over queries of (rows, queries) under every sign flip, and whether these are all there are."""
    if rows.shape[1] <= EXACT_QUERIES:
        return _flipped(rows, all_signs(rows.shape[1])), True
    return random_flip_sums(rows, draws), False


def random_flip_sums(rows: FloatArray, draws: Draws) -> FloatArray:
    """Sums over queries of (rows, queries) under drawn sign flips: (rows, resamples)."""
    sums = np.empty((len(rows), draws.resamples))
    for part, flips in draws.signs(rows.shape[1]):
        sums[:, part] = _flipped(rows, flips)
    return sums


def p_value(as_extreme: npt.ArrayLike, flips: int, complete: bool) -> FloatArray:
    """The p-value for how many of the flips were at least as extreme as the data.

    A complete enumeration holds the data itself already; drawn flips are given it as one more.
    """
    counts = np.asarray(as_extreme, dtype=np.float64)
    return counts / flips if complete else (1.0 + counts) / (1.0 + flips)


def holm(p: npt.ArrayLike) -> FloatArray:
    """Holm's adjusted p-values over all given ones together, in the shape given."""
    given = np.asarray(p, dtype=np.float64)
    flat = given.ravel()
    order = np.argsort(flat, kind="stable")
    steps = flat[order] * np.arange(flat.size, 0, -1)
    adjusted = np.empty_like(flat)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted.reshape(given.shape)


def resamples_needed(comparisons: int, alpha: float = 0.05) -> int:
    """How many resamples let Holm find anything among so many: p is at least 1 / (1 + resamples)."""
    return max(10_000, math.ceil(2 * comparisons / alpha))


def smallest_difference(differences: npt.ArrayLike, power: float = 0.8, alpha: float = 0.05) -> FloatArray:
    """The smallest true mean difference each row (pairs, queries) could have shown, with this power.

    By Student's t from the standard error of the observed differences, but no less than it takes for enough
    queries to change: one that changes is taken to change as much as those that did. NaN where no query
    differs or there is only one, for such data do not tell; beyond 1 no difference can be shown.
    """
    rows = quantise(_finite(differences))
    queries = rows.shape[1]
    squared_errors = sums_of_squares(rows - rows.mean(axis=1, keepdims=True)) / (
        queries * max(queries - 1, 1)
    )
    changed = np.count_nonzero(rows, axis=1)
    steps = np.abs(rows).sum(axis=1) / (queries * np.maximum(changed, 1))
    return detectable(squared_errors, np.full(len(rows), queries - 1), steps, (power, alpha))


def detectable(
    squared_errors: FloatArray,
    freedom: npt.ArrayLike,
    steps: FloatArray,
    power_and_alpha: tuple[float, float],
) -> FloatArray:
    """The true difference found with this power, for squared standard errors at these degrees of freedom.

    `steps` is how far one changed query moves the mean. Fewer than 1 + log2(1 / alpha) changed queries cannot
    give p <= alpha, however alike they change, so that many must be expected often enough.
    """
    from scipy.special import gammaincinv, stdtrit

    power, alpha = power_and_alpha
    if not (0 < alpha < 1 and 0 < power < 1):
        raise UsageError(
            f"power {power} and alpha {alpha} must lie between 0 and 1", "use power 0.8, alpha 0.05"
        )
    degrees = np.asarray(freedom, dtype=np.float64)
    known = (degrees >= 1) & (steps > 0)
    usable = np.where(known, degrees, 1.0)
    by_spread = (stdtrit(usable, 1.0 - alpha / 2.0) + stdtrit(usable, power)) * np.sqrt(squared_errors)
    # Changed queries come nearly as Poisson events, whose distribution is the incomplete gamma function.
    by_count = gammaincinv(math.ceil(1.0 - math.log2(alpha)), power) * steps
    return np.where(known, np.maximum(by_spread, by_count), np.nan)


def _flipped(rows: FloatArray, flips: FloatArray) -> FloatArray:
    sums = (flips @ rows.T).T
    sums *= 2.0
    sums -= rows.sum(axis=1)[:, None]
    return sums


def _finite(differences: npt.ArrayLike) -> FloatArray:
    rows = np.atleast_2d(np.asarray(differences, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] == 0:
        raise InvalidInput("differences", [Fault(f"expected (pairs, queries), got the shape {rows.shape}")])
    bad = np.argwhere(~np.isfinite(rows)).tolist()
    if bad:
        raise InvalidInput(
            "differences",
            [
                Fault(f"pair {pair}, query {query}: {rows[pair, query]} is not a number")
                for pair, query in bad
            ],
        )
    return rows
