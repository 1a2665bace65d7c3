"""What the judgements alone say about each query, without any run."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from hakari.measures.discounts import discounts
from hakari.types import Qrels

Counts = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]
"""One number a query, in the order of `qrels.query_ids`."""
Numbers = npt.NDArray[np.integer] | npt.NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Pool:
    """The judged documents of every query, counted; those of grade 1 and more are relevant."""

    qrels: Qrels

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return len(self.qrels.query_ids)

    @cached_property
    def query(self) -> Counts:
        """The query of each judgement."""
        return np.repeat(np.arange(self.queries), self.judged)

    @cached_property
    def judged(self) -> Counts:
        """How many documents are judged, per query."""
        return np.diff(self.qrels.offsets)

    @cached_property
    def relevant(self) -> Counts:
        """How many documents are relevant, per query."""
        return np.bincount(self.query[self.qrels.grades > 0], minlength=self.queries)

    def power_sum(self, power: int) -> Values:
        """The sum of the positive grades, each raised to `power`, per query."""
        grades = np.maximum(self.qrels.grades, 0).astype(np.float64)
        return sum_by_query(self.query, grades**power, self.queries)

    def ideal(self, cut: int) -> Values:
        """The discounted gain of the best order, down to the cut-off, per query."""
        query, rank, grade = self._best_order
        return discounted(query, rank, grade, cut, self.queries)

    @cached_property
    def _best_order(self) -> tuple[Counts, Counts, npt.NDArray[np.int32]]:
        """Query, rank and grade of the relevant documents in the best order."""
        positive = np.flatnonzero(self.qrels.grades > 0)
        query, grade = self.query[positive], self.qrels.grades[positive]
        order = np.lexsort((-grade.astype(np.int64), query))
        starts = np.cumsum(self.relevant) - self.relevant
        rank = np.arange(len(order)) - starts[query[order]] + 1
        return query[order], rank, grade[order]


def discounted(query: Counts, rank: Counts, grade: npt.NDArray[np.int32], cut: int, queries: int) -> Values:
    """The sum of gains over discounts per query, added up in rank order."""
    keep = (grade > 0) & (rank <= cut)
    query, rank, grade = query[keep], rank[keep], grade[keep]
    table = discounts(int(rank.max(initial=0)))
    return sum_by_query(query, grade / table[rank - 1], queries)


def sum_by_query(query: Counts, addends: Values, queries: int) -> Values:
    """The sums of rows in rank order, per query, with the bits of trec_eval's sums."""
    # bincount adds one by one in the order of its input; np.add.reduceat would add in pairs.
    return np.asarray(np.bincount(query, weights=addends, minlength=queries), np.float64)
