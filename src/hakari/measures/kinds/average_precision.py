"""AP: average precision."""

from __future__ import annotations

import numpy as np

from hakari.measures.found import Found
from hakari.measures.kind import Kind, divide
from hakari.measures.luck import Luck, Moments, precision_sum
from hakari.measures.pool import Pool, Values


class AveragePrecision(Kind):
    """Its mean over queries is often called MAP. The denominator is that of trec_eval, also below a cut-off."""

    name = "AP"
    summary = "precision at the ranks of relevant documents, summed, over all relevant documents"
    cut_needed = False
    usual = ("AP", "AP@100")
    also_called = ("MAP", "map_cut", "map_at")

    def denominator(self, pool: Pool, cut: int | None) -> Values:
        """All relevant documents."""
        return pool.relevant.astype(float)

    def values(self, found: Found, cut: int | None) -> Values:
        """The sum of precisions over the denominator."""
        query, rank = found.relevant(cut)
        counts = np.bincount(query, minlength=found.pool.queries)
        so_far = np.arange(1, len(query) + 1) - (np.cumsum(counts) - counts)[query]
        # bincount adds one by one in rank order, as trec_eval does.
        total = np.bincount(query, weights=so_far / rank, minlength=found.pool.queries)
        return divide(total, self.denominator(found.pool, cut))

    def chance(self, luck: Luck, cut: int | None) -> Moments:
        """Exact: the sum of precisions has a closed form."""
        return luck.by_counts(precision_sum, cut).over(self.denominator(luck.pool, cut))


KIND = AveragePrecision()
