"""APcap: average precision whose best value is 1 at any cut-off."""

from __future__ import annotations

import numpy as np

from hakari.measures.kinds.average_precision import AveragePrecision
from hakari.measures.pool import Pool, Values


class CappedAveragePrecision(AveragePrecision):
    """Never counts more relevant documents than fit above the cut-off, as several libraries define MAP@k."""

    name = "APcap"
    summary = "as AP@k, over no more relevant documents than the k that can be found"
    cut_needed = True
    usual = ("APcap@100", "APcap@10")
    also_called = ()

    def denominator(self, pool: Pool, cut: int) -> Values:
        """The relevant documents, k at most."""
        return np.minimum(super().denominator(pool, cut), float(cut))


KIND = CappedAveragePrecision()
