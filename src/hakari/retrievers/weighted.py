"""Fusion by weights: given, or learned from the judgements by cross-validation over queries.

Scores of different retrievers do not share a scale, so those of each query and retriever are brought to one before
they are added up; a document that a retriever does not find adds nothing for it.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from hakari import measures
from hakari.errors import UsageError
from hakari.io.settle import strictly_falling
from hakari.retrievers.base import BASE_VARIANT, Retrieved, Retriever
from hakari.retrievers.fuse import SOURCE_DEPTH, aligned, best_first, fusion_costs, union_of_ids
from hakari.retrievers.learned import GRID, cross_validated, folds_of
from hakari.retrievers.spelling import spell
from hakari.types import Ids, Run, Task

LEARNED = "learned"
EXAMPLE = "weighted(bm25-code,bge_small_en,weights=0.3:0.7)"
Normalise = Literal["minmax", "zscore", "ranks"]
Values = npt.NDArray[np.float64]


class Weighted(Retriever):
    """Fuses the rankings of other retrievers: a document scores the weighted sum of its scores in them."""

    family = "fuse"

    def __init__(
        self,
        *parts: Retriever,
        weights: str = LEARNED,
        normalise: Normalise = "minmax",
        k: int = 100,
        source_depth: int = SOURCE_DEPTH,
        folds: int = 5,
        measure: str = "nDCG@10",
        seed: int = 0,
    ) -> None:
        if len(parts) < 2:
            raise UsageError(f"weighted needs at least two retrievers, not {len(parts)}", EXAMPLE)
        if k < 0 or source_depth < 1 or folds < 2:
            raise UsageError(
                f"k is {k}, source_depth {source_depth} and folds {folds}", "they start at 0, 1 and 2"
            )
        self.parts, self.source_depth = parts, source_depth
        self.weights = None if weights == LEARNED else weights_in(weights, len(parts))
        self.normalise, self.k = normalise, k
        self.folds, self.measure, self.seed = folds, str(measures.parse(measure)), seed
        self.packages = tuple(dict.fromkeys(package for part in parts for package in part.packages))
        given = {
            "weights": (weights if self.weights is None else ":".join(map(_number, self.weights)), LEARNED),
            "normalise": (normalise, "minmax"),
            "k": (k, 100),
            "source_depth": (source_depth, SOURCE_DEPTH),
            "folds": (folds, 5),
            "measure": (self.measure, "nDCG@10"),
            "seed": (seed, 0),
        }
        changed = {key: value for key, (value, default) in given.items() if value != default}
        self.name = spell("weighted", [part.name for part in parts], changed)

    def settings(self) -> dict[str, Any]:
        """How scores are brought together, the weights or how they are learned, and the settings of the parts."""
        learned = {"folds": self.folds, "measure": self.measure, "seed": self.seed, "grid": GRID}
        return {
            "normalise": self.normalise,
            "k": self.k,
            "source_depth": self.source_depth,
            "weights": learned if self.weights is None else list(self.weights),
            "parts": [{"name": part.name, "settings": part.settings()} for part in self.parts],
        }

    def settings_for(self, task: Task) -> dict[str, Any]:
        """What the parts take from the task."""
        return {"parts": [part.settings_for(task) for part in self.parts]}

    def require(self) -> None:
        """Raise where a part lacks something."""
        for part in self.parts:
            part.require()

    def retrieve(self, task: Task, depth: int, parts: Sequence[Run] = ()) -> Retrieved:
        """Fuse the runs of the parts, which are made here where they are not given."""
        runs = list(parts) or [p.retrieve(task, self.source_depth).runs[BASE_VARIANT] for p in self.parts]
        if len(runs) != len(self.parts):
            raise UsageError(f"`{self.name}` fuses {len(self.parts)} runs, and was given {len(runs)}")
        start = time.perf_counter()
        together = bring_together(runs, self.normalise, self.k, self.source_depth)
        if self.weights is not None:
            run = together.fused(np.array([self.weights]), depth, self.name)
            return Retrieved({BASE_VARIANT: run}, costs=fusion_costs(task, time.perf_counter() - start))
        if len(together.query_ids) < 2:
            raise UsageError(f"`{task.name}` has too few queries to learn weights from", EXAMPLE)
        fold = folds_of(together.query_ids, self.folds, self.seed)
        measure = measures.parse(self.measure)

        def values(weights: Values) -> Values:
            ranked = together.fused(weights[None, :], measure.depth or depth, self.name)
            scores = measures.score(ranked, task.qrels, [measure])
            # The judged queries are those of the task, in the same order.
            return scores.of(measure)[np.searchsorted(scores.query_ids, together.query_ids)]

        learned = cross_validated(len(runs), fold, values)
        learnt_s = time.perf_counter() - start
        start = time.perf_counter()
        run = together.fused(learned.weights[fold], depth, self.name)
        facts = {"weights_learned": {"measure": self.measure, "seed": self.seed, **learned.facts(fold)}}
        costs = fusion_costs(task, time.perf_counter() - start)
        return Retrieved({BASE_VARIANT: run}, facts, {"learn_s": learnt_s, **costs})


@dataclass(frozen=True, eq=False)
class Together:
    """What several runs found, one row a query and document, in order of both."""

    query_ids: Ids
    document_ids: Ids
    query: npt.NDArray[np.int64]
    document: npt.NDArray[np.int32]
    values: Values
    """Runs by rows: what each run adds at weight one; 0 where it does not have the document."""
    best_rank: npt.NDArray[np.int64]

    def fused(self, weights: Values, depth: int, tag: str) -> Run:
        """The ranking by weights: one row of them for all queries, or one a query.

        Equal scores are settled by the best rank in any run, then by id, ascending.
        """
        shares = weights / weights.sum(axis=1, keepdims=True)
        of_rows = shares if len(shares) == 1 else shares[self.query]
        sums = np.zeros(len(self.query))
        for source, values in enumerate(self.values):  # one by one, so the order of addition is fixed
            sums += of_rows[:, source] * values
        lengths = np.bincount(self.query, minlength=len(self.query_ids))
        order = np.empty(0, np.int64)
        if len(sums):
            order = best_first(self.query, sums, self.best_rank, int(self.best_rank.max()).bit_length())
        starts = np.cumsum(lengths) - lengths
        order = order[np.arange(len(order)) - np.repeat(starts, lengths) < depth]
        offsets = np.concatenate([[0], np.cumsum(np.minimum(lengths, depth))]).astype(np.int64)
        scores = strictly_falling(sums[order].astype(np.float32), offsets)
        return Run(self.query_ids, self.document_ids, offsets, self.document[order], scores, tag)


def bring_together(
    runs: Sequence[Run], normalise: Normalise, k: int = 100, source_depth: int | None = None
) -> Together:
    """Runs as one table of values that can be added up."""
    query_ids = union_of_ids([run.query_ids for run in runs])
    document_ids = union_of_ids([run.document_ids for run in runs])
    cells, ranks, values = [], [], []
    for run in runs:
        offsets, documents, scores = aligned(run, query_ids, document_ids, source_depth)
        lengths = np.diff(offsets)
        query = np.repeat(np.arange(len(query_ids), dtype=np.int64), lengths)
        cells.append(query * max(1, len(document_ids)) + documents)
        ranks.append(np.arange(1, len(query) + 1, dtype=np.int64) - np.repeat(offsets[:-1], lengths))
        values.append(1.0 / (k + ranks[-1]) if normalise == "ranks" else scaled(scores, offsets, normalise))
    every, place = np.unique(np.concatenate(cells), return_inverse=True)
    table = np.zeros((len(runs), len(every)))
    best_rank = np.full(len(every), np.iinfo(np.int64).max)
    first = 0
    for source, (rank, value) in enumerate(zip(ranks, values, strict=True)):
        at = place[first : first + len(rank)]
        table[source, at] = value
        best_rank[at] = np.minimum(best_rank[at], rank)
        first += len(rank)
    query, document = np.divmod(every, max(1, len(document_ids)))
    return Together(query_ids, document_ids, query, document.astype(np.int32), table, best_rank)


def scaled(scores: npt.NDArray[np.float32], offsets: npt.NDArray[np.int64], normalise: str) -> Values:
    """Scores above the lowest of their query, over the range or the standard deviation of that query.

    Where all scores of a query are equal, each counts 1: all are found, and none before another.
    """
    values = scores.astype(np.float64)
    if not np.isfinite(values).all():
        raise UsageError("a run has infinite scores, which no scale holds", "fuse ranks: `normalise=ranks`")
    lengths = np.diff(offsets)
    filled = np.flatnonzero(lengths)
    if not len(filled):
        return values
    starts, sizes = offsets[filled], lengths[filled]
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    spread = high - low
    if normalise == "zscore":
        mean = np.add.reduceat(values, starts) / sizes
        spread = np.sqrt(np.add.reduceat(np.square(values - np.repeat(mean, sizes)), starts) / sizes)
    above = values - np.repeat(low, sizes)
    flat = np.repeat(high == low, sizes)
    return np.where(flat, 1.0, above / np.repeat(np.where(high == low, 1.0, spread), sizes))


def weights_in(text: str, count: int) -> tuple[float, ...]:
    """Weights from a text such as `0.3:0.7`."""
    try:
        weights = tuple(float(part) for part in text.split(":"))
    except ValueError:
        weights = ()
    if not weights or not all(math.isfinite(weight) and weight >= 0 for weight in weights):
        raise UsageError(f"`weights` is `{text}`, not numbers from 0 with colons between", EXAMPLE)
    if len(weights) != count or not any(weights):
        told = "all of them 0" if len(weights) == count else f"{len(weights)} of them for {count} retrievers"
        raise UsageError(f"`weights` is `{text}`, {told}", EXAMPLE)
    return weights


def _number(weight: float) -> str:
    return str(int(weight)) if weight.is_integer() else repr(weight)
