"""Runs of tokens that two texts have in common: how nearly they are the same."""

from __future__ import annotations

import re
from collections.abc import Set

NEAR = 0.7
"""Share of common shingles from which two texts count as nearly the same."""
SHINGLE_TOKENS = 3

_TOKEN = re.compile(r"\w+|[^\w\s]")


def shingles(text: str) -> set[str]:
    """Every run of three tokens of a text without case; the whole of a shorter text."""
    tokens = _TOKEN.findall(text.casefold())
    count = max(1, len(tokens) - SHINGLE_TOKENS + 1)
    return {" ".join(tokens[start : start + SHINGLE_TOKENS]) for start in range(count)}


def jaccard(left: Set[str], right: Set[str]) -> float:
    """The common part of two sets, over all that is in either."""
    common = len(left & right)
    return common / (len(left) + len(right) - common) if left or right else 1.0
