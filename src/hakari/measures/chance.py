"""What chance scores: the level that every control must land on, and that a retriever must leave behind."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.measures.luck import Luck
from hakari.measures.measure import Measure, parse
from hakari.measures.pool import Counts, Pool
from hakari.types import Qrels


class Expected(NamedTuple):
    """Expectation and standard deviation of an aggregate."""

    mean: float
    sd: float


def expected(
    qrels: Qrels, documents: int | npt.ArrayLike, measure: str | Measure, depth: int | None = None
) -> Expected:
    """The aggregate of a measure when every query gets an order of its own at random, exactly.

    `documents` is how many there are to rank: one number, or one a query where a query leaves a document
    out. `depth` is how many of them the run keeps. The deviation is that over independent orders; an order
    shared by all queries has the same expectation and another deviation.
    """
    wanted, pool = parse(measure), Pool(qrels)
    counts = _counts(documents, pool)
    moments = wanted.kind.chance(Luck(pool, counts, depth), wanted.cut)
    weights = wanted.kind.weights(pool)
    total = math.fsum(weights)
    if not total:
        return Expected(0.0, 0.0)
    variance = max(math.fsum(weights**2 * moments.variance), 0.0)
    return Expected(math.fsum(weights * moments.mean) / total, math.sqrt(variance) / total)


def _counts(documents: int | npt.ArrayLike, pool: Pool) -> Counts:
    counts = np.broadcast_to(np.asarray(documents, dtype=np.int64), (pool.queries,))
    short = np.flatnonzero(counts < pool.judged)
    if len(short):
        query = pool.qrels.query_ids[short[0]]
        raise UsageError(
            f"query `{query}` has {pool.judged[short[0]]} judged documents, but only {counts[short[0]]} to rank",
            "give the number of documents of the corpus that was judged",
        )
    return counts
