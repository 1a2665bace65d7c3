"""Judged: how much of the top is judged at all."""

from __future__ import annotations

import numpy as np

from hakari.measures.found import Found
from hakari.measures.kind import Kind, divide
from hakari.measures.luck import Luck, Moments
from hakari.measures.pool import Values


class Judged(Kind):
    """Low values say that other measures rest on guesses; any grade counts as judged, negative ones too."""

    name = "Judged"
    summary = "share of the first k documents that are judged; the trust in the other measures"
    usual = ("Judged@10",)
    also_called = ("judged_at",)

    def values(self, found: Found, cut: int) -> Values:
        """Judged documents found over the documents there are down to the cut-off."""
        keep = found.rank <= cut
        judged = np.bincount(found.query[keep], minlength=found.pool.queries)
        return divide(judged, np.minimum(found.retrieved, cut))

    def chance(self, luck: Luck, cut: int) -> Moments:
        """Hypergeometric."""
        return luck.count(luck.pool.judged, cut).over(luck.ranks(cut))


KIND = Judged()
