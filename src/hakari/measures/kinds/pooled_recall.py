"""Rpool: recall over all queries taken together."""

from __future__ import annotations

from hakari.measures.kinds.recall import Recall
from hakari.measures.pool import Pool, Values


class PooledRecall(Recall):
    """All hits over all relevant documents, the form in which some published figures are given.

    A ratio of sums is the mean of the queries' recalls weighted by their numbers of relevant documents, so it
    is derived from scores per query as every aggregate is, and is resampled together with its weights.
    """

    name = "Rpool"
    summary = "all relevant documents found among the first k over all relevant documents, queries pooled"
    usual = ("Rpool@100",)
    also_called = ("pooled_recall",)

    def weights(self, pool: Pool) -> Values:
        """The number of relevant documents."""
        return pool.relevant.astype(float)


KIND = PooledRecall()
