"""The arithmetic of random order: exact means and variances, without simulation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hakari.measures.pool import Counts, Numbers, Pool, Values


@dataclass(frozen=True, eq=False)
class Moments:
    """Mean and variance of one number a query."""

    mean: Values
    variance: Values

    def over(self, denominator: Numbers) -> Moments:
        """The same numbers divided; 0 where the denominator is 0."""
        scale = np.divide(1.0, denominator, out=np.zeros(len(self.mean)), where=denominator > 0)
        return Moments(self.mean * scale, self.variance * scale**2)


@dataclass(frozen=True, eq=False)
class Luck:
    """Rankings in which every order of the documents is equally likely."""

    pool: Pool
    documents: Counts
    """How many documents there are to rank, per query."""
    depth: int
    """How many of them a ranking keeps, at most."""

    def ranks(self, cut: int) -> Counts:
        """How many ranks a measure sees, per query."""
        return np.minimum(self.documents, min(cut, self.depth))

    def count(self, marked: Counts, cut: int) -> Moments:
        """How many of the marked documents come among the ranks seen: a hypergeometric number."""
        ranks, share = self.ranks(cut), marked / np.maximum(self.documents, 1)
        left = (self.documents - ranks) / np.maximum(self.documents - 1, 1)
        return Moments(ranks * share, ranks * share * (1 - share) * left)

    def weighted_gain(self, weights: npt.NDArray[np.float64], cut: int) -> Moments:
        """The sum of grades times the weights of their ranks: a linear rank statistic."""
        total, squares = np.cumsum(np.append(0.0, weights)), np.cumsum(np.append(0.0, weights**2))
        ranks, n = self.ranks(cut), np.maximum(self.documents, 1)
        gain, gain_squares = self.pool.power_sum(1), self.pool.power_sum(2)
        spread_of_weights = squares[ranks] - total[ranks] ** 2 / n
        spread_of_gains = gain_squares - gain**2 / n
        return Moments(total[ranks] * gain / n, spread_of_weights * spread_of_gains / np.maximum(n - 1, 1))

    def by_counts(self, moments: Callable[[int, int, int], tuple[float, float]], cut: int) -> Moments:
        """`moments(documents, relevant, ranks)` once for each distinct combination."""
        cases = np.stack([self.documents, self.pool.relevant, self.ranks(cut)])
        distinct, which = np.unique(cases, axis=1, return_inverse=True)
        both = np.array([moments(*map(int, case)) for case in distinct.T]).reshape(-1, 2)
        return Moments(both[which, 0], both[which, 1])


def first_relevant(documents: int, relevant: int, ranks: int) -> npt.NDArray[np.float64]:
    """The probability that the first relevant document is at rank 1, 2, ..., `ranks`."""
    before = np.arange(ranks)
    none_here = (documents - relevant - before).clip(0) / (documents - before)
    none_before = np.cumprod(np.append(1.0, none_here))[:-1]
    return none_before * relevant / (documents - before)


def precision_sum(documents: int, relevant: int, ranks: int) -> tuple[float, float]:
    """Mean and variance of the sum of the precisions at the ranks of relevant documents.

    With Y_r = 1 where rank r is relevant, the sum is that of Y_r Y_s / r over s <= r. Its square sums
    Y_r Y_s Y_t Y_u / (r t); a product of m distinct Y has mean p_m, that of m draws all being relevant, so
    it is enough to count, for ranks r <= t, how many pairs (s, u) leave 1, 2, 3 or 4 distinct ranks.
    """
    one, two, three, four = np.cumprod([max(relevant - i, 0) / max(documents - i, 1) for i in range(4)])
    t = np.arange(1, ranks + 1, dtype=np.float64)
    mean = float(((one + (t - 1) * two) / t).sum())
    same_rank = (one + 3 * (t - 1) * two + (t - 1) * (t - 2) * three) / t**2
    inverse_before = np.cumsum(1 / t) - 1 / t
    # For r < t: 2 p2 + (t - 2) p3, and (r - 1) times 3 p3 + (t - 3) p4; divided by r and summed over r.
    fixed = (2 * two + (t - 2) * three) * inverse_before
    rising = (3 * three + (t - 3) * four) * (t - 1 - inverse_before)
    square = float((same_rank + 2 * (fixed + rising) / t).sum())
    return mean, max(square - mean**2, 0.0)
