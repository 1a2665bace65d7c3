"""The decision of a gate: did a candidate lose more than it may?"""

from __future__ import annotations

import math
from typing import Literal

from hakari.errors import UsageError

Decision = Literal["pass", "fail", "inconclusive"]

FEWEST_QUERIES = 10
"""With fewer queries than this no interval is trusted to decide."""


def decide(low: float, high: float, max_drop: float, queries: int) -> Decision:
    """Judge the interval of candidate - baseline against the largest drop that is allowed.

    It fails when the whole interval lies below -max_drop, passes when the whole interval lies at or above it,
    and is inconclusive when it holds both. An interval [0, 0] means that no query changed: that passes
    with any number of queries. Otherwise fewer than ten queries are inconclusive whatever they say.
    """
    if not (math.isfinite(low) and math.isfinite(high) and low <= high):
        raise UsageError(f"[{low}, {high}] is not an interval")
    if not (math.isfinite(max_drop) and max_drop >= 0):
        raise UsageError(f"the largest drop allowed is {max_drop}", "use a number from 0, as 0.01")
    if low == high == 0.0:
        return "pass"
    if queries < FEWEST_QUERIES:
        return "inconclusive"
    if low >= -max_drop:
        return "pass"
    return "fail" if high < -max_drop else "inconclusive"
