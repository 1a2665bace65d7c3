"""Random numbers shared by every system, pair and task with the same number of queries.

Only the raw 64-bit words of PCG64 are used, which numpy promises to keep, and tables turn them into weights:
the same seed gives the same bits on every machine and with every version of numpy. Draws come in blocks of
resamples, so memory stays bounded, and where blocks begin changes nothing.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.stats.exact import FloatArray

WEIGHT_BITS = 12
"""Bits of one integer weight: an exponential variate below 16, in steps of 1/256."""

_WEIGHT_STEP_BITS = 8
_TABLE_SIZE = 1 << 16
_BLOCK_VALUES = 1 << 21
_PURPOSES = {"weights": 1, "signs": 2, "shuffle weights": 3, "shuffle signs": 4}


@dataclass(frozen=True)
class Resampling:
    """How resampling is done. The same settings give the same bytes."""

    seed: int = 0
    resamples: int = 10_000
    confidence: float = 0.95

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise UsageError(f"the seed is {self.seed}", "use a whole number from 0")
        if self.resamples < 100:
            raise UsageError(f"{self.resamples} resamples are too few to give an interval", "use 10000")
        if not 0 < self.confidence < 1:
            raise UsageError(f"the confidence is {self.confidence}", "use a number between 0 and 1, as 0.95")

    @functools.cached_property
    def draws(self) -> Draws:
        """The random numbers, drawn once for all that is asked with this one object."""
        return Draws(self.seed, self.resamples)


@dataclass(frozen=True, eq=False)
class WeightBlock:
    """Weights of some resamples: whole numbers, exponentially distributed."""

    rows: slice
    queries: FloatArray
    """(resamples, queries)"""
    unseen: FloatArray
    """(resamples,): the weight of one more query, which nobody has seen."""
    unseen_score: FloatArray
    """(resamples,): its score, by the arcsine law on [0, 1]: Jeffreys' prior for a proportion."""


@functools.cache
def exponential_table() -> FloatArray:
    """Quantiles of the exponential distribution as whole numbers of 1/256."""
    middles = (np.arange(_TABLE_SIZE) + 0.5) / _TABLE_SIZE
    return np.rint(np.ldexp(-np.log(middles), _WEIGHT_STEP_BITS))


@functools.cache
def arcsine_table() -> FloatArray:
    """Quantiles of the arcsine distribution as multiples of 2**-16."""
    middles = (np.arange(_TABLE_SIZE) + 0.5) / _TABLE_SIZE
    return np.ldexp(np.rint(np.ldexp(np.square(np.sin(np.pi / 2 * middles)), 16)), -16)


class Draws:
    """The random numbers of one seed, the same for all tasks with the same number of queries."""

    def __init__(self, seed: int, resamples: int) -> None:
        self.seed = seed
        self.resamples = resamples
        self._kept_weights: tuple[int, WeightBlock] | None = None
        self._kept_signs: tuple[int, FloatArray] | None = None

    def weights(self, queries: int) -> Iterator[WeightBlock]:
        """Blocks of bootstrap weights; together they have `resamples` rows."""
        if self._kept_weights is not None and self._kept_weights[0] == queries:
            yield self._kept_weights[1]
            return
        words = self._words("weights", queries)
        for rows in self._blocks(queries):
            count = rows.stop - rows.start
            drawn = _raw(words, count, -(-(queries + 2) // 4)).view("<u2")
            table = exponential_table()
            block = WeightBlock(
                rows,
                table[drawn[:, :queries]],
                table[drawn[:, queries]],
                arcsine_table()[drawn[:, queries + 1]],
            )
            if count == self.resamples:
                self._kept_weights = queries, block
            yield block

    def signs(self, queries: int) -> Iterator[tuple[slice, FloatArray]]:
        """Blocks of coin flips, 0.0 or 1.0, as (rows, array of (rows, queries))."""
        if self._kept_signs is not None and self._kept_signs[0] == queries:
            yield slice(0, self.resamples), self._kept_signs[1]
            return
        words = self._words("signs", queries)
        for rows in self._blocks(queries):
            count = rows.stop - rows.start
            drawn = _raw(words, count, -(-queries // 64)).view(np.uint8)
            flips = np.unpackbits(drawn, axis=1, count=queries, bitorder="little").astype(np.float64)
            if count == self.resamples:
                self._kept_signs = queries, flips
            yield rows, flips

    def shuffle(self, what: Literal["weights", "signs"], task: str) -> npt.NDArray[np.int64]:
        """The order in which a task takes the shared resamples.

        Tasks of one size share their draws. Taken in another order by each task, the draws of two tasks
        have nothing to do with each other, as a mean over tasks needs, and no task depends on its company.
        """
        key = int.from_bytes(hashlib.sha256(task.encode()).digest(), "little")
        words = self._words(f"shuffle {what}", key)
        return np.argsort(words.random_raw(self.resamples), kind="stable").astype(np.int64)

    def _words(self, purpose: str, key: int) -> np.random.PCG64:
        return np.random.PCG64(np.random.SeedSequence([self.seed, _PURPOSES[purpose], key]))

    def _blocks(self, queries: int) -> Iterator[slice]:
        height = max(1, _BLOCK_VALUES // queries)
        for start in range(0, self.resamples, height):
            yield slice(start, min(start + height, self.resamples))


def all_signs(queries: int) -> FloatArray:
    """Every way to flip `queries` coins, (2**queries, queries) of 0.0 and 1.0."""
    every = np.arange(1 << queries, dtype=np.int64)
    return ((every[:, None] >> np.arange(queries)) & 1).astype(np.float64)


def _raw(words: np.random.PCG64, rows: int, width: int) -> npt.NDArray[np.uint64]:
    return words.random_raw(rows * width).astype("<u8", copy=False).reshape(rows, width)
