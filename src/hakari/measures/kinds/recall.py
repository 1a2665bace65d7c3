"""R: recall."""

from __future__ import annotations

from typing import ClassVar

from hakari.measures.found import Found
from hakari.measures.kind import Kind, divide
from hakari.measures.luck import Luck, Moments
from hakari.measures.pool import Values


class Recall(Kind):
    """Recall of each query, so that its mean counts every query alike."""

    name = "R"
    summary = "share of the relevant documents among the first k, mean over queries"
    usual: ClassVar[tuple[str, ...]] = ("R@100", "R@10")
    also_called: ClassVar[tuple[str, ...]] = ("Recall", "recall_at")

    def values(self, found: Found, cut: int) -> Values:
        """Relevant documents found over relevant documents."""
        return divide(found.hits(cut), found.pool.relevant)

    def chance(self, luck: Luck, cut: int) -> Moments:
        """Hypergeometric."""
        return luck.count(luck.pool.relevant, cut).over(luck.pool.relevant)


KIND = Recall()
