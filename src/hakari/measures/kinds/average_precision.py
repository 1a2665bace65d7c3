"""AP: average precision."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from hakari.measures.found import Found
from hakari.measures.kind import Kind, divide
from hakari.measures.luck import Luck, Moments, precision_sum
from hakari.measures.pool import Pool, Values, sum_by_query


class AveragePrecision(Kind):
    """Its mean over queries is often called MAP. With a cut-off its denominator stays, as in trec_eval."""

    name = "AP"
    summary = "precision at the ranks of relevant documents, summed, over all relevant documents"
    cut_needed = False
    usual: ClassVar[tuple[str, ...]] = ("AP", "AP@100")
    also_called: ClassVar[tuple[str, ...]] = ("MAP", "map_cut", "map_at")

    def denominator(self, pool: Pool, cut: int) -> Values:
        """All relevant documents."""
        return pool.relevant.astype(float)

    def values(self, found: Found, cut: int) -> Values:
        """The sum of precisions over the denominator."""
        query, rank = found.relevant(cut)
        counts = np.bincount(query, minlength=found.pool.queries)
        so_far = np.arange(1, len(query) + 1) - (np.cumsum(counts) - counts)[query]
        total = sum_by_query(query, so_far / rank, found.pool.queries)
        return divide(total, self.denominator(found.pool, cut))

    def chance(self, luck: Luck, cut: int) -> Moments:
        """Exact: the sum of precisions has a closed form."""
        return luck.by_counts(precision_sum, cut).over(self.denominator(luck.pool, cut))


KIND = AveragePrecision()
