"""nDCG of the binary view of judgements, as the published figures have it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hakari.measures.found import Found
from hakari.measures.kind import Kind
from hakari.measures.kinds.ndcg import KIND as GRADED
from hakari.measures.luck import Luck, Moments
from hakari.measures.pool import Pool, Values


class BinaryNDCG(Kind):
    """Every relevant document is worth the same; on tasks that are not graded it is nDCG."""

    name = "nDCGbin"
    summary = "nDCG with every relevant document worth the same, as published figures of graded tasks have it"
    cut_needed = False
    usual = ("nDCGbin@10",)

    def values(self, found: Found, cut: int) -> Values:
        """nDCG over grades of 0 and 1."""
        return GRADED.values(replace(found, pool=_binary(found.pool), grade=np.minimum(found.grade, 1)), cut)

    def chance(self, luck: Luck, cut: int) -> Moments:
        """As that of nDCG."""
        return GRADED.chance(replace(luck, pool=_binary(luck.pool)), cut)


def _binary(pool: Pool) -> Pool:
    return Pool(replace(pool.qrels, grades=np.minimum(pool.qrels.grades, 1)))


KIND = BinaryNDCG()
