"""hit: whether anything relevant is found."""

from __future__ import annotations

import numpy as np

from hakari.measures.found import Found
from hakari.measures.kind import Kind
from hakari.measures.luck import Luck, Moments, first_relevant
from hakari.measures.pool import Values


class Hit(Kind):
    """trec_eval's success."""

    name = "hit"
    summary = "1 where a relevant document is among the first k, else 0"
    usual = ("hit@10", "hit@1")
    also_called = ("Success", "HitRate", "Accuracy", "success_at")

    def values(self, found: Found, cut: int) -> Values:
        """1 or 0."""
        return np.minimum(found.hits(cut), 1.0)

    def chance(self, luck: Luck, cut: int) -> Moments:
        """The probability that the first relevant document comes in time."""

        def moments(documents: int, relevant: int, ranks: int) -> tuple[float, float]:
            hit = float(first_relevant(documents, relevant, ranks).sum())
            return hit, max(hit * (1 - hit), 0.0)

        return luck.by_counts(moments, cut)


KIND = Hit()
