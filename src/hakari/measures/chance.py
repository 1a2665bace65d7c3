"""What chance scores: the level that every control must land on, and that a retriever must leave behind."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hakari.errors import UsageError
from hakari.measures.found import Found
from hakari.measures.luck import Luck
from hakari.measures.measure import Measure, parse, parse_many
from hakari.measures.pool import Counts, Pool, Values
from hakari.types import Qrels


class Expected(NamedTuple):
    """Expectation and standard deviation of an aggregate."""

    mean: float
    sd: float


def expected(
    qrels: Qrels, documents: int | npt.ArrayLike, measure: str | Measure, depth: int | None = None
) -> Expected:
    """The aggregate of a measure when every query gets a random order of its own, exactly.

    `documents` is how many there are to rank: one number, or one a query where a query leaves a document
    out. `depth` is how many of them the run keeps. The deviation is that over independent orders; an order
    that all queries share has the same expectation and another deviation, see `shared_orders`.
    """
    wanted, pool = parse(measure), Pool(qrels)
    luck = Luck(pool, _counts(documents, pool), sys.maxsize if depth is None else depth)
    moments = wanted.kind.chance(luck, wanted.last_rank)
    weights = wanted.kind.weights(pool)
    total = math.fsum(weights)
    if not total:
        return Expected(0.0, 0.0)
    variance = max(math.fsum(weights**2 * moments.variance), 0.0)
    return Expected(math.fsum(weights * moments.mean) / total, math.sqrt(variance) / total)


def shared_orders(
    qrels: Qrels,
    measures: str | Iterable[str | Measure],
    depth: int | None = None,
    excluded: Counts | None = None,
    draws: int = 1000,
    seed: int = 0,
) -> npt.NDArray[np.float64]:
    """The aggregates (draws by measures) when one random order of the documents serves all queries.

    This is what a constant scorer gets if ids say nothing about relevance. `excluded` is the document that
    each query leaves out, or -1.
    """
    wanted, pool, rng = parse_many(measures), Pool(qrels), np.random.default_rng(seed)
    weights = np.array([m.kind.weights(pool) for m in wanted])
    totals = np.maximum(weights.sum(axis=1), np.finfo(float).tiny)
    out = np.empty((draws, len(wanted)))
    for draw in range(draws):
        ranks = rng.permutation(len(qrels.document_ids)) + 1
        found = _found_at(ranks, pool, depth, excluded)
        values = np.array([m.kind.values(found, m.last_rank) for m in wanted])
        out[draw] = (values * weights).sum(axis=1) / totals
    return out


def _found_at(ranks: Counts, pool: Pool, depth: int | None, excluded: Counts | None) -> Found:
    """The finds of a run that ranks the documents alike for all queries."""
    at, left_out = ranks[pool.qrels.documents], np.zeros(pool.queries, dtype=np.int64)
    query, grade = pool.query, pool.qrels.grades
    if excluded is not None:
        left_out = (excluded >= 0).astype(np.int64)
        own = np.where(excluded >= 0, ranks[excluded], len(ranks) + 1)[query]
        keep = at != own
        query, grade, at = query[keep], grade[keep], (at - (at > own))[keep]
    retrieved = len(ranks) - left_out
    if depth is not None:
        retrieved = np.minimum(retrieved, depth)
    keep = np.flatnonzero(at <= retrieved[query])
    order = keep[np.lexsort((at[keep], query[keep]))]
    return Found(pool, query[order], at[order], grade[order], retrieved)


class IdOrder(NamedTuple):
    """Where relevant documents lie when documents are in descending order of id."""

    position: float
    """Mean over queries: 0 is all first, 1 is all last, 0.5 is what chance gives."""
    sd: float
    """Exact, over all ways to hand the ids out."""

    @property
    def z(self) -> float:
        """How many deviations before (above 0) or behind (below 0) the middle they lie."""
        return (0.5 - self.position) / self.sd if self.sd else 0.0


def id_order(qrels: Qrels) -> IdOrder:
    """Whether ids alone say which documents are relevant, at whichever end of the corpus they lie."""
    pool, documents = Pool(qrels), len(qrels.document_ids)
    relevant = np.flatnonzero(qrels.grades > 0)
    query, answerable = pool.query[relevant], max(int(np.count_nonzero(pool.relevant)), 1)
    share = 1.0 / (answerable * pool.relevant[query])
    weight = np.asarray(
        np.bincount(qrels.documents[relevant], weights=share, minlength=documents), np.float64
    )
    if documents < 2 or not len(relevant):
        return IdOrder(0.5, 0.0)
    position = np.arange(documents - 1, -1, -1) / (documents - 1)
    spread = _squares(weight) * _squares(position) / (documents - 1)
    return IdOrder(math.fsum(weight * position), math.sqrt(spread))


def _squares(values: Values) -> float:
    return math.fsum((values - values.mean()) ** 2)


def _counts(documents: int | npt.ArrayLike, pool: Pool) -> Counts:
    counts = np.broadcast_to(np.asarray(documents, dtype=np.int64), (pool.queries,))
    short = np.flatnonzero(counts < pool.judged)
    if len(short):
        query, judged, ranked = pool.qrels.query_ids[short[0]], pool.judged[short[0]], counts[short[0]]
        raise UsageError(
            f"query `{query}` has {judged} judged documents, but only {ranked} to rank",
            "give the number of documents of the corpus that was judged",
        )
    return counts
