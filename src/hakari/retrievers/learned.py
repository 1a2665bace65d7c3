"""Weights learned by cross-validation: a query is ranked with weights that its own judgements had no part in."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hakari.types import Ids

GRID = 100
"""How many points the grid of weights has at most, whatever the number of retrievers."""
FINEST = 20
_SAME = 1e-12
Values = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Learned:
    """The weights of each fold, learned on the queries of the others."""

    weights: Values
    """Folds by retrievers."""
    trained: Values
    """The mean of the measure that they reached on the queries they were learned on, per fold."""
    untouched: Values
    """What equal weights reach there."""

    def facts(self, fold: npt.NDArray[np.int64]) -> dict[str, Any]:
        """How the weights came about and what they are, as JSON."""
        counts = np.bincount(fold, minlength=len(self.weights))
        rows = zip(counts, self.weights, self.trained, self.untouched, strict=True)
        return {
            "by": "cross-validation over queries: each is ranked with weights learned on the other folds",
            "folds": [
                {
                    "queries": int(count),
                    "weights": [round(float(weight), 6) for weight in weights],
                    "on_the_others": round(float(trained), 6),
                    "on_the_others_with_equal_weights": round(float(untouched), 6),
                }
                for count, weights, trained, untouched in rows
            ],
            "mean_weights": [round(float(weight), 6) for weight in self.weights.mean(axis=0)],
        }


def folds_of(query_ids: Ids, folds: int, seed: int) -> npt.NDArray[np.int64]:
    """The fold of each query, by a hash of its id, sizes equal to within one; never more folds than queries."""
    keys = [
        hashlib.blake2b(f"{seed}\0{query}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        for query in query_ids
    ]
    order = sorted(range(len(keys)), key=lambda row: (keys[row], row))
    fold = np.empty(len(keys), np.int64)
    fold[order] = np.arange(len(keys)) % min(folds, len(keys))
    return fold


def cross_validated(
    retrievers: int, fold: npt.NDArray[np.int64], values: Callable[[Values], Values]
) -> Learned:
    """The best point of the grid for each fold; `values` gives the measure of every query at a point.

    Where points are equally good, the one nearest to equal weights is taken.
    """
    points = np.array(sorted(grid(retrievers), key=_from_equal))
    reached = np.stack([values(point) for point in points])
    weights, trained, untouched = [], [], []
    equal = values(np.full(retrievers, 1 / retrievers))
    for number in range(int(fold.max()) + 1):
        others = fold != number
        means = np.array([math.fsum(row) for row in reached[:, others]]) / np.count_nonzero(others)
        best = int(np.argmax(means >= means.max() - _SAME))
        weights.append(points[best])
        trained.append(means[best])
        untouched.append(math.fsum(equal[others]) / np.count_nonzero(others))
    return Learned(np.array(weights), np.array(trained), np.array(untouched))


def grid(retrievers: int) -> list[tuple[float, ...]]:
    """Evenly spaced weights that add up to 1: steps of a twentieth for two retrievers, wider for more."""
    steps = next(
        (n for n in range(FINEST, 1, -1) if math.comb(n + retrievers - 1, retrievers - 1) <= GRID), 1
    )
    return [tuple(count / steps for count in counts) for counts in _shares(steps, retrievers)]


def _shares(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in _shares(total - first, parts - 1):
            yield (first, *rest)


def _from_equal(weights: tuple[float, ...]) -> tuple[float, tuple[float, ...]]:
    return round(sum((weight - 1 / len(weights)) ** 2 for weight in weights), 12), weights
