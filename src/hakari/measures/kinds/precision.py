"""P: precision."""

from __future__ import annotations

import numpy as np

from hakari.measures.found import Found
from hakari.measures.kind import Kind
from hakari.measures.luck import Luck, Moments
from hakari.measures.pool import Values


class Precision(Kind):
    """Short rankings are divided by k all the same, as in trec_eval."""

    name = "P"
    summary = "relevant documents among the first k, over k"
    usual = ("P@10", "P@1")
    also_called = ("Precision", "Prec", "precision_at")

    def values(self, found: Found, cut: int) -> Values:
        """Relevant documents found over the cut-off."""
        return found.hits(cut) / float(cut)

    def chance(self, luck: Luck, cut: int) -> Moments:
        """Hypergeometric."""
        return luck.count(luck.pool.relevant, cut).over(np.full(luck.pool.queries, float(cut)))


KIND = Precision()
