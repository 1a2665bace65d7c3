"""What a measure is, and the few lines that each of them consists of.

To add one, put a module with a subclass of `Kind` and `KIND = TheSubclass()` into `kinds`, and a row into
the oracle test. Everything else (parsing, listing, hints, chance levels, contract tests) follows from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from hakari.measures.found import Found
from hakari.measures.luck import Luck, Moments
from hakari.measures.pool import Numbers, Pool, Values


class Kind(ABC):
    """A family of measures that differ in their cut-off: `nDCG` of `nDCG@10`."""

    name: ClassVar[str]
    summary: ClassVar[str]
    """One line for listings."""
    cut_needed: ClassVar[bool] = True
    """Whether the measure is only defined with a cut-off."""
    usual: ClassVar[tuple[str, ...]]
    """The forms people use, most usual first, for listings and hints."""
    also_called: ClassVar[tuple[str, ...]] = ()
    """Names in other tools, for hints."""
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0

    # `cut` is the last rank that counts: the largest integer where a measure has no cut-off.

    @abstractmethod
    def values(self, found: Found, cut: int) -> Values:
        """The value of every query; queries without relevant documents, or without a ranking, get 0."""

    @abstractmethod
    def chance(self, luck: Luck, cut: int) -> Moments:
        """Mean and variance of the value of every query when the order is random."""

    def weights(self, pool: Pool) -> Values:
        """What each query counts for in the mean: 1, unless the measure is a ratio of sums."""
        return np.ones(pool.queries)


def divide(numerator: Numbers, denominator: Numbers) -> Values:
    """Numerator over denominator, and 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros(len(denominator)), where=denominator > 0)
