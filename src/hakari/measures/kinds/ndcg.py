"""nDCG: discounted gain as a share of the best possible."""

from __future__ import annotations

from hakari.measures.discounts import discounts
from hakari.measures.found import Found
from hakari.measures.kind import Kind, divide
from hakari.measures.luck import Luck, Moments
from hakari.measures.pool import Values, discounted


class NDCG(Kind):
    """Linear gains, as trec_eval has them: a grade of 3 is worth three grades of 1."""

    name = "nDCG"
    summary = "gain of the ranking, discounted by log2(rank + 1), over that of the best order; graded"
    cut_needed = False
    usual = ("nDCG@10", "nDCG@100", "nDCG")
    also_called = ("DCG", "ndcg_cut", "ndcg_at")

    def values(self, found: Found, cut: int) -> Values:
        """Discounted gain over ideal discounted gain."""
        gain = discounted(found.query, found.rank, found.grade, cut, found.pool.queries)
        return divide(gain, found.pool.ideal(cut))

    def chance(self, luck: Luck, cut: int) -> Moments:
        """A linear rank statistic, exact for any grades."""
        weights = 1 / discounts(int(luck.ranks(cut).max(initial=0)))
        return luck.weighted_gain(weights, cut).over(luck.pool.ideal(cut))


KIND = NDCG()
