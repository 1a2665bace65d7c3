"""RR: reciprocal rank."""

from __future__ import annotations

import numpy as np

from hakari.measures.found import Found
from hakari.measures.kind import Kind
from hakari.measures.luck import Luck, Moments, first_relevant
from hakari.measures.pool import Values


class ReciprocalRank(Kind):
    """Its mean over queries is often called MRR."""

    name = "RR"
    summary = "1 over the rank of the first relevant document"
    cut_needed = False
    usual = ("RR@10", "RR")
    also_called = ("MRR", "recip_rank", "mrr_at")

    def values(self, found: Found, cut: int) -> Values:
        """1 / rank of the first, or 0."""
        query, rank = found.relevant(cut)
        out = np.zeros(found.pool.queries)
        first = np.diff(query, prepend=-1) > 0
        out[query[first]] = 1.0 / rank[first]
        return out

    def chance(self, luck: Luck, cut: int) -> Moments:
        """From the distribution of the first relevant rank."""

        def moments(documents: int, relevant: int, ranks: int) -> tuple[float, float]:
            at = first_relevant(documents, relevant, ranks)
            rank = np.arange(1, ranks + 1)
            mean = float((at / rank).sum())
            return mean, max(float((at / rank**2).sum()) - mean**2, 0.0)

        return luck.by_counts(moments, cut)


KIND = ReciprocalRank()
